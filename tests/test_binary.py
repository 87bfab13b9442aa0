"""arithmetic.py, comparisons.py, bitwise.py, special_functions.py: functions of two operands beside torch's."""

import math
import operator

import pytest
from against import convert
from pointwise_cases import DTYPES, FLOATS, INTS, SPECIAL, agree, layouts, make, ours, quietly

import stridecore as sc

ARITHMETIC = "add sub subtract mul multiply div divide true_divide floor_divide remainder fmod pow float_power".split()
COMPARISONS = "eq ne lt le gt ge not_equal less less_equal greater greater_equal".split()
BITS = "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift".split()
TENSORS_ONLY = (
    "maximum minimum fmax fmin logical_and logical_or logical_xor gcd lcm atan2 arctan2 hypot logaddexp logaddexp2 "
    "nextafter ldexp heaviside isclose"
).split()
OTHERS = "xlogy copysign".split()
FUNCTIONS = ARITHMETIC + COMPARISONS + BITS + TENSORS_ONLY + OTHERS
OPERATORS = "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift eq ne lt le gt ge".split()
NUMBERS = (True, 2, -3, 0, 0.5, -1.5, 2.0, 1 + 2j)
ROUGH = {"pow": 8, "float_power": 8, "logaddexp": 4, "logaddexp2": 20, "hypot": 2, "xlogy": 4, "ldexp": 8}
SHAPES = [((4, 6), (4, 6)), ((4, 6), (6,)), ((4, 1), (6,)), ((4, 6), ()), ((), (4, 6)), ((), ()), ((0, 3), (3,)),
          ((1,), (4, 6)), ((2, 1, 3), (4, 1))]


def zero_to_a_complex(base, exponent):
    """0 to a complex power: torch computes it by way of the logarithm of 0."""
    return "complex" in f"{getattr(base, 'dtype', base)} {getattr(exponent, 'dtype', type(exponent))}" and not (
        base.all() if hasattr(base, "all") else base)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_pairs_of_dtypes(torch, rng, name):
    for a in DTYPES:
        for b in DTYPES:
            shape, other_shape = rng.choice(SHAPES)
            t, u = make(torch, rng, a, shape), make(torch, rng, b, other_shape)
            context = f"{name} of {a} {shape} and {b} {other_shape}: {t.tolist()} and {u.tolist()}"
            digits = 2e-2 if name == "ldexp" or "oat16" in a + b else None
            if name in ("pow", "float_power") and zero_to_a_complex(t, u):
                continue
            agree(quietly(getattr(sc, name), ours(t), ours(u)), quietly(getattr(torch, name), t, u), context,
                  ROUGH.get(name, 2), digits, loose=name in ("ldexp", "isclose"))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_layouts(torch, rng, name):
    kinds = layouts(make(torch, rng, "int32", (4, 6), 1, 4)), layouts(make(torch, rng, "float32", (4, 6), 1, 4))
    for first in kinds:
        for second in kinds:
            for kind, view in first.items():
                agree(quietly(getattr(sc, name), ours(view), ours(second[kind])),
                      quietly(getattr(torch, name), view, second[kind]), f"{name}, {kind}", ROUGH.get(name, 2),
                      loose=name in ("ldexp", "isclose"))
                if name == "ldexp":
                    continue
                other = second[rng.choice(list(second))]
                agree(quietly(getattr(sc, name), ours(view), ours(other)), quietly(getattr(torch, name), view, other),
                      f"{name}, {kind} with {other.shape} {other.stride()}", ROUGH.get(name, 2),
                      loose=name in ("ldexp", "isclose"))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_numbers(torch, rng, name):
    for dtype in DTYPES:
        for shape in ((2, 3), ()):
            t = make(torch, rng, dtype, shape)
            for number in NUMBERS:
                for arguments in ((t, number), (number, t)):
                    if name in ("pow", "float_power") and zero_to_a_complex(*arguments):
                        continue
                    mine = [ours(value) for value in arguments]
                    agree(quietly(getattr(sc, name), *mine), quietly(getattr(torch, name), *arguments),
                          f"{name}{arguments}", ROUGH.get(name, 2))


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(torch, rng, name):
    function = getattr(operator, name)
    for dtype in DTYPES:
        for shape in ((2, 3), ()):
            t, u = make(torch, rng, dtype, shape), make(torch, rng, rng.choice(DTYPES), (3,))
            for other in (*NUMBERS, u, make(torch, rng, dtype, (2, 3)), None, "a", [1]):
                for arguments in ((t, other), (other, t)):
                    if name == "pow" and zero_to_a_complex(*arguments):
                        continue
                    mine = [ours(value) for value in arguments]
                    narrow = "oat16" in f"{dtype}{getattr(other, 'dtype', '')}"
                    agree(quietly(function, *mine), quietly(function, *arguments), f"{name}{arguments}", 8,
                          (math.inf if name in ("mod", "floordiv", "pow") else 5e-2) if narrow else None)


