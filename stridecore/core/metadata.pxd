from stridecore.core.tensor_impl cimport TensorImpl


cdef class TensorMetadata(TensorImpl):
    pass


cdef TensorImpl as_tensor_arg(object value, str function, str name)
