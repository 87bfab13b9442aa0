"""The names that pickles may use, and what they make here: a closed table.

`calls` maps (module, name) to a function (machine, args) -> value, `values` to what a name is without a call. Names
that are in neither are inert. The functions get arguments that may be anything, and never call anything from the file.
"""

from collections import Counter, OrderedDict, defaultdict, deque

import stridecore
from stridecore.checkpoint import limits, numpy_values, rebuild
from stridecore.checkpoint.composites import QuantizedTensor, SparseTensor
from stridecore.checkpoint.errors import CheckpointError
from stridecore.checkpoint.lazy import LazyTensor
from stridecore.checkpoint.rebuild import StorageType
from stridecore.checkpoint.stubs import Global, Stub

__all__ = ["TORCH", "Known", "wrong"]


class Known:
    """Known(calls, values, inert): the table; `inert` are names that are understood and deliberately left as stubs."""

    def __init__(self, calls, values, inert=()):
        self.calls = calls
        self.values = values
        self.left_inert = frozenset(inert)

    def inert(self, name):
        """Whether unknown="error" lets this Global pass although nothing is made of it."""
        return (name.module, name.name) in self.left_inert

    def build(self, machine, target, state, memo):
        """BUILD on something that is no stub."""
        if type(target) is OrderedDict:
            return _set_attributes(target, state)
        if isinstance(target, stridecore.Tensor | LazyTensor):
            # The oldest files: an empty tensor, then its storage. Attributes of parameters have no place here.
            if type(state) is tuple and len(state) >= 4 and machine.builder.is_typed(state[0]):
                return machine.replace(memo, target, rebuild.rebuild_tensor(machine, state[:4]))
            return target
        if isinstance(target, QuantizedTensor | SparseTensor):
            return target
        built = numpy_values.build(machine, target, state, memo)
        if built is None:
            raise CheckpointError(f"an object of type {type(target).__name__} is given a state")
        return built


def _set_attributes(target, state):
    """OrderedDict keeps attributes, as torch's `state_dict()._metadata`; none may hide one of its own."""
    if type(state) is not dict:
        raise CheckpointError(f"the attributes of an OrderedDict are a dict, not {type(state).__name__}")
    for name, value in state.items():
        if type(name) is not str or not name.isidentifier() or name.startswith("__") or hasattr(OrderedDict, name):
            raise CheckpointError(f"an OrderedDict can't have the attribute {str(name)[:80]!r}")
        target.__dict__[name] = value
    return target


# ---- plain Python -------------------------------------------------------------------------------------------------


def wrong(what, args):
    """The error of a call with arguments that the function doesn't take."""
    kinds = ", ".join(type(value).__name__ for value in args[:8])
    return CheckpointError(f"{what} of {len(args)} arguments ({kinds})")


def _sequence(machine, args, what):
    """The one optional argument: a list, tuple or set whose elements are copied."""
    if not args:
        return ()
    if len(args) == 1 and type(args[0]) in (list, tuple, set, frozenset):
        machine.spend(limits.PART_BYTES * len(args[0]))
        return args[0]
    raise wrong(what, args)


def _pairs(machine, args, what):
    pairs = _sequence(machine, args, what) if not args or type(args[0]) is not dict else list(args[0].items())
    if type(args and args[0]) is dict:
        machine.spend(limits.PART_BYTES * len(pairs))
    flat = []
    for pair in pairs:
        if type(pair) not in (tuple, list) or len(pair) != 2:
            raise wrong(what, args)
        flat += pair
    return flat


def _ordered_dict(machine, args):
    made = OrderedDict()
    if args:
        machine.set_items(made, _pairs(machine, args, "OrderedDict"))
    return made


def _dict(machine, args):
    made = {}
    machine.set_items(made, _pairs(machine, args, "dict"))
    return made


def _counter(machine, args):
    made = Counter()
    machine.set_items(made, _pairs(machine, args, "Counter"))
    return made


FACTORIES = {"list": list, "dict": dict, "set": set, "int": int, "float": float, "str": str, "bool": bool}


