"""save: what torch makes of the files, what they contain, and that a failure leaves nothing behind."""

import collections
import io
import mmap
import os
import random
import stat
import struct
import subprocess
import sys
import warnings
import zipfile

import pytest

import stridecore as sc
from stridecore.checkpoint import zip_writer

DTYPES = sorted({dtype.name for dtype in sc.dtypes.names().values()})
BOTH = pytest.mark.parametrize("new", [True, False], ids=["zip", "legacy"])

pytestmark = pytest.mark.filterwarnings(
    "ignore:PyTorch has deprecated TypedStorage", "ignore:ComplexHalf", "ignore:TypedStorage is dep"
)


def saved(obj, new=True, **kwargs):
    f = io.BytesIO()
    sc.save(obj, f, _use_new_zipfile_serialization=new, **kwargs)
    return f.getvalue()


def through_torch(torch, obj, new=True, safe=True, **kwargs):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="TypedStorage is deprecated")
        return torch.load(io.BytesIO(saved(obj, new, **kwargs)), weights_only=safe)


def same(theirs, ours):
    assert str(theirs.dtype).rpartition(".")[2] == ours.dtype.name
    assert (tuple(theirs.shape), theirs.stride()) == (tuple(ours.shape), ours.stride())
    assert theirs.storage_offset() == ours.storage_offset()
    assert (theirs.is_conj(), theirs.is_neg()) == (ours.is_conj(), ours.is_neg())
    assert bytes(theirs.untyped_storage().tolist()) == bytes(ours.untyped_storage())


@BOTH
@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype(torch, name, new):
    x = sc.arange(6).to(getattr(sc, name)).view(2, 3)
    same(through_torch(torch, x.t()[1:], new), x.t()[1:])


@BOTH
def test_layouts_and_sharing(torch, new):
    x = sc.arange(24.0).view(2, 3, 4)
    views = [
        x,
        x.permute(2, 0, 1),
        x[1, ::2],
        x[0, 0].expand(5, 4),
        x[:, 5:],
        x[1, 2, 3],
        x.as_strided((2, 1), (1, 9), 7),
    ]
    loaded = through_torch(torch, views, new)
    for theirs, ours in zip(loaded, views, strict=True):
        same(theirs, ours)
        assert theirs.untyped_storage() is not None
    assert len({t.untyped_storage().data_ptr() for t in loaded}) == 1
    first, second = through_torch(torch, [x, x], new)
    assert first is second
    same(through_torch(torch, sc.empty(0, 3), new), sc.empty(0, 3))


def test_random_layouts(torch, rng):
    for _ in range(60):
        dtype = getattr(sc, rng.choice(DTYPES))
        ndim = rng.randrange(4)
        sizes = [rng.randrange(4) for _ in range(ndim)]
        strides = [rng.randrange(6) for _ in range(ndim)]
        offset = rng.randrange(5)
        reach = offset + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True) if n) + 1
        memory = sc.tensor([rng.randrange(100) for _ in range(reach + rng.randrange(3))]).to(dtype)
        x = memory.as_strided(sizes, strides, offset)
        same(through_torch(torch, x), x)


@BOTH
def test_lazy_bits_are_kept(torch, new):
    z = sc.tensor([1 + 2j, 3 - 1j])
    for x in (z.conj(), z.conj().imag, z._neg_view(), z._neg_view().conj()):
        made = through_torch(torch, x, new)
        same(made, x)
        assert made.tolist() == x.tolist()


@BOTH
def test_views_of_several_dtypes_on_one_storage(torch, new):
    x = sc.arange(4, dtype=sc.int32)
    views = [x, x.view(sc.uint8)[3:], x.view(sc.float32), x.view(sc.int64)[1]]
    loaded = through_torch(torch, views, new)
    for theirs, ours in zip(loaded, views, strict=True):
        same(theirs, ours)
    assert len({t.untyped_storage().data_ptr() for t in loaded}) == 1


