"""safetensors: both ways beside the package of that name, layouts, sharing, and files that lie."""

import io
import json
import struct

import pytest

import stridecore as sc
from stridecore.checkpoint import CheckpointError, safetensors
from stridecore.checkpoint.safetensors import DTYPES


@pytest.fixture(scope="session")
def peer(torch):
    """safetensors.torch, or a skipped test that says so."""
    return pytest.importorskip("safetensors.torch", reason="the package safetensors is not installed")


def small():
    return {"z": sc.arange(3), "flags": sc.tensor([True, False, True]), "a": sc.ones(2, 3), "none": sc.empty(0, 4)}


def same(theirs, ours):
    assert str(theirs.dtype).rpartition(".")[2] == ours.dtype.name
    assert tuple(theirs.shape) == tuple(ours.shape)
    assert theirs.stride() == ours.stride()
    assert bytes(theirs.untyped_storage().tolist()) == bytes(ours.untyped_storage())


def file_of(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(dtype="F32", shape=(1,), offsets=(0, 4), **more):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets), **more}


# ---- the format ---------------------------------------------------------------------------------------------


def test_a_file_byte_by_byte():
    data = safetensors.save({"b": sc.tensor([1], dtype=sc.uint8), "a": sc.tensor([2.0])}, {"who": "me"})
    (length,) = struct.unpack_from("<Q", data)
    assert (8 + length) % 64 == 0
    assert data[8 : 8 + length].rstrip() == (
        b'{"__metadata__":{"who":"me"},"b":{"dtype":"U8","shape":[1],"data_offsets":[4,5]},'
        b'"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
    )
    assert data[8 + length :] == struct.pack("<f", 2.0) + b"\x01"
    assert list(safetensors.load(data)) == ["b", "a"]


@pytest.mark.parametrize("name", DTYPES.values())
def test_every_dtype_comes_back(name, tmp_path):
    x = sc.arange(6).to(getattr(sc, name)).view(2, 3)
    safetensors.save_file({"x": x, "odd": sc.ones(3, dtype=sc.uint8)}, tmp_path / "a.safetensors")
    for mmap in (True, False):
        made = safetensors.load_file(tmp_path / "a.safetensors", mmap=mmap)
        same(made["x"], x)
        assert made["x"]._base is None


def test_both_ways_with_the_package(peer, torch, tmp_path):
    from safetensors import safe_open

    ours = {name: sc.arange(6).to(getattr(sc, name)).view(2, 3) for name in DTYPES.values() if name != "float8_e8m0fnu"}
    ours["empty"], ours["scalar"] = sc.empty(0, 3), sc.tensor(5)
    safetensors.save_file(ours, tmp_path / "ours.safetensors", {"é": "ü"})
    theirs = peer.load_file(tmp_path / "ours.safetensors")
    assert theirs.keys() == ours.keys()
    for name, x in ours.items():
        assert str(theirs[name].dtype)[6:] == x.dtype.name
        assert tuple(theirs[name].shape) == tuple(x.shape)
        assert theirs[name].view(-1).view(torch.uint8).tolist() == x.view(-1).view(sc.uint8).tolist()
    with safe_open(tmp_path / "ours.safetensors", "pt") as f:
        assert f.metadata() == {"é": "ü"}
        their_order = f.offset_keys()
    peer.save_file(theirs, tmp_path / "theirs.safetensors", {"k": "v"})
    for mmap in (True, False):
        back = safetensors.load_file(tmp_path / "theirs.safetensors", mmap=mmap)
        for name, x in ours.items():
            same(back[name], x)
    with safetensors.safe_open(tmp_path / "theirs.safetensors", framework="pt") as f:
        assert f.metadata() == {"k": "v"}
    with safetensors.safe_open(tmp_path / "ours.safetensors") as f:
        assert set(f.offset_keys()) == set(their_order)
    assert safetensors.load(peer.save(theirs)).keys() == ours.keys()


# ---- reading ------------------------------------------------------------------------------------------------


def test_mapped_tensors_are_written_in_memory_only(tmp_path):
    path = tmp_path / "a.safetensors"
    safetensors.save_file(small(), path)
    before = path.read_bytes()
    made = safetensors.load_file(path)
    made["a"].fill_(7)
    made["z"][0] = 9
    assert path.read_bytes() == before
    assert made["a"].tolist() == [[7, 7, 7]] * 2
    assert safetensors.load_file(path)["a"].tolist() == [[1, 1, 1]] * 2


