"""The README's examples run and print what they show."""

import doctest
import warnings
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_readme_examples_run():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # typed storages warn as torch's do
        failed, tried = doctest.testfile(str(README), module_relative=False)
    assert tried > 0
    assert failed == 0
