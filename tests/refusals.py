"""What the tests of hostile files share: a file is loaded from its bytes, or refused."""

import io

import crafted as c
import pytest

import stridecore as sc
from stridecore.checkpoint import CheckpointError


def load(data, **options):
    return sc.load(io.BytesIO(data), **options)


def refused(data, match, **options):
    """The file is refused, by a check that was made for it and not by an accident inside."""
    with pytest.raises(CheckpointError, match=match) as caught:
        load(data, **options)
    assert caught.value.__cause__ is None or not isinstance(caught.value.__cause__, LookupError | TypeError)
    with pytest.raises(CheckpointError):
        sc.checkpoint.open(io.BytesIO(data), **options).load()


def refused_value(opcodes, match, records=None, **options):
    refused(c.container(opcodes, records), match, **options)
