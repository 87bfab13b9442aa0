"""Random tensors: sizes, dtypes, layouts, bounds and errors as torch's; streams that are NumPy's."""

import copy
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from against import name_of, outcome

import stridecore as sc

DTYPES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex32 complex64 "
    "complex128 float8_e5m2"
).split()
FLOATS = ["float16", "bfloat16", "float32", "float64"]


@pytest.fixture(autouse=True)
def seeded():
    sc.manual_seed(0)


def numbers(x):
    return x.to(dtype=sc.complex128 if x.dtype.is_complex else sc.float64).flatten().tolist()


# ---- literal --------------------------------------------------------------------------------------------------


def test_a_seed_gives_numpys_stream():
    stream = np.random.default_rng(3)
    sc.manual_seed(3)
    assert sc.rand(5, dtype=sc.float64).tolist() == stream.random(5).tolist()
    assert sc.randn(2, 3).tolist() == stream.standard_normal((2, 3), dtype=np.float32).tolist()
    assert sc.randint(10, (4,)).tolist() == stream.integers(0, 10, 4).tolist()
    assert sc.randperm(6).tolist() == stream.permutation(6).tolist()


def test_the_values_do_not_depend_on_the_layout():
    for draw in ("uniform_", "normal_", "random_", "exponential_", "bernoulli_"):
        values = []
        for x in (sc.empty(4, 6), sc.empty(6, 4).t(), sc.empty(8, 12)[::2, ::2], sc.empty(30)[6:].view(4, 6)):
            sc.manual_seed(1)
            assert getattr(x, draw)() is x
            values.append(x.tolist())
        assert values[0] == values[1] == values[2] == values[3], draw


def test_generators_have_streams_of_their_own():
    g = sc.Generator().manual_seed(5)
    first = sc.rand(3, generator=g).tolist()
    sc.rand(10)
    assert sc.rand(3, generator=g.manual_seed(5)).tolist() == first
    assert sc.Generator().initial_seed() == 67280421310721
    assert g.initial_seed() == 5 and g.device == sc.device("cpu")
    assert sc.default_generator.initial_seed() == 0 and sc.initial_seed() == 0


def test_states():
    state = sc.get_rng_state()
    assert state.dtype is sc.uint8 and state.shape == (48,)
    a = [sc.rand(3).tolist(), sc.randint(2, (3,), dtype=sc.int32).tolist(), sc.randn(1).tolist()]
    sc.set_rng_state(state)
    b = [sc.rand(3).tolist(), sc.randint(2, (3,), dtype=sc.int32).tolist(), sc.randn(1).tolist()]
    assert a == b
    g = sc.Generator().manual_seed(9)
    sc.rand(3, generator=g)
    copies = [g.clone_state(), copy.copy(g), copy.deepcopy(g), pickle.loads(pickle.dumps(g)),
              sc.Generator().set_state(g.get_state()), sc.Generator().graphsafe_set_state(g)]
    expected = sc.rand(3, generator=g).tolist()
    for other in copies:
        assert other is not g and other.initial_seed() == 9
        assert sc.rand(3, generator=other).tolist() == expected


def test_half_a_draw_that_is_left_over_belongs_to_the_state():
    g = sc.Generator().manual_seed(1)
    g.numpy().random(1, dtype=np.float32)
    state = g.get_state()
    assert state[40:44].tolist() == [1, 0, 0, 0]
    a = g.numpy().integers(2**32, size=3, dtype=np.uint32).tolist()
    assert g.set_state(state).numpy().integers(2**32, size=3, dtype=np.uint32).tolist() == a


def test_wrong_states_are_refused_and_change_nothing():
    g = sc.Generator().manual_seed(2)
    before = g.get_state().tolist()
    for wrong, error in ((3, TypeError), (sc.zeros(48), TypeError), (sc.zeros(3, dtype=sc.uint8), RuntimeError),
                         (sc.zeros(48, dtype=sc.uint8), RuntimeError), (sc.full((48,), 255, dtype=sc.uint8),
                                                                        RuntimeError)):
        with pytest.raises(error):
            g.set_state(wrong)
    assert g.get_state().tolist() == before and g.initial_seed() == 2


def test_fork_rng():
    sc.manual_seed(4)
    with sc.random.fork_rng():
        inside = sc.rand(2).tolist()
        sc.manual_seed(77)
    assert sc.initial_seed() == 4 and sc.rand(2).tolist() == inside
    with pytest.raises(KeyError), sc.random.fork_rng():
        sc.manual_seed(8)
        raise KeyError
    assert sc.initial_seed() == 4