def test_a_storage_of_broken_length_is_kept_whole(torch):
    odd = sc.zeros(0, dtype=sc.int16).set_(sc.UntypedStorage(list(range(11))), 1, (4,), (1,))
    same(through_torch(torch, odd), odd)


@BOTH
def test_containers_and_plain_values(torch, new):
    obj = collections.OrderedDict(
        numbers=[0, 1, 255, 256, 65535, 65536, -1, -128, -129, 2**31, -(2**31), 2**40, -(2**63), 2**200, -(2**200)],
        floats=[0.0, -0.0, 1.5, float("inf")],
        words=["", "é", "a" * 300, "\0"],
        data=[b"", b"\x00\xff", bytearray(b"xy")],
        nested={"tuple": ((), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)), "set": {3, 1}, 5: None, (1, 2): True},
        complex=1 - 2j,
    )
    assert through_torch(torch, obj, new) == obj
    assert type(through_torch(torch, obj, new)) is collections.OrderedDict
    size, dtype, device = through_torch(torch, [sc.Size([2, 3]), sc.bfloat16, sc.device("cpu")], new)
    assert (type(size), size) == (torch.Size, (2, 3))
    assert (dtype, device) == (torch.bfloat16, torch.device("cpu"))


def test_numbers_of_every_length(torch):
    numbers = [sign * (2**bits + d) for bits in range(0, 70) for d in (-1, 0, 1) for sign in (1, -1)]
    assert through_torch(torch, numbers) == numbers
    assert through_torch(torch, [2**3000, -(2**3000)], safe=False) == [2**3000, -(2**3000)]


def test_objects_that_contain_themselves(torch):
    ring = []
    ring.append({"ring": ring})
    made = through_torch(torch, ring)
    assert made[0]["ring"] is made
    knot = ([],)
    knot[0].append(knot)
    made = through_torch(torch, knot, safe=False)
    assert made[0][0] is made


def test_what_pickle_can_take_is_taken(torch):
    import fractions

    import numpy as np

    metadata = collections.OrderedDict(a=1)
    metadata._metadata = {"": {"version": 1}}
    obj = [
        collections.Counter("aab"),
        collections.defaultdict(list, a=[1]),
        fractions.Fraction(1, 3),
        np.float32(2.5),
        np.arange(3),
        len,
        frozenset([1]),
        os.path.join,
        type(None),
    ]
    for protocol in (2, 3, 4, 5):
        made = through_torch(torch, obj, safe=False, pickle_protocol=protocol)
        assert made[:4] == obj[:4] and made[5:] == obj[5:]
        assert made[4].tolist() == [0, 1, 2]
    assert through_torch(torch, metadata)._metadata == metadata._metadata


def test_storages(torch):
    x = sc.arange(3.0)
    typed, untyped = through_torch(torch, [x.storage(), sc.UntypedStorage([1, 2])])
    assert (typed.tolist(), typed.dtype) == ([0.0, 1.0, 2.0], torch.float32)
    assert untyped.tolist() == [1, 2]
    storage, tensor = through_torch(torch, [x.untyped_storage(), x])
    assert storage.data_ptr() == tensor.untyped_storage().data_ptr()
    with pytest.raises(TypeError, match="uint16"):
        saved(x.to(sc.uint16).storage())
    with pytest.raises(RuntimeError, match="different types"):
        saved([x.storage(), x.view(sc.int32)])


def test_negative_strides_are_saved_contiguous_with_one_warning(torch):
    x = sc.arange(6).view(2, 3)
    with pytest.warns(UserWarning, match="negative strides") as caught:
        a, _, c = through_torch(torch, [x[:, ::-1], x[1:, ::-2], x])
    assert len(caught) == 1
    assert "test_write" in caught[0].filename
    assert (a.stride(), a.tolist()) == ((3, 1), [[2, 1, 0], [5, 4, 3]])
    assert a.untyped_storage().data_ptr() != c.untyped_storage().data_ptr()
    with pytest.warns(UserWarning):
        same_object = through_torch(torch, [y := x[::-1], y])
    assert same_object[0] is same_object[1]


