"""The files that are measured hold what they should, and the bounds name cases that exist."""

import json
from types import SimpleNamespace

import pytest

from benchmarks import files
from benchmarks.harness import bounds
from benchmarks.harness.timing import Effort


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(files, "TENSORS", 3)
    monkeypatch.setattr(files, "QUICK_NBYTES", 3 * 4 * 64 * 5)
    for name in ("QUICK_ROUNDS", "SHORT"):
        monkeypatch.setattr(files, name, Effort(rounds=3, sample_ns=1, budget_ns=1))


def test_a_run_in_small(small, tmp_path, capsys):
    output = files.run(SimpleNamespace(quick=True, only="", output=tmp_path))
    assert (output["tensors"], output["nbytes"]) == (3, 3 * 4 * 64 * 5)
    assert output["cases"].keys() >= bounds.load()["files"].keys() - {"dlpack_ns"}
    assert json.loads((tmp_path / "files.json").read_text())["cases"] == output["cases"]
    assert "load, mapped" in capsys.readouterr().out
    assert isinstance(files.check(output), list)


def test_wrong_tensors_are_noticed():
    data = files.arrays(files.TENSORS * 64 * 4)
    files.same("x", dict(data), data)
    with pytest.raises(AssertionError, match=r"layers\.0\.weight"):
        files.same("x", {**data, "layers.0.weight": data["layers.1.weight"]}, data)
    with pytest.raises(AssertionError, match="names"):
        files.same("x", {}, data)


def test_durations():
    assert [files.duration(n) for n in (640, 1250, 430e6)] == ["640 ns", "1.25 us", "430 ms"]
