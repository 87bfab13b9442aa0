"""Matrices from their diagonals, and block by block."""

from stridecore.arguments import add_methods, checked_sizes, fitted_out, int_arg, tensor_arg, wrapped_dim
from stridecore.core.memory_format import names
from stridecore.core.promotion import common_dtype
from stridecore.creation import zeros

__all__ = "block_diag diag diag_embed diagflat".split()

contiguous_format = names()["contiguous_format"]


def _embedded(name, x, offset, dim1, dim2, out=None):
    """Zeros with the last dim of x as the diagonal of the new dims dim1 and dim2."""
    n = x.shape[-1] + abs(offset)
    ndim = x.ndim + 1
    dim1, dim2 = wrapped_dim(name, dim1, ndim), wrapped_dim(name, dim2, ndim)
    if dim1 == dim2:
        raise RuntimeError(f"{name}: diagonal dimensions cannot be identical {dim1}, {dim2}")
    shape = list(x.shape[:-1])
    for dim in sorted((dim1, dim2)):
        shape.insert(dim, n)
    result = x.new_zeros(checked_sizes(name, shape)) if out is None else out
    if out is not None:
        if result.shape != tuple(shape):
            result.resize_(shape)
        result.zero_()
    result.diagonal(offset, dim1, dim2).copy_(x)
    return result


def diag(input, diagonal=0, *, out=None):
    """Of a vector, the matrix that has it as its diagonal; of a matrix, its diagonal, copied. See diagonal for a view.

    RuntimeError for other numbers of dims, and for an `out` of a dtype that does not fit or that overlaps the input.

    >>> import stridecore as sc
    >>> sc.diag(sc.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    x = tensor_arg("diag", input)
    diagonal = int_arg("diag", diagonal, "diagonal")
    if x.ndim == 2:
        part = x.diagonal(diagonal)
        if out is None:
            return part.clone(memory_format=contiguous_format)
        return fitted_out("diag", out, part.shape, x.dtype).copy_(part)
    if x.ndim != 1:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {x.ndim}D")
    if out is not None:
        _check_cast("diag", out, x.dtype)
        _check_apart("diag", out, x)
    return _embedded("diag", x, diagonal, 0, 1, out)


def _check_cast(name, out, dtype):
    from stridecore.core.promotion import can_cast

    tensor_arg(name, out, "out")
    if not can_cast(dtype, out.dtype):
        raise RuntimeError(f"{name}: result type {dtype} can't be cast to the desired out= type {out.dtype}")


def _check_apart(name, out, x):
    """RuntimeError if out, which is zeroed first, is on the memory of x."""
    if out.untyped_storage() is x.untyped_storage() and x.numel():
        raise RuntimeError(
            f"{name}: unsupported operation: the input and the written-to tensor are on one storage. Please clone() "
            "the tensor before performing the operation"
        )


def _diag(self, diagonal=0):
    """A matrix of this vector as its diagonal, or this matrix's diagonal, copied; see stridecore.diag.

    >>> import stridecore as sc
    >>> sc.arange(4).view(2, 2).diag()
    tensor([0, 3])
    """
    return diag(self, diagonal)


def _diag_embed(self, offset=0, dim1=-2, dim2=-1):
    """Zeros with the last dim of the tensor as the diagonal of two new dims, at places dim1 and dim2 of the result.

    RuntimeError for equal dims.

    >>> import stridecore as sc
    >>> sc.diag_embed(sc.tensor([1, 2]), 1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])
    """
    name = "diag_embed"
    if self.ndim == 0:
        raise IndexError(f"{name}: Dimension out of range: a 0-dim tensor has no dim to embed")
    return _embedded(
        name, self, int_arg(name, offset, "offset"), int_arg(name, dim1, "dim1"), int_arg(name, dim2, "dim2")
    )


def _diagflat(self, offset=0):
    """A matrix with all elements of the tensor, in row-major order, as its diagonal.

    >>> import stridecore as sc
    >>> sc.diagflat(sc.tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    return _embedded("diagflat", self.reshape(-1), int_arg("diagflat", offset, "offset"), 0, 1)


diag_embed, diagflat = add_methods(_diag, _diag_embed, _diagflat, as_functions="diag_embed diagflat")


def block_diag(*tensors):
    """A matrix of zeros with the given matrices along its diagonal; vectors and 0-dim tensors count as rows.

    The dtypes promote. RuntimeError for tensors of more than 2 dims.

    >>> import stridecore as sc
    >>> sc.block_diag(sc.ones(1, 2), sc.tensor([7]))
    tensor([[1., 1., 0.],
            [0., 0., 7.]])
    """
    for i, x in enumerate(tensors):
        tensor_arg("block_diag", x, f"tensors[{i}]")
        if x.ndim > 2:
            raise RuntimeError(
                f"block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {x.ndim} dimensions"
            )
    if not tensors:
        return zeros(1, 0)
    blocks = [x if x.ndim == 2 else x.reshape(1, -1) for x in tensors]
    shape = [sum([x.shape[dim] for x in blocks]) for dim in (0, 1)]
    result = zeros(shape, dtype=common_dtype(*tensors))
    row = column = 0
    for x in blocks:
        height, width = x.shape
        result[row : row + height, column : column + width].copy_(x)
        row, column = row + height, column + width
    return result
