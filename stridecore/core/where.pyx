"""where: elements of one tensor or of another, by a condition; with the dtype and the layout that torch gives it.

The dtype: tensors with dims decide; a 0-dim tensor changes the result only if its kind (bool, integer, float, complex)
is a higher one, and a number only if its kind is higher than both.
"""
from libc.stdint cimport int64_t
from libc.string cimport memcmp

from stridecore.core cimport engine
from stridecore.core.copy cimport converted
from stridecore.core.dtype cimport dtype_of
from stridecore.core.index_loop cimport *
from stridecore.core.memory_format cimport PRESERVE
from stridecore.core.promotion cimport result_dtype
from stridecore.core.scalars cimport FILL, write_item
from stridecore.core.size cimport list_from
from stridecore.core.tensor_impl cimport *
from stridecore.core.views cimport expanded

# Below this many elements a loop costs less than letting go of the GIL and taking it again.
cdef enum:
    GIL_NUMEL = 8192


# ---- broadcasting -------------------------------------------------------------------------------------------

cdef int64_t broadcast_sizes(list tensors, int64_t *sizes, str function) except -1:
    """The sizes to which all tensors broadcast; returns how many. RuntimeError if there are none."""
    cdef TensorImpl t
    cdef int64_t ndim = 0, d, size, at
    for t in tensors:
        if t._ss.ndim > ndim:
            ndim = t._ss.ndim
    for d in range(ndim):
        sizes[d] = 1
    for t in tensors:
        for d in range(t._ss.ndim):
            size, at = sizes_of(t)[d], ndim - t._ss.ndim + d
            if size == 1 or size == sizes[at]:
                continue
            if sizes[at] != 1:
                raise RuntimeError(
                    f"{function}: The size of tensor a ({sizes[at]}) must match the size of tensor b ({size}) at "
                    f"non-singleton dimension {at}: can't broadcast "
                    + " and ".join([str(list((<TensorImpl>each).sizes())) for each in tensors]))
            sizes[at] = size
    return ndim


cdef TensorImpl spread(TensorImpl t, int64_t ndim, const int64_t *sizes, str function):
    if t._ss.ndim == ndim and memcmp(sizes_of(t), sizes, ndim * sizeof(int64_t)) == 0:
        return t
    return expanded(t, ndim, sizes, function)


# ---- results of several operands: how torch's TensorIterator lays them out ----------------------------------
#
#   all operands of one shape and contiguous          contiguous
#   all of one shape and channels_last                channels_last
#   all of one shape, dense and of equal strides      the same strides
#   otherwise                                         dense, the dims ordered by the strides of the first operand
#                                                     that tells two dims apart

# Operands that can tell the order of dims; none of more than three has come up.
cdef enum:
    MAX_OPERANDS = 8


cdef bint share_layout(list operands, int64_t ndim, const int64_t *sizes, int64_t *strides) except -1:
    """If all operands have these sizes and one layout that the result takes over: its strides."""
    cdef bint contiguous = True, channels_last = True, dense = True
    cdef int64_t d
    cdef TensorImpl t, first = operands[0]
    for t in operands:
        if t._ss.ndim != ndim:
            return False
        for d in range(ndim):
            if sizes_of(t)[d] != sizes[d]:
                return False
            dense = dense and strides_of(t)[d] == strides_of(first)[d]
        contiguous = contiguous and is_contiguous(t)
        channels_last = channels_last and ndim == 4 and sc_is_channels_last(ndim, sizes, strides_of(t))
        dense = dense and sc_is_non_overlapping_and_dense(ndim, sizes, strides_of(t))
    if contiguous:
        return sc_contiguous_strides(ndim, sizes, strides)
    if channels_last:
        return sc_channels_last_strides(ndim, sizes, strides)
    if dense:
        for d in range(ndim):
            strides[d] = strides_of(first)[d]
    return dense


cdef bint ordered_strides(list operands, int64_t ndim, const int64_t *sizes, int64_t *strides) except -1:
    """Dense strides with the dims in the order of the operands' strides (result.h)."""
    cdef int64_t spread[MAX_OPERANDS][SC_MAX_NDIM]
    cdef const int64_t *pointers[MAX_OPERANDS]
    cdef int64_t d, lead
    cdef int k, n = <int>min(len(operands), MAX_OPERANDS)
    cdef TensorImpl t
    for k in range(n):
        t = operands[k]
        lead = ndim - t._ss.ndim
        for d in range(ndim):
            spread[k][d] = 0 if d < lead or sizes_of(t)[d - lead] == 1 and sizes[d] != 1 else strides_of(t)[d - lead]
        pointers[k] = spread[k]
    return sc_result_strides(ndim, sizes, n, pointers, strides)


