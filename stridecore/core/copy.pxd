from stridecore.core.engine cimport sc_dtype
from stridecore.core.tensor_impl cimport TensorImpl
from stridecore.core.views cimport TensorViews

# memory formats
cdef enum:
    PRESERVE = 0
    CONTIGUOUS_FORMAT = 1
    CHANNELS_LAST = 2
    CHANNELS_LAST_3D = 3


cdef class TensorCopies(TensorViews):
    pass


cdef int copy_into(TensorImpl dst, TensorImpl src, str function) except -1
cdef int fill_with(TensorImpl dst, object value, str function) except -1
cdef TensorImpl empty_like(TensorImpl source, sc_dtype dtype, int memory_format)
cdef TensorImpl converted(TensorImpl source, sc_dtype dtype, int memory_format)
cdef int as_memory_format(object value, int default, str function) except -1
