from stridecore.core.ndarray cimport TensorNdarray
from stridecore.core.tensor_impl cimport TensorImpl


cdef class TensorDlpack(TensorNdarray):
    pass


# A tensor over the memory of a DLPack capsule, which is used up.
cdef TensorImpl tensor_of_capsule(object capsule, str function)
