from stridecore.core.exchange cimport TensorExchange


cdef class TensorBase(TensorExchange):
    pass
