"""The cases of advanced indexing do the same in every library, and have bounds."""

import pytest

from benchmarks import gather
from benchmarks.harness import bounds


@pytest.fixture(scope="module")
def bench():
    return gather.Bench(1000)


@pytest.mark.parametrize("name", gather.CASES)
def test_the_contenders_agree(name, bench, torch):
    job = gather.CASES[name](bench)
    assert {"stridecore", "torch"} <= set(job.calls)
    gather.verify(name, job)


def test_a_wrong_result_is_noticed(bench):
    job = gather.CASES["items of 4 B"](bench)
    job.calls["stridecore"] = lambda right=job.calls["numpy"]: right() + 1
    with pytest.raises(gather.WrongResult, match="stridecore differs from numpy"):
        gather.verify("items", job)


def test_every_case_has_a_bound():
    assert set(bounds.load()["gather"]) == set(gather.CASES)


def test_ratios():
    ratios = gather.ratios({"stridecore": 2.0, "numpy": 6.0, "torch": 4.0, "memcpy": 1.0})
    assert ratios == {"to_numpy": 3.0, "to_torch": 2.0, "to_memcpy": 0.5, "to_best_peer": 2.0}
