"""pickle, copy and deepcopy of tensors and storages.

A tensor is its storage and a few small values, so what shares a storage before pickling shares one after loading:
pickle itself remembers the storage object. With protocol 5 a storage offers its bytes as one buffer, out of band where
the caller wants that, however many tensors are on it; loading takes the buffer as the memory, without a copy.

The functions that pickles name (`rebuild_…`) keep their names and arguments.
"""

import copy
import copyreg
import pickle

from stridecore.core.buffers import storage_over
from stridecore.core.exchange import tensor_on, tensor_state
from stridecore.core.storage_faces import TypedStorageImpl, typed

# ---- tensors ------------------------------------------------------------------------------------------------


def rebuild_tensor(storage, dtype, storage_offset, sizes, strides, bits):
    """A Tensor over a loaded storage; the geometry is checked against it."""
    return tensor_on(storage, dtype, storage_offset, sizes, strides, bits)


def rebuild_subclass(cls, storage, dtype, storage_offset, sizes, strides, bits):
    """An instance of a subclass of Tensor, whose __new__ and __init__ are not called."""
    return tensor_on(storage, dtype, storage_offset, sizes, strides, bits, cls)


def reduce_tensor(tensor, protocol):
    """What Tensor.__reduce_ex__ returns."""
    from stridecore.tensor import Tensor

    if type(tensor) is Tensor:
        return rebuild_tensor, tensor_state(tensor)
    return rebuild_subclass, (type(tensor), *tensor_state(tensor)), _state(tensor)


def deepcopy_tensor(tensor, memo):
    """What Tensor.__deepcopy__ returns: a tensor of the same layout on a copy of the whole storage.

    Tensors that share a storage share the copy, within one deepcopy. As in torch, lazily conjugated and negated tensors
    are the exception: they get a copy of their own without the bit.
    """
    storage, dtype, storage_offset, sizes, strides, bits = tensor_state(tensor)
    made = tensor_on(copy.deepcopy(storage, memo), dtype, storage_offset, sizes, strides, bits, type(tensor))
    if bits:
        made = made.clone()
    memo[id(tensor)] = made
    _set_state(made, copy.deepcopy(_state(tensor), memo))
    return made


# ---- attributes of instances of subclasses ------------------------------------------------------------------


def _state(obj):
    """The attributes in pickle's form: None, a dict, or (dict or None, dict of slots)."""
    custom = getattr(type(obj), "__getstate__", None)
    if custom is not None and custom is not getattr(object, "__getstate__", None):
        return obj.__getstate__()
    attributes = getattr(obj, "__dict__", None) or None
    slots = {name: getattr(obj, name) for name in copyreg._slotnames(type(obj)) if hasattr(obj, name)}
    return (attributes, slots) if slots else attributes


def _set_state(obj, state):
    if state is None:
        return
    if hasattr(obj, "__setstate__"):
        obj.__setstate__(state)
        return
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    for name, value in (attributes or {}).items():
        obj.__dict__[name] = value
    for name, value in (slots or {}).items():
        setattr(obj, name, value)


# ---- storages -----------------------------------------------------------------------------------------------


def rebuild_storage(cls, data):
    """A storage with a copy of the bytes `data`: pickle protocols 0 to 4."""
    storage = cls(len(data))
    if data:
        memoryview(storage)[:] = data
    return storage


def rebuild_storage_over(cls, buffer, readonly):
    """A storage over the memory of `buffer`: protocol 5. It can't be written if the buffer can't.

    Bytes that came in band from a read-only storage are copied, so that the protocol makes no difference.
    """
    if readonly and type(buffer) is bytes:
        return rebuild_storage(cls, buffer)
    return storage_over(cls, buffer)


def rebuild_typed_storage(storage, dtype):
    """The TypedStorage of a loaded UntypedStorage."""
    return typed(storage, dtype)


def reduce_storage(storage, protocol):
    """What the storages' __reduce_ex__ returns."""
    if isinstance(storage, TypedStorageImpl):
        return rebuild_typed_storage, (storage.untyped(), storage.dtype)
    if protocol >= 5:
        args = (type(storage), pickle.PickleBuffer(storage), storage.readonly)
        return rebuild_storage_over, args, _state(storage)
    return rebuild_storage, (type(storage), bytes(storage)), _state(storage)


def deepcopy_storage(storage, memo):
    """What the storages' __deepcopy__ returns: a copy, the same for each mention in one deepcopy."""
    if isinstance(storage, TypedStorageImpl):
        return typed(copy.deepcopy(storage.untyped(), memo), storage.dtype)
    made = storage.clone()
    memo[id(storage)] = made
    _set_state(made, copy.deepcopy(_state(storage), memo))
    return made
