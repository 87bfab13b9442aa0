"""unary.py, special_functions.py and pointwise.py: functions of one tensor beside torch's."""

import pytest
from against import convert, name_of
from pointwise_cases import COMPLEX, DTYPES, FLOATS, SPECIAL, agree, layouts, make, ours, quietly

import stridecore as sc

FUNCTIONS = (
    "neg negative positive abs absolute sign sgn signbit angle ceil floor trunc fix frac round square rsqrt reciprocal "
    "isnan isinf isfinite isreal isposinf isneginf sigmoid logit relu sinc deg2rad rad2deg erf erfc lgamma nan_to_num "
    "logical_not bitwise_not sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh "
    "acosh atanh arcsin arccos arctan arcsinh arccosh arctanh"
).split()
ROUGH = {"tan": 20, "lgamma": 100, "sinc": 100, "logit": 50, "erfc": 20, "atanh": 20, "acosh": 20, "arctanh": 20,
         "arccosh": 20, "sinh": 4, "cosh": 4, "expm1": 4, "exp2": 8, "exp": 4, "asin": 20, "acos": 20, "arcsin": 20,
         "arccos": 20, "asinh": 20, "arcsinh": 20, "rsqrt": 4}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_dtypes_and_layouts(torch, rng, name):
    for dtype in DTYPES:
        for kind, view in layouts(make(torch, rng, dtype, (4, 6))).items():
            context = f"{name} of {dtype}, {kind}"
            mine, torchs = getattr(sc, name), getattr(torch, name)
            agree(quietly(mine, ours(view)), quietly(torchs, view), context, ROUGH.get(name, 1), loose=True)
        agree(quietly(getattr(ours(view), name)), quietly(getattr(view, name)), context, ROUGH.get(name, 1), loose=True)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_in_place(torch, rng, name):
    if not hasattr(torch.Tensor, name + "_"):
        assert not hasattr(sc.Tensor, name + "_")
        return
    assert hasattr(sc, name + "_") == hasattr(torch, name + "_")
    for dtype in DTYPES:
        for start in (0, 1):
            t = make(torch, rng, dtype, (4, 6))
            x = convert(t, sc)
            (a, error), (b, expected) = (quietly(getattr(v[start:, ::2], name + "_")) for v in (x, t))
            agree((a, error), (b, expected), f"{name}_ of {dtype}", ROUGH.get(name, 1))
            if not isinstance(expected, NotImplementedError):
                agree((x, None), (t, None), f"{name}_ of {dtype}, all of it", ROUGH.get(name, 1))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_out(torch, rng, name):
    if name in "positive isnan isinf isfinite isreal relu".split():
        return
    for dtype in ("bool", "int64", "float32", "bfloat16", "complex64"):
        t = make(torch, rng, dtype, (2, 3))
        for into in ("bool", "int32", "float16", "float32", "float64", "complex64"):
            for shape in ((2, 3), (0,), (3,)):
                outs = [lib.empty(shape, dtype=getattr(lib, into)) for lib in (sc, torch)]
                outcomes = [
                    quietly(getattr(lib, name), v, out=out)
                    for lib, v, out in zip((sc, torch), (convert(t, sc), t), outs, strict=True)
                ]
                agree(*outcomes, f"{name} of {dtype} into {into} {shape}",
                      digits=2e-2 if dtype == "bfloat16" or into == "float16" else 1e-5)
                if outcomes[0][1] is None:
                    assert outcomes[0][0] is outs[0]


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in ("sin", "cos", "tan")])
def test_special_values(torch, name):
    for dtype in FLOATS:
        t = torch.tensor(SPECIAL).to(getattr(torch, dtype))
        agree(quietly(getattr(sc, name), ours(t)), quietly(getattr(torch, name), t), f"{name} of {dtype}",
              ROUGH.get(name, 1))


def test_round_with_decimals(torch, rng):
    for dtype in FLOATS:
        t = make(torch, rng, dtype, (20,), -100, 100)
        for decimals in (-1, 1, 2, 3):
            agree(quietly(sc.round, ours(t), decimals=decimals), quietly(torch.round, t, decimals=decimals))


