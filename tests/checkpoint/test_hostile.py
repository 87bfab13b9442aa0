"""Files that were made to do harm: each is refused with a CheckpointError, quickly and without much memory.

Where a reader of such files was once found to be open to something, a test here builds the file for it.
"""

import io
import os
import struct
import sys
import zipfile
from contextlib import suppress

import crafted as c
import pytest

import stridecore as sc
from stridecore.checkpoint import CheckpointError, limits
from stridecore.checkpoint.stubs import Stub


def load(data, **options):
    return sc.load(io.BytesIO(data), **options)


def refused(data, match, **options):
    """The file is refused, by a check that was made for it and not by an accident inside."""
    with pytest.raises(CheckpointError, match=match) as caught:
        load(data, **options)
    assert caught.value.__cause__ is None or not isinstance(caught.value.__cause__, LookupError | TypeError)
    with pytest.raises(CheckpointError):
        sc.checkpoint.open(io.BytesIO(data), **options).load()


def refused_value(opcodes, match, records=None, **options):
    refused(c.container(opcodes, records), match, **options)


# ---- nothing is run, nothing is imported ------------------------------------------------------------------------

CALLS = [
    ("os", "system", c.text("touch {}")),
    ("posix", "system", c.text("touch {}")),
    ("subprocess", "Popen", c.text("touch {}")),
    ("builtins", "eval", c.text("open('{}', 'w')")),
    ("builtins", "exec", c.text("open('{}', 'w')")),
    ("builtins", "getattr", c.text("x")),
    ("builtins", "__import__", c.text("antigravity")),
    ("torch", "load", c.text("{}")),
    ("torch.hub", "load", c.text("{}")),
    ("torch.serialization", "load", c.text("{}")),
    ("numpy", "load", c.text("{}")),
    ("numpy.testing._private.utils", "runstring", c.text("open('{}', 'w')")),
    ("torch.utils._config_module", "load_config", c.text("{}")),
    ("collections.OrderedDict", "__reduce__", c.text("x")),
    ("torch.storage", "_load_from_bytes", c.text("{}")),
    ("torch._utils", "__builtins__", c.text("x")),
    ("stridecore", "load", c.text("{}")),
]


@pytest.mark.parametrize(("module", "name", "arg"), CALLS)
def test_no_global_is_run(module, name, arg, tmp_path):
    target = str(tmp_path / "made")
    size = struct.unpack("<I", arg[1:5])[0]
    argument = c.text(arg[5 : 5 + size].decode().format(target))
    before = set(sys.modules)
    for opcodes in (
        c.call(c.name(module, name), argument),
        c.name(module, name) + c.tuple_(argument) + b"\x81",
        b"(" + argument + f"i{module}\n{name}\n".encode(),
        b"(" + c.name(module, name) + argument + b"o",
        c.text(module) + c.text(name) + b"\x93" + c.tuple_(argument) + c.EMPTY_DICT + b"\x92",
        c.name(module, name) + c.tuple_(argument) + b"R" + c.dict_((c.text("__class__"), c.NONE)) + b"b",
    ):
        made = load(c.container(opcodes, {}))
        assert type(made) is Stub and (made.module, made.name) == (module, name)
        with pytest.raises(CheckpointError, match="not among the classes"):
            load(c.container(opcodes, {}), unknown="error")
    assert all(name.partition(".")[0] == "stridecore" for name in set(sys.modules) - before)
    assert not os.path.exists(target)


def test_attributes_of_a_known_class_are_not_reached():
    for name in ("fromkeys", "OrderedDict.fromkeys", "__init__", "update.__globals__"):
        assert type(load(c.container(c.call(c.name("collections", name)), {}))) is Stub
    assert type(load(c.container(c.call(c.name("torch", "Tensor.__setstate__"), c.NONE), {}))) is Stub


def test_setitem_on_what_is_no_dict():
    for target in (c.list_(c.number(1)), c.tensor(), b"\x8f", c.text("x"), c.number(1), c.name("torch", "float32")):
        refused_value(target + c.number(0) + c.text("v") + b"s", "items are set in an object of type")
        refused_value(target + b"(" + c.number(0) + c.text("v") + b"u", "items are set in an object of type")


