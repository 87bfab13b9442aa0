"""Storages: the memory under tensors, as bytes (`UntypedStorage`) or as elements (`TypedStorage`).

`FloatStorage`, `LongStorage` and their kin are names to make and to recognise a TypedStorage of one dtype by: what
they make is a TypedStorage. A storage has one TypedStorage a dtype, so views of one tensor answer `.storage()` with the
same object.
"""

import sys

from stridecore.core import storage as core
from stridecore.core import storage_faces
from stridecore.core.device import device as Device
from stridecore.core.dtype import dtype as Dtype
from stridecore.core.dtype import get_default_dtype
from stridecore.core.storage import StorageImpl
from stridecore.core.storage_bytes import StorageBytes, untyped
from stridecore.core.storage_faces import StorageMethodImpl, TypedStorageImpl, typed, warn_typed
from stridecore.dtypes import names

CLASS_NAMES = {
    "float64": "DoubleStorage",
    "float32": "FloatStorage",
    "float16": "HalfStorage",
    "int64": "LongStorage",
    "int32": "IntStorage",
    "int16": "ShortStorage",
    "int8": "CharStorage",
    "uint8": "ByteStorage",
    "bool": "BoolStorage",
    "bfloat16": "BFloat16Storage",
    "complex128": "ComplexDoubleStorage",
    "complex64": "ComplexFloatStorage",
}  # dtypes that came later have no class of their own

__all__ = ["Storage", "TypedStorage", "UntypedStorage", *CLASS_NAMES.values()]

DTYPES = names()
CASTS = {
    "double": "float64",
    "float": "float32",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
    "complex_double": "complex128",
    "complex_float": "complex64",
    "float8_e5m2": "float8_e5m2",
    "float8_e4m3fn": "float8_e4m3fn",
    "float8_e5m2fnuz": "float8_e5m2fnuz",
    "float8_e4m3fnuz": "float8_e4m3fnuz",
}


def _on(storage, dtype):
    """A 1-dim tensor of all whole elements of `dtype` in an untyped storage."""
    from stridecore.core.exchange import tensor_on

    size = storage.nbytes() // dtype.itemsize
    return tensor_on(storage, dtype, 0, (size,), (1,))


def _check_device(device, function):
    if device is not None:
        Device(device)


class _Common:
    """What both kinds of storage answer."""

    __slots__ = ()

    is_cuda = is_hpu = is_sparse = is_sparse_csr = False

    def is_shared(self):
        """Whether the memory can be seen by other processes: after share_memory_() and from_file(shared=True).

        >>> import stridecore as sc
        >>> sc.UntypedStorage(2).is_shared()
        False
        """
        sharing = sys.modules.get("stridecore.sharing")
        return sharing is not None and sharing.is_shared(self.untyped())

    def share_memory_(self):
        """Move the bytes into memory that other processes can see, and let every tensor on them follow; returns self.

        The storage can't be resized any more. Sent through multiprocessing it is the same memory on the other side.
        NumPy arrays and buffers that were handed out before keep the old memory and see no more of what is written.
        """
        from stridecore.sharing import share

        share(self.untyped())
        return self

    def is_pinned(self, device=None):
        """False: pinned memory is for accelerators."""
        return False

    def get_device(self):
        """The index of the device: None, for the CPU has none."""
        return None

    @property
    def filename(self):
        """The path of the file that the memory is mapped from with shared=True, or None."""
        sharing = sys.modules.get("stridecore.sharing")
        return sharing and sharing.filename(self.untyped())

    def cpu(self):
        """The storage itself: its memory is the CPU's already."""
        return self

    def to(self, *, device, non_blocking=False):
        """The storage itself: the CPU is the only device. RuntimeError for another."""
        _check_device(device, "to")
        return self

    def tolist(self):
        """The elements, or the bytes of an untyped storage, as a list of Python numbers.

        >>> import stridecore as sc
        >>> sc.arange(4)[1:].untyped_storage().tolist()[:8]
        [0, 0, 0, 0, 0, 0, 0, 0]
        """
        return self._elements().tolist()

    def __iter__(self):
        return iter(self.tolist())

    def __repr__(self):
        from stridecore.printing import storage_str

        return storage_str(self, f"stridecore.storage.{type(self).__name__}")

    def __sizeof__(self):
        return super().__sizeof__() + self.nbytes()

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        from stridecore.pickling import deepcopy_storage

        return deepcopy_storage(self, memo)

    def __reduce_ex__(self, protocol):
        from stridecore.pickling import reduce_storage

        return reduce_storage(self, protocol)

    def _to(self, dtype):
        """A TypedStorage of the elements converted to `dtype`, always a copy."""
        return typed(self._elements().to(dtype, copy=True).untyped_storage(), dtype)

    def _as_class(self, cls, mine):
        """For type(cls): the storage as that class, given the class that it has."""
        if isinstance(cls, str):
            module, _, name = cls.rpartition(".")
            if module not in ("torch", "stridecore", "torch.storage", "stridecore.storage") or name not in __all__:
                raise ModuleNotFoundError(f"type: no storage class is called {cls!r}")
            cls = globals()[name]
        if cls is mine:
            return self
        if cls is UntypedStorage:
            return self.untyped().clone()
        if isinstance(cls, type) and issubclass(cls, _NamedStorage) and cls is not _NamedStorage:
            return self._to(cls.dtype)
        raise TypeError(f"type: expected a storage class such as stridecore.FloatStorage, or its name, got {cls!r}")