# ---- compact ------------------------------------------------------------------------------------------------


def test_compact_saves_what_is_reached(torch):
    x = sc.arange(1000.0)
    views = [x[10:20], x[15:30:2], x[500:510].view(2, 5).t(), x[900:900], x[950].expand(3)]
    loaded = through_torch(torch, views, compact=True)
    for theirs, ours in zip(loaded, views, strict=True):
        assert (theirs.tolist(), theirs.stride()) == (ours.tolist(), ours.stride())
    a, b, c, _, e = (t.untyped_storage() for t in loaded)
    assert [s.nbytes() for s in (a, b, c, e)] == [4 * 20, 4 * 20, 4 * 10, 4]
    assert a.data_ptr() == b.data_ptr() != c.data_ptr()
    whole = through_torch(torch, [*views, x.untyped_storage()], compact=True)
    assert {t.untyped_storage().nbytes() for t in whole[:-1]} == {4000} == {whole[-1].nbytes()}


def test_compact_closes_the_gaps_of_a_tensor_that_is_alone(torch):
    x = sc.arange(40.0).view(10, 4)
    (column, again) = through_torch(torch, [x[:, 1], x[:, 1]], compact=True)
    assert column.untyped_storage().nbytes() == 40
    assert (column.tolist(), column.stride()) == (x[:, 1].tolist(), (1,))
    assert column.untyped_storage().data_ptr() == again.untyped_storage().data_ptr()
    z = sc.arange(8).to(sc.complex64)[::2].conj()
    made = through_torch(torch, z, compact=True)
    assert (made.is_conj(), made.tolist(), made.untyped_storage().nbytes()) == (True, z.tolist(), 32)


def test_compact_with_several_dtypes(torch):
    x = sc.arange(100, dtype=sc.uint8)
    views = [x[3:7], x[4:12].view(sc.int32), x[40:48].view(sc.int64), x[41:43], x[:0].view(sc.float32)]
    for theirs, ours in zip(through_torch(torch, views, compact=True), views, strict=True):
        assert (str(theirs.dtype)[6:], theirs.tolist()) == (ours.dtype.name, ours.tolist())


def test_compact_at_random(torch, rng):
    for _ in range(40):
        memory = sc.tensor([rng.randrange(256) for _ in range(96)], dtype=sc.uint8)
        views = []
        for _ in range(rng.randrange(1, 6)):
            x = memory.view(getattr(sc, rng.choice(["uint8", "int16", "int32", "uint16"])))
            start = rng.randrange(len(x))
            views.append(x[start : start + rng.randrange(20) : rng.randrange(1, 4)])
        loaded = through_torch(torch, views, compact=True)
        assert [t.tolist() for t in loaded] == [t.tolist() for t in views]
        for i, a in enumerate(views):
            for j, b in enumerate(views):
                if a.numel() and b.numel() and touches(a, b):
                    assert (loaded[i].untyped_storage().data_ptr() == loaded[j].untyped_storage().data_ptr()) is True


def touches(a, b):
    first, second = (range(x.data_ptr(), x[-1:].data_ptr() + x.element_size()) for x in (a, b))
    return first.start < second.stop and second.start < first.stop


def test_a_small_view_of_a_large_storage_is_told(torch, no_warnings):
    x = sc.zeros(300_000)
    with pytest.warns(UserWarning, match="compact=True"):
        saved([x[:30_000]])
    saved([x[:31_000]])
    saved([x[:10], x])
    saved([x[:10]], compact=True)
    saved([x.untyped_storage()])
    saved(sc.zeros(200_000)[:5])


# ---- the file -----------------------------------------------------------------------------------------------


