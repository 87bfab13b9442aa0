from stridecore.core.storage cimport StorageImpl


cdef class StorageBytes(StorageImpl):
    pass
