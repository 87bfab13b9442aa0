"""The committed bounds, and how results are held against them."""

import json
from functools import cache
from pathlib import Path


@cache
def load() -> dict:
    return json.loads((Path(__file__).resolve().parent.parent / "bounds.json").read_text())


class Verdict:
    """Collects what misses its bound; speeds must reach theirs, costs must stay within theirs."""

    def __init__(self):
        self.allowance = load()["allowance"]
        self.missed: list[str] = []

    def at_least(self, what: str, value: float | None, bound: float) -> None:
        if value is not None and value < bound * (1 - self.allowance):
            self.missed.append(f"{what}: {value:.3g}, must be at least {bound:g}")

    def at_most(self, what: str, value: float | None, bound: float) -> None:
        if value is not None and value > bound * (1 + self.allowance):
            self.missed.append(f"{what}: {value:.3g}, must be at most {bound:g}")
