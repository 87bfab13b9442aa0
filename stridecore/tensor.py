"""`Tensor`: what Python users see. Thin: whatever is hot lives in the core's chain of classes below it."""

from stridecore.core import tensor_impl
from stridecore.core.tensor_base import TensorBase

__all__ = ["Tensor"]


class Tensor(TensorBase):
    """A view of a storage: sizes, strides and an offset over one-dimensional memory."""

    __slots__ = ()
    __module__ = "stridecore"


tensor_impl.register(Tensor)