def test_append_to_what_is_no_list():
    for target in (c.EMPTY_DICT, c.tensor(), b"\x8f", c.text("x"), b")", c.storage()):
        refused_value(target + c.number(0) + b"a", "items are appended to an object of type")
        refused_value(target + b"(" + c.number(0) + b"e", "items are appended to an object of type")
        if target != b"\x8f":
            refused_value(target + b"(" + c.number(0) + b"\x90", "items are added to an object of type")


def test_build_changes_no_class_and_hides_no_method():
    state = c.dict_((c.text("x"), c.number(1)))
    for target in (c.EMPTY_DICT, c.list_(c.NONE), c.name("torch", "Tensor"), c.text("x"), c.storage()):
        refused_value(target + state + b"b", "is given a state")
    for name in ("__class__", "__dict__", "keys", "items", "a b", "__reduce__"):
        refused_value(c.ordered_dict() + c.dict_((c.text(name), c.NONE)) + b"b", "can't have the attribute")
    refused_value(c.ordered_dict() + c.number(1) + b"b", "attributes of an OrderedDict")
    assert load(c.container(c.ordered_dict() + state + b"b", {})).x == 1


# ---- bombs ------------------------------------------------------------------------------------------------------


def test_recursion():
    refused_value(b"(" * 20_000, "nested more than 1000")
    refused_value(b")" + b"\x85" * 20_000, "nested more than 1000")
    refused_value(b")" + b"\x85" * 20_000 + c.NONE + b"\x86", "nested more than 1000")
    refused_value(b"]" * 20_000 + b"a" * 19_999, "nested more than 1000")
    refused_value(b"}" + (c.NONE + b"}") * 5000 + b"s" * 5000, "nested more than 1000")
    deep = c.name("m", "C") + b")\x81" + (c.name("m", "C") + b")\x81") * 5000 + b"b" * 5000
    refused_value(deep, "nested more than 1000")
    for opcodes in (b")" + b"\x85" * 20_000, b"]" * 20_000 + b"a" * 19_999):
        refused_value(c.EMPTY_DICT + opcodes + c.NONE + b"s", "dict key")
        refused_value(b"\x8f(" + opcodes + b"\x90", "dict key")


def test_structures_that_contain_themselves():
    x = load(c.container(b"]q\x00h\x00a", {}))
    assert x[0] is x
    x = load(c.container(b"}q\x00" + c.number(1) + b"h\x00s", {}))
    assert x[1] is x
    assert len(sc.checkpoint.open(io.BytesIO(c.container(b"]q\x00h\x00a", {})))) == 0


def test_keys_that_are_slow_to_hash():
    doubling = b")" + b"".join(b"q\x00h\x00\x86" for _ in range(60))
    refused_value(c.EMPTY_DICT + doubling + c.NONE + b"s", "more than 1000 parts")
    refused_value(b"\x8f(" + doubling + b"\x90", "more than 1000 parts")
    many = b"".join(c.number((2**61 - 1) * i) + c.NONE for i in range(1, limits.COLLIDING_KEYS + 3))
    refused_value(b"}(" + many + b"u", "huge integers")
    refused_value(c.EMPTY_DICT + c.list_(c.NONE) + c.NONE + b"s", "of type list")
    refused_value(b"(]l" + b"0" + c.EMPTY_DICT + c.EMPTY_DICT + c.NONE + b"s", "of type dict")


def test_doubling_structures_are_walked_once():
    doubling = c.tensor() + b"".join(b"q\x00h\x00\x86" for _ in range(60))
    assert len(sc.checkpoint.open(io.BytesIO(c.container(doubling)))) >= 1
    load(c.container(doubling))


