"""Views with negative steps, which torch does not have: NumPy is the witness."""

import numpy as np
import pytest

import stridecore as sc


def same(x, a):
    assert tuple(x.shape) == a.shape
    assert x.tolist() == a.tolist()
    if a.size:  # strides of dims of size 1 are of no meaning in NumPy
        mine = [s * x.itemsize for s, n in zip(x.stride(), x.shape, strict=True) if n > 1]
        assert mine == [s for s, n in zip(a.strides, a.shape, strict=True) if n > 1]


def start(rng):
    shape = [rng.randint(1, 5) for _ in range(rng.randint(1, 4))]
    a = np.arange(np.prod(shape), dtype=rng.choice(["i1", "i2", "i4", "f4", "f8", "c8", "c16"])).reshape(shape)
    return a


def step(rng, n):
    """A slice with a negative step more often than not."""
    bounds = [rng.choice([None, rng.randint(-n - 1, n + 1)]) for _ in range(2)]
    return slice(*bounds, rng.choice([-1, -1, -2, -3, 1, 2, None]))


def views(rng, x, a):
    """The same chain of views on a tensor and an array."""
    for _ in range(rng.randint(1, 5)):
        kind = rng.randint(0, 3)
        if kind == 0 and a.ndim > 1:
            order = rng.sample(range(a.ndim), a.ndim)
            x, a = x.permute(order), a.transpose(order)
        elif kind == 1:
            x, a = x[None], a[None]
        else:
            key = tuple(step(rng, n) for n in a.shape[: rng.randint(1, a.ndim)])
            x, a = x[key], a[key]
    return x, a


def test_literal():
    x = sc.arange(6).view(2, 3)
    y = x[::-1, ::-1]
    assert y.tolist() == [[5, 4, 3], [2, 1, 0]]
    assert y.stride() == (-3, -1)
    assert y.storage_offset() == 5
    assert y.data_ptr() == x.data_ptr() + 40
    assert y._base is not None
    assert not y.is_contiguous()
    assert y[0].tolist() == [5, 4, 3]
    y[0, 0] = 50
    assert x.tolist() == [[0, 1, 2], [3, 4, 50]]
    assert y.contiguous().stride() == (3, 1)
    assert str(y[1]) == "tensor([2, 1, 0])"


def test_chains_of_views(rng):
    for _ in range(3000):
        a = start(rng)
        same(*views(rng, sc.from_numpy(a), a))


def test_copies_of_them(rng):
    for _ in range(1500):
        a = start(rng)
        x, b = views(rng, sc.from_numpy(a), a)
        for made in (x.contiguous(), x.clone(), x.clone(memory_format=sc.contiguous_format), x.to(sc.complex128)):
            assert made.tolist() == b.tolist()
            assert made is x or all(s >= 0 for s in made.stride())
        assert np.array_equal(x.numpy(), b)
        assert x.numpy().strides == b.strides or 1 in b.shape or not b.size
        assert sc.from_numpy(b).tolist() == b.tolist()
        assert np.array_equal(np.asarray(memoryview(x)), b)
        assert repr(x) == repr(x.contiguous())


def test_writes_through_them(rng):
    for _ in range(1500):
        a = start(rng)
        x, b = views(rng, sc.from_numpy(a.copy()), a)
        whole = x if x._base is None else x._base
        value = np.arange(100, 100 + b.size, dtype=a.dtype).reshape(b.shape)
        x[...] = sc.from_numpy(value)
        b[...] = value
        assert whole.tolist() == a.tolist()
        x.fill_(7)
        b.fill(7)
        assert whole.tolist() == a.tolist()


def test_overlapping_writes_are_as_if_copied_first(rng):
    for _ in range(3000):
        a = start(rng)
        x = sc.from_numpy(a.copy())
        (s, t), (d, e) = views(rng, x, a), views(rng, x, a)
        if s.dim() != d.dim():
            continue
        common = tuple(slice(0, min(n, m)) for n, m in zip(s.shape, d.shape, strict=True))
        d[common] = s[common]
        e[common] = t[common].copy()
        assert x.tolist() == a.tolist()


def test_reversal_in_place():
    x = sc.arange(7)
    x[:] = x[::-1]
    assert x.tolist() == [6, 5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize(
    "key", [slice(None, None, -1), slice(4, 1, -2), slice(1, 4, -1), slice(-1, None, -3), slice(99, -99, -4)]
)
def test_slices_as_lists_have_them(key):
    numbers = list(range(6))
    assert sc.tensor(numbers)[key].tolist() == numbers[key]


def test_reshaping_them():
    """view works where the strides can say it, reshape always."""
    x = sc.arange(24).view(4, 6)
    assert x[::-1, ::-1].view(-1).stride() == (-1,)
    assert x[::-1, ::-1].view(2, 2, 3, 2).stride() == (-12, -6, -2, -1)
    with pytest.raises(RuntimeError):
        x[::-1].view(-1)
    assert x[::-1].reshape(-1).tolist()[:7] == [18, 19, 20, 21, 22, 23, 12]
    assert x[::-1].unfold(0, 2, 1).shape == (3, 6, 2)
    assert x[::-1].unfold(0, 2, 1).stride() == (-6, 1, -6)


def test_as_strided_may_go_back():
    x = sc.arange(6)
    assert x.as_strided((3,), (-2,), 5).tolist() == [5, 3, 1]
    with pytest.raises(RuntimeError):
        x.as_strided((4,), (-2,), 5)
