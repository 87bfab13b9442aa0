"""Interleaved timing: every contender is sampled once a round, in rotating order, and the median is kept.

Every other round goes backwards: what the one before leaves in the caches helps or harms its successor.

Interleaving in one process means that a slow minute of the machine hits all contenders alike. A sample repeats a
short call until it lasts long enough for the clock; a contender that is very slow gets fewer samples, never less
than three.
"""

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import repeat
from time import perf_counter_ns


@dataclass
class Contender:
    """One way to do a job. `call` does it `calls` times; `prepare` runs before each sample, outside the clock."""

    name: str
    call: Callable[[], object]
    calls: int = 1
    prepare: Callable[[], object] | None = None


@dataclass
class Timing:
    """Nanoseconds a call, one entry a sample."""

    samples: list[float] = field(default_factory=list)

    def quantile(self, q: float) -> float:
        ordered = sorted(self.samples)
        at = q * (len(ordered) - 1)
        low = int(at)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (ordered[high] - ordered[low]) * (at - low)

    @property
    def median(self) -> float:
        return self.quantile(0.5)

    @property
    def spread(self) -> float:
        """The distance between the quartiles as a share of the median."""
        return (self.quantile(0.75) - self.quantile(0.25)) / self.median if self.median else 0.0

    def as_json(self) -> dict:
        return {"median_ns": round(self.median, 2), "spread": round(self.spread, 4), "samples": len(self.samples)}


@dataclass(frozen=True)
class Effort:
    """How long to measure: rounds at most, nanoseconds a sample at least, nanoseconds a contender at most."""

    rounds: int = 11
    sample_ns: int = 300_000
    budget_ns: int = 500_000_000

    MINIMUM = 3


QUICK = Effort(rounds=5, sample_ns=100_000, budget_ns=60_000_000)
USUAL = Effort()


def time_once(call: Callable[[], object], times: int) -> float:
    """Nanoseconds a call over `times` calls in a row."""
    if times == 1:
        start = perf_counter_ns()
        call()
        return perf_counter_ns() - start
    start = perf_counter_ns()
    for _ in repeat(None, times):
        call()
    return (perf_counter_ns() - start) / times


def measure(contenders: list[Contender], effort: Effort = USUAL) -> dict[str, Timing]:
    """Time the contenders against each other; all of them have run at least once before."""
    timings = {c.name: Timing() for c in contenders}
    times, spent = {}, dict.fromkeys(timings, 0.0)
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for c in contenders:
            if c.prepare:
                c.prepare()
            once = time_once(c.call, 1)
            if once < effort.sample_ns:  # the first call may have been a cold one
                once = min(once, time_once(c.call, 1))
            times[c.name] = max(1, int(effort.sample_ns / max(once, 1)))
        for round_number in range(effort.rounds):
            turn = round_number % len(contenders)
            order = contenders[turn:] + contenders[:turn]
            for c in reversed(order) if round_number % 2 else order:
                timing = timings[c.name]
                if len(timing.samples) >= effort.MINIMUM and spent[c.name] > effort.budget_ns:
                    continue
                if c.prepare:
                    c.prepare()
                took = time_once(c.call, times[c.name])
                timing.samples.append(took / c.calls)
                spent[c.name] += took * times[c.name]
    finally:
        if was_enabled:
            gc.enable()
    return timings
