from stridecore.core.views cimport TensorViews


cdef class TensorCopies(TensorViews):
    pass
