# The arguments that the functions which make tensors share.
from libc.stdint cimport int64_t
from stridecore.core.engine cimport *
from stridecore.core.tensor_impl cimport TensorImpl


# Layout, device, pin_memory and requires_grad are what there is: strided, the CPU, no, no.
cdef int refuse_options(object layout, object device, object pin_memory, object requires_grad,
                        str function) except -1
cdef inline int check_options(object layout, object device, object pin_memory, object requires_grad,
                              str function) except -1:
    if layout is None and device is None and pin_memory is False and requires_grad is False:
        return 0
    return refuse_options(layout, device, pin_memory, requires_grad, function)

# The default of a positional argument that may be left out.
cdef object UNSET
# The sizes of `f(2, 3)`, `f((2, 3))` or `f(size=(2, 3))` into sizes (room for SC_MAX_NDIM); returns how many. The first
# positional argument, UNSET if there is none, stands apart from the rest: so most calls make no tuple of arguments.
cdef int64_t size_args(object first, tuple rest, object size, str function, int64_t *sizes) except -1
# The ints of a list or tuple argument into values; returns how many.
cdef int64_t size_list(object size, str function, str name, int64_t *values) except -1
# A number argument as bool, int, float or complex: Python's, NumPy's, or a 0-dim tensor's. TypeError otherwise.
cdef object as_number(object value, str function, str name)
# The dtype of full(size, number): bool, int64, the default dtype, or complex64 (complex128 beside float64).
cdef sc_dtype dtype_of_number(object number) noexcept
# An out= argument, checked: a tensor, of the dtype that was given if one was, writable.
cdef TensorImpl as_out(object out, object dtype, str function)
# Give an out= tensor these sizes: unchanged if it has them, else contiguous, on its storage grown where needed.
cdef int fit_out(TensorImpl out, int64_t ndim, const int64_t *sizes, str function) except -1
# True iff out is a tensor with elements and other sizes: a call that resizes it says so by warn_of_resize at its end.
cdef bint has_to_shrink_or_grow(object out, int64_t ndim, const int64_t *sizes) noexcept
