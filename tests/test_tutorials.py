"""The tutorials that people learn strides from, as doctests: every line must hold as printed."""

import doctest
import pathlib

import numpy as np
import pytest

import stridecore as sc

FOLDER = pathlib.Path(__file__).parent / "tutorials"
TUTORIALS = ("slices", "header_and_storage", "points", "views", "files")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TUTORIALS)
def test_tutorial_runs_as_printed(name, tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    monkeypatch.chdir(tmp_path)
    failed, attempted = doctest.testfile(
        str(FOLDER / f"{name}.txt"), module_relative=False, globs={"sc": sc, "np": np}, encoding="utf-8"
    )
    assert attempted > 0
    assert failed == 0, f"{failed} of {attempted} lines print something else"


def test_no_tutorial_is_left_out():
    assert sorted(TUTORIALS) == sorted(path.stem for path in FOLDER.glob("*.txt"))
