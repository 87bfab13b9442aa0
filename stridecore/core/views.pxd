from stridecore.core.tensor_impl cimport TensorImpl


cdef class TensorViews(TensorImpl):
    pass
