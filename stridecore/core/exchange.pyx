"""Exchange: the same memory as a NumPy array, a buffer or a DLPack capsule."""
cimport cython


@cython.no_gc
cdef class TensorExchange(TensorIndexing):
    """The doors to other libraries."""
