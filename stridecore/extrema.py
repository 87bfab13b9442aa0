"""The greatest and the smallest elements, and where they are. nan is greater and smaller than everything."""

import numpy as np

from stridecore import return_types
from stridecore.core import reduce
from stridecore.dtypes import int64
from stridecore.reducing import (
    check_out,
    check_outs,
    emit,
    emit_all,
    is_true,
    one_dim,
    plain,
    public,
    reduced_shape,
    refuse_complex,
    refuse_empty,
    some_dims,
)
from stridecore.reductions import UNSET
from stridecore.tensor import Tensor

__all__ = "amax amin aminmax argmax argmin max min".split()



def at(array, indices, dim, keepdim):
    """The elements at one index along a dim for each place of the others; `indices` keeps the dim."""
    values = np.take_along_axis(array, indices, dim) if array.ndim else array
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))


def along_dim(name, x, dim, keepdim, out, find):
    """The named tuple of values and indices along one dim; `find(array, dim)` gives the indices and keeps the dim."""
    dim = one_dim(name, dim, x.ndim)
    is_true(name, "keepdim", keepdim)
    refuse_empty(name, x, (dim,))
    refuse_complex(name, x)
    outs = check_outs(name, out, (x.dtype, int64))

    def compute(array, values, indices):
        if array.ndim == 0:
            values[...], indices[...] = array, 0
        else:
            values[...], indices[...] = at(array, find(array, dim), dim, keepdim)

    shape = reduced_shape(x.shape, (dim,) if x.ndim else (), keepdim)
    results = emit_all(name, compute, [plain(x)], (shape, shape), (x.dtype, int64), outs)
    return getattr(return_types, name)(results)


# ---- max, min -------------------------------------------------------------------------------------------------


def _extremum(name, ufunc, locate, x, dim, keepdim, other, out):
    if isinstance(dim, Tensor) and other is UNSET:
        dim, other = UNSET, dim
    if other is not UNSET:
        import stridecore

        if dim is not UNSET or keepdim is not UNSET:
            raise TypeError(f"{name}(): takes another tensor or a dim, not both")
        return getattr(stridecore, name + "imum")(x, other, out=out)
    if dim is not UNSET:
        keepdim = False if keepdim is UNSET else keepdim
        return along_dim(name, x, dim, keepdim, out, lambda array, dim: locate(array, axis=dim, keepdims=True))
    if keepdim is not UNSET:
        raise TypeError(f"{name}(): keepdim needs a dim")
    refuse_empty(name, x, (), whole=True)
    refuse_complex(name, x)
    check_out(name, out, x.dtype)
    return emit(name, lambda array, target: ufunc.reduce(array, axis=None, out=target), [plain(x)], (), x.dtype, out)


@public("max", globals(), code=reduce.MAX, pair=return_types.max)
def _max(x, dim=UNSET, keepdim=UNSET, *, other=UNSET, out=None):
    """The greatest element; with `dim` the greatest along it and where; with another tensor the greater of each two.

    `max()` is a 0-dim tensor. `max(dim, keepdim=False)` is a named tuple of `values` and of int64 `indices`, of the
    first of equal ones. `max(other)` is `maximum(other)`. nan counts as greatest. Functions also take `out`, a pair
    where there are two results.

    RuntimeError for an empty tensor, IndexError for an empty dim.

    >>> import stridecore as sc
    >>> sc.max(sc.tensor([[1, 5], [7, 3]]), 1)
    stridecore.return_types.max(
    values=tensor([5, 7]),
    indices=tensor([1, 0]))
    """
    return _extremum("max", np.maximum, np.argmax, x, dim, keepdim, other, out)


@public("min", globals(), code=reduce.MIN, pair=return_types.min)
def _min(x, dim=UNSET, keepdim=UNSET, *, other=UNSET, out=None):
    """The smallest element; with `dim` the smallest along it and where; with another tensor the smaller of each two.

    `min()` is a 0-dim tensor. `min(dim, keepdim=False)` is a named tuple of `values` and of int64 `indices`, of the
    first of equal ones. `min(other)` is `minimum(other)`. nan counts as smallest. Functions also take `out`, a pair
    where there are two results.

    RuntimeError for an empty tensor, IndexError for an empty dim.

    >>> import stridecore as sc
    >>> sc.min(sc.tensor([[1, 5], [7, 3]]), 1).indices
    tensor([0, 1])
    """
    return _extremum("min", np.minimum, np.argmin, x, dim, keepdim, other, out)


# ---- amax, amin, aminmax --------------------------------------------------------------------------------------


