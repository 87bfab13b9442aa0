from stridecore.core.index_writes cimport TensorIndexWrites


cdef class TensorScatters(TensorIndexWrites):
    pass
