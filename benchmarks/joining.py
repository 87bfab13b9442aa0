"""cat and stack beside NumPy's and torch's: large ones into ready memory and into fresh, and what a small call costs.

Large pieces are float32 (1024, 2048) matrices, 8 MiB each; numbers are multiples of memcpy's speed on the same bytes
(read and written). Small pieces are 10 x 10; numbers are nanoseconds a call. NumPy's fresh results of transposed pieces
are transposed themselves, so that it copies in order; stridecore's are row-major, as torch's.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .harness import bounds, reference
from .harness.buffers import Buffer
from .harness.peers import package, set_threads
from .harness.report import Progress, geometric_mean, machine, table, times, write_json
from .harness.timing import QUICK, USUAL, Contender, measure

LIBRARIES = ("stridecore", "numpy", "torch")
SHAPE = (1024, 2048)
NBYTES = 8 << 20


@dataclass(frozen=True)
class Join:
    """n pieces, each `view` of a ready matrix, joined along `dim`."""

    name: str
    function: str
    dim: int
    n: int = 4
    view: Callable = lambda x: x
    dtypes: tuple = (np.float32,)

    def shape(self, pieces):
        """The result's."""
        return (np.stack if self.function == "stack" else np.concatenate)(pieces, self.dim).shape


LARGE = (
    Join("cat, dim 0", "cat", 0),
    Join("cat, dim 1", "cat", 1),
    Join("cat, dim 0, transposed", "cat", 0, view=lambda x: x.T),
    Join("cat, dim 1, transposed", "cat", 1, view=lambda x: x.T),
    Join("cat, dim 0, every second column", "cat", 0, view=lambda x: x[:, ::2]),
    Join("cat, dim 0, float32 with float64", "cat", 0, dtypes=(np.float32, np.float64)),
    Join("stack, dim 0", "stack", 0),
    Join("stack, dim 1", "stack", 1),
    Join("stack, last dim", "stack", 2),
    Join("stack, last dim, two", "stack", 2, n=2),
    Join("stack, dim 0, transposed", "stack", 0, view=lambda x: x.T),
    Join("stack, dim 0, 1000 rows", "stack", 0, n=1000, view=lambda x: x[0]),
)
SMALL = (
    Join("cat, two, dim 0", "cat", 0, n=2),
    Join("cat, two, dim 1", "cat", 1, n=2),
    Join("cat, two transposed", "cat", 0, n=2, view=lambda x: x.T),
    Join("cat, ten", "cat", 0, n=10),
    Join("stack, two, dim 0", "stack", 0, n=2),
    Join("stack, two, last dim", "stack", 2, n=2),
    Join("stack, ten", "stack", 0, n=10),
)


def contenders(join: Join, pieces: list, out) -> list[Contender]:
    """Everyone's call; into `out` unless that is None."""
    entrants = []
    for library in LIBRARIES:
        module = np if library == "numpy" else package(library)
        if module is None:
            continue
        function = getattr(module, "concatenate" if library == "numpy" and join.function == "cat" else join.function)
        own = pieces if library == "numpy" else [module.from_numpy(x) for x in pieces]
        if out is None:
            entrants.append(Contender(library, lambda f=function, x=own: f(x, join.dim)))
        else:
            to = out if library == "numpy" else module.from_numpy(out)
            entrants.append(Contender(library, lambda f=function, x=own, to=to: f(x, join.dim, out=to)))
    for entrant in entrants:
        entrant.call()
    return entrants