def test_errors_do_not_spell_doubling_structures():
    doubling = b")" + b"".join(b"q\x00h\x00\x86" for _ in range(60))
    for opcodes in (doubling + b"NR", doubling + b")R", doubling + b"Q", b"N" + doubling + b"b"):
        refused_value(opcodes, "called|persistent|state")
    refused_value(c.call(c.name("torch", "Size"), doubling), "size")
    refused_value(c.call(c.name("torch._utils", "_rebuild_tensor"), *[doubling] * 4), "not on tuple")
    refused_value(c.call(c.name("torch._utils", "_rebuild_tensor"), c.storage(), *[doubling] * 3), "int and two tuples")
    refused(c.pickled(c.number(c.MAGIC)) + c.pickled(doubling), "protocol")
    value = c.dict_((c.text("x"), doubling + b"Q"))
    members = {"pickle": c.pickled(value), "storages": c.pickled(c.number(1)) + c.pickled(c.tuple_(doubling, doubling))}
    refused(c.tar(members | {"tensors": c.pickled(c.number(0))}), "storage")
    described = c.tuple_(doubling, doubling, c.name("torch", "FloatStorage"))
    members["storages"] = c.pickled(c.number(1)) + c.pickled(described) + struct.pack("<q", 0) + c.pickled(b"]")
    refused(c.tar(members | {"tensors": c.pickled(c.number(0))}), "key")
    members["storages"] = c.pickled(c.number(0)) + c.pickled(b"]")
    refused(c.tar(members | {"tensors": c.pickled(c.number(0))}), "persistent id|no object|two keys")
    assert "Stub" in repr(type(load(c.container(c.name("m", "C") + doubling + b"R"))))


def test_copies_of_one_large_object(monkeypatch):
    monkeypatch.setattr(limits, "COPIED_BYTES", 1 << 25)
    text = c.text("x" * 100_000) + b"q\x00"
    copies = (c.name("_codecs", "encode") + b"h\x00" + c.text("latin1") + b"\x86R0") * 2000
    refused_value(text + copies + c.NONE + b"\x86", "copied to more than")
    numbers = b"(" + c.number(7) * 10_000 + b"lq\x00"
    for module, name in (("builtins", "list"), ("builtins", "set"), ("torch", "Size"), ("collections", "deque")):
        copies = (c.name(module, name) + b"h\x00\x85R0") * 2000
        refused_value(numbers + copies + c.NONE + b"\x86", "copied to more than")


def test_too_many_opcodes_and_memories(monkeypatch):
    monkeypatch.setattr(limits, "OPCODES", 1000)
    refused_value(b"N0" * 1000 + b"N", "more than 1000 opcodes")
    monkeypatch.undo()
    monkeypatch.setattr(limits, "MEMO", 1000)
    for put in (lambda i: b"r" + struct.pack("<i", i), lambda i: f"p{i}\n".encode(), lambda i: b"\x94"):
        refused_value(b"N" + b"".join(map(put, range(2000))), "more than 1000 remembered")
    monkeypatch.setattr(limits, "TENSORS", 3)
    refused_value(b"(" + c.tensor() * 4 + b"l", "more than 3 tensors")
    monkeypatch.setattr(limits, "PICKLE_BYTES", 10)
    refused_value(c.text("x" * 100), "the limit is 10")


