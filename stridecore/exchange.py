"""The same memory as another library's object: NumPy arrays and buffers."""

from stridecore.core.buffers import frombuffer
from stridecore.core.ndarray import from_numpy

__all__ = ["from_numpy", "frombuffer"]
