"""Advanced indexing: rows, items and masks, read and written, beside NumPy, torch and memcpy, one thread.

A case is a dict of calls that do the same; stridecore's result must be NumPy's (or torch's, where NumPy has no such
call) before anything is timed. Where a bound speaks of memcpy, it copies as many bytes as the case says: those of the
result into ready memory for rows, those of the source for masks, half of all that is read and written for where.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .harness import bounds, reference
from .harness.buffers import Buffer
from .harness.duel import WrongResult
from .harness.peers import package, set_threads
from .harness.report import Progress, machine, table, times, write_json
from .harness.timing import QUICK, Contender, Effort, measure

USUAL = Effort(rounds=11, sample_ns=300_000, budget_ns=1_000_000_000)
REPEATED = 100


@dataclass
class Job:
    """What each contender does; `changed` is what a write has changed, for each of them."""

    calls: dict[str, Callable[[], object]]
    copied: int = 0
    repeated: int = 1
    changed: dict[str, object] = field(default_factory=dict)


class Bench:
    """The random numbers, sizes and memory that the cases are made of."""

    def __init__(self, scale: int):
        self.random, self.scale = np.random.default_rng(4), scale
        self.many = 10**6 // self.scale
        self.numel = (16 << 20) // self.scale // 64 * 64
        nbytes = max(256 * self.many, 7 * self.numel)
        self.output, self.source = Buffer(nbytes), Buffer(nbytes)

    def floats(self, *shape):
        return self.random.random(shape, dtype=np.float32)

    def indices(self, below, count):
        return self.random.integers(0, below, count)

    def mask(self, share, run=1):
        return np.repeat(self.random.random(self.numel // run) < share, run)


def in_each(*arrays) -> dict[str, tuple]:
    """The arrays as every library has them, sharing memory with none of the others' copies."""
    found = {"stridecore": package("stridecore"), "torch": package("torch")}
    spread = {"numpy": arrays}
    for name, module in found.items():
        if module:
            spread[name] = tuple(module.from_numpy(a.copy()) for a in arrays)
    return spread


def calls(spread: dict, **makers) -> dict[str, Callable]:
    """{contender: call}; makers get the library's module and arrays. `torch_index` is another way of torch's."""
    made = {}
    for name, make in makers.items():
        library = name.partition("_")[0]
        if library in spread:
            made[name] = make(np if library == "numpy" else package(library), *spread[library])
    return made


# ---- rows and items -----------------------------------------------------------------------------


def rows(bench: Bench, width: int) -> Job:
    """index_select of random rows of a (10**5, width) float32 into ready memory, at most 256 MB of it."""
    count = bench.many * 64 // max(width, 64)
    table, index = bench.floats(10**5, width), bench.indices(10**5, count)
    out = bench.output.array((count, width), np.float32)
    found = {name: package(name) for name in ("stridecore", "torch")}
    ready = {name: (module.from_numpy(table), module.from_numpy(index), module.from_numpy(out))
             for name, module in found.items() if module}

    def select(lib, x, i, to):
        return lambda: lib.index_select(x, 0, i, out=to)

    made = calls(
        {"numpy": (table, index, out), **ready}, stridecore=select, torch=select,
        numpy=lambda lib, x, i, to: lambda: lib.take(x, i, 0, out=to, mode="clip"),
    )
    return Job(made, copied=out.nbytes)


def fresh_rows(bench: Bench) -> Job:
    spread = in_each(bench.floats(10**5, 64), bench.indices(10**5, bench.many))
    index = {name: lambda lib, x, i: lambda: x[i] for name in spread}
    return Job(calls(spread, **index))


def items(bench: Bench) -> Job:
    spread = in_each(bench.floats(10**6), bench.indices(10**6, bench.many))
    return Job(calls(
        spread, stridecore=lambda lib, x, i: lambda: x[i], numpy=lambda lib, x, i: lambda: lib.take(x, i),
        torch=lambda lib, x, i: lambda: lib.index_select(x, 0, i), torch_index=lambda lib, x, i: lambda: x[i],
    ))


