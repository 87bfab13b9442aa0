"""quantiles.py: elements by rank. Indices are the first of their value (mode: the last), torch's any."""

import pytest
from reduction_cases import FLOATS, INTEGERS, agree_code, agree_everywhere, alike, convert, layouts, random_tensor

import stridecore as sc


@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_median_of_all_as_torch(torch, rng, name):
    agree_everywhere(torch, rng, name, [((), {})], FLOATS + INTEGERS[1:])


@pytest.mark.parametrize("name", ["median", "nanmedian", "kthvalue", "mode"])
def test_along_a_dim_as_torch(torch, rng, name):
    """The same values, and an index where the value is."""
    for dtype in FLOATS + INTEGERS[1:]:
        for special in (False, True) if name != "mode" else (False,):
            for x, t in layouts(torch, rng, dtype, special):
                for dim in (0, -1):
                    args = (2, dim) if name == "kthvalue" else (dim,)
                    if t.ndim and t.stride()[dim] == 0:
                        continue  # torch reads past such a dim
                    if t.numel() == 0 or (name == "kthvalue" and (t.ndim == 0 or t.shape[dim] < 2)):
                        continue
                    mine, theirs = getattr(x, name)(*args, True), getattr(t, name)(*args, True)
                    alike(mine.values, theirs.values)
                    assert mine.indices.stride() == theirs.indices.stride()
                    picked = convert(x.gather(dim, mine.indices), torch)
                    assert picked.eq(theirs.values).logical_or(picked.isnan() & theirs.values.isnan()).all()
                    alike(getattr(x, name)(*args).values, getattr(t, name)(*args).values)
                    if name == "mode":
                        alike(mine.indices, theirs.indices)


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_quantiles_as_torch(torch, rng, name):
    for dtype in ("float32", "float64", "float16", "int32"):
        kinds = [{"interpolation": i} for i in ("linear", "lower", "higher", "midpoint", "nearest")]
        cases = [((0.3,), {}), ((0.5, 0), {}), ((1.0, -1, True), {}), ((0.5,), {"keepdim": True})]
        cases += [((0.4, -1), kind) for kind in kinds]
        agree_everywhere(torch, rng, name, cases, [dtype])
        for x, t in layouts(torch, rng, dtype, True):
            if dtype == "float64" and t.numel():
                q = torch.tensor([0.0, 0.25, 0.9], dtype=torch.float64)
                for kwargs in ({}, {"dim": 0}, {"dim": -1, "keepdim": True}, {"keepdim": True}):
                    alike(getattr(x, name)(convert(q, sc), **kwargs), getattr(t, name)(q, **kwargs))


def test_arguments_as_torch(torch, rng):
    agree_code(
        """
        lib.zeros(0, 3).median() | lib.zeros(0, 3).median(0) | lib.zeros(0, 3).median(1) | lib.zeros(0, 3).mode(0)
        lib.zeros(0, 3).kthvalue(1, 0) | lib.zeros(0, 3).kthvalue(1, 1) | x.median(keepdim=True) | x.median(3)
        x.median('a')
        x.kthvalue(9) | x.kthvalue(0) | x.kthvalue(1, 5) | x.kthvalue(True) | x.kthvalue() | x.kthvalue(1.0)
        x.mode('a')
        x.quantile(2.) | x.quantile([.5, .2]) | x.quantile(lib.tensor([.5], dtype=lib.float64))
        x.quantile(lib.tensor(.5))
        x.quantile(lib.tensor([.5, .1]), 1, True) | x.quantile(lib.tensor([.5, .1]), keepdim=True) | x.quantile(1)
        x.quantile(lib.tensor([[.5]])) | x.quantile(lib.tensor([])) | x.quantile(0.5, interpolation='nope')
        x.quantile(-.1)
        lib.zeros(0).quantile(0.5) | lib.quantile(x, 0.5, out=lib.zeros(0))
        lib.quantile(x, 0.5, out=lib.zeros(0).double())
        lib.tensor([1., float('inf')]).quantile(.5) | lib.tensor([float('nan')] * 2).nanquantile(.5) | x.quantile(.5, 3)
        lib.median(x, 0, out=(lib.zeros(0), lib.zeros(0, dtype=lib.int64))).values | lib.median(x, out=lib.zeros(()))
        lib.tensor(3.).median(0) | lib.tensor(3.).kthvalue(1) | lib.tensor(3.).mode() | lib.tensor(3.).quantile(.5, 0)
        lib.tensor(3.).quantile(lib.tensor([.5]), 0, True) | x.median(axis=0).values | x.kthvalue(k=1, axis=0).values
        """,
        x=random_tensor(torch, rng, "float32", (2, 3, 4)),
    )


def test_values():
    nan = float("nan")
    assert sc.tensor([3, 1, 2, 4]).median().item() == 2
    assert sc.tensor([1.0, nan, 3.0, nan]).median(0).indices.item() == 1
    assert sc.tensor([1.0, nan, 3.0, nan]).nanmedian(0).values.item() == 1
    assert sc.tensor([5, 3, 5, 3]).mode().values.item() == 3
    assert sc.tensor([5, 3, 5, 3]).mode().indices.item() == 3
    assert sc.tensor([2, 2, 1]).kthvalue(3).indices.item() == 0
