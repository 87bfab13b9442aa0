"""The threaded parts of the engine under a thread sanitizer, which reports every unordered pair of accesses."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = {path.stem: path.read_text() for path in (ROOT / "tests/c").glob("test_*.c")}
PROGRAMS = sorted(name for name, text in SOURCES.items() if "pthread" in text or "sc_set_num_threads" in text)
ARGUMENTS = {"test_kernels": ["60"]}  # rounds: enough for every kernel in every part of a copy
FLAGS = ["-std=gnu11", "-O1", "-g", "-fsanitize=thread", "-I", str(ROOT / "src"), "-I", str(ROOT / "tests/c")]


@pytest.fixture(scope="session")
def objects(tmp_path_factory):
    build = tmp_path_factory.mktemp("threads")
    made = []
    for source in sorted((ROOT / "src").rglob("*.c")):
        made.append(str(build / f"{source.parent.name}-{source.stem}.o"))
        subprocess.run(["gcc", *FLAGS, "-c", str(source), "-o", made[-1]], check=True)
    return made


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_data_races(program, objects, tmp_path):
    binary = str(tmp_path / program)
    subprocess.run(["gcc", *FLAGS, str(ROOT / f"tests/c/{program}.c"), *objects, "-o", binary, "-pthread", "-lm"],
                   check=True)
    options = {"TSAN_OPTIONS": "halt_on_error=1 die_after_fork=0 report_thread_leaks=0"}  # children of threads run on
    command = [binary, *ARGUMENTS.get(program, [])]
    done = subprocess.run(command, env=os.environ | options, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
