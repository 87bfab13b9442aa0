from stridecore.core.dlpack cimport TensorDlpack


cdef class TensorExchange(TensorDlpack):
    pass