# ---- pickles that lie ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opcodes", "match"),
    [
        (b"X\xff\xff\xff\xffabc", "a string of 4294967295 bytes"),
        (b"\x8d" + b"\xff" * 8, "a string of 18446744073709551615 bytes"),
        (b"B\xff\xff\xff\x7f", "a string of 2147483647 bytes"),
        (b"\x8e" + struct.pack("<Q", 2**62), "a string of"),
        (b"\x96" + struct.pack("<Q", 2**62), "a string of"),
        (b"\x95" + struct.pack("<Q", 2**62), "a frame of"),
        (b"T\xff\xff\xff\xff", "a string of"),
        (b"\x8b\xff\xff\xff\x7f", "a string of"),
        (b"\x8b" + struct.pack("<i", 5000) + b"\xff" * 5000, "an integer of 5000 bytes"),
        (b"L" + b"9" * 100_000 + b"L\n", "a number of 100000 digits"),
        (b"I" + b"9" * 100_000 + b"\n", "a number of 100000 digits"),
        (b"I1_0\n", "is no integer"),
        (b"Fabc\n", "is no number"),
        (b"Sabc\n", "without quotes"),
        (b"X\x02\0\0\0\xff\xff", "not UTF-8"),
        (b"\x8c\x01\xff", "not UTF-8"),
        (b"c\xff\n\xff\n", "not UTF-8"),
        (b"Vabc\\u12\n", "not UTF-8|truncated"),
        (b"h\x05", "recalls object 5"),
        (b"j\x05\0\0\0", "recalls object 5"),
        (b"g7\n", "recalls object 7"),
        (b"gx\n", "is no integer"),
        (b"q\x00", "empty stack"),
        (b"t", "empty stack"),
        (b"R", "empty stack"),
        (b"NR", "empty stack"),
        (b"NNR", "called with NoneType"),
        (b"N)R", "an object of type NoneType is called"),
        (b"J\0", "in the middle of a number|empty stack"),
        (b"G\0\0", "in the middle of a number"),
        (b"ccollections\nOrderedDict", "a line has no end"),
        (b"\x93", "empty stack"),
        (b"NN\x93", "are strings"),
        (b"c" + b"m" * 2000 + b"\nn\n", "more than 1024 characters"),
        (b"N\x92", "empty stack"),
        (b"}N\x92", "keyword arguments"),
        (b")}\x92", "empty stack"),
        (b"cm\nn\n)N\x92", "keyword arguments"),
        (b"\x80\x06N", "protocol 6"),
        (b"\x82\x01", "is not known"),
        (b"\x97", "is not known"),
        (b"\xff", "is not known"),
        (b"N(", "1 objects and 1 open marks|0 objects"),
        (b"NN", "2 objects"),
        (b"", "0 objects"),
        (b"Q", "empty stack"),
        (b"NQ", "persistent id"),
        (b"PX\n", "persistent id"),
        (b"}(Nu", "a key without a value"),
        (b"]" + c.name("builtins", "set") + b")R" + b"]\x85R", "opcode|objects|called"),
    ],
)
def test_damaged_opcodes(opcodes, match):
    refused_value(opcodes, match)


@pytest.mark.parametrize(
    ("module", "name", "args"),
    [
        ("builtins", "set", [c.number(1)]),
        ("builtins", "set", [c.list_(c.list_(c.NONE))]),
        ("builtins", "frozenset", [c.list_(c.EMPTY_DICT)]),
        ("builtins", "bytearray", [c.number(2**40)]),
        ("builtins", "bytes", [c.number(2**40)]),
        ("builtins", "bytes", [c.list_(c.number(300))]),
        ("builtins", "complex", [c.text("1")]),
        ("builtins", "int", [c.text("9" * 10)]),
        ("builtins", "float", [c.number(2**4000)]),
        ("builtins", "slice", [c.list_(c.NONE)]),
        ("builtins", "range", [c.number(0), c.number(1), c.number(0)]),
        ("_codecs", "encode", [c.text("x"), c.text("rot13")]),
        ("_codecs", "encode", [c.text("€"), c.text("latin1")]),
        ("_codecs", "encode", [c.number(1), c.text("latin1")]),
        ("_codecs", "encode", [c.text("x"), c.text("zlib")]),
        ("collections", "OrderedDict", [c.number(1)]),
        ("collections", "OrderedDict", [c.list_(c.number(1))]),
        ("collections", "Counter", [c.list_(c.tuple_(c.NONE))]),
        ("collections", "deque", [c.list_(c.NONE), c.number(-1)]),
        ("copyreg", "_reconstructor", [c.NONE]),
        ("torch", "Size", [c.list_(c.text("x"))]),
        ("torch", "Size", [c.list_(c.number(2**70))]),
        ("torch", "Size", [c.number(3)]),
        ("torch.serialization", "_get_layout", [c.text("torch.__doc__")]),
        ("torch._utils", "_rebuild_tensor", [c.NONE]),
        ("torch._utils", "_rebuild_tensor_v2", []),
        ("torch._utils", "_rebuild_tensor_v3", [c.NONE] * 7),
        ("torch._utils", "_rebuild_parameter", [c.number(1), c.NONE, c.NONE]),
        ("torch._utils", "_rebuild_qtensor", [c.NONE] * 7),
        ("torch._utils", "_rebuild_sparse_tensor", [c.NONE, c.NONE]),
        ("torch._utils", "_rebuild_nested_tensor", [c.NONE] * 4),
        ("torch._utils", "_rebuild_meta_tensor_no_storage", [c.NONE] * 4),
        ("torch._tensor", "_rebuild_from_type_v2", [c.NONE] * 4),
        ("torch._utils", "_rebuild_device_tensor_from_numpy", [c.NONE] * 4),
        ("numpy", "dtype", [c.text("f3")]),
        ("numpy.core.multiarray", "scalar", [c.call(c.name("numpy", "dtype"), c.text("f8")), b"C\x01x"]),
        ("numpy.core.numeric", "_frombuffer", [c.NONE, c.NONE, c.NONE, c.text("C")]),
    ],
)
def test_known_names_with_wrong_arguments(module, name, args):
    if (module, name) == ("numpy", "dtype"):
        assert type(load(c.container(c.call(c.name(module, name), *args), {}))) is Stub
        return
    refused_value(c.call(c.name(module, name), *args), ".")


