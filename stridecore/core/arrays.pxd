# NumPy's arrays and scalars; NumPy is never loaded here.
from libc.stdint cimport int64_t
from stridecore.core.engine cimport SC_MAX_NDIM, sc_dtype


# The elements of an array, or of an array scalar: strides in elements, of any sign.
cdef struct ArrayView:
    void *data
    sc_dtype dtype
    bint readonly
    int64_t ndim
    int64_t sizes[SC_MAX_NDIM]
    int64_t strides[SC_MAX_NDIM]


# True for a numpy.ndarray, a numpy.generic such as numpy.float32(1).
cdef bint is_array(object data) except -1
cdef bint is_array_scalar(object data) except -1
# The sc_dtype of an array or array scalar. TypeError for one without counterpart, ValueError for foreign byte order.
cdef int dtype_of_array(object array) except -1
# Describe an array's memory in `view`; returns what keeps that memory. TypeError for a dtype that has no counterpart,
# ValueError for foreign byte order and for strides that are not a whole number of elements.
cdef object read_array(object array, ArrayView *view, str function)