def _defaultdict(machine, args):
    """The factory is kept if it is one of Python's plain types."""
    if len(args) > 2:
        raise wrong("defaultdict", args)
    factory = args[0] if args else None
    name = factory.name if type(factory) is Global and factory.module == "builtins" else None
    made = defaultdict(FACTORIES.get(name))
    machine.set_items(made, _pairs(machine, args[1:], "defaultdict"))
    return made


def _deque(machine, args):
    if len(args) == 2 and (args[1] is None or (type(args[1]) is int and 0 <= args[1] < 2**31)):
        return deque(_sequence(machine, args[:1], "deque"), args[1])
    return deque(_sequence(machine, args, "deque"))


def _set(machine, args):
    items = list(_sequence(machine, args, "set"))
    for item in items:
        machine.check_key(item)
    return set(items)


def _frozenset(machine, args):
    return frozenset(_set(machine, args))


def _list(machine, args):
    return list(_sequence(machine, args, "list"))


def _tuple(machine, args):
    return tuple(_sequence(machine, args, "tuple"))


def _number(machine, args, kind, kinds):
    if not args:
        return kind()
    if len(args) == 1 and type(args[0]) in kinds and (type(args[0]) is not int or abs(args[0]) < 2**1000):
        try:
            return kind(args[0])
        except (OverflowError, ValueError):
            pass
    raise wrong(kind.__name__, args)


def _complex(machine, args):
    if len(args) == 2 and all(type(part) in (float, int) for part in args):
        real, imag = (_number(machine, (part,), float, (float, int)) for part in args)
        return complex(real, imag)
    return _number(machine, args, complex, (float, int, complex))


def _bytes(machine, args):
    """bytes() and bytearray() as pickles of all protocols spell them: of bytes, of latin-1 text, of a list of ints."""
    if not args:
        return b""
    if len(args) == 1 and type(args[0]) in (bytes, bytearray):
        machine.spend(len(args[0]))
        return bytes(args[0])
    if len(args) == 2 and type(args[0]) is str:
        return _encode(machine, args)
    if len(args) == 1 and type(args[0]) in (list, tuple):
        machine.spend(limits.PART_BYTES * len(args[0]))
        if all(type(value) is int and 0 <= value < 256 for value in args[0]):
            return bytes(args[0])
    raise wrong("bytes", args)


def _bytearray(machine, args):
    return bytearray(_bytes(machine, args))


def _encode(machine, args):
    """_codecs.encode(text, "latin1"), which is how protocol 2 writes bytes."""
    if not 1 <= len(args) <= 2 or any(type(arg) is not str for arg in args):
        raise wrong("encode", args)
    codec = args[1].lower().replace("-", "").replace("_", "") if len(args) == 2 else "utf8"
    machine.spend(len(args[0]))
    if codec not in ("latin1", "utf8", "ascii"):
        raise CheckpointError(f"text is encoded as {args[1][:40]!r}; latin1, utf-8 and ascii are known")
    try:
        return args[0].encode(codec)
    except UnicodeEncodeError:
        raise CheckpointError(f"text can't be encoded as {codec}") from None


def _slice(machine, args):
    if 1 <= len(args) <= 3 and all(type(arg) is int or arg is None for arg in args):
        return slice(*args)
    raise wrong("slice", args)


def _range(machine, args):
    if 1 <= len(args) <= 3 and all(type(arg) is int for arg in args) and (len(args) < 3 or args[2]):
        return range(*args)
    raise wrong("range", args)


def _reconstructor(machine, args):
    """copyreg._reconstructor(class, base, state): protocols 0 and 1 make objects this way."""
    if args and type(args[0]) is Global and len(args) == 3:
        return machine.call(args[0], () if args[2] is None else (args[2],))
    raise wrong("_reconstructor", args)


