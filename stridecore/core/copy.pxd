from stridecore.core.engine cimport sc_dtype, sc_status
from stridecore.core.restride cimport TensorRestrides
from stridecore.core.tensor_impl cimport TensorImpl


cdef class TensorCopies(TensorRestrides):
    pass


# dst[...] = src, src broadcast to dst's sizes (its leading size-1 dims too must exist in dst); any overlap, any dtypes.
cdef int copy_into(TensorImpl dst, TensorImpl src, str function) except -1
# Every element of dst = the number, or the 0-dim tensor, `value`; mode as write_item's.
cdef int fill_with(TensorImpl dst, object value, int mode, str function) except -1
# What a status of the engine other than SC_OK means for a copy to dst.
cdef int raise_status(sc_status status, TensorImpl dst, str function) except -1
# Warn, once a process, that imaginary parts are lost.
cdef int warn_complex() except -1
# New tensors of source's type and sizes; the layout follows the memory format.
cdef TensorImpl empty_like(TensorImpl source, sc_dtype dtype, int memory_format)
cdef TensorImpl converted(TensorImpl source, sc_dtype dtype, int memory_format)
# The tensor itself where it has this layout already, otherwise a copy; a self that is returned keeps its lazy bits.
cdef TensorImpl contiguous_of(TensorImpl source, int memory_format)
