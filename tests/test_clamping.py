"""clamping.py: bounds and mixtures beside torch's."""

import pytest
from against import convert
from pointwise_cases import DTYPES, FLOATS, SPECIAL, agree, layouts, make, ours, quietly

import stridecore as sc

BOUNDS = (None, 0, 1, -1, 0.5, True, float("nan"), 1j)


@pytest.mark.parametrize("name", ["clamp", "clip"])
def test_clamp_with_numbers(torch, rng, name):
    for dtype in DTYPES:
        for kind, view in layouts(make(torch, rng, dtype, (4, 6))).items():
            low, high = rng.choice(BOUNDS), rng.choice(BOUNDS)
            agree(quietly(getattr(sc, name), ours(view), low, high), quietly(getattr(torch, name), view, low, high),
                  f"{dtype} {kind} {low} {high}")
        for low in BOUNDS:
            for high in BOUNDS:
                t = make(torch, rng, dtype, (5,))
                agree(quietly(sc.clamp, ours(t), low, high), quietly(torch.clamp, t, low, high),
                      f"{dtype} {low} {high}")
                x = convert(t, sc)
                agree(quietly(x.clamp_, low, high), quietly(t.clamp_, low, high), f"{dtype} {low} {high} in place")


@pytest.mark.parametrize("name", ["clamp", "clamp_min", "clamp_max"])
def test_clamp_with_tensors(torch, rng, name):
    for dtype in DTYPES:
        for other in DTYPES:
            t = make(torch, rng, dtype, (4, 6))
            bounds = [make(torch, rng, other, shape) for shape in ((6,), (4, 1))][: 2 if name == "clamp" else 1]
            agree(quietly(getattr(sc, name), ours(t), *map(ours, bounds)), quietly(getattr(torch, name), t, *bounds),
                  f"{name} of {dtype} by {other}")


def test_special_values(torch):
    t = torch.tensor(SPECIAL)
    for low, high in ((0, 1), (-1, None), (None, 1), (2, 1), (0.0, float("inf"))):
        agree(quietly(sc.clamp, ours(t), low, high), quietly(torch.clamp, t, low, high))
    with pytest.raises(RuntimeError, match="At least one of"):
        sc.clamp(sc.ones(2))
    with pytest.raises(TypeError):
        sc.clamp(sc.ones(2), 1, sc.ones(2))


def test_lerp(torch, rng):
    for dtype in DTYPES:
        t, u = make(torch, rng, dtype, (4, 6)), make(torch, rng, dtype, (6,))
        weights = (0.25, 0.75, 2, 1j, make(torch, rng, dtype, (4, 1)), torch.tensor(0.5), torch.tensor([0.5]))
        for weight in weights[: None if dtype in FLOATS else 5]:
            agree(quietly(sc.lerp, ours(t), ours(u), ours(weight)), quietly(torch.lerp, t, u, weight),
                  f"{dtype} {weight}", 50)
    x = sc.zeros(3)
    assert x.lerp_(sc.ones(3), 0.5) is x
    assert x.tolist() == [0.5] * 3


@pytest.mark.parametrize("name", ["addcmul", "addcdiv"])
def test_three_tensors(torch, rng, name):
    for a in DTYPES:
        for b in DTYPES:
            tensors = [make(torch, rng, a, (4, 6)), make(torch, rng, b, (6,), 1, 4), make(torch, rng, b, (4, 1), 1, 4)]
            value = rng.choice([1, 2, 0.5, -1])
            digits = 5e-2 if "16" in a + b else 1e-4
            context = f"{name} of {a} and {b}, {value}"
            agree(quietly(getattr(sc, name), *map(ours, tensors), value=value),
                  quietly(getattr(torch, name), *tensors, value=value), context, digits=digits)
            x = ours(tensors[0])
            agree(quietly(getattr(x, name + "_"), *map(ours, tensors[1:]), value=value),
                  quietly(getattr(tensors[0], name + "_"), *tensors[1:], value=value), context, digits=digits)
