from stridecore.core.tensor_impl cimport TensorImpl


cdef class TensorMetadata(TensorImpl):
    pass


cdef TensorImpl as_tensor_arg(object value, str function, str name)
# True iff the elements lie in the order of this memory format without gaps.
cdef bint has_format(TensorImpl t, int format) noexcept
