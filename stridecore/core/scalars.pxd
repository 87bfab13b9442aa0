from stridecore.core.engine cimport sc_dtype
from stridecore.core.tensor_impl cimport TensorImpl

# How strictly write_item takes a number that the dtype can't hold.
cdef enum:
    FILL = 0      # as fill_ and full: beyond the largest finite value is an error for every dtype
    ASSIGN = 1    # as x[...] = value: float16, bfloat16 and float8 round to infinity or their maximum

cdef object read_item(sc_dtype dtype, const char *item, int bits)
cdef int write_item(sc_dtype dtype, char *item, int bits, object value, int mode, str function) except -1
cdef object plain_number(object value)
