"""Python code that runs in the middle of a call, and changes or frees what the call works on.

It comes in by `__index__`, finalizers that the garbage collector calls, hooks for warnings, and `__del__` of
subclasses. Each program runs in a process of its own and must print `ok`: no crash, and the value or exception it says.
"""

import subprocess
import sys

import pytest

PROGRAMS = {
    "a slice's bounds resize the storage": """
class Shrink:
    def __index__(self):
        s.resize_(8)
        return 0
for work in (lambda: s[Shrink():4096], lambda: s.__setitem__(slice(Shrink(), 4096), 7)):
    s = sc.UntypedStorage([1] * 4096)
    raises(RuntimeError, work)
    assert s.tolist() == [1] * 8
""",
    "an index adds a dim to the next one": """
i = sc.tensor(0)
class Grow:
    def __index__(self):
        i.unsqueeze_(0)
        return 1
x = sc.arange(12).view(3, 4)
raises(IndexError, lambda: x[Grow(), i])
raises(IndexError, lambda: x.__setitem__((Grow(), sc.tensor(0) if i.dim() else i), 5) or x[9])
""",
    "a hook for warnings frees both sides of a copy": """
x, c = sc.zeros(1000), sc.ones(1000, dtype=sc.complex64)
def hook(*args, **keywords):
    x.untyped_storage().resize_(0)
    c.untyped_storage().resize_(0)
warnings.simplefilter("always")
warnings.showwarning = hook
raises(RuntimeError, lambda: x.copy_(c))
""",
    "finalizers change sizes while a tuple of them is made": """
x = sc.zeros(1, 1, 1, 1, 1, 1, 1, 1, 2)
class Change:
    def __init__(self):
        self.me = self
    def __del__(self):
        x.as_strided_((1,), (1,))
gc.set_threshold(1)
for i in range(300):
    x.as_strided_((1,) * 9, (1,) * 9)
    Change()
    assert set(x.shape + x.stride()) == {1}
""",
    "finalizers change a subclass's tensor while a view of it is made": """
class Mine(sc.Tensor):
    pass
x = sc.zeros(1, 1, 1, 1, 1, 1, 1, 1, 2).as_subclass(Mine)
class Change:
    def __init__(self):
        self.me = self
    def __del__(self):
        x.as_strided_((1,), (1,))
gc.set_threshold(1)
for work in (lambda: [x.unsqueeze(0)], lambda: [x.squeeze(0)], lambda: [x.clone()], lambda: x.unbind(0), lambda: [x[0]],
             lambda: x.split(1), lambda: [x.permute(*range(x.dim()))], lambda: [x.view(-1)], lambda: [x.expand_as(x)]):
    for i in range(100):
        x.as_strided_((1,) * 9, (1,) * 9)
        Change()
        try:
            views = work()
        except RuntimeError:  # the finalizer ran between the reading of the dims and the call
            continue
        for y in views:
            assert set(y.shape) <= {1}, y.shape
""",
    "__del__ of a subclass sees views that could not be made": """
seen = set()
class Mine(sc.Tensor):
    def __del__(self):
        seen.add(tuple(self.shape + self.stride()))
        self.tolist()
x = sc.arange(3).view(1, 3).as_subclass(Mine)
for i in range(50):
    raises(RuntimeError, lambda: x.expand(5, -1, 7, 3, -1, 3))
    raises(RuntimeError, lambda: x.expand(2, 3, 4, 5, 6, 7, 8, 4))
    raises(RuntimeError, lambda: x.unfold(0, 1, 2**62).unfold(0, 1, 2**62))
assert max(map(max, seen)) <= 8 or max(map(max, seen)) % 2**62 == 0, seen
""",
    "a finalizer called by its name": """
warnings.simplefilter("ignore")
x = sc.arange(3)
for face in (x.storage(), x.storage):
    getattr(face, "__del__", int)()
    getattr(face, "__del__", int)()
assert x.storage().size() == 3 and x.storage().tolist() == [0, 1, 2]
assert x.storage() is x[1:].storage()
""",
    "None for self": """
for name in ("new_empty", "new_zeros", "new_ones", "new_tensor"):
    raises(TypeError, lambda: getattr(sc.Tensor, name)(None, 2))
raises(TypeError, lambda: sc.Tensor.new_full(None, (2,), 1))
raises(TypeError, lambda: sc.Tensor.new_empty_strided(None, (2,), (1,)))
raises(TypeError, lambda: sc.Tensor.as_subclass(None, sc.Tensor))
""",
}
# Owners of owners of owners: when the last tensor goes, so does the whole chain.
CHAINS = {
    "numpy": "sc.from_numpy(x.numpy())",
    "buffer": "sc.frombuffer(memoryview(x), dtype=sc.float32)",
    "DLPack": "sc.from_dlpack(x)",
    "storage slice": "sc.empty(0).set_(x.untyped_storage()[:], 0, (4,), (1,))",
    "array and DLPack in turn": "sc.from_dlpack(sc.from_numpy(x.numpy()))",
}
for name, step in CHAINS.items():
    PROGRAMS[f"a chain of 100,000 owners: {name}"] = f"""
import numpy
x = first = sc.arange(4, dtype=sc.float32)
for i in range(100_000):
    x = {step}
first[1] = 50
assert x.tolist() == [0, 50, 2, 3]
storage = weakref.ref(first.untyped_storage())
del x
assert first.tolist() == [0, 50, 2, 3]
del first
assert storage() is None
"""

PRELUDE = """
import gc, warnings, weakref
import stridecore as sc

def raises(kind, work):
    try:
        work()
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")
"""


@pytest.mark.parametrize("what", PROGRAMS)
def test_code_in_the_middle_of_a_call(what):
    program = PRELUDE + PROGRAMS[what] + "print('ok')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "ok", f"{done.returncode}: {done.stderr[-2000:]}"
