"""How the engine runs: threads, CPU level, the cache of freed blocks, and the environment variables that set them.

    STRIDECORE_NUM_THREADS    threads for large copies; default: the cores that the process may use
    STRIDECORE_CPU_LEVEL      plain, sse2, avx2 or neon; default: the best one that the CPU has
    STRIDECORE_STREAM_BYTES   from which size on results are written past the cache; default: measured when first needed
    STRIDECORE_CACHE_BYTES    how many bytes of freed large blocks are kept for reuse; 0 turns it off

They are read once, when stridecore is imported; a value that makes no sense is a ValueError then.
"""

import os

from stridecore.core import engine

__all__ = ["empty_cache", "get_num_threads", "memory_stats", "set_num_threads", "show_config"]

_HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"


def get_num_threads():
    """How many threads a large copy may use, the calling one included.

    At first the cores that the process may use: its CPU affinity and its container's quota are respected.

    >>> import stridecore as sc
    >>> sc.get_num_threads() >= 1
    True
    """
    return engine.num_threads()


def set_num_threads(n):
    """Let large copies use `n` threads, the calling one included: an int of at least 1.

    RuntimeError for less, TypeError for anything but an int.

    >>> import stridecore as sc
    >>> before = sc.get_num_threads()
    >>> sc.set_num_threads(1)
    >>> sc.get_num_threads()
    1
    >>> sc.set_num_threads(before)
    """
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"set_num_threads: n must be int, not {type(n).__name__}")
    n = n.__index__()
    if n < 1:
        raise RuntimeError(f"set_num_threads: expected a positive number of threads, got {n}")
    engine.set_num_threads(n)


def empty_cache():
    """Give the freed blocks that were kept for reuse back to the system; returns how many bytes they had.

    >>> import stridecore as sc
    >>> sc.empty_cache() >= 0
    True
    """
    return engine.empty_cache()


def memory_stats():
    """Counters of the engine's large blocks (from 512 KiB up), as a dict of ints.

    `mapped_blocks` and `mapped_bytes` are in use now, `cached_blocks` and `cached_bytes` were freed and are kept for
    reuse, up to `cache_limit` bytes; `cache_hits` and `cache_misses` count the allocations that found a kept block
    and those that didn't. Smaller memory comes from malloc; tracemalloc shows all of it.

    >>> import stridecore as sc
    >>> sorted(sc.memory_stats())[:3]
    ['cache_hits', 'cache_limit', 'cache_misses']
    """
    return engine.memory_stats()


def show_config(mode="stdout"):
    """Print the version, the CPU level in use, threads, huge pages and the block cache; with `mode="dicts"` return
    them as a dict instead.

    `stream_bytes` is the size from which on results are written past the cache. It is measured at the first copy of
    4 MiB or more and less than 32 MiB, which takes a few ms longer, and None before.

    >>> import stridecore as sc
    >>> sc.show_config("dicts")["cpu_level"] in ("plain", "sse2", "avx2", "neon")
    True
    """
    from stridecore import __version__

    try:
        with open(_HUGE_PAGES) as file:
            huge_pages = file.read().partition("[")[2].partition("]")[0]
    except OSError:
        huge_pages = "not available"
    config = {
        "version": __version__,
        "cpu_level": engine.cpu_level(),
        "cpu_levels": engine.cpu_levels(),
        "num_threads": engine.num_threads(),
        "huge_pages": huge_pages,
        "stream_bytes": engine.stream_nbytes(),
        "cache_limit": engine.memory_stats()["cache_limit"],
    }
    if mode == "dicts":
        return config
    if mode != "stdout":
        raise ValueError(f"show_config: mode must be 'stdout' or 'dicts', got {mode!r}")
    for name, value in config.items():
        if value is None:
            value = "not measured yet"
        print(f"{name}: {', '.join(value) if isinstance(value, list) else value}")


def _int_from_environment(name, least):
    """The int that an environment variable holds; None when it is unset or empty."""
    text = os.environ.get(name, "").strip()
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or int(text) < least or int(text) >= 2**63:
        raise ValueError(f"{name} must be an int of at least {least}, got {text!r}")
    return int(text)


def _read_environment():
    threads = _int_from_environment("STRIDECORE_NUM_THREADS", 1)
    if threads is not None:
        engine.set_num_threads(threads)
    limit = _int_from_environment("STRIDECORE_CACHE_BYTES", 0)
    if limit is not None:
        engine.set_cache_limit(limit)
    stream = _int_from_environment("STRIDECORE_STREAM_BYTES", 0)
    if stream is not None:
        engine.set_stream_nbytes(stream)
    level = os.environ.get("STRIDECORE_CPU_LEVEL", "")
    if level:
        try:
            engine.set_cpu_level(level)
        except ValueError as error:
            raise ValueError(f"STRIDECORE_CPU_LEVEL: {error}") from None


_read_environment()
