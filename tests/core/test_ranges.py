"""arange, linspace and logspace: torch's values to the bit."""

import math

import pytest
from against import both, elements, outcome

import stridecore as sc


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


# ---- literal --------------------------------------------------------------------------------------------------


def test_arange():
    assert sc.arange(4).tolist() == [0, 1, 2, 3] and sc.arange(4).dtype is sc.int64
    assert sc.arange(1, 4).tolist() == [1, 2, 3]
    assert sc.arange(1, 8, 3).tolist() == [1, 4, 7]
    assert sc.arange(5, 0, -2).tolist() == [5, 3, 1]
    assert sc.arange(1.5).tolist() == [0.0, 1.0] and sc.arange(1.5).dtype is sc.float32
    assert sc.arange(start=1, end=2, step=0.25).tolist() == [1.0, 1.25, 1.5, 1.75]
    assert sc.arange(0).shape == (0,)


def test_arange_of_large_ints_is_exact():
    assert sc.arange(2**63 - 3, 2**63 - 1).tolist() == [2**63 - 3, 2**63 - 2]
    assert sc.arange(-(2**63), -(2**63) + 2).tolist() == [-(2**63), -(2**63) + 1]
    assert sc.arange(2**62, -(2**62) - 1, -(2**62)).tolist() == [2**62, 0, -(2**62)]
    assert sc.arange(-(2**63), 2**63 - 1, 2**62).tolist() == [-(2**63), -(2**62), 0, 2**62]


def test_arange_wraps_into_narrow_ints():
    assert sc.arange(254, 258, dtype=sc.uint8).tolist() == [254, 255, 0, 1]


def test_linspace_and_logspace():
    assert sc.linspace(0, 1, 5).tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert sc.linspace(0, 10, 4, dtype=sc.int64).tolist() == [0, 3, 6, 10]
    assert sc.linspace(3, 7, 1).tolist() == [3.0]
    assert sc.linspace(0, 1j, 3).tolist() == [0j, 0.5j, 1j]
    assert sc.logspace(0, 3, 4).tolist() == [1.0, 10.0, 100.0, 1000.0]
    assert sc.logspace(0, 3, 4, 2).tolist() == [1.0, 2.0, 4.0, 8.0]
    assert sc.logspace(2, 5, 1).tolist() == [100.0]


def test_out():
    out = sc.zeros(10)[::2]
    assert sc.arange(5, out=out) is out and out.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0] and out.stride() == (2,)
    square = sc.zeros(2, 2)
    assert sc.arange(4, out=square).tolist() == [[0.0, 1.0], [2.0, 3.0]]
    with pytest.warns(UserWarning, match="resized"):
        assert sc.arange(3, out=square).shape == (3,)
    assert sc.linspace(0, 1, 3, out=sc.empty(0, dtype=sc.int64)).tolist() == [0, 0, 1]
    spread = sc.zeros(1).expand(4)
    with pytest.raises(RuntimeError, match="single memory location"):
        sc.arange(4, out=spread)


def test_messages():
    with pytest.raises(RuntimeError, match=r"inconsistent with step sign: from 5\.0 to 0\.0 in steps of 1\.0"):
        sc.arange(5, 0)
    with pytest.raises(RuntimeError, match="step must be nonzero"):
        sc.arange(0, 5, 0)
    with pytest.raises(RuntimeError, match=r"unsupported range: 0\.0 -> inf"):
        sc.arange(math.inf)
    with pytest.raises(TypeError, match="end must be Number, not str"):
        sc.arange("a")


def test_dtypes_that_torch_has_no_arange_for():
    assert sc.arange(3, dtype=sc.uint16).tolist() == [0, 1, 2]
    assert sc.arange(2, dtype=sc.bool).tolist() == [False, True]
    assert sc.arange(1, 3, 0.5, dtype=sc.complex64).tolist() == [1 + 0j, 1.5 + 0j, 2 + 0j, 2.5 + 0j]
    assert sc.arange(0, 2, 0.5, dtype=sc.float8_e5m2).tolist() == [0.0, 0.5, 1.0, 1.5]
    assert sc.linspace(0, 9, 4, dtype=sc.uint32).tolist() == [0, 3, 6, 9]
    assert sc.linspace(0, 1, 3, dtype=sc.float8_e4m3fn).tolist() == [0.0, 0.5, 1.0]


# ---- against torch --------------------------------------------------------------------------------------------