def test_nan_to_num_and_logit_with_arguments(torch):
    t = torch.tensor(SPECIAL)
    for arguments in ({"nan": 1.5}, {"posinf": 2, "neginf": -2}, {"nan": 0, "posinf": 1e9}):
        agree(quietly(sc.nan_to_num, ours(t), **arguments), quietly(torch.nan_to_num, t, **arguments))
    for eps in (0.1, 0.6, 2.0):
        agree(quietly(sc.logit, ours(t), eps), quietly(torch.logit, t, eps), f"eps {eps}", 10)


def test_frexp(torch, rng):
    for dtype in FLOATS:
        t = make(torch, rng, dtype, (3, 4)).t()
        mine, torchs = sc.frexp(ours(t)), torch.frexp(t)
        agree((mine.mantissa, None), (torchs.mantissa, None))
        agree((mine.exponent, None), (torchs.exponent, None))
    with pytest.raises(RuntimeError):
        sc.frexp(sc.ones(2, dtype=sc.int64))


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax(torch, rng, name):
    for dtype in DTYPES:
        for view in (make(torch, rng, dtype, (2, 3, 4)), make(torch, rng, dtype, (2, 3, 4)).transpose(0, 2),
                     make(torch, rng, dtype, ()), make(torch, rng, dtype, (2, 0))):
            for dim in (-3, -1, 0, 1, 2, 3):
                for extra in ({}, {"dtype": "float64"}, {"dtype": "float16"}):
                    extras = [{k: getattr(lib, v) for k, v in extra.items()} for lib in (sc, torch)]
                    agree(quietly(getattr(sc, name), ours(view), dim, **extras[0]),
                          quietly(getattr(torch, name), view, dim, **extras[1]), f"{name} {dtype} {dim} {extra}",
                          digits=1 if "16" in f"{dtype}{extra}" else 1e-5)


def test_wide_and_narrow_dtypes():
    """Where torch has no kernel, what it would mean is computed."""
    for dtype in (sc.uint16, sc.uint32, sc.uint64):
        assert sc.tensor([1, 4], dtype=dtype).square().tolist() == [1, 16]
    for dtype in (sc.float8_e4m3fn, sc.float8_e5m2):
        assert sc.tensor([1.0, -2.0]).to(dtype).abs().tolist() == [1, 2]
        assert sc.tensor([4.0]).to(dtype).sqrt().dtype is dtype
    assert sc.tensor([True, False]).floor().tolist() == [True, False]
    assert sc.tensor([3, 4]).frac().tolist() == [0, 0]


def test_lazy_bits(torch):
    z = torch.tensor([1 + 2j, -3 + 0.5j])
    for view in (lambda lib, v: v.conj(), lambda lib, v: v.conj().imag):
        for name in ("neg", "square", "sgn", "exp", "abs"):
            mine, torchs = view(sc, convert(z, sc)), view(torch, z)
            agree(quietly(getattr(sc, name), mine), quietly(getattr(torch, name), torchs), name)


def test_errors_leave_everything_as_it_was():
    x = sc.ones(3, dtype=sc.int64)
    for call in (x.rsqrt_, x.sigmoid_, lambda: sc.sin(sc.ones(3), out=x)):
        with pytest.raises(RuntimeError, match="can't be cast"):
            call()
    assert x.tolist() == [1, 1, 1]
    with pytest.raises(RuntimeError, match="single memory location"):
        sc.ones(1).expand(3).neg_()
    with pytest.raises(RuntimeError, match="read-only"):
        sc.frombuffer(b"\0" * 8, dtype=sc.float32).neg_()
    with pytest.raises(TypeError, match="must be Tensor, not list"):
        sc.neg([1])
    with pytest.raises(TypeError, match="unexpected keyword argument 'out'"):
        sc.ones(2).neg(out=x)


def test_names(torch):
    assert sc.floor.__name__ == "floor"
    assert sc.Tensor.floor_.__qualname__ == "Tensor.floor_"
    for name in FUNCTIONS:
        assert name_of(getattr(sc, name)(sc.ones(1) if name != "bitwise_not" else sc.ones(1, dtype=sc.int8)).dtype)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_absolute_values_of_complex_numbers(torch, dtype):
    t = torch.tensor([3 + 4j, 0j], dtype=getattr(torch, dtype))
    agree(quietly(sc.abs, ours(t)), quietly(torch.abs, t))
    with pytest.raises(RuntimeError, match="In-place abs"):
        ours(t).abs_()
