"""What the memory can do: libc's memcpy, and a streaming copy with its loads and stores alone.

The loops of reference.c are compiled on the fly, so that a small memcpy is timed without the cost of a call from
Python. Without a C compiler memcpy is called through ctypes one by one, and the others are left out.
"""

import ctypes
import os
import shutil
import subprocess
import tempfile
from functools import cache, partial
from pathlib import Path

from .buffers import Buffer
from .timing import Contender

SMALL = 1 << 20


def memcpy(dst: Buffer, src: Buffer, nbytes: int) -> Contender:
    """libc's memcpy of `nbytes`."""
    addresses = ctypes.c_void_p(dst.address), ctypes.c_void_p(src.address), ctypes.c_size_t(nbytes)
    if loops():
        times = max(1, SMALL // max(nbytes, 1024))
        return Contender("memcpy", partial(loops().bench_memcpy, *addresses, ctypes.c_long(times)), calls=times)
    function = ctypes.CDLL(None).memcpy
    function.restype = None
    return Contender("memcpy", partial(function, *addresses))


def stream(dst: Buffer, src: Buffer, nbytes: int) -> Contender | None:
    """A copy of `nbytes` with non-temporal stores, where it can be compiled."""
    return _loop("stream", "bench_stream", dst, src, nbytes)


def load(src: Buffer, nbytes: int) -> Contender | None:
    """Only the loads of such a copy."""
    return _loop("load", "bench_load", src, nbytes)


def store(dst: Buffer, nbytes: int) -> Contender | None:
    """Only the stores of such a copy."""
    return _loop("store", "bench_store", dst, nbytes)


def _loop(name, function, *arguments) -> Contender | None:
    if not hasattr(loops(), function):
        return None
    *buffers, nbytes = arguments
    addresses = [ctypes.c_void_p(buffer.address) for buffer in buffers]
    return Contender(name, partial(getattr(loops(), function), *addresses, ctypes.c_size_t(nbytes)))


@cache
def loops():
    """The compiled reference.c, or None where there is no compiler."""
    compiler = os.environ.get("CC", "").split() or [shutil.which("cc") or shutil.which("gcc")]
    if not compiler[0]:
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "reference.so"
        source = Path(__file__).with_name("reference.c")
        command = [*compiler, "-O2", "-shared", "-fPIC", "-o", str(library), str(source)]
        try:
            subprocess.run(command, check=True, capture_output=True)
            return ctypes.CDLL(str(library))
        except (OSError, subprocess.CalledProcessError):
            return None
