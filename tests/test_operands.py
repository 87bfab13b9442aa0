"""operands.py and core/binary.pyx: what operands are before they meet, and where results go, beside torch's."""

import math

import pytest
from against import convert, name_of
from pointwise_cases import agree, quietly

import stridecore as sc

SHORT = ("float16", "bfloat16")


def beside(torch, code, **operands):
    """An expression of tensors of torch's and numbers has the same outcome here; `out` is made empty for each."""
    def run(lib):
        names = {name: convert(x, lib) if hasattr(x, "stride") else x for name, x in operands.items()}
        if "out" in names:
            names["out"] = names["out"].clone()
        return eval(code, {"lib": lib, **names})

    agree(quietly(run, sc), quietly(run, torch), f"{code} {operands}")


@pytest.mark.parametrize("dtype", SHORT)
@pytest.mark.parametrize("op", ["+", "-", "*", "/", "//", "%", "**", "==", "<", ">="])
def test_operands_are_rounded_before_they_meet(torch, dtype, op):
    x = torch.tensor([0.0, 1.0, -1.0, 3.0, math.inf, 7.0], dtype=getattr(torch, dtype))
    y = torch.tensor([2**31 - 1, 2049, 32767, -258, -(2**31), 2])
    beside(torch, f"x {op} y", x=x, y=y)
    beside(torch, f"y {op} x", x=x, y=y)
    for number in (0.1, 2**20, -3):
        if op != "**" or number < 2**20:
            beside(torch, f"x {op} number", x=x, number=number)


def test_a_float16_is_not_less_than_the_number_it_was_rounded_from():
    x = sc.tensor([0.1], dtype=sc.float16)
    assert (x == 0.1).item() and not (x < 0.1).item()
    assert (sc.tensor([0.0, 1.0], dtype=sc.float16) * sc.tensor([2**40, 1])).isnan().tolist() == [True, False]


def test_integers_are_compared_in_the_dtype_they_meet_in(torch):
    for dtype in (torch.int8, torch.uint8, torch.int16):
        x = torch.tensor([1, 44, 127], dtype=dtype)
        for op in ("<", "==", ">="):
            beside(torch, f"x {op} 300", x=x)
            beside(torch, f"x {op} y", x=x, y=torch.tensor(300))
    beside(torch, "x == y", x=torch.tensor([2**24 + 1]), y=torch.tensor([2.0**24]))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "uint8", "complex64"])
def test_results_are_rounded_before_they_go_into_out(torch, dtype):
    x = torch.tensor([[3, 200], [7, 11]], dtype=getattr(torch, dtype))
    larger = {"uint8": torch.int32, "complex64": torch.complex128}.get(dtype, torch.float32)
    for code in ("lib.mul(x, x, out=out)", "lib.add(x, 3, out=out)", "lib.square(x, out=out)",
                 "lib.sub(x, x.t(), out=out)"):
        beside(torch, code, x=x, out=torch.empty(2, 2, dtype=larger))
    assert sc.mul(sc.tensor([100], dtype=sc.uint8), 3, out=sc.empty(1, dtype=sc.int32)).tolist() == [44]


@pytest.mark.parametrize("code", [
    "lib.add(x, x, out=out)", "lib.exp(x, out=out)", "lib.lerp(x, x, 0.5, out=out)", "lib.clamp(x, 0, 1, out=out)",
    "lib.mul(x, 2, out=out)", "lib.sub(x, y, out=out)", "lib.pow(x, 2, out=out)", "lib.atan2(x, y, out=out)",
])
def test_an_out_that_is_resized_takes_over_the_strides(torch, code):
    x, y = torch.randn(4, 3).t(), torch.randn(3, 4)
    for out in (torch.empty(0), torch.empty(1, 1, 3)):
        beside(torch, code, x=x, y=y, out=out)


