from libc.stdint cimport int64_t
from stridecore.core.reinterpret cimport TensorReinterpretations
from stridecore.core.tensor_impl cimport TensorImpl


cdef class TensorPermutations(TensorReinterpretations):
    pass


# The dims are wrapped already.
cdef TensorImpl transposed(TensorImpl t, int64_t dim0, int64_t dim1)
cdef TensorImpl permuted(TensorImpl t, const int64_t *dims)
