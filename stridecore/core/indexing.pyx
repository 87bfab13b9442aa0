"""Indexing: `x[...]` and `x[...] = value`."""
cimport cython


@cython.no_gc
cdef class TensorIndexing(TensorCopies):
    """Reading and writing by index."""
