from stridecore.core.reshape cimport TensorReshapes


cdef class TensorItems(TensorReshapes):
    pass
