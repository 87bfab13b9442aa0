"""`TensorBase`: the end of the chain of Cython classes under the Python class `Tensor`."""
cimport cython


@cython.no_gc
cdef class TensorBase(TensorOperators):
    """What a tensor answers without a Python frame."""
