"""Variances, standard deviations and norms.

Squares are summed in the tensor's dtype (float32 for the half types) where that keeps their digits, in float64 where
they would overflow or vanish.
"""

import numpy as np

from stridecore.operands import common_dtype, compute, is_float
from stridecore.reducing import (
    check_out,
    emit,
    emit_all,
    is_true,
    one_dim,
    plain,
    public,
    reduced_shape,
    some_dims,
    some_dtype,
    tensor_argument,
)
from stridecore.reductions import DOUBLE, UNSET, accumulator

__all__ = "dist norm std std_mean var var_mean".split()



# ---- variance -------------------------------------------------------------------------------------------------


def _arguments(name, dim, unbiased, keepdim, correction):
    """(dim, keepdim, correction) of std(unbiased), std(dim, unbiased, keepdim) and std(dim, correction=1)."""
    if isinstance(dim, bool):
        if unbiased is not UNSET or keepdim is not False:
            raise TypeError(f"{name}(): unbiased as the first argument stands alone; or give dim, unbiased, keepdim")
        dim, unbiased = None, dim
    if unbiased is not UNSET:
        if correction is not UNSET:
            raise TypeError(f"{name}(): takes correction or unbiased, not both; unbiased=True is correction=1")
        if dim is None and keepdim is not False:
            raise TypeError(f"{name}(): unbiased with keepdim needs dim; or use correction")
        correction = 1 if is_true(name, "unbiased", unbiased) else 0
    elif correction is UNSET or correction is None:
        correction = 1
    if isinstance(correction, bool) or not isinstance(correction, int | float | np.number):
        raise TypeError(f"{name}(): argument 'correction' must be Number, not {type(correction).__name__}")
    return dim, is_true(name, "keepdim", keepdim), correction


def _moments(name, x, dim, keepdim, correction, root):
    """A function of an array that gives (variance or deviation, mean); and the reduced dims."""
    if not is_float(x.dtype):
        raise RuntimeError(
            f"{name}: only floating point and complex dtypes are supported, got {x.dtype.name}. Use x.to(...) first"
        )
    dims = some_dims(name, dim, x.ndim)
    count = 1
    for d in dims:
        count *= x.shape[d]
    if count - correction <= 0:
        import warnings

        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            f"(input numel divided by output numel): {correction} and {count}",
            UserWarning,
            stacklevel=4,
        )

    def compute(array):
        spread, mean = _squares_around_mean(array, dims, count)
        if not _is_safe(spread) and array.dtype.char in DOUBLE:
            spread, mean = _squares_around_mean(array.astype(DOUBLE[array.dtype.char]), dims, count)
        spread = spread / np.float64(max(0, count - correction))
        if not keepdim:
            spread, mean = spread.squeeze(dims), mean.squeeze(dims)
        return np.sqrt(spread) if root else spread, mean

    return compute, dims


def _is_safe(total):
    """False where sums of squares may have left the range in which floats keep all their digits."""
    return np.all(np.isfinite(total) & (total > 1e-30))


def _total(array, dims):
    return np.add.reduce(array, axis=dims, keepdims=True, dtype=accumulator(array, dims))


def _squares_around_mean(array, dims, count):
    """(the sum of squared distances from the mean, the mean), in two passes; dims are kept.

    The mean is rounded to the array's dtype for the second pass, which tells how far off it was.
    """
    mean = (_total(array, dims) / count).astype(array.dtype)
    away = np.asarray(array - mean)
    drift = _total(away, dims) / count
    if array.dtype.kind == "c":
        squares = np.square(away.real) + np.square(away.imag)
        off = np.square(drift.real) + np.square(drift.imag)
    else:
        squares, off = np.multiply(away, away, out=away), np.square(drift)
    total = _total(squares, dims).astype(np.float64)
    return np.maximum(total - count * off, 0), mean + drift


def _spread(name, root, x, dim, unbiased, keepdim, correction, out):
    dim, keepdim, correction = _arguments(name, dim, unbiased, keepdim, correction)
    compute, dims = _moments(name, x, dim, keepdim, correction, root)
    dtype = x.dtype.to_real()
    check_out(name, out, dtype, exact=False)

    def write(array, target):
        target[...] = compute(array)[0]

    return emit(name, write, [plain(x)], reduced_shape(x.shape, dims, keepdim), dtype, out)


def _spread_and_mean(name, root, x, dim, unbiased, keepdim, correction):
    dim, keepdim, correction = _arguments(name, dim, unbiased, keepdim, correction)
    compute, dims = _moments(name, x, dim, keepdim, correction, root)
    shape = reduced_shape(x.shape, dims, keepdim)

    def write(array, spread, mean):
        spread[...], mean[...] = compute(array)

    return tuple(emit_all(name, write, [plain(x)], (shape, shape), (x.dtype.to_real(), x.dtype), (None,)))


_SPREAD = """{what} over all dims, or over an int or tuple of dims: `{name}(dim=None, *, correction=1, keepdim=False)`.

    The sum of squared distances from the mean is divided by max(0, n - correction); `unbiased=False` is correction=0,
    also by position: `{name}(dim, unbiased, keepdim)`. Complex tensors give real results. {out}

    RuntimeError for integers and bools.

    >>> import stridecore as sc
    >>> sc.{name}(sc.tensor([[1.0, 3.0], [2.0, 2.0]]), 1)
    {result}
    """


