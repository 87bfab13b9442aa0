from libc.stdint cimport int64_t
from stridecore.core.engine cimport *
from stridecore.core.tensor_impl cimport TensorImpl


# The elements where the mask, of the same size, is true; not yet of the source's type.
cdef TensorImpl compressed(TensorImpl source, TensorImpl mask, str function)
# The reverse: the elements of a 1-dim value, as many as the mask has true places, to those places. All is checked.
cdef int expand_into(TensorImpl target, TensorImpl mask, TensorImpl value, str function) except -1
# target = number where the mask, which covers some dims of target from `dim` on, is true.
cdef int fill_masked(TensorImpl target, TensorImpl mask, int64_t dim, object number, int mode, str function) except -1
# A UserWarning if elements of the target share memory.
cdef int warn_overlap(TensorImpl target, str function) except -1
