from stridecore.core.tensor_impl cimport TensorImpl


# torch.cat of a tuple of tensors along dim, into `out` unless that is None.
cdef TensorImpl joined(tuple tensors, object dim, object out, str function)
# torch.stack: joined along a new dim.
cdef TensorImpl stacked(tuple tensors, object dim, object out, str function)
