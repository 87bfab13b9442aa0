"""Small files made by hand are read as they are meant; no torch is needed."""

import io
import struct

import crafted as c
import pytest

import stridecore as sc
from stridecore.checkpoint import CheckpointError
from stridecore.checkpoint.stubs import Global, Stub


def load(data, **options):
    return sc.load(io.BytesIO(data), **options)


def value_of(opcodes, **options):
    return load(c.container(opcodes, {}), **options)


def test_a_tensor():
    x = load(c.container(c.tensor()))
    assert x.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert (x.stride(), x.storage_offset(), x.untyped_storage().nbytes()) == ((3, 1), 0, 24)


def test_two_views_share_their_storage():
    x, y = load(c.container(c.tuple_(c.tensor(), c.tensor((2, 2), (1, 3), 1))))
    assert y.tolist() == [[1.0, 4.0], [2.0, 5.0]]
    assert y.untyped_storage() is x.untyped_storage()
    x[0, 1] = 9
    assert y[0, 0].item() == 9


@pytest.mark.parametrize("deflated", [False, True])
@pytest.mark.parametrize("order", [None, b"little", b"big"])
def test_byte_orders_and_compression(deflated, order, tmp_path):
    records = {"0": struct.pack(">6f" if order == b"big" else "<6f", *range(6))}
    data = c.container(c.tensor(), records, deflated=deflated, order=order)
    assert load(data).tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    (tmp_path / "x").write_bytes(data)
    assert sc.load(tmp_path / "x", mmap=True).tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert (tmp_path / "x").read_bytes() == data


def test_big_endian_bytes_of_dtypes_without_a_storage_class():
    v3 = c.tensor_without_class("uint16", 3, 6)
    x = load(c.container(v3, {"0": struct.pack(">3H", 1, 2, 40000)}, order=b"big"))
    assert x.dtype is sc.uint16 and x.tolist() == [1, 2, 40000]


def test_legacy():
    shared = c.tuple_(c.tensor(of=c.legacy_storage()), c.tensor((2,), (1,), 4, of=c.legacy_storage()))
    x, y = load(c.legacy(shared))
    assert x.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert y.tolist() == [4.0, 5.0] and y.untyped_storage() is x.untyped_storage()


def test_legacy_views_of_storages():
    view = c.tuple_(c.text("v"), c.number(2), c.number(3))
    part = c.legacy_storage(view=view)
    x, y = load(c.legacy(c.tuple_(c.tensor((3,), (1,), of=part), c.tensor(of=c.legacy_storage()))))
    assert x.tolist() == [2.0, 3.0, 4.0]
    x[0] = 7
    assert y[0, 2].item() == 7


def test_two_legacy_files_in_one():
    f = io.BytesIO(c.legacy(c.text("one"), []) + c.legacy(c.text("two"), []))
    assert [sc.load(f), sc.load(f)] == ["one", "two"]


def test_a_file_object_is_read_from_where_it_stands():
    f = io.BytesIO(b"junk" + c.container(c.tensor()))
    f.seek(4)
    assert sc.load(f).sum().item() == 15


def test_tar():
    found = load(c.tar_file())
    assert found["x"].tolist() == [[0.0, 1.0, 2.0]]
    assert found["y"].tolist() == [[3.0, 4.0, 5.0]]
    assert found["s"].tolist() == [2.0, 3.0, 4.0, 5.0]
    found["x"][0, 2] = 8
    assert found["s"][0] == 8
    with pytest.raises(CheckpointError, match="need 20 bytes"):
        load(c.tar_file(offset=2))


def test_other_classes_are_stubs():
    made = value_of(c.call(c.name("os", "system"), c.text("echo hello")))
    assert type(made) is Stub and (made.module, made.name, made.args) == ("os", "system", ("echo hello",))
    opcodes = c.name("my.module", "Net") + b")\x81" + c.dict_((c.text("lr"), c.real(0.5))) + b"b"
    made = value_of(opcodes)
    assert (made.module, made.name, made.args, made.state) == ("my.module", "Net", (), {"lr": 0.5})
    assert made["lr"] == 0.5 and repr(made) == "<unopened my.module.Net with lr>"
    assert value_of(c.name("my.module", "Net")) == Global("my.module", "Net")


