"""Conversions between all element types, against torch: every CPU level, contiguous and strided rows."""

import ctypes
import itertools
import random
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

ROOT = Path(__file__).parents[1]
INTEGERS = ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"]
FLOAT8 = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
NAMES = ["bool", *INTEGERS, *FLOATS, "complex32", "complex64", "complex128", *FLOAT8]  # in the order of sc_dtype
CODES = {name: code for code, name in enumerate(NAMES)}
DTYPES = {name: getattr(torch, name) for name in NAMES}
REDUCED = ["float16", "bfloat16", *FLOAT8]
CONJ, NEG = 1, 2
SIGNED = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


@pytest.fixture(scope="session")
def engine(tmp_path_factory):
    path = tmp_path_factory.mktemp("convert") / "engine.so"
    sources = sorted(map(str, (ROOT / "src").rglob("*.c")))
    subprocess.run(["gcc", "-std=gnu11", "-O3", "-fno-math-errno", "-shared", "-fPIC", "-I", str(ROOT / "src"), "-o",
                    str(path), *sources, "-pthread", "-lm"], check=True)
    return ctypes.CDLL(str(path))


def supported_levels(engine):
    return [name for name in (b"plain", b"sse2", b"avx2", b"neon") if engine.sc_set_cpu_level(name) == 0]


@pytest.fixture(params=["plain", "best"])
def level(request, engine):
    """Run the test with the plainest kernels, then with the best of this CPU."""
    assert engine.sc_set_cpu_level(b"plain" if request.param == "plain" else None) == 0
    yield request.param
    engine.sc_set_cpu_level(None)


def convert(engine, source, dst_name, dst_step=1, bits=0, fill=0xA5):
    """The 1-d tensor converted by one row; dst_step spreads the destination, whose gaps must stay as they are."""
    dst_dtype = DTYPES[dst_name]
    src_name = str(source.dtype).removeprefix("torch.")
    n, dst_size, src_size = len(source), dst_dtype.itemsize, source.dtype.itemsize
    raw = np.full(max(n * dst_step * dst_size, 1), fill, np.uint8)
    engine.sc_convert_row(
        CODES[dst_name], ctypes.c_void_p(raw.ctypes.data), ctypes.c_int64(dst_step * dst_size),
        CODES[src_name], ctypes.c_void_p(source.data_ptr()), ctypes.c_int64(source.stride(0) * src_size),
        ctypes.c_int64(n), ctypes.c_uint32(bits))
    items = raw[: n * dst_step * dst_size].reshape(n, dst_step, dst_size)
    assert (items[:, 1:] == fill).all(), "wrote between the elements"
    return torch.from_numpy(items[:, 0].copy().reshape(-1)).view(dst_dtype)


def bits_of(t):
    """The bit patterns, with all NaNs made one: torch's depend on its CPU level and on the length of the row."""
    name = str(t.dtype).removeprefix("torch.")
    if t.dtype.is_complex:
        return bits_of(torch.view_as_real(t).reshape(-1))
    width = t.dtype.itemsize
    patterns = t.view(torch.uint8 if width == 1 else SIGNED[width]).clone()
    if t.dtype.is_floating_point:
        values = t.float() if name in REDUCED else t
        patterns[values.isnan()] = {1: 0x7F, 2: 0x7FFF}.get(width, -1)
    return patterns


def check(got, expected, source):
    a, b = bits_of(got), bits_of(expected)
    wrong = (a != b).nonzero().flatten()
    if len(wrong):
        i = int(wrong[0]) * len(source) // len(a)
        raise AssertionError(f"{source.dtype} -> {expected.dtype}: {source[i]} gives {got[i]}, torch {expected[i]}, "
                             f"{len(wrong)} differ")


