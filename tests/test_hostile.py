"""Calls that try to crash the process: each must end in a Python exception, or harmlessly.

They run in a process of their own with a limit on memory, one after the other; when one kills it, the test says which
and goes on with the rest.
"""

import subprocess
import sys

import pytest
from against import SANITIZED

# Each of these must raise.
REFUSED = """
x.as_strided((2, 3), (2**62, 2**62))
x.as_strided((2**62, 2**62), (1, 1))
x.as_strided((2**40,), (1,))
x.as_strided((2**40,), (0,), 2**62)
x.as_strided((1,), (1,), 12)
x.as_strided((1,), (1,), -1)
x.as_strided((2,), (-1,), 0)
x.as_strided((2, 2), (2**63 - 1, 1), 1)
x.as_strided((3,), (2**62,))
x.as_strided((5,), (-2**62,))
x.as_strided((2,), (-2**63,))
x.as_strided((2,), (1,), 2**63 - 1)
x.as_strided((1,) * 65, (1,) * 65)
x.as_strided((-1,), (1,))
x.as_strided((2,), (1, 1))
x.as_strided_((2**40,), (1,))
sc.as_strided(x, (2,), (1,), 2**62)
sc.as_strided_(x, (2,), (1,), 2**62)
x.expand(2**62, 2**62, 3, 4)
x.expand(-5, 3, 4)
x.expand(*[1] * 65)
x.expand(2**63, 3, 4)
sc.zeros(0).expand(-2, 1, 0)
x.view(*[1] * 64, 3, 4)
x.view(2**62, -1)
x.view(-1, 2**62, 4)
x.view(2**32, 2**32)
x.view(-2**63)
x.reshape(-2**63, -1)
sc.zeros(0).view(-1, 0)
sc.zeros(0).view(2**63 - 1, 2**63 - 1, 2)
x.unflatten(0, (2**62, 2**62, -1))
x.unflatten(0, (-2**63,))
x.unflatten(0, [1] * 65)
x.unfold(0, 2**63 - 1, 1)
x.unfold(0, -1, 1)
x.unfold(0, 1, 0)
x.unfold(0, 1, -2**63)
x.narrow(0, 2**62, 2**62)
x.narrow(0, 1, 2**63 - 1)
x.narrow(0, -2**63, 1)
x.narrow(0, 0, -2**63)
x.select(0, -2**63)
x.select(2**63 - 1, 0)
x.transpose(-2**63, 0)
x.permute(2**63 - 1, 0)
x.permute(*range(65))
x.movedim((0,) * 65, (0,) * 65)
x.movedim(-2**63, 0)
x.squeeze((0,) * 65)
x.split(-2**63)
x.split([2**62, 2**62, 2**62])
x.split([-1, 4])
x.split_with_sizes([2**63 - 1, 2**63 - 1, 5])
x.chunk(-2**63)
x.tensor_split(-2**63)
x.tensor_split(0)
x.hsplit(0)
x[2**63]
x[-2**63 - 1]
x[-2**63]
x[(0,) * 65]
x[1:2, 3, 4, 5]
x[::0]
x.broadcast_to((2**62, 2**62, 3, 4))
x.view(sc.uint8).view(12, 4, -1).view(sc.complex128)
sc.empty(2**62, 2**62)
sc.empty(2**63 - 1)
sc.empty(2**60)
sc.empty(-1)
sc.empty(1, -2**63)
sc.empty(*[1] * 65)
sc.zeros(2**62, 4)
sc.ones(2**40)
sc.full((2**40,), 1)
sc.empty_strided((2**62,), (2**62,))
sc.empty_strided((3,), (2**62,))
sc.empty_strided((2,), (-1,))
sc.empty_strided((2,), (2**40,))
sc.empty_strided((1,) * 65, (1,) * 65)
sc.empty_permuted((2, 3), (0, 5))
sc.empty_permuted((2, 3), (0, 0))
sc.arange(2**62)
sc.arange(0, 2**63 - 1, 1)
sc.arange(-2**63, 2**63 - 1)
sc.arange(0, 1e300)
sc.arange(float("nan"))
sc.arange(float("inf"))
sc.linspace(0, 1, 2**60)
sc.linspace(0, 1, -1)
sc.eye(2**40)
sc.eye(-1)
sc.randperm(2**50)
sc.randperm(-1)
sc.randint(0, 2**70, (2,))
sc.rand(2**50)
x.new_empty(2**62, 2**62)
x.new_zeros((-1,))
x.repeat_nothing()
x.expand(2**40, 3, 4).contiguous()
x.expand(2**40, 3, 4).clone()
x.expand(2**40, 3, 4).tolist()
x.expand(2**40, 3, 4).to(sc.float64)
x.expand(2**40, 3, 4).reshape(-1)
x.expand(2**40, 3, 4).unbind()
list(x.expand(2**40, 3, 4))
x.expand(2**40, 3, 4).split(1)
x.expand(2**40, 3, 4).chunk(2**39)
x.expand(2**40, 3, 4).copy_(x)
x.expand(2, 3, 4).copy_(sc.ones(2, 3, 4))
x.as_strided((3, 4), (1, 1)).copy_(sc.ones(3, 4))
x.resize_(2**62, 2**62)
x.resize_(2**50)
x.resize_(-1)
x.resize_(*[1] * 65)
x[1:].resize_(2**61)
borrowed.resize_(100)
borrowed.untyped_storage().resize_(100)
x.untyped_storage().resize_(-1)
x.untyped_storage().resize_(2**60)
x.set_(x.untyped_storage(), 2**62, (2,), (1,))
x.set_(x.untyped_storage(), 0, (2**62,), (2**62,))
x.set_(x.untyped_storage(), 0, (2**62, 2**62), (1, 1))
x.set_(x.untyped_storage(), -1, (2,), (1,))
x.set_(x.untyped_storage(), 0, (-2,), (1,))
x.set_(x.untyped_storage(), 0, (2,), (1, 1))
x.set_(x.untyped_storage(), 0, (2, 3), (-5, -1))
x.set_(borrowed.untyped_storage(), 0, (100,), (1,))
x.set_(sc.zeros(3, dtype=sc.int8))
frozen.fill_(1)
frozen.zero_()
frozen.__setitem__(0, 1)
frozen.copy_(sc.ones(4))
frozen.untyped_storage().__setitem__(0, 1)
frozen.untyped_storage().fill_(1)
frozen.untyped_storage().copy_(x.untyped_storage())
frozen.storage().__setitem__(0, 1)
frozen.storage().fill_(1)
frozen[1:].view(sc.uint8).fill_(1)
shrunk.item()
shrunk[0].item()
float(shrunk[2])
shrunk.tolist()
shrunk.clone()
shrunk.contiguous().clone()
shrunk.t().contiguous()
shrunk.to(sc.float64)
shrunk.fill_(1)
shrunk.zero_()
shrunk.copy_(sc.zeros(3, 4))
shrunk.__setitem__((1, 2), 5.0)
sc.zeros(3, 4).copy_(shrunk)
shrunk.numpy()
memoryview(shrunk)
shrunk.reshape(-1).tolist()
repr(shrunk)
shrunk.storage()[5]
shrunk.untyped_storage()[40]
sc.view_as_real(shrunk_complex).tolist()
shrunk_complex.conj().tolist()
shrunk_complex.imag.tolist()
bool(shrunk[0, 0])
int(shrunk[0, 0])
shrunk[0, 0].__index__()
x.untyped_storage()[2**63 - 1]
x.untyped_storage()[48]
x.untyped_storage()[-2**63]
x.untyped_storage().__setitem__(48, 1)
x.storage()[12]
x.storage().__setitem__(2**62, 1.0)
x.storage()[0, 1]
sc.UntypedStorage(-1)
sc.UntypedStorage(2**62)
sc.FloatStorage(2**62)
sc.FloatStorage(-1)
sc.TypedStorage(2**62, dtype=sc.complex128)
sc.frombuffer(bytearray(8), dtype=sc.int64, offset=1)
sc.frombuffer(bytearray(8), dtype=sc.int64, count=2**60)
sc.frombuffer(bytearray(8), dtype=sc.int64, offset=-8)
sc.frombuffer(bytearray(8), dtype=sc.int64, offset=2**62)
sc.frombuffer(bytearray(0), dtype=sc.int64)
sc.frombuffer(memoryview(bytearray(64))[::2], dtype=sc.int8)
sc.from_numpy(np.zeros(3, dtype="V3"))
sc.from_numpy(np.zeros(3, dtype=">i4"))
sc.from_numpy(np.zeros(3, dtype=object))
sc.from_numpy(np.zeros(3, dtype="M8[s]"))
sc.from_numpy(np.ndarray((2,), np.int32, np.zeros(16, np.int8), 0, (6,)))
sc.asarray(Liar(shape=(2**40,)))
sc.asarray(Liar(shape=(-1,)))
sc.asarray(Liar(shape=(2**62, 2**62)))
sc.asarray(Liar(strides=(2**62,)))
sc.asarray(Liar(strides=("a",)))
sc.asarray(Liar(data=None))
sc.asarray(Liar(data=(0, False)))
sc.asarray(Liar(typestr="<f3"))
sc.asarray(Liar(shape=None))
sc.tensor(endless)
sc.tensor(recursive)
sc.tensor([[0] * 3] * 2 + [[0] * 2])
sc.tensor(deep)
sc.tensor([2**63])
sc.tensor([-2**63 - 1])
sc.tensor([None])
sc.tensor(["a"])
sc.tensor([[1], 1])
sc.tensor([1, [1]])
sc.tensor(Sequence(lie=5))
sc.tensor(Sequence(lie=2**62))
sc.tensor(Sequence(lie=-1))
sc.tensor(shrinking)
sc.full((2,), 10**400)
sc.full((2,), object())
x.fill_(10**400)
x.fill_(object())
x.__setitem__(0, object())
x.__setitem__(Evil(), 1)
x[Evil()]
x[Evil():]
x.narrow(0, Evil(), 1)
x.view(Evil())
x.view([Evil()])
x.expand(Evil(), 3, 4)
x.copy_(Evil())
x.set_(Evil())
x.as_subclass(int)
x.as_subclass(object)
x.as_subclass(3)
sc.Tensor.__new__(sc.Tensor, object())
type(x).__base__.__new__(type(x).__base__)
sc.core.tensor_impl.TensorImpl()
sc.core.tensor_impl.TensorImpl.__new__(sc.Tensor)
object.__new__(sc.Tensor)
object.__new__(sc.UntypedStorage)
sc.core.storage.StorageImpl()
sc.core.storage.TypedStorageImpl()
sc.Tensor.t(3)
sc.Tensor.__getitem__(3, 1)
sc.Tensor.view(None, 1)
sc.core.tensor_impl.TensorImpl.sizes(3)
sc.UntypedStorage.nbytes(3)
sc.Tensor.__setitem__(3, 1, 1)
x.__class__ = 3
x.no_attribute = 3
del x.shape
del x[0]
x.shape = (12,)
x.data = 3
x.data = sc.zeros(3, dtype=sc.int8).t
x.real = object()
x.imag = 1
sc.core.tensor_impl.register(int)
sc.core.storage.register(int, int)
sc.broadcast_tensors(x, sc.zeros(5))
sc.broadcast_tensors(3)
sc.set_default_dtype(3)
sc.set_default_dtype(sc.int8)
copy.deepcopy(Reducer(3))
x.__setstate__(())
x.__setstate__((1, 2, 3, 4))
x.is_contiguous(memory_format=3)
x.contiguous(memory_format=sc.channels_last)
sc.Size(["a"])
sc.Size([1.5])
memoryview(sc.zeros(3).to(sc.bfloat16))
memoryview(c.conj())
c.conj().numpy()
""".strip().splitlines()

