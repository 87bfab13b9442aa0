"""config.py: threads, CPU levels, the cache of freed blocks, and the environment variables."""

import subprocess
import sys

import pytest

import stridecore as sc
from stridecore.core import engine


def run(code, **environment):
    """The output of a fresh Python that ran `code` with these environment variables."""
    import os

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment)
    return done.stdout.strip() if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


@pytest.fixture
def restored():
    threads, level = sc.get_num_threads(), engine.cpu_level()
    yield
    sc.set_num_threads(threads)
    engine.set_cpu_level(level)


def test_threads(restored):
    sc.set_num_threads(3)
    assert sc.get_num_threads() == 3
    for n, error in ((0, RuntimeError), (-1, RuntimeError), (1.0, TypeError), (True, TypeError), ("2", TypeError)):
        with pytest.raises(error):
            sc.set_num_threads(n)
    assert sc.get_num_threads() == 3


def test_cpu_levels(restored):
    assert "plain" in engine.cpu_levels() and engine.cpu_level() in engine.cpu_levels()
    for level in engine.cpu_levels():
        engine.set_cpu_level(level)
        assert engine.cpu_level() == level
        x = sc.arange(10000).view(100, 100)
        assert x.t().contiguous().t().tolist() == x.tolist()
    for name in ("avx1024", "plain\0", "Plain"):
        with pytest.raises(ValueError, match="CPU level"):
            engine.set_cpu_level(name)


@pytest.mark.parametrize(
    "name, value, code, output",
    [
        ("STRIDECORE_NUM_THREADS", "3", "sc.get_num_threads()", "3"),
        ("STRIDECORE_NUM_THREADS", "", "sc.get_num_threads() > 0", "True"),
        ("STRIDECORE_CPU_LEVEL", "plain", "sc.show_config('dicts')['cpu_level']", "plain"),
        ("STRIDECORE_STREAM_BYTES", "12345", "sc.show_config('dicts')['stream_bytes']", "12345"),
        ("STRIDECORE_STREAM_BYTES", "", "sc.show_config('dicts')['stream_bytes']", "None"),
        ("STRIDECORE_CACHE_BYTES", "0", "sc.memory_stats()['cache_limit']", "0"),
    ],
)
def test_environment(name, value, code, output):
    assert run(f"import stridecore as sc; print({code})", **{name: value}) == output


@pytest.mark.parametrize(
    "name, value",
    [
        ("STRIDECORE_NUM_THREADS", "0"),
        ("STRIDECORE_NUM_THREADS", "two"),
        ("STRIDECORE_CPU_LEVEL", "mmx"),
        ("STRIDECORE_STREAM_BYTES", "-1"),
        ("STRIDECORE_STREAM_BYTES", "4M"),
        ("STRIDECORE_CACHE_BYTES", "-1"),
        ("STRIDECORE_CACHE_BYTES", str(2**63)),
    ],
)
def test_bad_environment(name, value):
    assert run("import stridecore", **{name: value}).startswith(f"ValueError: {name}")


def test_the_cache_keeps_and_gives_back():
    code = """
import stridecore as sc
x = sc.zeros(1 << 22)
stats = sc.memory_stats()
assert stats["mapped_blocks"] == 1 and stats["mapped_bytes"] >= 1 << 24, stats
del x
assert sc.memory_stats()["cached_bytes"] >= 1 << 24
x = sc.empty(1 << 22)
assert sc.memory_stats()["cache_hits"] == 1
del x
assert sc.empty_cache() >= 1 << 24
assert sc.memory_stats()["cached_bytes"] == 0
print("ok")
"""
    assert run(code) == "ok"


def test_streaming_is_measured_when_it_matters():
    code = """
import stridecore as sc
measured = lambda: sc.show_config("dicts")["stream_bytes"]
for n in (1 << 18, 1 << 23):
    sc.zeros(2, n // 2).t().contiguous()
assert measured() is None    # 1 and 32 MiB are beyond doubt
stats = sc.memory_stats()
x = sc.zeros(2, 1 << 20)
x.t().contiguous()
first = measured()
assert first in (4 << 20, 8 << 20, 16 << 20, 32 << 20), first
x.t().contiguous()
assert measured() == first and sc.memory_stats()["mapped_blocks"] == stats["mapped_blocks"] + 1
print("ok")
"""
    assert run(code, STRIDECORE_STREAM_BYTES="") == "ok"


def test_show_config(capsys):
    sc.show_config()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"version: {sc.__version__}"
    assert f"cpu_level: {engine.cpu_level()}" in lines
    with pytest.raises(ValueError):
        sc.show_config("json")


def test_memory_shows_in_tracemalloc():
    import tracemalloc

    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        x = sc.empty(1 << 20)
        assert tracemalloc.get_traced_memory()[0] - before >= 4 << 20
        del x
        assert tracemalloc.get_traced_memory()[0] - before < 1 << 16
    finally:
        tracemalloc.stop()
