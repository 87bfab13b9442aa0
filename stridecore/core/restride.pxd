from stridecore.core.views cimport TensorViews


cdef class TensorRestrides(TensorViews):
    pass
