from stridecore.core.copy cimport TensorCopies


cdef class TensorIndexing(TensorCopies):
    pass
