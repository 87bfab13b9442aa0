"""Tensors and storages that lie about their geometry: each is refused, whatever way they are rebuilt."""

import struct

import crafted as c
import pytest
from refusals import load, refused, refused_value

from stridecore.checkpoint import CheckpointError

GEOMETRIES = [
    ((7,), (1,), 0),
    ((6,), (1,), 1),
    ((2, 3), (4, 1), 0),
    ((1,), (1,), 6),
    ((1,), (1,), -1),
    ((2,), (-1,), 3),
    ((-1,), (1,), 0),
    ((2, 3), (3,), 0),
    ((2**62,), (0,), 0),
    ((2**31, 2**31, 4), (0, 0, 0), 0),
    ((2**63,), (1,), 0),
    ((2,), (2**63 - 1,), 0),
    ((2,), (2**62,), 2**62),
    ((1,), (1,), 2**62),
    ((1,), (1,), 2**64),
    ((2**32, 2**32), (1, 1), 0),
    ((0, 2**62, 2**62), (1, 1, 1), 0),
    ((1,) * 65, (1,) * 65, 0),
]


@pytest.mark.parametrize(("size", "stride", "offset"), GEOMETRIES)
@pytest.mark.parametrize(
    "how", ["v1", "v2", "v3", "legacy", "parameter", "state", "quantised", "channels", "from_type"]
)
def test_geometry_is_checked_whatever_the_way(how, size, stride, offset):
    layout = [c.number(offset), c.ints(size), c.ints(stride)]
    utils = "torch._utils"
    rest = [b"\x89", c.ordered_dict()]
    plain = c.tuple_(c.storage(), *layout, *rest)
    affine = c.name("torch", "per_tensor_affine")
    opcodes = {
        "v1": lambda: c.call(c.name(utils, "_rebuild_tensor"), c.storage(), *layout),
        "v2": lambda: c.name(utils, "_rebuild_tensor_v2") + plain + b"R",
        "v3": lambda: c.call(
            c.name(utils, "_rebuild_tensor_v3"),
            c.storage("0", 24, "UntypedStorage"),
            *layout,
            *rest,
            c.name("torch", "float32"),
        ),
        "legacy": lambda: c.tensor(size, stride, offset, c.legacy_storage()),
        "parameter": lambda: c.call(
            c.name(utils, "_rebuild_parameter"), c.tensor(size, stride, offset), b"\x89", c.ordered_dict()
        ),
        "state": lambda: c.name("torch", "FloatTensor") + b")R" + c.tuple_(c.storage(), *layout) + b"b",
        "quantised": lambda: c.call(
            c.name(utils, "_rebuild_qtensor"),
            c.storage("0", 6, "QInt32Storage"),
            *layout,
            c.tuple_(affine, c.real(0.5), c.number(0)),
            *rest,
        ),
        "channels": lambda: c.call(
            c.name(utils, "_rebuild_qtensor"),
            c.storage("0", 6, "QInt32Storage"),
            *layout,
            c.tuple_(c.name("torch", "per_channel_affine"), c.tensor(), c.tensor(), c.number(0)),
            *rest,
        ),
        "from_type": lambda: c.call(
            c.name("torch._tensor", "_rebuild_from_type_v2"),
            c.name(utils, "_rebuild_tensor_v2"),
            c.name("torch", "Tensor"),
            plain,
            c.EMPTY_DICT,
        ),
    }[how]()
    refused(c.legacy(opcodes) if how == "legacy" else c.container(opcodes), "size|stride|offset|dim")


def test_parts_of_other_tensors_are_checked():
    bad = c.tensor((7,), (1,))
    layout = c.call(c.name("torch.serialization", "_get_layout"), c.text("torch.sparse_coo"))
    sparse = c.name("torch._utils", "_rebuild_sparse_tensor")
    refused_value(c.call(sparse, layout, c.tuple_(bad, bad, c.ints([2, 3]))), "need 28 bytes")
    indices = c.call(
        c.name("torch._utils", "_rebuild_tensor_v2"),
        c.storage("i", 2, "LongStorage"),
        c.number(0),
        c.ints([1, 2]),
        c.ints([2, 1]),
        b"\x89",
        c.ordered_dict(),
    )
    records = {"0": bytes(24), "i": struct.pack("<2q", 0, 5)}
    values = c.tensor((2,), (1,))
    assert load(c.container(c.call(sparse, layout, c.tuple_(indices, values, c.ints([6]))), records)).is_sparse
    data = c.container(c.call(sparse, layout, c.tuple_(indices, values, c.ints([5]))), records)
    with pytest.raises(CheckpointError, match="index 5"):
        load(data)
    refused_value(c.call(c.name("torch._utils", "_rebuild_nested_tensor"), bad, bad, bad, bad), "need 28 bytes")
    refused_value(c.call(c.name("torch._utils", "_rebuild_nested_tensor"), *[c.tensor()] * 4), "nested tensor")