def _values(name, ufunc, x, dim, keepdim, out):
    dims = some_dims(name, dim, x.ndim)
    is_true(name, "keepdim", keepdim)
    if out is not None:
        check_out(name, out, x.dtype)
    refuse_empty(name, x, dims, whole=dim is None or dim == () or dim == [])
    refuse_complex(name, x)

    def compute(array, target):
        ufunc.reduce(array, axis=dims, out=target, keepdims=keepdim)

    return emit(name, compute, [plain(x)], reduced_shape(x.shape, dims, keepdim), x.dtype, out)


@public("amax", globals(), code=reduce.AMAX)
def _amax(x, dim=(), keepdim=False, *, out=None):
    """The greatest element of all, or along an int or tuple of dims; nan counts as greatest.

    RuntimeError for an empty tensor, IndexError for an empty dim.

    >>> import stridecore as sc
    >>> sc.amax(sc.tensor([[1, 5], [7, 3]]), 1)
    tensor([5, 7])
    """
    return _values("amax", np.maximum, x, dim, keepdim, out)


@public("amin", globals(), code=reduce.AMIN)
def _amin(x, dim=(), keepdim=False, *, out=None):
    """The smallest element of all, or along an int or tuple of dims; nan counts as smallest.

    RuntimeError for an empty tensor, IndexError for an empty dim.

    >>> import stridecore as sc
    >>> sc.amin(sc.tensor([[1, 5], [7, 3]]), 1)
    tensor([1, 3])
    """
    return _values("amin", np.minimum, x, dim, keepdim, out)


@public("aminmax", globals())
def _aminmax(x, *, dim=None, keepdim=False, out=None):
    """The smallest and the greatest element, of all or along one dim, as a named tuple of `min` and `max`.

    >>> import stridecore as sc
    >>> sc.aminmax(sc.tensor([3, 1, 2]))
    stridecore.return_types.aminmax(
    min=tensor(1),
    max=tensor(3))
    """
    dims = tuple(range(x.ndim)) if dim is None else (one_dim("aminmax", dim, x.ndim),)
    is_true("aminmax", "keepdim", keepdim)
    refuse_empty("aminmax", x, dims, whole=dim is None)
    refuse_complex("aminmax", x)
    outs = check_outs("aminmax", out, (x.dtype, x.dtype))
    dims = dims if x.ndim else ()

    def compute(array, smallest, greatest):
        np.minimum.reduce(array, axis=dims, out=smallest, keepdims=keepdim)
        np.maximum.reduce(array, axis=dims, out=greatest, keepdims=keepdim)

    shape = reduced_shape(x.shape, dims, keepdim)
    return return_types.aminmax(emit_all("aminmax", compute, [plain(x)], (shape, shape), (x.dtype, x.dtype), outs))


# ---- argmax, argmin -------------------------------------------------------------------------------------------


def _index(name, locate, x, dim, keepdim, out):
    if dim is not None:
        dim = one_dim(name, dim, x.ndim)
    is_true(name, "keepdim", keepdim)
    refuse_complex(name, x)
    refuse_empty(name, x, (dim,), whole=dim is None, error=IndexError)
    check_out(name, out, int64)
    dims = tuple(range(x.ndim)) if dim is None else (dim,)

    def compute(array, target):
        if array.ndim == 0:
            target[...] = 0
        else:
            locate(array, axis=dim, out=target, keepdims=keepdim)

    return emit(name, compute, [plain(x)], reduced_shape(x.shape, dims, keepdim), int64, out)


@public("argmax", globals(), code=reduce.ARGMAX)
def _argmax(x, dim=None, keepdim=False, *, out=None):
    """The index, int64, of the greatest element: among all in row-major order, or along one dim.

    The first of equal ones; nan counts as greatest. IndexError where there is nothing to choose from.

    >>> import stridecore as sc
    >>> sc.argmax(sc.tensor([[1, 5], [7, 3]])), sc.argmax(sc.tensor([[1, 5], [7, 3]]), 1)
    (tensor(2), tensor([1, 0]))
    """
    return _index("argmax", np.argmax, x, dim, keepdim, out)


@public("argmin", globals(), code=reduce.ARGMIN)
def _argmin(x, dim=None, keepdim=False, *, out=None):
    """The index, int64, of the smallest element: among all in row-major order, or along one dim.

    The first of equal ones; nan counts as smallest. IndexError where there is nothing to choose from.

    >>> import stridecore as sc
    >>> sc.argmin(sc.tensor([[1, 5], [7, 3]])), sc.argmin(sc.tensor([[1, 5], [7, 3]]), 1)
    (tensor(0), tensor([0, 1]))
    """
    return _index("argmin", np.argmin, x, dim, keepdim, out)
