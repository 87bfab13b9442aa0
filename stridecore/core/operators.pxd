from stridecore.core.exchange cimport TensorExchange


cdef class TensorOperators(TensorExchange):
    pass