def _cast(name, dtype_name):
    dtype = DTYPES[dtype_name]

    def cast(self):
        return self._to(dtype)

    cast.__name__ = name
    cast.__qualname__ = f"TypedStorage.{name}"
    cast.__doc__ = f"The elements converted to {dtype_name} (an untyped storage's are uint8), in a new TypedStorage."
    return cast


for _name, _dtype_name in CASTS.items():
    setattr(_Common, _name, _cast(_name, _dtype_name))


class UntypedStorage(_Common, StorageBytes):
    """UntypedStorage(), UntypedStorage(nbytes) or UntypedStorage(sequence of ints): bytes that tensors are views of.

    Memory for `nbytes` has unspecified values; the ints of a sequence are cut to their low 8 bits. Indexing with an int
    gives a byte, with a slice of step 1 a storage over the same bytes. Every tensor on the storage sees what is
    written. Two storages are equal if they are the same object. Exports its bytes as a buffer.

    >>> import stridecore as sc
    >>> s = sc.UntypedStorage([1, 2, 300])
    >>> s[2], s[:2].tolist(), bytes(s)
    (44, [1, 2], b'\\x01\\x02,')
    """

    __slots__ = ()

    def __new__(cls, *args, device=None, allocator=None, **kwargs):
        if len(args) + len(kwargs) > 1 or not kwargs.keys() <= {"size", "sequence"}:
            raise TypeError(
                "UntypedStorage() takes no argument, an int size or a sequence of ints, "
                f"got {len(args)} arguments and keywords {sorted(kwargs)}"
            )
        _check_device(device, "UntypedStorage")
        value = args[0] if args else next(iter(kwargs.values()), 0)
        if not isinstance(value, bool) and hasattr(value, "__index__") and getattr(value, "ndim", 0) == 0:
            return untyped(cls, value)
        if isinstance(value, bool | set | frozenset | dict) or not hasattr(value, "__getitem__"):
            raise RuntimeError(f"UntypedStorage(): Expected a sequence type, but got {type(value).__name__}")
        storage = untyped(cls, len(value))
        for i, item in enumerate(value):
            if not isinstance(item, int):
                raise RuntimeError(
                    f"UntypedStorage(): tried to construct a storage from a sequence ({type(value).__name__}), but "
                    f"one of the items was of type {type(item).__name__} instead of int"
                )
            storage[i] = item
        return storage

    def _elements(self):
        return _on(self, DTYPES["uint8"])

    def type(self, dtype=None, non_blocking=False):
        """The name of the class; with a storage class or its name, the bytes converted to that class.

        >>> import stridecore as sc
        >>> sc.UntypedStorage(2).type()
        'stridecore.storage.UntypedStorage'
        """
        if dtype is None:
            return f"{type(self).__module__}.{type(self).__name__}"
        return self._as_class(dtype, type(self))

    def new(self):
        """An empty storage."""
        return type(self)()

    def byteswap(self, dtype):
        """Reverse, in place, the bytes of every element of `dtype`; the two parts of complex elements stay in order."""
        self._byteswap(dtype.to_real().itemsize)

    @classmethod
    def from_file(cls, filename, shared=False, nbytes=0):
        """A storage of the first `nbytes` bytes of a file, which is mapped, not read; see stridecore.from_file."""
        from stridecore import sharing

        return sharing.from_file(cls, filename, shared, _as_count(nbytes, "nbytes"), "from_file")

    @classmethod
    def from_buffer(cls, buffer, byte_order=None, count=-1, offset=0, dtype=None):
        """A storage with a copy of the elements of `buffer`, any object with the buffer protocol.

        `count` elements of `dtype` are read from the byte `offset` on, by default as many as there are. `byte_order`
        is "native", "little" or "big", needed unless the elements are single bytes; they are stored in the
        machine's order. ValueError if the buffer is too short or its length is not a multiple of the itemsize.

        >>> import stridecore as sc
        >>> sc.UntypedStorage.from_buffer(b"\\x00\\x01\\x00\\x02", "big", dtype=sc.int16).short().tolist()
        [1, 0, 2, 0]
        """
        if dtype is None:
            raise RuntimeError("from_buffer: argument 'dtype' cannot be None")
        if not isinstance(dtype, Dtype):
            raise TypeError(f"from_buffer: dtype must be a stridecore.dtype, not {type(dtype).__name__}")
        if byte_order is None:
            if dtype.itemsize > 1 or dtype.name == "bool":
                raise RuntimeError("from_buffer: byte_order must be given: 'native', 'little' or 'big'")
            byte_order = "native"
        if byte_order not in ("native", "little", "big"):
            raise ValueError(f"from_buffer: invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
        data = memoryview(buffer).cast("B")
        itemsize = dtype.itemsize
        if not 0 <= offset <= len(data):
            raise ValueError(f"from_buffer: offset must be in [0, {len(data)}], the buffer's length, got {offset}")
        room = len(data) - offset
        if count < 0:
            if room % itemsize:
                raise ValueError(f"from_buffer: buffer size ({room}) must be a multiple of element size ({itemsize})")
            count = room // itemsize
        elif count > room // itemsize:
            raise ValueError(
                f"from_buffer: buffer has only {room // itemsize} elements after offset {offset}, "
                f"but specified a size of {count}"
            )
        storage = untyped(cls, count * itemsize)
        if count:
            memoryview(storage)[:] = data[offset : offset + count * itemsize]
            if byte_order not in ("native", sys.byteorder):
                storage.byteswap(dtype)
        return storage


class TypedStorage(_Common, TypedStorageImpl):
    """TypedStorage(size or sequence, dtype=…) or TypedStorage(wrap_storage=untyped, dtype=…): a storage as elements.

    Indexing with an int reads or writes an element of the whole storage, whatever the tensor's offset is, and every
    tensor on it sees the change; slices can be written, not read. There is one TypedStorage for an UntypedStorage
    and a dtype, so those of views of one tensor are the same object.

    >>> import stridecore as sc
    >>> points = sc.tensor([[4.0, 1.0], [5.0, 3.0]])
    >>> points[1].storage()[0] = 2.0
    >>> points[0, 0].item(), points.storage() is points[1].storage()
    (2.0, True)
    """

    __slots__ = ()

    def __new__(cls, *args, wrap_storage=None, dtype=None, device=None, _internal=False):
        if not _internal:
            warn_typed(2)
        if cls is _NamedStorage:
            raise RuntimeError("only the named storage classes, such as FloatStorage, can be instantiated")
        name = cls.__name__
        if cls is not TypedStorage:
            for keyword, value in (("device", device), ("dtype", dtype)):
                if value is not None:
                    raise RuntimeError(f"{name}: keyword argument '{keyword}' cannot be specified: {name} implies it")
            dtype = cls.dtype
        if wrap_storage is not None:
            if args:
                raise RuntimeError(f"{name}: no positional arguments should be given when using 'wrap_storage'")
            if device is not None:
                raise RuntimeError(f"{name}: 'device' should not be specified when 'wrap_storage' is given")
            if dtype is None:
                raise RuntimeError(f"{name}: argument 'dtype' must be specified with 'wrap_storage'")
            if not isinstance(wrap_storage, UntypedStorage):
                raise TypeError(f"{name}: 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}")
            return typed(wrap_storage, _as_dtype(dtype, name))
        if len(args) > 1:
            raise RuntimeError(f"{name}: takes one positional argument, a size or a sequence, got {len(args)}")
        _check_device(device, name)
        dtype = get_default_dtype() if dtype is None else _as_dtype(dtype, name)
        data = args[0] if args else 0
        if isinstance(data, int) or (hasattr(data, "__index__") and not hasattr(data, "__len__")):
            size = int(data) * dtype.itemsize
            return typed(untyped(UntypedStorage, size), dtype)
        from collections.abc import Sequence

        if not isinstance(data, Sequence):
            raise TypeError(f"{name}: expected an int size or a sequence of numbers, got {type(data)}")
        from stridecore import tensor

        return typed(tensor(data, dtype=dtype).contiguous().untyped_storage(), dtype)

    def _elements(self):
        return _on(self._untyped_storage, self.dtype)

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if isinstance(index, bool):
            raise TypeError(f"can't index a {type(self)} with {type(index)}")
        if not -self.size() <= index < self.size():
            raise IndexError(f"index {index} out of range for storage of size {self.size()}")
        return self._elements()[index].item()

    def __setitem__(self, index, value):
        if not isinstance(index, int | slice):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if isinstance(value, StorageImpl | TypedStorageImpl):
            raise RuntimeError(f"cannot set item with value type {type(value)}")
        self._elements()[index] = value

    def fill_(self, value):
        """Set every element to `value`, a number or a 0-dim tensor; returns self.

        >>> import stridecore as sc
        >>> sc.FloatStorage(2).fill_(1.5).tolist()
        [1.5, 1.5]
        """
        self[:] = value
        return self

    def copy_(self, source, non_blocking=None):
        """Copy the bytes of another storage, typed or not, of the same number of bytes; returns self."""
        self._untyped_storage.copy_(source, non_blocking)
        return self

    def clone(self):
        """A copy of the storage with memory of its own."""
        return typed(self._untyped_storage.clone(), self.dtype)

    def resize_(self, size):
        """Give the storage room for `size` elements, keeping the first ones; new ones have unspecified values."""
        if isinstance(size, bool) or not hasattr(size, "__index__"):
            raise RuntimeError(f"resize_ expects an int, but got {type(size).__name__}")
        self._untyped_storage.resize_(size * self.element_size())

    def type(self, dtype=None, non_blocking=False):
        """The name of the class for this dtype; with a storage class or its name, the elements converted to that class.

        >>> import stridecore as sc
        >>> s = sc.FloatStorage([1.5, 2.5])
        >>> s.type(), s.type("stridecore.LongStorage").tolist()
        ('stridecore.FloatStorage', [1, 2])
        """
        mine = class_of(self.dtype)
        if dtype is None:
            return f"stridecore.{mine.__name__}" if mine else "stridecore.storage.TypedStorage"
        return self._as_class(dtype, mine)

    def pickle_storage_type(self):
        """The name under which files know a storage of this dtype: "FloatStorage". KeyError for dtypes without one."""
        name = CLASS_NAMES.get(self.dtype.name)
        if name is None:
            raise KeyError(f"dtype {self.dtype} is not recognized: it has no storage class")
        return name

    _pickle_storage_type = pickle_storage_type

    @classmethod
    def from_file(cls, filename, shared=False, size=0):
        """As UntypedStorage.from_file, with `size` counting elements of a named class's dtype."""
        if cls in (TypedStorage, _NamedStorage):
            raise RuntimeError("from_file can only be called on derived classes, such as stridecore.FloatStorage")
        nbytes = _as_count(size, "size") * cls.dtype.itemsize
        return typed(UntypedStorage.from_file(filename, shared, nbytes), cls.dtype)

    @classmethod
    def from_buffer(cls, buffer, byte_order=None, count=-1, offset=0, dtype=None, device=None):
        """As UntypedStorage.from_buffer; a named class gives its own dtype, TypedStorage takes `dtype=`."""
        if cls is TypedStorage:
            _check_device(device, "from_buffer")
            dtype = get_default_dtype() if dtype is None else dtype
        elif dtype is not None or device is not None:
            raise RuntimeError(
                "from_buffer: 'dtype' and 'device' can only be specified in UntypedStorage.from_buffer and "
                "TypedStorage.from_buffer"
            )
        else:
            dtype = cls.dtype
        return typed(UntypedStorage.from_buffer(buffer, byte_order, count, offset, dtype), dtype)


def _as_count(value, name):
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"from_file(): argument {name!r} must be int, not {type(value).__name__}")
    return value.__index__()


