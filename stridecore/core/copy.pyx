"""Copies: everything that moves elements goes through the engine's copy plan."""
cimport cython


@cython.no_gc
cdef class TensorCopies(TensorViews):
    """The methods that copy elements."""