def axis_1(bench: Bench) -> Job:
    count = 10**5 // bench.scale
    spread = in_each(bench.floats(64, count), bench.indices(count, count))
    return Job(calls(
        spread, stridecore=lambda lib, x, i: lambda: lib.index_select(x, 1, i),
        numpy=lambda lib, x, i: lambda: lib.take(x, i, 1), torch=lambda lib, x, i: lambda: lib.index_select(x, 1, i),
    ))


# ---- masks --------------------------------------------------------------------------------------


def masked(bench: Bench, share: float, run: int = 1) -> Job:
    spread = in_each(bench.floats(bench.numel), bench.mask(share, run))
    return Job(calls(spread, **{name: lambda lib, x, m: lambda: x[m] for name in spread}), copied=4 * bench.numel)


def masked_fill(bench: Bench) -> Job:
    spread = in_each(bench.floats(bench.numel), bench.mask(0.5))

    def fill(lib, x, m):
        return lambda: x.masked_fill_(m, 1.5)

    value = np.float32(1.5)
    made = calls(spread, stridecore=fill, torch=fill, numpy=lambda lib, x, m: lambda: lib.putmask(x, m, value))
    return Job(made, changed={name: arrays[0] for name, arrays in spread.items()})


def masked_set(bench: Bench, values: bool) -> Job:
    mask = bench.mask(0.5)
    spread = in_each(bench.floats(bench.numel), mask, bench.floats(int(mask.sum())))

    def assign(lib, x, m, v):
        return lambda: x.__setitem__(m, v if values else 1.5)

    return Job(calls(spread, **dict.fromkeys(spread, assign)), changed={name: a[0] for name, a in spread.items()})


def nonzero(bench: Bench, share: float) -> Job:
    spread = in_each(bench.mask(share))

    def places(lib, m):
        return lambda: lib.nonzero(m)

    return Job(calls(spread, stridecore=places, torch=places, numpy=lambda lib, m: lambda: lib.nonzero(m)[0][:, None]))


