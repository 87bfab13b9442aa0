from stridecore.core.ndarray cimport TensorNdarray


cdef class TensorExchange(TensorNdarray):
    pass
