"""Distinct elements and slices: sorted (or consecutive), with the group of each element and the size of each group.

Both functions work on rows, the elements or the slices along a dim: an order brings equal rows together, a new group
begins where a row differs from the one before it. nan differs from everything.
"""

import numpy as np

from stridecore.dtypes import int64
from stridecore.reducing import is_true, lend, one_dim, plain, public

__all__ = "unique unique_consecutive".split()


def _groups(rows, order):
    """(where in `rows` each group begins, the group of each row, the size of each group) of rows taken in an order."""
    taken = rows if order is None else rows[order]
    begins = np.ones(len(rows), bool)
    begins[1:] = taken[1:] != taken[:-1] if rows.ndim == 1 else (taken[1:] != taken[:-1]).any(axis=1)
    starts = np.flatnonzero(begins)
    groups = np.cumsum(begins) - 1
    if order is not None:
        inverse = np.empty(len(rows), np.int64)
        inverse[order] = groups
        groups = inverse
    counts = np.diff(starts, append=len(rows))
    return (starts if order is None else order[starts]), groups, counts


def _order(rows):
    """The order of rows: by their first column, then the next."""
    if rows.ndim == 1:
        return np.argsort(rows)
    return np.lexsort(rows.T[::-1])


def _distinct(name, x, return_inverse, return_counts, dim, in_order):
    is_true(name, "return_inverse", return_inverse)
    is_true(name, "return_counts", return_counts)
    if dim is not None:
        if x.ndim == 0:
            raise IndexError(f"{name}: Dimension specified as {dim} but tensor has no dimensions")
        dim = one_dim(name, dim, x.ndim)
        if 0 in [n for d, n in enumerate(x.shape) if d != dim]:
            raise RuntimeError(
                f"{name}: there are 0 sized dimensions in {list(x.shape)}, and they aren't selected, so the slices "
                f"along dim {dim} can't be told apart"
            )
    if x.dtype.is_complex:
        raise NotImplementedError(f"{name}: not implemented for {x.dtype.name}: complex numbers have no order")
    source = plain(x)
    if dim is None and in_order is _order and not return_inverse and not return_counts:
        return _tensor(x, lend(name, _sorted_values, (source,)), source.dtype).to(x.dtype)

    def compute(array):
        if dim is None:
            rows = array.reshape(-1)
        else:
            rows = np.moveaxis(array, dim, 0)
            rows = rows.reshape(len(rows), -1) if rows.size else rows.reshape(0, 1)
        return _groups(rows, in_order(rows))

    first, groups, counts = lend(name, compute, (source,))
    first = _tensor(x, first)
    if dim is None:
        values = x.resolve_conj().resolve_neg().reshape(-1).index_select(0, first)
    else:
        values = _stacked(x, first, dim)
    results = [values]
    if return_inverse:
        results.append(_tensor(x, groups.reshape(x.shape if dim is None else -1)))
    if return_counts:
        results.append(_tensor(x, counts))
    return tuple(results) if len(results) > 1 else values


def _sorted_values(array):
    """The distinct values where nothing but they is asked for."""
    values = np.sort(array, axis=None)
    begins = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return values[begins]


def _tensor(x, array, dtype=int64):
    made = x.new_empty(array.shape, dtype=dtype)

    def fill(target):
        target[...] = array

    lend("unique", fill, (), (made,))
    return made


def _stacked(x, indices, dim):
    """The slices along a dim at these indices, contiguous when the dim is in front."""
    if x.numel() == 0:
        return x.new_empty(x.shape)
    return x.movedim(dim, 0).contiguous().index_select(0, indices).movedim(0, dim)


def _given_order(rows):
    return None


@public("unique", globals())
def _unique(x, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct elements, ascending, as a 1-dim tensor; or with `dim` the distinct slices along it, in order.

    With `return_inverse` also the index, int64, of each element (or slice) in the result; with `return_counts` how
    often each one occurs: a tuple then. Each nan is distinct. `sorted=False` sorts as well.

    >>> import stridecore as sc
    >>> sc.unique(sc.tensor([3, 1, 3]), return_inverse=True, return_counts=True)
    (tensor([1, 3]), tensor([1, 0, 1]), tensor([1, 2]))
    """
    is_true("unique", "sorted", sorted)
    return _distinct("unique", x, return_inverse, return_counts, dim, _order)


@public("unique_consecutive", globals())
def _unique_consecutive(x, return_inverse=False, return_counts=False, dim=None):
    """The first element of every run of equal ones, as a 1-dim tensor; or with `dim` the first slice of every run.

    `return_inverse` and `return_counts` as in `unique`.

    >>> import stridecore as sc
    >>> sc.unique_consecutive(sc.tensor([1, 1, 2, 1]), return_counts=True)
    (tensor([1, 2, 1]), tensor([2, 1, 1]))
    """
    return _distinct("unique_consecutive", x, return_inverse, return_counts, dim, _given_order)
