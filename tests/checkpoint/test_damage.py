"""Damaged files: every one is refused with a CheckpointError, or loaded as sound objects, in little memory."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("damage.py")


def run(kind, seed, count):
    """(refused, loaded) of a run of damage.py in a process with a limit of memory."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), kind, str(seed), str(count)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return map(int, done.stdout.split())


@pytest.mark.parametrize("kind", ["zip", "deflated", "legacy", "script"])
def test_every_byte_changed(kind):
    refused, loaded = run(kind, 0, 0)
    assert refused > 500 and loaded > 50


@pytest.mark.parametrize("kind", ["zip", "deflated", "legacy", "script", "tar"])
def test_random_damage(kind, seed):
    refused, _ = run(kind, seed, 400)
    assert refused > 200
