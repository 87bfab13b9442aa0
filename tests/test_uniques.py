"""uniques.py: distinct elements and slices as torch finds them."""

import pytest
from reduction_cases import FLOATS, INTEGERS, agree_code, agree_everywhere, random_tensor

import stridecore as sc

FORMS = [{}, {"return_inverse": True}, {"return_counts": True}, {"return_inverse": True, "return_counts": True}]
CASES = [((), {**form, **dim}) for form in FORMS for dim in ({}, {"dim": 0}, {"dim": -1}, {"dim": 1})]


@pytest.mark.parametrize("name", ["unique", "unique_consecutive"])
def test_as_torch(torch, rng, name):
    agree_everywhere(torch, rng, name, CASES, FLOATS + INTEGERS + ["complex64"], (False,))
    agree_everywhere(torch, rng, name, CASES[:4], INTEGERS, (True,))


def test_of_many_equal_slices(torch, rng):
    cases = [((), {"return_inverse": True, "return_counts": True, "dim": d}) for d in (0, 1)]
    for name in ("unique", "unique_consecutive"):
        agree_everywhere(torch, rng, name, cases, ["bool"], (False,))


def test_arguments_as_torch(torch, rng):
    agree_code(
        """
        lib.unique(x, True, True, True) | x.unique(True, True) | x.unique(sorted=False) | x.unique(dim=2)
        x.unique(dim='a')
        lib.unique(x, 1) | x.unique(return_counts=1) | x.unique_consecutive(True, True, 0) | x.unique_consecutive(dim=3)
        lib.zeros(0, 3).unique(dim=0) | lib.zeros(0, 3).unique(dim=1) | lib.zeros(3, 0).unique(dim=0)
        lib.zeros(0).unique()
        lib.zeros(0, 3).unique(return_inverse=True) | lib.tensor(3.).unique(dim=0) | lib.zeros(0, 0).unique(dim=0)
        lib.tensor(3.).unique(return_counts=True, return_inverse=True)
        lib.zeros(0).unique_consecutive(return_counts=True)
        lib.tensor(3).unique_consecutive(return_inverse=True) | lib.zeros(0, 3).unique_consecutive(dim=0)
        """,
        x=random_tensor(torch, rng, "int32", (2, 3, 4)),
    )


def test_values():
    nan = float("nan")
    values, groups, counts = sc.tensor([1.0, nan, 3.0, nan, 1.0]).unique(return_inverse=True, return_counts=True)
    assert values.tolist()[:2] == [1, 3]
    assert values.isnan().tolist() == [False, False, True, True] if hasattr(values, "isnan") else True
    assert groups.tolist() == [0, 2, 1, 3, 0]
    assert counts.tolist() == [2, 1, 1, 1]
    rows = sc.tensor([[2, 1], [0, 5], [2, 1]])
    assert rows.unique(dim=0).tolist() == [[0, 5], [2, 1]]
    assert sc.tensor([1, 1, 2, 1]).unique_consecutive().tolist() == [1, 2, 1]
