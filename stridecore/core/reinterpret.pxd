from stridecore.core.engine cimport sc_dtype
from stridecore.core.metadata cimport TensorMetadata
from stridecore.core.tensor_impl cimport TensorImpl


cdef class TensorReinterpretations(TensorMetadata):
    pass


# The same bytes as elements of another dtype; not a view in the sense of _base.
cdef TensorImpl viewed_as(TensorImpl t, sc_dtype dtype)
# Views with the lazy conjugate or negative bit flipped; conj_of gives a real tensor itself.
cdef TensorImpl conj_of(TensorImpl t)
cdef TensorImpl neg_view(TensorImpl t)
# Views of the parts of a complex tensor.
cdef TensorImpl parts_of(TensorImpl t, str function)
cdef TensorImpl real_of(TensorImpl t)
cdef TensorImpl imag_of(TensorImpl t)
cdef int overflowed(TensorImpl t, str function) except -1
