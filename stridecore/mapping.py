"""`from_file`: tensors over the bytes of a file."""

from stridecore.core.device import device as Device
from stridecore.core.dtype import dtype as Dtype
from stridecore.core.dtype import get_default_dtype
from stridecore.core.exchange import tensor_on
from stridecore.formats import strided
from stridecore.storage import UntypedStorage

__all__ = ["from_file"]


def from_file(
    filename, shared=None, size=0, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False
):
    """A 1-dim tensor of the first `size` elements of a file, which is mapped, not read.

    With `shared=True` what is written to the tensor is written to the file, and every process that maps it sees that;
    the file is made, or made longer, if need be. Otherwise writes stay in this process's memory, and a file that is too
    short is a RuntimeError, as is one that can't be opened. The tensor can't be resized. Touching what another process
    has truncated away ends the program, as with every mapping.

    >>> import os, tempfile, stridecore as sc
    >>> path = os.path.join(tempfile.mkdtemp(), "numbers")
    >>> sc.from_file(path, shared=True, size=3, dtype=sc.int16).fill_(7)
    tensor([7, 7, 7], dtype=stridecore.int16)
    >>> open(path, "rb").read()
    b'\\x07\\x00\\x07\\x00\\x07\\x00'
    """
    if isinstance(size, bool) or not hasattr(size, "__index__"):
        raise TypeError(f"from_file(): argument 'size' must be int, not {type(size).__name__}")
    if dtype is None:
        dtype = get_default_dtype()
    elif not isinstance(dtype, Dtype):
        raise TypeError(f"from_file(): argument 'dtype' must be stridecore.dtype, not {type(dtype).__name__}")
    if layout not in (None, strided):
        raise RuntimeError(f"from_file: a file can only be mapped with the layout stridecore.strided, not {layout}")
    if device is not None:
        Device(device)
    if pin_memory:
        raise RuntimeError("from_file: tensors constructed from a file cannot be pinned")
    if requires_grad:
        raise NotImplementedError("from_file: stridecore computes no gradients; leave out requires_grad")
    from stridecore import sharing

    size = size.__index__()
    storage = sharing.from_file(UntypedStorage, filename, shared, size * dtype.itemsize, "from_file")
    return tensor_on(storage, dtype, 0, (size,), (1,))