def where(bench: Bench) -> Job:
    spread = in_each(bench.mask(0.5), bench.floats(bench.numel), bench.floats(bench.numel))
    made = calls(spread, **{name: lambda lib, m, x, y: lambda: lib.where(m, x, y) for name in spread})
    return Job(made, copied=13 * bench.numel // 2)


# ---- sums ---------------------------------------------------------------------------------------


def added(bench: Bench, by_slice: bool) -> Job:
    spread = in_each(np.zeros((10**5, 64), np.float32), bench.indices(10**5, bench.many),
                     np.ones((bench.many, 64), np.float32))
    del spread["numpy"]

    def add(lib, x, i, v):
        if by_slice:
            return lambda: x.index_add_(0, i, v)
        i = i[:, None].expand(v.shape)
        return lambda: x.scatter_add_(0, i, v)

    return Job(calls(spread, **dict.fromkeys(spread, add)), changed={name: a[0] for name, a in spread.items()})


# ---- small --------------------------------------------------------------------------------------


def small(bench: Bench, by_mask: bool) -> Job:
    """x[[0, 2]] or x[mask] of a 3 x 3 tensor."""
    x = np.arange(9, dtype=np.float32).reshape(3, 3)
    spread = in_each(x, x > 4)

    def read(lib, x, m):
        key = m if by_mask else [0, 2]

        def run():
            for _ in range(REPEATED):
                result = x[key]
            return result

        return run

    return Job(calls(spread, **dict.fromkeys(spread, read)), repeated=REPEATED)


CASES: dict[str, Callable[[Bench], Job]] = {
    "rows of 256 B": lambda bench: rows(bench, 64),
    "rows of 1 KiB": lambda bench: rows(bench, 256),
    "rows of 64 B": lambda bench: rows(bench, 16),
    "rows of 256 B, fresh": fresh_rows,
    "items of 4 B": items,
    "items of 4 B, axis 1": axis_1,
    "x[mask], half": lambda bench: masked(bench, 0.5),
    "x[mask], a tenth": lambda bench: masked(bench, 0.1),
    "x[mask], 2 %": lambda bench: masked(bench, 0.02),
    "x[mask], half in runs of 64": lambda bench: masked(bench, 0.5, 64),
    "masked_fill_": masked_fill,
    "x[mask] = number": lambda bench: masked_set(bench, False),
    "x[mask] = values": lambda bench: masked_set(bench, True),
    "nonzero, half": lambda bench: nonzero(bench, 0.5),
    "nonzero, a tenth": lambda bench: nonzero(bench, 0.1),
    "index_add_": lambda bench: added(bench, True),
    "scatter_add_": lambda bench: added(bench, False),
    "where": where,
    "3 x 3, x[[0, 2]]": lambda bench: small(bench, False),
    "3 x 3, x[mask]": lambda bench: small(bench, True),
}


def as_array(value):
    return np.asarray(value[0] if isinstance(value, tuple) else value)


def verify(name: str, job: Job) -> None:
    """Every contender once; raise WrongResult where stridecore does not do what the others do."""
    results = {}
    for who, call in job.calls.items():
        value = call()
        results[who] = as_array(job.changed.get(who, value)).copy() if who in ("stridecore", "numpy", "torch") else None
    mine = results.pop("stridecore")
    for who, result in results.items():
        if result is not None and not np.array_equal(mine, result):
            raise WrongResult(f"{name}: stridecore differs from {who}")


def run(options) -> dict:
    """Measure, print, write gather.json; returns the results."""
    set_threads(1)
    effort = QUICK if options.quick else USUAL
    chosen = {name: make for name, make in CASES.items() if options.only in name}
    bench = Bench(16 if options.quick else 1)
    progress = Progress("gather", len(chosen))
    results = {}
    for name, make in chosen.items():
        progress.step(name)
        job = make(bench)
        verify(name, job)
        entrants = [Contender(who, call, calls=job.repeated) for who, call in job.calls.items()]
        if job.copied:
            entrants.append(reference.memcpy(bench.output, bench.source, job.copied))
            entrants[-1].call()
        timings = measure(entrants, effort)
        results[name] = {"contenders": {who: timing.as_json() for who, timing in timings.items()}}
        results[name] |= ratios({who: timing.median for who, timing in timings.items()})
        del job, entrants
    progress.close()
    output = {"cases": results}
    print(render(output))
    print(f"\nwritten: {write_json(options.output, 'gather', output)}")
    return output


def ratios(medians: dict[str, float]) -> dict:
    """How many times as fast as each of the others stridecore is."""
    ours = medians["stridecore"]
    peers = [medians[who] for who in ("numpy", "torch") if who in medians]
    found = {f"to_{who}": round(median / ours, 4) for who, median in medians.items() if who != "stridecore"}
    return found | ({"to_best_peer": round(min(peers) / ours, 4)} if peers else {})


def render(output: dict) -> str:
    facts, bound = machine(), bounds.load()["gather"]
    heads = ("memcpy", "best_peer", "numpy", "torch", "torch_index")
    rows = []
    for name, entry in output["cases"].items():
        wanted = ", ".join(f"{what.removeprefix('to_')} {value:g}" for what, value in bound.get(name, {}).items())
        median = entry["contenders"]["stridecore"]["median_ns"] / 1000
        rows.append([name, f"{median:.1f}", *(times(entry.get(f"to_{head}")) for head in heads), wanted])
    title = f"Microseconds, and speed as a multiple of each of the others' (higher is better); {facts['cpu']}.\n"
    headings = ["case", "us", *(head.replace("_", " ") for head in heads), "bound"]
    return f"{title}\n{table(headings, rows)}"


def check(output: dict) -> list[str]:
    """What misses its bound."""
    verdict, bound = bounds.Verdict(), bounds.load()["gather"]
    for name, entry in output["cases"].items():
        for what, value in bound[name].items():
            verdict.at_least(f"{name}, {what.replace('_', ' ')}", entry.get(what), value)
    return verdict.missed
