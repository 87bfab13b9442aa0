"""Beside the grid: frames of video, conversions inside the copy, batched diagonals; and fresh results."""

from functools import partial

import numpy as np

from . import layouts
from .harness.bounds import Verdict
from .harness.duel import Arena, WrongResult, alone, best_peer, duel, ratio, to_best_peer
from .harness.peers import contenders, package
from .harness.report import Progress, geometric_mean, table, times
from .harness.timing import Contender, Effort, measure

FRESH = (
    "2-d transpose", "NCHW to NHWC, C = 64", "NHWC to NCHW, C = 64", "NCHW to NHWC, C = 3", "NHWC to NCHW, C = 3",
    "BSHD to BHSD, D = 64", "[..., ::2]", "window [:, 100:900]",
)
DIAGONAL = "batched diagonal"


def numbers(x: np.ndarray) -> np.ndarray:
    """Fill x with values that every dtype can hold."""
    np.copyto(x, np.arange(x.size).reshape(x.shape) % 251, casting="unsafe")
    return x


def frames_to_planes(frames, source, output):
    x = source.array((frames, 1080, 1920, 3), np.uint8).transpose(0, 3, 1, 2)
    return x, output.array(x.shape, np.uint8)


def frames_to_pixels(frames, source, output):
    x = source.array((frames, 3, 1080, 1920), np.uint8).transpose(0, 2, 3, 1)
    return x, output.array(x.shape, np.uint8)


def converting_transpose(read, written, nbytes, source, output):
    rows, columns = layouts.near_square(nbytes // 8)
    x = numbers(source.array((rows, columns), read)).T
    return x, output.array(x.shape, written)


def pixels_to_floats(nbytes, source, output):
    n, h, w = layouts.images(nbytes // 4, 3, 512)
    x = numbers(source.array((n, h, w, 3), np.uint8)).transpose(0, 3, 1, 2)
    return x, output.array(x.shape, np.float32)


def integers_to_floats(nbytes, source, output):
    x = numbers(source.array(nbytes // 8, np.int64))
    return x, output.array(x.shape, np.float32)


def cases(nbytes: int) -> dict:
    """Name -> build(source, output)."""
    frames = max(1, nbytes // (1080 * 1920 * 3))
    return {
        "uint8 1080p HWC to CHW, ten frames": partial(frames_to_planes, frames),
        "uint8 1080p CHW to HWC, ten frames": partial(frames_to_pixels, frames),
        "uint8 1080p HWC to CHW, one frame": partial(frames_to_planes, 1),
        "uint8 1080p CHW to HWC, one frame": partial(frames_to_pixels, 1),
        "float32 to float64, transposed": partial(converting_transpose, np.float32, np.float64, nbytes),
        "float64 to float32, transposed": partial(converting_transpose, np.float64, np.float32, nbytes),
        "uint8 HWC to float32 CHW": partial(pixels_to_floats, nbytes),
        "int64 to float32, contiguous": partial(integers_to_floats, nbytes),
        DIAGONAL: partial(layouts.DIAGONALS.arrays, itemsize=4, nbytes=nbytes),
    }


def fresh(layout: layouts.Layout, itemsize: int, nbytes: int, arena: Arena, effort: Effort) -> dict:
    """`contiguous()` into memory that the contender allocates, and frees again."""
    x, _ = layout.arrays(arena.source, arena.output, itemsize, nbytes)
    entrants = [Contender("numpy", partial(np.ascontiguousarray, x))]
    for name in ("stridecore", "torch"):
        module = package(name)
        if module:
            entrants.append(Contender(name, module.from_numpy(x).contiguous))
    expected = np.ascontiguousarray(x).view(np.uint8)
    for entrant in entrants:
        if not np.array_equal(np.asarray(entrant.call()).view(np.uint8), expected):
            raise WrongResult(f"fresh {layout.name}: {entrant.name} differs from NumPy")
    return {name: timing.as_json() for name, timing in measure(entrants, effort).items()}


def run(arena: Arena, nbytes: int, effort: Effort, options) -> dict:
    only, enter = options.only, alone if options.alone else contenders
    chosen = {name: build for name, build in cases(nbytes).items() if only in name}
    again = [(name, itemsize) for name in FRESH for itemsize in (1, 4) if only in f"fresh {name}"]
    progress = Progress("special", len(chosen) + len(again))
    results = {"special": {}, "fresh": {}}
    for name, build in chosen.items():
        progress.step(name)
        results["special"][name] = duel(arena, name, build, effort, enter)
    arena.source.randomize()
    for name, itemsize in again:
        progress.step(f"fresh {name}, {itemsize} B")
        results["fresh"][f"{name}, {itemsize} B"] = fresh(layouts.by_name(name), itemsize, nbytes, arena, effort)
    progress.close()
    return results


def fresh_mean(results: dict, rival: str) -> float | None:
    """The geometric mean of the rival's times over stridecore's."""
    return geometric_mean(quotient(timings, rival) for timings in results["fresh"].values())


def quotient(timings: dict, rival: str) -> float | None:
    if rival in timings and "stridecore" in timings:
        return timings[rival]["median_ns"] / timings["stridecore"]["median_ns"]
    return None


def render(results: dict) -> str:
    parts = []
    rows = [
        [name, times(ratio(cell, "stridecore")), *(times(ratio(cell, who)) for who in ("numpy", "torch", "opencv"))]
        for name, cell in results["special"].items()
    ]
    if rows:
        parts += ["", table(["multiples of memcpy", "stridecore", "numpy", "torch", "opencv"], rows)]
    rows = [
        [name, times(quotient(timings, "numpy")), times(quotient(timings, "torch"))]
        for name, timings in results["fresh"].items()
    ]
    if rows:
        rows.append(["geometric mean", times(fresh_mean(results, "numpy")), times(fresh_mean(results, "torch"))])
        parts += ["", table(["fresh results, contiguous()", "x faster than numpy", "than torch"], rows)]
    return "\n".join(parts)


def check(results: dict, verdict: Verdict, bound: dict) -> None:
    for name, cell in results["special"].items():
        if name == DIAGONAL:
            verdict.at_least(f"{name}, to torch", to_best_peer(cell, ("torch",)), bound["diagonal_to_torch"])
            continue
        verdict.at_least(f"{name}, to memcpy", ratio(cell, "stridecore"), bound["special"][name])
        verdict.at_least(f"{name}, to {best_peer(cell)[0]}", to_best_peer(cell), bound["each_to_best_peer"])
    for rival in ("torch", "numpy"):
        verdict.at_least(f"fresh results, geometric mean to {rival}", fresh_mean(results, rival),
                         bound[f"fresh_mean_to_{rival}"])
