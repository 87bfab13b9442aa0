from stridecore.core.operators cimport TensorOperators


cdef class TensorBase(TensorOperators):
    pass
