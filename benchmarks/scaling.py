"""How the cost of a copy depends on its size and shape: what fits the cache, 1 GiB, powers of two, nothing at all."""

from functools import partial

import numpy as np

from . import layouts
from .harness import reference
from .harness.bounds import Verdict
from .harness.buffers import Buffer
from .harness.duel import Arena, alone, duel, ratio
from .harness.peers import by_stridecore
from .harness.report import Progress, size, table, times
from .harness.timing import Effort, measure

CACHED = (16 << 10, 64 << 10, 256 << 10, 1 << 20)
LARGE = 1 << 30
LARGE_CASES = ("contiguous", "2-d transpose", "NCHW to NHWC, C = 64", "NHWC to NCHW, C = 3", "BSHD to BHSD, D = 64")


def cost(arena: Arena, layout: layouts.Layout, itemsize: int, nbytes: int, effort: Effort) -> float:
    """Nanoseconds a byte, read or written."""
    build = partial(layout.arrays, itemsize=itemsize, nbytes=nbytes)
    result = duel(arena, layout.name, build, effort, alone)
    return result["contenders"]["stridecore"]["median_ns"] / result["bytes"]


def fixed_cost(effort: Effort) -> float:
    """Nanoseconds that copying an 8 x 8 transpose takes: next to nothing is moved."""
    x, out = layouts.transpose(Buffer(4096), Buffer(4096), np.dtype(np.float32), 64)
    return measure([by_stridecore(x, out)], effort)["stridecore"].median


def loads(huge: Arena, nbytes: int, effort: Effort) -> float:
    """How much dearer a byte is to a loop that only loads, 1 GiB to 64 MiB: of the smaller one a large cache holds a
    part, so that no copy's cost stays the same."""
    cost = []
    for n in (LARGE, nbytes):
        loops = [reference.memcpy(huge.output, huge.source, n), reference.load(huge.source, n)]
        if loops[1] is None:
            return 1.0
        cost.append(measure(loops, effort)["load"].median / n)
    return max(1.0, cost[0] / cost[1])


def run(arena: Arena, nbytes: int, effort: Effort, quick: bool) -> dict:
    transpose = layouts.by_name("2-d transpose")
    large = () if quick else LARGE_CASES
    progress = Progress("scaling", len(CACHED) * 5 + 5 + len(large))
    results = {"fixed_cost_ns": fixed_cost(effort), "cached": {}, "neighbours": {}, "large": {}}
    for length in CACHED:
        for itemsize in layouts.ITEM_SIZES:
            progress.step(f"transpose, {itemsize} B, {size(length)}")
            build = partial(transpose.arrays, itemsize=itemsize, nbytes=length)
            results["cached"].setdefault(length, {})[itemsize] = duel(arena, transpose.name, build, effort)
    for itemsize in layouts.ITEM_SIZES:
        progress.step(f"neighbouring shapes, {itemsize} B")
        results["neighbours"][itemsize] = {
            "power of two": cost(arena, transpose, itemsize, nbytes, effort),
            "neighbour": cost(arena, layouts.NEIGHBOUR, itemsize, nbytes, effort),
        }
    huge = Arena(LARGE, LARGE) if large else None
    if huge:
        results["loads"] = loads(huge, nbytes, effort)
    for name in large:
        progress.step(f"1 GiB, {name}")
        layout = layouts.by_name(name)
        results["large"][name] = {
            "64 MiB": cost(arena, layout, 4, nbytes, effort), "1 GiB": cost(huge, layout, 4, LARGE, effort),
        }
    progress.close()
    return results


def to_memcpy_without_fixed_cost(cell: dict, fixed_ns: float) -> float:
    """A multiple of memcpy's speed with an allowed cost a call taken off."""
    took = cell["contenders"]["stridecore"]["median_ns"]
    return ratio(cell, "stridecore") * took / max(took - fixed_ns, 1)


def render(results: dict) -> str:
    if "cached" not in results:
        return ""
    fixed = results["fixed_cost_ns"]
    rows = [
        [size(length), *(f"{times(ratio(c, 'stridecore'))} ({times(to_memcpy_without_fixed_cost(c, fixed))})"
                         for c in cells.values())]
        for length, cells in results["cached"].items()
    ]
    sizes = [f"{itemsize} B" for itemsize in layouts.ITEM_SIZES]
    parts = [
        "", f"Transposes that fit the cache, multiples of memcpy (in brackets without the {fixed:.0f} ns that copying "
        "8 x 8 takes):", table(["size", *sizes], rows), "",
        "Cost a byte, a power-of-two shape to its neighbour: " + ", ".join(
            f"{itemsize} B {both['power of two'] / both['neighbour']:.2f}"
            for itemsize, both in results["neighbours"].items()
        ),
    ]
    if results["large"]:
        parts.append(f"Cost a byte, 1 GiB to 64 MiB, a loop that only loads {results['loads']:.2f}: " + ", ".join(
            f"{name} {both['1 GiB'] / both['64 MiB']:.2f}" for name, both in results["large"].items()
        ))
    return "\n".join(parts)


def check(results: dict, verdict: Verdict, bound: dict) -> None:
    if "cached" not in results:
        return
    verdict.at_most("fixed cost of a copy, ns", results["fixed_cost_ns"], bound["fixed_cost_ns"])
    for length, cells in results["cached"].items():
        for itemsize, cell in cells.items():
            value = to_memcpy_without_fixed_cost(cell, bound["fixed_cost_ns"])
            verdict.at_least(f"cached transpose, {itemsize} B, {size(length)}, to memcpy", value,
                             bound["cached_transpose_to_memcpy"])
    for itemsize, both in results["neighbours"].items():
        verdict.at_most(f"power-of-two shape to its neighbour, {itemsize} B, cost a byte",
                        both["power of two"] / both["neighbour"], bound["cost_per_byte_rise"])
    for name, both in results["large"].items():
        verdict.at_most(f"1 GiB to 64 MiB, {name}, cost a byte, to that of loads",
                        both["1 GiB"] / both["64 MiB"] / results["loads"], bound["cost_per_byte_rise"])
