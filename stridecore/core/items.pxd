from stridecore.core.copy cimport TensorCopies


cdef class TensorItems(TensorCopies):
    pass
