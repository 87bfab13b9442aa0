"""Views as functions of the package: `stridecore.transpose(x, 0, 1)`, and what takes several tensors or copies.

A function takes the tensor first, or as `input=`, and then what the method of that name takes. Methods that accept
sizes one by one have functions that accept a tuple: `x.reshape(2, 3)`, `sc.reshape(x, (2, 3))`.
"""

from stridecore.core.function import function
from stridecore.core.memory_format import names as _format_names
from stridecore.core.overlap import shares_memory
from stridecore.core.size import Size
from stridecore.core.storage import StorageImpl, TypedStorageImpl
from stridecore.core.tensor_impl import TensorImpl
from stridecore.tensor import Tensor

_CONTIGUOUS = _format_names()["contiguous_format"]

# Functions that are nothing but the method.
_METHODS = (
    "adjoint as_strided as_strided_ chunk conj conj_physical conj_physical_ detach detach_ diagonal dsplit flatten "
    "get_device hsplit is_complex is_conj is_floating_point is_inference is_neg is_same_size is_signed moveaxis "
    "movedim narrow numel ravel resize_as_ resolve_conj resolve_neg select split_with_sizes squeeze swapaxes swapdims t "
    "tensor_split transpose unbind unflatten unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze "
    "view_as_complex view_as_real vsplit"
).split()
_SHAPE_METHODS = "broadcast_to permute reshape".split()

for _name in _METHODS:
    globals()[_name] = function(_name, getattr(Tensor, _name))
for _name in _SHAPE_METHODS:
    globals()[_name] = function(_name, getattr(Tensor, _name), one_shape=True)
for _name in ("real", "imag"):
    globals()[_name] = function(_name, getattr(Tensor, _name).__get__, doc=getattr(Tensor, _name).__doc__)


