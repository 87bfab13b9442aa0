# Tensors from Python data: numbers, nested sequences of them, arrays.
from stridecore.core.engine cimport sc_dtype
from stridecore.core.tensor_impl cimport TensorImpl

# For from_data: take the dtype that the data suggests.
cdef enum:
    INFER = -1

# A new tensor with the values of `data`, which is not a tensor, of this dtype or of the one that the data suggests.
cdef TensorImpl from_data(object data, int dtype)
# A copy that keeps the layout where it has no gaps, and is a Tensor even if `source` is of a subclass.
cdef TensorImpl plain_copy(TensorImpl source, sc_dtype dtype)
