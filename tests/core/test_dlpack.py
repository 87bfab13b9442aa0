"""DLPack: capsules out and in, what they say, who lets go of what, and structs that lie."""

import contextlib
import ctypes
import gc
import sys
import threading
import weakref

import numpy as np
import pytest

import stridecore as sc

pytestmark = pytest.mark.filterwarnings("ignore:PyTorch has deprecated TypedStorage")

# ---- the protocol's structs, and a producer made of them -----------------------------------------------------


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


capi = ctypes.pythonapi
capi.PyCapsule_New.restype, capi.PyCapsule_New.argtypes = (
    ctypes.py_object,
    [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
)
capi.PyCapsule_GetPointer.restype, capi.PyCapsule_GetPointer.argtypes = (
    ctypes.c_void_p,
    [ctypes.py_object, ctypes.c_char_p],
)
capi.PyCapsule_GetName.restype, capi.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]


ALIVE = set()


class Producer:
    """An object with __dlpack__ over 64 bytes, whose struct's fields can be set to anything; counts its deletions.

    A producer owes its consumers a struct that lives until the deleter has been called: it stays in ALIVE till then.
    """

    def __init__(self, shape=(2, 3), strides=(3, 1), versioned=True, flags=0, major=1, deleter=True, **fields):
        self.memory = (ctypes.c_float * 16)(*range(16))
        self.shape, self.strides = (
            None if x is None else (ctypes.c_int64 * max(len(x), 1))(*x) for x in (shape, strides)
        )
        self.deleted = 0
        self.names = (b"dltensor_versioned", Versioned) if versioned else (b"dltensor", Legacy)
        self.managed = self.names[1]()
        self.on_delete = DELETER(self.delete) if deleter else DELETER()
        self.managed.deleter = self.on_delete
        if versioned:
            self.managed.major, self.managed.flags = major, flags
        t = self.managed.tensor
        t.data, t.device_type, t.ndim = ctypes.addressof(self.memory), 1, len(shape or ())
        t.code, t.bits, t.lanes = 2, 32, 1
        t.shape = self.shape or None
        t.strides = self.strides or None
        for name, value in fields.items():
            setattr(t, name, value)

    def delete(self, _):
        self.deleted += 1
        ALIVE.discard(self)

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, max_version=None):
        ALIVE.add(self)
        return capi.PyCapsule_New(ctypes.addressof(self.managed), self.names[0], None)


def said(capsule):
    """(name, flags or None, shape, strides, (code, bits)) of a capsule."""
    name = capi.PyCapsule_GetName(capsule)
    kind = Legacy if name == b"dltensor" else Versioned
    managed = kind.from_address(capi.PyCapsule_GetPointer(capsule, name))
    t = managed.tensor
    flags = managed.flags if kind is Versioned else None
    assert (t.device_type, t.device_id, t.lanes, t.byte_offset) == (1, 0, 1, 0)
    assert kind is Legacy or managed.major == 1
    return name.decode(), flags, tuple(t.shape[: t.ndim]), tuple(t.strides[: t.ndim]), (t.code, t.bits)


READ_ONLY, COPIED = 1, 2
V1 = {"max_version": (1, 0)}


# ---- out ----------------------------------------------------------------------------------------------------


def test_capsules_of_both_kinds():
    x = sc.zeros(2, 3)
    assert said(x.__dlpack__()) == ("dltensor", None, (2, 3), (3, 1), (2, 32))
    assert said(x.__dlpack__(**V1)) == ("dltensor_versioned", 0, (2, 3), (3, 1), (2, 32))
    assert said(x.t().__dlpack__(max_version=(0, 8)))[0] == "dltensor"
    assert said(x.t().__dlpack__(max_version=(2, 5)))[:4] == ("dltensor_versioned", 0, (3, 2), (1, 3))
    assert x.__dlpack_device__() == (1, 0)


def test_strides_are_canonical_where_they_can_not_matter():
    assert said(sc.zeros(6).view(1, 6, 1).as_strided((1, 6, 1), (9, 1, 5)).__dlpack__())[3] == (6, 1, 1)
    assert said(sc.zeros(2, 0, 3).__dlpack__())[3] == (3, 3, 1)
    assert said(sc.tensor(1.0).__dlpack__())[2:4] == ((), ())


