"""The faces of a storage: it seen as elements of a dtype (`TypedStorage`), and the method `x.storage`."""
cimport cython
from cpython.object cimport PyObject

from stridecore.core.device cimport CPU
from stridecore.core.dtype cimport dtype, dtype_of
from stridecore.core.engine cimport *
from stridecore.core.storage cimport StorageFace, StorageImpl, face_of


cdef extern from *:
    """
    #include "../stridecore/core/object_pool.h"
    static sc_pool typed_pool, method_pool;
    """
    ctypedef struct PyTypeObject:
        pass
    ctypedef void (*destructor)(PyObject *) noexcept
    ctypedef struct sc_pool:
        pass
    sc_pool typed_pool, method_pool
    void sc_pool_free_generic(sc_pool *pool, PyObject *self)
    int sc_pool_install(sc_pool *pool, PyTypeObject *type, PyTypeObject *base, destructor dealloc)

cdef object typed_type = TypedStorageImpl
cdef object method_type = StorageMethodImpl
cdef bint warned_typed = False


@cython.no_gc
cdef class TypedStorageImpl(StorageFace):
    """A storage seen as elements of one dtype.

    A storage has at most one a dtype, so that `a.storage() is b.storage()` for views of one storage.
    """

    @property
    def dtype(self):
        """The type of the elements."""
        return dtype_of(<sc_dtype>self.code)

    @property
    def _dtype(self):
        return dtype_of(<sc_dtype>self.code)

    @property
    def _untyped_storage(self):
        return self.storage

    @property
    def _cdata(self):
        return <size_t><PyObject *>self.storage

    @property
    def device(self):
        """Where the memory is: the CPU's."""
        return CPU

    def untyped(self):
        """The bytes of this storage, as an UntypedStorage."""
        return self.storage

    def data_ptr(self):
        """The address of the first element; 0 for an empty storage."""
        return self.storage.data_ptr()

    def nbytes(self):
        """The storage's length in bytes."""
        return self.storage._nbytes

    def element_size(self):
        """The number of bytes of one element."""
        return sc_itemsize(<sc_dtype>self.code)

    def size(self):
        """The number of elements.

        >>> import stridecore as sc
        >>> sc.DoubleStorage([1, 2, 3]).size()
        3
        """
        return self.storage._nbytes // sc_itemsize(<sc_dtype>self.code)

    def __len__(self):
        return self.storage._nbytes // sc_itemsize(<sc_dtype>self.code)

    def resizable(self):
        """True unless the memory belongs to another object, is read-only, or was handed out, by numpy() for example."""
        return self.storage.resizable()


@cython.no_gc
cdef class StorageMethodImpl(StorageFace):
    """`x.storage`, not yet called: one object for all views of a storage, so that its id tells what shares memory."""

    def __call__(self):
        warn_typed()
        return typed_face(self.storage, <sc_dtype>(self.code - SC_NUM_DTYPES))

    def __repr__(self):
        return f"<method storage of stridecore.Tensor on the storage {<size_t><PyObject *>self.storage:#x}>"

    @property
    def __name__(self):
        return "storage"

    @property
    def __doc__(self):
        return "The tensor's storage, as elements of its dtype."


cdef void typed_dealloc(PyObject *self) noexcept:
    sc_pool_free_generic(&typed_pool, self)


cdef void method_dealloc(PyObject *self) noexcept:
    sc_pool_free_generic(&method_pool, self)


def register(typed, method):
    """Make the faces instances of these classes (the Python face does, at import).

    The pools are for what they do with the classes: without a GC header, Python calls the finalizer that parks a face
    every time, and not just once.
    """
    global typed_type, method_type
    if sc_pool_install(&typed_pool, <PyTypeObject *>typed, <PyTypeObject *>StorageFace, typed_dealloc) != 0 \
            or sc_pool_install(&method_pool, <PyTypeObject *>method, <PyTypeObject *>StorageFace, method_dealloc) != 0:
        raise TypeError("register: the types must be subclasses of StorageFace with empty __slots__, given once")
    typed_type = typed
    method_type = method


cdef TypedStorageImpl typed_face(StorageImpl storage, sc_dtype code):
    """The one TypedStorage of `storage` with this dtype."""
    return <TypedStorageImpl>face_of(storage, <int>code, typed_type)


cdef StorageMethodImpl storage_method(StorageImpl storage, sc_dtype code):
    """What the tensors of this dtype on `storage` have as their attribute `storage`."""
    return <StorageMethodImpl>face_of(storage, <int>SC_NUM_DTYPES + <int>code, method_type)


cpdef warn_typed(int stacklevel=1):
    """torch's warning, once a process, for those who reach a TypedStorage."""
    global warned_typed
    if not warned_typed:
        import warnings
        warnings.warn("PyTorch has deprecated TypedStorage and will keep UntypedStorage only, which "
                      "tensor.untyped_storage() returns; stridecore keeps both", UserWarning, stacklevel)
        warned_typed = True


def typed(StorageImpl storage not None, dtype dtype not None):
    """The face of `storage` with elements of `dtype`: the same object each time."""
    return typed_face(storage, dtype.code)
