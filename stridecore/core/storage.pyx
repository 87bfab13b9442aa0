"""`StorageImpl`: the bytes that tensors are views of.

A storage refers to a counted block of the engine. Whoever works on data without the GIL holds the *block*,
so `storage_resize`, which swaps blocks, never pulls memory from under a running copy.

    tensor ─┐
    tensor ─┼─> StorageImpl ──> sc_block ──> bytes <── a running copy
    face   ─┘      (_nbytes)    (counted)

The instances that users see are of the types that the Python face registers here at import: `UntypedStorage`
over StorageImpl and `TypedStorage` over TypedStorageImpl, whose elements are read and written there too.
"""
cimport cython
from cpython.bool cimport PyBool_Check
from cpython.buffer cimport PyBuffer_FillInfo
from cpython.long cimport PyLong_Check
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_DECREF
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy, memmove, memset

from stridecore.core cimport engine
from stridecore.core.device cimport CPU
from stridecore.core.dtype cimport dtype, dtype_of
from stridecore.core.engine cimport *


cdef extern from "Python.h":
    ctypedef object (*newfunc)(PyTypeObject *, object, void *)
    ctypedef struct PyTypeObject:
        newfunc tp_new
        void *tp_vectorcall
    Py_ssize_t Py_REFCNT(PyObject *)
    int PyTraceMalloc_Track(unsigned int domain, size_t address, size_t nbytes)
    int PyTraceMalloc_Untrack(unsigned int domain, size_t address)
    long long PyLong_AsLongLongAndOverflow(object, int *) except? -1


cdef extern from *:
    """
    #include "../stridecore/core/object_pool.h"
    static sc_pool storage_pool, face_pool;
    static int has_weakrefs(PyObject *object) {
        return *(PyObject **)((char *)object + Py_TYPE(object)->tp_weaklistoffset) != NULL;
    }
    """
    bint has_weakrefs(PyObject *object)
    ctypedef void (*destructor)(PyObject *) noexcept
    ctypedef struct sc_pool:
        int count
    enum:
        SC_POOL_CAPACITY
    sc_pool storage_pool, face_pool
    object sc_pool_take(sc_pool *pool)
    bint sc_pool_accepts(sc_pool *pool, PyObject *self)
    void sc_pool_give(sc_pool *pool, PyObject *self)
    void sc_pool_free_generic(sc_pool *pool, PyObject *self)
    int sc_pool_install(sc_pool *pool, PyTypeObject *type, PyTypeObject *base, destructor dealloc)

# The domain under which tracemalloc shows the bytes of storages.
cdef enum:
    TRACE_DOMAIN = 0x5C0DE

# From this many bytes on, copies and fills let go of the GIL.
cdef enum:
    GIL_NBYTES = 65536

cdef tuple NO_ARGS = ()
cdef newfunc make_storage
cdef newfunc make_face
cdef object untyped_type = StorageImpl
cdef object typed_type = TypedStorageImpl
cdef char NOTHING = 0    # what an export of no bytes points to


