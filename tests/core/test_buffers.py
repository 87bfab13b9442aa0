"""The buffer protocol both ways: what is shared, what is refused, who keeps what alive."""

import array
import contextlib
import ctypes
import gc
import mmap
import sys
import weakref

import pytest
from stridecore.core.buffers import from_buffer_protocol

import stridecore as sc

WRITABLE, FORMAT, ND, STRIDES = 0x1, 0x4, 0x8, 0x18
C_CONTIGUOUS, F_CONTIGUOUS, ANY_CONTIGUOUS, INDIRECT = 0x38, 0x58, 0x98, 0x118


class Request:
    """A buffer asked for with exactly these flags, through the C API."""

    def __init__(self, obj, flags):
        self.view = (ctypes.c_char * 256)()
        get = ctypes.pythonapi.PyObject_GetBuffer
        get.argtypes, get.restype = [ctypes.py_object, ctypes.c_void_p, ctypes.c_int], ctypes.c_int
        get(obj, ctypes.addressof(self.view), flags)
        fields = ctypes.cast(self.view, ctypes.POINTER(ctypes.c_ssize_t))
        self.buf, self.len, self.itemsize = fields[0], fields[2], fields[3]
        self.readonly, self.ndim = ctypes.cast(self.view, ctypes.POINTER(ctypes.c_int))[8:10]
        self.format = ctypes.cast(fields[5], ctypes.c_char_p).value if fields[5] else None
        self.shape, self.strides = (
            tuple(ctypes.cast(p, ctypes.POINTER(ctypes.c_ssize_t))[: self.ndim]) if p else None for p in fields[6:8]
        )

    def release(self):
        release = ctypes.pythonapi.PyBuffer_Release
        release.argtypes = [ctypes.c_void_p]
        release(ctypes.addressof(self.view))


# ---- out ----------------------------------------------------------------------------------------------------


def test_memoryview_is_the_same_memory():
    x = sc.arange(6).view(2, 3)
    view = memoryview(x)
    assert (view.format, view.shape, view.strides, view.readonly, view.obj) == ("l", (2, 3), (24, 8), False, x)
    view[1, 2] = 50
    assert x[1, 2].item() == 50
    x[0, 0] = 7
    assert view.tolist() == [[7, 1, 2], [3, 4, 50]]


def test_strides_of_any_sign_and_0_dims():
    x = sc.arange(6).view(2, 3)[:, ::-2]
    assert memoryview(x).strides == (24, -16)
    assert memoryview(x).tolist() == [[2, 0], [5, 3]]
    assert memoryview(sc.tensor(3.5)).tolist() == 3.5
    assert memoryview(sc.zeros(2, 0)).tolist() == [[], []]


def test_formats():
    formats = dict.fromkeys(sc.dtypes.names())
    for name in formats:
        try:
            formats[name] = memoryview(sc.zeros(2, dtype=getattr(sc, name))).format
        except BufferError:
            continue
    assert {name: code for name, code in formats.items() if code and not hasattr(sc.Tensor, name)} == {
        "uint8": "B", "int8": "b", "int16": "h", "int32": "i", "int64": "l", "uint16": "H", "uint32": "I",
        "uint64": "L", "float16": "e", "float32": "f", "float64": "d", "complex64": "Zf", "complex128": "Zd",
    }  # fmt: skip
    assert formats["bool"] == "?"
    refused = {name for name, code in formats.items() if code is None}
    assert refused == {"bfloat16", "complex32", "chalf"} | {name for name in formats if name.startswith("float8")}


