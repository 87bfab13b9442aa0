"""Methods as functions of the package: `stridecore.transpose(x, 0, 1)`.

A function takes the tensor first, or as `input=`, and then what the method of that name takes. Methods that accept
sizes one by one have functions that accept a tuple: `x.reshape(2, 3)`, `sc.reshape(x, (2, 3))`.
"""

from stridecore.core.function import function
from stridecore.core.overlap import shares_memory as shares_memory
from stridecore.core.storage import StorageImpl
from stridecore.core.storage_faces import TypedStorageImpl
from stridecore.tensor import Tensor

__all__ = (
    "adjoint alias as_strided as_strided_ broadcast_to chunk clone conj conj_physical conj_physical_ detach "
    "detach_ diagonal dsplit fill fill_ flatten get_device hsplit imag is_complex is_conj is_floating_point "
    "is_inference is_neg is_non_overlapping_and_dense is_nonzero is_same_size is_signed is_storage is_tensor "
    "moveaxis movedim narrow numel permute ravel real reshape resize_as_ resolve_conj resolve_neg select "
    "shares_memory split split_with_sizes squeeze swapaxes swapdims t tensor_split transpose unbind unflatten "
    "unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze view_as_complex view_as_real vsplit zero_"
).split()

adjoint = function("adjoint", Tensor.adjoint)
alias = function("alias", Tensor.alias)
as_strided = function("as_strided", Tensor.as_strided)
as_strided_ = function("as_strided_", Tensor.as_strided_)
broadcast_to = function("broadcast_to", Tensor.broadcast_to, one_shape=True)
chunk = function("chunk", Tensor.chunk)
clone = function("clone", Tensor.clone)
conj = function("conj", Tensor.conj)
conj_physical = function("conj_physical", Tensor.conj_physical)
conj_physical_ = function("conj_physical_", Tensor.conj_physical_)
detach = function("detach", Tensor.detach)
detach_ = function("detach_", Tensor.detach_)
diagonal = function("diagonal", Tensor.diagonal)
dsplit = function("dsplit", Tensor.dsplit)
fill_ = function("fill_", Tensor.fill_)
flatten = function("flatten", Tensor.flatten)
get_device = function("get_device", Tensor.get_device)
hsplit = function("hsplit", Tensor.hsplit)
imag = function("imag", Tensor.imag.__get__, doc=Tensor.imag.__doc__)
is_complex = function("is_complex", Tensor.is_complex)
is_conj = function("is_conj", Tensor.is_conj)
is_floating_point = function("is_floating_point", Tensor.is_floating_point)
is_inference = function("is_inference", Tensor.is_inference)
is_neg = function("is_neg", Tensor.is_neg)
is_nonzero = function("is_nonzero", Tensor.is_nonzero)
is_non_overlapping_and_dense = function("is_non_overlapping_and_dense", Tensor.is_non_overlapping_and_dense)
is_same_size = function("is_same_size", Tensor.is_same_size)
is_signed = function("is_signed", Tensor.is_signed)
moveaxis = function("moveaxis", Tensor.moveaxis)
movedim = function("movedim", Tensor.movedim)
narrow = function("narrow", Tensor.narrow)
numel = function("numel", Tensor.numel)
permute = function("permute", Tensor.permute, one_shape=True)
ravel = function("ravel", Tensor.ravel)
real = function("real", Tensor.real.__get__, doc=Tensor.real.__doc__)
reshape = function("reshape", Tensor.reshape, one_shape=True)
resize_as_ = function("resize_as_", Tensor.resize_as_)
resolve_conj = function("resolve_conj", Tensor.resolve_conj)
resolve_neg = function("resolve_neg", Tensor.resolve_neg)
select = function("select", Tensor.select)
split_with_sizes = function("split_with_sizes", Tensor.split_with_sizes)
squeeze = function("squeeze", Tensor.squeeze)
swapaxes = function("swapaxes", Tensor.swapaxes)
swapdims = function("swapdims", Tensor.swapdims)
t = function("t", Tensor.t)
tensor_split = function("tensor_split", Tensor.tensor_split)
transpose = function("transpose", Tensor.transpose)
unbind = function("unbind", Tensor.unbind)
unflatten = function("unflatten", Tensor.unflatten)
unsafe_chunk = function("unsafe_chunk", Tensor.unsafe_chunk)
unsafe_split = function("unsafe_split", Tensor.unsafe_split)
unsafe_split_with_sizes = function("unsafe_split_with_sizes", Tensor.unsafe_split_with_sizes)
unsqueeze = function("unsqueeze", Tensor.unsqueeze)
view_as_complex = function("view_as_complex", Tensor.view_as_complex)
view_as_real = function("view_as_real", Tensor.view_as_real)
vsplit = function("vsplit", Tensor.vsplit)
zero_ = function("zero_", Tensor.zero_)


def split(tensor, split_size_or_sections, dim=0):
    """A tuple of views of so many indices of a dim each, the last one smaller if need be; or, for a list, of these
    sizes. See Tensor.split.

    >>> import stridecore as sc
    >>> sc.split(sc.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    if not is_tensor(tensor):
        raise TypeError(f"split: tensor must be Tensor, not {type(tensor).__name__}")
    return tensor.split(split_size_or_sections, dim)


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


def fill(input, value):
    """A new tensor of the size, dtype and layout of `input` with every element `value`, a number or a 0-dim tensor.

    >>> import stridecore as sc
    >>> sc.fill(sc.zeros(2), 3)
    tensor([3., 3.])
    """
    return input.clone().fill_(value)
