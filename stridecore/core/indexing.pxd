from stridecore.core.items cimport TensorItems
from stridecore.core.tensor_impl cimport TensorImpl


cdef class TensorIndexing(TensorItems):
    pass


# The view that ints, slices, None and Ellipsis select; None when `key` asks for a gather (see advanced.pyx).
cdef TensorImpl basic_view(TensorImpl self, object key)