@pytest.mark.parametrize("op", ["+", "*", "<", "/", "%"])
@pytest.mark.parametrize("pair", [
    ("uint8", "int16"), ("bfloat16", "float32"), ("float32", "bfloat16"), ("int32", "int32"),
])
def test_strides_of_an_expanded_operand_of_another_dtype(torch, op, pair):
    """An operand that is converted counts with the strides of its copy."""
    first, second = (getattr(torch, dtype) for dtype in pair)
    x = torch.ones(3, 1, dtype=first).expand(3, 4)
    y = torch.ones(4, 3, dtype=second).t()
    beside(torch, f"x {op} y", x=x, y=y)
    beside(torch, f"y {op} x", x=x, y=y)
    beside(torch, f"x[:, ::2] {op} y[:, ::2]", x=x, y=y)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_a_remainder_of_0_has_the_dividends_sign(torch, dtype):
    x = torch.tensor([4.0, -4.0, 0.0, -0.0, 3.0], dtype=getattr(torch, dtype))
    for divisor in (2.0, -2.0):
        for code in ("x % d", "lib.remainder(x, lib.full_like(x, d))", "x.clone().remainder_(d)"):
            mine = eval(code, {"lib": sc, "x": convert(x, sc), "d": divisor}).tolist()
            torchs = eval(code, {"lib": torch, "x": x, "d": divisor}).tolist()
            assert [math.copysign(1, a) for a in mine] == [math.copysign(1, a) for a in torchs]
            assert mine == torchs


@pytest.mark.parametrize("code", [
    "lib.add(x, x, alpha=n)", "lib.sub(x, x, alpha=n)", "lib.clamp(x, max=n)", "x.clamp_(-5, n)", "x ** n",
    "lib.addcmul(x, x, x, value=n)",
])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_numbers_beyond_an_integer_dtype(torch, code, dtype):
    x = torch.tensor([1, 2], dtype=getattr(torch, dtype))
    for n in (100, 127, 200, 255, 256, 2**31, 2**40):
        beside(torch, code, x=x, n=n)
    if dtype != "uint8" and "**" not in code:
        beside(torch, code, x=x, n=-(2**31))


def test_lerp_with_one_weight_of_another_dtype(torch):
    for dtype in (torch.int32, torch.float16, torch.float32):
        for weight in (torch.tensor(0.5), torch.tensor(0.5, dtype=torch.float64)):
            beside(torch, "lib.lerp(x, x, w)", x=torch.ones(2).to(dtype), w=weight)
    beside(torch, "x.lerp_(x, w)", x=torch.ones(2, dtype=torch.int32), w=torch.tensor(0.5))


def test_ldexp_is_exact_where_the_power_overflows(torch):
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        x = torch.tensor([1e-10, 1.0, -3.0, math.inf], dtype=getattr(torch, dtype))
        for exponents in ([160, -128, 200, 3], [15, 16, -15, 2**40]):
            beside(torch, "lib.ldexp(x, y)", x=x, y=torch.tensor(exponents))
    assert sc.ldexp(sc.tensor([2.0**-100]), sc.tensor([200])).tolist() == [2.0**100]


def test_float_power_of_dtypes_that_do_not_promote(torch):
    beside(torch, "lib.float_power(x, y)", x=torch.tensor([2, 3], dtype=torch.uint32), y=torch.tensor([2, -1]))


def test_lcm_that_wraps(torch):
    beside(torch, "lib.lcm(x, y)", x=torch.tensor([2**63 - 2, 4]), y=torch.tensor([4, -6]))


def test_one_variable_has_a_variance(torch):
    for code in ("lib.cov(x)", "lib.corrcoef(x)"):
        beside(torch, code, x=torch.tensor([[1.0, 2.0, 4.0]]))


def test_kron_into_an_out_of_another_kind():
    with pytest.raises(RuntimeError, match="can't be cast"):
        sc.kron(sc.ones(2), sc.ones(2), out=sc.empty(4, dtype=sc.int64))


def test_kron_counts_0_dim_factors(torch):
    beside(torch, "lib.kron(x, y)", x=torch.tensor(2.0, dtype=torch.float64), y=torch.ones(2))
    beside(torch, "lib.kron(x, y)", x=torch.ones(2, dtype=torch.int32), y=torch.tensor(3))


def test_nan_to_num_takes_real_numbers(torch):
    beside(torch, "lib.nan_to_num(x, nan=2j)", x=torch.ones(2))
    beside(torch, "lib.nan_to_num(x, 1, posinf=2j)", x=torch.ones(2, dtype=torch.complex64))


def test_sign_of_complex_numbers():
    with pytest.raises(NotImplementedError, match="sgn"):
        sc.sign(sc.tensor([1j]))


def test_half_a_power_of_infinity(torch):
    for dtype in ("float16", "bfloat16", "float32"):
        x = torch.tensor([-math.inf, 4.0], dtype=getattr(torch, dtype))
        beside(torch, "x ** 0.5", x=x)
        beside(torch, "x ** y", x=x, y=torch.tensor(0.5, dtype=x.dtype))
        assert name_of((convert(x, sc) ** 0.5).dtype) == dtype
