"""Views: other sizes, strides and offset on the same storage."""
cimport cython


@cython.no_gc
cdef class TensorViews(TensorImpl):
    """The methods that return views."""
