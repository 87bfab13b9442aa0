"""`python -m benchmarks [SUBJECT ...]`: measure, print tables, write JSON and pictures.

Without a subject the main job runs (photo: copies of a photograph and of batches at many sizes). With --check and no
subject, every subject that has committed bounds runs, and the exit status says whether they hold.
"""

import argparse
import sys
from importlib import import_module
from pathlib import Path

from . import ROOT
from .harness.peers import package

SUBJECTS = {
    "photo": "strided gather and contiguous copies of a photograph and batches, 16 KiB to 64 MiB (the main job)",
    "copies": "the grid: every kind of strided copy by item size, 64 MiB",
    "gather": "advanced indexing: rows, items and masks, read and written, at most 256 MB",
    "small": "what one call costs: element reads, views, small tensors",
    "math": "arithmetic, small and large",
    "joining": "cat and stack, large and small",
    "footprint": "import time, memory, installed size, lists in and out",
    "files": "a checkpoint of 500 tensors and 1 GiB opened, read and saved; DLPack",
}
BOUNDED = ("copies", "gather", "small", "math", "joining", "footprint", "files")


def options(arguments=None) -> argparse.Namespace:
    listing = "\n".join(f"  {name:10} {what}" for name, what in SUBJECTS.items())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=f"{__doc__}\nsubjects:\n{listing}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help="one or more of those above, or all")
    parser.add_argument("--quick", action="store_true", help="fewer sizes and rounds, for a first look")
    parser.add_argument("--check", action="store_true", help="compare with bounds.json; exit 1 where it does not hold")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the cases with TEXT in their name")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="copies: also measure N threads")
    parser.add_argument("--alone", action="store_true", help="copies: only stridecore and memcpy, without the peers")
    parser.add_argument("--passes", type=int, default=1, metavar="N",
                        help="copies: go over the grid N times, minutes apart, and keep each cell's median")
    parser.add_argument("--image", metavar="PATH", help="photo: another photograph")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results", metavar="FOLDER",
                        help="where JSON and pictures go (benchmarks/results)")
    chosen = parser.parse_args(arguments)
    if not chosen.subjects:
        chosen.subjects = list(BOUNDED) if chosen.check else ["photo"]
    if "all" in chosen.subjects:
        chosen.subjects = list(SUBJECTS)
    unknown = [name for name in chosen.subjects if name not in SUBJECTS]
    if unknown:
        parser.error(f"unknown subject {unknown[0]!r}; known are {', '.join(SUBJECTS)}")
    return chosen


def main(arguments=None) -> int:
    chosen = options(arguments)
    if package("stridecore") is None:
        print("benchmarks: stridecore is not importable; install it with: pip install -e '.[bench]'", file=sys.stderr)
        return 2
    failures = []
    for number, name in enumerate(chosen.subjects):
        if number:
            print()
        subject = import_module(f".{name}", __package__)
        results = subject.run(chosen)
        if chosen.check and name in BOUNDED:
            failures += [f"{name}: {failure}" for failure in subject.check(results)]
    if chosen.check:
        print("\n" + "\n".join([*(f"missed: {f}" for f in failures), f"{len(failures)} bounds missed"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