# ---- tensors that lie ---------------------------------------------------------------------------------------------

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


# ---- archives that lie --------------------------------------------------------------------------------------------


def parts(data):
    """(where the central directory starts, where the end record starts)."""
    end = data.rindex(b"PK\5\6")
    return struct.unpack_from("<I", data, end + 16)[0], end


def entry_at(data, name):
    """Where the central directory's entry of a name starts."""
    return data.index(name.encode(), parts(data)[0]) - 46


def patched(data, at, values):
    return data[:at] + values + data[at + len(values) :]


GOOD = c.container(c.tensor())


def test_truncated_and_extended():
    for length in range(0, len(GOOD), 7):
        with pytest.raises(CheckpointError):
            load(GOOD[:length])
    refused(GOOD + b"x", "without an end record")
    refused(GOOD + GOOD, "the central directory is said")
    refused(b"PK\3\4" + GOOD, "the central directory is said")


def test_names_that_leave_the_archive():
    for name in ("../a/data/0", "a/../../x", "/a/data.pkl", "a//b", "a/./b", "C:/x", "a\\b", "a/\0b", "a/.."):
        f = io.BytesIO()
        with zipfile.ZipFile(f, "w") as archive:
            archive.writestr("a/data.pkl", c.pickled(c.NONE))
            info = zipfile.ZipInfo("X" * len(name))
            archive.writestr(info, b"")
        data = f.getvalue().replace(b"X" * len(name), name.encode())
        refused(data, "no plain relative path")


def test_two_records_of_one_name():
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w") as archive:
        archive.writestr("a/data.pkl", c.pickled(c.number(1)))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a/data.pkl", c.pickled(c.number(2)))
    refused(f.getvalue(), "two records of this name")


def test_records_that_overlap():
    data = GOOD
    other = struct.unpack_from("<I", data, entry_at(data, "a/data.pkl") + 42)[0]
    refused(patched(data, entry_at(data, "a/data/0") + 42, struct.pack("<I", other)), "reaches from byte|disagrees")
    start = parts(data)[0]
    refused(patched(data, entry_at(data, "a/version") + 42, struct.pack("<I", start - 5)), "central directory starts")
    longer = struct.pack("<2I", 60, 60)
    refused(patched(data, entry_at(data, "a/data/0") + 20, longer), "reaches from byte|would reach|has 24 bytes")


def test_headers_that_disagree_with_the_directory():
    data = GOOD
    header = struct.unpack_from("<I", data, entry_at(data, "a/data/0") + 42)[0]
    refused(patched(data, header, b"PK\3\5"), "no header at byte")
    refused(patched(data, header + 30, b"b"), "disagrees")
    refused(patched(data, header + 8, b"\x08"), "disagrees")
    refused(patched(data, header + 6, b"\x01"), "disagrees")
    refused(patched(data, header + 18, struct.pack("<I", 23)), "its header says 23")
    refused(patched(data, header + 22, struct.pack("<I", 25)), "its header says 24 bytes for 25")
    refused(patched(data, header + 28, struct.pack("<H", 60000)), "would reach")
    refused(patched(data, header + 26, struct.pack("<H", 60000)), "disagrees")