@cython.no_gc
cdef class StorageImpl:
    """The memory of one or more tensors, as bytes."""

    def __dealloc__(self):
        let_go_of_all(<PyObject *>self)

    # ---- facts ----------------------------------------------------------------------------------------------

    def nbytes(self):
        """The storage's length in bytes.

        >>> import stridecore as sc
        >>> sc.zeros(3).untyped_storage().nbytes()
        12
        """
        return self._nbytes

    def size(self):
        """The storage's length in bytes, as nbytes()."""
        return self._nbytes

    def __len__(self):
        return self._nbytes

    def element_size(self):
        """1: an untyped storage counts bytes."""
        return 1

    def data_ptr(self):
        """The address of the first byte; 0 for an empty storage.

        >>> import stridecore as sc
        >>> x = sc.zeros(3)
        >>> x.untyped_storage().data_ptr() == x.data_ptr()
        True
        """
        return <size_t>self.block.data if self._nbytes else 0

    @property
    def _cdata(self):
        """A number that tells storages apart, as long as they live."""
        return <size_t><PyObject *>self

    @property
    def device(self):
        """Where the memory is: the CPU's."""
        return CPU

    def untyped(self):
        """The storage itself."""
        return self

    def resizable(self):
        """True unless the memory belongs to another object, is read-only, or was handed out, by numpy() for example."""
        return not (self.flags & (FIXED | READONLY) or self.pins)

    @property
    def readonly(self):
        """True if every write through this storage is refused: its memory came from a read-only object."""
        return (self.flags & READONLY) != 0

    # ---- bytes ----------------------------------------------------------------------------------------------

    def __getitem__(self, index):
        cdef int64_t place, start, stop
        if isinstance(index, slice):
            start, stop = slice_bounds(self, index)
            return storage_slice(self, start, stop - start)
        if PyBool_Check(index) or not is_scalar_index(index):
            raise TypeError(f"can't index a stridecore.UntypedStorage with {type(index).__name__}; "
                            "use an int or a slice")
        place = index_of(index)
        if place < 0:
            place += self._nbytes
        if not 0 <= place < self._nbytes:
            raise IndexError(f"index {index} out of range for storage of size {self._nbytes}")
        return (<uint8_t *>self.block.data)[place]

    def __setitem__(self, index, value):
        cdef int64_t place, start, stop
        cdef uint8_t byte
        if not isinstance(index, slice) and (PyBool_Check(index) or not is_scalar_index(index)):
            raise RuntimeError(f"can't index a stridecore.UntypedStorage with {type(index).__name__}; "
                               "use an int or a slice")
        byte = as_byte(value, "can only set storage content with a int types, but got")
        if isinstance(index, slice):
            start, stop = slice_bounds(self, index)
            storage_writable(self, "UntypedStorage.__setitem__")
            memset(self.block.data + start, byte, <size_t>(stop - start))
            return
        place = index_of(index)
        if not 0 <= place < self._nbytes:    # negative ones too: torch's rule for writes
            raise RuntimeError(f"UntypedStorage: index {index} is out of bounds for a write; "
                               f"the range is [0, {self._nbytes - 1}]")
        storage_writable(self, "UntypedStorage.__setitem__")
        self.block.data[place] = <char>byte

    def __delitem__(self, index):
        raise TypeError("a storage's bytes can't be deleted; use resize_ to change its length")

    def fill_(self, value):
        """Set every byte to the low 8 bits of the int `value`; returns self.

        >>> import stridecore as sc
        >>> sc.UntypedStorage(3).fill_(258).tolist()
        [2, 2, 2]
        """
        cdef uint8_t byte = as_byte(value, "fill_ expects int, but got")
        storage_writable(self, "fill_")
        cdef sc_block *block = self.block
        cdef int64_t nbytes = self._nbytes
        if nbytes < GIL_NBYTES:
            memset(block.data, byte, <size_t>nbytes)
        else:
            engine.block_retain(block)
            with nogil:
                memset(block.data, byte, <size_t>nbytes)
            engine.block_release(block)
        return self

    def copy_(self, src, non_blocking=None):
        """Copy the bytes of another storage of the same number of bytes into this one; returns self.

        RuntimeError if the lengths differ.
        """
        cdef StorageImpl source
        if isinstance(src, TypedStorageImpl):
            source = (<TypedStorageImpl>src).storage
        elif isinstance(src, StorageImpl):
            source = src
        else:
            raise TypeError(f"copy_(): argument 'src' (position 1) must be a storage, not {type(src).__name__}")
        if source._nbytes != self._nbytes:
            raise RuntimeError(f"copy_: size does not match, self was {self._nbytes} bytes but src was "
                               f"{source._nbytes} bytes")
        storage_writable(self, "copy_")
        copy_bytes(self.block, source.block, self._nbytes)
        return self

    def clone(self):
        """A copy of the storage with memory of its own.

        >>> import stridecore as sc
        >>> s = sc.UntypedStorage([1, 2])
        >>> s.clone().tolist(), s.clone() is s
        ([1, 2], False)
        """
        cdef StorageImpl copy = adopt(type(self), tracked_block(self._nbytes, False), 0)
        copy_bytes(copy.block, self.block, self._nbytes)
        return copy

    def resize_(self, nbytes, /):
        """Give the storage `nbytes` bytes, keeping the first ones; new ones have unspecified values. Returns self.

        RuntimeError if it is not resizable. Tensors that reach further than a shrunken storage can't be read any
        more until it grows again.

        >>> import stridecore as sc
        >>> sc.UntypedStorage([1, 2, 3]).resize_(2).tolist()
        [1, 2]
        """
        if PyBool_Check(nbytes) or not is_scalar_index(nbytes):
            raise RuntimeError(f"resize_ expects an int, but got {type(nbytes).__name__}")
        storage_resize(self, index_of(nbytes))
        return self

    def _byteswap(self, element_size):
        """Reverse the order of the bytes in every piece of `element_size` bytes."""
        cdef int64_t size = element_size, start, i
        cdef uint8_t *item
        if size < 1 or self._nbytes % size:
            raise RuntimeError(f"byteswap: the length of data, {self._nbytes} bytes, is not a multiple of {size}")
        storage_writable(self, "byteswap")
        for start in range(0, self._nbytes, size):
            item = <uint8_t *>self.block.data + start
            for i in range(size // 2):
                item[i], item[size - 1 - i] = item[size - 1 - i], item[i]

    # ---- the buffer protocol: bytes, pinned against resizing while a view of them is out ---------------------

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.block.data if self._nbytes else &NOTHING, self._nbytes,
                          (self.flags & READONLY) != 0, flags)
        self.pins += 1

    def __releasebuffer__(self, Py_buffer *view):
        self.pins -= 1


