"""Sums, products, means and their kin: NumPy's reductions over the tensors' memory, with torch's dtypes and arguments.

Integers and bools add up in int64; float16 and bfloat16 in float32, rounded once; long sums of float32 along a dim
that is not the innermost, and variances, in float64. Results are contiguous.
"""

import numpy as np

from stridecore.core import reduce
from stridecore.dtypes import bool as bool_
from stridecore.dtypes import get_default_dtype, int64, uint8
from stridecore.operands import is_float
from stridecore.reducing import (
    WIDER,
    check_out,
    emit,
    is_true,
    one_dim,
    plain,
    public,
    reduced_shape,
    some_dims,
    some_dtype,
)

__all__ = "all any count_nonzero logsumexp mean nanmean nansum prod sum".split()

UNSET = type("Unset", (), {"__repr__": lambda self: "<not given>"})()
LONG = 1 << 12  # float32 sums of more values than this, not along memory, go through float64
DOUBLE = {"f": np.float64, "F": np.complex128}


def accumulator(array, dims):
    """The NumPy dtype in which the sum of these dims is formed; None for the array's own.

    Along memory NumPy sums pairwise, with an error that grows with log(n); across it one by one.
    """
    wider = DOUBLE.get(array.dtype.char)
    if wider is None or not dims or array.size == 0:
        return None
    count = 1
    for d in dims:
        count *= array.shape[d]
    if count <= LONG or array.strides[dims[-1]] == array.itemsize:
        return None
    return wider


def add(dims, keepdim):
    """The sum over dims, as a function of an array and a target array."""

    def compute(array, target):
        kind = target.dtype if target.dtype != array.dtype else accumulator(array, dims)
        np.add.reduce(array, axis=dims, dtype=kind, out=target, keepdims=keepdim)

    return compute


def sum_dtype(name, x, dtype, out):
    """The dtype of a sum: the one asked for, that of `out`, or the input's with int64 for integers and bools."""
    if dtype is None and out is not None and hasattr(out, "dtype"):
        return out.dtype
    return some_dtype(name, dtype, x.dtype if is_float(x.dtype) else int64)


def given_dim(name, dim, keepdim):
    """The dim argument of functions whose keepdim goes with a dim; None where it was not given."""
    if dim is not UNSET:
        return dim
    if keepdim is not False:
        raise TypeError(f"{name}(): keepdim needs a dim; dim=None means all dims")
    return None


def summed(name, compute, x, dim, keepdim, dtype, out):
    dims = some_dims(name, dim, x.ndim)
    is_true(name, "keepdim", keepdim)
    dtype = sum_dtype(name, x, dtype, out)
    check_out(name, out, dtype)
    if is_float(x.dtype) or is_float(dtype) or dtype is bool_:
        x = x.to(dtype)
    return emit(name, compute(dims, keepdim), [plain(x)], reduced_shape(x.shape, dims, keepdim), dtype, out)


@public("sum", globals(), code=reduce.SUM)
def _sum(x, dim=UNSET, keepdim=False, *, dtype=None, out=None):
    """The sum over all dims, or over an int or tuple of dims: `sum(dim, keepdim=False, *, dtype=None)`.

    Integers and bools add up in int64, floats keep their dtype; with `dtype` the elements are converted first.
    `keepdim` keeps the dims at size 1. The function also takes `out`.

    >>> import stridecore as sc
    >>> sc.sum(sc.tensor([[1, 2], [3, 4]]), 0)
    tensor([4, 6])
    """
    dim = given_dim("sum", dim, keepdim)
    return summed("sum", add, x, dim, keepdim, dtype, out)


def _add_numbers(dims, keepdim):
    def compute(array, target):
        if array.dtype.kind in "fc":
            numbers = np.where(np.isnan(array), array.dtype.type(0), array)
            np.add.reduce(numbers, axis=dims, dtype=accumulator(array, dims), out=target, keepdims=keepdim)
        else:
            np.add.reduce(array, axis=dims, dtype=target.dtype, out=target, keepdims=keepdim)

    return compute


