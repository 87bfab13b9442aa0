from libc.stdint cimport int64_t
from cpython.long cimport PyLong_CheckExact
from stridecore.core.engine cimport sc_dtype

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object value, int *overflow)

cdef int64_t as_int(object value, str function, str name) except? -1

cdef inline int64_t int_arg(object value, str function, str name) except? -1:
    """as_int, inline for plain ints."""
    cdef int overflow = 0
    cdef int64_t result
    if PyLong_CheckExact(value):
        result = PyLong_AsLongLongAndOverflow(value, &overflow)
        if overflow == 0:
            return result
    return as_int(value, function, name)

cdef inline int64_t wrapped(int64_t dim, int64_t ndim, str function) except -1:
    """wrap_dim, inline for dims in range."""
    if 0 <= dim < ndim:
        return dim
    if -ndim <= dim < 0:
        return dim + ndim
    return wrap_dim(dim, ndim, function)

cdef inline int64_t dim_arg(object value, int64_t ndim, str function) except -1:
    """as_dim, inline for plain ints in range. Of several arguments, read all before any is wrapped: reading may run
    Python code, which may change the tensor."""
    return wrapped(int_arg(value, function, "dim"), ndim, function)

cdef int64_t as_dim(object value, int64_t ndim, str function) except -1
cdef int64_t wrap_dim(int64_t dim, int64_t ndim, str function) except -1
cdef int64_t as_ints(object values, str function, str name, int64_t *out) except -1
cdef int64_t varargs_ints(tuple args, str function, str name, int64_t *out) except -1
cdef object UNSET    # the default of parameters for which None is not "nothing given"
cdef int64_t spread_args(object a, object b, object c, object d, tuple more, object keyword, str function, str name,
                         int64_t *out) except -1
cdef int64_t shape_args(object first, tuple more, str function, str name, int64_t *out) except -1
cdef sc_dtype as_dtype(object value, sc_dtype default, str function) except *