@cython.no_gc
cdef class StorageFace:
    """What a storage is asked for time and again and must answer with the same object: one a code.

    The face holds the storage, the storage only borrows the face; when the last user of a face goes while
    the storage lives on, the roles swap: the storage keeps the face ("parks" it) and the face lets go of the
    storage. So there is never a cycle, memory goes with its last tensor, and `id(a.storage())` stays the same
    for as long as the storage lives.

        in use:   user ──> face ──> storage        parked:   tensor ──> storage ──> face
                             ^╌╌╌╌╌╌╌╌┘ (borrowed)

    Nobody else refers to a parked face: one with weak references to it goes for good, and so does one that is
    the storage's last user.
    """

    def __del__(self):
        cdef StorageImpl storage
        if self.storage is None:
            return    # the storage itself goes, and its parked faces with it
        if has_weakrefs(<PyObject *>self) or Py_REFCNT(<PyObject *>self.storage) == 1:
            unlist(self.storage, self)    # before the weak references' callbacks run
            return
        storage = self.storage
        self.storage = None
        Py_INCREF(self)

    def __dealloc__(self):
        if self.storage is not None:
            unlist(self.storage, self)


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
@cython.final
cdef class StorageMethod(StorageFace):
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


cdef object refuse_new(PyTypeObject *type, object args, void *kwargs):
    raise TypeError("storages are made by stridecore.UntypedStorage(...), .untyped_storage() and .storage()")


# Objects without a block must not exist, so Python's own way to make a bare instance is closed.
make_storage = (<PyTypeObject *>StorageImpl).tp_new
make_face = (<PyTypeObject *>StorageFace).tp_new
for bare in (StorageImpl, StorageFace, TypedStorageImpl, StorageMethod):
    (<PyTypeObject *>bare).tp_new = <newfunc>refuse_new
    (<PyTypeObject *>bare).tp_vectorcall = NULL


# ---- arguments ----------------------------------------------------------------------------------------------

cdef bint is_scalar_index(object value):
    """True for an int and for NumPy's int scalars, which have an index but no items."""
    return PyLong_Check(value) or (hasattr(value, "__index__") and not hasattr(value, "__len__"))


cdef int64_t index_of(object value) except? -1:
    cdef int beyond = 0
    cdef int64_t number = PyLong_AsLongLongAndOverflow(value.__index__(), &beyond)
    if beyond:
        raise ValueError(f"Overflow when unpacking long long: {value} does not fit in 64 bits")
    return number


cdef uint8_t as_byte(object value, str refusal) except? 255:
    """The low 8 bits of an int."""
    cdef int beyond = 0
    if not PyLong_Check(value):
        raise RuntimeError(f"{refusal} {type(value).__name__}")
    cdef int64_t number = PyLong_AsLongLongAndOverflow(value, &beyond)
    if beyond:
        raise ValueError(f"Overflow when unpacking long long: {value} does not fit in 64 bits")
    return <uint8_t>number


cdef tuple slice_bounds(StorageImpl storage, object index):
    """(start, stop) of a slice with step 1, 0 <= start <= stop <= nbytes."""
    start, stop, step = index.indices(storage._nbytes)
    if step != 1:
        raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
    return start, max(start, stop)


# ---- the faces of a storage ---------------------------------------------------------------------------------

cdef void unlist(StorageImpl storage, StorageFace face):
    cdef PyObject **link = &storage.faces
    while link[0] != NULL:
        if link[0] == <PyObject *>face:
            link[0] = face.next
            face.next = NULL
            return
        link = &(<StorageFace>link[0]).next


