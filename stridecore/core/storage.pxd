from libc.stdint cimport int64_t, uint32_t
from cpython.object cimport PyObject
from stridecore.core.engine cimport sc_block

# StorageImpl.flags
cdef enum:
    READONLY = 1    # every write is refused
    FIXED = 2       # resize_ is refused: the memory is somebody else's, or was handed out for good
    LENT = 4        # the address was handed out with a tensor as its owner: see keep_if_lent


cdef class StorageImpl:
    cdef sc_block *block    # an owned reference, never NULL once made; swapped by a resize, never moved
    cdef int64_t _nbytes    # bytes that tensors may reach: at most block.nbytes
    cdef uint32_t flags
    cdef int pins           # exports alive now; resizing is refused while there are any
    cdef PyObject *faces    # borrowed: the first of the linked list of its StorageFaces
    cdef object __weakref__


cdef class StorageFace:
    cdef StorageImpl storage     # None while parked (see storage.pyx)
    cdef PyObject *next          # borrowed: the next face of the same storage
    cdef int code                # tells the faces of one storage apart
    cdef object __weakref__


cdef class HeldBlock:
    cdef sc_block *block         # an owned reference


cdef StorageImpl storage_new_as(object cls, int64_t nbytes)
cdef StorageImpl storage_new(int64_t nbytes, bint zeroed)
cdef StorageImpl storage_wrap(void *data, int64_t nbytes, object owner, uint32_t flags)
cdef StorageImpl storage_wrap_as(object cls, void *data, int64_t nbytes, object owner, uint32_t flags)
cdef HeldBlock hold_block(sc_block *block)
cdef StorageImpl storage_slice(StorageImpl storage, int64_t start, int64_t nbytes)
cdef int storage_resize(StorageImpl storage, int64_t nbytes) except -1
cdef int keep_if_lent(StorageImpl storage) except -1
cdef int refuse_readonly(str function) except -1
cdef StorageFace face_of(StorageImpl storage, int code, object cls)
