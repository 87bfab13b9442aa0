"""Where values belong among sorted ones: searchsorted and bucketize."""

import numpy as np

from stridecore.dtypes import int32, int64
from stridecore.operands import number
from stridecore.reducing import emit, is_true, lend, plain, tensor_argument
from stridecore.tensor import Tensor

__all__ = "bucketize searchsorted".split()


def _places(edges, values, side, sorter=None):
    """np.searchsorted with nan behind everything."""
    places = np.searchsorted(edges, values, side, sorter)
    if values.dtype.kind == "f":
        places = np.where(np.isnan(values), len(edges), places)
    return places


def _read_values(name, value, edges):
    """The values looked for, as a tensor: a number becomes a 0-dim one."""
    if isinstance(value, Tensor):
        return value
    value = number(value)
    if value is None:
        raise TypeError(f"{name}(): argument 'input' must be Tensor or a number")
    return edges.new_full((), value, dtype=None if isinstance(value, int) else edges.new_empty(0).double().dtype)


def _out_dtype(name, out, out_int32):
    dtype = int32 if is_true(name, "out_int32", out_int32) else int64
    if out is not None:
        tensor_argument(name, out, "out", 6)
        if out.dtype is not dtype:
            raise RuntimeError(
                f"{name}: out must be {dtype.name} for out_int32={out_int32}, but it is {out.dtype.name}"
            )
    return dtype


def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None, out=None):
    """For each value of `input`, the index in `sorted_sequence` where it would be inserted to keep the order.

    That is before equal elements, or behind them with `right=True` or `side="right"`. The sequence is 1-dim, for
    values of any size or a number; or of more dims, the last of which is searched, all others being those of the
    input. `sorter` holds the int64 indices that sort the sequence. The result is int64, or int32 with `out_int32`.

    >>> import stridecore as sc
    >>> sc.searchsorted(sc.tensor([1, 3, 5]), sc.tensor([3, 6]))
    tensor([1, 3])
    """
    name = "searchsorted"
    edges = tensor_argument(name, sorted_sequence, "sorted_sequence", 1)
    values = _read_values(name, input, edges)
    dtype = _out_dtype(name, out, out_int32)
    is_true(name, "right", right)
    if side not in (None, "left", "right"):
        raise RuntimeError(f"{name}(): side can only be 'left' or 'right' but got {side}")
    if right and side == "left":
        raise RuntimeError(f"{name}(): side and right can't be set to opposites, got side of left while right was True")
    if edges.ndim == 0:
        raise RuntimeError(f"{name}(): sorted_sequence should have positive dimension, but got 0 dimension")
    if edges.ndim > 1 and (values.ndim != edges.ndim or values.shape[:-1] != edges.shape[:-1]):
        raise RuntimeError(
            f"{name}(): sorted_sequence should be 1 dimension or its first dims those of the input, but we got "
            f"sorted_sequence {list(edges.shape)} and input {list(values.shape)}"
        )
    side = "right" if right else side or "left"
    inputs = [plain(edges), plain(values)]
    if sorter is not None:
        tensor_argument(name, sorter, "sorter", 5)
        if sorter.shape != edges.shape:
            raise RuntimeError(
                f"{name}(): sorted_sequence and sorter must have the same size, but got {list(edges.shape)} and "
                f"{list(sorter.shape)}"
            )
        if sorter.dtype is not int64:
            raise RuntimeError(f"{name}(): sorter must be a tensor of long dtype but got dtype {sorter.dtype.name}")
        inputs.append(sorter)
        if sorter.numel():
            low, high = lend(name, lambda a: (a.min(), a.max()), (sorter,))
            if low < 0 or high >= edges.shape[-1]:
                raise RuntimeError(f"{name}(): sorter index out of range: not in [0, {edges.shape[-1] - 1}]")

    def compute(edges, values, *rest):
        *order, target = rest
        if edges.ndim == 1:
            target[...] = _places(edges, values, side, order[0] if order else None)
        else:
            for row in np.ndindex(edges.shape[:-1]):
                target[row] = _places(edges[row], values[row], side, order[0][row] if order else None)

    return emit(name, compute, inputs, values.shape, dtype, out)


def bucketize(input, boundaries, *, out_int32=False, right=False, out=None):
    """For each value of `input`, a tensor or a number, the index of the bucket it is in between 1-dim boundaries.

    The index i is such that boundaries[i-1] < value <= boundaries[i], or with `right=True` boundaries[i-1] <= value <
    boundaries[i]. The result is int64, or int32 with `out_int32`.

    >>> import stridecore as sc
    >>> sc.bucketize(sc.tensor([1, 3, 4]), sc.tensor([1, 3]))
    tensor([0, 1, 2])
    """
    tensor_argument("bucketize", boundaries, "boundaries", 2)
    if boundaries.ndim != 1:
        raise RuntimeError(f"bucketize: boundaries tensor must be 1 dimension, but got size {list(boundaries.shape)}")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right, out=out)
