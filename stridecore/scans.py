"""Running sums, products and extrema along a dim, and differences of neighbours.

Sums and products of float32 run in float64, those of float16 and bfloat16 in float32; results are contiguous.
"""

import numpy as np

from stridecore import return_types
from stridecore.core.promotion import promote_types
from stridecore.dtypes import bool as bool_
from stridecore.dtypes import int64
from stridecore.operands import compute as elementwise
from stridecore.operands import float_dtype, is_float
from stridecore.reducing import (
    check_out,
    check_outs,
    deliver,
    emit,
    emit_all,
    one_dim,
    plain,
    public,
    refuse_complex,
    some_dtype,
    tensor_argument,
)
from stridecore.tensor import Tensor

__all__ = "cummax cummin cumprod cumsum diff logcumsumexp".split()

BLOCK = 1 << 15  # elements that a scan in a wider dtype converts at a time
WIDE = {"f": np.float64, "F": np.complex128}


# ---- cumsum, cumprod ------------------------------------------------------------------------------------------


def _scan(name, ufunc, x, dim, dtype, out):
    dim = one_dim(name, dim, x.ndim)
    if dtype is None and isinstance(out, Tensor):
        dtype = out.dtype
    dtype = some_dtype(name, dtype, x.dtype if is_float(x.dtype) else int64)
    check_out(name, out, dtype)
    if is_float(x.dtype) or is_float(dtype) or dtype is bool_:
        x = x.to(dtype)

    def compute(array, target):
        if array.ndim == 0:
            target[...] = array
            return
        wide = WIDE.get(target.dtype.char)
        if wide is None:
            ufunc.accumulate(array, axis=dim, dtype=target.dtype, out=target)
        else:
            _scan_wide(ufunc, array, target, dim, wide)

    return emit(name, compute, [plain(x)], x.shape, dtype, out)


