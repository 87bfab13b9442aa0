"""Sparse COO tensors: how they are made, and what Tensor's methods about them say of a strided tensor.

The class is in sparse_tensor.py, whose first lines draw the picture.
"""

from stridecore.creation import empty, tensor, zeros
from stridecore.dtypes import names as _dtypes
from stridecore.sparse_tensor import (
    bounds,
    check_bounds,
    elements_at,
    int64,
    is_sorted,
    made,
    masked_values,
    sparse_coo,
    strided,
)
from stridecore.tensor import Tensor

__all__ = ["sparse_coo_tensor"]


# ---- making ---------------------------------------------------------------------------------------------------


def sparse_coo_tensor(
    indices=None,
    values=None,
    size=None,
    *,
    dtype=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
    check_invariants=None,
    is_coalesced=None,
):
    """A sparse tensor of the given elements: `indices` (sparse_dim x nnz) and `values` (nnz, and dense dims).

    Both may be tensors, whose memory is then shared (indices: if they are int64), arrays or lists. Without `size` it is
    the smallest that holds all indices. `sparse_coo_tensor(size)` is all zeros. With `check_invariants=True` the
    indices are compared with the size at once, otherwise when they are used. `is_coalesced=True` says that they are
    sorted and differ. RuntimeError for parts that don't fit each other or the size.

    >>> import stridecore as sc
    >>> sc.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3))
    tensor(indices=tensor([[0, 1],
                           [2, 0]]),
           values=tensor([3., 4.]),
           size=(2, 3), nnz=2, layout=stridecore.sparse_coo)
    """
    like = empty(0, dtype=dtype, device=device, pin_memory=pin_memory, requires_grad=requires_grad)
    if values is None:
        size = indices if size is None else size
        if size is None or isinstance(size, int):
            raise TypeError("sparse_coo_tensor: takes indices and values, or a size, a tuple of ints")
        size = tuple(size)
        return made(empty((len(size), 0), dtype=int64), like, size, True)
    if indices is None:
        raise TypeError("sparse_coo_tensor: indices must be a tensor or a sequence of ints, not NoneType")
    if size is not None and not isinstance(size, tuple | list):
        raise TypeError(f"sparse_coo_tensor: size must be a tuple of ints, not {type(size).__name__}")
    indices = _part(indices, "indices").to(int64).detach()
    values = _part(values, "values", dtype)
    values = values.reshape(1) if values.dim() == 0 else values.detach()
    size = _checked_size(indices, values, size, check_invariants)
    coalesced = bool(is_coalesced)
    if coalesced and check_invariants and not is_sorted(indices):
        raise RuntimeError(
            "sparse_coo_tensor: cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor"
        )
    return made(indices, values, size, coalesced)


def _part(data, name, dtype=None):
    if not isinstance(data, Tensor):
        return tensor(data, dtype=dtype)
    if data.is_sparse:
        raise RuntimeError(f"sparse_coo_tensor: expected {name} to be a strided tensor, but got layout {data.layout}")
    return data if dtype is None else data.to(dtype)


def _checked_size(indices, values, size, check_invariants):
    """The size, given or found; RuntimeError unless the parts fit it."""
    if indices.dim() != 2:
        raise RuntimeError(
            f"sparse_coo_tensor: indices must be sparse_dim x nnz, but got: {list(indices.shape)}"
        )
    sparse_dim, nnz = indices.shape
    if size is None:
        size = [0] * sparse_dim
        if indices.numel():
            low, high = bounds(indices)
            for dim, lowest in enumerate(low):
                if lowest < 0:
                    raise RuntimeError(f"sparse_coo_tensor: found negative index {lowest} for dim {dim}")
            size = [highest + 1 for highest in high]
        size = [*size, *values.shape[1:]]
    elif len(size) != sparse_dim + values.dim() - 1:
        raise RuntimeError(
            f"sparse_coo_tensor: 'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, "
            f"sparse_dim = {sparse_dim}, dense_dim = {values.dim() - 1}"
        )
    if nnz != values.shape[0]:
        raise RuntimeError(
            f"sparse_coo_tensor: indices and values must have same nnz, but got nnz from indices: {nnz}, nnz from "
            f"values: {values.shape[0]}"
        )
    expected = [nnz, *size[sparse_dim:]]
    if list(values.shape) != expected:
        raise RuntimeError(
            f"sparse_coo_tensor: values has incorrect size, expected {expected}, got {list(values.shape)}"
        )
    if check_invariants:
        check_bounds(indices, size)
    return size


