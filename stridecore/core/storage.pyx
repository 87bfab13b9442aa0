"""`StorageImpl`: the bytes that tensors are views of.

A storage refers to a counted block of the engine. Whoever works on data without the GIL holds the *block*,
so `storage_resize`, which swaps blocks, never pulls memory from under a running copy.

    tensor ─┐
    tensor ─┼─> StorageImpl ──> sc_block ──> bytes <── a running copy
    face   ─┘      (_nbytes)    (counted)

Users see instances of the type that the Python face registers here at import, `UntypedStorage`. Its methods that
read and write bytes are in storage_bytes, the faces in storage_faces.
"""
cimport cython
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_DECREF
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from stridecore.core cimport engine
from stridecore.core.device cimport CPU
from stridecore.core.engine cimport *


cdef extern from "Python.h":
    ctypedef object (*newfunc)(PyTypeObject *, object, void *)
    ctypedef struct PyTypeObject:
        newfunc tp_new
        void *tp_vectorcall
    Py_ssize_t Py_REFCNT(PyObject *)
    int PyTraceMalloc_Track(unsigned int domain, size_t address, size_t nbytes)
    int PyTraceMalloc_Untrack(unsigned int domain, size_t address)


cdef extern from *:
    """
    #include "../stridecore/core/object_pool.h"
    static sc_pool storage_pool;
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
    sc_pool storage_pool
    object sc_pool_take(sc_pool *pool)
    bint sc_pool_accepts(sc_pool *pool, PyObject *self)
    void sc_pool_give(sc_pool *pool, PyObject *self)
    void sc_pool_free_generic(sc_pool *pool, PyObject *self)
    int sc_pool_install(sc_pool *pool, PyTypeObject *type, PyTypeObject *base, destructor dealloc)
    object sc_new_quietly(newfunc make, PyTypeObject *type, PyObject *no_args)

# The domain under which tracemalloc shows the bytes of storages.
cdef enum:
    TRACE_DOMAIN = 0x5C0DE

cdef tuple NO_ARGS = ()
cdef newfunc make_storage
cdef newfunc make_face
cdef object untyped_type = StorageImpl


@cython.no_gc
cdef class StorageImpl:
    """The memory of one or more tensors, as bytes."""

    def __dealloc__(self):
        let_go_of_all(<PyObject *>self)

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
        if self.storage is None or Py_REFCNT(<PyObject *>self) > 1:
            return    # the storage itself goes, and its parked faces with it; or somebody called this by its name
        if has_weakrefs(<PyObject *>self) or Py_REFCNT(<PyObject *>self.storage) == 1:
            unlist(self.storage, self)    # before the weak references' callbacks run
            return
        storage = self.storage
        self.storage = None
        Py_INCREF(self)

    def __dealloc__(self):
        if self.storage is not None:
            unlist(self.storage, self)


cdef object refuse_new(PyTypeObject *type, object args, void *kwargs):
    raise TypeError("storages are made by stridecore.UntypedStorage(...), .untyped_storage() and .storage()")


# Objects without a block must not exist, so Python's own way to make a bare instance is closed. (Classes built on
# these ask theirs for the instance.)
make_storage = (<PyTypeObject *>StorageImpl).tp_new
make_face = (<PyTypeObject *>StorageFace).tp_new
for bare in (StorageImpl, StorageFace):
    (<PyTypeObject *>bare).tp_new = <newfunc>refuse_new
    (<PyTypeObject *>bare).tp_vectorcall = NULL


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


def register(cls):
    """Make storages instances of `cls` (the face does, at import)."""
    global untyped_type
    if sc_pool_install(&storage_pool, <PyTypeObject *>cls, <PyTypeObject *>StorageImpl, storage_dealloc) != 0:
        raise TypeError("register: the type must be a subclass of StorageImpl with empty __slots__, given once")
    untyped_type = cls


cdef int check_storage_class(object cls) except -1:
    if cls is not untyped_type and not (isinstance(cls, type) and issubclass(cls, untyped_type)):
        raise TypeError(f"expected UntypedStorage or a subclass, got {cls!r}")
    return 0


cdef inline StorageImpl adopt(object cls, sc_block *block, uint32_t flags):
    """A new storage of this type that owns this reference to the block."""
    cdef StorageImpl storage
    if storage_pool.count and cls is untyped_type:
        storage = <StorageImpl>sc_pool_take(&storage_pool)
        storage.faces = NULL
        storage.pins = 0
    else:
        try:
            storage = <StorageImpl>sc_new_quietly(make_storage, <PyTypeObject *>cls, <PyObject *>NO_ARGS)
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


cdef StorageImpl storage_new_as(object cls, int64_t nbytes):
    """A storage of this type, a subclass of StorageImpl, on memory of unspecified content."""
    check_storage_class(cls)
    return adopt(cls, tracked_block(nbytes, False), 0)


cdef StorageImpl storage_new(int64_t nbytes, bint zeroed):
    """A storage of its own memory; RuntimeError when memory runs out."""
    return adopt(untyped_type, tracked_block(nbytes, zeroed), 0)


# An owner may be the last user of another storage, that one's owner of a third: `x = from_numpy(x.numpy())`, repeated,
# makes a chain of any length. Beyond this depth the owners are let go one after another and not one within another.
cdef enum:
    LETTING_GO = 50

cdef int letting_go = 0
cdef list to_let_go = []


cdef void let_go(void *owner) noexcept with gil:
    global letting_go
    if letting_go == LETTING_GO:
        to_let_go.append(<object>owner)
        Py_DECREF(<object>owner)
        return
    letting_go += 1
    Py_DECREF(<object>owner)
    if letting_go == LETTING_GO:
        while to_let_go:
            to_let_go.pop()
    letting_go -= 1


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


@cython.no_gc
@cython.final
cdef class HeldBlock:
    """Keeps a block that somebody else points into."""

    def __dealloc__(self):
        if self.block != NULL:
            engine.block_release(self.block)


cdef HeldBlock hold_block(sc_block *block):
    cdef HeldBlock held = HeldBlock.__new__(HeldBlock)
    engine.block_retain(block)
    held.block = block
    return held


cdef StorageImpl storage_slice(StorageImpl storage, int64_t start, int64_t nbytes):
    """A storage over a part of another's bytes, which the caller has checked. It holds the block, not the storage:
    when that is resized later, the slice keeps the old bytes."""
    return storage_wrap(storage.block.data + start, nbytes, hold_block(storage.block), storage.flags | FIXED)


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


cdef int keep_if_lent(StorageImpl storage) except -1:
    """Before a tensor takes another storage (set_, data=): whoever read its __array_interface__ holds the tensor but
    uses the old storage's memory, which must then stay for good."""
    if storage.flags & LENT:
        Py_INCREF(storage)
    return 0


cdef int refuse_readonly(str function) except -1:
    raise RuntimeError(f"{function}: the tensor's memory is read-only. Use .clone() to get a writable copy")