cdef TensorImpl result_of(str function, list operands, sc_dtype dtype, int64_t ndim, const int64_t *sizes):
    cdef int64_t strides[SC_MAX_NDIM]
    if not share_layout(operands, ndim, sizes, strides) and not ordered_strides(operands, ndim, sizes, strides):
        raise RuntimeError(f"{function}: Stride calculation overflowed with sizes {list_from(ndim, sizes)}")
    return tensor_new_strided(dtype, ndim, sizes, strides)


# ---- where --------------------------------------------------------------------------------------------------

cdef TensorImpl branch(object value, sc_dtype dtype):
    """One of where's two values as a tensor of this dtype without lazy bits."""
    cdef int64_t none = 0
    cdef TensorImpl t
    if not isinstance(value, TensorImpl):
        t = tensor_new(dtype, 0, &none, False)
        write_item(dtype, data_of(t), 0, value, FILL, "where")
        return t
    t = <TensorImpl>value
    if t._dtype == dtype and not t._bits:
        return t
    return converted(t, dtype, PRESERVE)


cdef int choose(TensorImpl result, TensorImpl condition, TensorImpl a, TensorImpl b) except -1:
    """result = condition ? a : b, all of one size."""
    cdef int64_t strides[4][SC_MAX_NDIM]
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef char *data[4]
    cdef sc_block *blocks[4]
    cdef int k
    cdef int64_t d, ndim = result._ss.ndim, itemsize = itemsize_of(result)
    cdef TensorImpl t
    if result._numel == 0:
        return 0
    for k, t in enumerate((result, condition, a, b)):
        check_reach(t, "where")
        byte_strides_of(t, strides[k])
        data[k] = data_of(t)
        blocks[k] = t._storage.block
    for d in range(ndim):
        sizes[d] = sizes_of(result)[d]
    if result._numel < GIL_NUMEL:
        engine.mask_choose(ndim, sizes, itemsize, data[0], strides[0], data[1], strides[1], data[2], strides[2],
                           data[3], strides[3])
        return 0
    for k in range(4):
        engine.block_retain(blocks[k])
    with nogil:
        engine.mask_choose(ndim, sizes, itemsize, data[0], strides[0], data[1], strides[1], data[2], strides[2],
                           data[3], strides[3])
    for k in range(4):
        engine.block_release(blocks[k])
    return 0


cdef object where_value(object value, str name):
    if isinstance(value, TensorImpl):
        return value
    number = number_arg(value, "where", name)
    if number is None:
        raise TypeError(f"where: argument '{name}' must be a Tensor or a number, not {type(value).__name__}")
    return number


cdef bint takes_choices(object out, TensorImpl condition, TensorImpl a, TensorImpl b, int64_t ndim,
                        const int64_t *sizes) except -1:
    """Whether out can be written in place: it fits as it is, and shares memory with no operand. What can't, or is no
    out at all, is for `delivered` to copy to or to refuse."""
    cdef TensorImpl to
    if not isinstance(out, TensorImpl):
        return False
    to = <TensorImpl>out
    if to._dtype != a._dtype or to._bits or to._ss.ndim != ndim:
        return False
    if memcmp(sizes_of(to), sizes, ndim * sizeof(int64_t)) != 0:
        return False
    if may_share(to, condition) or may_share(to, a) or may_share(to, b):
        return False
    check_writable(to, "where")
    refuse_self_overlap(to, "where")
    return True


cdef TensorImpl chosen(object condition_, object input, object other, object out):
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t ndim
    cdef TensorImpl condition = tensor_arg(condition_, "where", "condition")
    cdef TensorImpl a, b, result
    cdef sc_dtype dtype
    cdef bint straight
    input, other = where_value(input, "input"), where_value(other, "other")
    if condition._dtype == SC_UINT8:
        import warnings
        warnings.warn("where: a uint8 condition is deprecated; use condition.bool()", UserWarning, stacklevel=1)
        condition = converted(condition, SC_BOOL, PRESERVE)
    if condition._dtype != SC_BOOL:
        raise RuntimeError("where: expected condition to be a boolean tensor, but got a tensor with dtype "
                           f"{dtype_of(<sc_dtype>condition._dtype).name}")
    dtype = result_dtype((input, other))
    a, b = branch(input, dtype), branch(other, dtype)
    ndim = broadcast_sizes([condition, a, b], sizes, "where")
    straight = out is not None and takes_choices(out, condition, a, b, ndim, sizes)
    if straight:
        result = alias_of(<TensorImpl>out)    # a layout that nobody can change meanwhile
    else:
        result = result_of("where", [condition, a, b], dtype, ndim, sizes)
    choose(result, spread(condition, ndim, sizes, "where"), spread(a, ndim, sizes, "where"),
           spread(b, ndim, sizes, "where"))
    return <TensorImpl>out if straight else delivered(result, out, "where")
