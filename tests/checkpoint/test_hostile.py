"""Files that were made to do harm: each is refused with a CheckpointError, quickly and without much memory.

Where a reader of such files was once found to be open to something, a test here builds the file for it.
"""

import io
import os
import struct
import sys
from contextlib import suppress

import crafted as c
import pytest
from refusals import load, refused, refused_value

import stridecore as sc
from stridecore.checkpoint import CheckpointError, limits
from stridecore.checkpoint.stubs import Stub

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