@public("nansum", globals())
def _nansum(x, dim=None, keepdim=False, *, dtype=None, out=None):
    """The sum over all dims, or over some, with every nan taken as 0. Arguments and dtypes as for `sum`.

    >>> import stridecore as sc
    >>> sc.nansum(sc.tensor([1.0, float("nan"), 3.0]))
    tensor(4.)
    """
    return summed("nansum", _add_numbers, x, dim, keepdim, dtype, out)


@public("prod", globals(), code=reduce.PROD)
def _prod(x, dim=UNSET, keepdim=False, *, dtype=None, out=None):
    """The product of all elements, or along one dim. Integers and bools multiply in int64, floats keep their dtype.

    >>> import stridecore as sc
    >>> sc.prod(sc.tensor([[1, 2], [3, 4]]), 0)
    tensor([3, 8])
    """
    dim = given_dim("prod", dim, keepdim)
    if dim is not None:
        dim = one_dim("prod", dim, x.ndim)

    def multiply(dims, keepdim):
        def compute(array, target):
            np.multiply.reduce(array, axis=dims, dtype=target.dtype, out=target, keepdims=keepdim)

        return compute

    return summed("prod", multiply, x, dim, keepdim, dtype, out)


def mean_dtype(name, x, dtype, out):
    given = dtype if dtype is not None else None if out is None else getattr(out, "dtype", None)
    dtype = some_dtype(name, given, x.dtype)
    if not is_float(dtype):
        which = "Input" if given is None else "Optional"
        raise RuntimeError(
            f"{name}(): could not infer output dtype. {which} dtype must be either a floating point or complex dtype. "
            f"Got: {dtype.name}. Use x.{name}(dtype=stridecore.float32)"
        )
    return dtype


@public("mean", globals(), code=reduce.MEAN)
def _mean(x, dim=UNSET, keepdim=False, *, dtype=None, out=None):
    """The mean over all dims, or over an int or tuple of dims; nan where there is nothing to average.

    RuntimeError for integers and bools, unless `dtype` says in which float type to compute.

    >>> import stridecore as sc
    >>> sc.mean(sc.tensor([[1.0, 2.0], [3.0, 4.0]]), 1)
    tensor([1.5000, 3.5000])
    """
    dim = given_dim("mean", dim, keepdim)
    dtype = mean_dtype("mean", x, dtype, out)
    dims = some_dims("mean", dim, x.ndim)
    is_true("mean", "keepdim", keepdim)
    check_out("mean", out, dtype)
    count = 1
    for d in dims:
        count *= x.shape[d]

    def compute(array, target):
        kind = accumulator(array, dims)
        if kind is None:
            np.add.reduce(array, axis=dims, out=target, keepdims=keepdim)
            np.true_divide(target, count, out=target)
        else:
            target[...] = np.add.reduce(array, axis=dims, dtype=kind, keepdims=keepdim) / count

    return emit("mean", compute, [plain(x.to(dtype))], reduced_shape(x.shape, dims, keepdim), dtype, out)


@public("nanmean", globals())
def _nanmean(x, dim=None, keepdim=False, *, dtype=None, out=None):
    """The mean over all dims, or over some, of what is not nan; nan where there is nothing else.

    RuntimeError for integers and bools.

    >>> import stridecore as sc
    >>> sc.nanmean(sc.tensor([1.0, float("nan"), 3.0]))
    tensor(2.)
    """
    if not is_float(x.dtype):
        raise RuntimeError(f"nanmean(): expected input to have floating point or complex dtype but got {x.dtype.name}")
    dims = some_dims("nanmean", dim, x.ndim)
    is_true("nanmean", "keepdim", keepdim)
    dtype = mean_dtype("nanmean", x, dtype, out)
    check_out("nanmean", out, dtype)

    def compute(array, target):
        lacking = np.isnan(array)
        count = np.add.reduce(~lacking, axis=dims, keepdims=keepdim, dtype=np.int64)
        total = np.add.reduce(
            np.where(lacking, array.dtype.type(0), array), axis=dims, keepdims=keepdim, dtype=accumulator(array, dims)
        )
        target[...] = total / count

    return emit("nanmean", compute, [plain(x.to(dtype))], reduced_shape(x.shape, dims, keepdim), dtype, out)


# ---- truth ----------------------------------------------------------------------------------------------------


