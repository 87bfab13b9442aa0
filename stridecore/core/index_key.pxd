from libc.stdint cimport int64_t
from stridecore.core.engine cimport *
from stridecore.core.tensor_impl cimport TensorImpl


# What a key with index tensors asks for: a view, and index tensors for some of its dims.
cdef class IndexKey:
    cdef TensorImpl view
    cdef list tensors                       # bool and uint8 of at least 1 dim are masks, int64 and int32 are indices
    cdef int64_t dims[SC_MAX_NDIM]          # of the view: where each of them starts
    cdef bint nothing                       # a False among the indices of index_put_

cdef IndexKey read_key(TensorImpl self, object key)
# For each index its dim; masks replaced by the coordinates of their true places. Masks of the wrong shape: IndexError.
cdef int expand_masks(IndexKey key) except -1
cdef bint is_mask(TensorImpl t) noexcept
# The mask, if it is all there is and covers the whole view; else None.
cdef TensorImpl whole_mask(IndexKey key)
cdef int check_mask(TensorImpl mask, TensorImpl view, int64_t dim) except -1
# Coordinates of the true places of a bool or uint8 tensor: int64, size (count, ndim), strides (1, count).
cdef TensorImpl places_of(TensorImpl mask, str function)
cdef int64_t count_of(TensorImpl mask, str function) except -1
cdef TensorImpl as_index_tensor(object part)
