"""Dims reversed, rolled and turned by right angles: copies from views, in one pass over memory each."""

from itertools import product

from stridecore.arguments import add_methods, int_arg, ints_arg, spread_ints, tensor_arg, wrapped_dim
from stridecore.core.joining import cat, has_channels_last
from stridecore.core.memory_format import names
from stridecore.creation import empty_like
from stridecore.tensor import Tensor

__all__ = "flip fliplr flipud roll rot90".split()

contiguous_format = names()["contiguous_format"]
channels_last, channels_last_3d = names()["channels_last"], names()["channels_last_3d"]
BACKWARDS = slice(None, None, -1)


# ---- flip -----------------------------------------------------------------------------------------------------


def _flipped(x, dims, name):
    """A copy of the view with negative strides along the dims, laid out as x is."""
    wrapped = set()
    for dim in dims:
        dim = wrapped_dim(name, dim, x.ndim)
        if dim in wrapped:
            raise RuntimeError(f"{name}: dim {dim} appears multiple times in the list of dims {list(dims)}")
        wrapped.add(dim)
    result = empty_like(x)
    if x.ndim and wrapped:
        x = x[tuple([BACKWARDS if dim in wrapped else slice(None) for dim in range(x.ndim)])]
    return result.copy_(x)


def flip(input, dims):
    """A copy with the order of the elements along each of the dims reversed. x[::-1] is a view of the same.

    The copy keeps the layout. RuntimeError for a dim given twice.

    >>> import stridecore as sc
    >>> sc.flip(sc.tensor([[1, 2], [3, 4]]), (1,))
    tensor([[2, 1],
            [4, 3]])
    """
    return _flipped(tensor_arg("flip", input), ints_arg("flip", dims, "dims"), "flip")


def _flip(self, *dims_, dims=None):
    """x.flip(0, 1), x.flip((0, 1)): a copy with the order along each of the dims reversed; see stridecore.flip.

    >>> import stridecore as sc
    >>> sc.arange(3).flip(0)
    tensor([2, 1, 0])
    """
    return _flipped(self, spread_ints("flip", dims_, dims, "dims"), "flip")


def _fliplr(self):
    """A copy with dim 1 reversed: each row from right to left. RuntimeError for fewer than 2 dims.

    >>> import stridecore as sc
    >>> sc.fliplr(sc.tensor([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]])
    """
    if self.ndim < 2:
        raise RuntimeError(f"fliplr: Input must be >= 2-d., got {self.ndim} dims")
    return _flipped(self, (1,), "fliplr")


def _flipud(self):
    """A copy with dim 0 reversed: the rows from the bottom up. RuntimeError for a 0-dim tensor.

    >>> import stridecore as sc
    >>> sc.flipud(sc.tensor([[1, 2], [3, 4]]))
    tensor([[3, 4],
            [1, 2]])
    """
    if self.ndim < 1:
        raise RuntimeError("flipud: Input must be >= 1-d., got a 0-dim tensor")
    return _flipped(self, (0,), "flipud")


def _reversed(self):
    """reversed(x): a copy with dim 0 reversed; a 0-dim tensor gives itself.

    >>> import stridecore as sc
    >>> reversed(sc.arange(3))
    tensor([2, 1, 0])
    """
    return _flipped(self, (0,), "reversed") if self.ndim else self


_reversed.__qualname__ = "Tensor.__reversed__"
Tensor.__reversed__ = _reversed

# ---- roll -----------------------------------------------------------------------------------------------------


def _int_or_ints(name, value, argument):
    return ints_arg(name, value, argument) if isinstance(value, tuple | list) else [int_arg(name, value, argument)]


