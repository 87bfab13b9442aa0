from stridecore.core.engine cimport sc_dtype
from stridecore.core.tensor_impl cimport TensorImpl

cdef object read_item(sc_dtype dtype, const char *item, int bits)
cdef int write_item(sc_dtype dtype, char *item, int bits, object value, str function) except -1
