"""Writes of slices along a dim by an index tensor: index_add, index_copy, index_fill, index_reduce.

    index_add_     x[index[i], j, k] += y[i, j, k]       here for dim 0

All indices are checked before the first write. Sources and indices that share memory with the tensor that is written
are copied first. The out-of-place forms and out= work on a copy, so a failure changes nothing there either.
"""
cimport cython
from libc.stdint cimport int64_t

from stridecore.core.args cimport as_dim
from stridecore.core.copy cimport converted
from stridecore.core.dtype cimport dtype_of
from stridecore.core.index_loop cimport *
from stridecore.core.memory_format cimport CONTIGUOUS_FORMAT, PRESERVE
from stridecore.core.scatter_loop cimport *
from stridecore.core.tensor_impl cimport *


cdef int check_slices(TensorImpl self, int64_t dim, TensorImpl index, TensorImpl source, str function) except -1:
    """For index_add and index_reduce: source has self's size apart from dim, where it has the number of indices."""
    cdef int64_t d
    cdef bint fits = source._ss.ndim == self._ss.ndim
    for d in range(self._ss.ndim):
        fits = fits and (d == dim or sizes_of(source)[d] == sizes_of(self)[d])
    if index._ss.ndim > 1:
        raise IndexError(f"{function}: Index is supposed to be a vector, but got size {list(index.sizes())}")
    same_dtype(self, source, function)
    if self._ss.ndim and source._ss.ndim > dim and sizes_of(source)[dim] != index._numel:
        raise RuntimeError(f"{function}: Number of indices ({index._numel}) should be equal to source.size(dim): "
                           f"({sizes_of(source)[dim]}), for dim: {dim}")
    if not fits or self._ss.ndim == 0 and index._numel != 1:
        raise RuntimeError(f"{function}: source tensor shape must match self tensor shape, excluding the specified "
                           f"dimension {dim}. Got self.shape = {list(self.sizes())} source.shape = "
                           f"{list(source.sizes())}")
    return 0


cdef int scale(TensorImpl source, TensorImpl alpha, str function) except -1:
    """source *= alpha, a 0-dim tensor of its dtype."""
    cdef Loop loop
    cdef int64_t d
    loop.ndim, loop.n = source._ss.ndim, 0
    for d in range(loop.ndim):
        loop.sizes[d] = sizes_of(source)[d]
        loop.plain_strides[d] = 0
    byte_strides_of(source, loop.indexed_strides)
    return run_loop(&loop, alpha, source, [], SC_PROD, RuntimeError, function)


cdef int add_slices(TensorImpl target, object dim_, object index_, object source_, object alpha, str function) except -1:
    cdef int64_t dim = as_dim(dim_, target._ss.ndim, function)
    cdef TensorImpl index = alias_of(index_arg(index_, RuntimeError, function))
    cdef TensorImpl source = operand(source_, function, "source")
    cdef TensorImpl factor = item_of(<sc_dtype>target._dtype, fill_number(alpha, function, "alpha"), function)
    check_slices(target, dim, index, source, function)
    if target._numel == 0 or source._numel == 0:
        return 0
    source = ready_source(source, target, function)
    if alpha is not True and alpha != 1:
        source = converted(source, <sc_dtype>source._dtype, CONTIGUOUS_FORMAT)
        scale(source, factor, function)
    return reduce_into(target, dim, ready_index(index, target), source, SC_SUM, True, True,
                       RuntimeError, function)


cdef int copy_slices(TensorImpl target, object dim_, object index_, object source_, str function) except -1:
    cdef int64_t dim = as_dim(dim_, target._ss.ndim, function)
    cdef TensorImpl index = operand(index_, function, "index")
    cdef TensorImpl source = operand(source_, function, "source")
    cdef int64_t d, count = sizes_of(source)[dim] if source._ss.ndim > dim else 1
    cdef bint fits = True
    cdef Loop loop
    if index._ss.ndim > 1:
        raise IndexError(f"{function}: Index should have dimension 1 or 0 (got {index._ss.ndim})")
    if source._ss.ndim != target._ss.ndim and source._ss.ndim and target._ss.ndim:
        raise IndexError(f"{function}: When source and destination are not scalars, their dimensionality must match. "
                         f"Source dimensionality ({source._ss.ndim}), destination dimensionality ({target._ss.ndim})")
    if source._ss.ndim == 0 and index._numel != 1:
        raise IndexError(f"{function}: When source is scalar, index should have one element (got {index._numel})")
    if index._dtype != SC_INT64:
        raise RuntimeError(f"{function}: Expected a long tensor for index, but got "
                           f"{dtype_of(<sc_dtype>index._dtype).name}")
    same_dtype(target, source, function)
    for d in range(max(target._ss.ndim, source._ss.ndim)):
        if d != dim:
            fits = fits and d < target._ss.ndim and d < source._ss.ndim and sizes_of(source)[d] == sizes_of(target)[d]
    if not fits:
        raise RuntimeError(f"{function}: Source/destination tensor must have same slice shapes. Destination shape: "
                           f"{list(target.sizes())}, source shape: {list(source.sizes())}, at dimension {dim}")
    if source._ss.ndim and index._numel != count:
        raise IndexError(f"{function}: Number of indices ({index._numel}) should be equal to source.size(dim) ({count})")
    if index._numel == 0 or source._numel == 0:
        return 0
    source = ready_source(source, target, function)
    index = ready_index(index, target)
    slice_loop(&loop, target, dim, index, False, function)
    check_loop(&loop, IndexError, function)
    plain_from(&loop, source)
    return run_loop(&loop, source, target, [index], SCATTER, IndexError, function)


