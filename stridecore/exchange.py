"""The same memory as another library's object: NumPy arrays, buffers and DLPack capsules."""

from stridecore import utils
from stridecore.core.buffers import frombuffer
from stridecore.core.dlpack import from_dlpack, to_dlpack
from stridecore.core.ndarray import from_numpy

__all__ = ["from_dlpack", "from_numpy", "frombuffer", "to_dlpack", "utils"]