def test_stubs_of_containers_keep_what_is_put_into_them():
    made = value_of(c.name("m", "List") + b")\x81(" + c.number(1) + c.number(2) + b"e")
    assert made.items == [1, 2]
    made = value_of(c.name("m", "Dict") + b")\x81" + c.text("k") + c.number(1) + b"s")
    assert made.entries == [("k", 1)]


def test_unknown_error_refuses_them():
    with pytest.raises(CheckpointError, match=r"os\.system.*unknown='stub'"):
        value_of(c.call(c.name("os", "system"), c.text("echo hello")), unknown="error")
    assert value_of(c.tuple_(c.number(1)), unknown="error") == (1,)
    with pytest.raises(ValueError, match="unknown='no'"):
        value_of(c.NONE, unknown="no")


def test_the_keyword_arguments_of_load():
    import pickle

    data = c.container(c.tensor())
    assert load(data, weights_only=False, pickle_module=pickle).sum().item() == 15
    with pytest.raises(RuntimeError, match="pickle_module"):
        load(data, pickle_module=pickle)
    with pytest.raises(RuntimeError, match="pickle_module"):
        load(data, pickle_module=io, weights_only=False)
    for place in ("cpu", sc.device("cpu"), {"cpu": "cpu"}, lambda storage, location: None):
        assert load(data, map_location=place).sum().item() == 15
    with pytest.raises(RuntimeError, match="cuda"):
        load(data, map_location="cuda")
    with pytest.raises(RuntimeError, match="cuda"):
        load(data, map_location={"cpu": "cuda:0"})
    seen = []
    load(data, map_location=lambda storage, location: seen.append((storage.nbytes(), location)))
    assert seen == [(24, "cpu")]
    zeros = load(data, map_location=lambda storage, location: sc.zeros(6).untyped_storage())
    assert zeros.sum().item() == 0
    with pytest.raises(TypeError, match="map_location"):
        load(data, map_location=lambda storage, location: sc.zeros(7).untyped_storage())
    with pytest.raises(ZeroDivisionError):
        load(data, map_location=lambda storage, location: 1 / 0)