def test_seeds():
    assert sc.manual_seed(-1) is sc.default_generator and sc.initial_seed() == 2**64 - 1
    assert sc.manual_seed(2**64 - 1).initial_seed() == 2**64 - 1
    assert sc.manual_seed(3.7).initial_seed() == 3
    chosen = sc.seed()
    assert sc.initial_seed() == chosen and sc.seed() != chosen
    for wrong in (2**64, -(2**63) - 1, "a"):
        with pytest.raises(ValueError):
            sc.manual_seed(wrong)
    with pytest.raises(RuntimeError):
        sc.Generator().manual_seed(3.5)


def test_the_default_stream_differs_from_run_to_run():
    code = "import stridecore as sc; print(sc.initial_seed(), sc.rand(2).tolist())"
    runs = {subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(3)}
    assert len(runs) == 3


def test_numpy_is_loaded_by_the_first_draw_only():
    code = (
        "import sys, stridecore as sc\n"
        "sc.manual_seed(3); sc.Generator()\n"
        "assert 'numpy' not in sys.modules\n"
        "sc.rand(2)\n"
        "assert 'numpy' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_draw_does_not_forbid_resizing():
    x = sc.rand(2, 3)
    assert x.resize_(100).shape == (100,)


def test_refused_targets():
    spread = sc.ones(1).expand(3)
    locked = sc.frombuffer(b"abcdefgh", dtype=sc.float32)
    for name in ("uniform_", "normal_", "random_", "exponential_", "cauchy_", "log_normal_", "bernoulli_"):
        with pytest.raises(RuntimeError, match="single memory location"):
            getattr(spread, name)()
        with pytest.raises(RuntimeError, match="read-only"):
            getattr(locked, name)()
    odd = sc.frombuffer(bytearray(17), dtype=sc.float32, offset=1)
    assert all(0 <= value < 1 for value in odd.uniform_().tolist())


# ---- distributions: bounds that always hold, and means that hold for this seed -----------------------------------


@pytest.mark.parametrize("name", FLOATS)
def test_uniform_bounds_and_mean(name):
    dtype = getattr(sc, name)
    x = numbers(sc.rand(20_000, dtype=dtype))
    assert min(x) >= 0 and max(x) < 1 and abs(sum(x) / len(x) - 0.5) < 0.01
    for low, high in ((0, 2.0**-14), (-1, 1), (3, 3.01), (1000, 1008), (-1008, -1000), (0.99, 1)):
        lowest = numbers(sc.tensor([low], dtype=dtype))[0]
        x = numbers(sc.empty(5_000, dtype=dtype).uniform_(low, high))
        assert min(lowest, low) <= min(x) and max(x) < high, (low, high)
    assert set(numbers(sc.empty(10, dtype=dtype).uniform_(2, 2))) == {2.0}


@pytest.mark.parametrize("name", FLOATS)
def test_normal_mean_and_deviation(name):
    x = numbers(sc.empty(20_000, dtype=getattr(sc, name)).normal_(2, 3))
    mean = sum(x) / len(x)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in x) / len(x))
    assert abs(mean - 2) < 0.1 and abs(deviation - 3) < 0.1


def test_complex_numbers_have_variance_one():
    for dtype in (sc.complex32, sc.complex64, sc.complex128):
        x = numbers(sc.randn(20_000, dtype=dtype))
        assert abs(sum(abs(value) ** 2 for value in x) / len(x) - 1) < 0.05
        y = numbers(sc.rand(1000, dtype=dtype))
        assert all(0 <= v.real < 1 and 0 <= v.imag < 1 for v in y)
    view = sc.zeros(2, 3, dtype=sc.complex64).t().conj()
    assert view.normal_() is view and view.is_conj() and len(set(numbers(view))) == 6


def test_integers():
    x = sc.randint(-3, 4, (10_000,)).tolist()
    assert set(x) == set(range(-3, 4))
    assert set(sc.randint(0, 2, (100,), dtype=sc.bool).tolist()) == {False, True}
    assert max(sc.randint(2**63 - 1, (100,)).tolist()) > 2**61
    assert min(sc.randint(-(2**63), 2**63 - 1, (100,)).tolist()) < -(2**60)
    y = sc.zeros(1000, dtype=sc.uint64).random_().tolist()
    assert max(y) > 2**63 and min(y) >= 0
    assert max(sc.zeros(1000).random_().tolist()) <= 2**24
    assert set(sc.zeros(1000, dtype=sc.uint8).random_().tolist()) <= set(range(256))
    assert sorted(sc.randperm(100).tolist()) == list(range(100))
    assert sc.randint(5, ()).dim() == 0
    with pytest.raises(RuntimeError, match="greater than 257"):  # torch gives numbers twice
        sc.randperm(258, dtype=sc.bfloat16)


