"""Views of tensors with negative strides, which torch does not have: the elements are NumPy's."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import stridecore as sc

CASES = 300


def flipped(rng):
    """A random NumPy view with some strides negative, and the tensor on the same memory."""
    ndim = rng.randint(1, 4)
    shape = [rng.choice([1, 2, 3, 4, 5]) for _ in range(ndim)]
    a = np.arange(np.prod(shape)).reshape(shape)
    a = a[tuple(slice(None, None, rng.choice([1, -1, -1, -2, 2])) for _ in range(ndim))]
    a = a.transpose(rng.sample(range(ndim), ndim))
    return a, sc.from_numpy(a)


def same(x, a):
    """The tensor has the array's elements, and lies on the very same places unless the array was copied."""
    assert x.tolist() == a.tolist()
    assert tuple(x.shape) == a.shape
    if a.size and x._is_view():
        strides = [s * x.itemsize for s, n in zip(x.stride(), x.shape, strict=True) if n > 1]
        assert strides == [s for s, n in zip(a.strides, a.shape, strict=True) if n > 1]
        assert x.data_ptr() == a.__array_interface__["data"][0]


def permute(rng, a, x):
    order = rng.sample(range(a.ndim), a.ndim)
    return x.permute(order), a.transpose(order)


def transpose(rng, a, x):
    i, j = rng.randrange(a.ndim), rng.randrange(a.ndim)
    return x.transpose(i, j), a.swapaxes(i, j)


def movedim(rng, a, x):
    i, j = rng.randrange(a.ndim), rng.randrange(a.ndim)
    return x.movedim(i, j), np.moveaxis(a, i, j)


def select(rng, a, x):
    d = rng.randrange(a.ndim)
    i = rng.randrange(-a.shape[d], a.shape[d])
    return x.select(d, i), a[(slice(None),) * d + (i, ...)]


def narrow(rng, a, x):
    d = rng.randrange(a.ndim)
    start = rng.randint(0, a.shape[d])
    length = rng.randint(0, a.shape[d] - start)
    return x.narrow(d, start, length), a[(slice(None),) * d + (slice(start, start + length),)]


def unfold(rng, a, x):
    d = rng.randrange(a.ndim)
    size, step = rng.randint(1, a.shape[d]), rng.randint(1, 3)
    windows = sliding_window_view(a, size, axis=d)
    return x.unfold(d, size, step), windows[(slice(None),) * d + (slice(None, None, step),)]


def diagonal(rng, a, x):
    if a.ndim < 2:
        return x, a
    i, j = rng.sample(range(a.ndim), 2)
    offset = rng.randint(-3, 3)
    return x.diagonal(offset, i, j), a.diagonal(offset, i, j)


def unsqueeze(rng, a, x):
    d = rng.randint(0, a.ndim)
    return x.unsqueeze(d), np.expand_dims(a, d)


def squeeze(rng, a, x):
    return x.squeeze(), a.squeeze()


def expand(rng, a, x):
    shape = (2, *[n if n > 1 else 3 for n in a.shape])
    return x.expand(shape), np.broadcast_to(a, shape)


def split(rng, a, x):
    d = rng.randrange(a.ndim)
    n = rng.randint(1, 4)
    i = rng.randrange(n)
    return x.tensor_split(n, d)[i], np.array_split(a, n, d)[i]


def unbind(rng, a, x):
    d = rng.randrange(a.ndim)
    i = rng.randrange(a.shape[d])
    return x.unbind(d)[i], np.moveaxis(a, d, 0)[i, ...]


def reshape(rng, a, x):
    shape = rng.choice([(-1,), (1, -1), (*a.shape[:-1], a.shape[-1], 1), (a.shape[0], -1), (-1, a.shape[-1])])
    return x.reshape(shape), a.reshape(shape)


def flatten(rng, a, x):
    return x.flatten(), a.reshape(-1)


def contiguous(rng, a, x):
    return x.contiguous(), np.ascontiguousarray(a)


VIEWS = [permute, transpose, movedim, select, narrow, unfold, diagonal, unsqueeze, squeeze, expand, split, unbind]
COPIES = [reshape, flatten, contiguous]


@pytest.mark.parametrize("operation", VIEWS + COPIES)
def test_as_numpy_does(operation, rng):
    for _ in range(CASES):
        a, x = flipped(rng)
        same(*operation(rng, a, x))


def test_one_after_the_other(rng):
    for _ in range(CASES):
        a, x = flipped(rng)
        for _ in range(4):
            if a.ndim == 0 or a.size == 0 or a.size > 200:
                break
            x, a = rng.choice(VIEWS)(rng, a, x)
            same(x, a)


def test_reinterpreted():
    a = np.arange(12, dtype=np.int32).reshape(3, 4)[::-1]
    x = sc.from_numpy(a)
    assert x.view(sc.int16).tolist() == a.view(np.int16).tolist()
    assert x.view(sc.int64).tolist() == a.view(np.int64).tolist()
    z = sc.from_numpy(np.arange(8, dtype=np.complex64)[::-1])
    assert z.real.tolist() == [7, 6, 5, 4, 3, 2, 1, 0] and z.real.stride() == (-2,)
    assert z.view_as_real()[:, 0].tolist() == z.real.tolist()


def test_in_place_changes():
    x = sc.arange(6).view(2, 3)[::-1, ::-1]  # 5 4 3 / 2 1 0
    assert x.t_().tolist() == [[5, 2], [4, 1], [3, 0]]
    assert x.unsqueeze_(0).squeeze_().tolist() == [[5, 2], [4, 1], [3, 0]]
    assert x.as_strided_((2, 2), (-3, -1), 5).tolist() == [[5, 4], [2, 1]]
    assert x.dim_order() == (0, 1) and not x.is_contiguous()
