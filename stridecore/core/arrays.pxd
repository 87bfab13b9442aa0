# NumPy's arrays and scalars, read through the buffer protocol; NumPy is never imported here.
from stridecore.core.tensor_impl cimport TensorImpl

# True for a numpy.ndarray, a numpy.generic.
cdef bint is_array(object data)
cdef bint is_array_scalar(object data)
# The sc_dtype of an array or array scalar. TypeError for one that has no counterpart, ValueError for foreign byte order.
cdef int dtype_of_array(object array) except -1
# A new tensor with the elements of an array or array scalar, its layout kept where it has no gaps, converted to
# `dtype` unless that is negative.
cdef TensorImpl tensor_from_array(object array, int dtype)
