"""Storages: bytes and elements, who sees what is written, which objects are the same, and what ends when."""

import gc
import subprocess
import sys
import tracemalloc
import weakref

import pytest

import stridecore as sc

pytestmark = pytest.mark.filterwarnings("ignore:PyTorch has deprecated TypedStorage")


def points():
    return sc.tensor([[4.0, 1.0], [5.0, 3.0], [2.0, 1.0]])


# ---- elements and bytes -------------------------------------------------------------------------------------


def test_typed_storage_shows_the_whole_storage_and_writes_through():
    x = points()
    storage = x[1:].storage()
    assert storage.tolist() == [4.0, 1.0, 5.0, 3.0, 2.0, 1.0]
    assert (storage[0], storage[-1], len(storage), storage.size(), storage.nbytes()) == (4.0, 1.0, 6, 6, 24)
    storage[0] = 2.0
    assert x[0, 0].item() == 2.0
    storage[1:3] = 9
    assert x.tolist() == [[2.0, 9.0], [9.0, 3.0], [2.0, 1.0]]
    storage.fill_(7)
    assert x.tolist() == [[7.0, 7.0]] * 3


def test_untyped_storage_is_bytes():
    x = sc.tensor([1, 256], dtype=sc.int16)
    storage = x.untyped_storage()
    assert (storage.tolist(), storage.nbytes(), storage.element_size()) == ([1, 0, 0, 1], 4, 1)
    storage[0] = 2
    storage[2:] = 255
    assert x.tolist() == [2, -1]
    storage.fill_(0)
    assert x.tolist() == [0, 0]


def test_slice_of_untyped_storage_shares_its_bytes():
    storage = sc.UntypedStorage([0, 1, 2, 3])
    part = storage[1:3]
    part[0] = 9
    assert (storage.tolist(), part.data_ptr() - storage.data_ptr()) == ([0, 9, 2, 3], 1)
    assert not part.resizable()
    storage.resize_(1000)  # the slice keeps the old bytes
    storage[1] = 5
    assert part.tolist() == [9, 2]
    assert storage[3:1].tolist() == []


def test_printed_forms():
    assert repr(sc.tensor([1, 2]).storage()) == (
        " 1\n 2\n[stridecore.storage.TypedStorage(dtype=stridecore.int64, device=cpu) of size 2]"
    )
    assert str(sc.UntypedStorage([3])) == " 3\n[stridecore.storage.UntypedStorage(device=cpu) of size 1]"


@pytest.mark.parametrize(
    ("key", "error"),
    [(6, IndexError), (-7, IndexError), (True, TypeError), (slice(0, 2), RuntimeError)]
    + [(key, RuntimeError) for key in ("a", 1.0, (0, 1), None, ...)],
)
def test_typed_reads_that_are_refused(key, error):
    with pytest.raises(error):
        points().storage()[key]


@pytest.mark.parametrize(
    ("key", "value", "error"),
    [
        (6, 1, IndexError),
        ("a", 1, RuntimeError),
        ((0, 1), 1, RuntimeError),
        (1.0, 1, RuntimeError),
        (0, "a", TypeError),
        (0, [1], TypeError),
        (0, 1j, RuntimeError),
        (0, sc.UntypedStorage(1), RuntimeError),
    ],
)
def test_typed_writes_that_are_refused_change_nothing(key, value, error):
    x = points()
    with pytest.raises(error):
        x.storage()[key] = value
    assert x.tolist() == points().tolist()


# ---- making -------------------------------------------------------------------------------------------------


def test_named_classes_make_typed_storages():
    storage = sc.LongStorage([1, 2])
    assert type(storage) is sc.TypedStorage
    assert isinstance(storage, sc.LongStorage)
    assert not isinstance(storage, sc.FloatStorage)
    assert issubclass(sc.LongStorage, sc.TypedStorage)
    assert (storage.type(), sc.LongStorage.dtype, repr(sc.LongStorage)) == (
        "stridecore.LongStorage",
        sc.int64,
        "<class 'stridecore.LongStorage'>",
    )
    assert sc.arange(2).storage_type() is sc.LongStorage
    assert sc.zeros(2, dtype=sc.uint16).storage_type() is None
    assert sc.FloatStorage([[1, 2], [3, 4]]).tolist() == [1.0, 2.0, 3.0, 4.0]
    assert sc.TypedStorage([1, 2], dtype=sc.int8).untyped().tolist() == [1, 2]


