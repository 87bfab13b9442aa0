from stridecore.core.parts cimport TensorParts


cdef class TensorSplits(TensorParts):
    pass
