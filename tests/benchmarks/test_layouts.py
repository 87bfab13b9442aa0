"""The grid's copies are what their names say, at sizes that a test can afford, and its bounds cover every case."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from benchmarks import layouts, special
from benchmarks.harness import bounds
from benchmarks.harness.buffers import Buffer, span
from benchmarks.harness.duel import Arena, WrongResult, duel
from benchmarks.harness.timing import Contender, Effort

EVERY = [*layouts.GRID, layouts.DIAGONALS, layouts.NEIGHBOUR]
BRIEF = Effort(rounds=3, sample_ns=1, budget_ns=1)


@pytest.fixture(scope="module")
def arena():
    return Arena(4 << 20, 2 << 20)


@pytest.mark.parametrize("itemsize", layouts.ITEM_SIZES)
@pytest.mark.parametrize("layout", EVERY, ids=lambda layout: layout.name)
def test_every_contender_copies_every_layout(layout, itemsize, arena):
    result = duel(arena, layout.name, lambda s, o: layout.arrays(s, o, itemsize, 1 << 18), BRIEF)
    assert {"memcpy", "stridecore", "numpy"} <= set(result["contenders"])


class Ruler:
    """Stands for a buffer of so many bytes, without the memory."""

    def __init__(self, nbytes):
        self.nbytes = nbytes

    def array(self, shape, dtype):
        sizes = np.atleast_1d(shape)
        assert np.prod(sizes) * dtype.itemsize <= self.nbytes
        return as_strided(np.zeros(1, dtype), sizes, [0] * len(sizes))


@pytest.mark.parametrize("itemsize", layouts.ITEM_SIZES)
@pytest.mark.parametrize("layout", EVERY, ids=lambda layout: layout.name)
def test_the_real_sizes_fit_the_arena_and_fill_it(layout, itemsize):
    nbytes = 64 << 20
    x, out = layout.arrays(Ruler(layout.reads * nbytes + nbytes // 16), Ruler(nbytes + nbytes // 16), itemsize, nbytes)
    assert x.shape == out.shape
    read = 64 if layout is layouts.DIAGONALS else 1
    assert 0.75 * nbytes <= read * out.nbytes <= 1.05 * nbytes


def test_shapes():
    assert layouts.near_square(1 << 24) == (4096, 4096)
    assert layouts.near_square(1 << 25) == (4096, 8192)
    assert layouts.images(1 << 24, 64, 128) == (16, 128, 128)
    assert layouts.six_dims(1 << 24) == (16,) * 6


def test_arrays_of_a_transpose():
    source, output = Buffer(1 << 16), Buffer(1 << 16)
    x, out = layouts.by_name("2-d transpose").arrays(source, output, 4, 1 << 14)
    assert (x.shape, x.strides, out.strides) == ((64, 64), (4, 256), (256, 4))
    assert source.address % (2 << 20) == 0 and span(x) == 1 << 14


def test_a_wrong_result_is_refused(arena):
    def nothing(x, out):
        return [Contender("idle", lambda: None)]

    def overrun(x, out):
        def call():
            np.copyto(out, x)
            arena.output.bytes[out.nbytes] = 0

        return [Contender("overrun", call)]

    for enter in (nothing, overrun):
        with pytest.raises(WrongResult, match="differs from NumPy at byte"):
            duel(arena, "contiguous", lambda s, o: layouts.GRID[0].arrays(s, o, 4, 4096), BRIEF, enter)


def test_every_case_has_a_floor():
    bound = bounds.load()["copies"]
    assert {layout.row for layout in layouts.GRID} == set(bound["floors"])
    assert all(set(row) == {"1", "2", "4", "8", "16"} for row in bound["floors"].values())
    assert set(special.cases(1 << 20)) - {special.DIAGONAL} == set(bound["special"])
