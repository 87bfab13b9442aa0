"""What the benchmarks print and write: a progress bar, tables, facts about the machine, JSON."""

import json
import math
import os
import platform
import sys
from contextlib import redirect_stdout
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from io import StringIO
from pathlib import Path
from time import monotonic

from .peers import package

PACKAGES = ("stridecore", "numpy", "torch", "opencv-python-headless", "scipy-openblas64")


class Progress:
    """A bar on standard error while work goes on; lines without a bar where that is no terminal."""

    def __init__(self, title: str, total: int):
        self.title, self.total, self.done = title, total, 0
        self.start = monotonic()
        self.live = sys.stderr.isatty()
        if not self.live:
            print(f"{title}: {total} measurements", file=sys.stderr, flush=True)

    def step(self, what: str) -> None:
        """Say what is worked on now; the step before it is done."""
        if self.live:
            filled = 24 * self.done // max(1, self.total)
            left = (monotonic() - self.start) / self.done * (self.total - self.done) if self.done else 0
            bar = "#" * filled + "." * (24 - filled)
            text = f"{self.title} [{bar}] {self.done}/{self.total}  {left:3.0f} s left  {what}"
            print(f"\r\x1b[K{text[:118]}", end="", file=sys.stderr, flush=True)
        self.done += 1

    def close(self) -> None:
        took = f"{self.title}: done in {monotonic() - self.start:.0f} s"
        print(f"\r\x1b[K{took}" if self.live else took, file=sys.stderr, flush=True)


def table(headings: list[str], rows: list[list[str]]) -> str:
    """Columns of text: the first to the left, the others to the right. A row of one cell is a title."""
    wide = [row for row in rows if len(row) > 1]
    widths = [max(len(row[i]) for row in [headings, *wide]) for i in range(len(headings))]

    def line(cells):
        first, *others = zip(cells, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)])

    lines = [line(headings), "  ".join("-" * w for w in widths)]
    lines += [line(row) if len(row) > 1 else f"\n{row[0]}" for row in rows]
    return "\n".join(text.rstrip() for text in lines)


def times(ratio: float | None) -> str:
    """A ratio as the tables print it; nothing where there was no contender."""
    if ratio is None:
        return "-"
    return f"{ratio:.2f}" if ratio < 99.5 else f"{ratio:.0f}"


def size(nbytes: int) -> str:
    """16 KiB, 1 MiB, 62.5 MiB"""
    unit, step = ("MiB", 1 << 20) if nbytes >= 1 << 20 else ("KiB", 1 << 10)
    return f"{round(nbytes / step, 1):g} {unit}"


def geometric_mean(values) -> float | None:
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def machine() -> dict:
    """Where and with what the figures were made."""
    facts = {
        "when": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "command": "python -m benchmarks " + " ".join(sys.argv[1:]),
        "cpu": _cpu_name(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "libc": " ".join(platform.libc_ver()),
        "python": platform.python_version(),
        "packages": {},
    }
    for name in PACKAGES:
        try:
            facts["packages"][name] = version(name)
        except PackageNotFoundError:
            continue
    if sc := package("stridecore"):
        with redirect_stdout(StringIO()) as text:
            sc.show_config()
        facts["stridecore"] = dict(line.split(": ", 1) for line in text.getvalue().splitlines() if ": " in line)
    return facts


def _cpu_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def write_json(folder: Path, subject: str, results: dict) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{subject}.json"
    path.write_text(json.dumps({"machine": machine(), **results}, indent=1) + "\n")
    return path