@pytest.mark.parametrize("name", "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift".split())
def test_in_place_operators(torch, rng, name):
    function = getattr(operator, name)
    for dtype in DTYPES:
        for shape in ((2, 3), (3,), (1, 3), ()):
            for other in (*NUMBERS, make(torch, rng, dtype, shape), make(torch, rng, rng.choice(DTYPES), shape)):
                t = make(torch, rng, dtype, (2, 3))
                x = convert(t, sc)
                mine, torchs = quietly(function, x, ours(other)), quietly(function, t, other)
                context = f"{name} of {dtype} and {other}"
                narrow = "oat16" in f"{dtype}{getattr(other, 'dtype', '')}"
                agree(mine, torchs, context, 8,
                      (math.inf if name in ("imod", "ifloordiv", "ipow") else 5e-2) if narrow else None)
                if torchs[1] is None:
                    assert mine[0] is x or mine[1] is not None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_in_place_methods(torch, rng, name):
    assert hasattr(sc.Tensor, name + "_") == hasattr(torch.Tensor, name + "_")
    assert hasattr(sc, name + "_") == hasattr(torch, name + "_")
    if not hasattr(torch.Tensor, name + "_"):
        return
    for dtype in DTYPES:
        t, u = make(torch, rng, dtype, (4, 6)), make(torch, rng, rng.choice(DTYPES), rng.choice([(6,), (4, 6), (3,)]))
        x = convert(t, sc)
        mine, torchs = quietly(getattr(x.t().t(), name + "_"), ours(u)), quietly(getattr(t.t().t(), name + "_"), u)
        digits = 2e-2 if name == "ldexp" or "oat16" in f"{u.dtype}" else None
        agree(mine, torchs, f"{name}_ of {dtype} and {u}", ROUGH.get(name, 2), digits)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "isclose"])
def test_out(torch, rng, name):
    for dtype in ("bool", "int64", "float32", "complex64"):
        t, u = make(torch, rng, dtype, (2, 3), 1, 4), make(torch, rng, dtype, (3,), 1, 4)
        for into in ("bool", "int32", "float16", "float64", "complex64"):
            for shape in ((2, 3), (0,), (3,)):
                outs = [lib.empty(shape, dtype=getattr(lib, into)) for lib in (sc, torch)]
                mine = quietly(getattr(sc, name), ours(t), ours(u), out=outs[0])
                agree(mine, quietly(getattr(torch, name), t, u, out=outs[1]), f"{name} of {dtype} into {into} {shape}",
                      digits=5e-2 if into == "float16" else 1e-5)
                assert mine[1] is not None or mine[0] is outs[0]


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in ("gcd", "lcm", "nextafter")])
def test_special_values(torch, name):
    for dtype in ("float32", "float64", "int64", "int8"):
        values = SPECIAL[:-1] if dtype in FLOATS else [0, 1, -1, 3, -7, 100, -128 if dtype == "int8" else -(2**63)]
        t = torch.tensor(values).to(getattr(torch, dtype))
        if name in ("pow", "float_power", "floor_divide", "div") and dtype in INTS:
            t = t[1:-1]
        columns = t[:, None].expand(-1, len(t))
        agree(quietly(getattr(sc, name), ours(columns), ours(t)), quietly(getattr(torch, name), columns, t),
              f"{name} of {dtype}", ROUGH.get(name, 2), loose=True)


@pytest.mark.parametrize("mode", ["floor", "trunc", None, "bad"])
def test_rounding_modes(torch, rng, mode):
    for dtype in DTYPES:
        for divisor in (*NUMBERS, make(torch, rng, dtype, (6,)), make(torch, rng, dtype, (6,), 1, 4)):
            t = make(torch, rng, dtype, (4, 6))
            agree(quietly(sc.div, ours(t), ours(divisor), rounding_mode=mode),
                  quietly(torch.div, t, divisor, rounding_mode=mode), f"{dtype} by {divisor}")


@pytest.mark.parametrize("name", ["add", "sub", "rsub"])
def test_alpha(torch, rng, name):
    for dtype in DTYPES:
        t, u = make(torch, rng, dtype, (4, 6)), make(torch, rng, dtype, (6,))
        for alpha in (2, 1, 0.5, True, 1j, -1):
            for other in (u, 3):
                agree(quietly(getattr(sc, name), ours(t), ours(other), alpha=alpha),
                      quietly(getattr(torch, name), t, other, alpha=alpha), f"{name} of {dtype}, alpha {alpha}", 10)


def test_isclose_with_tolerances(torch, rng):
    for dtype in DTYPES:
        t = make(torch, rng, dtype, (20,))
        u = t + 1 if dtype != "bool" else ~t
        for arguments in ({}, {"rtol": 0.5}, {"atol": 1.5}, {"rtol": 0, "atol": 0}, {"rtol": -1}, {"equal_nan": True}):
            agree(quietly(sc.isclose, ours(t), ours(u), **arguments), quietly(torch.isclose, t, u, **arguments),
                  f"{dtype} {arguments}")
    t = torch.tensor(SPECIAL)
    agree(quietly(sc.isclose, ours(t), ours(t), equal_nan=True), quietly(torch.isclose, t, t, equal_nan=True))