def test_data_that_is_not_aligned_is_read(tmp_path):
    text = json.dumps({"a": entry("U8", [1], [0, 1]), "b": entry("F32", [1], [1, 5])}).encode()
    path = tmp_path / "a.safetensors"
    path.write_bytes(file_of(text, b"\x05" + struct.pack("<f", 1.5)))
    made = safetensors.load_file(path)
    assert (made["a"].tolist(), made["b"].tolist()) == ([5], [1.5])
    assert made["b"].data_ptr() % 4 == 0


def test_the_lazy_mapping(tmp_path):
    safetensors.save_file(small(), tmp_path / "a.safetensors")
    with safetensors.safe_open(tmp_path / "a.safetensors") as f:
        assert list(f) == list(f.keys()) == list(small())
        assert f.metadata() is None
        assert f.offset_keys() == ["z", "a", "none", "flags"]
        assert ("a" in f, "b" in f, len(f)) == (True, False, 4)
        assert f["flags"].tolist() == [True, False, True]
        part = f.get_slice("a")
        assert (part.get_shape(), part.get_dtype(), part[1, 1:].tolist()) == ([2, 3], "F32", [1, 1])
        with pytest.raises(KeyError, match="no tensor 'b'"):
            f["b"]
        kept = f["a"]
    assert kept.tolist() == [[1, 1, 1]] * 2


def test_file_objects_from_where_they_are():
    f = io.BytesIO(b"before" + safetensors.save(small()))
    f.seek(6)
    assert safetensors.load_file(f)["z"].tolist() == [0, 1, 2]


def test_elements_smaller_than_a_byte_are_told_of(tmp_path):
    data = file_of({"x": entry("F4", [3, 4], [0, 6]), "y": entry("U8", [1], [6, 7])}, bytes(7))
    with safetensors.safe_open(io.BytesIO(data)) as f:
        assert f["y"].tolist() == [0]
        with pytest.raises(CheckpointError, match="no dtype for F4"):
            f["x"]


# ---- writing ------------------------------------------------------------------------------------------------


def test_views_become_contiguous(no_warnings):
    x = sc.arange(6.0).view(2, 3)
    z = sc.tensor([1 + 2j])
    made = safetensors.load(
        safetensors.save(
            {
                "t": x.t(),
                "r": sc.arange(3)[::-1],
                "e": sc.ones(1).expand(2, 2),
                "c": z.conj(),
                "i": sc.tensor([2j]).conj().imag,
            }
        )
    )
    assert made["t"].tolist() == x.t().tolist() and made["t"].is_contiguous()
    assert made["r"].tolist() == [2, 1, 0]
    assert made["e"].tolist() == [[1, 1], [1, 1]]
    assert (made["c"].tolist(), made["c"].is_conj()) == ([1 - 2j], False)
    assert made["i"].tolist() == [-2]


def test_shared_memory_is_an_error_unless_copies_will_do():
    x = sc.arange(6)
    safetensors.save({"a": x[:3], "b": x[3:]})
    for views in ({"a": x, "b": x}, {"a": x[:4], "b": x[3:]}, {"a": x, "b": x.view(sc.uint8)[5:6]}):
        with pytest.raises(RuntimeError, match=r"'a' and 'b' share memory|'b' and 'a' share memory"):
            safetensors.save(views)
        made = safetensors.load(safetensors.save(views, shared="copy"))
        assert {k: v.tolist() for k, v in made.items()} == {k: v.tolist() for k, v in views.items()}
        assert made["a"].untyped_storage() is not made["b"].untyped_storage()


def test_what_cannot_be_written_is_refused(tmp_path):
    x = sc.ones(1)
    for tensors, metadata, error in (
        ({"x": x.to(sc.complex128)}, None, TypeError), ({"x": [1]}, None, TypeError), ({1: x}, None, TypeError),
        ([x], None, ValueError), ({"__metadata__": x}, None, ValueError), ({"x": x}, {"a": 1}, TypeError),
    ):  # fmt: skip
        with pytest.raises(error):
            safetensors.save_file(tensors, tmp_path / "a", metadata)
    with pytest.raises(ValueError, match="shared"):
        safetensors.save({"x": x}, shared="first")
    assert list(tmp_path.iterdir()) == []