def split(tensor, split_size_or_sections, dim=0):
    """A tuple of views of so many indices of a dim each, the last one smaller if need be; or, for a list, of these
    sizes. See Tensor.split.

    >>> import stridecore as sc
    >>> sc.split(sc.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    return _tensor(tensor, "split", "tensor").split(split_size_or_sections, dim)


def is_tensor(obj):
    """True if `obj` is a Tensor.

    >>> import stridecore as sc
    >>> sc.is_tensor(sc.zeros(2)), sc.is_tensor([0.0])
    (True, False)
    """
    return isinstance(obj, Tensor)


def is_storage(obj):
    """True if `obj` is a storage, typed or untyped.

    >>> import stridecore as sc
    >>> sc.is_storage(sc.zeros(2).untyped_storage())
    True
    """
    return isinstance(obj, StorageImpl | TypedStorageImpl)


# ---- several tensors ----------------------------------------------------------------------------------------


def _tensor(value, function, name):
    if not isinstance(value, TensorImpl):
        raise TypeError(f"{function}: {name} must be Tensor, not {type(value).__name__}")
    return value


def _atleast(tensors, function, raised):
    """`raised` of one tensor, or of each of several, given one by one or in a tuple or list."""
    if len(tensors) == 1 and not isinstance(tensors[0], tuple | list):
        return raised(_tensor(tensors[0], function, "input"))
    if len(tensors) == 1:
        tensors = tensors[0]
    return tuple([raised(_tensor(x, function, f"tensor {i}")) for i, x in enumerate(tensors)])


def atleast_1d(*tensors):
    """Each tensor with at least 1 dim: a 0-dim one as a view of size [1], any other itself.

    Takes tensors, or one tuple or list of them; gives a tensor for one tensor and otherwise a tuple.

    >>> import stridecore as sc
    >>> sc.atleast_1d(sc.tensor(5))
    tensor([5])
    """
    return _atleast(tensors, "atleast_1d", lambda x: x.reshape(1) if x.ndim == 0 else x)


def atleast_2d(*tensors):
    """Each tensor with at least 2 dims: one of fewer dims as a view with new leading dims of size 1.

    Takes tensors, or one tuple or list of them; gives a tensor for one tensor and otherwise a tuple.

    >>> import stridecore as sc
    >>> sc.atleast_2d(sc.arange(3))
    tensor([[0, 1, 2]])
    """
    return _atleast(tensors, "atleast_2d", _raised_2d)


def _raised_2d(x):
    return x.reshape(1, 1) if x.ndim == 0 else x.unsqueeze(0) if x.ndim == 1 else x


def atleast_3d(*tensors):
    """Each tensor with at least 3 dims: (n,) as a view of size (1, n, 1), (m, n) as one of size (m, n, 1).

    Takes tensors, or one tuple or list of them; gives a tensor for one tensor and otherwise a tuple.

    >>> import stridecore as sc
    >>> sc.atleast_3d(sc.zeros(2, 3)).shape
    stridecore.Size([2, 3, 1])
    """
    return _atleast(tensors, "atleast_3d", _raised_3d)


def _raised_3d(x):
    if x.ndim == 0:
        return x.reshape(1, 1, 1)
    return x.unsqueeze(0).unsqueeze(-1) if x.ndim == 1 else x.unsqueeze(-1) if x.ndim == 2 else x


def broadcast_shapes(*shapes):
    """The Size to which all of these sizes (tuples, lists or ints) broadcast; RuntimeError if there is none.

    >>> import stridecore as sc
    >>> sc.broadcast_shapes((2, 1), (3,), 1)
    stridecore.Size([2, 3])
    """
    shapes = [Size([s] if isinstance(s, int) else s) for s in shapes]
    result = [1] * max([len(s) for s in shapes], default=0)
    for i, shape in enumerate(shapes):
        for dim in range(-len(shape), 0):
            n = shape[dim]
            if n < 0:
                raise ValueError(f"broadcast_shapes: size {n} in {tuple(shape)} is negative")
            if n != 1 and result[dim] != 1 and n != result[dim]:
                raise RuntimeError(
                    f"broadcast_shapes: size {n} of dim {dim} of argument {i}, {tuple(shape)}, does not match "
                    f"{result[dim]}; sizes broadcast if they are equal or one of them is 1"
                )
            if n != 1:
                result[dim] = n
    return Size(result)


def broadcast_tensors(*tensors):
    """All tensors expanded to the size to which they broadcast, as a tuple of views; RuntimeError if there is none.

    >>> import stridecore as sc
    >>> a, b = sc.broadcast_tensors(sc.zeros(2, 1), sc.zeros(3))
    >>> a.stride(), b.stride()
    ((1, 0), (0, 1))
    """
    size = broadcast_shapes(*[_tensor(x, "broadcast_tensors", f"tensor {i}").shape for i, x in enumerate(tensors)])
    return tuple([x if x.shape == size else x.expand(size) for x in tensors])


# ---- views, copied --------------------------------------------------------------------------------------------


def _slice(input, dim=0, start=None, end=None, step=1):
    if input.ndim == 0:
        raise IndexError("slice_copy: a tensor of 0 dims has nothing to slice")
    if step <= 0:
        raise RuntimeError(f"slice_copy: step must be positive, got {step}")
    return input.movedim(dim, 0)[start:end:step].movedim(0, dim)


def _copying(name, view, what):
    """The function `name`: what `view` gives, copied to new contiguous tensors or into `out`."""

    def copied(input, *args, out=None, **kwargs):
        result = view(_tensor(input, name, "input"), *args, **kwargs)
        if isinstance(result, tuple):
            return _copy_all(name, result, out)
        return _copy(name, result, out)

    copied.__name__ = copied.__qualname__ = name
    copied.__module__ = "stridecore"
    copied.__doc__ = (
        f"{what}, as {name[: -len('_copy')]} gives it, but copied: a new contiguous tensor, or written into `out`."
    )
    return copied


def _copy(name, result, out):
    if out is None:
        return result.clone(memory_format=_CONTIGUOUS)
    _tensor(out, name, "out")
    if out.dtype != result.dtype:
        raise RuntimeError(f"{name}: Expected out tensor to have dtype {result.dtype}, but got {out.dtype} instead")
    if out.shape != result.shape:
        out.resize_(result.shape)
    return out.copy_(result)


def _copy_all(name, results, out):
    if out is None:
        return tuple([_copy(name, x, None) for x in results])
    if len(out) != len(results):
        raise RuntimeError(f"{name}: expected {len(results)} tensors in out, got {len(out)}")
    for x, to in zip(results, out, strict=True):
        to.copy_(x)
    return None


_COPIES = {
    "alias_copy": (Tensor.alias, "The tensor"),
    "as_strided_copy": (Tensor.as_strided, "Any layout over the storage"),
    "detach_copy": (Tensor.detach, "The tensor"),
    "diagonal_copy": (Tensor.diagonal, "A diagonal of two dims"),
    "expand_copy": (Tensor.expand, "The tensor repeated along dims of size 1"),
    "narrow_copy": (Tensor.narrow, "Some indices of a dim"),
    "permute_copy": (Tensor.permute, "The dims in another order"),
    "select_copy": (Tensor.select, "One index of a dim"),
    "slice_copy": (_slice, "A slice of a dim, slice_copy(input, dim=0, start=None, end=None, step=1)"),
    "split_copy": (Tensor.split, "Pieces of a dim"),
    "split_with_sizes_copy": (Tensor.split_with_sizes, "Pieces of a dim"),
    "squeeze_copy": (Tensor.squeeze, "The tensor without dims of size 1"),
    "t_copy": (Tensor.t, "The transpose of a matrix"),
    "transpose_copy": (Tensor.transpose, "The tensor with two dims swapped"),
    "unbind_copy": (Tensor.unbind, "Every index of a dim"),
    "unfold_copy": (Tensor.unfold, "Windows along a dim"),
    "unsqueeze_copy": (Tensor.unsqueeze, "The tensor with a new dim of size 1"),
    "view_as_complex_copy": (Tensor.view_as_complex, "Pairs as complex numbers"),
    "view_as_real_copy": (Tensor.view_as_real, "Complex numbers as pairs"),
    "view_copy": (Tensor.view, "The elements with other sizes, or the bytes as another dtype"),
}

for _name, (_view, _what) in _COPIES.items():
    globals()[_name] = _copying(_name, _view, _what)

__all__ = [
    *_METHODS,
    *_SHAPE_METHODS,
    *_COPIES,
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_shapes",
    "broadcast_tensors",
    "imag",
    "is_storage",
    "is_tensor",
    "real",
    "shares_memory",
    "split",
]