def test_flags_say_what_is_read_only_and_what_is_a_copy():
    x = sc.arange(6).view(2, 3)
    fixed = sc.frombuffer(b"1234", dtype=sc.uint8)
    assert said(fixed.__dlpack__(**V1))[1] == READ_ONLY
    assert said(fixed.__dlpack__(copy=True, **V1))[1] == COPIED
    assert said(x[0].expand(2, 3).__dlpack__(**V1))[1:4] == (READ_ONLY, (2, 3), (0, 1))
    assert said(x.__dlpack__(copy=True, **V1))[1] == COPIED
    assert said(x.__dlpack__(copy=False, **V1))[1] == 0
    assert said(x[:, ::-1].__dlpack__(**V1))[1:4] == (COPIED, (2, 3), (3, 1))
    assert said(x[:, ::-1].__dlpack__())[3] == (3, 1)
    assert said(x[:1, ::-3].__dlpack__(copy=False, **V1))[1] == 0  # one element: no stride matters


@pytest.mark.parametrize(
    ("export", "error"),
    [
        (lambda: sc.arange(3)[::-1].__dlpack__(copy=False), BufferError),
        (lambda: sc.frombuffer(b"12", dtype=sc.uint8).__dlpack__(), BufferError),
        (lambda: sc.tensor([1j]).conj().__dlpack__(), BufferError),
        (lambda: sc.tensor([1j]).conj().imag.__dlpack__(), BufferError),
        (lambda: sc.zeros(2).__dlpack__(dl_device=(2, 0)), BufferError),
        (lambda: sc.zeros(2).__dlpack__(dl_device="cpu"), TypeError),
        (lambda: sc.zeros(2).__dlpack__(stream="a"), TypeError),
        (lambda: sc.zeros(2).__dlpack__(stream=1), AssertionError),
        (lambda: sc.zeros(2).__dlpack__(max_version=1), TypeError),
        (lambda: sc.zeros(2).__dlpack__(max_version=()), IndexError),
        (lambda: sc.zeros(2).__dlpack__(1), TypeError),
    ],
)
def test_refused_exports(export, error):
    with pytest.raises(error):
        export()


def test_exports_pin_the_storage_until_the_consumer_lets_go():
    x = sc.arange(6)
    capsule = x.__dlpack__()
    with pytest.raises(RuntimeError, match="exported"):
        x.resize_(100)
    del capsule  # never used: its destructor lets go
    x.resize_(100).resize_(6)
    a = np.from_dlpack(x)
    b = a[2:]
    del a
    with pytest.raises(RuntimeError, match="exported"):
        x.resize_(1000)
    x.set_()
    assert b.tolist() == [2, 3, 4, 5]
    storage = sc.zeros(2).untyped_storage()
    x = sc.zeros(0).set_(storage, 0, (2,))
    a = np.from_dlpack(x)
    del a
    gc.collect()
    assert storage.resizable()


# ---- consumers and producers ---------------------------------------------------------------------------------


def test_numpy_both_ways():
    x = sc.arange(6.0).view(2, 3)
    a = np.from_dlpack(x.t())
    a[0, 1] = 50
    assert x[1, 0].item() == 50
    assert a.strides == (4, 12)
    y = sc.from_dlpack(a[::-1, ::2])
    assert (y.stride(), y.shape, y.tolist()) == ((-1, 6), (3, 1), a[::-1, ::2].tolist())
    y[2, 0] = 9
    assert x[0, 0].item() == 9
    fixed = np.arange(3)
    fixed.flags.writeable = False
    z = sc.from_dlpack(fixed)
    with pytest.raises(RuntimeError):
        z.fill_(0)
    assert not np.from_dlpack(z).flags.writeable
    assert sc.from_dlpack(np.array(3.0)).shape == ()
    assert sc.from_dlpack(np.zeros((4, 6))[1:, ::2]).untyped_storage().nbytes() == (2 * 6 + 2 * 2 + 1) * 8
    for bad in (np.zeros(3, "U1"), np.zeros(3, ">f8" if sys.byteorder == "little" else "<f8"), np.zeros(3, "g")):
        with pytest.raises(BufferError):
            sc.from_dlpack(bad)