ARANGE = """
    5
    5.0
    1, 5.5
    start=5
    1, end=5
    1, 5, step=2
    1, step=2, end=5
    5, step=2
    5, 0
    0, 5, -1
    0, 5, 0
    0, 5, 0.0
    float('inf')
    float('nan')
    0, 1, float('inf')
    0, 1, float('nan')
    True
    True, 3
    np.int32(3)
    np.float32(3)
    lib.tensor(3)
    lib.tensor(3.0)
    lib.tensor(3.0, dtype=lib.float64)
    lib.tensor(3, dtype=lib.int8)
    lib.tensor([3])
    'a'
    None
    3, None

    1, 2, 3, 4
    1j
    300, dtype=lib.uint8
    250, 258, dtype=lib.uint8
    -3, dtype=lib.uint8
    0, -3, -1, dtype=lib.uint8
    3, dtype=lib.float16
    3, dtype=lib.bfloat16
    0.5, 5, dtype=lib.int64
    0, 5, 1.5, dtype=lib.int64
    0, 5, 0.5, dtype=lib.int64
    0, 5, 0.5, dtype=lib.int32
    0.9, 3.1, 1, dtype=lib.int32
    0, 5, 1.5, dtype=lib.int32
    0, -5, -0.5, dtype=lib.int32
    2**63 - 1, 2**63 - 1
    2**63
    2**70
    -2**63, 2**63 - 1
    2**62
    0, 2**60 + 1, 2**59
    1e300
    1e18
    0, 1, 1e-300
    5, out=lib.empty(0)
    5, out=lib.empty(0, dtype=lib.int64)
    5, out=lib.empty(10)[::2]
    5, out=lib.empty(3, 5)
    5, out=lib.empty(5), dtype=lib.int32
    0
    0.0
    -0.5
    1, 1
    3, device='cpu', requires_grad=False, pin_memory=False, layout=lib.strided
    3, foo=1
    3, dtype=float
    1, 2, end=3
    1, 2, start=3
    70000, dtype=lib.float16
    0, 5, lib.tensor(2)
    0, lib.tensor(2.0), 1
"""

SPACES = """
    lib.linspace(0, 1)
    lib.linspace(0, 1, 0)
    lib.linspace(0, 1, 1)
    lib.linspace(0, 1, -1)
    lib.linspace(0, 1j, 3)
    lib.linspace(0, 1, 5, dtype=lib.complex64)
    lib.linspace(start=0, end=1, steps=3)
    lib.linspace(lib.tensor(0), lib.tensor(1.0), 3)
    lib.linspace(lib.tensor([0]), 1, 3)
    lib.linspace(0, 1, 3, out=lib.empty(0))
    lib.linspace(0, 1, 2.5)
    lib.linspace(0, 1, steps=lib.tensor(3))
    lib.linspace(float('nan'), 1, 4)
    lib.linspace(0, float('inf'), 4)
    lib.linspace(5, 5, 3)
    lib.linspace(True, 3, 3)
    lib.linspace(0, 300, 3, dtype=lib.uint8)
    lib.linspace(-1, 3, 3, dtype=lib.uint8)
    lib.linspace('a', 1, 3)
    lib.linspace(2**62, 2**62 + 5, 3)
    lib.linspace(0, 2**62 + 5, 3, dtype=lib.int64)
    lib.linspace(0, 1, 3, out=lib.empty(0, dtype=lib.int64))
    lib.linspace(0, 1j, 3, dtype=lib.float32)
    lib.logspace(0, 2)
    lib.logspace(0, 2, 0)
    lib.logspace(0, 2, 1)
    lib.logspace(0.5, 2, 1, 3)
    lib.logspace(0, 2, 3, base=2.5)
    lib.logspace(0, 2, 3, -2)
    lib.logspace(0, 2, -3)
    lib.logspace(0, 2, 3, 0)
    lib.logspace(0.5, 2, 3, -2)
    lib.logspace(0, 2, 3, base=lib.tensor(2))
    lib.logspace(0, 2, 3, 2j)
    lib.logspace(0, 2, 6, dtype=lib.int32)
    lib.logspace(0, 2, 3, dtype=lib.uint8)
"""


@pytest.mark.parametrize("arguments", [line.strip() for line in ARANGE.strip("\n").splitlines()])
def test_arange_as_torch(torch, arguments, quiet):
    both(f"lib.arange({arguments})", torch)


@pytest.mark.parametrize("code", lines(SPACES))
def test_spaces_as_torch(torch, code, quiet):
    both(code, torch)


