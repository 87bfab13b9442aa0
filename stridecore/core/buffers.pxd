from libc.stdint cimport int64_t
from stridecore.core.engine cimport sc_dtype
from stridecore.core.indexing cimport TensorIndexing
from stridecore.core.tensor_impl cimport TensorImpl


cdef class TensorBuffers(TensorIndexing):
    pass


# Sizes and byte strides as other libraries like them: strides that can't matter are those of a contiguous layout.
cdef void export_layout(TensorImpl t, Py_ssize_t *shape, Py_ssize_t *byte_strides) noexcept
# True iff the memory is read-only or the tensor reaches one place by two indices.
cdef bint export_readonly(TensorImpl t) noexcept
# A tensor, without a copy, over memory whose element (0, ..., 0) is at data; takes over the reference to the block
# made by `hold` of the spanned bytes. Strides may have any sign.
cdef TensorImpl tensor_over_memory(void *data, sc_dtype dtype, int64_t ndim, const int64_t *sizes,
                                   const int64_t *strides, object owner, bint readonly, str function)
cdef TensorImpl tensor_over_buffer(object source, str function)
