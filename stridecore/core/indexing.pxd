from libc.stdint cimport int64_t
from stridecore.core.items cimport TensorItems
from stridecore.core.tensor_impl cimport TensorImpl


cdef class TensorIndexing(TensorItems):
    pass


# The view that ints, slices, None and Ellipsis select; None when `key` asks for a gather (see advanced.pyx).
cdef TensorImpl basic_view(TensorImpl self, object key)

# What a part of a key is.
cdef enum:
    INT = 0
    SLICE = 1
    NEW_AXIS = 2
    ELLIPSIS = 3
    GATHER_PART = 4    # a tensor, list, array or bool: not a view

cdef int kind_of_part(object part) except -1
# `value` less its leading size-1 dims, as long as it has more than `ndim`.
cdef TensorImpl without_leading_ones(TensorImpl value, int64_t ndim)
# view[...] = value
cdef int assign(TensorImpl view, object value) except -1
cdef int refuse_value(TensorImpl self, object value) except -1

# Reading and writing by keys that are no views; advanced.pyx says how.
ctypedef TensorImpl (*gather_get)(TensorImpl self, object key)
ctypedef int (*gather_set)(TensorImpl self, object key, object value) except -1
cdef void use_for_gathers(gather_get get, gather_set set) noexcept
