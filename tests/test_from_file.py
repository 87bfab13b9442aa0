"""from_file, mapped shared or private, and storages over files, beside torch."""

import os

import pytest

import stridecore as sc

pytestmark = pytest.mark.filterwarnings("ignore:PyTorch has deprecated TypedStorage")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(bytes(range(40)))
    return path


def test_private_writes_stay_in_memory(path):
    for shared in (False, None):
        x = sc.from_file(str(path), shared, 10)
        assert (x.dtype, x.shape, x.is_shared(), x.untyped_storage().filename) == (sc.float32, (10,), False, None)
        assert bytes(x.untyped_storage()) == bytes(range(40))
        x.zero_()
        assert path.read_bytes() == bytes(range(40))


def test_shared_writes_go_to_the_file(path):
    x = sc.from_file(path, shared=True, size=5, dtype=sc.int16)
    y = sc.from_file(path, shared=True, size=20, dtype=sc.int16)
    x[1] = 0x0A0B
    assert path.read_bytes() == b"\0\1\x0b\x0a" + bytes(range(4, 40))
    assert y[1].item() == 0x0A0B
    assert (x.is_shared(), x[1:].is_shared()) == (True, True)
    assert x.untyped_storage().filename == str(path)
    assert x.share_memory_() is x and x.untyped_storage().filename == str(path)


def test_shared_files_are_made_and_grow(path, tmp_path):
    assert sc.from_file(path, True, 100, dtype=sc.uint8)[38:42].tolist() == [38, 39, 0, 0]
    assert path.stat().st_size == 100
    assert sc.from_file(tmp_path / "new", True, 3).tolist() == [0, 0, 0]
    assert (tmp_path / "new").stat().st_size == 12
    assert sc.from_file(tmp_path / "none", True).shape == (0,)


ARGUMENTS = [
    {"size": 11}, {"size": -1}, {"size": 2.5}, {"shared": 1, "size": 1}, {"size": 10, "dtype": 7}, {"size": 0}, {},
    {"shared": True, "size": -1}, {"shared": True, "size": 0},
]  # fmt: skip


@pytest.mark.parametrize("args", ARGUMENTS)
def test_like_torch(torch, path, args):
    def outcome(lib):
        try:
            x = lib.from_file(str(path), **args)
            return tuple(x.shape), x.stride(), x.untyped_storage().nbytes()
        except Exception as error:
            return type(error)

    assert outcome(sc) == outcome(torch)
    assert path.read_bytes() == bytes(range(40))


def test_sizes_that_no_file_has(path):
    for size in (2**61, 2**62, 2**70, -(2**70)):
        for shared in (True, False):
            with pytest.raises(RuntimeError):
                sc.from_file(path, shared, size)
    with pytest.raises(TypeError):
        sc.from_file(path, size=True)
    assert path.read_bytes() == bytes(range(40))


def test_errors_name_the_file(path, tmp_path):
    with pytest.raises(RuntimeError, match=r"size <40> is smaller than the required mapping size <44>"):
        sc.from_file(path, size=11)
    with pytest.raises(RuntimeError, match=r"unable to open file .*absent.* in read-only mode: No such file"):
        sc.from_file(tmp_path / "absent", size=1)
    with pytest.raises(TypeError, match="filename"):
        sc.from_file(3, size=1)
    with pytest.raises(RuntimeError, match="in read-write mode"):
        sc.from_file(tmp_path, shared=True, size=1)
    with pytest.raises(RuntimeError, match="unable to mmap"):
        sc.from_file(path, shared=True, size=2**61, dtype=sc.uint8)
    assert path.stat().st_size == 40
    with pytest.raises(NotImplementedError):
        sc.from_file(path, size=1, requires_grad=True)
    assert not os.path.exists(tmp_path / "absent")


def test_the_memory_cannot_be_resized_and_outlives_its_names(path):
    x = sc.from_file(path, shared=True, size=10)
    assert not x.untyped_storage().resizable()
    with pytest.raises(RuntimeError, match="not resizable"):
        x.resize_(100)
    y = x[3:].view(sc.uint8)
    del x
    assert y[:2].tolist() == [12, 13]
    path.unlink()
    assert y[:2].tolist() == [12, 13]


def test_storages(path):
    s = sc.UntypedStorage.from_file(path, nbytes=8)
    assert (type(s), s.tolist(), s.filename) == (sc.UntypedStorage, list(range(8)), None)
    assert sc.UntypedStorage.from_file(str(path), True, 8).filename == str(path)
    assert sc.UntypedStorage.from_file(path).nbytes() == 0
    f = sc.IntStorage.from_file(path, False, 2)
    assert (f.tolist(), f.dtype) == ([0x03020100, 0x07060504], sc.int32)
    assert sc.FloatStorage.from_file(path, True, 2).is_shared()
    with pytest.raises(RuntimeError, match="derived classes"):
        sc.TypedStorage.from_file(path, False, 2)
    with pytest.raises(TypeError, match="nbytes"):
        sc.UntypedStorage.from_file(path, nbytes=1.5)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_no_descriptors_are_left(path):
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        sc.from_file(path, size=3)
        sc.from_file(path, True, 3)
        sc.ones(3).share_memory_()
        with pytest.raises(RuntimeError):
            sc.from_file(path, size=100)
    assert len(os.listdir("/proc/self/fd")) == before


def test_sizes_and_files_that_can_not_be_mapped(tmp_path):
    for size in (-1, 2**61, 2**70):
        with pytest.raises(RuntimeError, match="unable to mmap"):
            sc.from_file(tmp_path / "new", shared=True, size=size)
    assert not (tmp_path / "new").exists()
    with pytest.raises(RuntimeError, match="unable to mmap 8 bytes from file </dev/null>"):
        sc.from_file("/dev/null", shared=True, size=2)
