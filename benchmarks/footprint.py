"""What having stridecore costs: import time and memory, bytes a view, installed size; and long lists in and out.

Imports are timed in fresh interpreters that have imported nothing of the kind, stridecore's and NumPy's in turn.
"""

import json
import os
import statistics
import subprocess
import sys
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np

from .harness import bounds
from .harness.peers import package
from .harness.report import Progress, table, write_json
from .harness.timing import QUICK, USUAL, Contender, measure

# Resident memory is read from Linux's /proc; elsewhere it stays unknown.
RESIDENT = """
import os
def resident():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None
"""
IMPORT = RESIDENT + """
import json, sys, time
resident()
before = resident()
start = time.perf_counter_ns()
import {module}
took = time.perf_counter_ns() - start
after = resident()
print(json.dumps([took, after and after - before, "numpy" in sys.modules]))
"""
VIEWS = RESIDENT + """
import json
import stridecore as sc
x = sc.zeros((10, 10))
views = [None] * 200_000
[x[1:, 1:] for _ in range(1000)]
before = resident()
for i in range(len(views)):
    views[i] = x[1:, 1:]
after = resident()
print(json.dumps(after and (after - before) / len(views)))
"""


def fresh(script: str):
    """What a fresh interpreter prints, as JSON. It looks for packages where this one does.

    It may write bytecode: installed packages have theirs, sources in a work tree get it at the first import.
    """
    paths = f"import sys; sys.path[:] = {sys.path!r}\n"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    run = subprocess.run([sys.executable, "-c", paths + script], check=True, capture_output=True, text=True,
                         env=environment)
    return json.loads(run.stdout)


def imports(rounds: int, progress: Progress) -> dict:
    samples = {"stridecore": [], "numpy": []}
    fresh(IMPORT.format(module="stridecore")), fresh(IMPORT.format(module="numpy"))
    for round_number in range(rounds):
        progress.step(f"import {round_number + 1}")
        for module in samples:
            samples[module].append(fresh(IMPORT.format(module=module)))
    found = {}
    for module, runs in samples.items():
        grown = [run[1] for run in runs if run[1] is not None]
        found[module] = {
            "ms": statistics.median(run[0] for run in runs) / 1e6,
            "mib": statistics.median(grown) / 2**20 if grown else None,
            "loads_numpy": any(run[2] for run in runs),
        }
    return found


def installed_bytes() -> int:
    """The bytes of the package's files: as installed, or in the source folder without generated C."""
    folder = Path(package("stridecore").__file__).parent
    try:
        files = [Path(f.locate()) for f in distribution("stridecore").files or [] if "__pycache__" not in f.parts]
        if any(file.is_relative_to(folder) for file in files):
            return sum(file.stat().st_size for file in files if file.exists())
    except PackageNotFoundError:
        pass
    return sum(
        file.stat().st_size for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and file.suffix not in (".c", ".html")
    )


def lists(effort) -> dict:
    """A list of a million numbers to a tensor and back, as multiples of NumPy's time."""
    sc = package("stridecore")
    numbers = np.random.default_rng(0).random(1_000_000).tolist()
    array, tensor = np.array(numbers, np.float32), sc.tensor(numbers)
    if tensor.tolist() != array.tolist():
        raise AssertionError("a list of floats does not survive as in NumPy")
    there = measure([Contender("stridecore", partial(sc.tensor, numbers)),
                     Contender("numpy", partial(np.array, numbers, np.float32))], effort)
    back = measure([Contender("stridecore", tensor.tolist), Contender("numpy", array.tolist)], effort)
    return {
        name: timings["stridecore"].median / timings["numpy"].median
        for name, timings in (("tensor_of_list_to_numpy", there), ("tolist_to_numpy", back))
    }


def run(options) -> dict:
    """Measure, print, write footprint.json; returns the results."""
    rounds = 5 if options.quick else 21
    progress = Progress("footprint", rounds + 2)
    found = imports(rounds, progress)
    progress.step("views")
    results = {
        "import_ms": found["stridecore"]["ms"],
        "numpy_import_ms": found["numpy"]["ms"],
        "import_time_to_numpy": found["stridecore"]["ms"] / found["numpy"]["ms"],
        "import_loads_numpy": found["stridecore"]["loads_numpy"],
        "import_mib": found["stridecore"]["mib"],
        "view_bytes": fresh(VIEWS),
        "installed_mib": installed_bytes() / 2**20,
    }
    progress.step("lists")
    results |= lists(QUICK if options.quick else USUAL)
    progress.close()
    bound = bounds.load()["footprint"]
    rows = [[name.replace("_", " "), f"{value:.3g}" if isinstance(value, float) else str(value),
             f"{bound[name]:g}" if name in bound else ""] for name, value in results.items()]
    print(table(["footprint", "measured", "at most"], rows))
    print(f"\nwritten: {write_json(options.output, 'footprint', results)}")
    return results


def check(results: dict) -> list[str]:
    """What misses its bound."""
    verdict = bounds.Verdict()
    for name, bound in bounds.load()["footprint"].items():
        verdict.at_most(name.replace("_", " "), results[name], bound)
    if results["import_loads_numpy"]:
        verdict.missed.append("import stridecore loads NumPy")
    return verdict.missed
