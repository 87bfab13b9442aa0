from libc.stdint cimport int64_t
from stridecore.core.engine cimport *
from stridecore.core.index_loop cimport Loop
from stridecore.core.tensor_impl cimport TensorImpl


# A reduction that is a sum divided by the number of its terms.
cdef enum:
    MEAN = 100

cdef TensorImpl target_of(TensorImpl self, str function, bint one_value=*)
cdef int settle(TensorImpl self, TensorImpl target, str function) except -1
cdef TensorImpl copy_of(TensorImpl self, int memory_format)
cdef TensorImpl fresh_copy(object input, str function)
cdef TensorImpl operand(object value, str function, str name)
cdef TensorImpl ready_source(TensorImpl source, TensorImpl target, str function)
cdef TensorImpl ready_index(TensorImpl index, TensorImpl target)
cdef TensorImpl item_of(sc_dtype dtype, object number, str function)
cdef int same_dtype(TensorImpl self, TensorImpl source, str function) except -1
cdef bint flag(object value, str function, str name) except -1

cdef int slice_loop(Loop *loop, TensorImpl target, int64_t dim, TensorImpl index, bint wraps, str function) except -1
cdef int element_loop(Loop *loop, TensorImpl target, int64_t dim, TensorImpl index, str function) except -1
cdef void plain_from(Loop *loop, TensorImpl source) noexcept

# The sc_reduction, or MEAN, of reduce="sum", "prod", ...
cdef int reduction_named(object name, bint with_sum, str function) except -1
cdef int check_reduction(TensorImpl self, int op, str function) except -1
# target = target op source along a loop of either kind, all operands ready.
cdef int reduce_into(TensorImpl target, int64_t dim, TensorImpl index, TensorImpl source, int op, bint include_self,
                     bint by_slice, object error, str function) except -1