def test_other_distributions():
    assert abs(sum(sc.empty(20_000).exponential_(4).tolist()) / 20_000 - 0.25) < 0.01
    assert abs(sum(sc.empty(20_000).geometric_(0.25).tolist()) / 20_000 - 4) < 0.1
    assert abs(sum(sc.empty(20_000).bernoulli_(0.3).tolist()) / 20_000 - 0.3) < 0.02
    x = sorted(sc.empty(20_001).cauchy_(3, 2).tolist())
    assert abs(x[10_000] - 3) < 0.1 and abs(x[15_000] - 5) < 0.2
    x = sorted(sc.empty(20_001).log_normal_(1, 2).tolist())
    assert abs(math.log(x[10_000]) - 1) < 0.1
    p = sc.tensor([[0.0, 1.0], [1.0, 0.0]])
    assert sc.bernoulli(p).tolist() == p.tolist() == sc.empty(2, 2).bernoulli_(p).tolist()
    assert sc.bernoulli(sc.tensor(1.0)).item() == 1.0
    assert sc.normal(sc.tensor([1.0, 2.0]), sc.tensor([0.0, 0.0])).tolist() == [1.0, 2.0]
    assert sc.normal(5.0, sc.zeros(2)).tolist() == [5.0, 5.0]
    assert sc.normal(sc.tensor([1 + 2j]), 0.0).tolist() == [1 + 2j]


# ---- against torch: everything but the values --------------------------------------------------------------------

CALLS = """
    lib.rand()
    lib.rand(2, 3)
    lib.rand((2, 3))
    lib.rand(size=(2, 3))
    lib.rand(2, generator=lib.Generator())
    lib.rand(2, generator=3)
    lib.rand(2, generator=None)
    lib.rand(2, out=lib.empty(3))
    lib.rand(2, out=lib.empty(2, dtype=lib.int32))
    lib.rand(-1)
    lib.rand(2, names=None)
    lib.rand(2, memory_format=None)
    lib.rand(2, layout=lib.strided, device='cpu', pin_memory=False, requires_grad=False)
    lib.randn(2, 3, dtype=lib.float64)
    lib.randn(2, 3, out=lib.empty(3, 2).t())
    lib.rand_like(x)
    lib.rand_like(i)
    lib.rand_like(i, dtype=lib.float32)
    lib.rand_like(x, generator=lib.Generator())
    lib.randn_like(x, memory_format=lib.contiguous_format)
    lib.rand_like(3)
    lib.randint(5, (2,))
    lib.randint(0, 5, (2,))
    lib.randint(5, 2)
    lib.randint(5)
    lib.randint()
    lib.randint(1, 2, (3,), 4)
    lib.randint(0, (2,))
    lib.randint(5, 5, (2,))
    lib.randint(5, 3, (2,))
    lib.randint(high=5, size=(2,))
    lib.randint(low=2, high=5, size=(2,))
    lib.randint(2, high=5, size=(2,))
    lib.randint(5, size=(2,))
    lib.randint(2, 5, size=(2,))
    lib.randint(5.5, (2,))
    lib.randint(2**63, (2,))
    lib.randint(300, (2,), dtype=lib.uint8)
    lib.randint(256, (2,), dtype=lib.uint8)
    lib.randint(-1, 2, (2,), dtype=lib.uint8)
    lib.randint(0, 3, (2,), dtype=lib.bool)
    lib.randint(0, 70000, (2,), dtype=lib.float16)
    lib.randint(5, [2], generator=lib.Generator())
    lib.randint(5, lib.Size([2]))
    lib.randint(5, (2,), out=lib.empty(2))
    lib.randint(5, (0,))
    lib.randint(0, 0, (0,))
    lib.randint(5, ())
    lib.randint_like(x, 5)
    lib.randint_like(x, 2, 5)
    lib.randint_like(x, high=5)
    lib.randint_like(x, low=1, high=5)
    lib.randint_like(i, 5, dtype=lib.int64)
    lib.randint_like(x, 0)
    lib.randperm(5)
    lib.randperm(0)
    lib.randperm(-1)
    lib.randperm(2.0)
    lib.randperm(True)
    lib.randperm(5, dtype=lib.float32)
    lib.randperm(300, dtype=lib.uint8)
    lib.randperm(256, dtype=lib.uint8)
    lib.randperm(257, dtype=lib.uint8)
    lib.randperm(128, dtype=lib.int8)
    lib.randperm(129, dtype=lib.int8)
    lib.randperm(3000, dtype=lib.float16)
    lib.randperm(2049, dtype=lib.float16)
    lib.randperm(2050, dtype=lib.float16)
    lib.randperm(257, dtype=lib.bfloat16)
    lib.randperm(5, out=lib.empty(0, dtype=lib.int64))
    lib.normal(0.0, 1.0, (2,))
    lib.normal(0.0, 1.0, size=(2,))
    lib.normal(0, 1, (2,))
    lib.normal(mean=0.0, std=1.0, size=(2,))
    lib.normal(0.0, -1.0, (2,))
    lib.normal(0.0, 1.0)
    lib.normal(f, 1.0)
    lib.normal(f, f)
    lib.normal(0.0, f)
    lib.normal(f, -1.0)
    lib.normal(f, -1 * np.ones(4)[0])
    lib.normal(f)
    lib.normal(i, 1.0)
    lib.normal(f, lib.ones(3))
    lib.normal(lib.ones(2, 1), lib.ones(3))
    lib.normal(x, 1.0)
    lib.normal(f, f.double())
    lib.normal(f.double(), f)
    lib.normal(0.0, 1.0, (2,), dtype=lib.float64)
    lib.normal(0.0, 1.0, (2,), out=lib.empty(0))
    lib.normal(lib.ones(2, dtype=lib.complex64), 1.0)
    lib.bernoulli(f)
    lib.bernoulli(f, 0.0)
    lib.bernoulli(f, p=1.0)
    lib.bernoulli(i)
    lib.bernoulli(f, generator=lib.Generator())
    lib.bernoulli(f, out=lib.empty(0))
    lib.bernoulli(i, 0.5)
    lib.bernoulli(3)
    lib.bernoulli(x)
    x.bernoulli(0.5)
    f.bernoulli()
    f.bernoulli(1.0)
    f.clone().bernoulli_(2.0)
    f.clone().bernoulli_(lib.ones(4))
    i.clone().bernoulli_(lib.ones(4))
    f.clone().bernoulli_(lib.ones(4).int())
    f.clone().bernoulli_(lib.ones(3))
    f.clone().bernoulli_(lib.full((4,), 1.5))
    f.clone().random_(3, 2)
    f.clone().random_(0)
    f.clone().random_(3, 4)
    f.clone().random_(3, to=4)
    f.clone().random_(to=4)
    f.clone().random_(from_=0)
    f.clone().random_(1, 2, 3)
    i.clone().random_(0, 2**40)
    i.clone().random_(-2**31, 2**31)
    lib.zeros(2, dtype=lib.uint8).random_(-1, 3)
    f.clone().uniform_(1, 0)
    f.clone().uniform_(0, 0)
    f.clone().uniform_(to=3)
    f.clone().uniform_(2)
    f.clone().uniform_(0, float('inf'))
    f.clone().uniform_(float('nan'), 1)
    f.clone().uniform_(-3e38, 3e38)
    f.clone().uniform_(0, 1, 2)
    f.clone().uniform_('a')
    f.clone().normal_(0, -1)
    f.clone().normal_(mean=3, std=0)
    f.clone().normal_(lib.tensor(1.0), np.float32(2))
    f.clone().exponential_(0)
    f.clone().exponential_(-1)
    f.clone().exponential_(lambd=2)
    f.clone().geometric_(0)
    f.clone().geometric_(1)
    f.clone().geometric_()
    f.clone().geometric_(0.5)
    f.clone().cauchy_(0, 0)
    f.clone().cauchy_(median=1, sigma=2)
    f.clone().log_normal_(1, 0)
    f.clone().log_normal_(mean=1, std=2)
"""

