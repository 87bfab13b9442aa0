from stridecore.core.engine cimport sc_dtype

# The smallest dtype that a and b both convert to; RuntimeError where torch defines none.
cdef sc_dtype promote(sc_dtype a, sc_dtype b) except *