def test_copy_argument():
    a = np.arange(3.0)
    assert sc.from_dlpack(a, copy=False).data_ptr() == a.ctypes.data
    assert sc.from_dlpack(a, copy=True).data_ptr() != a.ctypes.data
    assert sc.from_dlpack(a, device="cpu").data_ptr() == a.ctypes.data
    old = Producer()  # knows no copy argument
    assert sc.from_dlpack(old, copy=True).data_ptr() != ctypes.addressof(old.memory)
    assert old.deleted == 1
    with pytest.raises(AssertionError):
        sc.from_dlpack(sc.zeros(2).__dlpack__(), copy=True)
    with pytest.raises(RuntimeError):
        sc.from_dlpack(a, device="cuda")


@pytest.mark.parametrize("name", [n for n in sc.dtypes.names() if not hasattr(sc.Tensor, n)] + ["bool", "bfloat16"])
def test_torch_both_ways_in_every_dtype(torch, name):
    x = sc.arange(6).to(getattr(sc, name)).view(2, 3).t()
    for version in ({}, V1):
        t = torch.from_dlpack(x.__dlpack__(**version))
        assert (str(t.dtype), tuple(t.shape), t.stride(), t.data_ptr()) == (
            f"torch.{x.dtype.name}",
            (3, 2),
            (1, 3),
            x.data_ptr(),
        )
        y = sc.from_dlpack(t)
        assert (y.dtype, y.shape, y.stride(), y.data_ptr()) == (x.dtype, x.shape, x.stride(), x.data_ptr())
        assert y.tolist() == x.tolist()
    assert torch.from_dlpack(x[::-1]).tolist() == x[::-1].tolist()


def test_array_api_strict_both_ways():
    strict = pytest.importorskip("array_api_strict")
    x = sc.arange(6.0).view(2, 3)
    a = strict.from_dlpack(x)
    x[0, 0] = 9
    assert float(a[0, 0]) == 9.0
    y = sc.from_dlpack(a)
    assert y.data_ptr() == x.data_ptr()


def test_our_own_tensors():
    x = sc.arange(6).view(2, 3)
    y = sc.from_dlpack(x)
    assert (y.data_ptr(), y._base, y.untyped_storage() is x.untyped_storage()) == (x.data_ptr(), None, False)
    assert sc.utils.dlpack.from_dlpack(sc.to_dlpack(x)).tolist() == x.tolist()
    assert sc.utils.dlpack.DLDeviceType.kDLCPU == x.__dlpack_device__()[0]


# ---- capsules are used once, deleters called once ------------------------------------------------------------


@pytest.mark.parametrize("version", [{}, V1])
def test_capsules_are_used_once(version):
    capsule = sc.arange(3).__dlpack__(**version)
    x = sc.from_dlpack(capsule)
    assert capi.PyCapsule_GetName(capsule).startswith(b"used_dltensor")
    with pytest.raises(RuntimeError, match="once"):
        sc.from_dlpack(capsule)
    assert x.tolist() == [0, 1, 2]
    for bad in (3, None, "a", capi.PyCapsule_New(1, b"other", None)):
        with pytest.raises(RuntimeError):
            sc.from_dlpack(bad)


@pytest.mark.parametrize("versioned", [True, False])
def test_the_deleter_is_called_once_with_the_last_tensor(versioned):
    producer = Producer(versioned=versioned)
    x = sc.from_dlpack(producer)
    y = x[1:]
    x.storage()
    del x
    gc.collect()
    assert (producer.deleted, y.tolist()) == (0, [[3.0, 4.0, 5.0]])
    del y
    gc.collect()
    assert producer.deleted == 1
    assert sc.from_dlpack(Producer(versioned=versioned, deleter=False)).numel() == 6  # may be NULL


