"""NumPy: arrays over tensors and tensors over arrays, without copies."""

import gc
import random
import subprocess
import sys
import weakref

import numpy as np
import pytest

import stridecore as sc

pytestmark = pytest.mark.filterwarnings("ignore:PyTorch has deprecated TypedStorage")

NATIVE = "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
FROM_ML_DTYPES = "bfloat16 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu".split()


# ---- out ----------------------------------------------------------------------------------------------------


def test_numpy_is_the_same_memory():
    x = sc.zeros(2, 3)
    a = x.numpy()
    a[0, 1] = 5
    x[1] = 7
    assert a.tolist() == x.tolist() == [[0, 5, 0], [7, 7, 7]]
    assert (a.ctypes.data, a.dtype, a.strides) == (x.data_ptr(), np.float32, (12, 4))
    assert (x.t().numpy().strides, x[:, ::-1].numpy().strides) == ((4, 12), (12, -4))
    assert x[1, ::-2].numpy().tolist() == [7, 7]


def test_arrays_keep_the_memory_and_forbid_resizing_for_good():
    x = sc.arange(3)
    a = x.numpy()
    del a
    gc.collect()
    with pytest.raises(RuntimeError):
        x.resize_(10)
    a = x[1:].numpy()
    x.set_()
    del x
    gc.collect()
    assert a.tolist() == [1, 2]


@pytest.mark.parametrize("name", NATIVE)
def test_every_dtype_there_and_back(name):
    x = sc.tensor([[0, 1, 2], [3, 4, 5]]).to(getattr(sc, name))
    for view in (x, x.t(), x[:, ::-2], x[1:, 1:], x[0, 2], x[:0], x.expand(2, 2, 3)):
        a = view.numpy()
        assert a.dtype == np.dtype(name)
        assert a.tolist() == view.tolist()
        back = sc.from_numpy(a)
        assert (back.dtype, back.shape, back.tolist()) == (x.dtype, view.shape, view.tolist())
        assert back.data_ptr() == view.data_ptr()


def test_int64_is_c_long_where_it_can_be():
    assert sc.arange(2).numpy().dtype.char == np.dtype("int64").char


