"""Public names of the readers have docstrings, and the examples in them run."""

import doctest
import importlib
import pkgutil

import pytest

from stridecore import checkpoint

MODULES = [name for _, name, _ in pkgutil.iter_modules(checkpoint.__path__) if name != "__main__"]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"stridecore.checkpoint.{name}")
    assert module.__doc__
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("cls", [checkpoint.Checkpoint, checkpoint.CheckpointError])
def test_docstrings(cls):
    assert cls.__doc__
    assert all(thing.__doc__ for name, thing in vars(cls).items() if callable(thing) and not name.startswith("_"))
