"""The joins that are measured give the same elements in every library."""

import numpy as np
import pytest

from benchmarks import joining


@pytest.mark.parametrize("join", joining.LARGE + joining.SMALL, ids=lambda join: join.name)
def test_every_library_joins_the_same(join, torch):
    arrays = [np.arange(i, i + 24, dtype=np.float32).reshape(4, 6) for i in range(4)]
    pieces = [join.view(arrays[i % 4]).astype(join.dtypes[i % len(join.dtypes)], copy=False) for i in range(join.n)]
    results = {entrant.name: np.asarray(entrant.call()) for entrant in joining.contenders(join, pieces, None)}
    assert set(results) == set(joining.LIBRARIES) and results["numpy"].shape == join.shape(pieces)
    out = np.empty(join.shape(pieces), np.result_type(*join.dtypes))
    for entrant in joining.contenders(join, pieces, out):
        out.fill(-1)
        entrant.call()
        assert np.array_equal(out, results["numpy"]) and np.array_equal(results[entrant.name], out)
