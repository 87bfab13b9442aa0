"""`TensorBase`: the end of the chain of Cython classes under the Python class `Tensor`."""
cimport cython


@cython.no_gc
cdef class TensorBase(TensorExchange):
    """What a tensor answers without a Python frame."""
