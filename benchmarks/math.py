"""Arithmetic: what a small operation costs, and how long a large one takes, beside NumPy and torch on one thread.

Small and reduced operands are 3 x 3, large ones 1500 x 1500, float32 but for i, which is int64. Each library works on
memory of its own, and every result is a new tensor, as in an expression that somebody types.
"""

from dataclasses import dataclass

import numpy as np

from .harness import bounds
from .harness.peers import package
from .harness.report import Progress, geometric_mean, machine, table, times, write_json
from .harness.timing import QUICK, Contender, Effort, measure
from .small import UNROLL, compiled

LIBRARIES = ("stridecore", "numpy", "torch")
USUAL = Effort(rounds=31, sample_ns=1_000_000, budget_ns=300_000_000)
SHAPES = {"small": (3, 3), "large": (1500, 1500), "reduced": (3, 3)}


@dataclass(frozen=True)
class Operation:
    """The statement for stridecore and torch, and NumPy's counterpart."""

    ours: str
    numpy: str

    @property
    def name(self) -> str:
        return self.ours.replace("lib.", "")


def _operations(*statements):
    return [Operation(*(each if isinstance(each, tuple) else (each, each))) for each in statements]


BINARY = _operations(
    "x + y", "x - y", "x * y", "x / y", "x == y", "x < y", "x + 2.0", "3.0 - x", "x ** 2", "-x", "i + i", "i * 3",
    "x.T + y", "x + row", ("sum.add_(y)", "sum.__iadd__(y)"), ("x.add(y)", "np.add(x, y)"),
    ("lib.mul(x, y)", "np.multiply(x, y)"),
)
UNARY = _operations(("lib.exp(x)", "np.exp(x)"), ("lib.sqrt(x)", "np.sqrt(x)"), ("x.abs()", "np.abs(x)"),
                    ("lib.maximum(x, y)", "np.maximum(x, y)"))
REDUCTIONS = _operations("x.sum()", "x.sum(0)", "x.mean()", "x.max()", "x.any()", "x.argmax()", "x.cumsum(0)")
OPERATIONS = {"small": [*BINARY, *UNARY], "large": [*BINARY, *UNARY], "reduced": REDUCTIONS}


def names(library: str, size: str) -> dict:
    """What the statements find under their names."""
    shape = SHAPES[size]
    x = np.linspace(0.5, 2, shape[0] * shape[1], dtype=np.float32).reshape(shape)
    arrays = {"x": x, "y": x[::-1] / 1000, "row": x[0].copy(), "sum": x.copy(),
              "i": np.arange(x.size).reshape(x.shape)}
    if library == "numpy":
        return {"np": np, **arrays}
    module = package(library)
    return {"lib": module, **{name: module.from_numpy(array).clone() for name, array in arrays.items()}}


def run(options) -> dict:
    """Measure, print, write math.json; returns the results."""
    effort = QUICK if options.quick else USUAL
    torch = package("torch")
    if torch:
        torch.set_num_threads(1)
    cases = [(size, op) for size, ops in OPERATIONS.items() for op in ops if options.only in f"{size} {op.name}"]
    progress = Progress("math", len(cases))
    results = {}
    spaces = {(library, size): names(library, size) for size in SHAPES for library in LIBRARIES
              if library == "numpy" or package(library)}
    for size, op in cases:
        progress.step(f"{size} {op.name}")
        entrants = []
        for library in LIBRARIES:
            space = spaces.get((library, size))
            if space is None:
                continue
            call = compiled(op.numpy if library == "numpy" else op.ours, space)
            call()
            entrants.append(Contender(library, call, calls=UNROLL))
        timings = measure(entrants, effort)
        entry = {library: timing.as_json() for library, timing in timings.items()}
        entry |= {
            f"to_{rival}": round(timings["stridecore"].median / timings[rival].median, 4)
            for rival in ("numpy", "torch") if rival in timings
        }
        results[f"{size} {op.name}"] = entry
    progress.close()
    output = {"operations": results, "means": means(results)}
    print(render(output))
    print(f"\nwritten: {write_json(options.output, 'math', output)}")
    return output


def means(results: dict) -> dict:
    return {
        size: {
            rival: geometric_mean(entry.get(f"to_{rival}") for name, entry in results.items() if name.startswith(size))
            for rival in ("numpy", "torch")
        }
        for size in SHAPES
    }


def render(output: dict) -> str:
    rows = []
    for name, entry in output["operations"].items():
        nanoseconds = [f"{entry[library]['median_ns']:.0f}" if library in entry else "-" for library in LIBRARIES]
        rows.append([name, *nanoseconds, times(entry.get("to_numpy")), times(entry.get("to_torch"))])
    for size, mean in output["means"].items():
        rows.append([f"{size}, geometric mean", "", "", "", times(mean["numpy"]), times(mean["torch"])])
    title = f"Nanoseconds a call, and as multiples of NumPy's and torch's (lower is better); {machine()['cpu']}.\n"
    return f"{title}\n{table(['operation', *LIBRARIES, 'to numpy', 'to torch'], rows)}"


def check(output: dict) -> list[str]:
    """What misses its bound."""
    verdict, bound = bounds.Verdict(), bounds.load()["math"]
    for name, entry in output["operations"].items():
        size = name.split()[0]
        in_python = bound["read_in_python_to_numpy"].get(name)
        verdict.at_most(f"{name}, to NumPy", entry.get("to_numpy"), in_python or bound[f"{size}_each_to_numpy"])
        if size == "small" and not in_python:
            verdict.at_most(f"{name}, to torch", entry.get("to_torch"), bound["small_each_to_torch"])
    verdict.at_most("large, geometric mean to NumPy", output["means"]["large"]["numpy"], bound["large_mean_to_numpy"])
    return verdict.missed