PYTHON = {
    ("collections", "OrderedDict"): _ordered_dict,
    ("collections", "Counter"): _counter,
    ("collections", "defaultdict"): _defaultdict,
    ("collections", "deque"): _deque,
    ("builtins", "dict"): _dict,
    ("builtins", "set"): _set,
    ("builtins", "frozenset"): _frozenset,
    ("builtins", "list"): _list,
    ("builtins", "tuple"): _tuple,
    ("builtins", "complex"): _complex,
    ("builtins", "int"): lambda machine, args: _number(machine, args, int, (int, bool)),
    ("builtins", "float"): lambda machine, args: _number(machine, args, float, (float, int)),
    ("builtins", "bool"): lambda machine, args: _number(machine, args, bool, (bool, int)),
    ("builtins", "bytes"): _bytes,
    ("builtins", "bytearray"): _bytearray,
    ("builtins", "slice"): _slice,
    ("builtins", "range"): _range,
    ("_codecs", "encode"): _encode,
    ("copyreg", "_reconstructor"): _reconstructor,
}


# ---- torch --------------------------------------------------------------------------------------------------------


def _size(machine, args):
    if len(args) != 1:
        raise wrong("Size", args)
    machine.spend(limits.PART_BYTES * len(args[0]) if isinstance(args[0], tuple | list) else 0)
    return rebuild.size_of(args[0])


def _device(machine, args):
    """A device of the CPU; what was on others is named by a stub."""
    plain = all(type(part) in (str, int, type(None)) for part in args)
    if plain and args in (("cpu",), ("cpu", 0), ("cpu", None)):
        return stridecore.device("cpu")
    return Stub(Global("torch", "device"), args)


def _layout(machine, args):
    name = args[0].removeprefix("torch.") if len(args) == 1 and type(args[0]) is str else ""
    if name in ("strided", "sparse_coo"):
        return getattr(stridecore, name)
    if name in rebuild.COMPRESSED:
        return Global("torch", name)
    raise wrong("_get_layout", args)


def _tensor(name):
    """torch.FloatTensor(): empty; its storage comes as its state."""

    def empty(machine, args):
        if args and not (len(args) == 1 and type(args[0]) is tuple and not args[0]):
            return rebuild.rebuild_parameter(machine, args[:1])
        dtype = getattr(stridecore, name) if name else stridecore.get_default_dtype()
        nothing = machine.builder.storage((), 0, "cpu", lambda: stridecore.UntypedStorage(0))
        return machine.builder.tensor(nothing, dtype, 0, (0,), (1,))

    return empty


def _from_type(machine, args):
    """_rebuild_from_type_v2(function, class, args, state): the tensor, or for a class of its own a stub around it."""
    if len(args) != 4 or type(args[0]) is not Global or type(args[1]) is not Global:
        raise wrong("_rebuild_from_type", args)
    function, cls, inner, state = args
    made = machine.call(function, inner) if function.module == "torch._utils" else Stub(function, inner)
    if (cls.module, cls.name) in PLAIN_TENSORS:
        return made
    stub = Stub(cls, (made,))
    stub.state = state
    return stub


def _to_device(machine, args):
    """_rebuild_device_tensor_from_cpu_tensor(data, dtype, device, requires_grad): the data, a tensor or an array."""
    if len(args) != 4:
        raise wrong("_rebuild_device_tensor", args)
    if numpy_values.is_array(args[0]):
        try:
            return stridecore.from_numpy(args[0])
        except (TypeError, ValueError) as error:
            raise CheckpointError(f"no tensor can be made of a numpy array: {error}") from None
    return rebuild.tensor_of(args[0])


PLAIN_TENSORS = {
    ("torch", "Tensor"),
    ("torch._tensor", "Tensor"),
    ("torch.tensor", "Tensor"),
    ("torch.nn.parameter", "Parameter"),
    ("torch.nn", "Parameter"),
    ("torch.nn.parameter", "Buffer"),
    ("torch.nn", "Buffer"),
}

