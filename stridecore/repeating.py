"""Tensors repeated: as a whole along dims (repeat, tile) or element by element (repeat_interleave).

    repeat               [1, 2] -> [1, 2, 1, 2]     the result seen as (times, size), written by one broadcast copy
    repeat_interleave    [1, 2] -> [1, 1, 2, 2]     seen as (size, times)
"""

from stridecore.arguments import add_methods, checked_sizes, int_arg, ints_arg, spread_ints, tensor_arg, wrapped_dim
from stridecore.core.memory_format import names
from stridecore.core.tensor_impl import TensorImpl

__all__ = "repeat_interleave tile".split()

contiguous_format = names()["contiguous_format"]


def _repeated(x, times, name):
    """x repeated times[d] times along each dim d, of which there may be more in front."""
    if len(times) < x.ndim:
        raise RuntimeError(
            f"{name}: Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor: got "
            f"{len(times)} for a tensor of {x.ndim} dims"
        )
    sizes = [1] * (len(times) - x.ndim) + list(x.shape)
    shape = [n * size for n, size in zip(times, sizes, strict=True)]
    for n in shape:
        if n < 0:
            raise RuntimeError(f"{name}: Trying to create tensor with negative dimension {n}: {shape}")
    result = x.new_empty(checked_sizes(name, shape))
    if result.numel() == 0:
        return result
    seen, source = [], []    # the result as (times, size) for each dim, and x as (1, size), without needless dims of 1
    for n, size in zip(times, sizes, strict=True):
        if n != 1:
            seen.append(n)
            source.append(1)
        if n == 1 or size != 1:
            seen.append(size)
            source.append(size)
    result.view(seen).copy_(x.view(source))
    return result


def _repeat(self, *repeats_, repeats=None):
    """x.repeat(2, 3), x.repeat((2, 3)): the tensor repeated so many times along each dim; more counts than dims add
    dims in front. A new contiguous tensor.

    RuntimeError for fewer counts than dims and for negative ones.

    >>> import stridecore as sc
    >>> sc.arange(2).repeat(2, 2)
    tensor([[0, 1, 0, 1],
            [0, 1, 0, 1]])
    """
    return _repeated(self, spread_ints("repeat", repeats_, repeats, "repeats"), "repeat")


def _tile(self, *dims_, dims=None):
    """x.tile(2, 3), x.tile((2, 3)): the tensor repeated so many times along each dim; counts for leading dims that are
    left out are 1. A new contiguous tensor.

    >>> import stridecore as sc
    >>> sc.tensor([[1, 2], [3, 4]]).tile(2)
    tensor([[1, 2, 1, 2],
            [3, 4, 3, 4]])
    """
    return _tiled(self, spread_ints("tile", dims_, dims, "dims"))


def _tiled(x, times):
    return _repeated(x, [1] * (x.ndim - len(times)) + times, "tile")