@pytest.mark.parametrize("name", FROM_ML_DTYPES)
def test_small_floats_through_ml_dtypes(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = sc.tensor([0.5, 1.0, 2.0, 4.0]).to(getattr(sc, name))
    a = x[::-2].numpy()
    assert a.dtype == np.dtype(getattr(ml_dtypes, name))
    assert a.astype("f4").tolist() == [4.0, 1.0]
    back = sc.from_numpy(a)
    assert (back.dtype, back.stride(), back.float().tolist()) == (x.dtype, (-2,), [4.0, 1.0])
    assert np.asarray(x).dtype == a.dtype


def test_without_ml_dtypes_small_floats_are_a_type_error():
    code = (
        "import sys, stridecore as sc\n"
        "sys.modules['ml_dtypes'] = None\n"
        "try:\n    sc.zeros(2, dtype=sc.bfloat16).numpy()\nexcept TypeError as e:\n    assert 'ml_dtypes' in str(e)\n"
        "else:\n    raise AssertionError\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_numpy_is_loaded_late():
    code = (
        "import sys, stridecore as sc\n"
        "x = sc.zeros(3); memoryview(x); x.__dlpack__(); sc.from_dlpack(x); sc.frombuffer(b'12', dtype=sc.uint8)\n"
        "try:\n    sc.from_numpy([1])\nexcept TypeError:\n    pass\n"
        "assert 'numpy' not in sys.modules\n"
        "x.numpy()\n"
        "assert 'numpy' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


EXITS = {
    "numpy": (RuntimeError, lambda x: x.numpy()),
    "asarray": (RuntimeError, np.asarray),
    "array": (RuntimeError, lambda x: np.array(x, dtype="c16")),
    "interface": (AttributeError, lambda x: x.__array_interface__),
    "memoryview": (BufferError, memoryview),
    "dlpack": (BufferError, lambda x: x.__dlpack__()),
    "versioned dlpack": (BufferError, lambda x: x.__dlpack__(max_version=(1, 0))),
    "from_dlpack": (BufferError, sc.from_dlpack),
    "copied dlpack": (BufferError, lambda x: x.__dlpack__(copy=True)),
}


@pytest.mark.parametrize("exit_", EXITS)
@pytest.mark.parametrize("bits", ["plain", "conj", "neg", "both"])
def test_lazy_bits_do_not_leave(exit_, bits):
    x = sc.tensor([1 + 2j, 3 - 4j])
    if bits in ("conj", "both"):
        x = x.conj()
    if bits in ("neg", "both"):
        x = x._neg_view()
    error, leave = EXITS[exit_]
    if bits == "plain":
        leave(x)
    else:
        with pytest.raises(error):
            leave(x)
        assert x.numpy(force=True).tolist() == x.tolist()
        leave(x.resolve_conj().resolve_neg())


def test_force_copies_only_what_has_bits():
    x = sc.ones(3)
    assert x.numpy(force=True).ctypes.data == x.data_ptr()
    with pytest.raises(TypeError):
        x.numpy(True)
    with pytest.raises(TypeError):
        sc.zeros(2, dtype=sc.complex32).numpy(force=True)


def test_read_only_and_overlapping_tensors_give_read_only_arrays():
    a = np.arange(3.0)
    a.flags.writeable = False
    x = sc.from_numpy(a)
    assert not x.numpy().flags.writeable
    assert not np.asarray(x[1:]).flags.writeable
    assert x.__array_interface__["data"][1]
    for write in (lambda: x.fill_(1), lambda: x.__setitem__(0, 1), lambda: x.storage().__setitem__(0, 1)):
        with pytest.raises(RuntimeError):
            write()
    assert a.tolist() == [0.0, 1.0, 2.0]
    expanded = sc.zeros(3).expand(2, 3)
    assert not expanded.numpy().flags.writeable
    assert expanded.numpy().strides == (0, 4)
    assert sc.zeros(1).expand(1).numpy().flags.writeable


def test_array_protocol():
    x = sc.arange(3.0)
    assert x.__array__().ctypes.data == x.data_ptr()
    assert x.__array__(np.float32).ctypes.data == x.data_ptr()
    assert x.__array__(copy=True).ctypes.data != x.data_ptr()
    assert x.__array__("i8").tolist() == [0, 1, 2]
    with pytest.raises(ValueError):
        x.__array__("i8", copy=False)
    assert np.asarray(x).ctypes.data == x.data_ptr()
    assert np.array(x).ctypes.data != x.data_ptr()
    assert np.array([x, x]).tolist() == [[0, 1, 2]] * 2
    assert sc.Tensor.__array_priority__ == 1000


def test_asarray_pins_for_as_long_as_the_array_lives():
    x = sc.arange(3)
    a = np.asarray(x)
    with pytest.raises(RuntimeError):
        x.resize_(9)
    del a
    x.resize_(9)


def test_array_interface():
    x = sc.arange(6, dtype=sc.int32).view(2, 3)
    assert x.__array_interface__ == {
        "version": 3,
        "shape": (2, 3),
        "typestr": "<i4" if sys.byteorder == "little" else ">i4",
        "data": (x.data_ptr(), False),
        "strides": None,
    }
    assert x.t().__array_interface__["strides"] == (4, 12)
    assert [sc.zeros(1, dtype=getattr(sc, n)).__array_interface__["typestr"][1:] for n in NATIVE] == [
        np.dtype(n).str[1:] for n in NATIVE
    ]
    with pytest.raises(AttributeError):
        _ = sc.zeros(1, dtype=sc.bfloat16).__array_interface__
    with pytest.raises(RuntimeError):
        x.resize_(100)


def test_who_read_the_interface_may_keep_the_tensor_only():
    class OnlyInterface:
        def __init__(self, x):
            self.x = x

        @property
        def __array_interface__(self):
            return self.x.__array_interface__

    for detach in (lambda x: x.set_(), lambda x: setattr(x, "data", sc.zeros(2))):
        holder = OnlyInterface(sc.arange(1000))
        a = np.asarray(holder)
        detach(holder.x)
        gc.collect()
        junk = [sc.zeros(1000, dtype=sc.int64) for _ in range(10)]
        assert a.tolist() == list(range(1000))
        del junk


# ---- in -----------------------------------------------------------------------------------------------------


def test_from_numpy_is_the_same_memory_with_any_strides():
    a = np.arange(12.0).reshape(3, 4)
    x = sc.from_numpy(a[::-1, ::2])
    assert (x.shape, x.stride(), x.storage_offset()) == ((3, 2), (-4, 2), 8)
    assert x.untyped_storage().nbytes() == 11 * 8  # from a[0, 0] to a[2, 2]
    x[0, 1] = 50
    assert a[2, 2] == 50
    assert sc.from_numpy(np.broadcast_to(a[0], (5, 4))).stride() == (0, 1)
    assert sc.from_numpy(a[1:, 1:]).untyped_storage().nbytes() == 7 * 8
    assert not x.untyped_storage().resizable()


def test_from_numpy_keeps_the_array():
    class Array(np.ndarray):
        pass

    a = np.arange(3.0).view(Array)
    gone = weakref.ref(a)
    x = sc.from_numpy(a)[1:]
    del a
    gc.collect()
    assert gone() is not None
    assert x.tolist() == [1.0, 2.0]
    del x
    assert gone() is None


def test_odd_arrays():
    assert sc.from_numpy(np.array(5)).shape == ()
    assert sc.from_numpy(np.zeros((1,) * 64)).shape == (1,) * 64
    assert sc.from_numpy(np.ma.array([1, 2])).tolist() == [1, 2]
    unaligned = np.frombuffer(b"0123456789", dtype="u1")[1:9].view("f4")
    assert sc.from_numpy(unaligned).tolist() == unaligned.tolist()
    assert sc.from_numpy(unaligned).clone().tolist() == unaligned.tolist()
    assert sc.from_numpy(np.zeros(4, "l")).dtype == sc.from_numpy(np.zeros(4, "q")).dtype == sc.int64
    field = np.zeros(3, dtype=[("a", "i4"), ("b", "f4")])["b"]
    assert sc.from_numpy(field).stride() == (2,)


class Liar(np.ndarray):
    """An array whose own word about its memory is another array's."""

    @property
    def __array_struct__(self):
        return np.arange(10.0).__array_struct__


class Fraud(np.ndarray):
    __array_struct__ = None


def test_arrays_that_lie_do_not_crash():
    assert sc.from_numpy(np.zeros(3).view(Liar)).tolist() == list(range(10))
    gc.collect()
    with pytest.raises(TypeError):
        sc.from_numpy(np.zeros(3).view(Fraud))


SOURCES = {
    "list": lambda: [1.0],
    "scalar": lambda: np.float64(3),
    "swapped": lambda: np.arange(3.0).astype(np.dtype("f8").newbyteorder("S")),
    "swapped string": lambda: np.array(["a"]).astype(np.dtype("U1").newbyteorder("S")),
    "string": lambda: np.array(["a"]),
    "bytes": lambda: np.array([b"a"]),
    "object": lambda: np.array([None]),
    "date": lambda: np.array([1], "M8[s]"),
    "duration": lambda: np.array([1], "m8[s]"),
    "longdouble": lambda: np.array([1], "g"),
    "clongdouble": lambda: np.array([1], "G"),
    "record": lambda: np.zeros(3, [("a", "i4"), ("b", "f4")]),
    "void": lambda: np.zeros(3, "V0"),
    "misaligned field": lambda: np.zeros(3, [("a", "i4"), ("b", "f8")])["b"],
    "int": lambda: np.arange(4),
    "empty": lambda: np.zeros((2, 0, 3)),
    "transposed": lambda: np.zeros((2, 3, 4), "i2").transpose(2, 0, 1),
    "sliced": lambda: np.zeros((4, 6))[1:, ::2],
    "broadcast": lambda: np.broadcast_to(np.float32(1), (3, 4)),
    "bool": lambda: np.array([True, False]),
}


@pytest.mark.parametrize("source", SOURCES)
def test_from_numpy_as_torch(torch, quiet, source):
    outcomes = []
    for lib in (sc, torch):
        try:
            x = lib.from_numpy(SOURCES[source]())
            size = x.untyped_storage().nbytes()
            outcomes.append((str(x.dtype)[-5:], tuple(x.shape), x.stride(), x.storage_offset(), size, x.tolist()))
        except Exception as error:
            outcomes.append(type(error))
    assert outcomes[0] == outcomes[1]


def test_random_views_there_and_back(rng: random.Random):
    for _ in range(500):
        x = sc.arange(120).view(rng.choice([(2, 3, 4, 5), (120,), (8, 15), (1, 120, 1), (4, 1, 30)]))
        for _ in range(rng.randrange(4)):
            if x.dim():
                d = rng.randrange(x.dim())
                x = x[(slice(None),) * d + (slice(None, None, rng.choice([1, 2, -1, -3])),)]
                x = x.transpose(d, rng.randrange(x.dim()))
                x = x.narrow(d, 0, rng.randrange(x.size(d) + 1))
        a = x.numpy()
        assert a.tolist() == x.tolist()
        assert np.asarray(x).strides == a.strides
        back = sc.from_numpy(a)
        assert back.tolist() == x.tolist()
        if x.numel():
            assert back.data_ptr() == x.data_ptr() == a.ctypes.data
            assert all(
                s == t for s, t, n in zip(back.stride(), x.stride(), x.shape, strict=True) if n > 1
            )  # strides of size-1 dims are canonical
        if x.is_contiguous():
            assert a.flags.c_contiguous


def test_nothing_grows():
    a = np.ones((2, 3))
    x = sc.ones(2, 3)
    before = sys.getrefcount(a), sys.getrefcount(x.untyped_storage())
    for _ in range(50_000):
        sc.from_numpy(a)
        x.numpy()
        np.asarray(x)
    assert (sys.getrefcount(a), sys.getrefcount(x.untyped_storage())) == before
