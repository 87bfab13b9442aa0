# One loop over two tensors, one of them addressed by index tensors: the engine's sc_indexed_loop being filled in.
from libc.stdint cimport int64_t
from stridecore.core.engine cimport *
from stridecore.core.tensor_impl cimport TensorImpl


cdef struct Loop:
    int64_t ndim
    int64_t sizes[SC_MAX_NDIM]
    int64_t plain_strides[SC_MAX_NDIM]      # in bytes, as all strides here
    int64_t indexed_strides[SC_MAX_NDIM]
    int64_t n
    sc_index indices[SC_MAX_NDIM]
    int64_t dims[SC_MAX_NDIM]               # of the indexed tensor: which one each index addresses, for messages
    int64_t index_strides[SC_MAX_NDIM][SC_MAX_NDIM]

# What a loop does.
cdef enum:
    GATHER = -2
    SCATTER = -1    # sc_reduction values reduce

# Adds an index tensor of int64 or int32 that addresses dim `dim` of `indexed`; returns its strides over the loop's dims,
# zeroed, for the caller to set.
cdef int64_t *add_index(Loop *loop, TensorImpl indexed, int64_t dim, TensorImpl index, bint wraps, str function) except NULL
# True unless the loop has no elements.
cdef bint has_elements(Loop *loop) noexcept
# Checks every index; error is the type that is raised.
cdef int check_loop(Loop *loop, object error, str function) except -1
# Runs a loop, without the GIL where it is long: `work` is GATHER, SCATTER or an sc_reduction. The index tensors come in
# the order in which they were added; none of the layouts has changed since.
cdef int run_loop(Loop *loop, TensorImpl plain, TensorImpl indexed, list index_tensors, int work, object error,
                  str function) except -1
# True if the two tensors may reach a common byte.
cdef bint may_share(TensorImpl a, TensorImpl b) noexcept
# RuntimeError if two indices of a tensor that is to be written reach one element.
cdef int refuse_self_overlap(TensorImpl t, str function) except -1
# `result`, which nobody else has seen, with its lazy bits resolved.
cdef TensorImpl resolved(TensorImpl result)
# The result in an out= tensor, which is resized to fit; RuntimeError for another dtype.
cdef TensorImpl delivered(TensorImpl result, object out, str function)
cdef TensorImpl tensor_arg(object value, str function, str name)
# An index argument: int64 or int32, else `error`.
cdef TensorImpl index_arg(object value, object error, str function)
cdef object number_arg(object value, str function, str name)
# The number that a number or a 0-dim tensor says; TypeError or RuntimeError for anything else.
cdef object fill_number(object value, str function, str name)