cdef StorageFace face_of(StorageImpl storage, int code, object cls):
    """The one face of `storage` with this code, made of the class `cls` the first time."""
    cdef PyObject *entry = storage.faces
    cdef StorageFace face
    while entry != NULL:
        if (<StorageFace>entry).code == code:
            face = <StorageFace>entry
            if face.storage is None:
                face.storage = storage
                Py_DECREF(face)    # the reference that the storage kept while it was parked
            return face
        entry = (<StorageFace>entry).next
    face = <StorageFace>make_face(<PyTypeObject *>cls, NO_ARGS, NULL)
    face.code = code
    face.storage = storage
    face.next = storage.faces
    storage.faces = <PyObject *>face
    return face


cdef TypedStorageImpl typed_face(StorageImpl storage, sc_dtype code):
    """The one TypedStorage of `storage` with this dtype."""
    return <TypedStorageImpl>face_of(storage, <int>code, typed_type)


cdef StorageMethod storage_method(StorageImpl storage, sc_dtype code):
    """What the tensors of this dtype on `storage` have as their attribute `storage`."""
    return <StorageMethod>face_of(storage, <int>SC_NUM_DTYPES + <int>code, StorageMethod)


cdef bint warned_typed = False


cpdef warn_typed(int stacklevel=1):
    """torch's warning, once a process, for those who reach a TypedStorage."""
    global warned_typed
    if not warned_typed:
        import warnings
        warnings.warn("PyTorch has deprecated TypedStorage and will keep UntypedStorage only, which "
                      "tensor.untyped_storage() returns; stridecore keeps both", UserWarning, stacklevel)
        warned_typed = True


# ---- making storages ----------------------------------------------------------------------------------------

cdef void let_go_of_all(PyObject *self) noexcept:
    """What a dying StorageImpl owns: its parked faces and its block."""
    cdef PyObject *face = (<StorageImpl>self).faces
    cdef PyObject *following
    cdef sc_block *block = (<StorageImpl>self).block
    (<StorageImpl>self).faces = NULL
    (<StorageImpl>self).block = NULL
    while face != NULL:    # all parked: an active face would hold this storage
        following = (<StorageFace>face).next
        (<StorageFace>face).next = NULL
        Py_DECREF(<object>face)
        face = following
    if block != NULL:
        PyTraceMalloc_Untrack(TRACE_DOMAIN, <size_t>block)
        engine.block_release(block)


cdef void storage_dealloc(PyObject *self) noexcept:
    if sc_pool_accepts(&storage_pool, self) and not has_weakrefs(self):
        let_go_of_all(self)
        if storage_pool.count < SC_POOL_CAPACITY:    # letting go may have run Python code
            sc_pool_give(&storage_pool, self)
            return
    sc_pool_free_generic(&storage_pool, self)


cdef void face_dealloc(PyObject *self) noexcept:
    sc_pool_free_generic(&face_pool, self)


def register(untyped, typed):
    """Make storages instances of `untyped` and their faces instances of `typed` (the face does, at import)."""
    global untyped_type, typed_type
    if sc_pool_install(&storage_pool, <PyTypeObject *>untyped, <PyTypeObject *>StorageImpl, storage_dealloc) != 0 \
            or sc_pool_install(&face_pool, <PyTypeObject *>typed, <PyTypeObject *>TypedStorageImpl,
                               face_dealloc) != 0:
        raise TypeError("register: the types must be direct subclasses with empty __slots__, given once")
    untyped_type = untyped
    typed_type = typed


def untyped(cls, nbytes):
    """A new storage of `nbytes` bytes with unspecified values, of type `cls`, a subclass of StorageImpl."""
    check_storage_class(cls)
    cdef int64_t length = index_of(nbytes)
    if length < 0:
        raise RuntimeError(f"UntypedStorage: the number of bytes must be at least 0, got {nbytes}")
    return adopt(cls, tracked_block(length, False), 0)


cdef int check_storage_class(object cls) except -1:
    if cls is not untyped_type and not (isinstance(cls, type) and issubclass(cls, untyped_type)):
        raise TypeError(f"expected UntypedStorage or a subclass, got {cls!r}")
    return 0


def typed(StorageImpl storage not None, dtype dtype not None):
    """The face of `storage` with elements of `dtype`: the same object each time."""
    return typed_face(storage, dtype.code)


cdef inline StorageImpl adopt(object cls, sc_block *block, uint32_t flags):
    """A new storage of this type that owns this reference to the block."""
    cdef StorageImpl storage
    if storage_pool.count and cls is untyped_type:
        storage = <StorageImpl>sc_pool_take(&storage_pool)
        storage.faces = NULL
        storage.pins = 0
    else:
        try:
            storage = <StorageImpl>make_storage(<PyTypeObject *>cls, NO_ARGS, NULL)
        except BaseException:
            engine.block_release(block)
            raise
    storage.block = block
    storage._nbytes = block.nbytes
    storage.flags = flags
    return storage


