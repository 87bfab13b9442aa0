"""Sorting along a dim. Every order is stable, nan comes last (first in descending order), results keep the layout."""

from operator import index

import numpy as np

from stridecore import return_types
from stridecore.creation import empty_like
from stridecore.dtypes import int64
from stridecore.reducing import (
    check_out,
    check_outs,
    deliver,
    emit_all,
    is_true,
    lend,
    one_dim,
    plain,
    public,
    refuse_complex,
)

__all__ = "argsort msort sort topk".split()

SMALL = 64  # dims of fewer elements than this are sorted as a whole by topk


def _ranks(array):
    """uint32 numbers, a dim's place in front of 32 bits less, that are ordered as the elements are; None if too wide.

        float32      the bits, the sign bit turned if it is 0 and all bits if it is 1; -0.0 as 0.0, each nan as one
        integers     the distance from the smallest one, if that fits
    """
    kind, itemsize = array.dtype.kind, array.dtype.itemsize
    if kind == "f":
        if itemsize != 4:
            return None
        bits = np.where(np.isnan(array), np.float32(np.nan), array + np.float32(0)).view(np.uint32)
        return np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))
    if kind == "b":
        return array.astype(np.uint32)
    low, high = array.min().item(), array.max().item()
    if high - low >= 1 << 32:
        return None
    return np.subtract(array, low, dtype=array.dtype if itemsize == 8 else np.int64).astype(np.uint32)


def ordering(array, dim, descending):
    """The indices that sort along a dim, stably.

    Sorting numbers made of rank and place at once is several times as fast as finding a stable order.
    """
    size = array.shape[dim]
    ranks = _ranks(array) if SMALL <= size <= 1 << 31 and array.size else None
    if ranks is None:
        if not descending:
            return np.argsort(array, axis=dim, kind="stable")
        turned = np.flip(np.argsort(np.flip(array, dim), axis=dim, kind="stable"), dim)
        return size - 1 - turned
    keys = np.moveaxis(~ranks if descending else ranks, dim, -1).astype(np.uint64, order="C")
    keys <<= np.uint64(32)
    keys |= np.arange(size, dtype=np.uint64)
    keys.sort(axis=-1)
    keys &= np.uint64(0xFFFFFFFF)
    return np.moveaxis(keys.view(np.int64), -1, dim)


def _sorted(name, x, dim, descending, out):
    """The values and indices of x sorted along a dim, laid out as x."""
    dim = one_dim(name, dim, x.ndim)
    is_true(name, "descending", descending)
    refuse_complex(name, x)
    outs = check_outs(name, out, (x.dtype, int64))
    source = plain(x)
    values, indices = empty_like(x, dtype=source.dtype), empty_like(x, dtype=int64)

    def compute(array, values, indices):
        if array.ndim == 0:
            values[...], indices[...] = array, 0
            return
        order = ordering(array, dim, descending)
        indices[...] = order
        values[...] = np.take_along_axis(array, order, dim)

    lend(name, compute, (source,), (values, indices))
    if out is None:
        return values.to(x.dtype), indices
    return deliver(name, outs[0], values), deliver(name, outs[1], indices)


def _stable(name, stable):
    if stable is not None:
        is_true(name, "stable", stable)


@public("sort", globals())
def _sort(x, dim=-1, descending=False, *, stable=None, out=None):
    """The elements sorted along a dim: a named tuple of `values` and of the `indices` they came from.

    Equal elements keep their order whether or not `stable` asks for it; nan is greater than everything.

    >>> import stridecore as sc
    >>> sc.sort(sc.tensor([3, 1, 2]))
    stridecore.return_types.sort(
    values=tensor([1, 2, 3]),
    indices=tensor([1, 2, 0]))
    """
    _stable("sort", stable)
    return return_types.sort(_sorted("sort", x, dim, descending, out))


@public("argsort", globals())
def _argsort(x, dim=-1, descending=False, *, stable=None, out=None):
    """The indices, int64, that sort along a dim; see `sort`.

    >>> import stridecore as sc
    >>> sc.argsort(sc.tensor([3, 1, 2]), descending=True)
    tensor([0, 2, 1])
    """
    _stable("argsort", stable)
    check_out("argsort", out, int64)
    return deliver("argsort", out, _sorted("argsort", x, dim, descending, None)[1])


@public("msort", globals())
def _msort(x, *, out=None):
    """The elements sorted along the first dim, ascending.

    >>> import stridecore as sc
    >>> sc.msort(sc.tensor([[2, 1], [1, 3]]))
    tensor([[1, 1],
            [2, 3]])
    """
    check_out("msort", out, x.dtype)
    return deliver("msort", out, _sorted("msort", x, 0, False, None)[0])


def _top(array, k, dim, largest):
    """The indices of the k greatest or smallest elements along a dim, in order."""
    size = array.shape[dim]
    if size < SMALL or 4 * k > size or k == 0:
        return np.take(ordering(array, dim, largest), range(k), axis=dim)
    order = np.argpartition(array, size - k if largest else k - 1, axis=dim)
    chosen = np.sort(np.take(order, range(size - k, size) if largest else range(k), axis=dim), axis=dim)
    found = np.take_along_axis(array, chosen, dim)
    return np.take_along_axis(chosen, ordering(found, dim, largest), dim)


@public("topk", globals())
def _topk(x, k, dim=-1, largest=True, sorted=True, *, out=None):
    """The k greatest elements along a dim (the smallest with `largest=False`), in order: `values` and `indices`.

    nan is greater than everything. RuntimeError if k is not in [0, size of the dim].

    >>> import stridecore as sc
    >>> sc.topk(sc.tensor([30, 10, 20]), 2)
    stridecore.return_types.topk(
    values=tensor([30, 20]),
    indices=tensor([0, 2]))
    """
    if isinstance(k, bool) or not hasattr(k, "__index__"):
        raise TypeError(f"topk(): argument 'k' must be int, not {type(k).__name__}")
    k = index(k)
    dim = one_dim("topk", dim, x.ndim)
    is_true("topk", "largest", largest)
    is_true("topk", "sorted", sorted)
    refuse_complex("topk", x)
    size = x.shape[dim] if x.ndim else 1
    if not 0 <= k <= size:
        raise RuntimeError(f"topk: selected index k out of range: {k} is not in [0, {size}], the size of dim {dim}")
    outs = check_outs("topk", out, (x.dtype, int64))

    def compute(array, values, indices):
        if array.ndim == 0:
            values[...], indices[...] = array, 0
            return
        indices[...] = _top(array, k, dim, largest)
        values[...] = np.take_along_axis(array, indices, dim)

    shape = tuple([k if d == dim else n for d, n in enumerate(x.shape)])
    return return_types.topk(emit_all("topk", compute, [plain(x)], (shape, shape), (x.dtype, int64), outs))