cdef int fill_slices(TensorImpl target, object dim_, object index_, object value, str function) except -1:
    cdef int64_t dim = as_dim(dim_, target._ss.ndim, function)
    cdef TensorImpl index = operand(index_, function, "index")
    cdef TensorImpl item
    cdef Loop loop
    number = fill_number(value, function, "value")
    if index._dtype != SC_INT64:
        raise IndexError(f"{function}: Expected dtype int64 for index, got {dtype_of(<sc_dtype>index._dtype).name}")
    if index._ss.ndim > 1:
        raise RuntimeError(f"{function}: Index has to be a vector/scalar, got size {list(index.sizes())}")
    if isinstance(number, complex) and not sc_is_complex(<sc_dtype>target._dtype):
        raise RuntimeError(f"{function}: Converting complex Scalar to non-complex type is not supported")
    item = item_of(<sc_dtype>target._dtype, number, function)
    index = ready_index(index, target)
    slice_loop(&loop, target, dim, index, True, function)
    check_loop(&loop, IndexError, function)
    plain_from(&loop, item)
    return run_loop(&loop, item, target, [index], SCATTER, IndexError, function)


cdef int reduce_slices(TensorImpl target, object dim_, object index_, object source_, object reduce, object include_self,
                       str function) except -1:
    cdef int64_t dim = as_dim(dim_, target._ss.ndim, function)
    cdef TensorImpl index = alias_of(index_arg(index_, RuntimeError, function))
    cdef TensorImpl source = operand(source_, function, "source")
    cdef bint with_self = flag(include_self, function, "include_self")
    cdef int op = reduction_named(reduce, False, function)
    check_slices(target, dim, index, source, function)
    check_reduction(target, op, function)
    if target._numel == 0 or source._numel == 0:
        return 0
    return reduce_into(target, dim, ready_index(index, target), ready_source(source, target, function), op, with_self,
                       True, IndexError, function)


# ---- functions with out= ------------------------------------------------------------------------------------

def index_add(input, dim, index, source, *, alpha=1, out=None):
    """A contiguous copy of `input`, or `out`, with Tensor.index_add_ applied.

    >>> import stridecore as sc
    >>> sc.index_add(sc.zeros(3), 0, sc.tensor([0, 2, 0]), sc.tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.])
    """
    cdef TensorImpl result = fresh_copy(input, "index_add")
    add_slices(result, dim, index, source, alpha, "index_add")
    return delivered(result, out, "index_add")