cdef int out_of_memory(int64_t nbytes) except -1:
    raise RuntimeError(f"can't allocate memory: tried to allocate {nbytes} bytes")


cdef sc_block *tracked_block(int64_t nbytes, bint zeroed) except NULL:
    cdef sc_block *block = engine.block_new(nbytes, zeroed)
    if block == NULL:
        out_of_memory(nbytes)
    PyTraceMalloc_Track(TRACE_DOMAIN, <size_t>block, <size_t>nbytes)
    return block


cdef StorageImpl storage_adopt(sc_block *block, uint32_t flags):
    """A storage that owns this reference to the block, also when it can't be made."""
    return adopt(untyped_type, block, flags)


cdef StorageImpl storage_new(int64_t nbytes, bint zeroed):
    """A storage of its own memory; RuntimeError when memory runs out."""
    return adopt(untyped_type, tracked_block(nbytes, zeroed), 0)


cdef void let_go(void *owner) noexcept with gil:
    Py_DECREF(<object>owner)


cdef StorageImpl storage_wrap(void *data, int64_t nbytes, object owner, uint32_t flags):
    """A storage over memory that `owner` keeps alive."""
    return storage_wrap_as(untyped_type, data, nbytes, owner, flags)


cdef StorageImpl storage_wrap_as(object cls, void *data, int64_t nbytes, object owner, uint32_t flags):
    """storage_wrap with the storage's type, a subclass of StorageImpl."""
    check_storage_class(cls)
    Py_INCREF(owner)
    cdef sc_block *block = engine.block_wrap(data, nbytes, let_go, <void *>owner)
    if block == NULL:
        Py_DECREF(owner)
        raise MemoryError
    return adopt(cls, block, flags)


cdef void release_parent(void *block) noexcept:
    engine.block_release(<sc_block *>block)


cdef StorageImpl storage_slice(StorageImpl storage, int64_t start, int64_t nbytes):
    """A storage over a part of another's bytes, which the caller has checked. It holds the block, not the storage:
    when that is resized later, the slice keeps the old bytes."""
    engine.block_retain(storage.block)
    cdef sc_block *block = engine.block_wrap(storage.block.data + start, nbytes, release_parent, storage.block)
    if block == NULL:
        engine.block_release(storage.block)
        raise MemoryError
    return adopt(untyped_type, block, storage.flags | FIXED)


cdef int storage_resize(StorageImpl storage, int64_t nbytes) except -1:
    """Give the storage `nbytes` bytes, keeping the first ones; new ones are unspecified."""
    if nbytes < 0:
        raise RuntimeError(f"resize_: the number of bytes must be at least 0, got {nbytes}")
    if storage.flags & (FIXED | READONLY):
        raise RuntimeError("Trying to resize storage that is not resizable: its memory belongs to another object "
                           "or was handed out. Use .clone() to get memory of its own")
    if storage.pins:
        raise RuntimeError(f"resize_: the storage is exported {storage.pins} times (buffer, DLPack); "
                           "release the exports first")
    cdef sc_block *block = tracked_block(nbytes, False)
    cdef int64_t kept = min(nbytes, storage._nbytes)
    if kept:
        memcpy(block.data, storage.block.data, <size_t>kept)
    PyTraceMalloc_Untrack(TRACE_DOMAIN, <size_t>storage.block)
    engine.block_release(storage.block)
    storage.block = block
    storage._nbytes = nbytes
    return 0


cdef int copy_bytes(sc_block *to, sc_block *source, int64_t nbytes) except -1:
    """The blocks may overlap (slices of one storage)."""
    if nbytes < GIL_NBYTES:
        if nbytes:
            memmove(to.data, source.data, <size_t>nbytes)
        return 0
    engine.block_retain(to)
    engine.block_retain(source)
    with nogil:
        memmove(to.data, source.data, <size_t>nbytes)
    engine.block_release(to)
    engine.block_release(source)
    return 0


cdef int keep_if_lent(StorageImpl storage) except -1:
    """Before a tensor takes another storage (set_, data=): whoever read its __array_interface__ holds the tensor but
    uses the old storage's memory, which must then stay for good."""
    if storage.flags & LENT:
        Py_INCREF(storage)
    return 0


cdef inline int storage_writable(StorageImpl storage, str function) except -1:
    if storage.flags & READONLY:
        refuse_readonly(function)
    return 0


cdef int refuse_readonly(str function) except -1:
    raise RuntimeError(f"{function}: the tensor's memory is read-only. Use .clone() to get a writable copy")
