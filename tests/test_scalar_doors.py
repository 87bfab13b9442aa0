"""Python numbers into every dtype, by every door: the stored value and the exceptions are torch's."""

import pytest
from against import elements, outcome

import stridecore as sc

DTYPES = """bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex32 complex64
complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu""".split()
NUMBERS = [
    0, 1, -1, 2, 127, 128, -128, -129, 255, 256, 300, 32767, 32768, 65535, 65536, -65536, 2**31 - 1, 2**31,
    -(2**31), -(2**31) - 1, 2**32 - 1, 2**32, 2**40, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 2**64,
    -(2**63) - 1, 10**400, True, False, 0.0, -0.0, 0.5, -0.5, 1.5, -1.7, 2.5, 255.5, 256.5, 447.0, 448.0,
    460.0, 464.0, 465.0, 480.0, 240.0, 248.0, 57344.0, 61440.0, 65504.0, 65519.0, 65520.0, 1e5, 3.4e38,
    3.5e38, 1e39, 1e300, -1e300, 2.0**63, 2.0**64, 1e-8, 1e-45, 5e-324, float("inf"), float("-inf"),
    float("nan"), 1 + 2j, 1 + 0j, 300 + 0j, 1e39 + 1j, complex("nan"), complex("inf"),
]  # fmt: skip
DOORS = {
    "fill_": lambda lib, dtype, v: lib.zeros(2, dtype=dtype).fill_(v),
    "x[...] = v": lambda lib, dtype, v: assigned(lib.zeros(2, dtype=dtype), ..., v),
    "x[1] = v": lambda lib, dtype, v: assigned(lib.zeros(2, dtype=dtype), 1, v),
    "x[0, 1] = v": lambda lib, dtype, v: assigned(lib.zeros(2, 2, dtype=dtype), (0, 1), v),
    "full": lambda lib, dtype, v: lib.full((2,), v, dtype=dtype),
    "tensor": lambda lib, dtype, v: lib.tensor([v], dtype=dtype),
    "tensor of a number": lambda lib, dtype, v: lib.tensor(v, dtype=dtype),
    "scalar_tensor": lambda lib, dtype, v: lib.scalar_tensor(v, dtype=dtype),
    "copy_": lambda lib, dtype, v: lib.zeros(2, dtype=dtype).copy_(v),
}


def assigned(x, key, value):
    x[key] = value
    return x


def undefined(dtype, number):
    """No rule says what these give: float to int out of range, or NaN, where torch does not refuse."""
    integral = "int" in dtype or dtype == "bool"
    if not integral or isinstance(number, int):
        return False
    number = complex(number).real
    return not abs(number) < 2**31 or (number < 0 and dtype in ("uint32", "uint64"))


def differs(dtype, door, number):
    """Where torch's answer is an accident.

    2.0**63 passes its test for int64; lists of floats are no uint64; scalar_tensor looks at the range of the small
    floats in a way of its own; fill_ of float8_e8m0fnu refuses 0 and complex numbers, other doors don't.
    """
    if isinstance(number, float) and (dtype, number) in {("int64", 2.0**63), ("uint64", 2.0**64)}:
        return door != "copy_"
    if door == "scalar_tensor" and (dtype.startswith("float8") or dtype in ("float16", "bfloat16", "complex32")):
        return isinstance(number, complex) or not 0 <= number <= 200
    if dtype == "float8_e8m0fnu" and door in ("fill_", "full"):
        return isinstance(number, complex) or number < 2**-127
    return dtype == "uint64" and door.startswith("tensor") and not isinstance(number, int)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_as_torch(torch, dtype, door, quiet):
    wrong = []
    for number in NUMBERS:
        x, mine = outcome(DOORS[door], sc, getattr(sc, dtype), number)
        t, torchs = outcome(DOORS[door], torch, getattr(torch, dtype), number)
        if torchs is NotImplementedError or differs(dtype, door, number):
            continue
        if mine != torchs:
            wrong.append(f"{number!r}: {mine}, torch {torchs}")
        elif mine is None and elements(x) != elements(t) and not undefined(dtype, number):
            wrong.append(f"{number!r}: {elements(x).hex()}, torch {elements(t).hex()}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("number", NUMBERS)
def test_inferred_dtype(torch, number):
    for make in (lambda lib: lib.tensor(number), lambda lib: lib.tensor([number]), lambda lib: lib.full((2,), number)):
        x, mine = outcome(make, sc)
        t, torchs = outcome(make, torch)
        assert mine == torchs
        if mine is None:
            assert str(x.dtype).split(".")[1] == str(t.dtype).split(".")[1]
            assert elements(x) == elements(t)
