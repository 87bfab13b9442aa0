"""Views, copied: `stridecore.transpose_copy(x, 0, 1)` and its kin give new contiguous tensors."""

from operator import index

from stridecore.core.function import function
from stridecore.core.memory_format import names
from stridecore.core.options import warn_of_resize
from stridecore.functions import is_tensor, permute
from stridecore.tensor import Tensor

__all__ = (
    "alias_copy as_strided_copy detach_copy diagonal_copy expand_copy narrow_copy permute_copy select_copy "
    "slice_copy split_copy split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy "
    "unsqueeze_copy view_as_complex_copy view_as_real_copy view_copy"
).split()

contiguous_format = names()["contiguous_format"]
_expand = function("expand", Tensor.expand, one_shape=True)


def _slice(input, dim=0, start=None, end=None, step=1):
    if input.ndim == 0:
        raise IndexError("slice_copy: a tensor of 0 dims has nothing to slice")
    if step <= 0:
        raise RuntimeError(f"slice_copy: step must be positive, got {step}")
    return input.movedim(dim, 0)[start:end:step].movedim(0, dim)


def _view(input, *args, size=None, dtype=None):
    if len(args) == 1 and not isinstance(args[0], int) and size is None and dtype is None:
        size, dtype = (args[0], None) if isinstance(args[0], tuple | list) else (None, args[0])
    elif args or (size is None) == (dtype is None):
        raise TypeError("view_copy: takes a tuple of ints or a dtype after the input")
    if dtype is None:
        return input.clone(memory_format=contiguous_format).view(size=size)
    return input.resolve_conj().resolve_neg().view(dtype)


def _view_as_real(input):
    return input.resolve_conj().view_as_real()


def _split(input, split_size, dim=0):
    if isinstance(split_size, bool | tuple | list):
        raise TypeError(f"split_copy: split_size must be int, not {type(split_size).__name__}")
    return input.split(index(split_size), dim)


def _copying(name, view, what, example, output):
    """The function `name`: what `view` gives, copied to new contiguous tensors or into `out`."""

    def copied(input, *args, out=None, **kwargs):
        if not is_tensor(input):
            raise TypeError(f"{name}: input must be Tensor, not {type(input).__name__}")
        result = view(input, *args, **kwargs)
        if isinstance(result, tuple):
            return _copy_all(name, result, out)
        return _copy(name, result, out)

    copied.__name__ = copied.__qualname__ = name
    copied.__module__ = "stridecore"
    copied.__doc__ = (
        f"{what}, as {name[: -len('_copy')]} gives it, but copied: a new contiguous tensor, or written into `out`.\n\n"
        f">>> import stridecore as sc\n>>> {example}\n{output}\n"
    )
    return copied


def _copy(name, result, out):
    if out is None:
        return result.clone(memory_format=contiguous_format)
    if not is_tensor(out):
        raise TypeError(f"{name}: out must be Tensor, not {type(out).__name__}")
    if out.dtype != result.dtype:
        raise RuntimeError(f"{name}: Expected out tensor to have dtype {result.dtype}, but got {out.dtype} instead")
    resized = out.shape != result.shape and out.numel() != 0
    if out.shape != result.shape:
        out.resize_(result.shape)
    out.copy_(result)
    if resized:
        warn_of_resize(name, result.shape)
    return out


def _copy_all(name, results, out):
    if out is None:
        return tuple([_copy(name, x, None) for x in results])
    if len(out) != len(results):
        raise RuntimeError(f"{name}: expected {len(results)} tensors in out, got {len(out)}")
    for x, to in zip(results, out, strict=True):
        to.copy_(x)
    return None