def in_torch(source, dst):
    """source.to(dst), but for the two things that torch's compiler decided and not torch:

    what uint32 gets from a float out of range depends on the length of the row (here it goes by way of int64), and
    the NaN of three float8 types is folded to the integer 0 (here it gives what any other NaN gives).
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if dst in INTEGERS and (source.dtype.is_floating_point or source.dtype.is_complex):
            if str(source.dtype).endswith("nuz") or source.dtype == torch.float8_e8m0fnu:
                source = source.float()
            if dst == "uint32":
                source = source.to(torch.int64)
        return source.to(DTYPES[dst])


# ---- literal cases ------------------------------------------------------------------------------


@pytest.mark.parametrize("src, value, dst, expected", [
    ("float32", -1.7, "uint8", 255), ("float32", 300.0, "uint8", 44), ("float32", -129.0, "int8", 127),
    ("float32", float("nan"), "int32", -(2**31)), ("float32", 3e9, "int32", -(2**31)),
    ("float32", float("inf"), "int64", -(2**63)), ("float64", 1e19, "uint64", 10**19),
    ("float64", 2.0**64, "uint64", 0), ("float64", float("nan"), "uint64", 2**63),
    ("float64", -1.0, "uint64", 2**64 - 1),
    ("float64", 4e9, "uint32", 4_000_000_000), ("float64", -3e9, "uint32", 2**32 - 3_000_000_000 % 2**32),
    ("float64", 5e9, "uint32", 5_000_000_000 - 2**32), ("float64", float("nan"), "uint32", 0),
    ("float64", 2.0**32 + 5, "uint8", 5), ("float64", 2.0**32 + 5, "int8", 0), ("float64", 2.0**32 + 5, "uint16", 0),
    ("int64", 2**53 + 1, "float64", 2.0**53), ("int64", 2**24 + 1, "float32", 2.0**24),
    ("int64", 2**60 + 2**36 + 1, "float32", 2.0**60 + 2.0**37), ("uint64", 2**64 - 1, "float32", 2.0**64),
    ("int64", -1, "uint64", 2**64 - 1), ("int64", 2**40 + 7, "int8", 7), ("uint8", 200, "int8", -56),
    ("int8", -1, "uint64", 2**64 - 1), ("bool", True, "float64", 1.0),
    ("float32", float("nan"), "bool", True), ("complex64", 2j, "bool", True), ("float32", -0.0, "bool", False),
    ("float32", 1e-45, "bool", True), ("complex64", 3 + 4j, "int16", 3), ("int8", -5, "complex128", -5 + 0j),
    ("float32", 464.0, "float8_e4m3fn", 448.0), ("float32", float("inf"), "float8_e4m3fn", 448.0),
    ("float32", 61440.0, "float8_e5m2", float("inf")), ("float32", 1.5, "float8_e8m0fnu", 2.0),
    ("float32", 65519.0, "float16", 65504.0), ("float32", 65520.0, "float16", float("inf")),
])  # fmt: skip
def test_one_value(engine, level, src, value, dst, expected):
    source = torch.tensor([value], dtype=torch.float32 if src in FLOAT8 else DTYPES[src]).to(DTYPES[src])
    got = convert(engine, source, dst)
    got = (got.float() if dst in FLOAT8 else got).item()
    assert got == expected


def test_a_double_rounds_to_float16_by_way_of_float32_as_in_torch(engine, level):
    just_above_a_tie = torch.tensor([1 + 2.0**-11 + 2.0**-40], dtype=torch.float64)
    assert convert(engine, just_above_a_tie, "float16").item() == 1.0


def test_any_nonzero_byte_of_a_bool_is_true(engine, level):
    raw = torch.tensor([0, 1, 2, 255], dtype=torch.uint8).view(torch.bool)
    for name in ("uint8", "int64", "float32", "float16", "complex64"):
        assert convert(engine, raw, name).tolist() == [0, 1, 1, 1]


# ---- all bit patterns -----------------------------------------------------------------------------


@pytest.mark.parametrize("src", ["bool", "uint8", "int8", *REDUCED])
def test_every_pattern_to_every_type(engine, level, src):
    width = DTYPES[src].itemsize
    source = torch.arange(2 if src == "bool" else 2 ** (8 * width), dtype=torch.int32)
    source = source.to(torch.uint8 if width == 1 else torch.int16).view(DTYPES[src])
    for dst in NAMES:
        check(convert(engine, source, dst), in_torch(source, dst), source)
        check(convert(engine, source, dst, dst_step=3), in_torch(source, dst), source)


@pytest.mark.parametrize("dst", REDUCED)
def test_every_midpoint_and_its_neighbours(engine, level, dst):
    """float32 halfway between adjacent values of the small type, and one ulp to either side."""
    width = DTYPES[dst].itemsize
    codes = torch.arange(2 ** (8 * width), dtype=torch.int32).to(torch.uint8 if width == 1 else torch.int16)
    values = codes.view(DTYPES[dst]).double()
    values = values[values.isfinite()].unique()
    between = (values[1:] + values[:-1]) / 2
    beyond = values[-1] + (values[-1] - values[-2]) * torch.tensor([0.25, 0.5, 0.75, 1.0, 2.0])
    points = torch.cat([values, between, beyond, -beyond]).float()
    down = torch.nextafter(points, torch.tensor(-torch.inf))
    up = torch.nextafter(points, torch.tensor(torch.inf))
    source = torch.cat([points, down, up, torch.tensor([torch.inf, -torch.inf, torch.nan, 1e-45, -1e-45, 0.0, -0.0])])
    check(convert(engine, source, dst), source.to(DTYPES[dst]), source)
    check(convert(engine, source.double(), dst), source.double().to(DTYPES[dst]), source)


@pytest.mark.parametrize("dst", REDUCED)
def test_float32_patterns_at_random(engine, level, dst):
    source = torch.from_numpy(np.random.default_rng(5).integers(0, 2**32, 1_000_003, np.uint32).view(np.float32))
    check(convert(engine, source, dst), source.to(DTYPES[dst]), source)


@pytest.mark.parametrize("dst, kept", [("float32", 24), ("float64", 53)])
@pytest.mark.parametrize("src", ["int64", "uint64"])
def test_integers_round_once(engine, level, src, dst, kept):
    """Halfway between adjacent floats and one to either side, over all magnitudes."""
    rng = random.Random(8)
    values = []
    for bits in range(kept + 1, 64 if src == "int64" else 65):
        half = 1 << (bits - kept - 1)
        for _ in range(40):
            tie = ((1 << (kept - 1) | rng.getrandbits(kept - 1)) * 2 + 1) * half
            values += [tie, tie - 1, tie + 1, tie + half - 1, tie ^ half]
    if src == "int64":
        values += [-value for value in values] + [2**63 - 1, -(2**63), 2**51, -(2**51), 2**52, 2**53 + 1, 0, 1, -1]
    rng.shuffle(values)
    source = torch.from_numpy(np.array(values, np.dtype(src)))
    check(convert(engine, source, dst), source.to(DTYPES[dst]), source)


# ---- every pair -------------------------------------------------------------------------------------


def interesting(name, n, seed):
    """n values of the type: random patterns, small and large magnitudes, the edges of every integer type."""
    rng = np.random.default_rng(seed)
    dtype = DTYPES[name]
    if name == "bool":
        return torch.from_numpy(rng.integers(0, 2, n).astype(bool))
    if dtype.is_complex:
        part = interesting({4: "float16", 8: "float32", 16: "float64"}[dtype.itemsize], 2 * n, seed)
        return torch.view_as_complex(part.reshape(n, 2))
    patterns = torch.from_numpy(rng.integers(0, 256, n * dtype.itemsize, np.uint8)).view(dtype)
    edges = [sign * 2.0**k + d for k in (7, 8, 15, 16, 31, 32, 53, 62, 63, 64) for sign in (1, -1)
             for d in (-1.5, -1, -0.5, 0, 0.5, 1)]
    edges += [0.0, -0.0, 0.99, -0.99, 1e30, -1e30, 1e-30, torch.inf, -torch.inf, torch.nan]
    if dtype.is_floating_point:
        small = torch.from_numpy(rng.normal(0, 1, n) * 10.0 ** rng.integers(-3, 12, n))
        pool = torch.cat([small, torch.tensor(edges, dtype=torch.float64)]).to(dtype)
    else:
        values = [min(max(int(v), 0 if name[0] == "u" else -(2**63)), 2**63 - 1) for v in edges[:-3]]
        pool = torch.tensor(values, dtype=torch.int64).to(dtype)
    raw = torch.cat([patterns.view(torch.uint8), pool.view(torch.uint8)]).reshape(-1, dtype.itemsize)
    picked = torch.from_numpy(rng.permutation(len(raw)))[:n]
    return raw[picked].reshape(-1).view(dtype)


@pytest.mark.parametrize("src", NAMES)
def test_every_pair(engine, level, src):
    for seed, n in enumerate((1, 2, 7, 8, 31, 64, 257, 1500)):
        source = interesting(src, n, 100 * CODES[src] + seed)
        spread = torch.zeros(3 * n * source.dtype.itemsize, dtype=torch.uint8).view(source.dtype)
        spread[::3] = source
        for dst in NAMES:
            expected = in_torch(source, dst)
            for rows in (source, spread[::3]):
                check(convert(engine, rows, dst), expected, source)
                check(convert(engine, rows, dst, dst_step=2), expected, source)


def test_rows_reversed_and_misaligned(engine, level):
    rng = random.Random(3)
    for src, dst in itertools.product(NAMES, NAMES):
        source = interesting(src, 40, CODES[src])
        expected = bits_of(convert(engine, source, dst))
        s, d = DTYPES[src].itemsize, DTYPES[dst].itemsize
        shift, shift_to = rng.randrange(8), rng.randrange(8)
        raw = np.zeros(40 * s + 8, np.uint8)
        raw[shift : shift + 40 * s] = np.frombuffer(source.view(torch.uint8).numpy(), np.uint8)
        out = np.zeros(40 * d + 8, np.uint8)
        engine.sc_convert_row(CODES[dst], ctypes.c_void_p(out.ctypes.data + shift_to + 39 * d), ctypes.c_int64(-d),
                              CODES[src], ctypes.c_void_p(raw.ctypes.data + shift), ctypes.c_int64(s),
                              ctypes.c_int64(40), ctypes.c_uint32(0))
        got = torch.from_numpy(out[shift_to : shift_to + 40 * d].reshape(40, d)[::-1].copy().reshape(-1))
        assert torch.equal(bits_of(got.view(DTYPES[dst])), expected), (src, dst)


@pytest.mark.parametrize("src", NAMES)
def test_every_level_gives_the_same_bytes(engine, src):
    source = interesting(src, 5003, 9)
    for dst in NAMES:
        results = []
        for name in supported_levels(engine):
            assert engine.sc_set_cpu_level(name) == 0
            results.append(convert(engine, source, dst).view(torch.uint8))
        engine.sc_set_cpu_level(None)
        assert all(torch.equal(results[0], other) for other in results[1:]), (src, dst)


# ---- conjugate and negate -------------------------------------------------------------------------


@pytest.mark.parametrize("dst", [name for name in NAMES if DTYPES[name].is_complex])
@pytest.mark.parametrize("src", ["float32", "int16", "complex32", "complex64", "complex128"])
def test_bits_into_complex(engine, level, src, dst):
    source = interesting(src, 700, 4)
    plain = convert(engine, source, dst)
    for step in (1, 2):
        check(convert(engine, source, dst, step, CONJ), plain.conj().resolve_conj(), source)
        check(convert(engine, source, dst, step, NEG), torch.complex(-plain.real, -plain.imag), source)
        check(convert(engine, source, dst, step, NEG | CONJ), torch.complex(-plain.real, plain.imag), source)


@pytest.mark.parametrize("dst", [name for name in NAMES if not DTYPES[name].is_complex])
def test_negative_bit_into_real(engine, level, dst):
    source = torch.cat([interesting("int8", 300, 4).float(), torch.tensor([0.0, -0.0, torch.nan, torch.inf])])
    plain = convert(engine, source, dst)
    if dst in ("bool", "float8_e8m0fnu"):
        expected = plain
    elif dst in FLOAT8:
        expected = (-plain.float()).to(DTYPES[dst])
    elif dst in INTEGERS:
        expected = (-plain.to(torch.int64)).to(DTYPES[dst])
    else:
        expected = -plain
    for step in (1, 2):
        check(convert(engine, source, dst, step, NEG), expected, source)
        check(convert(engine, source, dst, step, CONJ), plain, source)


# ---- the registry ---------------------------------------------------------------------------------


def test_the_cpu_level_can_be_forced(engine):
    engine.sc_cpu_level_name.restype = ctypes.c_char_p
    for name in supported_levels(engine):
        assert engine.sc_set_cpu_level(name) == 0
        assert engine.sc_cpu_level_name(engine.sc_get_cpu_level()) == name
    assert engine.sc_set_cpu_level(b"avx9000") == 1, "unknown"
    assert engine.sc_cpu_level_name(engine.sc_get_cpu_level()) == supported_levels(engine)[-1], "unchanged by a failure"
    assert engine.sc_set_cpu_level(None) == 0
