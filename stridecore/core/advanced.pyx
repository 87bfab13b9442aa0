"""Indexing with tensors, lists, arrays and masks."""


cdef TensorImpl advanced_get(TensorImpl self, object key):
    raise NotImplementedError("indexing with tensors, lists and masks")


cdef int advanced_set(TensorImpl self, object key, object value) except -1:
    raise NotImplementedError("indexing with tensors, lists and masks")
