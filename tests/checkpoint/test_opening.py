"""`open`: names of tensors, what is known of them before they are read, and reading them one by one."""

import io
import struct
import warnings
from pathlib import Path

import crafted as c
import numpy as np
import pytest

import stridecore as sc
from stridecore import checkpoint
from stridecore.checkpoint.lazy import LazyTensor

FILES = Path(__file__).with_name("files")


def opened(opcodes, **options):
    return checkpoint.open(io.BytesIO(c.container(opcodes, **options)))


def test_what_is_known_before_reading():
    with checkpoint.open(FILES / "zip.pt") as f:
        assert list(f) == ["x", "t", "part", "row", "conj", "half", "wide", "empty"]
        part = f["part"]
        assert type(part) is LazyTensor and "x" in f and len(f) == 8 and f.format == "torch zip"
        assert (part.dtype, part.shape, part.stride(), part.storage_offset()) == (sc.float32, (2, 2), (4, 2), 4)
        assert (part.nbytes, part.numel(), part.dim(), part.ndim, part.size(1), part.stride(0)) == (16, 4, 2, 2, 2, 4)
        assert (part.storage.nbytes(), part.storage.key, part.storage.location) == (48, "zip/data/0", "cpu")
        assert part.storage is f["x"].storage and f["conj"].storage is not part.storage
        assert f["conj"].is_conj() and not f["conj"].is_neg() and part.element_size() == 4
        assert repr(part) == "LazyTensor(shape=(2, 2), dtype=stridecore.float32)"
        assert f.object["state"]["step"] == 7
        with pytest.raises(KeyError):
            f["missing"]


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("name", ["zip.pt", "legacy.pt", "others.pt", "script.pt"])
def test_loading_one_by_one_is_loading_all(name, mmap):
    with checkpoint.open(FILES / name, mmap=mmap) as f:
        everything = f.load()
        for key, tensor in f.items():
            one = tensor.load()
            assert one.tolist() == everything[key].tolist()
            assert (one.stride(), one.storage_offset(), one.dtype) == (
                tensor.stride(),
                tensor.storage_offset(),
                tensor.dtype,
            )


def test_loaded_tensors_share_storages_while_one_lives():
    with checkpoint.open(FILES / "zip.pt", mmap=False) as f:
        x = f["x"].load()
        x[2, 0] = 100
        assert f["row"].load()[0].item() == 100
        assert f["row"][0].item() == 100 and np.asarray(f["row"])[0] == 100
        del x
        assert f["row"].load()[0].item() == 8
        everything = f.load()
        assert everything["t"].untyped_storage() is everything["x"].untyped_storage()


def test_tensors_stay_when_the_file_is_closed():
    f = checkpoint.open(FILES / "zip.pt")
    x = f["x"].load()
    f.close()
    assert x.sum().item() == 66
    tensor = checkpoint.open(FILES / "zip.pt")["half"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tensor.load().tolist() == [1.5, -2.0]


def test_names():
    row = c.tensor((3,), (1,))
    linear = c.dict_(
        (c.text("_parameters"), c.dict_((c.text("weight"), row), (c.text("bias"), c.NONE))),
        (c.text("_buffers"), c.dict_((c.text("count"), row))),
        (c.text("lr"), c.real(1.0)),
    )
    module = c.name("m", "Linear") + b")\x81" + linear + b"b"
    outer = c.name("m", "Net") + b")\x81" + c.dict_((c.text("_modules"), c.dict_((c.text("0"), module)))) + b"b"
    assert list(opened(outer)) == ["0.weight", "0.count"]
    assert list(opened(row)) == ["tensor"]
    assert list(opened(c.list_(row, c.tuple_(c.NONE, row)))) == ["0", "1.1"]
    both = c.dict_((c.text("a.b"), row), (c.text("a"), c.dict_((c.text("b"), row))), (c.number(3), row))
    assert list(opened(both)) == ["a.b", "a.b#2", "3"]
    called = c.call(c.name("m", "f"), row, c.number(1))
    assert list(opened(c.dict_((c.text("x"), called)))) == ["x.args.0"]
    assert list(opened(b"]q\x00" + row + b"a0h\x00h\x00\x86")) == ["0.0"]


def test_parts_of_composites_have_names():
    with checkpoint.open(FILES / "others.pt") as f:
        assert list(f) == ["quantised", "sparse.indices", "sparse.values", "module.weight", "module.bias", "parameter"]
        assert f["quantised"].load().tolist() == [3, 4, 5]


def test_a_missing_record_is_found_when_opening():
    with pytest.raises(checkpoint.CheckpointError, match="no such record"):
        opened(c.tensor(), records={})
    with pytest.raises(checkpoint.CheckpointError, match="its storage has 24 bytes"):
        opened(c.tensor(), records={"0": bytes(23)})


def test_only_what_is_asked_for_is_read():
    class Counting(io.BytesIO):
        read_bytes = 0

        def read(self, n=-1):
            data = super().read(n)
            self.read_bytes += len(data)
            return data

    records = {"0": bytes(24), "1": bytes(4 << 20)}
    large = c.tensor((1 << 20,), (1,), of=c.storage("1", 1 << 20))
    f = Counting(c.container(c.tuple_(c.tensor(), large), records))
    found = checkpoint.open(f)
    found["0"].load()
    assert f.read_bytes < 200_000
    found["1"].load()
    assert f.read_bytes > 4 << 20


def test_big_endian_and_deflated():
    with opened(c.tensor(), records={"0": struct.pack(">6f", *range(6))}, deflated=True, order=b"big") as f:
        assert f["tensor"].load().tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


@pytest.mark.parametrize("name", ["zip.pt", "legacy.pt", "script.pt"])
def test_mapped_tensors_are_loaded_after_closing(name):
    """Also when the descriptor's number has become another file's."""
    f = checkpoint.open(FILES / name)
    with checkpoint.open(FILES / name) as again:
        expected = {key: repr(tensor) for key, tensor in again.load().items()}
    number = f._source._descriptor
    f.close()
    with open(__file__, "rb") as other:
        assert other.fileno() == number
        assert {key: repr(tensor) for key, tensor in f.load().items()} == expected


def test_what_is_not_mapped_needs_the_file():
    f = checkpoint.open(FILES / "zip.pt", mmap=False)
    f.close()
    with open(__file__, "rb"), pytest.raises(ValueError, match="closed before this was loaded"):
        f["x"].load()
