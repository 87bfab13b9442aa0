"""Tensors from what a file says of them. Whatever the way, `check_geometry` is the one door to a storage.

A Builder turns descriptions into objects: EagerBuilder into Tensors, LazyBuilder into LazyTensors. The functions
`rebuild_…` are what pickles call by torch's names for them; they get the arguments that the file gives, which may be
anything.
"""

import stridecore
from stridecore.checkpoint import limits
from stridecore.checkpoint.composites import MetaTensor, NestedTensor, QuantizedTensor, SparseTensor
from stridecore.checkpoint.errors import CheckpointError
from stridecore.checkpoint.lazy import LazyStorage, LazyTensor, place
from stridecore.checkpoint.stubs import Global, Stub

__all__ = ["EagerBuilder", "LazyBuilder", "ScoutingBuilder", "StorageType", "TypedBytes", "check_geometry"]

INT64_MAX = 2**63 - 1
empty = stridecore.empty


def check_geometry(offset, size, stride, itemsize, nbytes):
    """Refuse sizes, strides and an offset (in elements) that do not stay inside `nbytes` bytes.

    sizes (2, 3), strides (4, 1), offset 1 of float32 reach the elements 1 to 1 + 1 * 4 + 2 * 1 = 7: 32 bytes needed.
    All are ints of 64 bits, none negative; the bytes of all elements together fit 63 bits.
    """
    if type(offset) is not int or type(size) is not tuple or type(stride) is not tuple:
        raise CheckpointError(
            f"a tensor's offset, size and stride are an int and two tuples, not {type(offset).__name__}, "
            f"{type(size).__name__} and {type(stride).__name__}"
        )
    if len(size) != len(stride) or len(size) > limits.DIMS:
        raise CheckpointError(
            f"a tensor of {len(size)} sizes and {len(stride)} strides; both are as many, at most {limits.DIMS}"
        )
    count, last = itemsize, offset
    for n, step in zip(size, stride):  # noqa: B905 they are equally long
        if type(n) is not int or type(step) is not int:
            raise CheckpointError(f"a size of type {type(n).__name__} and a stride of type {type(step).__name__}")
        if n < 0 or step < 0 or n > INT64_MAX or step > INT64_MAX:
            raise CheckpointError(f"a dim of size {n} and stride {step}: both must be in [0, 2**63)")
        count *= n
        last += (n - 1) * step
    if not 0 <= offset <= INT64_MAX or count > INT64_MAX:
        raise CheckpointError(f"storage_offset {offset} and size {size}: more than 2**63 bytes")
    if count and (last + 1) * itemsize > nbytes:
        raise CheckpointError(
            f"size {size}, stride {stride} and storage_offset {offset} need {(last + 1) * itemsize} bytes; the storage "
            f"has {nbytes}"
        )
    if not count:  # Strides and sizes of nothing reach nothing, but their products must still fit.
        products = 1
        for n in size:
            products *= n or 1
        if products * itemsize > INT64_MAX:
            raise CheckpointError(f"size {size}: its strides would not fit 63 bits")


class Carried(BaseException):
    """Takes an exception of the caller's map_location past the handlers for what files cause."""

    def __init__(self, error):
        super().__init__(error)
        self.error = error


class StorageType:
    """What a storage class says: the dtype here, and torch's name for it if it is one that is only stored here."""

    __slots__ = ("dtype", "known_as", "packed")

    def __init__(self, dtype, known_as=None, packed=1):
        self.dtype = dtype
        self.known_as = known_as
        self.packed = packed  # values in one element of dtype


def dtype_of(value):
    """The stridecore dtype that a value of the file is."""
    if isinstance(value, stridecore.dtype):
        return value
    if type(value) is Global and value.module == "torch" and value.name in STORED_AS:
        return getattr(stridecore, STORED_AS[value.name])
    raise CheckpointError(f"a dtype was expected, not {_shown(value)}")


# dtypes that are only stored here, by the dtype that holds their bits
STORED_AS = {
    "bits8": "uint8",
    "bits16": "uint16",
    "bits1x8": "uint8",
    "bits2x4": "uint8",
    "bits4x2": "uint8",
    "float4_e2m1fn_x2": "uint8",
    **{f"int{bits}": "int8" for bits in range(1, 8)},
    **{f"uint{bits}": "uint8" for bits in range(1, 8)},
}


def _shown(value):
    return repr(value)[:80] if isinstance(value, str | int | float | Global | Stub) else type(value).__name__