def _rolled(x, shifts, dims):
    """Every dim is cut where its last elements come to the front; each combination of halves is one copy."""
    starts = [0] * x.ndim
    for shift, dim in zip(shifts, dims, strict=True):
        starts[dim] = (starts[dim] - shift) % x.shape[dim]
    # Dims rolled by 0 lose the layout in torch, which joins them with an empty half.
    if has_channels_last(x) and all(shift % x.shape[dim] for shift, dim in zip(shifts, dims, strict=True)):
        result = empty_like(x, memory_format=channels_last if x.ndim == 4 else channels_last_3d)
    else:
        result = empty_like(x, memory_format=contiguous_format)
    cuts = []
    for n, start in zip(x.shape, starts, strict=True):
        halves = [(slice(0, n - start), slice(start, n)), (slice(n - start, n), slice(0, start))]
        cuts.append(halves if start else halves[:1])
    for halves in product(*cuts):
        result[tuple([to for to, _ in halves])].copy_(x[tuple([source for _, source in halves])])
    return result


def _roll(self, shifts, dims=None):
    """A copy with the elements moved by `shifts` along `dims`, those beyond the end coming in at the front. Both are an
    int or a tuple of ints; without dims the flattened elements are moved.

    RuntimeError for numbers of shifts and dims that differ.

    >>> import stridecore as sc
    >>> sc.roll(sc.arange(4), 1), sc.tensor([[1, 2], [3, 4]]).roll(1, 0)
    (tensor([3, 0, 1, 2]), tensor([[3, 4],
            [1, 2]]))
    """
    name = "roll"
    shifts = _int_or_ints(name, shifts, "shifts")
    dims = [] if dims is None else _int_or_ints(name, dims, "dims")
    if not shifts:
        raise RuntimeError(f"{name}: `shifts` required")
    if not dims and len(shifts) == 1:
        flat = self.reshape(-1)
        if flat.numel() == 0:
            return self.clone(memory_format=None if self.ndim == 1 else contiguous_format)
        start = -shifts[0] % flat.shape[0]
        result = self.new_empty(self.shape)
        cat((flat[start:], flat[:start]), out=result.view(-1))
        return result
    if len(shifts) != len(dims):
        raise RuntimeError(f"{name}: shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if self.numel() == 0:
        return self.clone()
    if self.ndim == 0:
        raise IndexError(f"{name}: Dimension specified as {dims[0]} but tensor has no dimensions")
    dims = [wrapped_dim(name, dim, self.ndim) for dim in dims]
    if len(dims) > 1:
        return _rolled(self, shifts, dims)
    dim, size = dims[0], self.shape[dims[0]]
    start = -shifts[0] % size
    return cat((self.narrow(dim, start, size - start), self.narrow(dim, 0, start)), dim)


# ---- rot90 ----------------------------------------------------------------------------------------------------


def _rot90(self, k=1, dims=(0, 1)):
    """A copy turned by k right angles in the plane of two dims, from the first towards the second.

    RuntimeError for fewer than 2 dims and for equal dims.

    >>> import stridecore as sc
    >>> sc.rot90(sc.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    name = "rot90"
    k, dims = int_arg(name, k, "k"), ints_arg(name, dims, "dims")
    if len(dims) != 2:
        raise RuntimeError(f"{name}: expected total rotation dims == 2, but got dims = {len(dims)}")
    if self.ndim < 2:
        raise RuntimeError(f"{name}: expected total dims >= 2, but got total dims = {self.ndim}")
    if dims[0] == dims[1] or abs(dims[0] - dims[1]) == self.ndim:
        raise RuntimeError(
            f"{name}: expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        )
    a, b = [wrapped_dim(name, dim, self.ndim) for dim in dims]
    if k % 4 == 1:
        return _flipped(self, (b,), name).transpose_(a, b)
    if k % 4 == 2:
        return _flipped(self, (a, b), name)
    if k % 4 == 3:
        return _flipped(self, (a,), name).transpose_(a, b)
    return self.clone(memory_format=contiguous_format)


fliplr, flipud, roll, rot90 = add_methods(
    _flip, _fliplr, _flipud, _roll, _rot90, as_functions="fliplr flipud roll rot90"
)
