"""`SparseTensor`: the class of sparse COO tensors, which holds the coordinates and the values.

    tensor([[0, 0, 3],      indices [[0, 1, 1],    a column an element: rows (dim 0) above columns (dim 1)
            [4, 0, 5]])              [2, 0, 2]]
                            values   [3, 4, 5]

The first `sparse_dim` dims have coordinates; the others, `dense_dim` of them, belong to the values: with indices
(1, nnz) and values (nnz, 4) the tensor has 2 dims. Coordinates may repeat, and their values then add up, until
`coalesce()` sorts them and adds them up.

It is a Tensor that has sizes and a dtype but no memory of its own (core/sparse.pyx). The methods of Tensor that read or
show strided memory raise in it, by torch's types of exceptions.
"""

from stridecore.core import sparse as _core
from stridecore.core.function import override_for
from stridecore.core.memory_format import names as _layouts
from stridecore.creation import empty, tensor, zeros
from stridecore.dtypes import names as _dtypes
from stridecore.late import LateMethod
from stridecore.tensor import Tensor

sparse_coo, strided = _layouts()["sparse_coo"], _layouts()["strided"]
int64 = _dtypes()["int64"]


def made(indices, values, size, coalesced):
    """The sparse tensor of two parts that fit. (Pickles name this function.)"""
    x = _core.without_memory(SparseTensor, values.dtype, tuple(size))
    x._i, x._v = indices, values
    x._coalesced = coalesced or values.shape[0] < 2
    return x


# ---- coordinates ----------------------------------------------------------------------------------------------


def bounds(indices):
    """The lowest and highest coordinate of each sparse dim, as lists. Requires nnz > 0."""
    array = indices.numpy()
    return array.min(axis=1).tolist(), array.max(axis=1).tolist()


def check_bounds(indices, size):
    if indices.numel() == 0:
        return
    for dim, (low, high) in enumerate(zip(*bounds(indices), strict=True)):
        if low < 0:
            raise RuntimeError(f"sparse_coo_tensor: found negative index {low} for dim {dim}")
        if high >= size[dim]:
            raise RuntimeError(
                f"sparse_coo_tensor: size is inconsistent with indices: for dim {dim}, size is {size[dim]} but found "
                f"index {high}"
            )


def _coordinates(self):
    """Every element's coordinates as rows of a (sparse_dim x nnz) array; RuntimeError unless all are in range."""
    check_bounds(self._i, self.shape)
    return self._i.numpy()


def is_sorted(indices):
    """True iff the coordinates rise in row-major order and differ."""
    import numpy

    steps = numpy.sign(numpy.diff(indices.numpy(), axis=1))
    rises = numpy.zeros(steps.shape[1], dtype=numpy.int64)
    for row in steps:
        rises = numpy.where(rises == 0, row, rises)
    return bool((rises > 0).all())


def flat_places(indices, size):
    """Where the coordinates lie in the row-major order of the sparse dims, an int64 tensor; they are checked."""
    import numpy

    check_bounds(indices, size)
    flat = numpy.zeros(indices.shape[1], dtype=numpy.int64)
    for row, n in zip(indices.numpy(), size, strict=False):
        flat = flat * n + row
    return tensor(flat)


def elements_at(x, mask):
    """What the strided tensor x has at the coordinates of the sparse tensor `mask`."""
    sparse_dim = mask.sparse_dim()
    rows = x.reshape(1) if x.dim() == 0 else x
    rows = rows.flatten(0, sparse_dim - 1) if sparse_dim else rows.unsqueeze(0) if x.dim() else rows
    return rows.index_select(0, flat_places(mask._indices(), mask.shape))


def masked_values(x, mask):
    """What the sparse tensor x has at the coordinates of the sparse tensor `mask`, zeros where it has nothing."""
    import numpy

    x = x.coalesce()
    if x.sparse_dim() != mask.sparse_dim():
        raise RuntimeError(f"sparse_mask: {x.sparse_dim()} sparse dims, but the mask has {mask.sparse_dim()}")
    values = zeros((mask._nnz(), *x._values().shape[1:]), dtype=x.dtype)
    both = numpy.concatenate([x._indices().numpy(), mask._indices().numpy()], axis=1)
    _, group = numpy.unique(both, axis=1, return_inverse=True)
    group = group.reshape(-1)
    place = numpy.full(both.shape[1], -1)
    place[group[: x._nnz()]] = numpy.arange(x._nnz())
    found = place[group[x._nnz() :]]
    hits = numpy.flatnonzero(found >= 0)
    return values.index_copy_(0, tensor(hits), x._values().index_select(0, tensor(found[hits])))


# ---- the class -------------------------------------------------------------------------------------------------