class TypedBytes:
    """A storage with the dtype that the file gives it, before a tensor is made of it."""

    __slots__ = ("storage", "type")

    def __init__(self, storage, type):
        self.storage = storage
        self.type = type


# ---- builders -------------------------------------------------------------------------------------------------


class LazyBuilder:
    """Makes LazyStorages and LazyTensors. `encoding` is that of Python 2's strings."""

    encoding = "utf-8"

    def __init__(self):
        self.storages = {}
        self.count = 0

    def storage(self, key, nbytes, location, read):
        """The storage of this key: made at its first mention, and the same at every later one."""
        made = self.storages.get(key)
        if made is None:
            made = self.storages[key] = self.new_storage(key, nbytes, location, read)
        elif made.nbytes() != nbytes:
            raise CheckpointError(f"storage {key!r} has {made.nbytes()} bytes at its first mention, and later {nbytes}")
        return made

    def new_storage(self, key, nbytes, location, read):
        """The storage that `read()` gives."""
        return LazyStorage(key, nbytes, location, read)

    def part(self, storage, start, nbytes):
        """A storage over some of another's bytes."""
        return LazyStorage(storage.key, nbytes, storage.location, lambda: storage.load()[start : start + nbytes])

    def typed(self, storage, kind):
        """What a persistent id of a storage becomes; `kind` is a StorageType."""
        return TypedBytes(storage, kind)

    def untyped(self, value):
        """(storage, StorageType) of what `typed` gave; CheckpointError for everything else."""
        if type(value) is not TypedBytes:
            raise CheckpointError(f"a tensor is rebuilt on a storage, not on {_shown(value)}")
        return value.storage, value.type

    def is_typed(self, value):
        """Whether `typed` may have made this."""
        return type(value) is TypedBytes

    def tensor(self, storage, dtype, offset, size, stride, bits=()):
        """A tensor, after the check."""
        check_geometry(offset, size, stride, dtype.itemsize, storage.nbytes())
        self.count += 1
        if self.count > limits.TENSORS:
            raise CheckpointError(f"more than {limits.TENSORS} tensors")
        return self.new_tensor(storage, dtype, offset, size, stride, bits)

    def new_tensor(self, storage, dtype, offset, size, stride, bits):
        """The tensor of a checked geometry."""
        return LazyTensor(storage, dtype, offset, size, stride, bits)

    def sparse(self, indices, values, size, coalesced):
        """A tensor of layout sparse_coo."""
        return SparseTensor("sparse_coo", size, {"indices": indices, "values": values}, coalesced)


class ScoutingBuilder(LazyBuilder):
    """Remembers in `dtypes` the dtype of the first tensor on each storage, by the storage's key."""

    def __init__(self):
        super().__init__()
        self.dtypes = {}

    def new_tensor(self, storage, dtype, offset, size, stride, bits):
        self.dtypes.setdefault(storage.key, dtype)
        return super().new_tensor(storage, dtype, offset, size, stride, bits)


class EagerBuilder(LazyBuilder):
    """Makes UntypedStorages and Tensors. `restore(storage, location)` is what map_location asks for."""

    def __init__(self, restore=None):
        super().__init__()
        self.restore = restore

    def new_storage(self, key, nbytes, location, read):
        made = read()
        if self.restore is None:
            return made
        try:
            return self.restore(made, location)
        except Exception as error:  # the caller's, not the file's
            raise Carried(error) from None

    def part(self, storage, start, nbytes):
        return storage[start : start + nbytes]

    def typed(self, storage, kind):
        """A TypedStorage, which is what stays in the result if no tensor is made of it."""
        if kind.known_as is not None:
            return TypedBytes(storage, kind)
        return empty(0, dtype=kind.dtype).set_(storage)._typed_storage()

    def untyped(self, value):
        if type(value) is stridecore.TypedStorage:
            return value.untyped(), value  # a TypedStorage has a dtype, as a StorageType has
        return super().untyped(value)

    def is_typed(self, value):
        return type(value) is stridecore.TypedStorage or super().is_typed(value)

    def new_tensor(self, storage, dtype, offset, size, stride, bits):
        if bits:
            return place(storage, dtype, offset, size, stride, bits)
        return empty(0, dtype=dtype).set_(storage, offset, size, stride)

    def sparse(self, indices, values, size, coalesced):
        try:
            return stridecore.sparse_coo_tensor(
                indices, values, size, check_invariants=True, is_coalesced=coalesced or None
            )
        except (RuntimeError, TypeError, ValueError, IndexError) as error:
            raise CheckpointError(f"a sparse tensor of size {tuple(size)}: {error}") from None