def test_flags_and_strides_of_an_import():
    assert sc.from_dlpack(Producer(strides=None)).stride() == (3, 1)
    x = sc.from_dlpack(Producer(shape=(2, 3), strides=(-3, -1), byte_offset=20))
    assert (x.tolist(), x.storage_offset()) == ([[5.0, 4.0, 3.0], [2.0, 1.0, 0.0]], 5)
    x = sc.from_dlpack(Producer(flags=READ_ONLY))
    assert x.untyped_storage().readonly
    assert sc.from_dlpack(Producer(shape=(), strides=None)).tolist() == 0.0
    assert sc.from_dlpack(Producer(shape=(0, 2**62), strides=(1, 1), data=None)).shape == (0, 2**62)


HOSTILE = {
    "other device": {"device_type": 2},
    "many dims": {"ndim": 65},
    "huge ndim": {"ndim": 2**31 - 1},
    "negative ndim": {"ndim": -1},
    "no shape": {"shape": None, "ndim": 2},
    "negative size": {"shape": (2, -3)},
    "lanes": {"lanes": 4},
    "no lanes": {"lanes": 0},
    "odd bits": {"bits": 31},
    "odd code": {"code": 77},
    "opaque": {"code": 3, "bits": 64},
    "float 128": {"bits": 128},
    "no data": {"data": None},
    "size overflow": {"shape": (2**40, 2**40)},
    "size overflow without strides": {"shape": (2**40, 2**40), "strides": None},
    "bytes overflow": {"shape": (2**61, 2)},
    "stride overflow": {"strides": (2**62, 1)},
    "negative stride overflow": {"strides": (-(2**63), 1)},
    "before memory": {"strides": (-(2**60), 1)},
    "offset overflow": {"byte_offset": 2**64 - 1},
    "offset beyond": {"byte_offset": 2**63 - 1},
    "next major version": {"major": 2},
    "version 0": {"major": 0},
}


@pytest.mark.parametrize("lie", HOSTILE)
@pytest.mark.parametrize("versioned", [True, False])
def test_hostile_structs_are_refused_and_left_to_their_owner(lie, versioned):
    if "major" in HOSTILE[lie] and not versioned:
        return
    producer = Producer(versioned=versioned, **HOSTILE[lie])
    capsule = producer.__dlpack__()
    with pytest.raises(BufferError):
        sc.from_dlpack(capsule)
    assert capi.PyCapsule_GetName(capsule) == producer.names[0]
    gc.collect()
    assert producer.deleted == 0


@pytest.mark.parametrize(
    ("methods", "error"),
    [
        ({"__dlpack__": lambda self: 3}, RuntimeError),
        ({"__dlpack__": lambda self, **k: None}, RuntimeError),
        ({"__dlpack__": lambda self, **k: 1 / 0}, ZeroDivisionError),
        ({"__dlpack__": lambda self, a, b: None}, TypeError),
        ({"__dlpack_device__": lambda self: (2, 0)}, BufferError),
        ({"__dlpack_device__": lambda self: ()}, IndexError),
        ({"__dlpack_device__": lambda self: 1}, TypeError),
        ({"__dlpack_device__": None}, TypeError),
    ],
)
def test_hostile_producers(methods, error):
    methods = {"__dlpack_device__": lambda self: (1, 0), "__dlpack__": lambda self, **k: None} | methods
    with pytest.raises(error):
        sc.from_dlpack(type("Hostile", (), methods)())


def test_a_deleter_that_fails_or_comes_back_does_no_harm():
    class Owner:
        pass

    owner = Owner()
    gone = weakref.ref(owner)

    class Failing(Producer):
        def delete(self, _):
            super().delete(_)
            sc.from_dlpack(np.ones(3))
            self.owner = None

    producer = Failing()
    producer.owner = owner
    del owner
    x = sc.from_dlpack(producer)
    try:
        raise KeyError("kept")
    except KeyError as error:
        del x
        assert error.args == ("kept",)
    assert gone() is None


def test_threads_and_counts():
    x = sc.arange(6)
    storage = x.untyped_storage()
    before = sys.getrefcount(storage)

    def work():
        for _ in range(2000):
            a = np.from_dlpack(x)
            sc.from_dlpack(a)
            x.__dlpack__(**V1)
            with contextlib.suppress(RuntimeError):
                sc.from_dlpack(3)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sys.getrefcount(storage) == before
    assert storage.resizable()
