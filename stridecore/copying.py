"""`copy`: one strided copy for people who only want the speed, from and to anything that has memory."""

from stridecore.core.buffers import from_buffer_protocol
from stridecore.formats import contiguous_format
from stridecore.tensor import Tensor

__all__ = ["copy"]


def copy(src, out=None):
    """The elements of `src` in row-major order: what `np.ascontiguousarray(src)` and `out[...] = src` do, at the speed
    of memory.

    `src` is a NumPy array, a tensor, or any object with a buffer or `__dlpack__`; no copy is made on the way in.
    Without `out` the result is new and contiguous: a tensor if `src` is one, otherwise a NumPy array. With `out`, a
    writable object of the same kinds to whose shape `src` broadcasts, its elements are overwritten, converted to its
    dtype, and it is returned. The two may overlap: the result is as if `src` had been read first.

    RuntimeError if `out` is read-only, reaches one place by two indices, or has another shape.

    >>> import numpy as np, stridecore as sc
    >>> image = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    >>> sc.copy(image.transpose(2, 0, 1)).strides
    (4, 2, 1)
    >>> sc.copy(image[..., 0], out=np.empty((2, 2), np.float32))
    array([[0., 3.],
           [6., 9.]], dtype=float32)
    """
    source = _over(src)
    if out is not None:
        _over(out).copy_(source)
        return out
    copied = source.clone(memory_format=contiguous_format)
    return copied if isinstance(src, Tensor) else copied.numpy()


def _over(x):
    """A tensor over the memory of `x`."""
    if isinstance(x, Tensor):
        return x
    import sys

    numpy = sys.modules.get("numpy")  # an array can't exist before NumPy was imported
    if numpy is not None and isinstance(x, numpy.ndarray):
        from stridecore.exchange import from_numpy

        return from_numpy(x)
    try:
        return from_buffer_protocol(x)
    except TypeError:
        if not hasattr(x, "__dlpack__"):
            raise TypeError(
                "copy: expected a NumPy array, a tensor, or an object with a buffer or __dlpack__, "
                f"not {type(x).__name__}"
            ) from None
    from stridecore.exchange import from_dlpack

    return from_dlpack(x)
