from libc.stdint cimport int64_t
from stridecore.core.tensor_impl cimport TensorImpl
from stridecore.core.views cimport TensorViews


cdef class TensorRestrides(TensorViews):
    pass


# The strides of a new tensor of these sizes in a memory format other than preserve_format.
cdef int fresh_strides(int64_t ndim, const int64_t *sizes, int memory_format, int64_t *strides, str function) except -1
# The memory format that preserve_format stands for, as torch suggests it.
cdef int suggested_format(TensorImpl t) noexcept
