"""The element types by name (`stridecore.float32`, `stridecore.long`, …) and their numeric limits."""

from stridecore.core.dtype import dtype, get_default_dtype, names, set_default_dtype

__all__ = ["dtype", "get_default_dtype", "set_default_dtype", *names()]

globals().update(names())
