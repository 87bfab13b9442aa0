from stridecore.core.tensor_impl cimport TensorImpl

# A new tensor for the elementwise result of these tensors, with torch's layout.
cpdef TensorImpl result_like(str function, list operands, dtype)
