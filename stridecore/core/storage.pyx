"""`StorageImpl`: the bytes that tensors are views of.

A storage refers to a counted block of the engine. Whoever works on data without the GIL holds the *block*,
so `storage_resize`, which swaps blocks, never pulls memory from under a running copy.

    tensor ─┐
    tensor ─┼─> StorageImpl ──> sc_block ──> bytes <── a running copy
    face   ─┘      (_nbytes)    (counted)

The instances that users see are of the types that the face registers here at import: `UntypedStorage`
over StorageImpl and `TypedStorage` over TypedStorageImpl.
"""
cimport cython
from cpython.ref cimport Py_INCREF, Py_DECREF
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from stridecore.core cimport engine
from stridecore.core.engine cimport *


cdef extern from "Python.h":
    ctypedef object (*newfunc)(PyTypeObject *, object, void *)
    ctypedef struct PyTypeObject:
        newfunc tp_new
    Py_ssize_t Py_REFCNT(PyObject *)
    int PyTraceMalloc_Track(unsigned int domain, size_t address, size_t nbytes)
    int PyTraceMalloc_Untrack(unsigned int domain, size_t address)


cdef extern from *:
    """
    #include "../stridecore/core/pool.h"
    SC_DEFINE_POOL(storage_pool)
    """
    int storage_pool_install(PyTypeObject *type, PyTypeObject *base)

# The domain under which tracemalloc shows the bytes of storages.
cdef enum:
    TRACE_DOMAIN = 0x5C0DE

cdef tuple NO_ARGS = ()
cdef newfunc make_storage
cdef newfunc make_face
cdef object untyped_type = StorageImpl
cdef object typed_type = TypedStorageImpl


@cython.no_gc
cdef class StorageImpl:
    """The memory of one or more tensors."""

    def __dealloc__(self):
        cdef PyObject *face = self.faces
        cdef PyObject *following
        self.faces = NULL
        while face != NULL:    # all parked: an active face would hold this storage
            following = (<TypedStorageImpl>face).next
            (<TypedStorageImpl>face).next = NULL
            Py_DECREF(<object>face)
            face = following
        if self.block != NULL:
            PyTraceMalloc_Untrack(TRACE_DOMAIN, <size_t>self.block)
            engine.block_release(self.block)
            self.block = NULL

    def nbytes(self):
        """The storage's length in bytes."""
        return self._nbytes

    def data_ptr(self):
        """The address of the first byte; 0 for an empty storage."""
        return <size_t>self.block.data if self._nbytes else 0


@cython.no_gc
cdef class TypedStorageImpl:
    """A storage seen as elements of one dtype.

    A storage has at most one face a dtype, so that `a.storage() is b.storage()` for views of one storage.
    The face holds the storage, the storage only borrows the face; when the last user of a face goes while
    the storage lives on, the roles swap: the storage keeps the face ("parks" it) and the face lets go of the
    storage. So there is never a cycle, and memory goes with its last tensor.
    """

    def __del__(self):
        cdef StorageImpl storage = self.storage
        if storage is None or not listed(storage, self):
            return
        if Py_REFCNT(<PyObject *>storage) <= 2:    # ours, and the variable above: it dies with us
            unlist(storage, self)
            return
        Py_INCREF(self)
        self.storage = None

    def __dealloc__(self):
        if self.storage is not None:
            unlist(self.storage, self)


cdef object refuse_new(PyTypeObject *type, object args, void *kwargs):
    raise TypeError("storages are made by stridecore.UntypedStorage(...), .untyped_storage() and .storage()")


# Objects without a block must not exist, so Python's own way to make a bare instance is closed.
make_storage = (<PyTypeObject *>StorageImpl).tp_new
make_face = (<PyTypeObject *>TypedStorageImpl).tp_new
(<PyTypeObject *>StorageImpl).tp_new = <newfunc>refuse_new
(<PyTypeObject *>TypedStorageImpl).tp_new = <newfunc>refuse_new


