"""Tensor types: `Tensor(...)`, the constructors `FloatTensor(...)`, `LongTensor(...)`, ..., and `x.type()`.

A tensor type is a name for a dtype, from the days before dtypes: `FloatTensor([1, 2])` makes a Tensor of float32, and
`isinstance(x, FloatTensor)` asks for that dtype. Every one is made by the same rules as `Tensor(...)`:

    Tensor(2, 3)  Tensor(Size([2, 3]))      sizes: memory that is not set
    Tensor([2, 3])  Tensor(array)           values
    Tensor(x)  Tensor(x.untyped_storage())  the memory of another tensor, or of a storage
"""

from stridecore.core.creation import made_as
from stridecore.core.device import device as Device
from stridecore.core.dtype import dtype as Dtype
from stridecore.core.dtype import get_default_dtype
from stridecore.core.exchange import tensor_on
from stridecore.core.memory_format import names as format_names
from stridecore.core.size import Size
from stridecore.creation import empty, tensor
from stridecore.dtypes import names
from stridecore.storage import TypedStorage, UntypedStorage
from stridecore.tensor import Tensor

# What a tensor type is called by dtype; the first ten have a constructor.
TYPE_NAMES = {
    "float32": "FloatTensor",
    "float64": "DoubleTensor",
    "float16": "HalfTensor",
    "bfloat16": "BFloat16Tensor",
    "uint8": "ByteTensor",
    "int8": "CharTensor",
    "int16": "ShortTensor",
    "int32": "IntTensor",
    "int64": "LongTensor",
    "bool": "BoolTensor",
    "complex32": "ComplexHalfTensor",
    "complex64": "ComplexFloatTensor",
    "complex128": "ComplexDoubleTensor",
    "uint16": "UInt16Tensor",
    "uint32": "UInt32Tensor",
    "uint64": "UInt64Tensor",
    "float8_e4m3fn": "Float8_e4m3fnTensor",
    "float8_e5m2": "Float8_e5m2Tensor",
    "float8_e4m3fnuz": "Float8_e4m3fnuzTensor",
    "float8_e5m2fnuz": "Float8_e5m2fnuzTensor",
    "float8_e8m0fnu": "Float8_e8m0fnuTensor",
}
CONSTRUCTORS = tuple(TYPE_NAMES)[:10]
DTYPES = names()
DTYPE_OF_NAME = {name: DTYPES[dtype_name] for dtype_name, name in TYPE_NAMES.items()}

__all__ = [TYPE_NAMES[dtype_name] for dtype_name in CONSTRUCTORS]


# ---- making ---------------------------------------------------------------------------------------------------


def construct(args, kwargs, dtype, name, any_dtype=False):
    """The tensor that the constructor called `name`, for this dtype, makes of its arguments.

    With `any_dtype` another tensor may be of any dtype, and keeps it.
    """
    device = kwargs.pop("device", None)
    if device is not None:
        Device(device)
    if kwargs:
        keyword, value = kwargs.popitem()
        if args or kwargs or keyword not in ("size", "data", "other", "storage"):
            raise TypeError(f"{name}: got an invalid combination of arguments: positional {len(args)}, {keyword}=")
        if keyword == "size" and not isinstance(value, tuple | list):
            raise TypeError(f"{name}: size must be a tuple of ints, not {type(value).__name__}")
        return empty(value, dtype=dtype) if keyword == "size" else _of_one(value, dtype, name, any_dtype)
    if not args:
        return empty(0, dtype=dtype)
    if len(args) == 1:
        return _of_one(args[0], dtype, name, any_dtype)
    if isinstance(args[0], tuple | list):
        raise TypeError(f"{name}: takes sizes, {name}(2, 3), or one sequence of values, {name}([2, 3])")
    return empty(*args, dtype=dtype)