def _as_dtype(value, name):
    if not isinstance(value, Dtype):
        raise TypeError(f"{name}: argument 'dtype' must be stridecore.dtype, not {type(value)}")
    return value


class _StorageMethod(StorageMethodImpl):
    """What `x.storage` is before it is called."""

    __slots__ = ()


core.register(UntypedStorage)
storage_faces.register(TypedStorage, _StorageMethod)


class _NamedStorageType(type):
    """The type of the named classes: an instance is a TypedStorage of their dtype."""

    def __instancecheck__(cls, instance):
        return type(instance) is TypedStorage and cls is not _NamedStorage and instance.dtype is cls.dtype


class _NamedStorage(TypedStorage, metaclass=_NamedStorageType):
    __slots__ = ()


def _named(name, dtype):
    doc = f"{name}(), {name}(size) or {name}(sequence): makes a TypedStorage of {dtype.name} elements."
    body = {"__slots__": (), "__module__": "stridecore", "__doc__": doc, "dtype": dtype, "_dtype": dtype}
    return _NamedStorageType(name, (_NamedStorage,), body)


_CLASSES = {DTYPES[dtype_name]: _named(name, DTYPES[dtype_name]) for dtype_name, name in CLASS_NAMES.items()}
globals().update({cls.__name__: cls for cls in _CLASSES.values()})
Storage = _CLASSES[DTYPES["float32"]]


def class_of(dtype):
    """The named class for a dtype, or None."""
    return _CLASSES.get(dtype)
