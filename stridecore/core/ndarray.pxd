from stridecore.core.buffers cimport TensorBuffers
from stridecore.core.tensor_impl cimport TensorImpl


cdef class TensorNdarray(TensorBuffers):
    pass


# True iff value is a numpy.ndarray; never loads NumPy.
cdef bint is_ndarray(object value) except -1
# A tensor over an array's memory, without a copy: the errors are from_numpy's.
cdef TensorImpl tensor_over_ndarray(object array, str function)
# The numpy.dtype of a dtype code; TypeError where there is none.
cdef object numpy_dtype(int code, str function)

cdef object borrowed_array(TensorImpl t, str function)
