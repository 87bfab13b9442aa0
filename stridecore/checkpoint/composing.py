"""What `load` gives beside strided tensors, written back: sparse and quantised tensors, names, tensors without data.

`written(storages, obj)` is what the pickler writes for one, with the calls by which torch rebuilds it.
"""

from pickle import PicklingError

from stridecore import Size
from stridecore.checkpoint.composites import MetaTensor, NestedTensor, QuantizedTensor, SparseTensor
from stridecore.checkpoint.lazy import LazyTensor
from stridecore.checkpoint.pickler import LAYOUT, Call, Global
from stridecore.checkpoint.stubs import Global as UnopenedGlobal
from stridecore.checkpoint.stubs import Stub

__all__ = ["written"]

REBUILD_QUANTIZED = Global("torch._utils", "_rebuild_qtensor")
REBUILD_SPARSE = Global("torch._utils", "_rebuild_sparse_tensor")
REBUILD_META = Global("torch._utils", "_rebuild_meta_tensor_no_storage")
REBUILD_NESTED = Global("torch._utils", "_rebuild_nested_tensor")
QUANTIZED_STORAGES = {"qint8": "QInt8Storage", "quint8": "QUInt8Storage", "qint32": "QInt32Storage"}


def written(storages, obj):
    """Calls and Globals for an object of the reader's, or None if it is none."""
    write = WRITERS.get(type(obj))
    return write and write(storages, obj)


def sparse(storages, obj):
    names = {
        "sparse_coo": ("indices", "values"),
        "sparse_csr": ("crow_indices", "col_indices", "values"),
        "sparse_bsr": ("crow_indices", "col_indices", "values"),
        "sparse_csc": ("ccol_indices", "row_indices", "values"),
        "sparse_bsc": ("ccol_indices", "row_indices", "values"),
    }[obj.layout]
    parts = obj.parts()
    coalesced = (obj.is_coalesced,) if obj.layout == "sparse_coo" else ()
    return Call(
        REBUILD_SPARSE,
        Call(LAYOUT, f"torch.{obj.layout}"),
        (*(parts[name] for name in names), Size(obj.shape), *coalesced),
    )


def quantized(storages, obj):
    kind = QUANTIZED_STORAGES.get(obj.dtype)
    if kind is None:
        raise PicklingError(f"save: quantised tensors of {obj.dtype} can be read, not written; save their int_repr()")
    scheme = Global("torch", obj.qscheme)
    if obj.qscheme.startswith("per_tensor"):
        scheme = (scheme, obj.q_scale(), obj.q_zero_point())
    else:
        scheme = (scheme, obj.q_per_channel_scales(), obj.q_per_channel_zero_points(), obj.q_per_channel_axis())
    reference, offset, size, stride, *rest = storages.quantized(obj.int_repr(), kind)
    return Call(REBUILD_QUANTIZED, reference, offset, size, stride, scheme, *rest[:2])


def nested(storages, obj):
    return Call(REBUILD_NESTED, obj.values, obj.sizes, obj.strides, obj.storage_offsets)


def meta(storages, obj):
    return Call(REBUILD_META, obj.dtype, tuple(obj.shape), obj.stride(), False)


def name(storages, obj):
    if not all(part.isprintable() and part for part in (obj.module, obj.name)):
        raise PicklingError(f"save: {obj!r} can't be written as a name")
    return Global(obj.module, obj.name)


def lazy(storages, obj):
    raise PicklingError(f"save: {obj!r} is not read yet; save what its load() gives")


def stub(storages, obj):
    raise PicklingError(f"save: {obj!r} stands for an object of an unknown class and can't be written")


WRITERS = {
    LazyTensor: lazy,
    MetaTensor: meta,
    NestedTensor: nested,
    QuantizedTensor: quantized,
    SparseTensor: sparse,
    Stub: stub,
    UnopenedGlobal: name,
}
