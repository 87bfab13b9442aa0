"""Files beside torch and safetensors: a checkpoint of 500 tensors and 1 GiB opened, read and saved; DLPack with NumPy.

The files lie in memory (/dev/shm where there is one), so that the disk is not what is measured, and go when the run
ends. --quick takes 16 MiB. Before anything is timed, every contender's tensors are compared with NumPy's.
"""

import os
import shutil
import signal
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from .harness import bounds
from .harness.peers import package
from .harness.report import Progress, machine, size, table, times, write_json
from .harness.timing import Contender, Effort, measure

TENSORS = 500
NBYTES, QUICK_NBYTES = 1 << 30, 16 << 20
ROUNDS = Effort(rounds=5, sample_ns=1, budget_ns=1_500_000_000)
QUICK_ROUNDS = Effort(rounds=5, sample_ns=1, budget_ns=300_000_000)
SHORT = Effort(rounds=21, sample_ns=1_000_000, budget_ns=200_000_000)


def arrays(nbytes: int) -> dict:
    """500 float32 matrices under names as checkpoints have them, `nbytes` in all."""
    columns = 64
    rows = nbytes // TENSORS // 4 // columns
    memory = np.arange(TENSORS * rows * columns, dtype=np.float32).reshape(TENSORS, rows, columns)
    return {f"layers.{i}.weight": memory[i] for i in range(TENSORS)}


def folder() -> Path:
    """A new folder in memory, if the system has such a place with room."""
    shm = Path("/dev/shm")
    there = shm if shm.is_dir() and shutil.disk_usage(shm).free > 5 * NBYTES and os.access(shm, os.W_OK) else None
    return Path(tempfile.mkdtemp(prefix="stridecore-files.", dir=there))


def same(name: str, found: dict, expected: dict) -> None:
    """AssertionError unless the loaded tensors have the expected names and values."""
    if list(found) != list(expected) and sorted(found) != sorted(expected):
        raise AssertionError(f"{name}: other names than were saved")
    for key, array in expected.items():
        loaded = found[key].load() if hasattr(found[key], "load") else found[key]
        if not np.array_equal(np.asarray(loaded), array):
            raise AssertionError(f"{name}: {key} does not survive")


def cases(data: dict, place: Path) -> dict:
    """{case: contenders}, each of which has run once and given the right result."""
    from stridecore import checkpoint
    from stridecore.checkpoint import safetensors

    sc, torch, peer = package("stridecore"), package("torch"), package("safetensors.numpy")
    ours = {name: sc.from_numpy(array) for name, array in data.items()}
    theirs = torch and {name: torch.from_numpy(array) for name, array in data.items()}
    file, flat = place / "checkpoint.pt", place / "checkpoint.safetensors"
    (torch.save(theirs, file) if torch else sc.save(ours, file))
    safetensors.save_file(ours, flat)
    found = {
        "open, mapped": [Contender("stridecore", partial(checkpoint.open, file))],
        "load, mapped": [Contender("stridecore", partial(sc.load, file, mmap=True))],
        "load, read": [Contender("stridecore", partial(sc.load, file))],
        "safetensors, mapped": [Contender("stridecore", partial(safetensors.load_file, flat))],
        "safetensors, read": [Contender("stridecore", partial(safetensors.load_file, flat, mmap=False))],
    }
    if torch:
        for case in ("open, mapped", "load, mapped"):
            found[case].append(Contender("torch", partial(torch.load, file, mmap=True, weights_only=True)))
        found["load, read"].append(Contender("torch", partial(torch.load, file, weights_only=True)))
    if peer:
        for case in ("safetensors, mapped", "safetensors, read"):
            found[case].append(Contender("safetensors", partial(peer.load_file, flat)))
    for case, contenders in found.items():
        for contender in contenders:
            same(f"{case}, {contender.name}", dict(contender.call()), data)
    found["save"] = [saver("stridecore", partial(sc.save, ours), place / "ours.pt")]
    if torch:
        found["save"].append(saver("torch", partial(torch.save, theirs), place / "theirs.pt"))
    same("save", sc.load(place / "ours.pt", mmap=True), data)
    found["save safetensors"] = [saver("stridecore", partial(safetensors.save_file, ours), place / "ours.safetensors")]
    if peer:
        found["save safetensors"].append(saver("safetensors", partial(peer.save_file, data), place / "theirs.flat"))
    return found


