from stridecore.core.engine cimport sc_dtype
from stridecore.core.storage cimport StorageFace, StorageImpl


cdef class TypedStorageImpl(StorageFace):    # code: sc_dtype
    pass


cdef class StorageMethodImpl(StorageFace):       # code: SC_NUM_DTYPES + sc_dtype
    pass


cdef TypedStorageImpl typed_face(StorageImpl storage, sc_dtype code)
cdef StorageMethodImpl storage_method(StorageImpl storage, sc_dtype code)
cpdef warn_typed(int stacklevel=*)