alias_copy = _copying(
    "alias_copy",
    Tensor.alias,
    "The tensor",
    "sc.alias_copy(sc.zeros(2, 3).t()).stride()",
    "(2, 1)",
)
as_strided_copy = _copying(
    "as_strided_copy",
    Tensor.as_strided,
    "Any layout over the storage",
    "sc.as_strided_copy(sc.arange(6), (2, 2), (3, 1))",
    "tensor([[0, 1],\n        [3, 4]])",
)
detach_copy = _copying(
    "detach_copy",
    Tensor.detach,
    "The tensor",
    "sc.detach_copy(sc.zeros(2, 3).t()).stride()",
    "(2, 1)",
)
diagonal_copy = _copying(
    "diagonal_copy",
    Tensor.diagonal,
    "A diagonal of two dims",
    "sc.diagonal_copy(sc.arange(4).view(2, 2))",
    "tensor([0, 3])",
)
expand_copy = _copying(
    "expand_copy",
    _expand,
    "The tensor repeated along dims of size 1",
    "sc.expand_copy(sc.arange(2), (3, 2)).stride()",
    "(2, 1)",
)
narrow_copy = _copying(
    "narrow_copy",
    Tensor.narrow_copy,
    "Some indices of a dim",
    "sc.narrow_copy(sc.arange(6), 0, 2, 3)",
    "tensor([2, 3, 4])",
)
permute_copy = _copying(
    "permute_copy",
    permute,
    "The dims in another order",
    "sc.permute_copy(sc.zeros(2, 3, 4), (2, 0, 1)).stride()",
    "(6, 3, 1)",
)
select_copy = _copying(
    "select_copy",
    Tensor.select,
    "One index of a dim",
    "sc.select_copy(sc.arange(4).view(2, 2), 1, 0)",
    "tensor([0, 2])",
)
slice_copy = _copying(
    "slice_copy",
    _slice,
    "A slice of a dim, slice_copy(input, dim=0, start=None, end=None, step=1)",
    "sc.slice_copy(sc.arange(6), 0, 1, 5, 2)",
    "tensor([1, 3])",
)
split_copy = _copying(
    "split_copy",
    _split,
    "Pieces of a dim",
    "sc.split_copy(sc.arange(3), 2)",
    "(tensor([0, 1]), tensor([2]))",
)
split_with_sizes_copy = _copying(
    "split_with_sizes_copy",
    Tensor.split_with_sizes,
    "Pieces of a dim",
    "sc.split_with_sizes_copy(sc.arange(3), (1, 2))",
    "(tensor([0]), tensor([1, 2]))",
)
squeeze_copy = _copying(
    "squeeze_copy",
    Tensor.squeeze,
    "The tensor without dims of size 1",
    "sc.squeeze_copy(sc.zeros(1, 2, 1)).shape",
    "stridecore.Size([2])",
)
t_copy = _copying(
    "t_copy",
    Tensor.t,
    "The transpose of a matrix",
    "sc.t_copy(sc.zeros(2, 3)).stride()",
    "(2, 1)",
)
transpose_copy = _copying(
    "transpose_copy",
    Tensor.transpose,
    "The tensor with two dims swapped",
    "sc.transpose_copy(sc.zeros(2, 3), 0, 1).stride()",
    "(2, 1)",
)
unbind_copy = _copying(
    "unbind_copy",
    Tensor.unbind,
    "Every index of a dim",
    "sc.unbind_copy(sc.arange(4).view(2, 2), 1)",
    "(tensor([0, 2]), tensor([1, 3]))",
)
unfold_copy = _copying(
    "unfold_copy",
    Tensor.unfold,
    "Windows along a dim",
    "sc.unfold_copy(sc.arange(3), 0, 2, 1)",
    "tensor([[0, 1],\n        [1, 2]])",
)
unsqueeze_copy = _copying(
    "unsqueeze_copy",
    Tensor.unsqueeze,
    "The tensor with a new dim of size 1",
    "sc.unsqueeze_copy(sc.zeros(2), 0).shape",
    "stridecore.Size([1, 2])",
)
view_as_complex_copy = _copying(
    "view_as_complex_copy",
    Tensor.view_as_complex,
    "Pairs as complex numbers",
    "sc.view_as_complex_copy(sc.tensor([[1.0, 2.0]]))",
    "tensor([1.+2.j])",
)
view_as_real_copy = _copying(
    "view_as_real_copy",
    _view_as_real,
    "Complex numbers as pairs",
    "sc.view_as_real_copy(sc.tensor([1 + 2j]))",
    "tensor([[1., 2.]])",
)
view_copy = _copying(
    "view_copy",
    _view,
    "The elements with other sizes, or the bytes as another dtype",
    "sc.view_copy(sc.arange(4).view(2, 2).t(), (4,))",
    "tensor([0, 2, 1, 3])",
)
