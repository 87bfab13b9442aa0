from stridecore.core.masks cimport TensorMasks


cdef class TensorScatters(TensorMasks):
    pass
