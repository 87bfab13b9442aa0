"""What one call costs: element reads and writes, views and small tensors beside NumPy's and torch's counterparts.

Each operation is a statement that is compiled once a library, ten times in a row in the body of a loop, so that the
loop itself weighs next to nothing. NumPy's counterpart is its cheapest idiom for the same thing. x is a 10 x 10
float32 matrix, c a 4 x 5 x 6 one, s has no dims, d is a second 10 x 10 matrix, l a nested list of 10 x 10 numbers.
"""

from dataclasses import dataclass

import numpy as np

from .harness import bounds
from .harness.peers import package
from .harness.report import Progress, geometric_mean, machine, table, times, write_json
from .harness.timing import QUICK, Contender, Effort, measure

UNROLL = 10
LIBRARIES = ("stridecore", "numpy", "torch")
USUAL = Effort(rounds=41, sample_ns=1_000_000, budget_ns=200_000_000)


@dataclass(frozen=True)
class Operation:
    """The statement for stridecore and torch, NumPy's counterpart, and whether it is a read, write or view."""

    ours: str
    numpy: str
    is_view: bool = True

    @property
    def name(self) -> str:
        return self.ours.replace("np.", "").replace("lib.", "")


def _operations(is_view, *pairs):
    return [Operation(ours, numpy or ours, is_view) for ours, numpy in pairs]


OPERATIONS = (
    *_operations(
        True,
        ("x[1, 2]", ""), ("float(x[1, 2])", ""), ("x[1, 2].item()", ""), ("s.item()", ""),
        ("x[1]", ""), ("x[1:, 1:]", ""), ("x[:, ::2]", ""), ("x[..., None]", ""),
        ("x.T", ""), ("x.t()", "x.transpose()"), ("x.transpose(0, 1)", "x.swapaxes(0, 1)"),
        ("c.permute(2, 0, 1)", "c.transpose(2, 0, 1)"), ("x.view(20, 5)", "x.reshape(20, 5)"),
        ("x.reshape(20, 5)", ""), ("row.expand(10, 10)", "np.broadcast_to(row, (10, 10))"),
        ("x.as_strided((5, 5), (10, 2))", "as_strided(x, (5, 5), (40, 8))"), ("x.narrow(1, 2, 3)", "x[:, 2:5]"),
        ("x.unsqueeze(1)", "x[:, None]"), ("one.squeeze(1)", "one.squeeze(1)"), ("x.diagonal()", ""),
        ("c.flatten()", "c.reshape(-1)"), ("x.unbind()", "tuple(x)"), ("x.split(5)", "np.split(x, 2)"),
        ("for row in x: pass", ""), ("x[1, 2] = 5.0", ""),
    ),
    *_operations(
        False,
        ("x[1:, 1:] = 0", ""), ("x[0] = x[1]", ""), ("x.shape", ""), ("x.stride()", "x.strides"),
        ("x.is_contiguous()", "x.flags.c_contiguous"), ("len(x)", ""), ("lib.empty((10, 10))", "np.empty((10, 10))"),
        ("lib.zeros((10, 10))", "np.zeros((10, 10))"), ("lib.arange(10)", "np.arange(10)"),
        ("lib.tensor(l)", "np.array(l, np.float32)"), ("x.clone()", "x.copy()"), ("x.copy_(d)", "np.copyto(x, d)"),
        ("x.T.contiguous()", "np.ascontiguousarray(x.T)"), ("x.tolist()", ""),
    ),
)


def names(library: str) -> dict:
    """What the statements find under their names."""
    module = np if library == "numpy" else package(library)
    make = np.array if library == "numpy" else module.tensor
    ten = [[float(10 * i + j) for j in range(10)] for i in range(10)]
    cube = [[[float(i + j + k) for k in range(6)] for j in range(5)] for i in range(4)]
    dtype = module.float32
    return {
        "np": np, "lib": module, "as_strided": np.lib.stride_tricks.as_strided, "l": ten,
        "x": make(ten, dtype=dtype), "d": make(ten, dtype=dtype), "c": make(cube, dtype=dtype),
        "s": make(1.5, dtype=dtype), "row": make([1.0] * 10, dtype=dtype), "one": make([[1.0]] * 4, dtype=dtype),
    }


def compiled(statement: str, namespace: dict):
    """A function that runs the statement UNROLL times, its names bound as locals."""
    body = "\n".join([f"    {statement}"] * UNROLL)
    scope = dict(namespace)
    exec(f"def run({', '.join(f'{name}={name}' for name in namespace)}):\n{body}\n", scope)
    return scope["run"]


def run(options) -> dict:
    """Measure, print, write small.json; returns the results."""
    effort = QUICK if options.quick else USUAL
    spaces = {library: names(library) for library in LIBRARIES if library == "numpy" or package(library)}
    chosen = [op for op in OPERATIONS if options.only in op.name]
    progress = Progress("small", len(chosen))
    results = {}
    for op in chosen:
        progress.step(op.name)
        entrants = []
        for library, space in spaces.items():
            call = compiled(op.numpy if library == "numpy" else op.ours, space)
            call()
            entrants.append(Contender(library, call, calls=UNROLL))
        timings = measure(entrants, effort)
        results[op.name] = {library: timing.as_json() for library, timing in timings.items()}
        results[op.name] |= {
            f"to_{rival}": round(timings["stridecore"].median / timings[rival].median, 4)
            for rival in ("numpy", "torch") if rival in timings
        }
    progress.close()
    output = {"operations": results, "means": {rival: mean(results, rival) for rival in ("numpy", "torch")}}
    print(render(output))
    print(f"\nwritten: {write_json(options.output, 'small', output)}")
    return output


def mean(results: dict, rival: str) -> float | None:
    return geometric_mean(entry.get(f"to_{rival}") for entry in results.values())


def render(output: dict) -> str:
    facts = machine()
    rows = []
    for name, entry in output["operations"].items():
        nanoseconds = [f"{entry[library]['median_ns']:.0f}" if library in entry else "-" for library in LIBRARIES]
        rows.append([name, *nanoseconds, times(entry.get("to_numpy")), times(entry.get("to_torch"))])
    rows.append(["geometric mean", "", "", "", *(times(output["means"][rival]) for rival in ("numpy", "torch"))])
    title = f"Nanoseconds a call, and as multiples of NumPy's and torch's (lower is better); {facts['cpu']}.\n"
    return f"{title}\n{table(['operation', *LIBRARIES, 'to numpy', 'to torch'], rows)}"


def check(output: dict) -> list[str]:
    """What misses its bound."""
    verdict, bound = bounds.Verdict(), bounds.load()["small"]
    views = {op.name for op in OPERATIONS if op.is_view}
    for name, entry in output["operations"].items():
        to_torch = bound["reads_writes_and_views_to_torch" if name in views else "each_to_torch"]
        verdict.at_most(f"{name}, to NumPy", entry.get("to_numpy"), bound["each_to_numpy"])
        verdict.at_most(f"{name}, to torch", entry.get("to_torch"), to_torch)
    verdict.at_most("geometric mean to NumPy", output["means"]["numpy"], bound["mean_to_numpy"])
    return verdict.missed
