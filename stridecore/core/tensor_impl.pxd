# c10's TensorImpl: a storage seen through sizes, strides and an offset.
from libc.stdint cimport int64_t, uint8_t
from stridecore.core.engine cimport *
from stridecore.core.storage cimport StorageImpl, READONLY, refuse_readonly


# TensorImpl._cache
cdef enum:
    CONTIGUOUS_KNOWN = 1
    CONTIGUOUS = 2


cdef class TensorImpl:
    cdef StorageImpl _storage
    cdef object _root               # for a view: the tensor that it is a view of, never itself a view; else None
    cdef object __weakref__
    cdef int64_t _storage_offset    # in elements
    cdef int64_t _numel
    cdef uint8_t _dtype             # sc_dtype
    cdef uint8_t _bits              # SC_CONJ | SC_NEG
    cdef uint8_t _cache
    cdef uint8_t _warned
    cdef sc_sizes_strides _ss


# ---- reading: inline, no GIL needed, unchecked ------------------------------------------------------------

cdef inline int64_t ndim_of(TensorImpl t) noexcept nogil:
    return t._ss.ndim

cdef inline int64_t *sizes_of(TensorImpl t) noexcept nogil:
    return sc_ss_sizes(&t._ss)

cdef inline int64_t *strides_of(TensorImpl t) noexcept nogil:
    """In elements."""
    return sc_ss_strides(&t._ss)

cdef inline void put_layout(TensorImpl t, const int64_t *sizes, const int64_t *strides) noexcept nogil:
    """Copy in the sizes and strides of a tensor whose ndim is set (a loop: dims are few, and a call to memcpy isn't)."""
    cdef int64_t d
    cdef int64_t *to_sizes = sc_ss_sizes(&t._ss)
    cdef int64_t *to_strides = sc_ss_strides(&t._ss)
    for d in range(t._ss.ndim):
        to_sizes[d] = sizes[d]
        to_strides[d] = strides[d]

cdef inline int64_t storage_offset_of(TensorImpl t) noexcept nogil:
    """In elements."""
    return t._storage_offset

cdef inline int64_t numel_of(TensorImpl t) noexcept nogil:
    return t._numel

cdef inline int64_t itemsize_of(TensorImpl t) noexcept nogil:
    return sc_itemsize(<sc_dtype>t._dtype)

cdef inline char *data_of(TensorImpl t) noexcept nogil:
    """The address of the element at index (0, ..., 0). Valid only after check_reach."""
    return t._storage.block.data + t._storage_offset * itemsize_of(t)

cdef inline bint is_contiguous(TensorImpl t) noexcept nogil:
    """True iff the elements lie in row-major order without gaps."""
    if not t._cache & CONTIGUOUS_KNOWN:
        t._cache |= CONTIGUOUS_KNOWN | (CONTIGUOUS if sc_is_contiguous(t._ss.ndim, sizes_of(t), strides_of(t)) else 0)
    return (t._cache & CONTIGUOUS) != 0

cdef inline bint offset_of(TensorImpl t, const int64_t *index, int64_t *offset) noexcept nogil:
    """storage_offset + sum of index * stride, in elements; false when an index is out of range."""
    cdef int64_t d
    cdef int64_t *sizes = sizes_of(t)
    for d in range(t._ss.ndim):
        if index[d] < 0 or index[d] >= sizes[d]:
            return False
    return sc_offset_of(t._ss.ndim, strides_of(t), t._storage_offset, index, offset)

cdef inline void byte_strides_of(TensorImpl t, int64_t *byte_strides) noexcept nogil:
    """The strides in bytes, 0 for size-1 dims. Requires numel > 0 (then they fit: the geometry was checked)."""
    cdef int64_t d
    cdef int64_t *sizes = sizes_of(t)
    cdef int64_t *strides = strides_of(t)
    cdef int64_t itemsize = itemsize_of(t)
    for d in range(t._ss.ndim):
        byte_strides[d] = strides[d] * itemsize if sizes[d] > 1 else 0


# ---- doors to data ------------------------------------------------------------------------------------------

cdef int check_reach(TensorImpl t, str function) except -1
cdef inline int check_writable(TensorImpl t, str function) except -1:
    """Before any write: the memory is writable and still as long as the tensor needs."""
    if t._storage.flags & READONLY:
        refuse_readonly(function)
    return check_reach(t, function)


# ---- making -------------------------------------------------------------------------------------------------

cdef TensorImpl tensor_new(sc_dtype dtype, int64_t ndim, const int64_t *sizes, bint zeroed)
cdef TensorImpl tensor_new_strided(sc_dtype dtype, int64_t ndim, const int64_t *sizes, const int64_t *strides)
cdef TensorImpl tensor_over(StorageImpl storage, sc_dtype dtype, int64_t storage_offset, int64_t ndim,
                            const int64_t *sizes, const int64_t *strides, str function)
cdef TensorImpl typed_as(TensorImpl fresh, TensorImpl source)
cdef TensorImpl as_class(TensorImpl fresh, object cls, str function)
cdef TensorImpl view_of(TensorImpl source, int64_t ndim)
cdef TensorImpl alias_of(TensorImpl source)
cdef TensorImpl scalar_view(TensorImpl source, int64_t storage_offset)
cdef int set_numel(TensorImpl t, str function) except -1
cdef int set_layout(TensorImpl t, int64_t storage_offset, int64_t ndim, const int64_t *sizes, const int64_t *strides,
                    str function) except -1
cdef int check_sizes(int64_t ndim, const int64_t *sizes, str function) except -1
cdef int check_geometry(StorageImpl storage, int64_t itemsize, int64_t storage_offset, int64_t ndim,
                        const int64_t *sizes, const int64_t *strides, str function) except -1