def pair(torch, function, *args, dtype, **kwargs):
    """The elements of both libraries' results as bytes."""
    x = getattr(sc, function)(*args, dtype=getattr(sc, dtype), **kwargs)
    t = getattr(torch, function)(*args, dtype=getattr(torch, dtype), **kwargs)
    assert tuple(x.shape) == tuple(t.shape)
    return elements(x), elements(t)


def fused(torch):
    """Whether torch's kernels fuse multiplication and addition, as all but its plainest do."""
    return torch.backends.cpu.get_cpu_capability() not in ("DEFAULT", "NO AVX")


def test_random_arange_is_torchs_to_the_bit(torch, rng):
    dtypes = ["float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8"]
    if not fused(torch):
        dtypes = ["float32", "int64", "int32", "int16", "int8", "uint8"]
    for _ in range(3000):
        dtype = rng.choice(dtypes)
        start = rng.choice((0, 0.0, rng.uniform(-10, 10), rng.randrange(-100, 100), rng.uniform(-1e9, 1e9)))
        step = rng.choice((1, 0.1, 1 / 3, -0.01, rng.uniform(0, 3), -rng.uniform(0, 1000), rng.randrange(1, 9)))
        if "int" in dtype and (int(step) == 0 or abs(start) > 100 or (dtype == "uint8" and start < 0)):
            continue
        n = rng.randrange(1, 400)
        args = (start, start + step * (n - 0.5), step)
        mine, torchs = pair(torch, "arange", *args, dtype=dtype)
        assert mine == torchs, (args, dtype)


def test_arange_into_a_strided_out_is_torchs_to_the_bit(torch, rng):
    for _ in range(200):
        start, step, n = rng.uniform(-10, 10), rng.uniform(0, 1), rng.randrange(1, 200)
        args = (start, start + step * (n - 0.5), step)
        n = sc.arange(*args).numel()
        x, t = sc.zeros(2 * n)[::2], torch.zeros(2 * n)[::2]
        assert elements(sc.arange(*args, out=x)) == elements(torch.arange(*args, out=t))


def test_long_arange_is_torchs_to_the_bit(torch):
    names = ["float32", "int64", "int16"] + (["float64", "float16"] if fused(torch) else [])
    for dtype in names:
        mine, torchs = pair(torch, "arange", 0, 20_000, 0.1 if "float" in dtype else 1, dtype=dtype)
        assert mine == torchs


def test_random_linspace_and_logspace_are_torchs_to_the_bit(torch, rng):
    floats = ["float32", "float64", "float16", "bfloat16", "complex64", "complex128"]
    ints = ["int64", "int32", "int16", "int8", "uint8"]
    for _ in range(3000):
        dtype = rng.choice(floats + ints)
        low = 0 if dtype == "uint8" else -100
        start, end = (rng.choice((rng.uniform(low, 100), rng.randrange(low, 100))) for _ in range(2))
        steps = rng.randrange(100)
        if dtype in ("float16", "bfloat16") or fused(torch):
            mine, torchs = pair(torch, "linspace", start, end, steps, dtype=dtype)
            assert mine == torchs, ("linspace", start, end, steps, dtype)
        if "complex" not in dtype:
            start, end = start / 60, end / 60
            base = rng.choice((10, 2, 2.5, rng.uniform(0.1, 5)))
            mine, torchs = pair(torch, "logspace", start, end, steps, base, dtype=dtype)
            assert mine == torchs, ("logspace", start, end, steps, base, dtype)


def test_complex_spaces_are_close_to_torchs(torch, rng):
    for _ in range(200):
        start, end = (complex(rng.uniform(-2, 2), rng.uniform(-2, 2)) for _ in range(2))
        for name, tolerance in (("complex64", 4e-6), ("complex128", 1e-14)):
            x = sc.logspace(start, end, 7, dtype=getattr(sc, name)).tolist()
            t = torch.logspace(start, end, 7, dtype=getattr(torch, name)).tolist()
            assert all(abs(a - b) <= tolerance * (abs(a) + abs(b)) for a, b in zip(x, t, strict=True))
        mine, torchs = pair(torch, "linspace", start, end, 9, dtype="complex64")
        assert mine == torchs or not fused(torch)


def test_failures_leave_out_as_it_was(quiet):
    out = sc.ones(2)
    for call in (lambda: sc.arange(2**50, out=out), lambda: sc.arange(0, 5, 0, out=out),
                 lambda: sc.linspace(0, 1, -1, out=out), lambda: sc.linspace(0, 1, 2**55, out=out),
                 lambda: sc.linspace(0, 1j, 2, out=out)):
        assert outcome(call)[1] is RuntimeError
    assert out.tolist() == [1.0, 1.0]
