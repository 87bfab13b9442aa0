"""arguments.py and core/options.pyx: sizes beyond 64 bits are refused, and an `out` that is resized is told of."""

import warnings

import pytest

import stridecore as sc

LARGE = 2**62


@pytest.mark.parametrize("call", [
    lambda x: x.repeat(LARGE),
    lambda x: x.repeat(2**31, 2**31, 2),
    lambda x: sc.kron(x[:1].expand(2**31), x[:1].expand(2**33)),
    lambda x: sc.cartesian_prod(x[:1].expand(2**32), x[:1].expand(2**32)),
    lambda x: sc.combinations(x[:1].expand(2**40), 2),
    lambda x: sc.combinations(x, LARGE, True),
    lambda x: sc.nn.functional.pad(x, (LARGE, LARGE)),
    lambda x: sc.nn.functional.pad(x[None], (LARGE, LARGE), mode="replicate"),
    lambda x: sc.nn.functional.unfold(x.reshape(1, 1, 1, 2), 1, padding=LARGE),
    lambda x: sc.diag(x, -(2**63)),
    lambda x: sc.diagflat(x, 2**63 - 1),
    lambda x: sc.bincount(sc.tensor([2**63 - 1])),
    lambda x: sc.tril_indices(LARGE, LARGE),
    lambda x: sc.triu_indices(2**33, 2**33),
    lambda x: sc.tril_indices(2**50, 0),
    lambda x: sc.repeat_interleave(sc.tensor([LARGE])),
    lambda x: sc.repeat_interleave(x, sc.tensor([LARGE, LARGE])),
    lambda x: sc.repeat_interleave(x, LARGE),
], ids=str)
def test_results_too_large_for_any_memory(call):
    with pytest.raises(RuntimeError):
        call(sc.ones(2))


def test_combinations_of_more_than_there_are():
    assert sc.combinations(sc.ones(3), 4).shape == (0, 4)
    assert sc.combinations(sc.ones(0), 2, True).shape == (0, 2)
    assert sc.combinations(sc.tensor([1, 2]), 3, True).tolist() == [[1, 1, 1], [1, 1, 2], [1, 2, 2], [2, 2, 2]]


def test_more_decimals_than_floats_have(torch):
    for decimals in (400, -400, 2**62, 300):
        mine, torchs = (lib.round(lib.ones(2), decimals=decimals).isnan().tolist() for lib in (sc, torch))
        assert mine == torchs


CALLS = [
    "gather(x, 0, i, out=o)", "index_select(x, 0, i[0], out=o)", "take(x, i, out=o)", "masked_select(x, x > 0, out=o)",
    "nonzero(x, out=p)", "where(x > 0, x, x, out=o)", "scatter(x, 0, i, 1.0, out=o)", "take_along_dim(x, i, 0, out=o)",
    "diag(x, out=o)", "tril(x, out=o)", "cat([x], out=o)", "stack([x], out=o)", "hstack([x], out=o)",
    "add(x, x, out=o)",
    "sum(x, 0, out=o)", "unsqueeze_copy(x, 0, out=o)", "mm(x, x, out=o)",
]


@pytest.mark.parametrize("code", CALLS)
def test_an_out_with_elements_that_is_resized_is_told_of(torch, code):
    for lib in (sc, torch):
        for size, warned in ((5, True), (0, False)):
            names = {"x": lib.ones(3, 3), "i": lib.zeros(1, 3, dtype=lib.int64), "o": lib.ones(size),
                     "p": lib.ones(size, dtype=lib.int64)}
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                eval(f"lib.{code}", {"lib": lib, **names})
            assert [w.category for w in heard] == [UserWarning] * warned


def test_who_hears_of_a_resized_out_may_take_its_memory(monkeypatch):
    x, out = sc.arange(6.0), sc.ones(2)
    monkeypatch.setattr(warnings, "showwarning", lambda *args: (x.untyped_storage().resize_(0), out.resize_(0)))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert sc.cat([x, x], out=out) is out
    assert out.numel() == 0
