from stridecore.core.copy cimport TensorCopies


cdef class TensorReshapes(TensorCopies):
    pass