cdef bint listed(StorageImpl storage, TypedStorageImpl face):
    cdef PyObject *entry = storage.faces
    while entry != NULL and entry != <PyObject *>face:
        entry = (<TypedStorageImpl>entry).next
    return entry != NULL


cdef void unlist(StorageImpl storage, TypedStorageImpl face):
    cdef PyObject **link = &storage.faces
    while link[0] != NULL:
        if link[0] == <PyObject *>face:
            link[0] = face.next
            face.next = NULL
            return
        link = &(<TypedStorageImpl>link[0]).next


cdef TypedStorageImpl typed_face(StorageImpl storage, sc_dtype code):
    """The one face of `storage` with this dtype."""
    cdef PyObject *entry = storage.faces
    cdef TypedStorageImpl face
    while entry != NULL:
        if (<TypedStorageImpl>entry).code == <int>code:
            face = <TypedStorageImpl>entry
            if face.storage is None:
                face.storage = storage
                Py_DECREF(face)    # the reference that the storage kept while it was parked
            return face
        entry = (<TypedStorageImpl>entry).next
    face = <TypedStorageImpl>make_face(<PyTypeObject *>typed_type, NO_ARGS, NULL)
    face.code = code
    face.storage = storage
    face.next = storage.faces
    storage.faces = <PyObject *>face
    return face


def register(untyped, typed):
    """Make storages instances of `untyped` and their faces instances of `typed` (the face does, at import)."""
    global untyped_type, typed_type
    if storage_pool_install(<PyTypeObject *>untyped, <PyTypeObject *>StorageImpl) != 0:
        raise TypeError("register: the type must be a direct subclass of StorageImpl with empty __slots__")
    untyped_type = untyped
    typed_type = typed


cdef inline StorageImpl adopt(sc_block *block, uint32_t flags):
    """A new storage that owns this reference to the block."""
    cdef StorageImpl storage
    try:
        storage = <StorageImpl>make_storage(<PyTypeObject *>untyped_type, NO_ARGS, NULL)
    except BaseException:
        engine.block_release(block)
        raise
    storage.block = block
    storage._nbytes = block.nbytes
    storage.flags = flags
    return storage


cdef int out_of_memory(int64_t nbytes) except -1:
    raise RuntimeError(f"can't allocate memory: tried to allocate {nbytes} bytes")


cdef StorageImpl storage_new(int64_t nbytes, bint zeroed):
    """A storage of its own memory; RuntimeError when memory runs out."""
    cdef sc_block *block = engine.block_new(nbytes, zeroed)
    if block == NULL:
        out_of_memory(nbytes)
    PyTraceMalloc_Track(TRACE_DOMAIN, <size_t>block, <size_t>nbytes)
    return adopt(block, 0)


cdef void let_go(void *owner) noexcept:
    Py_DECREF(<object>owner)


cdef StorageImpl storage_wrap(void *data, int64_t nbytes, object owner, uint32_t flags):
    """A storage over memory that `owner` keeps alive. Its last block reference must be released under the GIL."""
    Py_INCREF(owner)
    cdef sc_block *block = engine.block_wrap(data, nbytes, let_go, <void *>owner)
    if block == NULL:
        Py_DECREF(owner)
        raise MemoryError
    return adopt(block, flags)


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
    cdef sc_block *block = engine.block_new(nbytes, False)
    if block == NULL:
        out_of_memory(nbytes)
    cdef int64_t kept = min(nbytes, storage._nbytes)
    if kept:
        memcpy(block.data, storage.block.data, <size_t>kept)
    PyTraceMalloc_Untrack(TRACE_DOMAIN, <size_t>storage.block)
    PyTraceMalloc_Track(TRACE_DOMAIN, <size_t>block, <size_t>nbytes)
    engine.block_release(storage.block)
    storage.block = block
    storage._nbytes = nbytes
    return 0


cdef int refuse_readonly(str function) except -1:
    raise RuntimeError(f"{function}: the tensor's memory is read-only. Use .clone() to get a writable copy")
