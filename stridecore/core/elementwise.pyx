"""Elementwise results: their layout, and NumPy's ufuncs over tensors' memory.

A result is laid out as torch's TensorIterator does it:

    all operands of one shape and contiguous          contiguous
    all of one shape and channels_last                channels_last
    all of one shape, dense and of equal strides      the same strides
    otherwise                                         dense, the dims ordered by the strides of the first operand
                                                      that tells two dims apart
"""
from libc.stdint cimport int64_t, uint64_t

from stridecore.core.args cimport as_dtype
from stridecore.core.dtype cimport dtype_of
from stridecore.core.engine cimport *
from stridecore.core.ndarray cimport borrowed_array
from stridecore.core.size cimport list_from
from stridecore.core.tensor_impl cimport *


cdef int broadcast(list operands, int64_t *sizes, str function) except -1:
    """The broadcast sizes of the operands; returns their number of dims."""
    cdef int64_t ndim = 0, d, at
    cdef TensorImpl t
    for t in operands:
        ndim = max(ndim, t._ss.ndim)
    for d in range(ndim):
        sizes[d] = 1
    for t in operands:
        for d in range(t._ss.ndim):
            at = ndim - t._ss.ndim + d
            if sizes_of(t)[d] == sizes[at] or sizes_of(t)[d] == 1:
                continue
            if sizes[at] != 1:
                raise RuntimeError(
                    f"{function}: The size of tensor a ({sizes[at]}) must match the size of tensor b "
                    f"({sizes_of(t)[d]}) at non-singleton dimension {at}: can't broadcast "
                    + " and ".join([str(list((<TensorImpl>each).sizes())) for each in operands]))
            sizes[at] = sizes_of(t)[d]
    return <int>ndim


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


cdef uint64_t step(TensorImpl t, int64_t ndim, int64_t dim) noexcept:
    """The bytes between neighbours of the broadcast result's dim `dim` in t; 0 where t is broadcast."""
    cdef int64_t d = dim - (ndim - t._ss.ndim)
    if d < 0:
        return 0
    return sc_magnitude(strides_of(t)[d]) * <uint64_t>itemsize_of(t)


cdef int order_of(list operands, int64_t ndim, const int64_t *sizes, int64_t outer, int64_t inner) except -2:
    """1 if dim `outer` must lie further in than `inner`, -1 if it must not, 0 if no operand tells."""
    cdef uint64_t a, b
    cdef TensorImpl t
    for t in operands:
        a, b = step(t, ndim, inner), step(t, ndim, outer)
        if sizes[inner] != 1 and inner_size(t, ndim, inner) == 1:
            a = 0
        if sizes[outer] != 1 and inner_size(t, ndim, outer) == 1:
            b = 0
        if a == 0 or b == 0:
            continue
        if a < b:
            return -1
        if a > b or sizes[inner] > sizes[outer]:
            return 1
    return 0


cdef int64_t inner_size(TensorImpl t, int64_t ndim, int64_t dim) noexcept:
    cdef int64_t d = dim - (ndim - t._ss.ndim)
    return 1 if d < 0 else sizes_of(t)[d]


cdef int ordered_strides(list operands, int64_t ndim, const int64_t *sizes, int64_t *strides) except -1:
    """Dense strides with the dims in the order of the operands' strides."""
    cdef int64_t order[SC_MAX_NDIM]    # innermost first
    cdef int64_t i, j, at, product = 1
    cdef int decision
    cdef bint plain = True
    for i in range(ndim):
        order[i] = ndim - 1 - i
        at = i
        j = i - 1
        while j >= 0:
            decision = order_of(operands, ndim, sizes, order[at], order[j])
            if decision < 0:
                break
            if decision > 0:
                order[j], order[at] = order[at], order[j]
                at = j
            j -= 1
    for i in range(ndim):
        plain = plain and order[i] == ndim - 1 - i
    if plain:
        return sc_contiguous_strides(ndim, sizes, strides)
    for i in range(ndim):
        strides[order[i]] = product
        if not sc_mul(product, sizes[order[i]], &product):
            return 0
    return 1


cpdef TensorImpl result_like(str function, list operands, dtype):
    """A new tensor of `dtype`, of unspecified values, for the elementwise result of these tensors.

    Its sizes are the broadcast ones, its strides torch's; it is of the first operand's type.
    """
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t ndim = broadcast(operands, sizes, function)
    cdef sc_dtype code = as_dtype(dtype, SC_FLOAT32, function)
    if not share_layout(operands, ndim, sizes, strides) and not ordered_strides(operands, ndim, sizes, strides):
        raise RuntimeError(f"{function}: Stride calculation overflowed with sizes {list_from(ndim, sizes)}")
    return typed_as(tensor_new_strided(code, ndim, sizes, strides), operands[0])


def apply(str function, ufunc, tuple inputs not None, TensorImpl out not None):
    """ufunc(*inputs, out=out) over the memory of the tensors among the inputs and of `out`; returns `out`.

    All dtypes are NumPy's and no lazy bits are set; Python numbers pass as they are. The storages can't be resized
    meanwhile, and can again afterwards. RuntimeError if `out` is read-only or reaches one place by two indices.
    """
    cdef TensorImpl t
    cdef list pinned = [out]
    cdef int64_t byte_strides[SC_MAX_NDIM]
    check_writable(out, function)
    if out._numel > 1:
        byte_strides_of(out, byte_strides)
        if self_overlaps(out._ss.ndim, sizes_of(out), byte_strides, itemsize_of(out)):
            raise RuntimeError(f"{function}: unsupported operation: more than one element of the written-to tensor "
                               "refers to a single memory location. Please clone() the tensor before performing the "
                               "operation")
    arrays = []
    for value in inputs:
        if isinstance(value, TensorImpl):
            pinned.append(value)
            value = borrowed_array(<TensorImpl>value, function)
        arrays.append(value)
    target = borrowed_array(out, function)
    storages = [t._storage for t in pinned]
    for storage in storages:
        (<StorageImpl>storage).pins += 1
    try:
        ufunc(*arrays, out=target, casting="unsafe")
    finally:
        for storage in storages:
            (<StorageImpl>storage).pins -= 1
    return out