def _to_sparse(self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None):
    """The tensor as a sparse one, coalesced; itself if it is sparse. Only the first `sparse_dim` dims (all) get
    coordinates, for each of which some value is not zero.

    RuntimeError for a sparse_dim outside [1, dim], and for layouts other than sparse_coo.

    >>> import stridecore as sc
    >>> sc.tensor([[0, 3], [0, 0]]).to_sparse()
    tensor(indices=tensor([[0],
                           [1]]),
           values=tensor([3]),
           size=(2, 2), nnz=1, layout=stridecore.sparse_coo)
    """
    if layout is strided:
        return self
    if layout not in (None, sparse_coo) or blocksize is not None or dense_dim is not None:
        raise RuntimeError(f"to_sparse: conversion to layout {layout} is not supported, only to stridecore.sparse_coo")
    if sparse_dim is None:
        sparse_dim = self.dim()
    if isinstance(sparse_dim, bool) or not isinstance(sparse_dim, int):
        raise TypeError(f"to_sparse: sparse_dim must be int, not {type(sparse_dim).__name__}")
    if not 0 <= sparse_dim <= self.dim():
        raise RuntimeError(
            f"to_sparse: sparse_dim argument must be in [0,{self.dim()}] range, but {sparse_dim} is given"
        )
    if sparse_dim == 0 < self.dim():
        raise RuntimeError("to_sparse: sparse_dim argument must be > 0 for a tensor with dims")
    if sparse_dim == self.dim():
        mask = self.resolve_conj().resolve_neg().bool()
        indices = mask.nonzero().t().contiguous()
        return made(indices, self.masked_select(mask), self.shape, True)
    sizes = self.shape[:sparse_dim]
    rows = self.resolve_conj().resolve_neg().flatten(0, sparse_dim - 1)
    mask = rows.bool().flatten(1) if self.numel() else zeros((rows.shape[0], 0), dtype=_dtypes()["bool"])
    chosen = tensor(mask.numpy().any(axis=1).nonzero()[0])
    return made(_unflattened(chosen, sizes), rows.index_select(0, chosen), self.shape, True)


def _unflattened(flat, sizes):
    """Coordinates (len(sizes) x n) of places in row-major order."""
    import numpy

    coordinates = numpy.unravel_index(flat.numpy(), tuple(sizes)) if len(flat) else [numpy.empty(0, int)] * len(sizes)
    return tensor(numpy.stack(coordinates), dtype=int64)


# ---- methods of every tensor ----------------------------------------------------------------------------------


def _strided_only_sparse(name, doc, error, text):
    """Tensor.NAME for strided tensors, which raises."""

    def refuse(self, *args, **kwargs):
        raise error(f"{name}{text}")

    refuse.__name__ = name
    refuse.__qualname__ = f"Tensor.{name}"
    refuse.__doc__ = doc
    return refuse


def _dense_to_dense(self, dtype=None, *, masked_grad=None):
    """A sparse tensor's elements as a strided tensor, values of equal coordinates added up; a strided tensor itself,
    or converted to `dtype`.

    RuntimeError for coordinates outside the size.

    >>> import stridecore as sc
    >>> sc.sparse_coo_tensor([[0, 0]], [3.0, 4.0], (2,)).to_dense()
    tensor([7., 0.])
    """
    return self if dtype is None else self.to(dtype)


def _sparse_mask(self, mask):
    """A sparse tensor with the coordinates of the sparse tensor `mask` and this tensor's elements there.

    RuntimeError for sizes that differ, NotImplementedError for a strided mask.

    >>> import stridecore as sc
    >>> sc.tensor([5, 6, 7]).sparse_mask(sc.tensor([0, 1, 1]).to_sparse()).values()
    tensor([6, 7])
    """
    if not isinstance(mask, Tensor):
        raise TypeError(f"sparse_mask: mask must be Tensor, not {type(mask).__name__}")
    if not mask.is_sparse:
        raise NotImplementedError("sparse_mask: the mask is a strided tensor; .to_sparse() gives a sparse one")
    if self.shape != mask.shape:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {list(self.shape)} but mask has size "
            f"{list(mask.shape)}"
        )
    values = masked_values(self, mask) if self.is_sparse else elements_at(self, mask)
    return made(mask._indices().clone(), values, mask.shape, mask.is_coalesced())