def measure_large(join: Join, buffers: list[Buffer], ready: Buffer, effort) -> dict:
    """{"ready" or "fresh": {library: speed as a multiple of memcpy's}}."""
    arrays = [b.array(SHAPE, np.float32) for b in buffers]
    views = [join.view(arrays[i % len(arrays)]) for i in range(join.n)]
    pieces = [x.astype(join.dtypes[i % len(join.dtypes)], copy=False) for i, x in enumerate(views)]
    dtype = np.result_type(*join.dtypes)
    out = ready.array(join.shape(pieces), dtype)
    memcpy = reference.memcpy(buffers[0], buffers[1], NBYTES)
    moved = sum(x.nbytes for x in pieces) + out.nbytes
    result = {}
    for where, target in (("ready", out), ("fresh", None)):
        timings = measure([*contenders(join, pieces, target), memcpy], effort)
        speed = 2 * NBYTES / timings["memcpy"].median
        result[where] = {
            name: round(moved / timings[name].median / speed, 4) for name in LIBRARIES if name in timings
        }
    return result


def measure_small(join: Join, effort) -> dict:
    pieces = [join.view(np.ones((10, 10), np.float32)) for _ in range(join.n)]
    timings = measure(contenders(join, pieces, None), effort)
    return {name: round(timing.median, 1) for name, timing in timings.items()}


def run(options) -> dict:
    """Measure, print, write joining.json; returns the results."""
    set_threads(1)
    effort = QUICK if options.quick else USUAL
    large = [join for join in LARGE if options.only in join.name]
    small = [join for join in SMALL if options.only in join.name]
    buffers = [Buffer(NBYTES) for _ in range(4)]
    for buffer in buffers:
        buffer.randomize()
    ready = Buffer(8 * NBYTES)
    progress = Progress("joining", len(large) + len(small))
    results = {"large": {}, "small": {}}
    for join in large:
        progress.step(join.name)
        results["large"][join.name] = measure_large(join, buffers, ready, effort)
    for join in small:
        progress.step(join.name)
        results["small"][join.name] = measure_small(join, effort)
    progress.close()
    print(render(results))
    print(f"\nwritten: {write_json(options.output, 'joining', results)}")
    return results


def to_rival(entry: dict, rival: str, lower_is_better: bool) -> float | None:
    """stridecore's advantage over a rival: > 1 where it is faster."""
    if rival not in entry:
        return None
    ours, theirs = entry["stridecore"], entry[rival]
    return theirs / ours if lower_is_better else ours / theirs


def advantages(results: dict, rival: str):
    """(what, advantage) of every cell."""
    for name, cell in results["large"].items():
        for where in ("ready", "fresh"):
            yield f"{name}, {where} memory", to_rival(cell[where], rival, lower_is_better=False)
    for name, entry in results["small"].items():
        yield f"{name}, 10 x 10", to_rival(entry, rival, lower_is_better=True)


def render(results: dict) -> str:
    rows = [
        [name, *[times(cell[where].get(library)) for where in ("ready", "fresh") for library in LIBRARIES]]
        for name, cell in results["large"].items()
    ]
    headings = ["8 MiB pieces, times memcpy", *LIBRARIES, *[f"fresh: {library}" for library in LIBRARIES]]
    parts = [f"cat and stack on one thread; {machine()['cpu']}.\n", table(headings, rows)]
    rows = [
        [name, *[f"{entry[library]:.0f}" if library in entry else "-" for library in LIBRARIES]]
        for name, entry in results["small"].items()
    ]
    parts += ["", table(["10 x 10 pieces, ns a call", *LIBRARIES], rows)]
    for rival in ("numpy", "torch"):
        mean = geometric_mean([value for _, value in advantages(results, rival)])
        if mean:
            parts.append(f"geometric mean of the advantage over {rival}: {mean:.2f}")
    return "\n".join(parts)


def check(results: dict) -> list[str]:
    """What misses its bound."""
    verdict, bound = bounds.Verdict(), bounds.load()["joining"]
    for rival in ("numpy", "torch"):
        for what, value in advantages(results, rival):
            verdict.at_least(f"{what}, to {rival}", value, bound[f"each_to_{rival}"])
        mean = geometric_mean([value for _, value in advantages(results, rival)])
        verdict.at_least(f"geometric mean to {rival}", mean, bound[f"mean_to_{rival}"])
    return verdict.missed
