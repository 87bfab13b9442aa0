"""A tensor and its typed storage, `storage()`, and tensors over a storage."""
cimport cython
from libc.stdint cimport int64_t

from stridecore.core.args cimport as_int, as_ints
from stridecore.core.dtype cimport dtype, dtype_of
from stridecore.core.engine cimport *
from stridecore.core.size cimport tuple_from
from stridecore.core.storage cimport StorageImpl
from stridecore.core.storage_faces cimport storage_method, typed_face
from stridecore.core.tensor_impl cimport *


@cython.no_gc
cdef class TensorExchange(TensorDlpack):
    """The way from a tensor to its storage."""

    def _typed_storage(self):
        """storage(), without its warning."""
        return typed_face(self._storage, <sc_dtype>self._dtype)


@cython.final
cdef class StorageAttribute:
    """storage(): the elements under the tensor, from the storage's start.

    The same object for every view of one storage that has this dtype, as is the method itself: of tensors that share
    memory `id(a.storage) == id(b.storage)`. Warns once, as torch does: it means to keep untyped storages only.

    >>> import stridecore as sc
    >>> x = sc.arange(6).view(2, 3)
    >>> x[1].storage()[0], x[1].storage() is x.storage()
    (0, True)
    """

    def __get__(self, tensor, owner):
        if tensor is None:
            return self
        return storage_method((<TensorImpl?>tensor)._storage, <sc_dtype>(<TensorImpl>tensor)._dtype)

    def __call__(self, TensorImpl tensor not None):
        return storage_method(tensor._storage, <sc_dtype>tensor._dtype)()

    @property
    def __name__(self):
        return "storage"

    @property
    def __qualname__(self):
        return "Tensor.storage"


def tensor_on(StorageImpl storage not None, dtype dtype not None, storage_offset, sizes, strides, int bits=0, cls=None):
    """A tensor, not a view, of this layout over an existing storage; the geometry is checked (RuntimeError).

    `bits` are those of a lazily conjugated (1) or negated (2) tensor, `cls` is Tensor or a subclass.
    """
    cdef int64_t size[SC_MAX_NDIM]
    cdef int64_t stride[SC_MAX_NDIM]
    cdef int64_t ndim = as_ints(sizes, "tensor_on", "sizes", size)
    if as_ints(strides, "tensor_on", "strides", stride) != ndim:
        raise RuntimeError(f"tensor_on: {ndim} sizes but {len(strides)} strides")
    if bits & ~(SC_CONJ | SC_NEG) or bits and not sc_is_complex(dtype.code) and (bits & SC_CONJ or not
                                                                                 sc_is_floating_point(dtype.code)):
        raise RuntimeError(f"tensor_on: bits {bits} don't go with {dtype!r}")
    cdef TensorImpl t = tensor_over(storage, dtype.code, as_int(storage_offset, "tensor_on", "storage_offset"), ndim,
                                    size, stride, "tensor_on")
    t._bits = bits
    return t if cls is None else as_class(t, cls, "tensor_on")


def tensor_state(TensorImpl t not None):
    """(storage, dtype, storage_offset, sizes, strides, bits): what tensor_on makes an equal tensor of."""
    return (t._storage, dtype_of(<sc_dtype>t._dtype), t._storage_offset, tuple_from(t._ss.ndim, sizes_of(t)),
            tuple_from(t._ss.ndim, strides_of(t)), t._bits)
