from libc.stdint cimport int64_t
from stridecore.core.engine cimport *
from stridecore.core.tensor_impl cimport TensorImpl


# The sizes to which all tensors broadcast; returns how many. RuntimeError if there are none.
cdef int64_t broadcast_sizes(list tensors, int64_t *sizes, str function) except -1
# The tensor itself if it has these sizes, otherwise expanded.
cdef TensorImpl spread(TensorImpl t, int64_t ndim, const int64_t *sizes, str function)
# input where the condition is true, other elsewhere; new or in out.
cdef TensorImpl chosen(object condition, object input, object other, object out)
# A new tensor for the elementwise result of these operands, whose broadcast sizes are given, laid out as torch does it.
cdef TensorImpl result_of(str function, list operands, sc_dtype dtype, int64_t ndim, const int64_t *sizes)
