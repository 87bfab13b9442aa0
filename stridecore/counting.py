"""How often values occur: bincount, histc, histogram, isin."""

from operator import index

import numpy as np

from stridecore import return_types
from stridecore.arguments import checked_sizes
from stridecore.dtypes import bool as bool_
from stridecore.dtypes import float32, float64, int64
from stridecore.operands import number
from stridecore.reducing import (
    check_out,
    check_outs,
    deliver,
    emit,
    emit_all,
    lend,
    plain,
    public,
    refuse_complex,
    tensor_argument,
)
from stridecore.tensor import Tensor

__all__ = "bincount histc histogram isin".split()


# ---- bincount -------------------------------------------------------------------------------------------------


@public("bincount", globals())
def _bincount(x, weights=None, minlength=0):
    """How often each of 0, 1, 2, ... occurs in a 1-dim tensor of ints >= 0, or the sum of its weights there.

    The result has max + 1 elements, at least `minlength`: int64, or for weights float64 (float32 for float32 ones).
    RuntimeError for negative ints, other sizes and weights of another size.

    >>> import stridecore as sc
    >>> sc.bincount(sc.tensor([1, 3, 1]))
    tensor([0, 2, 0, 1])
    """
    if x.dtype.is_floating_point or x.dtype.is_complex:
        raise NotImplementedError(f"bincount: not implemented for {x.dtype.name}; counted are integers")
    if isinstance(minlength, bool) or not hasattr(minlength, "__index__"):
        raise TypeError(f"bincount(): argument 'minlength' must be int, not {type(minlength).__name__}")
    minlength = index(minlength)
    if minlength < 0:
        raise RuntimeError(f"bincount: minlength should be >= 0, got {minlength}")
    if x.ndim == 1 and x.numel() == 0:
        return x.new_zeros((minlength,), dtype=int64)
    x = x.to(int64)
    if x.ndim != 1 or lend("bincount", np.min, (plain(x),)) < 0:
        raise RuntimeError(f"bincount only supports 1-d non-negative integral inputs, got size {list(x.shape)}")
    inputs, dtype = [plain(x)], int64
    if weights is not None:
        tensor_argument("bincount", weights, "weights", 2)
        if weights.shape != x.shape:
            raise RuntimeError(
                f"bincount: weights should be 1-d and have the same length as input, got {list(weights.shape)} and "
                f"{list(x.shape)}"
            )
        dtype = float32 if weights.dtype is float32 else float64
        inputs.append(plain(weights, float64))
    size, = checked_sizes("bincount", [max(lend("bincount", np.max, (inputs[0],)).item() + 1, minlength)])

    def compute(array, *rest):
        rest[-1][...] = np.bincount(array, rest[0] if len(rest) == 2 else None, size)

    if size < 1 << 24:
        return emit("bincount", compute, inputs, (size,), dtype)
    # Many bins, few of them used: only the memory of those is touched.
    result = x.new_zeros((size,), dtype=dtype)

    def add_up(array, *rest):
        np.add.at(rest[-1], array, rest[0] if len(rest) == 2 else 1)

    lend("bincount", add_up, inputs, [result])
    return result


# ---- histograms -----------------------------------------------------------------------------------------------


def _limits(name, array, low, high):
    """The range of a histogram: the given one, or that of the data where its ends are equal."""
    if low == high and array.size == 0:
        return low, low + 1
    if low == high:
        low, high = array.min().item(), array.max().item()
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"{name}: range of [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError(f"{name}: max must be larger than min, got [{low}, {high}]")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _bin_count(name, bins):
    if isinstance(bins, bool) or not hasattr(bins, "__index__"):
        raise TypeError(f"{name}(): argument 'bins' must be int, not {type(bins).__name__}")
    if index(bins) <= 0:
        raise RuntimeError(f"{name}(): bins must be > 0, but got {bins}")
    return index(bins)


def _equal_bins(array, weights, bins, low, high):
    """Sums of weights in so many equal bins over [low, high]; the last bin holds its upper end."""
    values, low, high = array.reshape(-1), np.float64(low), np.float64(high)
    inside = (values >= low) & (values <= high)
    place = ((values[inside] - low) * (bins / (high - low))).astype(np.int64)
    place = np.minimum(place, bins - 1)
    return np.bincount(place, None if weights is None else weights.reshape(-1)[inside], bins)


