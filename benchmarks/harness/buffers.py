"""Ready memory: what every contender reads from and writes to.

A buffer is anonymous memory aligned to 2 MiB with huge pages advised (Linux; plain elsewhere), written once before
anything is timed, so that no contender pays a page fault that another one doesn't.

    |<-- 2 MiB aligned -->                      |<- guard ->|
    [ payload, handed out as arrays from byte 0 ][ 0xA5 ... ]
"""

import ctypes
import mmap

import numpy as np

HUGE = 2 << 20
GUARD = 4096
UNTOUCHED = 0xA5


class Buffer:
    """`nbytes` of ready memory, plus a guard behind it that no contender may change."""

    def __init__(self, nbytes: int):
        self.nbytes = nbytes
        if hasattr(mmap, "MADV_HUGEPAGE"):  # private, because shared mappings get no huge pages by advice
            self._map = mmap.mmap(-1, nbytes + GUARD + HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            self._map.madvise(mmap.MADV_HUGEPAGE)
        else:
            self._map = mmap.mmap(-1, nbytes + GUARD + HUGE)
        whole = np.frombuffer(self._map, np.uint8)
        skip = -whole.ctypes.data % HUGE
        self.bytes = whole[skip : skip + nbytes + GUARD]
        self.bytes.fill(UNTOUCHED)
        self.address = self.bytes.ctypes.data

    def array(self, shape, dtype) -> np.ndarray:
        """A C-contiguous array over the start of the payload."""
        dtype = np.dtype(dtype)
        count = int(np.prod(shape, dtype=np.int64))
        if count * dtype.itemsize > self.nbytes:
            raise ValueError(f"array: {shape} of {dtype} needs {count * dtype.itemsize} bytes, got {self.nbytes}")
        return self.bytes[: count * dtype.itemsize].view(dtype).reshape(shape)

    def randomize(self, seed: int = 0) -> None:
        """Fill the payload with random bytes that are ordinary numbers as floats of any width.

        Every odd byte gets 01 as its bits 5 and 4, which lie in the exponent of a float16, bfloat16, float32 and
        float64: never all ones, never all zeros. (OpenBLAS multiplies by one and would quiet a signalling NaN.)
        The words repeat after a prime number of them, so that no copy from a wrong address goes unnoticed.
        """
        tile = np.random.default_rng(seed).integers(0, 1 << 64, 131071, dtype=np.uint64)
        tile &= np.uint64(0xDFFF_DFFF_DFFF_DFFF)
        tile |= np.uint64(0x1000_1000_1000_1000)
        words = self.bytes[: self.nbytes // 8 * 8].view(np.uint64)
        whole = words.size // tile.size * tile.size
        words[:whole].reshape(-1, tile.size)[:] = tile
        words[whole:] = tile[: words.size - whole]

    def wipe(self, nbytes: int) -> None:
        """Mark the first `nbytes` and the guard after them as untouched."""
        self.bytes[: nbytes + GUARD].fill(UNTOUCHED)

    def differs(self, other: "Buffer", nbytes: int) -> int | None:
        """The first byte within `nbytes` and the guard where two buffers differ, or None."""
        length = nbytes + GUARD
        if not ctypes.CDLL(None).memcmp(
            ctypes.c_void_p(self.address), ctypes.c_void_p(other.address), ctypes.c_size_t(length)
        ):
            return None
        return int(np.flatnonzero(self.bytes[:length] != other.bytes[:length])[0])


def span(array: np.ndarray) -> int:
    """The number of bytes from an array's lowest to its highest reachable byte."""
    if array.size == 0:
        return 0
    reach = sum((n - 1) * abs(s) for n, s in zip(array.shape, array.strides, strict=True))
    return reach + array.itemsize
