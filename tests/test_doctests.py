"""Every public name has a docstring, and the examples in it run."""

import doctest
import re
import types
import warnings

import numpy as np
import pytest

import stridecore as sc

UNDOCUMENTED = set()  # stays empty
FIELDS = (types.MemberDescriptorType, types.GetSetDescriptorType, property)
PLAIN = (object, tuple, int, float, type)


def members(cls):
    """(name, docstring) of the public attributes that a class or its bases in stridecore define.

    A field (`dtype.itemsize`) has no room for a docstring: there the class has to speak of it.
    """
    for name in dir(cls):
        if name.startswith("_"):
            continue
        home = next(c for c in cls.__mro__ if name in vars(c))
        if home in PLAIN:
            continue
        thing = vars(home)[name]
        thing = getattr(thing, "__func__", thing)
        doc = getattr(thing, "__doc__", None)
        if not doc and isinstance(thing, FIELDS) and re.search(rf"\b{name}\b", cls.__doc__ or ""):
            doc = "a field"
        yield name, doc


def documented():
    """{"stridecore.Tensor.view": docstring} for everything public. Constants have no docstrings of their own."""
    docs = {"stridecore": sc.__doc__}
    for name in dir(sc):
        thing = getattr(sc, name)
        if name.startswith("_") or isinstance(thing, types.ModuleType):
            continue
        if isinstance(thing, type):
            docs[f"stridecore.{name}"] = vars(thing).get("__doc__")
            for member, doc in members(thing):
                docs[f"stridecore.{name}.{member}"] = doc
        elif callable(thing) and not isinstance(thing, sc.dtype):
            docs[f"stridecore.{name}"] = thing.__doc__
    return docs


DOCS = documented()


def test_every_public_name_has_a_docstring():
    without = {name for name, doc in DOCS.items() if not (doc or "").strip()}
    assert without == UNDOCUMENTED


def examples():
    """One parameter a docstring; names that share one (aliases, inherited methods) are tested once."""
    seen, found = set(), []
    for name, doc in DOCS.items():
        if doc and ">>>" in doc and doc not in seen:
            seen.add(doc)
            found.append(name)
    return found


@pytest.mark.parametrize("name", examples())
def test_examples(name):
    test = doctest.DocTestParser().get_doctest(DOCS[name], {"sc": sc, "np": np}, name, None, None)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    output = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runner.run(test, out=output.append)
    assert runner.failures == 0, "".join(output)
