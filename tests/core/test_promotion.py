"""core/promotion.pyx: the dtype in which operands meet, for all pairs of dtypes and kinds of operands."""

import pytest
from against import name_of, outcome

import stridecore as sc

DTYPES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex32 complex64 "
    "complex128 float8_e4m3fn float8_e5m2"
).split()
NUMBERS = (True, 3, 1.5, 2j)


def operands(lib):
    """(name, operand): of every dtype one with dims and one without, and numbers."""
    for dtype in DTYPES:
        yield dtype, lib.empty(2, dtype=getattr(lib, dtype))
        yield f"0-dim {dtype}", lib.empty((), dtype=getattr(lib, dtype))
    for number in NUMBERS:
        yield str(number), number


def same(mine, torchs, context):
    (x, error), (t, expected) = mine, torchs
    assert error is expected, f"{context}: raises {error}, torch {expected}"
    if error is None:
        assert (x if isinstance(x, bool) else name_of(x)) == (t if isinstance(t, bool) else name_of(t)), context


def test_values():
    assert sc.promote_types(sc.uint8, sc.int8) is sc.int16
    assert sc.result_type(sc.ones(2, dtype=sc.float16), sc.tensor(1.0, dtype=sc.float64)) is sc.float16
    assert sc.result_type(sc.ones(2, dtype=sc.int8), 1.5) is sc.float32
    assert sc.result_type(1, 2j) is sc.complex64
    assert sc.can_cast(sc.int64, sc.float16)
    assert not sc.can_cast(sc.int64, sc.bool)


@pytest.mark.parametrize("default", ["float32", "float64", "float16"])
def test_result_type_of_all_pairs(torch, quiet, default):
    sc.set_default_dtype(getattr(sc, default))
    torch.set_default_dtype(getattr(torch, default))
    try:
        pairs = list(zip(operands(sc), operands(torch), strict=True))
        for (name, x), (_, t) in pairs:
            for (other_name, y), (_, u) in pairs:
                same(outcome(sc.result_type, x, y), outcome(torch.result_type, t, u), f"{name} and {other_name}")
    finally:
        sc.set_default_dtype(sc.float32)
        torch.set_default_dtype(torch.float32)


def test_promote_types_and_can_cast_of_all_pairs(torch):
    for a in DTYPES:
        for b in DTYPES:
            mine, torchs = (getattr(sc, a), getattr(sc, b)), (getattr(torch, a), getattr(torch, b))
            same(outcome(sc.promote_types, *mine), outcome(torch.promote_types, *torchs), f"{a} and {b}")
            same(outcome(sc.can_cast, *mine), outcome(torch.can_cast, *torchs), f"{a} to {b}")


def test_wrong_arguments():
    for function, arguments in ((sc.result_type, (1, "a")), (sc.result_type, (1,)), (sc.can_cast, (sc.int8, None))):
        with pytest.raises(TypeError):
            function(*arguments)
