"""The lower and the upper triangle of matrices, and the indices of their elements."""

from stridecore.arguments import add_methods, fitted_out, int_arg, tensor_arg
from stridecore.core.triangles import write_triangle
from stridecore.creation import empty
from stridecore.dtypes import int64

__all__ = "tril tril_indices triu triu_indices".split()


def _triangle(x, diagonal, keep_lower, out, name):
    tensor_arg(name, x)
    diagonal = max(-(2**62), min(int_arg(name, diagonal, "diagonal"), 2**62))
    if x.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions, got {x.ndim}")
    if out is None:
        result = x.new_empty(x.shape)
        write_triangle(result, x, diagonal, keep_lower, name)
        return result
    if out is not x:
        fitted_out(name, out, x.shape, x.dtype).copy_(x)
    write_triangle(out, None, diagonal, keep_lower, name)
    return out


def tril(input, diagonal=0, *, out=None):
    """The matrices in the last two dims with zeros above a diagonal, as a new contiguous tensor or in `out`.
    `diagonal` says how many columns to the right of the main one it is.

    RuntimeError for fewer than 2 dims and for an `out` of another dtype.

    >>> import stridecore as sc
    >>> sc.tril(sc.ones(2, 3))
    tensor([[1., 0., 0.],
            [1., 1., 0.]])
    """
    return _triangle(input, diagonal, True, out, "tril")


def triu(input, diagonal=0, *, out=None):
    """The matrices in the last two dims with zeros below a diagonal, as a new contiguous tensor or in `out`.
    `diagonal` says how many columns to the right of the main one it is.

    RuntimeError for fewer than 2 dims and for an `out` of another dtype.

    >>> import stridecore as sc
    >>> sc.triu(sc.ones(2, 3), 1)
    tensor([[0., 1., 1.],
            [0., 0., 1.]])
    """
    return _triangle(input, diagonal, False, out, "triu")


def _tril(self, diagonal=0):
    """A copy with zeros above the diagonal; see stridecore.tril.

    >>> import stridecore as sc
    >>> sc.ones(2, 2).tril(-1)
    tensor([[0., 0.],
            [1., 0.]])
    """
    return _triangle(self, diagonal, True, None, "tril")


def _triu(self, diagonal=0):
    """A copy with zeros below the diagonal; see stridecore.triu.

    >>> import stridecore as sc
    >>> sc.ones(2, 2).triu()
    tensor([[1., 1.],
            [0., 1.]])
    """
    return _triangle(self, diagonal, False, None, "triu")


def _tril_(self, diagonal=0):
    """Zero everything above the diagonal; returns self.

    >>> import stridecore as sc
    >>> sc.ones(2, 2).tril_()
    tensor([[1., 0.],
            [1., 1.]])
    """
    return _triangle(self, diagonal, True, self, "tril_")


def _triu_(self, diagonal=0):
    """Zero everything below the diagonal; returns self.

    >>> import stridecore as sc
    >>> sc.ones(2, 2).triu_()
    tensor([[1., 1.],
            [0., 1.]])
    """
    return _triangle(self, diagonal, False, self, "triu_")


add_methods(_tril, _triu, _tril_, _triu_)


def _indices(name, row, col, offset, lower, dtype, options):
    import numpy

    row, col = int_arg(name, row, "row"), int_arg(name, col, "col")
    offset = int_arg(name, offset, "offset")
    for argument, size in (("row", row), ("col", col)):
        if size < 0:
            raise RuntimeError(f"{name}: {argument} must be non-negative, got {size}")
    empty(0, dtype=dtype, **options)
    if row * max(col, 1) >= 2**40:    # the rows and columns alone must fit into memory
        raise RuntimeError(f"{name}: can't allocate memory for the indices of a {row} x {col} matrix")
    offset = max(-row, min(offset, col))
    i = numpy.arange(row)
    edge = numpy.minimum(numpy.maximum(i + (offset + lower), 0), col)    # where each row's lower part ends
    start, counts = (0, edge) if lower else (edge, col - edge)
    indices = empty(2, int(counts.sum()), dtype=int64)
    result = indices.numpy()
    result[0] = numpy.repeat(i, counts)
    result[1] = numpy.arange(result.shape[1]) - numpy.repeat(numpy.cumsum(counts) - counts - start, counts)
    return indices if dtype in (None, int64) else indices.to(dtype)


def tril_indices(row, col, offset=0, *, dtype=None, layout=None, device=None, pin_memory=False):
    """The indices of the lower triangle of a row x col matrix, row by row: a (2, n) tensor, int64 unless `dtype` says.

    RuntimeError for negative sizes.

    >>> import stridecore as sc
    >>> sc.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    options = {"layout": layout, "device": device, "pin_memory": pin_memory}
    return _indices("tril_indices", row, col, offset, True, dtype, options)


def triu_indices(row, col, offset=0, *, dtype=None, layout=None, device=None, pin_memory=False):
    """The indices of the upper triangle of a row x col matrix, row by row: a (2, n) tensor, int64 unless `dtype` says.

    RuntimeError for negative sizes.

    >>> import stridecore as sc
    >>> sc.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    options = {"layout": layout, "device": device, "pin_memory": pin_memory}
    return _indices("triu_indices", row, col, offset, False, dtype, options)
