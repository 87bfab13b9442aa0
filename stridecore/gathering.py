"""Gather and scatter as functions, and the copies of a tensor with a view of it replaced.

What is hot lives in the core: gather.pyx, masks.pyx, index_writes.pyx, scatter.pyx and
advanced.pyx.
"""

from stridecore.core import advanced as _advanced
from stridecore.core import gather as _gather
from stridecore.core import index_writes as _index_writes
from stridecore.core import masks as _masks
from stridecore.core import scatter as _scatter
from stridecore.core.function import function
from stridecore.tensor import Tensor

__all__ = (
    "argwhere as_strided_scatter diagonal_scatter gather index_add index_copy index_fill index_put index_put_ "
    "index_reduce index_select masked_fill masked_scatter masked_select nonzero nonzero_static put scatter scatter_add "
    "scatter_reduce select_scatter slice_scatter take take_along_dim unravel_index where"
).split()

for _room in (_gather, _masks, _index_writes, _scatter, _advanced):
    for _name, _method in vars(_room.Methods).items():
        if not _name.startswith("_"):
            _method.__qualname__ = f"Tensor.{_name}"
            setattr(Tensor, _name, _method)

gather = _gather.gather
index_select = _gather.index_select
take = _gather.take
take_along_dim = _gather.take_along_dim
unravel_index = _gather.unravel_index
masked_select = _masks.masked_select
nonzero = _masks.nonzero
where = _masks.where
index_add = _index_writes.index_add
index_copy = _index_writes.index_copy
index_reduce = _index_writes.index_reduce
scatter = _scatter.scatter
scatter_add = _scatter.scatter_add
scatter_reduce = _scatter.scatter_reduce
argwhere = function("argwhere", Tensor.argwhere)
index_fill = function("index_fill", Tensor.index_fill)
index_put = function("index_put", Tensor.index_put)
index_put_ = function("index_put_", Tensor.index_put_)
masked_fill = function("masked_fill", Tensor.masked_fill)
masked_scatter = function("masked_scatter", Tensor.masked_scatter)
nonzero_static = function("nonzero_static", Tensor.nonzero_static)
put = function("put", Tensor.put)


# ---- a view replaced ------------------------------------------------------------------------------------------


def _copy_of(x):
    """A copy that keeps strides and storage_offset; a compact one where elements of x share memory."""
    x = x.resolve_conj().resolve_neg()
    if any(size > 1 and stride == 0 for size, stride in zip(x.shape, x.stride(), strict=True)):
        return x.clone()
    if any(stride < 0 for stride in x.stride()):
        return x.clone()
    return x.new_empty(0).set_(x.untyped_storage().clone(), x.storage_offset(), x.shape, x.stride())


def _replaced(function, x, view_of, src):
    """A copy of x in which the view that view_of takes of it has the elements of src, which is of its size."""
    if not isinstance(src, Tensor):
        raise TypeError(f"{function}: argument 'src' must be Tensor, not {type(src).__name__}")
    result = _copy_of(x)
    view = view_of(result)
    if view.shape != src.shape:
        raise RuntimeError(
            f"{function}: expected src to have a size equal to the slice of self, got {list(src.shape)} and "
            f"{list(view.shape)}"
        )
    view.copy_(src)
    return result


def _select_scatter(self, src, dim, index):
    """A copy of the tensor with `src` in place of select(dim, index). It keeps the tensor's strides.

    >>> import stridecore as sc
    >>> sc.select_scatter(sc.zeros(2, 2), sc.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    return _replaced("select_scatter", self, lambda x: x.select(dim, index), src)


def _slice_scatter(self, src, dim=0, start=None, end=None, step=1):
    """A copy of the tensor with `src` in place of the slice start:end:step of dim `dim`. It keeps the tensor's strides.

    >>> import stridecore as sc
    >>> sc.slice_scatter(sc.zeros(4), sc.ones(2), 0, 0, 4, 2)
    tensor([1., 0., 1., 0.])
    """
    if self.dim() == 0:
        raise IndexError("slice_scatter: a tensor of 0 dims has nothing to slice")
    if step <= 0:
        raise RuntimeError(f"slice_scatter: slice step must be positive, got {step}")
    return _replaced("slice_scatter", self, lambda x: x.movedim(dim, 0)[start:end:step].movedim(0, dim), src)


def _diagonal_scatter(self, src, offset=0, dim1=0, dim2=1):
    """A copy of the tensor with `src` in place of diagonal(offset, dim1, dim2). It keeps the tensor's strides.

    >>> import stridecore as sc
    >>> sc.diagonal_scatter(sc.zeros(2, 2), sc.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return _replaced("diagonal_scatter", self, lambda x: x.diagonal(offset, dim1, dim2), src)


def _as_strided_scatter(self, src, size, stride, storage_offset=None):
    """A copy of the tensor with `src` in place of as_strided(size, stride, storage_offset). It keeps the tensor's
    strides.

    >>> import stridecore as sc
    >>> sc.as_strided_scatter(sc.zeros(2, 2), sc.ones(2), (2,), (3,))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return _replaced("as_strided_scatter", self, lambda x: x.as_strided(size, stride, storage_offset), src)


def _fill_diagonal_(self, fill_value, wrap=False):
    """Set the main diagonal to a number; returns self. With `wrap=True` the diagonal of a tall matrix starts again
    after its end and a row left out.

    RuntimeError for fewer than 2 dims, and for more than 2 that are not of equal size.

    >>> import stridecore as sc
    >>> sc.zeros(2, 3).fill_diagonal_(5)
    tensor([[5., 0., 0.],
            [0., 5., 0.]])
    """
    if self.dim() < 2:
        raise RuntimeError(f"fill_diagonal_: dimensions must larger than 1, got {self.dim()}")
    if self.dim() > 2 and len(set(self.shape)) > 1:
        raise RuntimeError(f"fill_diagonal_: all dimensions of input must be of equal length, got {list(self.shape)}")
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()
    rest = self
    while True:
        if 0 not in rest.shape:
            rest.as_strided((min(rest.shape),), (sum(rest.stride()),)).fill_(fill_value)
        if not wrap or self.dim() > 2 or rest.size(0) <= rest.size(1) + 1:
            return self
        rest = rest[rest.size(1) + 1 :]


for _method in (_select_scatter, _slice_scatter, _diagonal_scatter, _as_strided_scatter, _fill_diagonal_):
    _method.__name__ = _method.__name__[1:]
    _method.__qualname__ = f"Tensor.{_method.__name__}"
    setattr(Tensor, _method.__name__, _method)

select_scatter = function("select_scatter", Tensor.select_scatter)
slice_scatter = function("slice_scatter", Tensor.slice_scatter)
diagonal_scatter = function("diagonal_scatter", Tensor.diagonal_scatter)
as_strided_scatter = function("as_strided_scatter", Tensor.as_strided_scatter)
