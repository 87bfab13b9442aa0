"""Writes of elements along a dim by an index tensor: scatter, scatter_add, scatter_reduce; and put.

    scatter_add_   x[index[i, j, k], j, k] += y[i, j, k]    here for dim 0

All indices are checked before the first write. Sources and indices that share memory with the tensor that is written
are copied first. The out-of-place forms and out= work on a copy, so a failure changes nothing there either.
"""
cimport cython
from libc.stdint cimport int64_t

from stridecore.core.args cimport as_dim
from stridecore.core.copy cimport contiguous_of, copy_into
from stridecore.core.dtype cimport dtype_of
from stridecore.core.index_loop cimport *
from stridecore.core.memory_format cimport CONTIGUOUS_FORMAT, PRESERVE
from stridecore.core.scatter_loop cimport *
from stridecore.core.tensor_impl cimport *


cdef int check_elements(TensorImpl self, int64_t dim, TensorImpl index, TensorImpl source, str function) except -1:
    """Index has as many dims as self and source, is no larger than source, and than self but for dim."""
    cdef int64_t d
    cdef bint fits = True
    if index._numel == 0:
        return 0
    if max(index._ss.ndim, 1) != max(self._ss.ndim, 1):
        raise RuntimeError(f"{function}: Index tensor must have the same number of dimensions as self tensor: got "
                           f"{index._ss.ndim} and {self._ss.ndim}")
    if source is not None and max(index._ss.ndim, 1) != max(source._ss.ndim, 1):
        error = IndexError if 0 < source._ss.ndim < index._ss.ndim else RuntimeError
        raise error(f"{function}: Index tensor must have the same number of dimensions as src tensor: got "
                    f"{index._ss.ndim} and {source._ss.ndim}")
    for d in range(index._ss.ndim):
        if d != dim and d < self._ss.ndim:
            fits = fits and sizes_of(index)[d] <= sizes_of(self)[d]
        if source is not None:
            fits = fits and sizes_of(index)[d] <= (sizes_of(source)[d] if source._ss.ndim else 1)
    if not fits:
        raise RuntimeError(f"{function}: Expected index {list(index.sizes())} to be no larger than self "
                           f"{list(self.sizes())} apart from dimension {dim}"
                           + (f" and to be no larger size than src {list(source.sizes())}" if source is not None else ""))
    return 0


cdef int scatter_op(object reduce, bint from_tensor, str function) except -2:
    """The work that scatter's reduce= asks for."""
    if reduce is None:
        return SCATTER
    if not isinstance(reduce, str):
        raise TypeError(f"{function}: argument 'reduce' must be str, not {type(reduce).__name__}")
    if reduce != "add" and reduce != "multiply":
        raise RuntimeError(f"{function}: reduce argument must be either add or multiply, got {reduce}")
    if from_tensor:
        import warnings
        warnings.warn("The reduce argument of scatter with Tensor src is deprecated; use scatter_reduce", UserWarning,
                      stacklevel=1)
    return SC_SUM if reduce == "add" else SC_PROD


cdef object MISSING = object()


cdef int scatter_into(TensorImpl target, object dim_, object index_, object src, object value, object reduce,
                      str function) except -1:
    cdef int64_t dim
    cdef TensorImpl index, source = None
    cdef Loop loop
    cdef int op
    if (src is MISSING) == (value is MISSING):
        raise TypeError(f"{function}: takes dim, index and either src or value")
    if src is not MISSING and not isinstance(src, TensorImpl) and value is MISSING:
        value, src = src, MISSING
        if number_arg(value, function, "src") is None:
            raise TypeError(f"{function}: argument 'src' must be a Tensor or a number, not {type(value).__name__}")
    dim = as_dim(dim_, target._ss.ndim, function)
    index = alias_of(index_arg(index_, RuntimeError, function))
    op = scatter_op(reduce, value is MISSING, function)
    if value is MISSING:
        source = operand(src, function, "src")
        same_dtype(target, source, function)
    check_elements(target, dim, index, source, function)
    if source is None:
        source = item_of(<sc_dtype>target._dtype, fill_number(value, function, "value"), function)
    if index._numel == 0:
        return 0
    source = ready_source(source, target, function)
    index = ready_index(index, target)
    element_loop(&loop, target, dim, index, function)
    check_loop(&loop, RuntimeError, function)
    plain_from(&loop, source)
    return run_loop(&loop, source, target, [index], op, RuntimeError, function)


cdef int reduce_elements(TensorImpl target, object dim_, object index_, object src, int op, bint include_self,
                         str function) except -1:
    cdef int64_t dim = as_dim(dim_, target._ss.ndim, function)
    cdef TensorImpl index = alias_of(index_arg(index_, RuntimeError, function))
    cdef TensorImpl source = operand(src, function, "src")
    same_dtype(target, source, function)
    check_elements(target, dim, index, source, function)
    check_reduction(target, op, function)
    if index._numel == 0:
        return 0
    return reduce_into(target, dim, ready_index(index, target), ready_source(source, target, function), op,
                       include_self, False, RuntimeError, function)