def test_the_same_dict_gives_the_same_bytes(tmp_path):
    safetensors.save_file(small(), tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == safetensors.save(small())


# ---- files that lie -----------------------------------------------------------------------------------------

HOSTILE = {
    "empty": b"",
    "cut length": b"\x05\0\0",
    "header longer than the file": file_of(b"{}", length=1 << 40),
    "header length of 2**64 - 1": file_of(b"{}", length=2**64 - 1),
    "header of nothing": file_of(b""),
    "no JSON": file_of(b"{hello}"),
    "no UTF-8": file_of(b'{"\xff\xfe":1}'),
    "a list": file_of(b"[1]"),
    "a number": file_of({"a": 5}),
    "nested deep": file_of(b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
    "a number of a million digits": file_of(b'{"a":{"dtype":"F32","shape":[' + b"1" * 1_000_000 + b"]}}"),
    "names twice": file_of(b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},'
                           b'"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}', b"x"),
    "metadata of numbers": file_of({"__metadata__": {"a": 1}}),
    "metadata a list": file_of({"__metadata__": []}),
    "no dtype": file_of({"a": {"shape": [1], "data_offsets": [0, 4]}}, bytes(4)),
    "unknown dtype": file_of({"a": entry("F33")}, bytes(4)),
    "dtype a list": file_of({"a": entry(["F32"])}, bytes(4)),
    "shape a number": file_of({"a": {"dtype": "F32", "shape": 1, "data_offsets": [0, 4]}}, bytes(4)),
    "shape of floats": file_of({"a": entry(shape=[1.0])}, bytes(4)),
    "shape of bools": file_of({"a": entry(shape=[True])}, bytes(4)),
    "negative size": file_of({"a": entry(shape=[-1])}, bytes(4)),
    "sizes that overflow": file_of({"a": entry(shape=[2**62, 4])}, bytes(4)),
    "sizes that wrap to 4 bytes": file_of({"a": entry(shape=[2**62 + 1])}, bytes(4)),
    "sizes that overflow beside a zero": file_of({"a": entry(shape=[0, 2**62, 2**62], offsets=[0, 0])}),
    "one offset": file_of({"a": entry(offsets=[0])}, bytes(4)),
    "negative offset": file_of({"a": entry(offsets=[-4, 0])}, bytes(4)),
    "offsets the wrong way": file_of({"a": entry(offsets=[4, 0])}, bytes(4)),
    "data beyond the file": file_of({"a": entry(shape=[2], offsets=[0, 8])}, bytes(4)),
    "shape and offsets disagree": file_of({"a": entry(shape=[2])}, bytes(4)),
    "a hole": file_of({"a": entry(offsets=[4, 8])}, bytes(8)),
    "overlap": file_of({"a": entry(), "b": entry()}, bytes(4)),
    "bytes left over": file_of({"a": entry()}, bytes(5)),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused(name, tmp_path):
    path = tmp_path / "evil.safetensors"
    path.write_bytes(HOSTILE[name])
    for mmap in (True, False):
        with pytest.raises(CheckpointError, match=r"evil\.safetensors"):
            safetensors.load_file(path, mmap=mmap)


def test_too_many_dims_are_refused():
    with pytest.raises(CheckpointError, match="64 sizes"):
        safetensors.load(file_of({"a": entry(shape=[1] * 65)}, bytes(4)))


def test_the_limit_of_headers(monkeypatch):
    monkeypatch.setattr(safetensors.limits, "SAFETENSORS_HEADER_BYTES", 100)
    with pytest.raises(CheckpointError, match="the limit is 100"):
        safetensors.load(file_of(b"{}" + b" " * 200))


def test_every_byte_changed_in_turn():
    data = bytearray(safetensors.save({"a": sc.arange(3.0), "b": sc.ones(2, dtype=sc.uint8)}, {"k": "v"}))
    sound = refused = 0
    for place in range(len(data)):
        for flip in (0x01, 0x80, 0xFF):
            data[place] ^= flip
            try:
                for tensor in safetensors.load(bytes(data)).values():
                    tensor.tolist()
                sound += 1
            except CheckpointError:
                refused += 1
            data[place] ^= flip
    assert sound > 20 and refused > 200


def test_random_damage(rng):
    data = safetensors.save(small())
    for _ in range(300):
        damaged = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            kind, place = rng.randrange(3), rng.randrange(len(damaged))
            if kind == 0:
                damaged[place] = rng.randrange(256)
            elif kind == 1:
                del damaged[place : place + rng.randrange(1, 30)]
            else:
                damaged[place:place] = bytes(rng.randrange(256) for _ in range(rng.randrange(9)))
            if not damaged:
                break
        try:
            made = safetensors.load(bytes(damaged))
        except CheckpointError:
            continue
        for tensor in made.values():
            tensor.tolist()


def test_load_and_open_recognise_the_content(tmp_path):
    path = tmp_path / "model.pt"
    safetensors.save_file(small(), path, {"k": "v"})
    for mmap in (True, False):
        loaded = sc.load(path, mmap=mmap)
        assert list(loaded) == list(small())
        for name, x in small().items():
            same(loaded[name], x)
    with sc.checkpoint.open(path) as opened:
        assert (opened.format, opened.metadata) == ("safetensors", {"k": "v"})
        assert opened["z"].load().tolist() == [0, 1, 2]
