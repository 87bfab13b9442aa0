"""What all tests share: torch where it is installed, seeds, and the lines that a run reports at its end.

torch is the specification, and tests that need it ask for the fixture `torch`; without torch they are skipped and the
header of the run says so. Helpers that compare the two libraries are in tests/against.py.
"""

import importlib.util
import random
import sys
import warnings
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # the helper modules beside the tests

HAS_TORCH = importlib.util.find_spec("torch") is not None
REPORT = pytest.StashKey[list]()


def pytest_addoption(parser):
    group = parser.getgroup("stridecore")
    group.addoption("--seed", type=int, default=0, help="seed of the random tests (default 0)")
    group.addoption(
        "--programs", type=int, default=5000, help="how many random programs are compared with torch (5000)"
    )


def pytest_configure(config):
    config.stash[REPORT] = []


def pytest_report_header(config):
    if HAS_TORCH:
        from importlib.metadata import version

        return f"torch {version('torch')} is the witness, seed {config.getoption('--seed')}"
    return "torch is not installed: the comparisons with it are skipped"


def pytest_terminal_summary(terminalreporter, config):
    for title, lines in config.stash[REPORT]:
        terminalreporter.section(title)
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture
def report(pytestconfig):
    """report(title, lines): shown when the run ends."""
    return lambda title, lines: pytestconfig.stash[REPORT].append((title, list(lines)))


@pytest.fixture(scope="session")
def torch():
    if not HAS_TORCH:
        pytest.skip("needs torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch
    torch.set_num_threads(1)
    return torch


@pytest.fixture(scope="session")
def seed(pytestconfig):
    return pytestconfig.getoption("--seed")


@pytest.fixture
def rng(seed, request):
    """A random.Random of its own for every test: the same for the same seed, whatever ran before."""
    return random.Random(f"{seed}:{request.node.nodeid}")


@pytest.fixture
def no_warnings():
    """Any warning in the test is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.fixture
def quiet():
    """Warnings in the test are of no interest."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