# ---- put ----------------------------------------------------------------------------------------------------

cdef TensorImpl flattened(TensorImpl t):
    """The elements as one dim, copied where they are not contiguous."""
    cdef TensorImpl source = contiguous_of(t, CONTIGUOUS_FORMAT)
    cdef TensorImpl view = view_of(source, 1)
    sizes_of(view)[0], strides_of(view)[0], view._numel = t._numel, 1, t._numel
    return view


cdef int put_flat(TensorImpl target, object index_, object source_, object accumulate_, str function) except -1:
    cdef TensorImpl index = operand(index_, function, "index")
    cdef TensorImpl source = operand(source_, function, "source")
    cdef bint accumulate = flag(accumulate_, function, "accumulate")
    cdef TensorImpl flat
    cdef Loop loop
    if index._dtype != SC_INT64:
        raise RuntimeError(f"{function}: Expected a long tensor for index, but got "
                           f"{dtype_of(<sc_dtype>index._dtype).name}")
    same_dtype(target, source, function)
    if source._numel != index._numel:
        raise IndexError(f"{function}: Expected source and index to have the same number of elements, but got "
                         f"source.numel() = {source._numel}, index.numel() = {index._numel}")
    if target._numel == 0 and index._numel:
        raise IndexError(f"{function}: Tried to put elements into an empty tensor")
    if index._numel == 0:
        return 0
    source = flattened(ready_source(source, target, function))
    index = flattened(ready_index(index, target))
    flat = flattened(target)
    slice_loop(&loop, flat, 0, index, True, function)
    check_loop(&loop, IndexError, function)
    plain_from(&loop, source)
    run_loop(&loop, source, flat, [index], <int>SC_SUM if accumulate else <int>SCATTER, IndexError, function)
    return 0 if is_contiguous(target) else copy_back(target, flat, function)


cdef int copy_back(TensorImpl target, TensorImpl flat, str function) except -1:
    """The elements of a contiguous copy, one dim, back to where they come from."""
    cdef TensorImpl view = view_of(flat, target._ss.ndim)
    cdef int64_t d
    for d in range(target._ss.ndim):
        sizes_of(view)[d] = sizes_of(target)[d]
    sc_contiguous_strides(target._ss.ndim, sizes_of(view), strides_of(view))
    view._numel = target._numel
    return copy_into(target, view, function)


# ---- functions with out= ------------------------------------------------------------------------------------

def scatter(input, dim, index, src=MISSING, value=MISSING, *, reduce=None, out=None):
    """A contiguous copy of `input`, or `out`, with Tensor.scatter_ applied.

    >>> import stridecore as sc
    >>> sc.scatter(sc.zeros(2, 3), 0, sc.tensor([[0, 1, 0]]), sc.tensor([[5.0, 6.0, 7.0]]))
    tensor([[5., 0., 7.],
            [0., 6., 0.]])
    """
    cdef TensorImpl result = fresh_copy(input, "scatter")
    scatter_into(result, dim, index, src, value, reduce, "scatter")
    return delivered(result, out, "scatter")


def scatter_add(input, dim, index, src, *, out=None):
    """A contiguous copy of `input`, or `out`, with Tensor.scatter_add_ applied.

    >>> import stridecore as sc
    >>> sc.scatter_add(sc.zeros(3), 0, sc.tensor([0, 2, 0]), sc.tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.])
    """
    cdef TensorImpl result = fresh_copy(input, "scatter_add")
    reduce_elements(result, dim, index, src, SC_SUM, True, "scatter_add")
    return delivered(result, out, "scatter_add")


def scatter_reduce(input, dim, index, src, reduce, *, include_self=True, out=None):
    """A contiguous copy of `input`, or `out`, with Tensor.scatter_reduce_ applied.

    >>> import stridecore as sc
    >>> sc.scatter_reduce(sc.zeros(2), 0, sc.tensor([0, 0]), sc.tensor([2.0, 4.0]), "mean", include_self=False)
    tensor([3., 0.])
    """
    cdef TensorImpl result = fresh_copy(input, "scatter_reduce")
    reduce_elements(result, dim, index, src, reduction_named(reduce, True, "scatter_reduce"),
                    flag(include_self, "scatter_reduce", "include_self"), "scatter_reduce")
    return delivered(result, out, "scatter_reduce")


