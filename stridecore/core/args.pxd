from libc.stdint cimport int64_t
from stridecore.core.engine cimport sc_dtype

cdef int64_t as_int(object value, str function, str name) except? -1
cdef int64_t as_dim(object value, int64_t ndim, str function) except -1
cdef int64_t wrap_dim(int64_t dim, int64_t ndim, str function) except -1
cdef int64_t as_ints(object values, str function, str name, int64_t *out) except -1
cdef int64_t varargs_ints(tuple args, str function, str name, int64_t *out) except -1
cdef sc_dtype as_dtype(object value, sc_dtype default, str function) except *