def test_a_snapshot_that_later_changes_of_the_layout_do_not_reach():
    x = sc.arange(6).view(2, 3)
    view = memoryview(x)
    x.t_()
    x.squeeze_()
    assert (x.shape, view.shape, view.strides) == ((3, 2), (2, 3), (24, 8))
    x.set_()
    assert view.tolist() == [[0, 1, 2], [3, 4, 5]]
    del x
    gc.collect()
    assert view.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_exports_forbid_resizing_until_released():
    x = sc.arange(6)
    first, second = memoryview(x), memoryview(x[2:])
    for _ in range(2):
        with pytest.raises(RuntimeError, match="exported"):
            x.resize_(100)
        with pytest.raises(RuntimeError, match="exported"):
            x.untyped_storage().resize_(0)
        first.release()
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    second.release()
    x.resize_(100)
    assert x[:6].tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "refused",
    [
        lambda: memoryview(sc.zeros(2, dtype=sc.bfloat16)),
        lambda: memoryview(sc.zeros(2, dtype=sc.float8_e5m2)),
        lambda: memoryview(sc.tensor([1j]).conj()),
        lambda: memoryview(sc.tensor([1j]).conj().imag),
        lambda: memoryview(sc.tensor([1j])._neg_view().conj()),
        lambda: Request(sc.zeros(2, 3).t(), 0),
        lambda: Request(sc.zeros(2, 3).t(), ND),
        lambda: Request(sc.zeros(2, 3).t(), C_CONTIGUOUS),
        lambda: Request(sc.zeros(2, 3), F_CONTIGUOUS),
        lambda: Request(sc.zeros(4)[::2], ANY_CONTIGUOUS),
        lambda: Request(sc.zeros(1).expand(3), STRIDES | WRITABLE),
        lambda: Request(sc.frombuffer(b"12", dtype=sc.uint8), WRITABLE),
        lambda: Request(sc.frombuffer(b"12", dtype=sc.uint8).untyped_storage(), WRITABLE),
    ],
)
def test_refusals_are_buffer_errors(refused):
    with pytest.raises(BufferError):
        refused()


def test_requests_get_what_they_ask_for():
    x = sc.zeros(2, 3, dtype=sc.int16)
    for flags, want in {
        0: (None, None, None),
        FORMAT: (b"h", None, None),
        ND: (None, (2, 3), None),
        STRIDES: (None, (2, 3), (6, 2)),
        C_CONTIGUOUS | FORMAT | WRITABLE: (b"h", (2, 3), (6, 2)),
        ANY_CONTIGUOUS: (None, (2, 3), (6, 2)),
        INDIRECT: (None, (2, 3), (6, 2)),
    }.items():
        got = Request(x, flags)
        assert (got.format, got.shape, got.strides) == want
        assert (got.buf, got.len, got.itemsize) == (x.data_ptr(), 12, 2)
        got.release()
    got = Request(x.t(), F_CONTIGUOUS)
    assert (got.shape, got.strides) == ((3, 2), (2, 6))
    got.release()
    assert x.untyped_storage().resizable()


def test_strides_that_can_not_matter_are_canonical():
    x = sc.zeros(60).as_strided((1, 3, 1), (50, 4, 7))
    assert memoryview(x).strides == (48, 16, 4)
    assert memoryview(sc.zeros(6).as_strided((1, 3), (50, 1))).contiguous
    assert memoryview(sc.zeros(2, 0, 3).transpose(0, 2)).strides == (8, 8, 4)


def test_read_only_and_overlapping_tensors_export_read_only():
    assert memoryview(sc.frombuffer(b"1234", dtype=sc.int8)).readonly
    assert memoryview(sc.zeros(3).expand(2, 3)).readonly
    assert memoryview(sc.zeros(6).as_strided((3, 3), (1, 1))).readonly
    assert not memoryview(sc.zeros(1).expand(1)).readonly
    assert not memoryview(sc.zeros(0).expand(4, 0)).readonly
    assert not memoryview(sc.zeros(6)[::2]).readonly


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python's own name for the protocol came with 3.12")
def test_pep_688():
    x = sc.arange(3)
    with x.__buffer__(0) as view:
        assert view.nbytes == 24


# ---- in -----------------------------------------------------------------------------------------------------


def test_frombuffer_shares_and_pins_a_bytearray():
    data = bytearray(b"\x01\x00\x02\x00\x03\x00")
    x = sc.frombuffer(data, dtype=sc.int16, offset=2)
    assert (x.tolist(), x.storage_offset(), x.untyped_storage().nbytes()) == ([2, 3], 0, 4)
    x[0] = 9
    assert data[2] == 9
    with pytest.raises(BufferError):
        data.append(0)
    with pytest.raises(RuntimeError):
        x.resize_(10)
    del x
    data.append(0)