def test_wrap_storage_gives_the_one_typed_storage():
    x = points()
    assert sc.FloatStorage(wrap_storage=x.untyped_storage()) is x.storage()
    assert sc.TypedStorage(wrap_storage=x.untyped_storage(), dtype=sc.int32) is not x.storage()


def test_half_made_storages_do_not_exist():
    for make in (
        lambda: object.__new__(sc.UntypedStorage),
        lambda: sc.core.storage.StorageImpl.__new__(sc.UntypedStorage),
        lambda: sc.core.storage.StorageImpl(),
        lambda: sc.core.storage_faces.TypedStorageImpl.__new__(sc.TypedStorage),
        lambda: sc.core.storage_bytes.untyped(int, 3),
    ):
        with pytest.raises(TypeError):
            make()


def test_subclass_of_untyped_storage():
    class Mine(sc.UntypedStorage):
        pass

    storage = Mine([1, 2])
    storage.note = "kept"
    assert (type(storage.clone()), type(storage[:1]), storage.tolist()) == (Mine, sc.UntypedStorage, [1, 2])
    x = sc.zeros(0, dtype=sc.uint8).set_(storage)
    assert x.untyped_storage() is storage
    del storage
    assert x.untyped_storage().note == "kept"


def test_casts_copy_and_convert():
    storage = sc.FloatStorage([0, 1.7, -2])
    assert storage.long().tolist() == [0, 1, -2]
    assert storage.bool().tolist() == [False, True, True]
    assert storage.float() is not storage
    assert storage.type("torch.ShortStorage").tolist() == [0, 1, -2]
    assert storage.type(sc.FloatStorage) is storage
    assert sc.UntypedStorage([1, 2]).double().tolist() == [1.0, 2.0]


def test_from_buffer_copies_in_byte_order():
    data = bytearray(b"\x00\x01\x02\x03")
    assert sc.ShortStorage.from_buffer(data, "big").tolist() == [1, 0x0203]
    assert sc.UntypedStorage.from_buffer(data, "little", dtype=sc.int16).tolist() == [0, 1, 2, 3]
    storage = sc.ByteStorage.from_buffer(data, count=2, offset=1)
    data[1] = 9
    assert storage.tolist() == [1, 2]


# ---- which objects are the same ----------------------------------------------------------------------------


def test_views_of_one_tensor_have_the_same_storages():
    a = sc.arange(6)
    b = a.view(3, 2)
    c = b.t()[1:]
    assert a.untyped_storage() is b.untyped_storage() is c.untyped_storage()
    assert a.storage() is b.storage() is c.storage()
    assert a.storage() == c.storage()
    assert a.storage().untyped() is a.untyped_storage()
    assert a.view(sc.int32).storage() is not a.storage()
    assert a.view(sc.int32).storage() is b.view(sc.int32).storage()
    assert a.clone().storage() is not a.storage()


def test_ids_of_storages_tell_what_shares_memory():
    a = sc.arange(6)
    b = a.view(3, 2)
    c = sc.arange(6)
    assert id(a.storage) == id(b.storage) == id(b.t().storage)
    assert id(a.storage()) == id(b.storage())
    assert a.storage is b.storage
    assert id(a.storage()) != id(c.storage())
    assert id(a.storage) != id(c.storage)
    known = id(a.storage), id(a.storage())
    others = [f for _ in range(10) for x in [sc.arange(2)] for f in (x.storage, x.storage())]
    assert (id(b.storage), id(b.storage())) == known
    del others
    gc.collect()
    assert (id(b.storage), id(b.storage())) == known