def saver(name: str, save, path: Path) -> Contender:
    """Saves to a path at which, when the clock starts, there is no file."""
    save(path)
    return Contender(name, partial(save, path), prepare=partial(path.unlink, missing_ok=True))


def exchanges() -> dict:
    """{case: contenders} of one import by DLPack."""
    sc, torch = package("stridecore"), package("torch")
    array, tensor = np.arange(6.0).reshape(2, 3), sc.ones(2, 3)
    found = {
        "DLPack, NumPy to tensor": [Contender("stridecore", partial(sc.from_dlpack, array))],
        "DLPack, tensor to NumPy": [Contender("stridecore", partial(np.from_dlpack, tensor))],
    }
    if torch:
        found["DLPack, NumPy to tensor"].append(Contender("torch", partial(torch.from_dlpack, array)))
        found["DLPack, tensor to NumPy"].append(Contender("torch", partial(np.from_dlpack, torch.ones(2, 3))))
    return found


def run(options) -> dict:
    """Measure, print, write files.json; returns the results."""
    nbytes = QUICK_NBYTES if options.quick else NBYTES
    place = folder()
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the files go then too
    try:
        data = arrays(nbytes)
        chosen = {name: (who, QUICK_ROUNDS if options.quick else ROUNDS) for name, who in cases(data, place).items()}
        chosen |= {name: (who, SHORT) for name, who in exchanges().items()}
        progress = Progress("files", len(chosen))
        results = {}
        for name, (contenders, effort) in chosen.items():
            if options.only not in name:
                continue
            progress.step(name)
            timings = measure(contenders, effort)
            entry = {who: timing.as_json() for who, timing in timings.items()}
            for rival in timings.keys() - {"stridecore"}:
                entry["rival"] = rival
                entry["to_rival"] = round(timings["stridecore"].median / timings[rival].median, 4)
            results[name] = entry
        progress.close()
    finally:
        shutil.rmtree(place, ignore_errors=True)
        signal.signal(signal.SIGTERM, before)
    output = {"tensors": TENSORS, "nbytes": sum(array.nbytes for array in data.values()), "cases": results}
    print(render(output))
    print(f"\nwritten: {write_json(options.output, 'files', output)}")
    return output


def duration(nanoseconds: float) -> str:
    """640 ns, 1.25 ms, 430 ms"""
    if nanoseconds < 1e3:
        return f"{nanoseconds:.3g} ns"
    return f"{nanoseconds / 1e3:.3g} us" if nanoseconds < 1e6 else f"{nanoseconds / 1e6:.3g} ms"


def render(output: dict) -> str:
    limits = bounds.load()["files"]
    rows = []
    for name, entry in output["cases"].items():
        rival = entry.get("rival")
        rows.append([
            name, duration(entry["stridecore"]["median_ns"]), duration(entry[rival]["median_ns"]) if rival else "-",
            rival or "-", times(entry.get("to_rival")), f"{limits[name]:g}" if name in limits else "",
        ])  # fmt: skip
    what = f"{output['tensors']} tensors, {size(output['nbytes'])}"
    title = f"{what}; times, and multiples of the rival's; {machine()['cpu']}"
    return f"{title}\n\n{table(['files', 'stridecore', 'rival', 'is', 'to rival', 'at most'], rows)}"


def check(output: dict) -> list[str]:
    """What misses its bound: multiples of the rival's time, and for DLPack nanoseconds."""
    verdict = bounds.Verdict()
    limits = bounds.load()["files"]
    for name, entry in output["cases"].items():
        if name in limits:
            verdict.at_most(f"{name}, to {entry.get('rival')}", entry.get("to_rival"), limits[name])
        if name.startswith("DLPack"):
            verdict.at_most(f"{name}, ns", entry["stridecore"]["median_ns"], limits["dlpack_ns"])
    return verdict.missed
