"""Elements by rank: median, kthvalue and quantiles, and the most frequent one. nan sorts last."""

import numpy as np

from stridecore.dtypes import float32, float64
from stridecore.extrema import along_dim
from stridecore.reducing import (
    check_out,
    deliver,
    emit,
    is_true,
    one_dim,
    plain,
    public,
    reduced_shape,
    refuse_complex,
    refuse_empty,
)
from stridecore.tensor import Tensor

__all__ = "kthvalue median mode nanmedian nanquantile quantile".split()


def _lacking(array):
    return np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, bool)


def _first(array, values, dim):
    """The first index along dim where `array` has `values`, which keep the dim; nan is found as well."""
    same = array == values
    if array.dtype.kind == "f":
        same |= np.isnan(array) & np.isnan(values)
    return np.argmax(same, axis=dim, keepdims=True)


def _ranked(array, k, dim):
    """The k-th smallest values along a dim, which they keep."""
    return np.take(np.partition(array, k, axis=dim), [k], axis=dim)


# ---- median ---------------------------------------------------------------------------------------------------


def _median_values(array, dim):
    """The lower median along a dim, which is kept; nan where there is any."""
    values = _ranked(array, (array.shape[dim] - 1) // 2, dim)
    if array.dtype.kind == "f":
        values = np.where(np.isnan(array).any(axis=dim, keepdims=True), array.dtype.type(np.nan), values)
    return values


def _nanmedian_values(array, dim):
    """The lower median of what is not nan along a dim, which is kept."""
    count = np.add.reduce(~_lacking(array), axis=dim, keepdims=True, dtype=np.intp)
    return np.take_along_axis(np.sort(array, axis=dim), np.maximum(count - 1, 0) // 2, axis=dim)


def _median_of(name, find, x, dim, keepdim, out):
    if dim is not None:
        return along_dim(name, x, dim, keepdim, out, lambda array, dim: _first(array, find(array, dim), dim))
    if out is not None or keepdim is not False:
        raise TypeError(f"{name}(): keepdim and out need a dim")
    refuse_complex(name, x)
    if x.numel() == 0:
        return x.new_full((), float("nan"), dtype=float64).to(x.dtype)
    return emit(name, lambda array, target: target.fill(find(array.reshape(-1), 0)[0]), [plain(x)], (), x.dtype)


@public("median", globals())
def _median(x, dim=None, keepdim=False, *, out=None):
    """The median: of all elements, or along one dim as a named tuple of `values` and `indices`.

    Of an even number the lower one of the two in the middle; nan where there is any nan. The index is the first of
    that value. IndexError for an empty dim.

    >>> import stridecore as sc
    >>> sc.median(sc.tensor([3, 1, 2, 4]))
    tensor(2)
    """
    return _median_of("median", _median_values, x, dim, keepdim, out)


@public("nanmedian", globals())
def _nanmedian(x, dim=None, keepdim=False, *, out=None):
    """The median of what is not nan; see `median`. nan where there is nothing else.

    >>> import stridecore as sc
    >>> sc.nanmedian(sc.tensor([3.0, float("nan"), 1.0, 2.0]))
    tensor(2.)
    """
    return _median_of("nanmedian", _nanmedian_values, x, dim, keepdim, out)


# ---- kthvalue, mode -------------------------------------------------------------------------------------------


@public("kthvalue", globals())
def _kthvalue(x, k, dim=-1, keepdim=False, *, out=None):
    """The k-th smallest element along a dim, counted from 1: a named tuple of `values` and `indices`.

    The index is the first of that value. RuntimeError if k is not in [1, size of the dim].

    >>> import stridecore as sc
    >>> sc.kthvalue(sc.tensor([30, 10, 20]), 2)
    stridecore.return_types.kthvalue(
    values=tensor(20),
    indices=tensor(2))
    """
    if isinstance(k, bool) or not hasattr(k, "__index__"):
        raise TypeError(f"kthvalue(): argument 'k' must be int, not {type(k).__name__}")
    k = k.__index__()
    dim = one_dim("kthvalue", dim, x.ndim)
    refuse_empty("kthvalue", x, (dim,))
    size = x.shape[dim] if x.ndim else 1
    if not 1 <= k <= size:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}: {k} is not in [1, {size}]")
    return along_dim(
        "kthvalue", x, dim, keepdim, out, lambda array, dim: _first(array, _ranked(array, k - 1, dim), dim)
    )


def _most_frequent(array, dim):
    """The last index of the most frequent value along a dim, of the smallest one among equally frequent ones."""
    rows = np.moveaxis(array, dim, -1)
    ordered = np.sort(rows, axis=-1)
    place = np.arange(rows.shape[-1])
    begins = np.ones(rows.shape, bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    run = place - np.maximum.accumulate(np.where(begins, place, 0), axis=-1)
    values = np.take_along_axis(ordered, np.argmax(run, axis=-1, keepdims=True), axis=-1)
    last = rows.shape[-1] - 1 - _first(rows[..., ::-1], values, -1)
    return np.moveaxis(last, -1, dim)


@public("mode", globals())
def _mode(x, dim=-1, keepdim=False, *, out=None):
    """The most frequent element along a dim, the smallest one if several are: a named tuple `values`, `indices`.

    The index is the last of that value.

    >>> import stridecore as sc
    >>> sc.mode(sc.tensor([3, 1, 3, 2, 1, 3]))
    stridecore.return_types.mode(
    values=tensor(3),
    indices=tensor(5))
    """
    return along_dim("mode", x, dim, keepdim, out, _most_frequent)


# ---- quantiles ------------------------------------------------------------------------------------------------

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _interpolated(rows, q, interpolation, ignore_nan):
    """The quantiles q of the last dim of `rows`, as a new last dim."""
    lacking = np.isnan(rows)
    ordered = np.sort(rows, axis=-1)
    if ignore_nan:
        top = np.add.reduce(~lacking, axis=-1, keepdims=True).astype(rows.dtype) - 1
    else:
        top = rows.dtype.type(rows.shape[-1] - 1)
    rank = np.maximum(q * top, 0)
    rank = np.broadcast_to(rank, (*rows.shape[:-1], q.shape[0]))
    if interpolation == "lower":
        rank = np.floor(rank)
    elif interpolation == "higher":
        rank = np.ceil(rank)
    elif interpolation == "nearest":
        rank = np.rint(rank)
    below = np.floor(rank)
    low = np.take_along_axis(ordered, below.astype(np.intp), axis=-1)
    high = np.take_along_axis(ordered, np.ceil(rank).astype(np.intp), axis=-1)
    if interpolation == "linear":
        weight = rank - below
        low = np.where(weight < 0.5, low + weight * (high - low), high - (high - low) * (1 - weight))
    elif interpolation == "midpoint":
        low = high - (high - low) * rows.dtype.type(0.5)
    if not ignore_nan:
        low = np.where(lacking.any(axis=-1, keepdims=True), rows.dtype.type(np.nan), low)
    return low


def _quantile_of(name, x, q, dim, keepdim, interpolation, out, ignore_nan):
    if x.numel() == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty, got size {list(x.shape)}")
    if x.dtype not in (float32, float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype, got {x.dtype.name}")
    if isinstance(q, Tensor):
        if q.ndim > 1:
            raise RuntimeError(f"{name}() q must be a scalar or 1D tensor, got size {list(q.shape)}")
        if q.dtype is not x.dtype:
            raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor: {q.dtype} and {x.dtype}")
        values, one = q.tolist(), q.ndim == 0
        values = [values] if one else values
    elif isinstance(q, int | float) and not isinstance(q, bool):
        values, one = [float(q)], True
    else:
        raise TypeError(f"{name}(): argument 'q' must be float or Tensor, not {type(q).__name__}")
    if not all(0 <= v <= 1 for v in values):
        raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q}")
    if interpolation not in INTERPOLATIONS:
        raise RuntimeError(
            f"{name}() interpolation must be one of {', '.join(INTERPOLATIONS)}, but got {interpolation}"
        )
    is_true(name, "keepdim", keepdim)
    if dim is not None:
        dim = one_dim(name, dim, x.ndim)
    check_out(name, out, x.dtype)

    def compute(array, target):
        rows = array.reshape(-1) if dim is None or array.ndim == 0 else np.moveaxis(array, dim, -1)
        found = _interpolated(rows, np.array(values, array.dtype), interpolation, ignore_nan)
        target[...] = found.reshape(target.shape)

    dims = tuple(range(x.ndim)) if dim is None else (dim,)
    shape = (*reduced_shape(x.shape, dims, keepdim), len(values))
    result = emit(name, compute, [plain(x)], shape, x.dtype).movedim(-1, 0)
    return deliver(name, out, result.squeeze(0) if one else result)


@public("quantile", globals())
def _quantile(x, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """The q-th quantiles, q in [0, 1], of all elements or along a dim; nan where there is any nan.

    `q` is a float, or a tensor of the input's dtype: a 1-dim one gives a new first dim. Between two elements the
    result is `interpolation`: "linear", "lower", "higher", "midpoint" or "nearest". The input is float32 or float64.

    >>> import stridecore as sc
    >>> sc.quantile(sc.tensor([1.0, 2.0, 3.0, 4.0]), sc.tensor([0.25, 0.5]))
    tensor([1.7500, 2.5000])
    """
    return _quantile_of("quantile", x, q, dim, keepdim, interpolation, out, False)


@public("nanquantile", globals())
def _nanquantile(x, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """The q-th quantiles of what is not nan; see `quantile`.

    >>> import stridecore as sc
    >>> sc.nanquantile(sc.tensor([1.0, float("nan"), 3.0]), 0.5)
    tensor(2.)
    """
    return _quantile_of("nanquantile", x, q, dim, keepdim, interpolation, out, True)
