from libc.stdint cimport int64_t
from stridecore.core.permute cimport TensorPermutations
from stridecore.core.tensor_impl cimport TensorImpl


cdef class TensorParts(TensorPermutations):
    pass


# The dim is wrapped already; all else is checked here.
cdef TensorImpl selected(TensorImpl t, int64_t dim, int64_t index, str function)
cdef TensorImpl narrowed(TensorImpl t, int64_t dim, int64_t start, int64_t length, str function)
# Moves a view's offset; an offset before the storage, which only a view without elements can get, becomes 0.
cdef int advance(TensorImpl view, int64_t steps, int64_t stride, str function) except -1