# Each of these is allowed to succeed; what matters is that the process goes on.
HARMLESS = """
x.view(-1)[3:3].view(sc.complex128)
sc.zeros(0, 2**62)
sc.zeros(2**62, 0)
sc.zeros(0).expand(2**40, 2**40, 0)
sc.zeros(0).as_strided((0, 2**62), (2**62, 2**62), 2**40)
sc.zeros(0, 5).unfold(1, 5, 2**62)
x.as_strided((1,), (2**62,))
x.as_strided((1, 1), (-2**62, 2**63 - 1))
x.as_strided((1,), (2**63 - 1,))[0:1:2**62]
x[0:1:2**62]
x[::2**62].stride()
x[::2**62, ::2**62].contiguous()
x[2**70:-2**70:2**62]
x[::-2**62]
x[::-1][::-1].tolist()
x[::-1, ::-1].t().contiguous().tolist()
x.unsqueeze(0)[::2**62, ::2**62].unsqueeze(0).stride()
x.diagonal(2**62)
x.diagonal(-2**62)
x.diagonal(-2**63)
x.diagonal(2**63 - 1)
x.split(2**62)
x.split(2**63 - 1)
x.chunk(2**62)
x.tensor_split((2**62, -2**62, 5))
x.expand(2**40, 3, 4)[2**39, 1, 2].item()
repr(x.expand(2**40, 3, 4))
x.expand(2**40, 3, 4).fill_(1)
x.expand(2**40, 3, 4).zero_()
x.is_set_to(x.expand(2**40, 3, 4))
hash(x)
x == x
x.resize_(0).resize_(3)
x.untyped_storage().resize_(0)
x.untyped_storage().fill_(255)
x.set_()
x.set_(x)
x.set_(x.t())
x.copy_(x)
x.view(-1)[1:].copy_(x.view(-1)[:-1])
x.data = x
x.data = x.t()
x.data = sc.zeros(0)
grow(x)
loop(x)
sc.tensor([[]] * 10000).shape
sc.tensor(deep[0])
sc.zeros(*[1] * 64)[(0,) * 64].item()
sc.zeros(*[2] * 20)[(1,) * 20].item()
sc.zeros(*[1] * 63).unsqueeze(0).squeeze().shape
sc.zeros(*[1] * 64).permute(*range(63, -1, -1)).contiguous()
repr(sc.zeros(*[1] * 64))
sc.zeros(*[1] * 64).tolist()
x.view(sc.bool).tolist()
x.view(sc.uint8).view(sc.float8_e5m2).tolist()
x.view(sc.float16).to(sc.float32)
c.conj().imag.t().contiguous().tolist()
resize_while_exported(x)
close_while_held()
interrupt(x)
hostile_overlap()
pickle.loads(pickle.dumps(x.t())).stride()
copy.deepcopy({"a": x, "b": x[1:]})
weakref.ref(x)
gc.collect()
sc.core.tensor_impl.TensorImpl.sizes(x)
sc.set_printoptions(threshold=0); repr(x); sc.set_printoptions(profile="default")
type("S", (sc.Tensor,), {})
x.as_subclass(type("S", (sc.Tensor,), {"__del__": lambda self: 1 / 0}))[1:]
sc.Tensor.__new__(type("S", (sc.Tensor,), {}))
sc.Tensor(2, 3).__class__
x.__init__(1, 2, 3)
x.__init__()
""".strip().splitlines()