def _declare(name, what, root, result, with_mean):
    def one(x, dim=None, unbiased=UNSET, keepdim=False, *, correction=UNSET, out=None):
        return _spread(name, root, x, dim, unbiased, keepdim, correction, out)

    def two(x, dim=None, unbiased=UNSET, keepdim=False, *, correction=UNSET):
        return _spread_and_mean(name, root, x, dim, unbiased, keepdim, correction)

    body = two if with_mean else one
    out = "" if with_mean else "The function also takes `out`."
    body.__doc__ = _SPREAD.format(what=what, name=name, result=result, out=out)
    public(name, globals(), method=not with_mean)(body)


_declare("var", "The variance", False, "tensor([2., 0.])", False)
_declare("std", "The standard deviation", True, "tensor([1.4142, 0.0000])", False)
_declare("var_mean", "The variance, and the mean,", False, "(tensor([2., 0.]), tensor([2., 2.]))", True)
_declare(
    "std_mean", "The standard deviation, and the mean,", True, "(tensor([1.4142, 0.0000]), tensor([2., 2.]))", True
)


# ---- norms ----------------------------------------------------------------------------------------------------


def _vector_norm(p, dims, keepdim):
    def compute(array, target):
        if p == 2:
            total = _squares(array, dims)
            if not _is_safe(total) and array.dtype.char in DOUBLE:
                total = _squares(array.astype(DOUBLE[array.dtype.char]), dims)
            target[...] = np.sqrt(total).reshape(target.shape)
            return
        size = np.abs(array)
        if p == float("inf") or p == float("-inf"):
            ufunc = np.maximum if p > 0 else np.minimum
            target[...] = ufunc.reduce(size, axis=dims, keepdims=keepdim) if size.size else 0
            return
        size = size.astype(np.float64, copy=False)
        if p == 0:
            total = np.add.reduce(size != 0, axis=dims, keepdims=keepdim, dtype=np.float64)
        elif p == 1:
            total = np.add.reduce(size, axis=dims, keepdims=keepdim)
        else:
            total = np.power(np.add.reduce(np.power(size, p), axis=dims, keepdims=keepdim), 1 / p)
        target[...] = total

    return compute


def _squares(array, dims):
    """The sum of squared magnitudes over dims, which are kept."""
    if len(dims) == array.ndim and (array.flags.c_contiguous or array.flags.f_contiguous):
        flat = array.ravel(order="K")
        return np.asarray(np.vdot(flat, flat).real)
    squares = np.square(array.real)
    if array.dtype.kind == "c":
        squares = squares + np.square(array.imag)
    return _total(np.asarray(squares), dims)


def _nuclear_norm(dims, keepdim):
    def compute(array, target):
        matrices = np.moveaxis(array, dims, (-2, -1))
        try:
            total = np.add.reduce(np.linalg.svd(matrices, compute_uv=False), axis=-1)
        except np.linalg.LinAlgError as error:
            raise RuntimeError(f"norm: {error}; are there nan or infinite values?") from None
        target[...] = np.expand_dims(total, dims) if keepdim else total

    return compute


def _refuse_empty(p, shape, dims):
    """An infinite or negative norm over nothing has no value."""
    if (p == float("inf") or p < 0) and 0 in [shape[d] for d in dims]:
        raise RuntimeError(
            f"norm: cannot compute the {p} norm over dims {dims} of size {list(shape)}: a dim is empty and the "
            "operation does not have an identity"
        )


@public("norm", globals())
def _norm(x, p="fro", dim=None, keepdim=False, dtype=None, *, out=None):
    """The p-norm of all elements, or along an int or tuple of dims.

    "fro" is p = 2, "nuc" the sum of the singular values of the matrices in two dims.
    p = inf is the greatest magnitude, -inf the smallest, 0 the number of elements that are not zero. Complex tensors
    give real norms. `dtype` converts first. RuntimeError for integers and bools, and where p is infinite or negative
    and there is nothing to take it of.

    >>> import stridecore as sc
    >>> sc.norm(sc.tensor([[3.0, 4.0], [6.0, 8.0]]), dim=1)
    tensor([ 5., 10.])
    """
    if not is_float(x.dtype):
        raise RuntimeError(f"norm: Expected a floating point or complex tensor as input. Got {x.dtype.name}")
    is_true("norm", "keepdim", keepdim)
    source_dtype = some_dtype("norm", dtype, x.dtype)
    result_dtype = source_dtype.to_real()
    check_out("norm", out, result_dtype)
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise RuntimeError(f"norm: Order {p} not supported. Use a number, 'fro' or 'nuc'")
    given = len(dim) if isinstance(dim, tuple | list) else 1 if dim is not None else x.ndim
    if (p == "nuc" and (given != 2 or x.ndim < 2)) or (p == "fro" and dim is not None and given > 2):
        raise RuntimeError(f"norm: a matrix norm, p={p!r}, takes two dims of at least two, got {dim} of {x.ndim} dims")
    dims = some_dims("norm", dim, x.ndim)
    if p == "nuc":
        if isinstance(dim, tuple | list):
            dims = tuple([one_dim("norm", d, x.ndim) for d in dim])
        run = _nuclear_norm(dims, keepdim)
    else:
        p = 2.0 if p is None or p == "fro" else float(p)
        _refuse_empty(p, x.shape, dims)
        run = _vector_norm(p, dims, keepdim)
    source = plain(x.to(source_dtype))
    return emit("norm", run, [source], reduced_shape(x.shape, dims, keepdim), result_dtype, out)


@public("dist", globals())
def _dist(x, other, p=2):
    """The p-norm of `x - other`, which broadcast.

    >>> import stridecore as sc
    >>> sc.dist(sc.tensor([1.0, 2.0]), sc.tensor([4.0, 6.0]))
    tensor(5.)
    """
    tensor_argument("dist", other, "other", 2)
    return _norm(compute("dist", np.subtract, [x, other], common_dtype(x, other)), p)