def test_directories_that_lie():
    data = GOOD
    _, end = parts(data)
    entry = entry_at(data, "a/data/0")
    refused(patched(data, entry, b"PK\1\3"), "entry 1 of the central directory")
    refused(patched(data, entry + 10, b"\x0c"), "compression method 12")
    refused(patched(data, entry + 8, b"\x01"), "encrypted")
    refused(patched(data, entry + 24, struct.pack("<I", 25)), "24 bytes are said to be 25")
    refused(patched(data, entry + 28, struct.pack("<H", 60000)), "is damaged")
    refused(patched(data, entry + 24, b"\xff" * 4), "zip64 field")
    refused(patched(data, entry + 42, struct.pack("<I", 2**31)), "reaches from byte")
    refused(patched(data, end + 8, struct.pack("<2H", 2, 2)), "bytes after its last entry")
    refused(patched(data, end + 8, struct.pack("<2H", 4, 4)), "ends in the middle|entries in a central")
    refused(patched(data, end + 8, struct.pack("<2H", 60000, 60000)), "60000 entries")
    refused(patched(data, end + 8, struct.pack("<2H", 3, 2)), "several parts")
    refused(patched(data, end + 12, struct.pack("<I", 2**31)), "is said to be bytes")
    refused(patched(data, end + 16, struct.pack("<I", 0)), "is said to be bytes")
    refused(patched(data, end + 8, b"\xff" * 4), "zip64 record|zip64 locator")


def test_zip64():
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w") as archive:
        for name, content in (("a/data.pkl", c.pickled(c.tensor())), ("a/data/0", bytes(24))):
            with archive.open(name, "w", force_zip64=True) as record:
                record.write(content)
    assert load(f.getvalue()).sum().item() == 0
    # as torch writes it: a zip64 end record although the plain one says everything
    data = GOOD
    start, end = parts(data)
    record = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, 3, 3, end - start, start)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, end, 1)
    both = data[:end] + record + locator + data[end:]
    assert load(both).sum().item() == 15
    refused(patched(both, end + 24, struct.pack("<Q", 2**62)), "several parts|disagree")
    refused(patched(both, end + 48, struct.pack("<Q", 2**62)), "is said to be|disagree")
    refused(patched(both, end + 4, struct.pack("<Q", 45)), "zip64 end record is damaged")
    refused(patched(both, end + 56 + 8, struct.pack("<Q", 2**63)), "zip64 locator is damaged")


def test_archives_without_what_they_need():
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w") as archive:
        archive.writestr("a/other", b"")
    refused(f.getvalue(), "no such record")
    refused(c.container(c.tensor(), {}), "no such record")
    refused(c.container(c.tensor(), order=b"middle"), "byte order")
    refused(c.container(c.NONE + b"." + c.NONE), "follow the pickle")


def test_deflated_records_that_lie():
    value = c.tensor((1 << 20,), (1,), of=c.storage(numel=1 << 20))
    good = c.container(value, {"0": bytes(4 << 20)}, deflated=True)
    assert load(good).numel() == 1 << 20
    at = entry_at(good, "a/data/0")
    header = struct.unpack_from("<I", good, at + 42)[0]

    def claiming(data, size):
        return patched(patched(data, at + 24, struct.pack("<I", size)), header + 22, struct.pack("<I", size))

    refused(claiming(good, 1 << 20), "the record 1048576")
    small = c.container(c.tensor(of=c.storage(numel=24, kind="ByteStorage")), {"0": bytes(4 << 20)}, deflated=True)
    refused(small, "its storage has 24 bytes")
    # A record that says 96 bytes and inflates to 4 MiB is refused as it inflates.
    small = c.container(c.tensor((24,), (1,), of=c.storage(numel=24)), {"0": bytes(4 << 20)}, deflated=True)
    at = entry_at(small, "a/data/0")
    header = struct.unpack_from("<I", small, at + 42)[0]
    refused(claiming(small, 96), "inflates to more than its 96 bytes")
    refused(claiming(small, 2**32 - 2), "more than 1100 times")


def test_damaged_compressed_data():
    noise = bytes(i * i % 251 for i in range(4000))
    data = c.container(c.tensor((1000,), (1,), of=c.storage(numel=1000)), {"0": noise}, deflated=True)
    at = entry_at(data, "a/data/0")
    header = struct.unpack_from("<I", data, at + 42)[0]
    start = header + 30 + sum(struct.unpack_from("<2H", data, header + 26))
    refused(patched(data, start, b"\xff" * 8), "compressed data")
    refused(patched(data, start + 40, b"\0" * 40), "compressed data|inflates")


