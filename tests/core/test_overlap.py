"""Whether two tensors reach the same memory."""

import itertools

import numpy as np
import pytest

import stridecore as sc


def test_parts_of_one_storage():
    x = sc.arange(6)
    assert sc.shares_memory(x, x) and sc.shares_memory(x, x[2:4]) and sc.shares_memory(x[::2], x[::3])
    assert not sc.shares_memory(x[::2], x[1::2]), "interleaved"
    assert not sc.shares_memory(x[:3], x[3:])
    assert not sc.shares_memory(x, sc.arange(6))
    assert not sc.shares_memory(x[:0], x), "no element"
    assert not sc.shares_memory(x.view(2, 3)[:, :1], x.view(2, 3)[:, 1:])


def test_dtypes_and_bits_do_not_matter():
    x = sc.zeros(2, dtype=sc.complex64)
    assert sc.shares_memory(x.real, x) and not sc.shares_memory(x.real, x.imag)
    assert sc.shares_memory(x.conj(), x) and sc.shares_memory(x.view(sc.int8)[3:4], x)


def test_it_takes_tensors():
    with pytest.raises(TypeError):
        sc.shares_memory(sc.zeros(2), np.zeros(2))


def test_random_windows_against_sets_of_places(rng):
    x = sc.zeros(64, dtype=sc.int8)
    for _ in range(2000):
        pair = []
        for _ in range(2):
            size = [rng.randint(0, 3) for _ in range(rng.randint(0, 3))]
            stride = [rng.randint(-7, 7) for _ in size]
            pair.append((size, stride, rng.randint(25, 38)))
        places = [
            {
                offset + sum(i * s for i, s in zip(index, stride, strict=True))
                for index in itertools.product(*map(range, size))
            }
            for size, stride, offset in pair
        ]
        a, b = [x.as_strided(*each) for each in pair]
        assert sc.shares_memory(a, b) == bool(places[0] & places[1]), pair
