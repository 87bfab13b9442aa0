"""The operations whose cost a call is measured run on every library."""

import pytest

from benchmarks import small


@pytest.mark.parametrize("operation", small.OPERATIONS, ids=lambda op: op.name)
def test_the_statement_runs(operation):
    small.compiled(operation.ours, small.names("stridecore"))()


@pytest.mark.parametrize("operation", small.OPERATIONS, ids=lambda op: op.name)
def test_numpy_has_a_counterpart(operation):
    small.compiled(operation.numpy, small.names("numpy"))()


@pytest.mark.parametrize("operation", small.OPERATIONS, ids=lambda op: op.name)
def test_torch_understands_the_statement(operation, torch):
    small.compiled(operation.ours, small.names("torch"))()
