from stridecore.core.engine cimport *
from stridecore.core.indexing cimport TensorIndexing
from stridecore.core.tensor_impl cimport TensorImpl


cdef class TensorGathers(TensorIndexing):
    pass