# ---- what pickles call ------------------------------------------------------------------------------------------


def _count(args, low, high, name):
    if not low <= len(args) <= high:
        raise CheckpointError(f"{name}: {len(args)} arguments; there are {low} to {high}")


def _bits(metadata):
    """The lazy bits of a tensor's metadata: {"conj": True} gives ("conj",)."""
    if metadata is None:
        return ()
    if type(metadata) is not dict or not all(
        type(k) is str and k in ("conj", "neg") and type(v) is bool for k, v in metadata.items()
    ):
        raise CheckpointError(f"a tensor's metadata says conj and neg, not {_shown(metadata)}")
    return tuple(name for name, value in metadata.items() if value)


def _with_bits(builder, storage, dtype, offset, size, stride, metadata):
    bits = _bits(metadata)
    if ("conj" in bits and not dtype.is_complex) or ("neg" in bits and dtype is stridecore.bool):
        raise CheckpointError(f"a tensor of {dtype} can't have the bits {bits}")
    return builder.tensor(storage, dtype, offset, size, stride, bits)


def rebuild_tensor(machine, args):
    """(storage, offset, size, stride), and what torch's v2 adds: requires_grad, hooks, metadata."""
    if not 4 <= len(args) <= 7:
        _count(args, 4, 7, "_rebuild_tensor")
    builder = machine.builder
    storage, kind = builder.untyped(args[0])
    if len(args) == 7 and args[6] is not None:
        return _with_bits(builder, storage, kind.dtype, *args[1:4], args[6])
    return builder.tensor(storage, kind.dtype, args[1], args[2], args[3])


def rebuild_tensor_v3(machine, args):
    """(storage, offset, size, stride, requires_grad, hooks, dtype, metadata): the dtype is not the storage's."""
    _count(args, 7, 8, "_rebuild_tensor_v3")
    storage, _ = machine.builder.untyped(args[0])
    return _with_bits(machine.builder, storage, dtype_of(args[6]), *args[1:4], args[7] if len(args) == 8 else None)


def rebuild_parameter(machine, args):
    """(data, requires_grad, hooks, state): the data."""
    _count(args, 1, 4, "_rebuild_parameter")
    return tensor_of(args[0])


def tensor_of(value):
    """A value of the file that must be a tensor."""
    if not isinstance(value, stridecore.Tensor | LazyTensor | QuantizedTensor | SparseTensor | MetaTensor | Stub):
        raise CheckpointError(f"a tensor was expected, not {_shown(value)}")
    return value


def _strided(value, what):
    if type(value) is not LazyTensor and not (isinstance(value, stridecore.Tensor) and not value.is_sparse):
        raise CheckpointError(f"{what}: a strided tensor was expected, not {_shown(value)}")
    return value


def rebuild_qtensor(machine, args):
    """(storage, offset, size, stride, (scheme, …), requires_grad, hooks)."""
    _count(args, 7, 7, "_rebuild_qtensor")
    builder, scheme = machine.builder, args[4]
    storage, stored = builder.untyped(args[0])
    kind = scheme[0].name if type(scheme) is tuple and scheme and type(scheme[0]) is Global else None
    if not isinstance(stored, StorageType):
        stored = StorageType(stored.dtype)
    known_as = stored.known_as or stored.dtype.name
    if stored.packed > 1:
        data = _packed(builder, storage, stored, *args[1:4])
    else:
        data = builder.tensor(storage, stored.dtype, *args[1:4])
    if kind in ("per_tensor_affine", "per_tensor_symmetric") and len(scheme) == 3:
        _, scale, zero_point = scheme
        if type(scale) not in (float, int) or type(zero_point) is not int:
            raise CheckpointError(f"scale {_shown(scale)} and zero point {_shown(zero_point)}; they are numbers")
        return QuantizedTensor(data, known_as, kind, float(scale), zero_point)
    if kind in PER_CHANNEL and len(scheme) == 4:
        _, scales, zero_points, axis = scheme
        if type(axis) is not int or not 0 <= axis < len(args[2]):
            raise CheckpointError(f"a quantised tensor of size {args[2]} with the channel dim {_shown(axis)}")
        kinds = ("float64", "int64") if kind == "per_channel_affine" else ("float32", "float32")
        machine.spend(limits.PART_BYTES * sum(len(part) for part in (scales, zero_points) if type(part) is list))
        parts = [_channel(part, args[2][axis], name) for part, name in zip((scales, zero_points), kinds, strict=True)]
        return QuantizedTensor(data, known_as, kind, *parts, axis)
    raise CheckpointError(f"a quantised tensor with the scheme {_shown(kind)}")