def test_read_only_sources_are_never_written():
    data = b"\x01\x02\x03\x04"
    x = sc.frombuffer(data, dtype=sc.uint8)
    writes = (
        lambda: x.fill_(0),
        lambda: x.zero_(),
        lambda: x.copy_(sc.zeros(4)),
        lambda: x.__setitem__(0, 9),
        lambda: x.__setitem__(slice(0, 2), 9),
        lambda: x.view(sc.int16).fill_(0),
        lambda: x[:0].resize_(9),
    )
    for write in writes:
        with pytest.raises(RuntimeError):
            write()
    assert data == b"\x01\x02\x03\x04"
    assert x.clone().fill_(0).tolist() == [0, 0, 0, 0]


def test_frombuffer_as_torch(torch, quiet):
    for data in (bytearray(8), bytearray(b""), bytearray(b"12"), array.array("i", [1, 2]), "abc", 3):
        for dtype in ("float32", "uint8", "complex64"):
            for kwargs in (
                {}, {"count": 1}, {"count": 0}, {"count": -2}, {"count": 9}, {"offset": 4}, {"offset": 1},
                {"offset": 8}, {"offset": -1}, {"offset": 1, "count": 1}, {"count": 2.0}, {"offset": "a"},
            ):  # fmt: skip
                outcomes = []
                for lib in (sc, torch):
                    try:
                        x = lib.frombuffer(data, dtype=getattr(lib, dtype), **kwargs)
                        outcomes.append((x.tolist(), x.untyped_storage().nbytes(), x.untyped_storage().resizable()))
                    except Exception as error:
                        outcomes.append(type(error))
                assert outcomes[0] == outcomes[1], (data, dtype, kwargs)


def test_frombuffer_arguments():
    with pytest.raises(TypeError):
        sc.frombuffer(bytearray(8))
    with pytest.raises(TypeError):
        sc.frombuffer(bytearray(8), sc.float32)
    with pytest.raises(NotImplementedError):
        sc.frombuffer(bytearray(8), dtype=sc.float32, requires_grad=True)
    with pytest.raises(RuntimeError):
        sc.frombuffer(memoryview(bytearray(8))[::2], dtype=sc.uint8)
    assert sc.frombuffer(buffer=bytearray(8), dtype=float).dtype == sc.float64


def test_any_exporter_keeps_its_layout():
    view = memoryview(bytearray(range(12))).cast("B", (3, 4))
    x = from_buffer_protocol(view)
    assert (x.shape, x.stride(), x.tolist()) == ((3, 4), (4, 1), [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]])
    x = from_buffer_protocol(memoryview(array.array("d", [0, 1, 2, 3]))[::-2])
    assert (x.stride(), x.storage_offset(), x.tolist()) == ((-2,), 2, [3.0, 1.0])
    assert from_buffer_protocol(ctypes.c_double(2.5)).tolist() == 2.5
    grid = ((ctypes.c_int32 * 3) * 2)()
    x = from_buffer_protocol(grid)
    x[1, 2] = 7
    assert (grid[1][2], x.dtype, x.shape) == (7, sc.int32, (2, 3))
    with mmap.mmap(-1, 64) as memory:
        x = from_buffer_protocol(memory)
        x.fill_(3)
        assert memory[5] == 3
        del x
    assert from_buffer_protocol(sc.arange(3)).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("source", "error"),
    [
        (3, TypeError),
        ((ctypes.c_char * 3)(), TypeError),
        (memoryview(array.array("w" if sys.version_info >= (3, 13) else "u", "ab")), TypeError),
        ((ctypes.c_int32.__ctype_be__ * 3)(), ValueError),
        ((ctypes.c_void_p * 2)(), TypeError),
    ],
)
def test_exporters_that_are_no_tensor(source, error):
    with pytest.raises(error):
        from_buffer_protocol(source)


def test_owners_are_released_once_and_nothing_grows():
    class Owner(bytearray):
        pass

    owner = Owner(16)
    gone = weakref.ref(owner)
    x = sc.frombuffer(owner, dtype=sc.float32)
    y, view = x[1:], memoryview(x)
    del owner, x
    assert gone() is not None
    del y
    assert gone() is not None
    del view
    assert gone() is None

    data = bytearray(16)
    before = sys.getrefcount(data)
    for _ in range(100_000):
        x = sc.frombuffer(data, dtype=sc.float32)
        memoryview(x)
        with contextlib.suppress(ValueError):
            sc.frombuffer(data, dtype=sc.float32, offset=1)
    del x
    assert sys.getrefcount(data) == before
    data.append(1)