class SparseTensor(Tensor):
    """A Tensor of layout `stridecore.sparse_coo`; `stridecore.sparse_coo_tensor` and `Tensor.to_sparse` make them.

    >>> import stridecore as sc
    >>> type(sc.eye(2).to_sparse()).__name__
    'SparseTensor'
    """

    __slots__ = ("_coalesced", "_i", "_v")

    def __getattr__(self, name):
        if name in SparseTensor.__slots__:    # a tensor "like" this one, from a function that knows strided ones only
            raise NotImplementedError("this tensor was made by a function that is not for sparse COO tensors")
        raise AttributeError(f"'Tensor' object has no attribute {name!r}")

    @property
    def __array_interface__(self):
        raise AttributeError("a sparse COO tensor has no strided memory; use .to_dense()")

    def indices(self):
        """The coordinates (sparse_dim x nnz, int64) of a coalesced sparse tensor, as a view."""
        if not self._coalesced:
            raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
        return self._i.alias()

    def values(self):
        """The values (nnz, and dense dims) of a coalesced sparse tensor, as a view."""
        if not self._coalesced:
            raise RuntimeError("Cannot get values on an uncoalesced tensor, please call .coalesce() first")
        return self._v.alias()

    def _indices(self):
        """The coordinates, coalesced or not."""
        return self._i

    def _values(self):
        """The values, coalesced or not."""
        return self._v

    def _nnz(self):
        """How many elements are specified."""
        return self._v.shape[0]

    def sparse_dim(self):
        """How many dims have coordinates."""
        return self._i.shape[0]

    def dense_dim(self):
        """How many dims belong to the values."""
        return self._v.dim() - 1

    _dimI, _dimV = sparse_dim, dense_dim

    def _coalesced_(self, coalesced):
        """Say whether the coordinates are sorted and differ; returns self."""
        self._coalesced = bool(coalesced)
        return self

    def is_coalesced(self):
        """True if the coordinates are sorted and differ."""
        return self._coalesced

    def coalesce(self):
        """The same tensor with sorted, different coordinates; itself if it is coalesced."""
        import numpy

        if self._coalesced:
            return self
        coordinates = _coordinates(self)
        nnz = self._v.shape[0]
        order = numpy.lexsort(coordinates[::-1]) if len(coordinates) else numpy.arange(nnz)
        sorted_ = coordinates[:, order]
        is_new = numpy.ones(nnz, dtype=bool)
        is_new[1:] = (sorted_[:, 1:] != sorted_[:, :-1]).any(axis=0)
        values = self._v.index_select(0, tensor(order[is_new]))
        if not is_new.all():
            group = is_new.cumsum() - 1
            more = self._v.index_select(0, tensor(order[~is_new]))
            values.index_add_(0, tensor(group[~is_new]), more)
        return made(tensor(sorted_[:, is_new]), values, self.shape, True)

    def to_dense(self, dtype=None, *, masked_grad=None):
        """A strided tensor of the same elements; values of equal coordinates are added up."""
        places = flat_places(self._i, self.shape)
        result = zeros(self.shape, dtype=self.dtype)
        if self._v.numel():
            rows = result.view((-1, *self._v.shape[1:]))
            rows.index_add_(0, places, self._v)
        return result if dtype is None else result.to(dtype)

    _to_dense = to_dense

    def to_sparse(self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None):
        """The tensor itself; as a strided one for `layout=stridecore.strided`."""
        if layout is strided:
            return self.to_dense()
        if layout not in (None, sparse_coo) or sparse_dim not in (None, self.sparse_dim()):
            raise RuntimeError(
                "to_sparse: conversion from Sparse to Sparse with sparse_dim argument !=self.sparse_dim() is not "
                "supported"
            )
        return self

    def to_sparse_coo(self):
        """The tensor itself."""
        return self

    def clone(self, *, memory_format=None):
        """A copy of both parts."""
        return made(self._i.clone(), self._v.clone(), self.shape, self._coalesced)

    def detach(self):
        """A new object with the same parts."""
        return made(self._i, self._v, self.shape, self._coalesced)

    def to(self, *args, **kwargs):
        """The tensor with values of another dtype; itself if nothing changes. Takes what Tensor.to takes."""
        values = self._v.to(*args, **kwargs)
        if values is self._v:
            return self
        return made(self._i.clone(), values, self.shape, self._coalesced)

    def transpose(self, dim0, dim1):
        """Two of the sparse dims swapped: the rows of the coordinates are, the values are shared."""
        dims = list(range(self.dim()))
        bound = max(len(dims), 1)
        for dim in (dim0, dim1):
            if not -bound <= dim < bound:
                raise IndexError(
                    f"transpose: Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got "
                    f"{dim})"
                )
        dim0, dim1 = dim0 % bound, dim1 % bound
        if dim0 == dim1:
            return self.detach()
        if max(dim0, dim1) >= self.sparse_dim():
            raise RuntimeError(
                f"transpose: transposed dimensions must be sparse. Got sparse_dim: {self.sparse_dim()}, d0: {dim0}, "
                f"d1: {dim1}"
            )
        dims[dim0], dims[dim1] = dim1, dim0
        size = [self.shape[dim] for dim in dims]
        rows = tensor(dims[: self.sparse_dim()])
        x = made(self._i.index_select(0, rows), self._v, size, False)
        x._coalesced = False
        return x

    def t(self):
        """The transpose of a matrix without dense dims."""
        if self.sparse_dim() > 2 or self.dense_dim():
            raise RuntimeError(
                f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {self.sparse_dim()} sparse "
                f"and {self.dense_dim()} dense dimensions"
            )
        return self.transpose(0, 1 if self.dim() == 2 else 0)

    def item(self):
        """The value of a tensor of one element, a Python number."""
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return self.to_dense().item()

    def type(self, dtype=None, non_blocking=False):
        """The name of the tensor's type, or, given a dtype, the tensor converted to it."""
        if dtype is None:
            return self._v.type().replace("stridecore.", "stridecore.sparse.")
        return self.to(self._v[:0].type(dtype).dtype)

    def is_contiguous(self, memory_format=None):
        """False: there are no strides."""
        return False

    def cpu(self, memory_format=None):
        """The tensor itself."""
        return self

    resolve_conj = resolve_neg = cpu

    @property
    def T(self):
        """The transpose."""
        return self.t()

    @property
    def data(self):
        """A new object with the same parts."""
        return self.detach()

    @property
    def is_sparse(self):
        """True."""
        return True

    @property
    def layout(self):
        """stridecore.sparse_coo."""
        return sparse_coo

    def __repr__(self):
        from stridecore.printing import tensor_str

        return tensor_str(self)

    def __reduce_ex__(self, protocol):
        return made, (self._i, self._v, tuple(self.shape), self._coalesced)

    def __deepcopy__(self, memo):
        from copy import deepcopy

        return made(deepcopy(self._i, memo), deepcopy(self._v, memo), self.shape, self._coalesced)

    def __bool__(self):
        if self.numel() != 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self.item())

    def is_nonzero(self):
        """bool(x)."""
        return bool(self)

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())