def test_records_are_aligned_and_sound():
    data = saved({str(i): sc.ones(i) for i in range(1, 40)})
    archive = zipfile.ZipFile(io.BytesIO(data))
    assert archive.testzip() is None
    names = archive.namelist()
    assert names[:5] == [
        "archive/data.pkl",
        "archive/.format_version",
        "archive/.storage_alignment",
        "archive/byteorder",
        "archive/data/0",
    ]
    for info in archive.infolist():
        header = data[info.header_offset : info.header_offset + 30]
        start = info.header_offset + 30 + sum(struct.unpack("<HH", header[26:]))
        assert start % 64 == 0
        assert data[start : start + info.file_size] == archive.read(info)
    assert archive.read("archive/byteorder").decode() == sys.byteorder


def test_torch_maps_it(torch, tmp_path):
    path = tmp_path / "a.pt"
    x = sc.arange(1000.0).view(10, 100)
    sc.save({"x": x.t()}, path)
    same(torch.load(path, mmap=True, weights_only=True)["x"], x.t())


def test_the_same_object_gives_the_same_bytes(tmp_path):
    def build():
        words = ["".join(["a", "b"]), "ab"]
        x = sc.arange(10.0)
        return {"words": words, "set": {"x", "y", "z", "w"}, "x": x, "y": x[2:], "t": (1, ("ab",))}

    sc.save(build(), tmp_path / "one.pt")
    sc.save(build(), tmp_path / "two.pt")
    assert (tmp_path / "one.pt").read_bytes() == (tmp_path / "two.pt").read_bytes() == saved(build())
    code = (
        "import stridecore as sc, sys\n"
        "x = sc.arange(10.)\n"
        "obj = {'words': ['ab', 'ab'], 'set': {'x', 'y', 'z', 'w'}, 'x': x, 'y': x[2:], 't': (1, ('ab',))}\n"
        "sc.save(obj, sys.argv[1])"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    subprocess.run([sys.executable, "-c", code, tmp_path / "three.pt"], check=True, env=environment)
    assert (tmp_path / "three.pt").read_bytes() == saved(build())


def test_large_records_are_written_from_memory_with_their_checksums(tmp_path, torch):
    x = sc.arange(3_000_000, dtype=sc.int32)
    sc.save([x, x[5:], sc.ones(3), sc.zeros(400_000)], tmp_path / "a.pt")
    assert zipfile.ZipFile(tmp_path / "a.pt").testzip() is None
    assert (tmp_path / "a.pt").read_bytes() == saved([x, x[5:], sc.ones(3), sc.zeros(400_000)])
    assert torch.load(tmp_path / "a.pt")[1][-1].item() == 2_999_999


@pytest.mark.skipif(sys.platform != "linux", reason="needs memory and files with holes")
def test_records_and_files_past_4_gib(tmp_path, monkeypatch):
    length = (4 << 30) + 100
    holes = mmap.mmap(-1, length)  # never touched: neither memory nor disk is used
    write_at, checksum = zip_writer.write_at, zip_writer.Entry.checksum
    monkeypatch.setattr(zip_writer, "write_at", lambda f, at, data: len(data) < length and write_at(f, at, data))
    monkeypatch.setattr(
        zip_writer.Entry, "checksum", lambda self: setattr(self, "crc", 0) if self.nbytes == length else checksum(self)
    )
    entries = zip_writer.plan([("before", b"x" * 10), ("large", holes), ("after", b"y" * 10)])
    with open(tmp_path / "a.zip", "wb") as f:
        zip_writer.write_to_descriptor(entries, f.fileno())
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert [info.file_size for info in archive.infolist()] == [10, length, 10]
        assert (archive.read("before"), archive.read("after")) == (b"x" * 10, b"y" * 10)
        assert archive.open("large").read(10) == bytes(10)


def test_more_records_than_16_bits_count():
    entries = zip_writer.plan((f"r/{i}", b"") for i in range(66_000))
    out = io.BytesIO()
    zip_writer.write_to_stream(entries, out.write)
    assert len(zipfile.ZipFile(out).namelist()) == 66_000


# ---- where it goes ------------------------------------------------------------------------------------------


def test_paths_and_file_objects(tmp_path, torch):
    x = sc.ones(3)
    for path in (tmp_path / "a.pt", str(tmp_path / "b.pt"), os.fsencode(tmp_path / "c.pt")):
        sc.save(x, path)
        assert torch.load(os.fsdecode(path)).tolist() == [1, 1, 1]
    with open(tmp_path / "d.pt", "wb", buffering=0) as f:
        sc.save(x, f)
    assert torch.load(tmp_path / "d.pt").tolist() == [1, 1, 1]
    assert sorted(os.listdir(tmp_path)) == ["a.pt", "b.pt", "c.pt", "d.pt"]

    class Stream:
        data = b""

        def write(self, data):
            self.data += data[:1000]
            return len(data[:1000])

    stream = Stream()
    sc.save(x, stream)
    assert stream.data == saved(x)
    with pytest.raises(AttributeError, match="write"):
        sc.save(x, 3)


class Refusing:
    def __reduce__(self):
        raise ValueError("no")


def test_a_failure_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.pt"
    sc.save(sc.ones(3), path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="no"):
        sc.save([sc.zeros(3), Refusing()], path)

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zip_writer, "write_at", full)
    with pytest.raises(OSError, match="space"):
        sc.save(sc.zeros(3), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.pt"]


def test_a_failure_leaves_a_file_object_as_it_was():
    f = io.BytesIO(b"before")
    f.seek(6)
    with pytest.raises(ValueError, match="no"):
        sc.save([sc.zeros(3), Refusing()], f)
    assert f.getvalue() == b"before"

    class Full(io.BytesIO):
        def write(self, data):
            if self.tell() > 1000:
                raise OSError(28, "No space left on device")
            return super().write(data)

    f = Full()
    with pytest.raises(OSError, match="space"):
        sc.save(sc.zeros(3000), f)
    assert f.getvalue() == b""


@pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX")
def test_mode_and_link_are_kept(tmp_path):
    path = tmp_path / "a.pt"
    path.write_bytes(b"")
    path.chmod(0o640)
    (tmp_path / "link.pt").symlink_to(path)
    sc.save(sc.ones(2), tmp_path / "link.pt")
    assert (tmp_path / "link.pt").is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.read_bytes() == saved(sc.ones(2))
    sc.save(sc.ones(2), os.devnull)


def test_a_tensor_beyond_its_storage_is_refused():
    x = sc.arange(10)
    x.untyped_storage().resize_(8)
    with pytest.raises(RuntimeError, match="reaches byte 80 of a storage of 8"):
        saved(x)


def test_what_cannot_be_saved_is_refused():
    with pytest.raises(Exception, match="lambda"):
        saved(lambda: 0)
    with pytest.raises(TypeError):
        saved(sys._getframe())
    for wrong in (1, 6, -1):
        with pytest.raises(ValueError, match="2 to 5"):
            saved(1, pickle_protocol=wrong)
    with pytest.raises(ValueError, match="pickle_module"):
        saved(1, pickle_module=random)


def test_subclasses_are_saved_as_plain_tensors(torch, no_warnings):
    class Mine(sc.Tensor):
        pass

    x = sc.ones(2).as_subclass(Mine)
    assert type(through_torch(torch, x)) is torch.Tensor
    x.note = 5
    with pytest.warns(UserWarning, match="without their attributes"):
        saved([x, x])


def test_save_is_loaded_at_the_first_call():
    code = "import sys, stridecore; sys.exit(any(n.startswith('stridecore.checkpoint') for n in sys.modules))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


# ---- what load gives ----------------------------------------------------------------------------------------


def test_sparse_tensors(torch):
    x = sc.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))
    for ours in (x, x.coalesce(), sc.sparse_coo_tensor([[1], [1]], [2.0], (3, 3))):
        theirs = through_torch(torch, {"x": ours})["x"]
        assert (theirs.layout, tuple(theirs.shape), theirs.is_coalesced()) == (
            torch.sparse_coo, tuple(ours.shape), ours.is_coalesced(),
        )  # fmt: skip
        assert theirs.to_dense().tolist() == ours.to_dense().tolist()
    assert sc.load(io.BytesIO(saved(x))).to_dense().tolist() == x.to_dense().tolist()


