"""The words for where and how elements lie: `device`, the layouts and the memory formats."""

from stridecore.core.device import device
from stridecore.core.memory_format import layout, memory_format, names

__all__ = ["device", "layout", "memory_format", *names()]

globals().update(names())
