"""The copies of the grid as strided layouts: each is one assignment `out[...] = x` between two NumPy arrays.

A layout is built for an item size and a number of output bytes over a source and an output buffer; the arrays share
the buffers' memory, so every contender sees the same bytes. Bytes counted are those of the elements read plus those
written: for `[..., ::2]` a copy touches twice the cache lines of its source, and its floor says so.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .harness.buffers import Buffer

DTYPES = {1: np.dtype("u1"), 2: np.dtype("i2"), 4: np.dtype("f4"), 8: np.dtype("f8"), 16: np.dtype("c16")}
ITEM_SIZES = tuple(DTYPES)


@dataclass(frozen=True)
class Layout:
    """`build(source, output, dtype, numel)` returns (x, out); `row` names the line of the table with its floors."""

    name: str
    row: str
    build: Callable[[Buffer, Buffer, np.dtype, int], tuple[np.ndarray, np.ndarray]]
    reads: int = 1  # the source buffer spans this many times the output's bytes

    def arrays(self, source: Buffer, output: Buffer, itemsize: int, nbytes: int) -> tuple[np.ndarray, np.ndarray]:
        return self.build(source, output, DTYPES[itemsize], nbytes // itemsize)


def near_square(numel: int) -> tuple[int, int]:
    """Two powers of two, the first not larger, with a product of at most numel: 4096 x 4096 for 2**24."""
    rows = 1 << (numel.bit_length() - 1) // 2
    return rows, numel // rows


def images(numel: int, channels: int, side: int) -> tuple[int, int, int]:
    """(n, height, width) of a batch of at most `side` x `side` pixels; small batches are one smaller image."""
    while side > 8 and channels * side * side > numel:
        side //= 2
    return max(1, numel // (channels * side * side)), side, side


def six_dims(numel: int) -> tuple[int, ...]:
    """Six nearly equal sizes."""
    sizes = [max(1, int(numel ** (1 / 6) + 1e-9))] * 6
    for dim in range(6):
        if np.prod(sizes) // sizes[dim] * (sizes[dim] + 1) <= numel:
            sizes[dim] += 1
    return tuple(sizes)


def contiguous(source, output, dtype, numel):
    return source.array(numel, dtype), output.array(numel, dtype)


def transpose(source, output, dtype, numel):
    rows, columns = near_square(numel)
    return source.array((rows, columns), dtype).T, output.array((columns, rows), dtype)


def odd_transpose(source, output, dtype, numel):
    rows, columns = near_square(numel)
    return source.array((rows - 5, columns - 3), dtype).T, output.array((columns - 3, rows - 5), dtype)


def neighbour_transpose(source, output, dtype, numel):
    rows, columns = near_square(numel)
    rows, columns = rows + rows // 64, columns + columns // 64
    return source.array((rows, columns), dtype).T, output.array((columns, rows), dtype)


def scatter(source, output, dtype, numel):
    rows, columns = near_square(numel)
    return source.array((rows, columns), dtype), output.array((columns, rows), dtype).T


def to_channels_last(channels, side):
    def build(source, output, dtype, numel):
        n, h, w = images(numel, channels, side)
        return source.array((n, channels, h, w), dtype).transpose(0, 2, 3, 1), output.array((n, h, w, channels), dtype)

    return build


def to_channels_first(channels, side):
    def build(source, output, dtype, numel):
        n, h, w = images(numel, channels, side)
        return source.array((n, h, w, channels), dtype).transpose(0, 3, 1, 2), output.array((n, channels, h, w), dtype)

    return build


def reversed_axes(source, output, dtype, numel):
    sizes = six_dims(numel)
    return source.array(sizes, dtype).transpose(5, 4, 3, 2, 1, 0), output.array(sizes[::-1], dtype)


def thin(source, output, dtype, numel):
    return source.array((numel // 8, 8), dtype).T, output.array((8, numel // 8), dtype)


def wide(source, output, dtype, numel):
    return source.array((8, numel // 8), dtype).T, output.array((numel // 8, 8), dtype)


def heads(source, output, dtype, numel):
    h, d = 16, 64
    s = min(2048, numel // (h * d))
    b = numel // (s * h * d)
    return source.array((b, s, h, d), dtype).transpose(0, 2, 1, 3), output.array((b, h, s, d), dtype)


def steps(step):
    def build(source, output, dtype, numel):
        columns = min(4096, numel)
        rows = numel // columns
        return source.array((rows, columns * step), dtype)[..., ::step], output.array((rows, columns), dtype)

    return build


def every_other_row(source, output, dtype, numel):
    rows = numel // 1024
    return source.array((2 * rows, 1024), dtype)[::2], output.array((rows, 1024), dtype)


def window(source, output, dtype, numel):
    rows = numel // 1024
    return source.array((rows, 1024), dtype)[:, 100:900], output.array((rows, 800), dtype)


def reversed_both(source, output, dtype, numel):
    rows, columns = near_square(numel)
    return source.array((rows, columns), dtype)[::-1, ::-1], output.array((rows, columns), dtype)


def expanded(source, output, dtype, numel):
    rows, columns = near_square(numel)
    x = source.array((rows, 1), dtype)
    return as_strided(x, (rows, columns), (x.itemsize, 0)), output.array((rows, columns), dtype)


def im2col(source, output, dtype, numel):
    side = 128
    while side > 8 and 9 * side * side > numel:
        side //= 2
    c = max(1, numel // (9 * side * side))
    x = source.array((c, side + 2, side + 2), dtype)
    s = x.strides
    view = as_strided(x, (c, 3, 3, side, side), (s[0], s[1], s[2], s[1], s[2]))
    return view, output.array((c, 3, 3, side, side), dtype)


def diagonals(source, output, dtype, numel):
    """Diagonals of matrices of 64 x 64; `numel` counts the source, of which one element in 64 is read."""
    batch = numel // 4096
    x = source.array((batch, 64, 64), dtype)
    return as_strided(x, (batch, 64), (x.strides[0], 65 * x.itemsize)), output.array((batch, 64), dtype)


GRID = (
    Layout("contiguous", "contiguous", contiguous),
    Layout("2-d transpose", "2-d transpose", transpose),
    Layout("2-d transpose, odd sizes", "2-d transpose, odd sizes", odd_transpose),
    Layout("NCHW to NHWC, C = 64", "NCHW to NHWC, C = 64", to_channels_last(64, 128)),
    Layout("NHWC to NCHW, C = 64", "NHWC to NCHW, C = 64", to_channels_first(64, 128)),
    Layout("NCHW to NHWC, C = 3", "NCHW to NHWC, C = 3 and 4", to_channels_last(3, 512)),
    Layout("NCHW to NHWC, C = 4", "NCHW to NHWC, C = 3 and 4", to_channels_last(4, 512)),
    Layout("NHWC to NCHW, C = 3", "NHWC to NCHW, C = 3 and 4", to_channels_first(3, 512)),
    Layout("NHWC to NCHW, C = 4", "NHWC to NCHW, C = 3 and 4", to_channels_first(4, 512)),
    Layout("6-d, all axes reversed", "6-d, all axes reversed", reversed_axes),
    Layout("(n, 8).T", "(n, 8).T", thin),
    Layout("(8, n).T", "(8, n).T", wide),
    Layout("BSHD to BHSD, D = 64", "BSHD to BHSD, D = 64", heads),
    Layout("[..., ::2]", "[..., ::2]", steps(2), reads=2),
    Layout("[..., ::3]", "[..., ::3]", steps(3), reads=3),
    Layout("rows [::2]", "rows and windows", every_other_row, reads=2),
    Layout("window [:, 100:900]", "rows and windows", window),
    Layout("both axes reversed", "both axes reversed", reversed_both),
    Layout("expanded columns", "expanded and im2col", expanded),
    Layout("im2col 3x3", "expanded and im2col", im2col),
    Layout("scatter, out.T.copy_(x)", "scatter, out.T.copy_(x)", scatter),
)

DIAGONALS = Layout("batched diagonal", "batched diagonal", diagonals)
NEIGHBOUR = Layout("2-d transpose, neighbour", "2-d transpose, neighbour", neighbour_transpose)


def by_name(name: str) -> Layout:
    return next(layout for layout in GRID if layout.name == name)