@public("histc", globals())
def _histc(x, bins=100, min=0, max=0, *, out=None):
    """How many elements fall into each of so many equal bins from `min` to `max`, in the input's dtype.

    Where both are equal the range is that of the elements. Elements outside and nan are not counted.

    >>> import stridecore as sc
    >>> sc.histc(sc.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    bins = _bin_count("histc", bins)
    low, high = number(min), number(max)
    if low is None or high is None:
        raise TypeError("histc(): arguments 'min' and 'max' must be numbers")
    check_out("histc", out, x.dtype)
    refuse_complex("histc", x)
    if low > high:
        raise RuntimeError(f"histc: max must be larger than min, got [{low}, {high}]")

    def compute(array, target):
        target[...] = _equal_bins(array, None, bins, *_limits("histc", array, low, high))

    return emit("histc", compute, [plain(x)], (bins,), x.dtype, out)


@public("histogram", globals())
def _histogram(x, bins, *, range=None, weight=None, density=False, out=None):
    """A histogram of all elements as a named tuple: `hist`, of the input's dtype, and `bin_edges`.

    `bins` is a number of equal bins over `range` (by default the elements'), or a 1-dim tensor of ascending edges.
    `weight` has the input's size; with `density` the area of the histogram is 1.

    >>> import stridecore as sc
    >>> sc.histogram(sc.tensor([1.0, 2.0, 1.0]), 2)
    stridecore.return_types.histogram(
    hist=tensor([2., 1.]),
    bin_edges=tensor([1.0000, 1.5000, 2.0000]))
    """
    outs = check_outs("histogram", out, (x.dtype, x.dtype))
    refuse_complex("histogram", x)
    inputs = [plain(x)]
    if isinstance(bins, Tensor):
        if bins.ndim != 1 or bins.numel() < 1 or bins.dtype is not x.dtype or range is not None:
            raise RuntimeError(
                f"histogram: bins must be an int or 1-dim edges of dtype {x.dtype.name} without range, got "
                f"{bins.dtype.name} of size {list(bins.shape)}"
            )
        edges, count = plain(bins).clone(), bins.numel() - 1
    else:
        edges, count = None, _bin_count("histogram", bins)
    if weight is not None:
        tensor_argument("histogram", weight, "weight", 3)
        if weight.shape != x.shape or weight.dtype is not x.dtype:
            raise RuntimeError("histogram: weight must have the size and the dtype of the input")
        inputs.append(plain(weight))
    inputs += [] if edges is None else [edges]
    low, high = (0, 0) if range is None else map(float, range)
    if low > high:
        raise RuntimeError(f"histogram: max must be larger than min, got [{low}, {high}]")

    def compute(array, *rest):
        *given, hist, bin_edges = rest
        weights = given[0] if weight is not None else None
        if edges is None:
            ends = _limits("histogram", array, low, high)
            bin_edges[...] = np.linspace(*ends, count + 1)
            sums = _equal_bins(array, weights, count, *ends)
        else:
            bin_edges[...] = given[-1]
            place = np.searchsorted(bin_edges, array.reshape(-1), "right")
            place[array.reshape(-1) == bin_edges[-1]] = count
            sums = np.bincount(place, None if weights is None else weights.reshape(-1), count + 2)[1 : count + 1]
        hist[...] = sums / (sums.sum() * np.diff(bin_edges)) if density else sums

    shapes = ((count,), (count + 1,))
    return return_types.histogram(emit_all("histogram", compute, inputs, shapes, (x.dtype, x.dtype), outs))


# ---- isin -----------------------------------------------------------------------------------------------------


def isin(elements, test_elements, *, assume_unique=False, invert=False, out=None):
    """True where an element is among `test_elements` (False there with `invert`); one of the two may be a number.

    nan is equal to nothing.

    >>> import stridecore as sc
    >>> sc.isin(sc.tensor([[1, 2], [3, 4]]), sc.tensor([2, 3]))
    tensor([[False,  True],
            [ True, False]])
    """
    both = (elements, test_elements)
    tensors = [x for x in both if isinstance(x, Tensor)]
    for x in both:
        if not isinstance(x, Tensor) and (number(x) is None or not tensors):
            raise TypeError(f"isin(): takes tensors, one of which may be a number, not {type(x).__name__}")
    check_out("isin", out, bool_)

    def compute(*arrays):
        *given, target = arrays
        given = iter(given)
        values = [next(given) if isinstance(x, Tensor) else number(x) for x in both]
        target[...] = np.isin(values[0], values[1], invert=invert)

    shape = elements.shape if isinstance(elements, Tensor) else ()
    return deliver("isin", out, emit("isin", compute, [plain(x) for x in tensors], shape, bool_))
