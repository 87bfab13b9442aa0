"""What the core knows of sparse tensors: a tensor that has sizes and a dtype but no memory, and the class of those.

Their elements are kept by the Python class (stridecore/sparse.py). A tensor without memory is safe everywhere: each
door to data compares what the tensor reaches with its storage, which is empty, and raises RuntimeError.
"""
from libc.stdint cimport int64_t

from stridecore.core.args cimport as_dtype, as_ints
from stridecore.core.engine cimport *
from stridecore.core.tensor_impl cimport *


def without_memory(cls, dtype, size):
    """An instance of `cls` with these sizes, strides of 0 and an empty storage; RuntimeError for negative sizes."""
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t none = 0, d
    cdef int64_t ndim = as_ints(size, "sparse_coo_tensor", "size", sizes)
    cdef TensorImpl t
    check_sizes(ndim, sizes, "sparse_coo_tensor")
    for d in range(ndim):
        strides[d] = 0
    t = as_class(tensor_new(as_dtype(dtype, SC_FLOAT32, "sparse_coo_tensor"), 1, &none, False), cls,
                 "sparse_coo_tensor")
    set_layout(t, 0, ndim, sizes, strides, "sparse_coo_tensor")
    return t
