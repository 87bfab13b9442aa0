from stridecore.core.indexing cimport TensorIndexing


cdef class TensorExchange(TensorIndexing):
    pass
