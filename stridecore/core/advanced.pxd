from stridecore.core.tensor_impl cimport TensorImpl

# x[key] and x[key] = value where key holds index tensors, lists, arrays or masks.
cdef TensorImpl advanced_get(TensorImpl self, object key)
cdef int advanced_set(TensorImpl self, object key, object value) except -1
