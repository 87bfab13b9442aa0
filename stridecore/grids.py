"""Every combination of the elements of vectors: as grids, as rows of a matrix, without repetition."""

from stridecore.arguments import checked_sizes, int_arg, tensor_arg
from stridecore.core.gather import index_select
from stridecore.joining import tensor_list

__all__ = "cartesian_prod combinations meshgrid".split()


def _check_dtypes(name, tensors):
    if any(x.dtype != tensors[0].dtype for x in tensors):
        raise RuntimeError(
            f"{name}: expects all tensors to have the same dtype, got {', '.join([str(x.dtype) for x in tensors])}"
        )


def meshgrid(*tensors, indexing=None):
    """Views of the vectors (0-dim tensors count as size [1]) over the grid that they span, one dim each, as a tuple.

    `indexing="ij"` gives dims in the order of the vectors; "xy" swaps the first two, as NumPy does by default.
    RuntimeError for more dims and for dtypes that differ.

    >>> import stridecore as sc
    >>> x, y = sc.meshgrid(sc.arange(2), sc.arange(3), indexing="ij")
    >>> x.tolist(), y.stride()
    ([[0, 0, 0], [1, 1, 1]], (0, 1))
    """
    if len(tensors) == 1 and isinstance(tensors[0], tuple | list):
        tensors = tuple(tensors[0])
    tensor_list(tensors, "meshgrid")
    if indexing is None:
        import warnings

        warnings.warn("meshgrid: pass indexing='ij' or 'xy'; 'ij' is assumed without", UserWarning, stacklevel=2)
        indexing = "ij"
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    for x in tensors:
        if x.ndim > 1:
            raise RuntimeError(f"meshgrid: Expected 0D or 1D tensor in the tensor list but got size {list(x.shape)}")
    _check_dtypes("meshgrid", tensors)
    swaps = indexing == "xy" and len(tensors) > 1
    if swaps:
        tensors = (tensors[1], tensors[0], *tensors[2:])
    shape = [x.numel() for x in tensors]
    ndim = len(tensors)
    grids = [x.view([-1 if d == i else 1 for d in range(ndim)]).expand(shape) for i, x in enumerate(tensors)]
    if swaps:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


def cartesian_prod(*tensors):
    """Every combination of an element of each vector, a row each, the last vector's changing fastest. One vector alone
    is returned itself.

    RuntimeError for tensors that are no vectors and for dtypes that differ.

    >>> import stridecore as sc
    >>> sc.cartesian_prod(sc.tensor([1, 2]), sc.tensor([5, 6]))
    tensor([[1, 5],
            [1, 6],
            [2, 5],
            [2, 6]])
    """
    tensor_list(tensors, "cartesian_prod")
    for x in tensors:
        if x.ndim != 1:
            raise RuntimeError(f"cartesian_prod: Expect a 1D vector, but got shape {list(x.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    _check_dtypes("cartesian_prod", tensors)
    shape = [x.shape[0] for x in tensors]
    n = len(tensors)
    rows = 1
    for size in shape:
        rows *= size
    result = tensors[0].new_empty(checked_sizes("cartesian_prod", (rows, n)))
    grid = result.view([*shape, n])
    for i, x in enumerate(tensors):
        grid.select(n, i).copy_(x.view([-1 if d == i else 1 for d in range(n)]))
    return result


def combinations(input, r=2, with_replacement=False):
    """All combinations of r elements of a vector, a row each, in the order of itertools.combinations (or
    combinations_with_replacement).

    RuntimeError for other numbers of dims and a negative r.

    >>> import stridecore as sc
    >>> sc.combinations(sc.tensor([5, 6, 7]))
    tensor([[5, 6],
            [5, 7],
            [6, 7]])
    """
    import itertools
    import math

    import numpy

    from stridecore.core.ndarray import from_numpy

    r = int_arg("combinations", r, "r")
    if tensor_arg("combinations", input).ndim != 1:
        raise RuntimeError(f"combinations: Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"combinations: Expect a non-negative number, but got {r}")
    if r == 0:
        return input.new_empty(0)
    n = input.shape[0] + (r - 1 if with_replacement and input.shape[0] else 0)
    count = math.comb(n, r) if r <= n and min(r, n - r) < 64 else 2**63 if r <= n else 0
    checked_sizes("combinations", (count, r))
    if count * r > 2**40:
        raise RuntimeError(f"combinations: can't allocate memory for {count} combinations of {r} elements")
    if count == 0:
        return input.new_empty(0, r)
    chosen = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = itertools.chain.from_iterable(chosen(range(input.shape[0]), r))
    places = from_numpy(numpy.fromiter(places, dtype=numpy.int64))
    result = input.new_empty(places.numel() // r, r)
    index_select(input, 0, places, out=result.view(-1))
    return result
