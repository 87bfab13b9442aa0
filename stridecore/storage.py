"""Storages: the memory under tensors, as bytes (`UntypedStorage`) or as elements (`TypedStorage`)."""

from stridecore.core import storage
from stridecore.core.storage import StorageImpl, TypedStorageImpl

__all__ = ["TypedStorage", "UntypedStorage"]


class UntypedStorage(StorageImpl):
    """The bytes that one or more tensors are views of."""

    __slots__ = ()


class TypedStorage(TypedStorageImpl):
    """A storage seen as elements of one dtype."""

    __slots__ = ()


storage.register(UntypedStorage, TypedStorage)
