"""One job, checked and then timed: all contenders against memcpy on the same bytes, interleaved.

Before anything is timed every contender does the job once into wiped memory, and the output buffer, gaps and guard
included, must equal byte for byte what NumPy's assignment leaves there.
"""

from collections.abc import Callable, Iterable

import numpy as np

from . import reference
from .buffers import Buffer, span
from .peers import by_stridecore, contenders
from .report import geometric_mean
from .timing import Contender, Effort, measure


class WrongResult(Exception):
    """A contender's result differs from NumPy's."""


class Arena:
    """The buffers that jobs share: a source, an output, and what NumPy made of it."""

    def __init__(self, source_nbytes: int, output_nbytes: int):
        self.source, self.output, self.expected = map(Buffer, (source_nbytes, output_nbytes, output_nbytes))

    def check(self, pairs: tuple, entrants: Iterable[Contender], name: str) -> None:
        """Run each entrant (NumPy just did) once; raise WrongResult where it does not do what NumPy does."""
        (x, out), (_, expected) = pairs
        nbytes = span(out)
        self.expected.wipe(nbytes)
        with np.errstate(all="ignore"):
            np.copyto(expected, x, casting="unsafe")
        for entrant in entrants:
            if entrant.name == "numpy":
                continue
            self.output.wipe(nbytes)
            if entrant.prepare:
                entrant.prepare()
            entrant.call()
            at = self.output.differs(self.expected, nbytes)
            if at is not None:
                raise WrongResult(f"{name}: {entrant.name} differs from NumPy at byte {at} of {nbytes}")


def alone(x: np.ndarray, out: np.ndarray) -> list[Contender]:
    """stridecore as the only contender beside memcpy."""
    return [by_stridecore(x, out)]


def duel(
    arena: Arena,
    name: str,
    build: Callable[[Buffer, Buffer], tuple[np.ndarray, np.ndarray]],
    effort: Effort,
    enter: Callable[[np.ndarray, np.ndarray], list[Contender]] = contenders,
) -> dict:
    """Check and time one job; `build(source, output)` gives (x, out) and may fill the source."""
    arena.source.randomize()
    x, out = build(arena.source, arena.output)
    entrants = enter(x, out)
    arena.check(((x, out), build(arena.source, arena.expected)), entrants, name)
    moved = x.size * x.itemsize + out.nbytes
    same_bytes = min(moved // 2, arena.source.nbytes, arena.output.nbytes)
    references = [reference.memcpy(arena.output, arena.source, same_bytes)]
    streaming = reference.stream(arena.output, arena.source, same_bytes)
    references += [streaming] if streaming else []
    for r in references:
        r.call()
    timings = measure(references + entrants, effort)
    unit = timings["memcpy"].median * (moved / 2 / same_bytes)
    result = {
        "bytes": moved,
        "shape": list(out.shape),
        "source_strides": list(x.strides),
        "output_strides": list(out.strides),
        "dtypes": [x.dtype.name, out.dtype.name],
        "memcpy_gb_per_s": round(moved / unit, 2),
        "contenders": {},
    }
    for who, timing in timings.items():
        at_memcpy_speed = timings["memcpy"].median if who in ("memcpy", "stream") else unit
        result["contenders"][who] = {
            **timing.as_json(), "times_memcpy": round(at_memcpy_speed / timing.median, 4)
        }
    return result


def ratio(result: dict, who: str) -> float | None:
    """A contender's speed as a multiple of memcpy's, or None where it did not take part."""
    entry = result["contenders"].get(who)
    return entry and entry["times_memcpy"]


def best_peer(result: dict, peers=("numpy", "torch", "opencv", "openblas")) -> tuple[str, float | None]:
    """The fastest contender but stridecore, ("", None) where it was alone."""
    present = [(peer, found) for peer in peers if (found := ratio(result, peer))]
    return max(present, key=lambda pair: pair[1], default=("", None))


def to_best_peer(result: dict, peers=("numpy", "torch", "opencv", "openblas")) -> float | None:
    """stridecore's speed as a multiple of the fastest peer's."""
    best = best_peer(result, peers)[1]
    return best and ratio(result, "stridecore") / best


def mean_ratio(results: Iterable[dict], who: str) -> float | None:
    """The geometric mean of a contender's multiples of memcpy."""
    return geometric_mean(ratio(result, who) for result in results)