def tile(input, dims):
    """The tensor repeated dims[d] times along each dim d; counts for leading dims that are left out are 1.

    >>> import stridecore as sc
    >>> sc.tile(sc.tensor([1, 2]), (2, 2))
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    return _tiled(tensor_arg("tile", input), ints_arg("tile", dims, "dims"))


# ---- element by element ---------------------------------------------------------------------------------------


def repeat_interleave(input=None, repeats=None, dim=None, *, output_size=None):
    """Each index of dim `dim` (of all elements, flattened, without it) repeated `repeats` times: an int, or an int64 or
    int32 tensor with a count for each index.

    `repeat_interleave(counts)` repeats 0, 1, 2, ... . `output_size` is the size that the dim is to have, which is only
    compared. RuntimeError for negative counts, for a number of them that does not match, and for another output_size.

    >>> import stridecore as sc
    >>> sc.repeat_interleave(sc.tensor([5, 6]), sc.tensor([1, 2]))
    tensor([5, 6, 6])
    >>> sc.repeat_interleave(sc.tensor([1, 2]))
    tensor([0, 1, 1])
    """
    name = "repeat_interleave"
    if output_size is not None:
        output_size = int_arg(name, output_size, "output_size")
    if input is None or repeats is None:
        if dim is not None:
            raise TypeError(f"{name}: dim needs both an input and repeats")
        return _counted(tensor_arg(name, repeats if input is None else input, "repeats"), output_size)
    return _interleaved(tensor_arg(name, input), repeats, dim, output_size)


def _repeat_interleave(self, repeats, dim=None, *, output_size=None):
    """Each index of dim `dim` (of all elements, flattened, without it) repeated; see stridecore.repeat_interleave.

    >>> import stridecore as sc
    >>> sc.tensor([[1, 2]]).repeat_interleave(2, dim=1)
    tensor([[1, 1, 2, 2]])
    """
    return _interleaved(self, repeats, dim, output_size)


def _interleaved(x, repeats, dim, output_size):
    name = "repeat_interleave"
    if dim is not None:
        dim = int_arg(name, dim, "dim")
        if not isinstance(repeats, TensorImpl) and x.ndim == 0:
            wrapped_dim(name, dim + 1, 0)
        elif x.ndim == 0:
            raise IndexError(f"{name}: Dimension specified as {dim} but tensor has no dimensions")
        dim = wrapped_dim(name, dim, x.ndim)
    if not isinstance(repeats, TensorImpl):
        return _each_times(x, int_arg(name, repeats, "repeats"), dim, output_size)
    if dim is None:
        x, dim = x.reshape(-1), 0
    if repeats.ndim == 0 or (repeats.ndim == 1 and repeats.shape[0] == 1):
        repeats = repeats.reshape(1).expand(x.shape[dim])
    elif repeats.ndim == 1 and repeats.shape[0] != x.shape[dim]:
        raise RuntimeError(
            f"{name}: repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{repeats.shape[0]} and input.size({dim}) = {x.shape[dim]}"
        )
    return x.index_select(dim, _counted(repeats, output_size))


def _each_times(x, times, dim, output_size):
    if times < 0:
        raise RuntimeError(f"repeat_interleave: Repeats must be non-negative, got {times}")
    if dim is None:
        shape, dim = [x.numel()], 0
        source = x.reshape(-1)
    else:
        shape, source = list(x.shape), x
    if output_size is not None and output_size != shape[dim] * times:
        raise RuntimeError(
            f"repeat_interleave: Invalid output_size, expected {shape[dim] * times} but got {output_size}"
        )
    source = source.unsqueeze(dim + 1)
    return source.expand([*source.shape[: dim + 1], times, *source.shape[dim + 2 :]]).clone(
        memory_format=contiguous_format
    ).flatten(dim, dim + 1)


def _counted(repeats, output_size):
    """0, 1, 2, ..., each as often as the tensor says, in its dtype."""
    import numpy

    from stridecore.core.ndarray import from_numpy

    name = "repeat_interleave"
    if repeats.ndim != 1:
        raise RuntimeError(f"{name} only accept 1D vector as repeat, got size {list(repeats.shape)}")
    if repeats.dtype.name not in ("int64", "int32"):
        raise NotImplementedError(f"{name}: repeats must be int64 or int32, got {repeats.dtype}")
    counts = repeats.numpy()
    if len(counts) and counts.min() < 0:
        raise RuntimeError(f"{name}: repeats can not be negative, got {counts.min()}")
    if counts.sum(dtype=numpy.float64) >= 2**40:    # the sum of the integers may wrap
        raise RuntimeError(f"{name}: can't allocate memory for {counts.sum(dtype=numpy.float64):.3g} repeats")
    if output_size is not None and output_size != int(counts.sum()):
        raise RuntimeError(
            f"{name}: allocated size does not match required size: output_size is {output_size}, repeats add up to "
            f"{counts.sum()}"
        )
    return from_numpy(numpy.repeat(numpy.arange(len(counts), dtype=counts.dtype), counts))


add_methods(_repeat, _tile, _repeat_interleave)
