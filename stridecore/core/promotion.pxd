from stridecore.core.engine cimport sc_dtype

# The smallest dtype that a and b both convert to; RuntimeError where torch defines none.
cdef sc_dtype promote(sc_dtype a, sc_dtype b) except *
# The dtype of an operation on operands that are tensors and Python numbers.
cdef sc_dtype result_dtype(tuple operands) except *
# False where a value of dtype `source` would lose its kind in `target`.
cdef bint can_hold(sc_dtype target, sc_dtype source) noexcept nogil
