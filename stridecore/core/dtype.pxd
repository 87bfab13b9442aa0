from stridecore.core.engine cimport sc_dtype


cdef class dtype:
    cdef readonly str name
    cdef sc_dtype code


cdef dtype dtype_of(sc_dtype code)
cdef sc_dtype default_dtype() noexcept nogil
cdef sc_dtype default_complex_dtype() noexcept nogil