PER_CHANNEL = ("per_channel_affine", "per_channel_symmetric", "per_channel_affine_float_qparams")


def _packed(builder, storage, stored, offset, size, stride):
    """The bytes of a contiguous tensor with several values a byte, as a tensor of one dim."""
    check_geometry(offset, size, stride, 1, storage.nbytes() * stored.packed)
    count = 1
    for n in size:
        count *= n
    if offset % stored.packed:
        raise CheckpointError(f"storage_offset {offset} is in the middle of a byte")
    return builder.tensor(storage, stored.dtype, offset // stored.packed, (-(-count // stored.packed),), (1,))


def _channel(values, length, dtype):
    """Scales or zero points: a tensor of `length` elements; lists of numbers become one."""
    if type(values) is list:
        if len(values) != length or not all(type(v) in (int, float) and abs(v) < 2**63 for v in values):
            raise CheckpointError(f"{len(values)} scales or zero points for {length} channels")
        return stridecore.tensor(values, dtype=getattr(stridecore, dtype))
    if _strided(values, "_rebuild_qtensor").numel() != length:
        raise CheckpointError(f"{values.numel()} scales or zero points for {length} channels")
    return values


COMPRESSED = {
    "sparse_csr": ("crow_indices", "col_indices"),
    "sparse_bsr": ("crow_indices", "col_indices"),
    "sparse_csc": ("ccol_indices", "row_indices"),
    "sparse_bsc": ("ccol_indices", "row_indices"),
}


def rebuild_sparse(machine, args):
    """(layout, (tensors…, size)): COO has indices and values, the compressed layouts two kinds of indices."""
    _count(args, 2, 2, "_rebuild_sparse_tensor")
    layout, data = args
    name = layout.name if type(layout) is Global else str(layout).removeprefix("stridecore.").removeprefix("torch.")
    if type(data) is tuple and name == "sparse_coo" and len(data) in (3, 4):
        indices, values, size = _strided(data[0], name), _strided(data[1], name), size_of(data[2])
        coalesced = data[3] if len(data) == 4 else None
        machine.spend(indices.nbytes // 16)  # they will be looked at
        if len(size) > limits.DIMS:
            raise CheckpointError(f"sparse_coo: {len(size)} dims; at most {limits.DIMS} are possible")
        if type(coalesced) is not bool and coalesced is not None:
            raise CheckpointError(f"sparse_coo: is_coalesced is {_shown(coalesced)}")
        return machine.builder.sparse(indices, values, size, coalesced)
    if type(data) is tuple and name in COMPRESSED and len(data) == 4:
        names = (*COMPRESSED[name], "values")
        parts = {part: _strided(value, name) for part, value in zip(names, data, strict=False)}
        return SparseTensor(name, size_of(data[3]), parts)
    raise CheckpointError(f"a sparse tensor of layout {_shown(name)} and {_shown(data)}")


def rebuild_nested(machine, args):
    """(values, sizes, strides, offsets): strided tensors."""
    _count(args, 4, 4, "_rebuild_nested_tensor")
    values, sizes, strides, offsets = (_strided(value, "_rebuild_nested_tensor") for value in args)
    if sizes.dim() != 2 or tuple(sizes.shape) != tuple(strides.shape) or tuple(offsets.shape) != (sizes.shape[0],):
        raise CheckpointError(
            f"a nested tensor with sizes of shape {tuple(sizes.shape)}, strides of shape {tuple(strides.shape)} and "
            f"offsets of shape {tuple(offsets.shape)}"
        )
    return NestedTensor(values, sizes, strides, offsets)


def rebuild_meta(machine, args):
    """(dtype, size, stride, requires_grad): no data."""
    _count(args, 4, 4, "_rebuild_meta_tensor_no_storage")
    dtype = dtype_of(args[0])
    check_geometry(0, args[1], args[2], dtype.itemsize, INT64_MAX)
    return MetaTensor(dtype, stridecore.Size(args[1]), args[2])


def size_of(value):
    """A stridecore.Size of a value of the file."""
    if not isinstance(value, tuple | list) or not all(type(n) is int and abs(n) <= INT64_MAX for n in value):
        raise CheckpointError(f"a size is a tuple of ints of 64 bits, not {_shown(value)}")
    return stridecore.Size(value)