REBUILDS = {
    "_rebuild_tensor": rebuild.rebuild_tensor,
    "_rebuild_tensor_v2": rebuild.rebuild_tensor,
    "_rebuild_tensor_v3": rebuild.rebuild_tensor_v3,
    "_rebuild_parameter": rebuild.rebuild_parameter,
    "_rebuild_parameter_with_state": rebuild.rebuild_parameter,
    "_rebuild_qtensor": rebuild.rebuild_qtensor,
    "_rebuild_sparse_tensor": rebuild.rebuild_sparse,
    "_rebuild_nested_tensor": rebuild.rebuild_nested,
    "_rebuild_meta_tensor_no_storage": rebuild.rebuild_meta,
}

TENSOR_NAMES = {
    "Tensor": None,
    "DoubleTensor": "float64",
    "FloatTensor": "float32",
    "HalfTensor": "float16",
    "BFloat16Tensor": "bfloat16",
    "LongTensor": "int64",
    "IntTensor": "int32",
    "ShortTensor": "int16",
    "CharTensor": "int8",
    "ByteTensor": "uint8",
    "BoolTensor": "bool",
}

STORAGES = {
    "DoubleStorage": StorageType(stridecore.float64),
    "FloatStorage": StorageType(stridecore.float32),
    "HalfStorage": StorageType(stridecore.float16),
    "BFloat16Storage": StorageType(stridecore.bfloat16),
    "LongStorage": StorageType(stridecore.int64),
    "IntStorage": StorageType(stridecore.int32),
    "ShortStorage": StorageType(stridecore.int16),
    "CharStorage": StorageType(stridecore.int8),
    "ByteStorage": StorageType(stridecore.uint8),
    "BoolStorage": StorageType(stridecore.bool),
    "ComplexDoubleStorage": StorageType(stridecore.complex128),
    "ComplexFloatStorage": StorageType(stridecore.complex64),
    "UntypedStorage": StorageType(stridecore.uint8),
    "QInt8Storage": StorageType(stridecore.int8, "qint8"),
    "QInt32Storage": StorageType(stridecore.int32, "qint32"),
    "QUInt8Storage": StorageType(stridecore.uint8, "quint8"),
    "QUInt4x2Storage": StorageType(stridecore.uint8, "quint4x2", packed=2),
    "QUInt2x4Storage": StorageType(stridecore.uint8, "quint2x4", packed=4),
}

SCHEMES = (
    "per_tensor_affine per_tensor_symmetric per_channel_affine per_channel_symmetric per_channel_affine_float_qparams"
).split()

TORCH = Known(
    {
        **PYTHON,
        **numpy_values.CALLS,
        **{("torch._utils", name): function for name, function in REBUILDS.items()},
        **{("torch", name): _tensor(dtype) for name, dtype in TENSOR_NAMES.items()},
        **{("torch.cuda", name): _tensor(dtype) for name, dtype in TENSOR_NAMES.items()},
        **{key: _tensor(None) for key in PLAIN_TENSORS},
        ("torch._tensor", "_rebuild_from_type_v2"): _from_type,
        ("torch._tensor", "_rebuild_from_type"): _from_type,
        ("torch.tensor", "_rebuild_from_type"): _from_type,
        ("torch._utils", "_rebuild_device_tensor_from_cpu_tensor"): _to_device,
        ("torch._utils", "_rebuild_device_tensor_from_numpy"): _to_device,
        ("torch._utils", "_rebuild_xla_tensor"): _to_device,
        ("torch.serialization", "_get_layout"): _layout,
        ("torch", "Size"): _size,
        ("torch", "device"): _device,
    },
    {
        **numpy_values.VALUES,
        **{("torch", name): getattr(stridecore, name) for name in stridecore.dtypes.names()},
        **{
            (module, name): kind
            for module in ("torch", "torch.cuda", "torch.storage")
            for name, kind in STORAGES.items()
        },
    },
    {
        ("torch._C", "Generator"),
        ("torch", "Generator"),
        ("builtins", "str"),
        *(("torch", name) for name in (*SCHEMES, *rebuild.STORED_AS)),
        *(("torch", name) for name in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")),
    },
)
