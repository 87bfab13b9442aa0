"""sorting.py: sort, argsort, msort and topk as torch has them; every order is stable."""

import pytest
from reduction_cases import FLOATS, INTEGERS, agree_call, agree_code, alike, convert, layouts, random_tensor

import stridecore as sc


@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_as_torch(torch, rng, name):
    for dtype in [*FLOATS, *INTEGERS, "complex64"]:
        for special in (False, True):
            for x, t in layouts(torch, rng, dtype, special):
                flipped = not t.is_contiguous() and x.stride() != t.stride()
                for descending in (False, True):
                    for dim in (0, -1, 2):
                        kwargs = {"dim": dim, "descending": descending, "stable": True}
                        agree_call(name, x, t, (), kwargs, strides=not flipped)


def test_long_dims_as_torch(torch, rng):
    """Long enough to be sorted as numbers of rank and place."""
    for dtype in FLOATS + INTEGERS:
        for special in (False, True):
            t = random_tensor(torch, rng, dtype, (2, 300, 2), special)
            if dtype in FLOATS and special:
                t[0, ::7] = -t[0, ::7]  # nan with a sign bit
            for descending in (False, True):
                kwargs = {"dim": 1, "descending": descending, "stable": True}
                agree_call("sort", convert(t, sc), t, (), kwargs)
                agree_call("sort", convert(t.transpose(1, 2), sc), t.transpose(1, 2), (), {**kwargs, "dim": -1})
    t = torch.tensor([2**62, -(2**62), 0, 5, 5] * 20)
    agree_call("sort", convert(t, sc), t, (), {"stable": True})


def test_msort_as_torch(torch, rng):
    for dtype in FLOATS + INTEGERS:
        for x, t in layouts(torch, rng, dtype, True):
            agree_call("msort", x, t, strides=False)


def test_topk_as_torch(torch, rng):
    """The same values, and indices where they are."""
    for dtype in FLOATS + INTEGERS[1:]:
        for x, t in [*layouts(torch, rng, dtype, True), *layouts(torch, rng, dtype)]:
            for dim, k, largest in [(0, 1, True), (-1, 2, False), (-1, 1, False), (0, 3, True), (0, 0, True)]:
                if k > (t.shape[dim] if t.ndim else 1):
                    continue
                mine, theirs = x.topk(k, dim, largest), t.topk(k, dim, largest)
                alike(mine.values, theirs.values)
                if t.ndim:
                    alike(x.gather(dim, mine.indices), theirs.values)


def test_topk_of_many(torch, rng):
    for dtype in ("float32", "int64", "uint8", "bfloat16"):
        for special in (False, True):
            t = random_tensor(torch, rng, dtype, (3, 500), special)
            x = convert(t, sc)
            for largest in (True, False):
                for k in (1, 5, 200, 500):
                    mine, theirs = x.topk(k, 1, largest), t.topk(k, 1, largest)
                    alike(mine.values, theirs.values)
                    alike(x.gather(1, mine.indices), theirs.values)
                    assert all(len(set(row)) == k for row in mine.indices.tolist())


def test_arguments_as_torch(torch, rng):
    agree_code(
        """
        x.sort(True) | x.sort(0, 1) | x.sort(1.0) | x.sort(3) | x.sort(0, True) | x.sort(stable=True)
        x.sort(descending=True)
        lib.sort(x, 0, True) | lib.sort(x, stable=True, dim=0) | lib.argsort(x, 0, True)
        lib.argsort(x, dim=0, stable=True)
        lib.sort(x, 0, out=(lib.zeros(0), lib.zeros(0, dtype=lib.int64)))
        lib.sort(x, out=(lib.zeros(0), lib.zeros(0)))
        lib.sort(x, out=(lib.zeros(0, dtype=lib.float64), lib.zeros(0, dtype=lib.int64)))
        lib.sort(x, out=lib.zeros(0))
        lib.msort(x, out=lib.zeros(0)) | lib.tensor(3.).sort() | lib.tensor(3.).argsort(0) | lib.tensor(3.).msort()
        x.topk(9) | x.topk(-1) | x.topk(2.) | x.topk(True) | x.topk(k=2, dim=1).values
        x.topk(2, 0, False, True).values
        x.topk(1, 3) | x.topk() | lib.tensor(3.).topk(1) | lib.tensor(3.).topk(2) | lib.tensor(3.).topk(0)
        x.topk(1, sorted=1)[0]
        lib.zeros(0, 3).topk(0, 0) | lib.zeros(0, 3).sort(0) | lib.zeros(0, 3).sort(1) | lib.zeros(0, 3).topk(1, 0)
        lib.topk(x, 1, out=(lib.zeros(0), lib.zeros(0, dtype=lib.int64)))[0] | x.sort(axis=0)
        """,
        x=random_tensor(torch, rng, "float32", (2, 3, 4)),
    )


def test_values():
    nan = float("nan")
    assert sc.tensor([1.0, nan, 3.0, nan]).sort(descending=True).indices.tolist() == [1, 3, 2, 0]
    assert sc.tensor([2, 1, 1, 2]).sort(descending=True).indices.tolist() == [0, 3, 1, 2]
    assert sc.tensor([1.0, nan, 3.0]).topk(2, largest=False).values.tolist() == [1, 3]
    assert sc.arange(6).reshape(2, 3).t().sort(0).values.stride() == (1, 3)