# ---- what sparse tensors refuse ---------------------------------------------------------------------------------

# Methods of Tensor that are right for sparse tensors too: they ask for sizes and dtype only.
_SHARED = frozenset(
    (
        "sparse_mask device dim dtype element_size get_device grad grad_fn is_complex is_conj is_cpu is_cuda "
        "is_floating_point is_inference is_leaf is_meta is_neg is_pinned is_quantized is_same_size is_signed "
        "is_sparse_csr itemsize ndim ndimension nelement numel output_nr requires_grad requires_grad_ retains_grad "
        "shape size sizes storage_offset stride strides _base _is_view __format__ __hash__ __len__ "
    ).split()
)
# What torch says, where it is not NotImplementedError.
_REFUSED = {
    "contiguous": RuntimeError,
    "copy_": RuntimeError,
    "data_ptr": RuntimeError,
    "expand": RuntimeError,
    "flatten": RuntimeError,
    "nbytes": RuntimeError,
    "numpy": TypeError,
    "reshape": RuntimeError,
    "tolist": RuntimeError,
    "__array__": TypeError,
    "__dlpack__": BufferError,
}


def _refusing(name, is_property):
    error = _REFUSED.get(name, NotImplementedError)

    def refuse(self, *args, **kwargs):
        raise error(
            f"{name}: a sparse COO tensor has no strided memory; .to_dense() gives a strided tensor, .values() and "
            f".indices() of a coalesced one the parts"
        )

    refuse.__name__ = name
    refuse.__qualname__ = f"SparseTensor.{name}"
    refuse.__doc__ = f"Not for sparse tensors: {error.__name__}."
    return property(refuse) if is_property else refuse


def _converting(name):
    def convert(self, memory_format=None):
        return self.to(dtype=getattr(empty(0), name)().dtype)

    convert.__name__ = name
    convert.__doc__ = f"The tensor with values converted as Tensor.{name} does; itself if nothing changes."
    return convert


def _fill_class():
    for name in "double float half bfloat16 long int short char byte bool chalf cfloat cdouble".split():
        setattr(SparseTensor, name, _converting(name))
    attributes = {name: member for cls in reversed(Tensor.__mro__[:-1]) for name, member in vars(cls).items()}
    for name, member in attributes.items():
        if name in vars(SparseTensor) or name in _SHARED or (hasattr(object, name) and name not in _COMPARISONS):
            continue
        is_property = not callable(member) and not isinstance(member, LateMethod | classmethod | staticmethod)
        if name.startswith("__") and is_property:
            continue
        setattr(SparseTensor, name, _refusing(name, is_property))
    SparseTensor.__hash__ = object.__hash__


_COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
_fill_class()
override_for(SparseTensor)