def test_the_storage_method_holds_what_it_needs():
    x = sc.ones(3)
    method = x.storage
    del x
    gc.collect()
    assert method().tolist() == [1.0, 1.0, 1.0]
    assert sc.Tensor.storage(sc.ones(2)).tolist() == [1.0, 1.0]
    assert (method.__name__, sc.Tensor.storage.__name__) == ("storage", "storage")
    assert "storage" in repr(method)
    with pytest.raises(TypeError):
        sc.Tensor.storage(3)
    with pytest.raises(TypeError):
        method(3)


def test_a_typed_storage_lives_on_while_used_and_keeps_the_memory():
    x = sc.ones(3)
    storage = x.storage()
    del x
    gc.collect()
    assert storage.tolist() == [1.0, 1.0, 1.0]
    again = sc.zeros(0).set_(storage)
    assert again.storage() is storage


def test_weak_references_die_with_the_last_user():
    x = sc.ones(3)
    storage = x.storage()
    dead = []
    reference = weakref.ref(storage, lambda _: dead.append(x.storage().tolist()))
    assert reference() is storage
    del storage
    assert reference() is None
    assert dead == [[1.0, 1.0, 1.0]]


def test_weak_references_to_untyped_storages():
    x = sc.ones(3)
    reference = weakref.ref(x.untyped_storage())
    assert reference() is x.untyped_storage()
    del x
    assert reference() is None


def test_typed_storages_of_many_dtypes_come_and_go():
    x = sc.zeros(16, dtype=sc.uint8)
    dtypes = (sc.uint8, sc.int16, sc.float32, sc.float64, sc.complex64)
    ids = {dtype: id(x.view(dtype).storage()) for dtype in dtypes}
    assert len(set(ids.values())) == len(dtypes)
    for _ in range(3):
        held = [x.view(dtype).storage() for dtype in dtypes]
        assert [id(s) for s in held] == list(ids.values())
        del held[::2]
        gc.collect()
        assert {dtype: id(x.view(dtype).storage()) for dtype in dtypes} == ids


def test_memory_goes_with_the_last_tensor():
    class Owner(bytearray):
        pass

    owner = Owner(64)
    gone = weakref.ref(owner)
    x = sc.frombuffer(owner, dtype=sc.float32)
    del owner
    x.storage(), x.view(sc.int32).storage()  # two parked faces
    storage = x[3:].storage()
    del x
    gc.collect()
    assert gone() is not None
    del storage
    assert gone() is None


def test_nothing_grows_over_many_storages():
    def churn():
        for _ in range(20_000):
            x = sc.UntypedStorage(8)
            a = sc.FloatStorage(wrap_storage=x)
            b = sc.LongStorage(wrap_storage=x)
            del a
            y = sc.zeros(0).set_(x)
            assert (y.storage(), y.storage, y[:0].storage().untyped())[2] is x
            del x, y, b

    churn()
    gc.collect()
    tracemalloc.start()
    churn()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert grown < 20_000