def test_other_lies_of_tensors():
    refused_value(c.tensor(metadata=c.dict_((c.text("conj"), b"\x88"))), "bits")
    refused_value(c.tensor(metadata=c.dict_((c.text("other"), b"\x88"))), "metadata")
    refused_value(c.tensor(metadata=c.number(1)), "metadata")
    refused_value(c.tensor(of=c.number(3)), "not on 3")
    refused_value(c.tensor(of=c.list_(c.NONE)), "not on list")
    args = [c.storage(), c.NONE, c.ints([1]), c.ints([1])]
    refused_value(c.call(c.name("torch._utils", "_rebuild_tensor"), *args), "NoneType")
    args = [c.storage(), c.number(0), c.tuple_(c.real(1.0)), c.ints([1])]
    refused_value(c.call(c.name("torch._utils", "_rebuild_tensor"), *args), "size of type float")
    args = [c.storage(), c.number(0), c.tuple_(b"\x88"), c.ints([1])]
    refused_value(c.call(c.name("torch._utils", "_rebuild_tensor"), *args), "size of type bool")


def test_storages_that_disagree_with_their_records():
    for numel in (5, 7, 0, 2**61, 2**62, 2**64, -1):
        refused_value(c.tensor((1,), (1,), of=c.storage(numel=numel)), "bytes, the record 24|elements")
    refused_value(c.tuple_(c.tensor(), c.storage("0", 24, "ByteStorage"), c.storage("0", 5, "IntStorage")), "20 bytes")
    for key in ("1", "../0", "/etc/passwd", "0/", "", "data/0", "\0"):
        refused_value(c.tensor(of=c.storage(key)), "no such record")
    pid = [c.text("storage"), c.name("torch", "FloatStorage"), c.text("0"), c.text("cpu"), c.number(6)]
    for i in range(5):
        wrong = c.tuple_(*pid[:i], c.EMPTY_DICT, *pid[i + 1 :]) + b"Q"
        refused_value(wrong, "persistent id|on the device")
    refused_value(c.tuple_(*pid, c.NONE) + b"Q", "persistent id")
    refused_value(c.tuple_(c.text("module"), *pid[1:4]) + b"Q", "persistent id")


def test_legacy_files_that_lie():
    data = struct.pack("<6f", *range(6))
    value = c.tensor(of=c.legacy_storage())
    refused(c.legacy(value, []), "uses 1 storages")
    refused(c.legacy(value, [("0", 6, data), ("1", 0, b"")]), "uses 1 storages")
    refused(c.legacy(value, [("0", 6, data), ("0", 6, data)]), "different strings")
    refused(c.legacy(value, [("0", 5, data)]), "5 elements")
    refused(c.legacy(value, [("0", 2**62, data)]), "elements")
    refused(c.legacy(value, [("0", -1, data)]), "elements")
    refused(c.legacy(value, [("0", 6, data[:-1])]), "over the file's end")
    refused(c.legacy(value)[:-30], "would be bytes")
    huge = c.tensor((1,), (1,), of=c.legacy_storage(numel=2**40))
    refused(c.legacy(huge, [("0", 2**40, data)]), "over the file's end")
    for offset, count in ((0, 7), (5, 2), (2**62, 2**62), (-1, 1), (1, -1)):
        view = c.tuple_(c.text("v"), c.number(offset), c.number(count))
        refused(c.legacy(c.tensor((1,), (1,), of=c.legacy_storage(view=view))), "view of a storage")
    assert load(c.legacy(c.tensor(of=c.legacy_storage()))).sum().item() == 15
    refused(c.pickled(c.number(c.MAGIC)) + c.pickled(c.number(1002)), "protocol 1002")
    refused(c.pickled(c.number(c.MAGIC)), "ends too early")