@cython.binding(True)
class Methods:
    """Writes of elements along a dim by an index tensor, in place and as copies.

    stridecore/gathering.py sets them on Tensor.
    """

    def scatter_(TensorImpl self not None, dim, index, src=MISSING, value=MISSING, *, reduce=None):
        """Write each element of `src`, a tensor or a number, to the place that the element of `index` beside it names along
        `dim`: self[index[i, j], j] = src[i, j] for dim 0. Of several for one place the last stays. Returns self.

        `index` (int32 or int64) has as many dims as self, is no larger than `src`, and no larger than self but for
        `dim`. With reduce="add" or "multiply" values are combined. RuntimeError for an index outside [0, size).

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).scatter_(0, sc.tensor([[0, 1, 0]]), sc.tensor([[5.0, 6.0, 7.0]]))
        tensor([[5., 0., 7.],
                [0., 6., 0.]])
        """
        cdef TensorImpl target = target_of(self, "scatter_")
        scatter_into(target, dim, index, src, value, reduce, "scatter_")
        settle(self, target, "scatter_")
        return self

    def scatter(TensorImpl self not None, dim, index, src=MISSING, value=MISSING, *, reduce=None):
        """A contiguous copy with scatter_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).scatter(0, sc.tensor([[0, 1, 0]]), sc.tensor([[5.0, 6.0, 7.0]]))
        tensor([[5., 0., 7.],
                [0., 6., 0.]])
        """
        cdef TensorImpl result = copy_of(self, CONTIGUOUS_FORMAT)
        scatter_into(result, dim, index, src, value, reduce, "scatter")
        return result

    def scatter_add_(TensorImpl self not None, dim, index, src):
        """Add each element of `src` to the place that the element of `index` beside it names along `dim`:
        self[index[i, j], j] += src[i, j] for dim 0. Places that repeat add up. Returns self. RuntimeError for an index
        outside [0, size).

        >>> import stridecore as sc
        >>> sc.zeros(3).scatter_add_(0, sc.tensor([0, 2, 0]), sc.tensor([1.0, 2.0, 3.0]))
        tensor([4., 0., 2.])
        """
        cdef TensorImpl target = target_of(self, "scatter_add_")
        reduce_elements(target, dim, index, src, SC_SUM, True, "scatter_add_")
        settle(self, target, "scatter_add_")
        return self

    def scatter_add(TensorImpl self not None, dim, index, src):
        """A contiguous copy with scatter_add_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(3).scatter_add(0, sc.tensor([0, 2, 0]), sc.tensor([1.0, 2.0, 3.0]))
        tensor([4., 0., 2.])
        """
        cdef TensorImpl result = copy_of(self, CONTIGUOUS_FORMAT)
        reduce_elements(result, dim, index, src, SC_SUM, True, "scatter_add")
        return result

    def scatter_reduce_(TensorImpl self not None, dim, index, src, reduce, *, include_self=True):
        """Combine each element of `src` with the place that the element of `index` beside it names along `dim`: by "sum",
        "prod", "mean", "amax" or "amin", of self's own values too unless `include_self=False`. Returns self.
        RuntimeError for an index outside [0, size).

        >>> import stridecore as sc
        >>> sc.zeros(2).scatter_reduce_(0, sc.tensor([0, 0]), sc.tensor([2.0, 4.0]), "mean", include_self=False)
        tensor([3., 0.])
        """
        cdef TensorImpl target = target_of(self, "scatter_reduce_")
        reduce_elements(target, dim, index, src, reduction_named(reduce, True, "scatter_reduce_"),
                        flag(include_self, "scatter_reduce_", "include_self"), "scatter_reduce_")
        settle(self, target, "scatter_reduce_")
        return self

    def scatter_reduce(TensorImpl self not None, dim, index, src, reduce, *, include_self=True):
        """A contiguous copy with scatter_reduce_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(2).scatter_reduce(0, sc.tensor([0, 0]), sc.tensor([2.0, 4.0]), "mean", include_self=False)
        tensor([3., 0.])
        """
        cdef TensorImpl result = copy_of(self, CONTIGUOUS_FORMAT)
        reduce_elements(result, dim, index, src, reduction_named(reduce, True, "scatter_reduce"),
                        flag(include_self, "scatter_reduce", "include_self"), "scatter_reduce")
        return result

    def put_(TensorImpl self not None, index, source, accumulate=False):
        """Write the elements of `source` to these places of self in row-major order; `index` is int64, and negative places
        count from the end. With `accumulate=True` they are added. Returns self. IndexError for a place outside.

        >>> import stridecore as sc
        >>> sc.zeros(2, 2).put_(sc.tensor([0, -1]), sc.tensor([5.0, 7.0]))
        tensor([[5., 0.],
                [0., 7.]])
        """
        cdef TensorImpl target = target_of(self, "put_")
        put_flat(target, index, source, accumulate, "put_")
        settle(self, target, "put_")
        return self

    def put(TensorImpl self not None, index, source, accumulate=False):
        """A copy with put_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(2, 2).put(sc.tensor([0, -1]), sc.tensor([5.0, 7.0]))
        tensor([[5., 0.],
                [0., 7.]])
        """
        cdef TensorImpl result = copy_of(self, PRESERVE)
        put_flat(result, index, source, accumulate, "put")
        return result
