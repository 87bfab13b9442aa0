"""The examples of docs/checkpoints.md print what they show."""

import doctest
import shutil
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "checkpoints.md"
FILES = Path(__file__).with_name("files")


@pytest.mark.skipif(not PAGE.exists(), reason="the page is beside the sources only")
def test_the_examples_of_the_page(tmp_path, monkeypatch):
    shutil.copy(FILES / "module.pt", tmp_path)
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8").replace("```", "")
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    assert len(test.examples) > 4
    assert doctest.DocTestRunner().run(test).failed == 0
