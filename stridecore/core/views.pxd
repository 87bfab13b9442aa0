from libc.stdint cimport int64_t
from stridecore.core.engine cimport sc_view_conflict
from stridecore.core.splits cimport TensorSplits
from stridecore.core.tensor_impl cimport TensorImpl


cdef class TensorViews(TensorSplits):
    pass


# Dims are wrapped already; all else is checked here.
cdef TensorImpl unsqueezed(TensorImpl t, int64_t dim)
cdef TensorImpl expanded(TensorImpl t, int64_t ndim, const int64_t *sizes, str function)
# The view of these sizes, one of which may be -1 and is filled in. Where it would need a copy: None (and *conflict says
# why), or for must_view a RuntimeError.
cdef TensorImpl viewed(TensorImpl t, int64_t ndim, int64_t *sizes, sc_view_conflict *conflict, str function)
cdef TensorImpl must_view(TensorImpl t, int64_t ndim, int64_t *sizes, str function)
cdef TensorImpl strided_view(TensorImpl t, object size, object stride, object storage_offset, str function)
cdef TensorImpl squeezed_by(TensorImpl t, object dim, tuple more, str function)