PRELUDE = """
import copy, gc, pickle, resource, sys, warnings, weakref
import numpy as np
import stridecore as sc

warnings.simplefilter("ignore")
if not sys.argv[1:]:
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
sys.setrecursionlimit(1000)
recursive = []
recursive.append(recursive)
deep = [1]
for _ in range(63):
    deep = [deep]
deep = [deep] * 2

class Evil:
    "An index that takes the tensor apart while it is asked."
    def __index__(self):
        x.resize_(0)
        x.untyped_storage().resize_(0)
        raise ZeroDivisionError("evil")

class Sequence:
    def __init__(self, lie):
        self.lie = lie
    def __len__(self):
        return self.lie
    def __getitem__(self, i):
        if i > 2:
            raise IndexError(i)
        return i

class Shrinking(list):
    def __iter__(self):
        self.clear()
        return super().__iter__()
    def __len__(self):
        return 3
shrinking = [Shrinking([1, 2, 3]), Shrinking([1, 2, 3])]

class Endless:
    def __len__(self):
        return 1
    def __getitem__(self, i):
        if i:
            raise IndexError
        return self
endless = Endless()

class Reducer:
    def __init__(self, what):
        self.what = what
    def __reduce__(self):
        return (sc.core.tensor_impl.TensorImpl, ())

class Liar:
    "An object whose __array_interface__ says things that are not so."
    def __init__(self, **lies):
        self.owner = np.zeros(4, np.float32)
        self.__array_interface__ = {**self.owner.__array_interface__, **lies}

def grow(x):
    views = [x[i % 3] for i in range(1000)]
    for i in range(12):
        x.resize_(4 ** i)
    for v in views:
        try:
            v.fill_(3)
        except RuntimeError:
            pass

def loop(x):
    "Every door to data after the storage has shrunk to each length."
    for n in range(48, -1, -1):
        y = sc.zeros(3, 4)
        views = [y, y.t(), y[1:], y[:, ::2], y[::-1], y.view(sc.uint8), y.expand(2, 3, 4), y[2, 3]]
        y.untyped_storage().resize_(n)
        for v in views:
            for use in ("tolist", "clone", "zero_", "contiguous", "numpy", "item", "__bool__"):
                try:
                    getattr(v, use)()
                except (RuntimeError, ValueError):
                    pass

def resize_while_exported(x):
    m = memoryview(x)
    for f in (lambda: x.resize_(10**6), lambda: x.untyped_storage().resize_(0)):
        try:
            f()
        except RuntimeError:
            pass
        else:
            raise SystemExit("resized under an export")
    m[0, 0]
    m.release()
    x.resize_(10**6)
    a = x.numpy()
    try:
        x.resize_(10**7)
    except RuntimeError:
        pass
    a.sum()

def close_while_held():
    import mmap
    m = mmap.mmap(-1, 4096)
    y = sc.frombuffer(m, dtype=sc.uint8)
    try:
        m.close()
    except BufferError:
        pass
    y.fill_(1)

def interrupt(x):
    "Exceptions thrown from another thread while copies run."
    import ctypes, threading
    def work():
        big = sc.zeros(300, 300)
        while True:
            big.t().contiguous()
            big.tolist()
    thread = threading.Thread(target=work, daemon=True)
    thread.excepthook = None
    threading.excepthook = lambda args: None
    thread.start()
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt))
    thread.join(20)

def hostile_overlap():
    "Strides that make an exact overlap test take for ever if it has no limit."
    n = 25
    primes = [p for p in range(2, 200) if all(p % q for q in range(2, p))][:n]
    base = sc.zeros(sum(primes) + 10)
    try:
        base.as_strided((2,) * n, primes).fill_(1)
        base.as_strided((2,) * n, primes, 1).copy_(base.as_strided((2,) * n, primes, 0))
    except RuntimeError:
        pass

def fresh():
    g = globals()
    g["x"] = sc.arange(12, dtype=sc.float32).view(3, 4).clone()
    g["c"] = sc.zeros(3, dtype=sc.complex64)
    g["borrowed"] = sc.frombuffer(bytearray(16), dtype=sc.uint8)
    frozen = np.zeros(4, np.float32)
    frozen.flags.writeable = False
    g["frozen"] = sc.from_numpy(frozen)
    shrunk = sc.zeros(3, 4)
    shrunk.untyped_storage().resize_(0)
    g["shrunk"] = shrunk
    shrunk = sc.zeros(3, dtype=sc.complex64)
    shrunk.untyped_storage().resize_(8)
    g["shrunk_complex"] = shrunk

for number, line in enumerate(sys.stdin.read().splitlines()):
    fresh()
    print(number, "runs", flush=True)
    try:
        exec(compile(line, line, "exec"), globals())
    except BaseException as error:
        print(number, "raises", type(error).__name__, flush=True)
    else:
        print(number, "gives", flush=True)
    x.size(), x.stride(), x.is_contiguous()
    gc.collect()
"""


