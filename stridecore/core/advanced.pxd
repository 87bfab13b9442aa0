from libc.stdint cimport int64_t
from stridecore.core.engine cimport *
from stridecore.core.index_key cimport IndexKey
from stridecore.core.scatter cimport TensorScatters
from stridecore.core.tensor_impl cimport TensorImpl


cdef class TensorAdvanced(TensorScatters):
    pass