def test_the_warning_comes_once():
    code = (
        "import warnings, stridecore as sc\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    sc.zeros(2).storage(); sc.zeros(2).storage(); sc.FloatStorage(3); sc.zeros(2).untyped_storage()\n"
        "assert [w.category for w in seen] == [UserWarning] and seen[0].filename == '<string>', seen\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- resizing and exports -----------------------------------------------------------------------------------


def test_resize_keeps_the_first_bytes_and_tensors_notice():
    x = sc.arange(4)
    storage = x.untyped_storage()
    storage.resize_(16)
    assert x[:2].tolist() == [0, 1]
    for read in (x.tolist, lambda: x[3].item(), lambda: x.fill_(1), x.numpy, lambda: memoryview(x), x.__dlpack__):
        with pytest.raises(RuntimeError, match="resized since"):
            read()
    storage.resize_(32)
    x[2:] = 0
    assert x.tolist() == [0, 1, 0, 0]
    with pytest.raises(RuntimeError):
        storage.resize_(-1)
    with pytest.raises(RuntimeError):
        storage.resize_(2**62)
    assert storage.nbytes() == 32


def test_buffer_of_a_storage_pins_it():
    storage = sc.UntypedStorage([1, 2, 3])
    with memoryview(storage) as view:
        assert (view.format, view.shape, bytes(view), view.readonly) == ("B", (3,), b"\x01\x02\x03", False)
        view[0] = 7
        assert not storage.resizable()
        with pytest.raises(RuntimeError, match="exported"):
            storage.resize_(5)
    assert storage.resize_(3).tolist() == [7, 2, 3]
    assert bytes(memoryview(sc.UntypedStorage())) == b""


def test_read_only_memory_is_never_written():
    x = sc.frombuffer(b"\x01\x02\x03\x04", dtype=sc.uint8)
    untyped, typed = x.untyped_storage(), x.storage()
    assert untyped.readonly
    assert untyped[1:].readonly
    for write in (
        lambda: untyped.__setitem__(0, 1),
        lambda: untyped.__setitem__(slice(0, 2), 1),
        lambda: untyped[1:].fill_(1),
        lambda: untyped.fill_(1),
        lambda: untyped.copy_(sc.UntypedStorage(4)),
        lambda: untyped.byteswap(sc.int16),
        lambda: typed.__setitem__(0, 1),
        lambda: typed.fill_(1),
        lambda: typed.copy_(sc.ByteStorage(4)),
        lambda: typed.resize_(1),
    ):
        with pytest.raises(RuntimeError):
            write()
    assert x.tolist() == [1, 2, 3, 4]
    assert memoryview(untyped).readonly
    assert not untyped.clone().readonly


# ---- against torch ------------------------------------------------------------------------------------------

# Evaluated in both libraries with u = UntypedStorage([0, 1, ..., 7]), f = FloatStorage([0, 1.5, ..., 7.5]),
# x a tensor on f: the value (of each, where there are several) or the exception type must be the same.
EXPRESSIONS = """
U()
len(U(5))
U([1, 2, 300, -2, True])
U([1.5])
U((1, 2))
U('abc')
U(b'abc')
U(-1)
U(2.0)
U(True)
U(3, 4)
U(None)
U({1, 2})
U(range(3))
U(np.arange(3))
U(np.int64(3)).size()
U(size=3).size()
U(sequence=[1])
U(3, device='cpu').size()
U(3, device='nowhere')
U(2**62)
U(2**63)
u[0], u[-1], u[np.int64(3)]
u[8]
u[-9]
u[2**70]
u[True]
u[1.0]
u['a']
u[None]
u[0, 1]
u[lib.tensor(1)]
u[1:3], u[5:2], u[-3:], u[:2**70], u[1:2:None]
u[::2]
u[::-1]
u[0:2:0]
u['a':3]
u[0:5].tolist()
u.__setitem__(0, 300), u.__setitem__(np.int64(1), -1), u.__setitem__(2, True), u.tolist()
u.__setitem__(slice(0, 4), 7), u.tolist()
u.__setitem__(0, 1.5)
u.__setitem__(0, None)
u.__setitem__(0, np.int64(3))
u.__setitem__(0, lib.tensor(3))
u.__setitem__(8, 3)
u.__setitem__(-1, 3)
u.__setitem__(True, 3)
u.__setitem__('a', 3)
u.__setitem__(slice(0, 4), [7])
u.__setitem__(slice(0, 4, 2), 7)
u.__setitem__(slice(0, 4), u)
u.fill_(3), u.fill_(300).tolist(), u.fill_(True).tolist()
u.fill_(1.5)
u.fill_('a')
u.nbytes(), u.size(), len(u), u.element_size(), u.data_ptr() == u[0:].data_ptr()
u.type(), u.type(lib.UntypedStorage) is u
u.is_cuda, u.is_sparse, u.is_shared(), u.is_pinned(), u.filename, u.get_device(), str(u.device)
u.resizable(), u[1:].resizable()
u.untyped() is u, u.cpu() is u, u.to(device='cpu') is u
u.to('cpu')
u.new()
u.clone() == u, u == u, u.clone().tolist() == u.tolist(), bool(U()), bool(U(1)), 3 in u
u.float(), u.bool(), u.long(), u.half()
u.copy_(U([1] * 8)), u.copy_(f[0:0] if False else U([2] * 8), non_blocking=True)
u.copy_(U([1] * 3))
u.copy_([1])
u.copy_(None)
u.copy_(lib.zeros(8, dtype=lib.uint8))
u.resize_(4), u.resize_(np.int64(3))
u.resize_(-1)
u.resize_(1.5)
u.resize_(True)
u.resize_()
u.resize_(2**63)
u[1:].resize_(3)
u.byteswap(lib.int32), u.tolist()
u.byteswap(lib.complex32), u.tolist()
u[:5].byteswap(lib.int16)
U.from_buffer(b'1234', dtype=lib.uint8)
U.from_buffer(b'1234', 'big', dtype=lib.int16)
U.from_buffer(b'1234', 'big', 1, 2, lib.int16)
U.from_buffer(b'1234', 'native', dtype=lib.float32)
U.from_buffer(b'1234', dtype=lib.int16)
U.from_buffer(b'1234')
U.from_buffer(b'1234', 'odd', dtype=lib.int16)
U.from_buffer(b'123', 'big', dtype=lib.int16)
U.from_buffer(b'1234', dtype=lib.uint8, count=5)
U.from_buffer(b'1234', dtype=lib.uint8, offset=4), U.from_buffer(b'1234', dtype=lib.uint8, count=0)
U.from_buffer(b'1234', dtype=lib.uint8, offset=5)
U.from_buffer(b'1234', dtype=lib.uint8, offset=-1)
U.from_buffer('1234', dtype=lib.uint8)
F(), F(3).size(), F([1, 2.5]), F((1, 2)), F(range(3)), F([[1, 2], [3, 4]]), F([]), F(True).size()
F(np.arange(3))
F(3, 4)
F(3.0)
F(None)
F('abc')
F([1, 'a'])
F(lib.zeros(2))
F(f)
F(wrap_storage=u)
F(wrap_storage=f)
F(3, wrap_storage=u)
F(dtype=lib.float32)
F(device='cpu')
F(-1)
F(size=3)
T().dtype == lib.float32, T(3).dtype == lib.float32, T([1, 2], dtype=lib.int32)
T(3, dtype=lib.uint16).nbytes()
T(wrap_storage=u)
T(wrap_storage=u, dtype=lib.int32), T(wrap_storage=u[:7], dtype=lib.int32).size()
T(wrap_storage=u, dtype=float)
T(wrap_storage=1, dtype=lib.int32)
T(wrap_storage=u, dtype=lib.int32, device='cpu')
T(1, 2)
T(2**62)
type(F(3)) is T, isinstance(f, F), isinstance(f, lib.LongStorage), isinstance(u, F), issubclass(F, T)
F.dtype == lib.float32, F.__name__, F.__mro__[-2:] == T.__mro__[-2:]
f[0], f[-1], f.tolist(), list(f)
f[8]
f[-9]
f[True]
f[np.int64(2)]
f[1.0]
f['a']
f[0, 1]
f[0:2]
f[None]
f[lib.tensor(1)]
f.__setitem__(0, 5), f.__setitem__(-1, 5.5), f.tolist(), x.tolist()
f.__setitem__(8, 1)
f.__setitem__(-9, 1)
f.__setitem__(0, 1j)
f.__setitem__(0, 'a')
f.__setitem__(0, None)
f.__setitem__(0, [1])
f.__setitem__(0, f)
f.__setitem__(0, u)
f.__setitem__(0, lib.tensor(3)), f.__setitem__(1, np.float64(4)), f.tolist()
f.__setitem__(0, lib.tensor([3, 4]))
f.__setitem__(slice(0, 2), 9), f.__setitem__(slice(2, 4), lib.tensor([3, 4])), f.tolist()
f.__setitem__(slice(0, 6, 2), 1), f.__setitem__(slice(2, 1), 2), f.__setitem__(slice(-2, 100), 3), f.tolist()
f.__setitem__(slice(0, 2), [3, 4])
f.__setitem__(slice(0, 6, 0), 1)
f.__setitem__('a', 1)
f.__setitem__(1.0, 1)
f.__setitem__((0, 1), 1)
f.__setitem__(None, 1)
lib.LongStorage(2).__setitem__(0, 2**63)
lib.ByteStorage(2).__setitem__(0, 300)
f.size(), len(f), f.nbytes(), f.element_size(), f.data_ptr() == x.data_ptr()
f.fill_(3), f.fill_(lib.tensor(2)), lib.LongStorage(2).fill_(1.5)
f.fill_('a')
f.fill_([1])
f.copy_(F([1, 2, 3, 4, 5, 6, 7, 8])), f.copy_(lib.DoubleStorage([1, 2, 3, 4])), f.copy_(lib.LongStorage([1, 2, 3, 4]))
f.copy_(F([1, 2, 3]))
f.copy_(x)
f.clone(), f.clone() is f
f.resize_(9), f.size(), f.resize_(2), f.size(), f.tolist()
f.resize_(-1)
f.resize_(1.5)
f.resize_('a')
f.resize_(2**62)
f.double(), f.float() is f, f.half(), f.bool(), f.complex_float(), f.bfloat16(), f.char(), f.byte(), f.short(), f.int()
f.float8_e5m2(), f.float8_e4m3fn(), f.complex_double()
f.to(device='cpu')
f.to(lib.int32)
f.type(), lib.zeros(2, dtype=lib.uint16).storage().type()
f.type('nowhere.Storage')
[lib.zeros(2, dtype=getattr(lib, d)).storage_type() for d in 'float16 bfloat16 complex64 int8 bool uint32'.split()]
f.pickle_storage_type(), lib.zeros(1, dtype=lib.bool).storage().pickle_storage_type()
lib.zeros(1, dtype=lib.uint16).storage().pickle_storage_type()
f.is_cuda, f.is_sparse, f.is_shared(), f.is_pinned(), f.filename, f.resizable(), f.get_device(), str(f.device)
f.untyped() is x.untyped_storage(), f._untyped_storage is x.untyped_storage(), f._cdata == x.untyped_storage()._cdata
f == f, f == x.storage().clone(), bool(F()), bool(F(1)), 1.5 in f
F.from_buffer(b'12345678', 'big'), T.from_buffer(b'12345678', 'native', dtype=lib.int32)
lib.ByteStorage.from_buffer(b'12')
F.from_buffer(b'12345678', 'native', dtype=lib.float32)
lib.BoolStorage.from_buffer(b'12')
repr(lib.tensor([float('nan'), 1e30]).storage()), repr(lib.tensor([1 + 2j]).storage())
repr(lib.tensor([True]).storage())
lib.zeros(0).storage().data_ptr(), lib.zeros(0).untyped_storage().data_ptr(), x[8:].data_ptr()
lib.is_storage(u), lib.is_storage(f), lib.is_storage(x), lib.Storage is F
f + f
f.sum()
hash(f) == hash(f)
""".strip().splitlines()


def evaluate(expression, lib):
    import numpy as np

    u = lib.UntypedStorage(list(range(8)))
    f = lib.FloatStorage([0.5 + i for i in range(8)])
    x = lib.zeros(0).set_(f)
    names = {"lib": lib, "np": np, "u": u, "f": f, "x": x}
    names |= {"U": lib.UntypedStorage, "F": lib.FloatStorage, "T": lib.TypedStorage}
    try:
        return repr(eval(expression, names)).replace("torch", "stridecore")
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_as_torch(torch, quiet, expression):
    assert evaluate(expression, sc) == evaluate(expression, torch)


def test_torchs_storage_classes_are_all_here(torch):
    names = {name for name in dir(torch) if name.endswith("Storage") and not name.startswith(("Q", "_"))}
    assert names == {name for name in dir(sc) if name.endswith("Storage")}
    public = {name for name in dir(torch.UntypedStorage) + dir(torch.TypedStorage) if not name.startswith("_")}
    mine = set(dir(sc.UntypedStorage)) & set(dir(sc.TypedStorage)) | set(dir(sc.UntypedStorage))
    accelerators = {"cuda", "hpu", "mps", "pin_memory"}
    files = {"from_file", "share_memory_"}
    assert public - mine - accelerators - files <= {"dtype", "pickle_storage_type"}
