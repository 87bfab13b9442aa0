"""The examples of docs/files.md run and print what they show, in a folder of their own."""

import doctest
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "files.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the page is beside the sources only")
def test_the_examples_run(tmp_path, monkeypatch):
    pytest.importorskip("h5py", reason="the page needs h5py")
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8").replace("\\\n", "").replace("```python\n", "").replace("```\n", "\n")
    test = doctest.DocTestParser().get_doctest(text, {}, "docs/files.md", str(PAGE), 0)
    assert len(test.examples) > 40
    output = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=output.append)
    assert runner.failures == 0, "".join(output)
