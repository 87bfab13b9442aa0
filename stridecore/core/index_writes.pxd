from stridecore.core.masks cimport TensorMasks


cdef class TensorIndexWrites(TensorMasks):
    pass