def index_copy(input, dim, index, source, *, out=None):
    """A contiguous copy of `input`, or `out`, with Tensor.index_copy_ applied.

    >>> import stridecore as sc
    >>> sc.index_copy(sc.zeros(3), 0, sc.tensor([2, 0]), sc.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
    cdef TensorImpl result = fresh_copy(input, "index_copy")
    copy_slices(result, dim, index, source, "index_copy")
    return delivered(result, out, "index_copy")


def index_reduce(input, dim, index, source, reduce, *, include_self=True, out=None):
    """A contiguous copy of `input`, or `out`, with Tensor.index_reduce_ applied.

    >>> import stridecore as sc
    >>> sc.index_reduce(sc.ones(2), 0, sc.tensor([0, 0]), sc.tensor([2.0, 3.0]), "prod")
    tensor([6., 1.])
    """
    cdef TensorImpl result = fresh_copy(input, "index_reduce")
    reduce_slices(result, dim, index, source, reduce, include_self, "index_reduce")
    return delivered(result, out, "index_reduce")


@cython.binding(True)
class Methods:
    """Writes of slices along a dim by an index tensor, in place and as copies.

    stridecore/gathering.py sets them on Tensor.
    """

    def index_add_(TensorImpl self not None, dim, index, source, *, alpha=1):
        """Add the slices of `source` along `dim` to the slices of self that `index` names: self[index[i]] += alpha * source[i]
        for dim 0. Indices that repeat add up. Returns self.

        `source` has self's dtype, and its size but for `dim`, where it has as many slices as `index` (int32 or int64, at
        most 1 dim) has elements. RuntimeError for an index outside [0, size).

        >>> import stridecore as sc
        >>> sc.zeros(3).index_add_(0, sc.tensor([0, 2, 0]), sc.tensor([1.0, 2.0, 3.0]))
        tensor([4., 0., 2.])
        """
        cdef TensorImpl target = target_of(self, "index_add_")
        add_slices(target, dim, index, source, alpha, "index_add_")
        settle(self, target, "index_add_")
        return self

    def index_add(TensorImpl self not None, dim, index, source, *, alpha=1):
        """A contiguous copy with index_add_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(3).index_add(0, sc.tensor([0, 2, 0]), sc.tensor([1.0, 2.0, 3.0]))
        tensor([4., 0., 2.])
        """
        cdef TensorImpl result = copy_of(self, CONTIGUOUS_FORMAT)
        add_slices(result, dim, index, source, alpha, "index_add")
        return result

    def index_copy_(TensorImpl self not None, dim, index, source):
        """Copy the slices of `source` along `dim` to the slices of self that `index` (int64) names; of several for one slice
        the last stays. Returns self. IndexError for an index outside [0, size).

        >>> import stridecore as sc
        >>> sc.zeros(3).index_copy_(0, sc.tensor([2, 0]), sc.tensor([1.0, 2.0]))
        tensor([2., 0., 1.])
        """
        cdef TensorImpl target = target_of(self, "index_copy_")
        copy_slices(target, dim, index, source, "index_copy_")
        settle(self, target, "index_copy_")
        return self

    def index_copy(TensorImpl self not None, dim, index, source):
        """A contiguous copy with index_copy_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(3).index_copy(0, sc.tensor([2, 0]), sc.tensor([1.0, 2.0]))
        tensor([2., 0., 1.])
        """
        cdef TensorImpl result = copy_of(self, CONTIGUOUS_FORMAT)
        copy_slices(result, dim, index, source, "index_copy")
        return result

    def index_fill_(TensorImpl self not None, dim, index, value):
        """Set the slices along `dim` that `index` (int64, negative ones count from the end) names to `value`, a number or a
        0-dim tensor. Returns self. IndexError for an index out of range.

        >>> import stridecore as sc
        >>> sc.zeros(3).index_fill_(0, sc.tensor([0, -1]), 5)
        tensor([5., 0., 5.])
        """
        cdef TensorImpl target = target_of(self, "index_fill_", True)
        fill_slices(target, dim, index, value, "index_fill_")
        settle(self, target, "index_fill_")
        return self

    def index_fill(TensorImpl self not None, dim, index, value):
        """A copy with index_fill_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(3).index_fill(0, sc.tensor([0, -1]), 5)
        tensor([5., 0., 5.])
        """
        cdef TensorImpl result = copy_of(self, PRESERVE)
        fill_slices(result, dim, index, value, "index_fill")
        return result

    def index_reduce_(TensorImpl self not None, dim, index, source, reduce, *, include_self=True):
        """Combine the slices of `source` along `dim` with the slices of self that `index` names: by "prod", "mean", "amax" or
        "amin", of self's own values too unless `include_self=False`. Returns self.

        IndexError for an index outside [0, size).

        >>> import stridecore as sc
        >>> sc.ones(2).index_reduce_(0, sc.tensor([0, 0]), sc.tensor([2.0, 3.0]), "prod")
        tensor([6., 1.])
        """
        cdef TensorImpl target = target_of(self, "index_reduce_")
        reduce_slices(target, dim, index, source, reduce, include_self, "index_reduce_")
        settle(self, target, "index_reduce_")
        return self

    def index_reduce(TensorImpl self not None, dim, index, source, reduce, *, include_self=True):
        """A contiguous copy with index_reduce_ applied.

        >>> import stridecore as sc
        >>> sc.ones(2).index_reduce(0, sc.tensor([0, 0]), sc.tensor([2.0, 3.0]), "prod")
        tensor([6., 1.])
        """
        cdef TensorImpl result = copy_of(self, CONTIGUOUS_FORMAT)
        reduce_slices(result, dim, index, source, reduce, include_self, "index_reduce")
        return result
