"""The operations whose speed is measured run on every library and say the same."""

import numpy as np
import pytest

from benchmarks import math

CASES = [(size, op) for size, ops in math.OPERATIONS.items() for op in ops]


@pytest.mark.parametrize(("size", "operation"), CASES, ids=lambda case: getattr(case, "name", case))
def test_the_libraries_agree(size, operation, torch):
    results = []
    for library in math.LIBRARIES:
        space = math.names(library, "small")
        results.append(np.asarray(eval(operation.numpy if library == "numpy" else operation.ours, space)))
    for result in results[1:]:
        np.testing.assert_allclose(result, results[0], rtol=1e-5)