def _to_sparse_coo(self):
    """The same as to_sparse().

    >>> import stridecore as sc
    >>> sc.eye(3).to_sparse_coo()._nnz()
    3
    """
    return self.to_sparse()


def _sparse_dim(self):
    """How many dims of a sparse tensor have coordinates; 0 for a strided tensor.

    >>> import stridecore as sc
    >>> sc.eye(2).to_sparse().sparse_dim(), sc.eye(2).to_sparse(1).sparse_dim()
    (2, 1)
    """
    return 0


def _dense_dim(self):
    """How many dims of a sparse tensor belong to the values; all for a strided tensor.

    >>> import stridecore as sc
    >>> sc.eye(2).to_sparse().dense_dim(), sc.eye(2).to_sparse(1).dense_dim()
    (0, 1)
    """
    return self.dim()


_LAYOUT = " expected sparse coordinate tensor layout but got Strided"
_NONE = ": a strided tensor has no such part; .to_sparse() gives a sparse one"

for _name, _error, _text, _doc in (
    (
        "indices",
        RuntimeError,
        _LAYOUT,
        """The coordinates of a coalesced sparse tensor, a view (sparse_dim x nnz, int64). RuntimeError otherwise.

    >>> import stridecore as sc
    >>> sc.tensor([[0, 3], [4, 0]]).to_sparse().indices()
    tensor([[0, 1],
            [1, 0]])
    """,
    ),
    (
        "values",
        RuntimeError,
        _LAYOUT,
        """The values of a coalesced sparse tensor, a view (nnz, and dense dims). RuntimeError otherwise.

    >>> import stridecore as sc
    >>> sc.tensor([[0, 3], [4, 0]]).to_sparse().values()
    tensor([3, 4])
    """,
    ),
    (
        "coalesce",
        RuntimeError,
        _LAYOUT,
        """A sparse tensor with its coordinates sorted and the values of equal ones added up; itself if that is so.

    RuntimeError for a strided tensor and for coordinates outside the size.

    >>> import stridecore as sc
    >>> sc.sparse_coo_tensor([[1, 0, 1]], [1, 2, 3]).coalesce().values()
    tensor([2, 4])
    """,
    ),
    (
        "is_coalesced",
        RuntimeError,
        _LAYOUT,
        """True if the coordinates of a sparse tensor are known to be sorted and to differ. RuntimeError for a strided
    tensor.

    >>> import stridecore as sc
    >>> sc.sparse_coo_tensor([[1, 0, 1]], [1, 2, 3]).is_coalesced()
    False
    """,
    ),
    ("_indices", NotImplementedError, _NONE, "The coordinates of a sparse tensor, coalesced or not; not a copy."),
    ("_values", NotImplementedError, _NONE, "The values of a sparse tensor, coalesced or not; not a copy."),
    ("_nnz", NotImplementedError, _NONE, "How many elements of a sparse tensor are specified."),
    ("_dimI", NotImplementedError, _NONE, "sparse_dim() of a sparse tensor."),
    ("_dimV", NotImplementedError, _NONE, "dense_dim() of a sparse tensor."),
    ("_to_dense", NotImplementedError, _NONE, "to_dense() of a sparse tensor."),
    ("_coalesced_", NotImplementedError, _NONE, "_coalesced_(flag): say whether a sparse tensor is coalesced."),
):
    setattr(Tensor, _name, _strided_only_sparse(_name, _doc, _error, _text))

for _name, _method in (
    ("to_dense", _dense_to_dense),
    ("sparse_mask", _sparse_mask),
    ("_to_sparse", _to_sparse),
    ("to_sparse", _to_sparse),
    ("to_sparse_coo", _to_sparse_coo),
    ("sparse_dim", _sparse_dim),
    ("dense_dim", _dense_dim),
):
    _method.__name__ = _name
    _method.__qualname__ = f"Tensor.{_name}"
    setattr(Tensor, _name, _method)
