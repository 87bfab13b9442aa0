"""What is made of sums and norms: covariances, slices of bounded norm, sums to a size that broadcasts."""

from operator import index

import numpy as np

from stridecore.core.promotion import promote_types
from stridecore.moments import _norm
from stridecore.operands import float_dtype, is_float, number
from stridecore.reducing import check_out, emit, one_dim, plain, public, tensor_argument
from stridecore.reductions import _all, _any, _sum

__all__ = "corrcoef cov renorm".split()


def _weights(name, argument, weights, count):
    """fweights or aweights as a plain tensor: one of each observation, none negative."""
    if weights is None:
        return []
    tensor_argument(name, weights, argument, 3)
    if weights.shape != (count,):
        raise RuntimeError(
            f"{name}(): expected {argument} to have the same numel as there are observations, {count}, in one dim, "
            f"got size {list(weights.shape)}"
        )
    if is_float(weights.dtype) == (argument == "fweights") or weights.dtype.is_complex:
        kind = "integral" if argument == "fweights" else "floating point"
        raise RuntimeError(f"{name}(): expected {argument} to have {kind} dtype but got {weights.dtype.name}")
    return [plain(weights)]


def _covariance(name, x, correction, fweights, aweights, normed):
    if x.ndim > 2:
        raise RuntimeError(f"{name}(): expected input to have two or fewer dimensions but got {x.ndim} dimensions")
    if isinstance(correction, bool) or not hasattr(correction, "__index__"):
        raise TypeError(f"{name}(): argument 'correction' must be int, not {type(correction).__name__}")
    correction = index(correction)
    count = x.shape[-1] if x.ndim else 1
    first, second = _weights(name, "fweights", fweights, count), _weights(name, "aweights", aweights, count)
    dtype = float_dtype(x.dtype)
    if second:
        dtype = promote_types(dtype, aweights.dtype)
    x = x.to(float_dtype(x.dtype))

    def compute(array, *rest):
        *weights, target = rest
        rows = np.atleast_2d(array)
        each = np.ones(count)
        for weight in weights:
            if count and weight.min() < 0:
                raise RuntimeError(f"{name}(): fweights and aweights cannot be negative")
            each = each * weight
        total = each.sum()
        lost = correction * (each * weights[-1]).sum() / total if second and count else correction
        away = rows - (rows * each).sum(axis=1, keepdims=True) / total
        matrix = (away * each) @ away.conj().T / np.maximum(total - lost, 0)
        if normed:
            spread = np.sqrt(matrix.diagonal().real)
            matrix = matrix / spread[:, None] / spread
            matrix = np.clip(matrix.real, -1, 1) + (1j * np.clip(matrix.imag, -1, 1) if matrix.dtype.kind == "c" else 0)
        target[...] = matrix.reshape(target.shape)

    shape = (x.shape[0],) * 2 if x.ndim == 2 and x.shape[0] != 1 else ()    # one variable has a variance
    return emit(name, compute, [plain(x), *first, *second], shape, dtype)


@public("cov", globals())
def _cov(x, *, correction=1, fweights=None, aweights=None):
    """The covariances of the rows, which are variables, over the columns, which are observations; a square matrix.

    Sums are divided by n - correction. `fweights`, ints, say how often each observation counts, `aweights`, floats,
    how much. A vector is one variable and gives its variance, 0-dim. Integers give the default dtype.

    >>> import stridecore as sc
    >>> sc.cov(sc.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    return _covariance("cov", x, correction, fweights, aweights, False)


@public("corrcoef", globals())
def _corrcoef(x):
    """The correlations of the rows, which are variables, over the columns: covariances by standard deviations.

    >>> import stridecore as sc
    >>> sc.corrcoef(sc.tensor([[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    return _covariance("corrcoef", x, 1, None, None, True)


# ---- renorm ---------------------------------------------------------------------------------------------------


def _renormed(name, x, p, dim, maxnorm, out):
    p, maxnorm = number(p), number(maxnorm)
    if p is None or maxnorm is None or isinstance(p, complex) or isinstance(maxnorm, complex):
        raise TypeError(f"{name}(): arguments 'p' and 'maxnorm' must be real numbers")
    if p <= 0:
        raise RuntimeError(f"{name}: p must be positive, got {p}")
    if maxnorm < 0:
        raise RuntimeError(f"{name}: expected maxnorm to be >= 0 but got {maxnorm}")
    if x.ndim < 2:
        raise RuntimeError(f"{name}: input needs at least 2 dimensions, got {x.ndim} dimensions")
    dim = one_dim(name, dim, x.ndim)
    norms = _norm(plain(x), p, [d for d in range(x.ndim) if d != dim], True)
    check_out(name, out, x.dtype)

    def compute(array, norm, target):
        np.multiply(array, np.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1).astype(norm.dtype), out=target)

    return emit(name, compute, [plain(x), norms], x.shape, x.dtype, out)


@public("renorm", globals())
def _renorm(x, p, dim, maxnorm, *, out=None):
    """The tensor with each slice along a dim scaled down to the p-norm `maxnorm` if its norm is greater.

    >>> import stridecore as sc
    >>> sc.renorm(sc.tensor([[3.0, 4.0], [0.0, 0.5]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.0000, 0.5000]])
    """
    return _renormed("renorm", x, p, dim, maxnorm, out)


@public("renorm_", globals(), function=False)
def _renorm_(x, p, dim, maxnorm):
    """`renorm`, written over the tensor; returns the tensor.

    >>> import stridecore as sc
    >>> sc.tensor([[3.0, 4.0], [0.0, 0.5]]).renorm_(2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.0000, 0.5000]])
    """
    return _renormed("renorm_", x, p, dim, maxnorm, x)


# ---- methods only ---------------------------------------------------------------------------------------------


@public("sum_to_size", globals(), function=False)
def _sum_to_size(x, *size):
    """The sum over the dims that broadcasting from `size` to the tensor's size has added or repeated.

    The tensor itself if it has that size; RuntimeError if `size` does not broadcast to it.

    >>> import stridecore as sc
    >>> sc.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
    """
    if len(size) == 1 and isinstance(size[0], tuple | list):
        size = tuple(size[0])
    size = tuple([index(n) for n in size])
    added = x.ndim - len(size)
    if added < 0 or any(n not in (1, m) for n, m in zip(size, x.shape[max(added, 0) :], strict=True)):
        raise RuntimeError(f"sum_to_size: size {list(size)} is not expandable to size {list(x.shape)}")
    repeated = [d for d in range(added, x.ndim) if size[d - added] == 1 and x.shape[d] != 1]
    if repeated:
        x = _sum(x, repeated, True)
    return _sum(x, tuple(range(added))) if added else x


def _truth_of_bools(name, x, reduce):
    if x.dtype.name != "bool":
        raise RuntimeError(f"{name}: takes a bool tensor, not {x.dtype.name}")
    return reduce(x)


@public("_is_all_true", globals(), function=False)
def _is_all_true(x):
    """all() of a bool tensor."""
    return _truth_of_bools("_is_all_true", x, _all)


@public("_is_any_true", globals(), function=False)
def _is_any_true(x):
    """any() of a bool tensor."""
    return _truth_of_bools("_is_any_true", x, _any)