def _truth(name, ufunc, x, dim, keepdim, out):
    dims = some_dims(name, dim, x.ndim, all_if_empty=False)
    is_true(name, "keepdim", keepdim)
    dtype = uint8 if x.dtype is uint8 else bool_
    check_out(name, out, dtype, exact=False)
    if out is not None and out.dtype not in (bool_, uint8):
        raise RuntimeError(f"{name} only supports bool tensor for result, got: {out.dtype.name}")
    source = plain(x, bool_) if x.dtype in WIDER else plain(x)

    def compute(array, target):
        if target.dtype == bool:
            ufunc.reduce(array, axis=dims, out=target, keepdims=keepdim)
        else:
            target[...] = ufunc.reduce(array, axis=dims, keepdims=keepdim)

    return emit(name, compute, [source], reduced_shape(x.shape, dims, keepdim), dtype, out)


@public("any", globals(), code=reduce.ANY)
def _any(x, dim=None, keepdim=False, *, out=None):
    """True where any element, of all or along an int or tuple of dims, is not zero (nan counts); a bool tensor.

    uint8 gives uint8. An empty tuple of dims reduces nothing.

    >>> import stridecore as sc
    >>> sc.any(sc.tensor([[0, 1], [0, 0]]), 1)
    tensor([ True, False])
    """
    return _truth("any", np.logical_or, x, dim, keepdim, out)


@public("all", globals(), code=reduce.ALL)
def _all(x, dim=None, keepdim=False, *, out=None):
    """True where all elements, of all or along an int or tuple of dims, are not zero (nan counts); a bool tensor.

    uint8 gives uint8. An empty tuple of dims reduces nothing.

    >>> import stridecore as sc
    >>> sc.all(sc.tensor([[2, 1], [0, 1]]), 1)
    tensor([ True, False])
    """
    return _truth("all", np.logical_and, x, dim, keepdim, out)


@public("count_nonzero", globals())
def _count_nonzero(x, dim=None, *dims):
    """How many elements are not zero, of all or along an int or tuple of dims; int64. nan is not zero.

    >>> import stridecore as sc
    >>> sc.count_nonzero(sc.tensor([[0, 1], [2, 3]]), 0)
    tensor([1, 2])
    """
    dims = some_dims("count_nonzero", (dim, *map(int, dims)) if dims else dim, x.ndim)
    source = plain(x, bool_) if x.dtype in WIDER else plain(x)

    def compute(array, target):
        target[...] = np.count_nonzero(array, axis=dims)

    return emit("count_nonzero", compute, [source], reduced_shape(x.shape, dims, False), int64)


# ---- logarithms of sums ---------------------------------------------------------------------------------------


def log_sum_exp(array, dims, keepdim):
    """log(sum(exp(array))) over dims, with the greatest value taken out first."""
    if array.size == 0:
        greatest = np.zeros((1,) * array.ndim, array.dtype.char.lower())
    else:
        greatest = np.maximum.reduce(array.real, axis=dims, keepdims=True)
        greatest = np.where(np.isinf(greatest), greatest.dtype.type(0), greatest)
    total = np.log(np.add.reduce(np.exp(array - greatest), axis=dims, keepdims=True)) + greatest
    return total if keepdim else total.reshape([n for d, n in enumerate(total.shape) if d not in dims])


@public("logsumexp", globals())
def _logsumexp(x, dim, keepdim=False, *, out=None):
    """The logarithm of the sum of exponentials over an int or tuple of dims, without overflow on the way.

    Integers and bools give the default dtype.

    >>> import stridecore as sc
    >>> sc.logsumexp(sc.tensor([1000.0, 1000.0]), 0)
    tensor(1000.6932)
    """
    dims = some_dims("logsumexp", dim, x.ndim)
    is_true("logsumexp", "keepdim", keepdim)
    dtype = x.dtype if is_float(x.dtype) else get_default_dtype()
    check_out("logsumexp", out, dtype, exact=False)

    def compute(array, target):
        target[...] = log_sum_exp(array, dims, keepdim)

    return emit("logsumexp", compute, [plain(x.to(dtype))], reduced_shape(x.shape, dims, keepdim), dtype, out)