def test_what_torch_saved_is_saved_again(torch, quiet):
    from torch.testing import assert_close

    dense = torch.tensor([[0.0, 0, 3], [4, 0, 5]])
    q = torch.quantize_per_tensor(dense, 0.5, 3, torch.qint8)
    values = {
        "csr": dense.to_sparse_csr(), "csc": dense.to_sparse_csc(), "bsr": dense.to_sparse_bsr((1, 3)),
        "coo": dense.to_sparse(), "q": q, "q row": q[1],
        "quint8": torch.quantize_per_tensor(dense, 0.5, 3, torch.quint8),
        "channels": torch.quantize_per_channel(dense, torch.tensor([0.5, 1.0]), torch.tensor([0, 1]), 0, torch.qint32),
        "meta": torch.empty(2, 3, device="meta"), "parameter": torch.nn.Parameter(dense),
    }  # fmt: skip
    f = io.BytesIO()
    torch.save(values, f)
    f.seek(0)
    loaded = sc.load(f)
    again = through_torch(torch, loaded)
    for name, theirs in values.items():
        made = again[name]
        assert (made.layout, made.dtype, made.shape, made.device) == (
            theirs.layout,
            theirs.dtype,
            theirs.shape,
            theirs.device,
        )
        if name != "meta":
            assert_close(*((t.dequantize() if t.is_quantized else t.detach().to_dense()) for t in (made, theirs)))
    assert again["channels"].q_per_channel_axis() == 0
    assert again["q"].untyped_storage().data_ptr() == again["q row"].untyped_storage().data_ptr()
    plain_too = through_torch(torch, [loaded["q"], loaded["q"].int_repr()])
    assert plain_too[0].int_repr().tolist() == plain_too[1].tolist()