def run(lines):
    """{line: "gives", "raises X" or "crashes (signal)"}."""
    told, left = {}, list(lines)
    while left:
        process = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-c", PRELUDE, *(["sanitized"] if SANITIZED else [])],
            input="\n".join(left),
            capture_output=True,
            text=True,
            timeout=300,
        )
        last = -1
        for report in process.stdout.splitlines():
            number, what = report.split(" ", 1)
            told[left[int(number)]] = what
            last = int(number)
        if process.returncode == 0:
            break
        if last < 0:
            raise RuntimeError(process.stderr)
        told[left[last]] = f"crashes ({process.returncode}): {process.stderr[-400:]}"
        left = left[last + 1 :]
    return told


@pytest.fixture(scope="module")
def told():
    return run(REFUSED + HARMLESS)


def test_nothing_crashes(told):
    assert len(told) == len(set(REFUSED + HARMLESS))
    assert {line: what for line, what in told.items() if "crashes" in what} == {}


def test_what_must_be_refused_is_refused(told):
    assert [line for line in REFUSED if told[line] == "gives"] == []


def test_refusals_are_exceptions_of_the_usual_kinds(told):
    usual = "RuntimeError IndexError TypeError ValueError AttributeError OverflowError BufferError MemoryError".split()
    usual += ["NotImplementedError", "RecursionError", "ZeroDivisionError"]  # the last is what the evil index raises
    odd = {line: what for line, what in told.items() if what.startswith("raises") and what.split()[1] not in usual}
    assert odd == {}


def test_the_harmless_mostly_succeed(told):
    failed = {line: told[line] for line in HARMLESS if told[line].startswith("raises")}
    allowed = {"x.copy_(x.view(-1).view(4, 3).t())"}
    assert set(failed) - allowed == set(), failed