IN_PLACE = """
    random_()
    random_(5)
    random_(0, 2)
    uniform_()
    normal_()
    bernoulli_()
    exponential_()
    geometric_(0.5)
    cauchy_()
    log_normal_()
    bernoulli()
"""


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


def described(code, lib):
    names = {"x": lib.ones(2, 3).t(), "i": lib.ones(4, dtype=lib.int32), "f": lib.ones(4)}
    made, error = outcome(lambda: eval(code, {"lib": lib, "np": np, **names}))
    return error or (name_of(made.dtype), tuple(made.shape), made.stride(), made.storage_offset())


@pytest.mark.parametrize("code", lines(CALLS))
def test_as_torch(torch, code, quiet):
    assert described(code, sc) == described(code, torch)


# Refused by torch because it has no kernel; here they are drawn.
WIDER = {"uint16", "uint32", "uint64"}


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes_as_torch(torch, name, quiet):
    for call in lines(IN_PLACE):
        code = f"lib.ones(2, dtype=lib.{name}).{call}"
        mine, torchs = described(code, sc), described(code, torch)
        if torchs is NotImplementedError and mine is not NotImplementedError:
            continue
        assert mine == torchs, code
    for call in ("rand(2", "randn(2", "randint(2, (2,)", "randperm(2"):
        code = f"lib.{call}, dtype=lib.{name})"
        mine, torchs = described(code, sc), described(code, torch)
        if torchs is NotImplementedError and mine is not NotImplementedError:
            continue
        assert mine == torchs, code