def test_stubs_and_unread_tensors_are_refused(torch):
    f = io.BytesIO()
    torch.save({"w": torch.ones(2), "module": torch.nn.Linear(1, 1)}, f)
    with pytest.raises(Exception, match="unknown class"):
        saved(sc.load(f) if not f.seek(0) else None)
    with sc.checkpoint.open(io.BytesIO(saved({"w": sc.ones(2)}))) as opened, pytest.raises(Exception, match="not read"):
        saved(dict(opened))


def test_a_folder_that_is_missing_is_told_by_the_callers_name(tmp_path):
    with pytest.raises(FileNotFoundError) as raised:
        sc.save(sc.ones(2), tmp_path / "missing" / "x.pt")
    assert raised.value.filename == str((tmp_path / "missing" / "x.pt").resolve())


@pytest.mark.parametrize("kind", [True, False])
@pytest.mark.parametrize("answer", [0, -1, 1 << 40, "x", 1.5])
def test_files_that_write_less_or_more_than_they_got(answer, kind):
    class Odd(io.BytesIO):
        def write(self, data):
            return answer

    with pytest.raises(OSError, match=r"write\(\) of the file returned"):
        sc.save({"w": sc.ones(2)}, Odd(), _use_new_zipfile_serialization=kind)


def test_files_that_say_nothing_of_what_they_wrote():
    class Silent(io.BytesIO):
        def write(self, data):
            super().write(data)

    f = Silent()
    sc.save(sc.ones(2), f)
    f.seek(0)
    assert sc.load(f).tolist() == [1.0, 1.0]