def _of_one(value, dtype, name, any_dtype):
    if isinstance(value, Tensor):
        if value.dtype is not dtype and not any_dtype:
            raise TypeError(f"{name}: expected a tensor of {dtype}, got {value.dtype}; use .to({dtype})")
        return value.alias()
    if isinstance(value, TypedStorage):
        if value.dtype is not dtype:
            raise RuntimeError(f"{name}: Expected a Storage of type {dtype} or an UntypedStorage, got {value.dtype}")
        value = value.untyped()
    if isinstance(value, UntypedStorage):
        return tensor_on(value, dtype, 0, (value.nbytes() // dtype.itemsize,), (1,))
    if isinstance(value, Size):
        return empty(value, dtype=dtype)
    if isinstance(value, str | bytes):
        return tensor(value, dtype=dtype)
    if _is_int(value):
        return empty(value, dtype=dtype)
    if not hasattr(value, "__getitem__") or not hasattr(value, "__len__") or hasattr(value, "keys"):
        raise TypeError(f"{name}: data must be a sequence (got {type(value).__name__})")
    return tensor(value, dtype=dtype)


def _is_int(value):
    """An int, or NumPy's scalar or 0-dim array of one; floats there have an __index__ too."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or getattr(value, "ndim", 0) != 0:
        return False
    return getattr(getattr(value, "dtype", None), "kind", "i") in "iu"


def _new(cls, *args, **kwargs):
    """Tensor(2, 3), Tensor(values), Tensor(tensor) or Tensor(storage): see stridecore.tensor_types."""
    made = construct(args, kwargs, get_default_dtype(), cls.__name__, any_dtype=True)
    return made if cls is Tensor else made_as(made, cls)


Tensor.__new__ = staticmethod(_new)


class TensorType(type):
    """The type of FloatTensor and its kin: they make tensors of their dtype, and an instance is any of that dtype."""

    is_cuda = is_sparse = False
    layout = format_names()["strided"]

    def __call__(cls, *args, **kwargs):
        return construct(args, kwargs, cls.dtype, cls.__name__)

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype


def _tensor_type(name, dtype):
    doc = f"{name}(2, 3), {name}(values), {name}(tensor) or {name}(storage): a Tensor of {dtype.name}."
    return TensorType(name, (), {"__module__": "stridecore", "__slots__": (), "__doc__": doc, "dtype": dtype})


for _dtype_name in CONSTRUCTORS:
    globals()[TYPE_NAMES[_dtype_name]] = _tensor_type(TYPE_NAMES[_dtype_name], DTYPES[_dtype_name])


# ---- methods of Tensor ----------------------------------------------------------------------------------------


def _dtype_of_type(wanted):
    if isinstance(wanted, TensorType):
        return wanted.dtype
    if wanted is Tensor:
        return get_default_dtype()
    if isinstance(wanted, str):
        module, _, name = wanted.rpartition(".")
        if module in ("stridecore", "torch") and name == "Tensor":
            return get_default_dtype()
        if module in ("stridecore", "torch") and name in DTYPE_OF_NAME:
            return DTYPE_OF_NAME[name]
    elif not isinstance(wanted, type):
        raise TypeError(f"type: dtype must be a type, str, or dtype object, not {type(wanted).__name__}")
    raise ValueError(f"type: invalid type: {wanted!r}. Use a dtype, or a name such as 'stridecore.FloatTensor'")


class _Methods:
    def new(self, *args, **kwargs):
        """x.new(2, 3), x.new(values), x.new(tensor) or x.new(storage): a tensor of x's dtype.

        TypeError for a tensor of another dtype. new_empty, new_tensor and their kin say more clearly what they do.

        >>> import stridecore as sc
        >>> sc.arange(2).new([1.5, 2.5])
        tensor([1, 2])
        """
        made = construct(args, kwargs, self.dtype, "new")
        return made if type(self) is Tensor else made.as_subclass(type(self))

    def type(self, dtype=None, non_blocking=False):
        """The name of the tensor's type, or, given one, the tensor converted to it.

        `dtype` is a dtype, a tensor type or the name of one, with "stridecore." or "torch." in front. The tensor
        itself is returned if it has that dtype.

        >>> import stridecore as sc
        >>> x = sc.zeros(2)
        >>> x.type(), x.type("stridecore.LongTensor"), x.type(sc.int8).dtype
        ('stridecore.FloatTensor', tensor([0, 0]), stridecore.int8)
        """
        if dtype is None:
            return f"stridecore.{TYPE_NAMES[self.dtype.name]}"
        if not isinstance(dtype, Dtype):
            dtype = _dtype_of_type(dtype)
        return self.to(dtype=dtype)


for _name in ("new", "type"):
    _method = _Methods.__dict__[_name]
    _method.__qualname__ = f"Tensor.{_name}"
    setattr(Tensor, _name, _method)
