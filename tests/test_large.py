"""Sizes past 2**31 and 2**40: virtual tensors by expand, and one real copy over 2 GiB."""

import gc

import numpy as np
import pytest

import stridecore as sc

BIG = [2**31, 2**31 + 3, 2**40]


@pytest.mark.parametrize("n", BIG)
def test_metadata(n):
    x = sc.arange(3).view(3, 1).expand(3, n)
    assert x.shape == (3, n)
    assert x.stride() == (1, 0)
    assert x.numel() == 3 * n
    assert x.nbytes == 24 * n
    assert x.untyped_storage().nbytes() == 24
    assert not x.is_contiguous()
    assert len(x.t()) == n


@pytest.mark.parametrize("n", BIG)
def test_reading_and_slicing(n):
    x = sc.arange(3).view(3, 1).expand(3, n)
    assert x[2, n - 1].item() == 2
    assert x[1, -n].item() == 1
    assert x[:, n - 2 :].tolist() == [[0, 0], [1, 1], [2, 2]]
    assert x[:, :: n // 2].shape[1] in (2, 3)
    assert x[:, 2**31 - 1 :].shape == (3, n - 2**31 + 1)
    assert x.narrow(1, n - 5, 5).shape == (3, 5)
    assert x.select(1, n - 1).tolist() == [0, 1, 2]
    assert x.offset_of(2, n - 1) == 2
    with pytest.raises(IndexError):
        x[0, n]
    with pytest.raises(IndexError):
        x.offset_of(0, n)
    with pytest.raises(RuntimeError):
        x.narrow(1, n - 5, 6)


@pytest.mark.parametrize("n", BIG)
def test_views(n):
    x = sc.zeros(1, dtype=sc.int8).expand(n)
    assert x.unsqueeze(0).T.shape == (n, 1)
    assert x.view(1, n).shape == (1, n)
    assert x.unfold(0, n - 1, 1).shape == (2, n - 1)
    assert [len(part) for part in x.chunk(2)] == [n - n // 2, n // 2]
    assert [len(part) for part in x.tensor_split(3)] == [(n + 2) // 3, (n + 1) // 3, n // 3]
    assert [len(part) for part in x.split([1, n - 1])] == [1, n - 1]
    assert x.as_strided((n, 2), (0, 0)).shape == (n, 2)
    assert x.expand(2, n).diagonal().shape == (2,)
    assert x.broadcast_to((2, n)).permute(1, 0).stride() == (0, 0)
    if n % 4 == 0:
        assert x.view(4, n // 4).shape == (4, n // 4)
        assert x.unflatten(0, (n // 4, 4)).stride() == (0, 0)


@pytest.mark.parametrize("n", BIG)
def test_printing_shows_the_edges(n):
    assert str(sc.zeros(1, dtype=sc.int64).expand(n)) == "tensor([0, 0, 0,  ..., 0, 0, 0])"


@pytest.mark.parametrize("n", BIG)
def test_as_torch_does(torch, n):
    for make in (
        lambda lib: lib.zeros(1, dtype=lib.int8).expand(2, n),
        lambda lib: lib.zeros(1, dtype=lib.int8).expand(n)[:: 2**16],
        lambda lib: lib.zeros(1, dtype=lib.int8).expand(n)[5:-7:3],
        lambda lib: lib.zeros(2, 1, dtype=lib.int8).expand(2, n).flatten(0, 0).unfold(1, 2**30, 2**20),
        lambda lib: lib.zeros(1, dtype=lib.int8).expand(n).view(1, -1).narrow(1, 2**30, 2**30),
    ):
        x, t = make(sc), make(torch)
        assert (tuple(x.shape), x.stride(), x.storage_offset(), x.numel()) == (
            tuple(t.shape),
            t.stride(),
            t.storage_offset(),
            t.numel(),
        )
        assert x.is_contiguous() == t.is_contiguous()


def test_products_that_overflow_are_errors():
    x = sc.zeros(1, dtype=sc.int8).expand(2**40)
    with pytest.raises(RuntimeError):
        x.expand(2**40, 2**40)
    with pytest.raises(RuntimeError):
        x.unsqueeze(0).expand(2**30, 2**40).contiguous()
    with pytest.raises(RuntimeError):
        x.to(sc.float64)
    assert x.shape == (2**40,)


def test_a_real_copy_over_two_gib():
    """(2, n) int8, columns copied to rows of two: 2 GiB and a little, every byte checked."""
    n = 2**30 + 67
    a = np.empty((2, n), np.int8)
    pattern = np.arange(251, dtype=np.uint8).view(np.int8)
    for row in range(2):
        a[row] = np.resize(pattern if row == 0 else pattern[::-1], n)
    x = sc.from_numpy(a)
    y = x.t().contiguous()
    assert y.shape == (n, 2)
    assert y.untyped_storage().nbytes() == 2 * n > 2**31
    out = y.numpy()
    for start in range(0, n, 2**26):
        assert np.array_equal(out[start : start + 2**26], a[:, start : start + 2**26].T)
    assert y[n - 1, 1].item() == a[1, n - 1]
    assert y.view(-1)[2**31 + 5].item() == out.reshape(-1)[2**31 + 5]
    tail = y.view(-1)[2**31 :]
    assert tail.storage_offset() == 2**31
    tail.fill_(3)
    assert (out.reshape(-1)[2**31 :] == 3).all()
    assert out.reshape(-1)[2**31 - 1] != 3
    del x, y, out, a, tail
    gc.collect()