def test_errors_name_the_file_and_the_record(tmp_path):
    (tmp_path / "m.pt").write_bytes(c.container(c.tensor((7,), (1,))))
    with pytest.raises(CheckpointError) as caught:
        sc.load(tmp_path / "m.pt")
    assert str(caught.value) == (
        f"{tmp_path}/m.pt: record 'a/data.pkl': size (7,), stride (1,) and storage_offset 0 need 28 bytes; the storage "
        "has 24"
    )
    assert (caught.value.file, caught.value.record) == (f"{tmp_path}/m.pt", "a/data.pkl")
    import pickle

    assert isinstance(caught.value, pickle.UnpicklingError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


@pytest.mark.parametrize("data", [b"", b"\x80", b"PK\x03\x04", b"not a checkpoint", b"\0" * 600, b"{}" * 300])
def test_what_is_no_checkpoint(data):
    with pytest.raises(CheckpointError):
        load(data)


def test_what_is_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        sc.load(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        sc.load(tmp_path)
    with pytest.raises(AttributeError, match="seek"):
        sc.load(3)


def test_mapped_tensors_are_copies_on_write(tmp_path):
    path = tmp_path / "x.pt"
    # The record's data is moved to a multiple of 64 by the archive's name.
    for n in range(1, 65):
        data = c.container(c.tensor(), root="r" * n)
        if (data.index(struct.pack("<6f", *range(6)))) % 64 == 0:
            break
    path.write_bytes(data)
    x = sc.load(path, mmap=True)
    y = sc.load(path, mmap=True)
    assert not x.untyped_storage().resizable()
    x[0, 0] = 100
    assert y[0, 0].item() == 0 and path.read_bytes() == data
    assert sc.load(path).untyped_storage().resizable()
    path.unlink()
    assert y.sum().item() == 15
    with open(tmp_path / "again", "w+b") as f:
        f.write(data)
        f.seek(0)
        assert sc.load(f, mmap=True).sum().item() == 15


def test_protocols_zero_to_five():
    import pickle

    value = {"a": [1, 2.5, None, True, False], "b": (b"x\xff", "ü", 2**70, -3), "c": {1: {2: 3}}, "d": "'\\n"}
    for protocol in range(6):
        plain = dict(value, s={4}, f=frozenset([5])) if protocol >= 4 else value
        assert value_of(pickle.dumps(plain, protocol)[:-1]) == plain, protocol


def test_what_python_2_wrote():
    opcodes = b"U\x03abc" + b"U\x02\xff\xfe" + b"T\x02\0\0\0de" + b"S'f\\n\\x41'\n" + b"V\\u00e4\n" + b"L12L\nI01\n"
    assert value_of(b"(" + opcodes + b"t") == ("abc", b"\xff\xfe", "de", "f\nA", "ä", 12, True)
    assert value_of(b"(i__builtin__\nset\n") == set()
    assert value_of(b"(c__builtin__\nset\no") == set()


def test_numpy_is_not_loaded_for_files_without_it(tmp_path):
    import subprocess
    import sys

    (tmp_path / "x").write_bytes(c.container(c.tensor()))
    program = "import sys, stridecore as sc; assert 'stridecore.checkpoint' not in sys.modules; sc.load(sys.argv[1]); "
    program += "sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "x")], check=True)


OLD_TEXT = {b"abc": "abc", b"caf\xe9": "café", "é".encode(): "Ã©"}


def old_text(s):
    """A string as Python 2 pickled it."""
    return b"U" + bytes([len(s)]) + s


@pytest.mark.parametrize("make", [lambda v: c.container(v, {}), lambda v: c.legacy(v, [])], ids=["zip", "legacy"])
@pytest.mark.parametrize("text", OLD_TEXT)
def test_strings_of_python_2(torch, make, text):
    data = make(c.list_(old_text(text), b"T" + struct.pack("<I", len(text)) + text))
    for encoding in ("utf-8", "latin1", "ascii", "bytes"):
        found = sc.load(io.BytesIO(data), encoding=encoding)
        try:
            assert found == torch.load(io.BytesIO(data), weights_only=False, encoding=encoding)
        except UnicodeDecodeError:  # where it does not fit, bytes are given instead
            assert found == [text] * 2
    assert sc.load(io.BytesIO(data), encoding="ISO-8859-1") == [OLD_TEXT[text]] * 2


def test_storages_named_by_python_2():
    def storage(*more):
        return c.tuple_(old_text(b"storage"), c.name("torch", "FloatStorage"), old_text(b"0"), old_text(b"cpu"),
                        c.number(6), *more) + b"Q"

    for data in (c.container(c.tensor(of=storage())), c.legacy(c.tensor(of=storage(c.NONE)))):
        for encoding in ("utf-8", "bytes"):
            assert sc.load(io.BytesIO(data), encoding=encoding).tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


@pytest.mark.parametrize("encoding", ["utf-16", "rot13", "", None, b"ascii", 3])
def test_encodings_that_are_not_known(encoding):
    with pytest.raises(ValueError, match=r"encoding=.* 'latin-1'"):
        sc.load(io.BytesIO(c.container(c.NONE)), encoding=encoding)


def test_files_of_text_are_no_checkpoints():
    with pytest.raises(TypeError, match="gives str, not bytes: open it in mode 'rb'"):
        sc.load(io.StringIO("PK" * 300))