def blocks(dim, *arrays):
    """The arrays with a dim swapped to the end, some rows at a time so that what is made of them stays in the cache."""
    arrays = [array.swapaxes(dim, -1) for array in arrays]
    shape, size = arrays[0].shape, arrays[0].size
    if size <= BLOCK or len(shape) == 1:
        yield arrays
        return
    longest = int(np.argmax(shape[:-1]))
    rows = max(1, BLOCK * shape[longest] // size)
    arrays = [array.swapaxes(longest, 0) for array in arrays]
    for start in range(0, shape[longest], rows):
        yield [array[start : start + rows] for array in arrays]


def _scan_wide(ufunc, array, target, dim, wide):
    """The scan in a wider dtype, in blocks of rows or, of long rows, of parts that carry on."""
    size = array.shape[dim]
    if size <= BLOCK:
        for rows, results in blocks(dim, array, target):
            part = rows.astype(wide)
            ufunc.accumulate(part, axis=-1, out=part)
            results[...] = part
        return
    array, target = array.swapaxes(dim, -1), target.swapaxes(dim, -1)
    for row in np.ndindex(array.shape[:-1]):
        carried = None
        for start in range(0, size, BLOCK):
            part = array[row][start : start + BLOCK].astype(wide)
            if carried is not None:
                part[0] = ufunc(carried, part[0])
            ufunc.accumulate(part, out=part)
            carried = part[-1]
            target[row][start : start + BLOCK] = part


def _scan_in_place(name, ufunc, x, dim, dtype):
    if some_dtype(name, dtype, x.dtype) is not x.dtype:
        raise RuntimeError(f"{name}: Bad in-place call: a {x.dtype.name} tensor can't hold results of {dtype!r}")
    return _scan(name, ufunc, x, dim, x.dtype, x)


@public("cumsum", globals())
def _cumsum(x, dim, *, dtype=None, out=None):
    """Running sums along a dim, of the input's size. Integers and bools give int64; `dtype` converts first.

    >>> import stridecore as sc
    >>> sc.cumsum(sc.tensor([1, 2, 3]), 0)
    tensor([1, 3, 6])
    """
    return _scan("cumsum", np.add, x, dim, dtype, out)


@public("cumprod", globals())
def _cumprod(x, dim, *, dtype=None, out=None):
    """Running products along a dim, of the input's size. Integers and bools give int64; `dtype` converts first.

    >>> import stridecore as sc
    >>> sc.cumprod(sc.tensor([1, 2, 3]), 0)
    tensor([1, 2, 6])
    """
    return _scan("cumprod", np.multiply, x, dim, dtype, out)


@public("cumsum_", globals(), function=False)
def _cumsum_(x, dim, *, dtype=None):
    """Running sums along a dim, written over the elements in their dtype; returns the tensor itself.

    >>> import stridecore as sc
    >>> sc.tensor([1, 2, 3]).cumsum_(0)
    tensor([1, 3, 6])
    """
    return _scan_in_place("cumsum_", np.add, x, dim, dtype)


@public("cumprod_", globals(), function=False)
def _cumprod_(x, dim, *, dtype=None):
    """Running products along a dim, written over the elements in their dtype; returns the tensor itself.

    >>> import stridecore as sc
    >>> sc.tensor([1, 2, 3]).cumprod_(0)
    tensor([1, 2, 6])
    """
    return _scan_in_place("cumprod_", np.multiply, x, dim, dtype)


@public("logcumsumexp", globals())
def _logcumsumexp(x, dim, *, out=None):
    """Logarithms of running sums of exponentials along a dim. Integers and bools give the default dtype.

    >>> import stridecore as sc
    >>> sc.logcumsumexp(sc.tensor([0.0, 0.0, 0.0]), 0)
    tensor([0.0000, 0.6931, 1.0986])
    """
    dim = one_dim("logcumsumexp", dim, x.ndim)
    dtype = float_dtype(x.dtype)
    check_out("logcumsumexp", out, dtype)

    def compute(array, target):
        if array.ndim == 0 or array.size == 0:
            target[...] = array
        elif array.dtype.kind == "c":
            greatest = np.maximum.reduce(array.real, axis=dim, keepdims=True)
            greatest = np.where(np.isinf(greatest), 0, greatest)
            total = np.add.accumulate(np.exp(array - greatest), axis=dim, dtype=np.complex128)
            target[...] = np.log(total) + greatest
        else:
            target[...] = np.logaddexp.accumulate(array, axis=dim, dtype=np.float64)

    return emit("logcumsumexp", compute, [plain(x.to(dtype))], x.shape, dtype, out)


# ---- cummax, cummin -------------------------------------------------------------------------------------------


def _running(name, ufunc, x, dim, out):
    dim = one_dim(name, dim, x.ndim)
    refuse_complex(name, x)
    outs = check_outs(name, out, (x.dtype, int64))

    def compute(array, values, indices):
        if array.ndim == 0:
            values[...], indices[...] = array, 0
            return
        place = np.arange(array.shape[dim])
        for rows, best_values, best_places in blocks(dim, array, values, indices):
            best = rows == ufunc.accumulate(rows, axis=-1)
            if rows.dtype.kind == "f":
                best |= np.isnan(rows)
            found = np.maximum.accumulate(np.where(best, place, 0), axis=-1)
            best_places[...] = found
            best_values[...] = np.take_along_axis(rows, found, -1)

    results = emit_all(name, compute, [plain(x)], (x.shape, x.shape), (x.dtype, int64), outs)
    return getattr(return_types, name)(results)


@public("cummax", globals())
def _cummax(x, dim, *, out=None):
    """The greatest elements so far along a dim: a named tuple of `values` and `indices`, of the last of equal ones.

    From the first nan on the values are nan.

    >>> import stridecore as sc
    >>> sc.cummax(sc.tensor([1, 3, 2, 3]), 0)
    stridecore.return_types.cummax(
    values=tensor([1, 3, 3, 3]),
    indices=tensor([0, 1, 1, 3]))
    """
    return _running("cummax", np.maximum, x, dim, out)


@public("cummin", globals())
def _cummin(x, dim, *, out=None):
    """The smallest elements so far along a dim: a named tuple of `values` and `indices`, of the last of equal ones.

    From the first nan on the values are nan.

    >>> import stridecore as sc
    >>> sc.cummin(sc.tensor([3, 1, 2, 1]), 0).indices
    tensor([0, 1, 1, 3])
    """
    return _running("cummin", np.minimum, x, dim, out)


# ---- diff -----------------------------------------------------------------------------------------------------


def _joined(x, dim, prepend, append):
    """x with tensors before and after it along a dim."""
    parts = []
    for part, argument in ((prepend, "prepend"), (x, "input"), (append, "append")):
        if part is None:
            continue
        tensor_argument("diff", part, argument, 3)
        if part.ndim != x.ndim:
            raise RuntimeError(
                f"diff expects prepend or append to be the same dimension as input, got {part.ndim} and {x.ndim} dims"
            )
        for d in range(x.ndim):
            if d != dim and part.shape[d] != x.shape[d]:
                raise RuntimeError(
                    f"diff expects the shape of tensor to prepend or append to match that of input except along the "
                    f"differencing dimension {dim}, got {list(part.shape)} and {list(x.shape)}"
                )
        parts.append(part)
    if len(parts) == 1:
        return x
    dtype = parts[0].dtype
    for part in parts[1:]:
        dtype = promote_types(dtype, part.dtype)
    shape = list(x.shape)
    shape[dim] = sum([part.shape[dim] for part in parts])
    joined = x.new_empty(shape, dtype=dtype)
    start = 0
    for part in parts:
        joined.narrow(dim, start, part.shape[dim]).copy_(part)
        start += part.shape[dim]
    return joined


@public("diff", globals())
def _diff(x, n=1, dim=-1, prepend=None, append=None, *, out=None):
    """The differences of neighbours along a dim, taken n times; bools differ by exclusive or.

    `prepend` and `append` are joined to the input along the dim first.

    >>> import stridecore as sc
    >>> sc.diff(sc.tensor([1, 4, 9, 16])), sc.diff(sc.tensor([1, 4, 9, 16]), 2)
    (tensor([3, 5, 7]), tensor([2, 2]))
    """
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"diff(): argument 'n' must be int, not {type(n).__name__}")
    if x.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    dim = one_dim("diff", dim, x.ndim)
    if n < 0:
        raise RuntimeError(f"diff: order must be non-negative but got {n}")
    result = _joined(x, dim, prepend, append)
    ufunc = np.not_equal if result.dtype is bool_ else np.subtract
    for _ in range(min(n, result.shape[dim])):
        size = max(result.shape[dim] - 1, 0)
        last = result.narrow(dim, min(1, result.shape[dim]), size)
        result = elementwise("diff", ufunc, [last, result.narrow(dim, 0, size)], result.dtype)
    return deliver("diff", out, result.clone() if n == 0 else result)