def test_big_endian_records_of_odd_lengths():
    v3 = c.call(
        c.name("torch._utils", "_rebuild_tensor_v3"),
        c.storage("0", 23, "UntypedStorage"),
        c.number(0),
        c.ints([3]),
        c.ints([1]),
        b"\x89",
        c.ordered_dict(),
        c.name("torch", "uint16"),
    )
    refused(c.container(v3, {"0": bytes(23)}, order=b"big"), "no whole elements")


def test_arrays_and_tensors_in_the_place_of_plain_arguments():
    """Their comparisons and truth are no bools, which must not get in the way of a check."""
    kind = c.call(c.name("numpy", "dtype"), c.text("i1"), b"\x89", b"\x88")
    array = c.call(c.name("numpy._core.numeric", "_frombuffer"), b"C\x04abcd", kind, c.ints([4]), c.text("C"))
    small = c.tensor((3,), (1,))
    names = [
        ("torch", "device", 1),
        ("torch", "device", 2),
        ("torch", "Size", 1),
        ("torch.serialization", "_get_layout", 1),
        ("numpy", "dtype", 1),
        ("numpy", "dtype", 3),
        ("numpy.core.multiarray", "_reconstruct", 3),
        ("numpy.core.multiarray", "scalar", 2),
        ("numpy.core.numeric", "_frombuffer", 4),
        ("collections", "OrderedDict", 1),
        ("collections", "Counter", 1),
        ("collections", "deque", 2),
        ("collections", "defaultdict", 2),
        ("builtins", "set", 1),
        ("builtins", "dict", 1),
        ("builtins", "bytes", 1),
        ("builtins", "bytearray", 2),
        ("builtins", "int", 1),
        ("builtins", "float", 1),
        ("builtins", "complex", 2),
        ("builtins", "slice", 3),
        ("builtins", "range", 3),
        ("_codecs", "encode", 2),
        ("copyreg", "_reconstructor", 3),
        ("torch", "FloatTensor", 1),
        ("torch.nn.parameter", "Parameter", 2),
        ("torch._tensor", "_rebuild_from_type_v2", 4),
        ("torch._utils", "_rebuild_tensor_v2", 7),
        ("torch._utils", "_rebuild_tensor_v3", 8),
        ("torch._utils", "_rebuild_parameter", 3),
        ("torch._utils", "_rebuild_qtensor", 7),
        ("torch._utils", "_rebuild_sparse_tensor", 2),
        ("torch._utils", "_rebuild_nested_tensor", 4),
        ("torch._utils", "_rebuild_meta_tensor_no_storage", 4),
        ("torch._utils", "_rebuild_device_tensor_from_numpy", 4),
    ]
    for odd in (
        array,
        small,
        c.storage(),
        c.name("m", "f"),
        c.name("torch", "float32"),
        c.name("torch", "FloatStorage"),
    ):
        files = [c.call(c.name(module, name), *[odd] * count) for module, name, count in names]
        files.append(c.tuple_(*[odd] * 5) + b"Q")
        files.append(c.tensor(metadata=odd))
        files.append(c.tensor(metadata=c.dict_((odd, b"\x88"))))
        files += [target + odd + b"b" for target in (array, small, kind, c.ordered_dict())]
        files += [target + c.tuple_(*[odd] * n) + b"b" for target in (array, small, kind) for n in (2, 4, 5, 8, 9)]
        for opcodes in files:
            for reader in (load, lambda data: sc.checkpoint.open(io.BytesIO(data)).load()):
                with suppress(CheckpointError):
                    reader(c.container(opcodes))
        for data in (c.legacy(odd, []), c.pickled(odd) * 5, c.pickled(c.number(c.MAGIC)) + c.pickled(odd) * 4):
            with suppress(CheckpointError):
                load(data)


def test_errors_of_map_location_are_the_callers():
    for error in (IndexError("mine"), KeyError("mine"), MemoryError("mine"), UnicodeDecodeError("a", b"", 0, 1, "b")):

        def failing(storage, location, error=error):
            raise error

        with pytest.raises(type(error)) as caught:
            load(c.container(c.tensor()), map_location=failing)
        assert caught.value is error
