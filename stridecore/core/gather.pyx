"""Reads along a dim by an index tensor: index_select, gather, take, take_along_dim; and unravel_index.

    index_select   y[i, j, k] = x[index[i], j, k]           one index for a whole slice
    gather         y[i, j, k] = x[index[i, j, k], j, k]     one index an element (here for dim 0)
    take           y[i]       = x.flatten()[index[i]]

Each is a loop of the engine; what differs is the strides of the index along it.
"""
cimport cython
from libc.stdint cimport int64_t

from stridecore.core.args cimport as_dim, as_ints, as_int
from stridecore.core.copy cimport contiguous_of, converted, copy_into
from stridecore.core.dtype cimport dtype_of
from stridecore.core.index_loop cimport *
from stridecore.core.memory_format cimport CONTIGUOUS_FORMAT
from stridecore.core.options cimport as_out, fit_out, has_to_shrink_or_grow
from stridecore.core.options import warn_of_resize
from stridecore.core.parts cimport selected
from stridecore.core.tensor_impl cimport *


cdef TensorImpl fresh_or_out(object out, TensorImpl source, TensorImpl index, Loop *loop, object error, str function):
    """The tensor that a gather writes to: a new one, or `out`, resized, once every index is known to be valid. A new
    one too where out shares memory with an operand or has lazy bits; `finished` then copies it over."""
    cdef TensorImpl to
    if out is None:
        return tensor_new(<sc_dtype>source._dtype, loop.ndim, loop.sizes, False)
    to = as_out(out, None, function)
    if to._dtype != source._dtype:
        raise RuntimeError(f"{function}: Expected out tensor to have dtype {dtype_of(<sc_dtype>source._dtype)!r}, but "
                           f"got {dtype_of(<sc_dtype>to._dtype)!r} instead")
    check_loop(loop, error, function)
    if to._bits or source._bits or may_share(to, source) or may_share(to, index):
        return tensor_new(<sc_dtype>source._dtype, loop.ndim, loop.sizes, False)
    fit_out(to, loop.ndim, loop.sizes, function)
    check_writable(to, function)
    refuse_self_overlap(to, function)
    if may_share(to, source) or may_share(to, index):    # now that it has its new size
        return tensor_new(<sc_dtype>source._dtype, loop.ndim, loop.sizes, False)
    return to


cdef TensorImpl finished(Loop *loop, TensorImpl source, TensorImpl index, object out, object error, str function):
    cdef bint resized = has_to_shrink_or_grow(out, loop.ndim, loop.sizes)
    cdef TensorImpl result = fresh_or_out(out, source, index, loop, error, function)
    if result._numel:
        byte_strides_of(result, loop.plain_strides)
        run_loop(loop, result, source, [index], GATHER, error, function)
    if result is out:
        if resized:
            warn_of_resize(function, result.sizes())
        return result
    result._bits = source._bits
    result = resolved(result)
    return typed_as(result, source) if out is None else delivered(result, out, function)


# ---- index_select -------------------------------------------------------------------------------------------

cdef TensorImpl select_indices(TensorImpl self, object dim_, object index_, object out, str function):
    cdef int64_t dim = as_dim(dim_, self._ss.ndim, function)
    cdef TensorImpl index = tensor_arg(index_, function, "index")
    cdef int64_t d, itemsize = itemsize_of(self)
    cdef int64_t *steps
    cdef Loop loop
    if index._ss.ndim > 1:
        raise IndexError(f"{function}: Index is supposed to be a vector, got size {list(index.sizes())}")
    index = index_arg(index, RuntimeError, function)
    if self._ss.ndim == 0 and index._numel != 1:
        raise RuntimeError(f"{function}: Index to scalar can have only 1 value, got {index._numel} value(s)")
    loop.ndim, loop.n = self._ss.ndim, 0
    check_reach(self, function)
    for d in range(loop.ndim):
        loop.sizes[d] = sizes_of(self)[d]
        loop.indexed_strides[d] = strides_of(self)[d] * itemsize if self._numel else 0
    if loop.ndim:
        loop.sizes[dim] = index._numel
        loop.indexed_strides[dim] = 0
    steps = add_index(&loop, self, dim, index, False, function)
    if loop.ndim and index._ss.ndim:
        steps[dim] = strides_of(index)[0] * itemsize_of(index)
    if self._numel == 0 and index._numel:
        if sizes_of(self)[dim] == 0:
            raise RuntimeError(f"{function}: dim {dim} has size 0, so there is nothing that an index could select")
        check_alone(&loop, dim, index._numel, function)
    return finished(&loop, self, index, out, IndexError, function)


cdef int check_alone(Loop *loop, int64_t dim, int64_t n, str function) except -1:
    """Check the indices of a result without elements, whose loop checks none."""
    cdef int64_t d
    cdef int64_t kept[SC_MAX_NDIM]
    for d in range(loop.ndim):
        kept[d] = loop.sizes[d]
        loop.sizes[d] = n if d == dim else 1
    check_loop(loop, RuntimeError, function)
    for d in range(loop.ndim):
        loop.sizes[d] = kept[d]
    return 0


# ---- gather -------------------------------------------------------------------------------------------------

cdef TensorImpl gather_along(TensorImpl self, object dim_, object index_, object out, str function):
    cdef int64_t dim = as_dim(dim_, self._ss.ndim, function)
    cdef TensorImpl index = index_arg(index_, RuntimeError, function)
    cdef int64_t d, itemsize = itemsize_of(self)
    cdef int64_t *steps
    cdef Loop loop
    if index._numel and max(index._ss.ndim, 1) != max(self._ss.ndim, 1):
        raise RuntimeError(f"{function}: Index tensor must have the same number of dimensions as input tensor: got "
                           f"{index._ss.ndim} and {self._ss.ndim}")
    loop.ndim, loop.n = index._ss.ndim, 0
    check_reach(self, function)
    for d in range(loop.ndim):
        loop.sizes[d] = sizes_of(index)[d]
        loop.indexed_strides[d] = 0
        if d != dim and d < self._ss.ndim and index._numel:
            loop.indexed_strides[d] = strides_of(self)[d] * itemsize if self._numel else 0
            if sizes_of(index)[d] > sizes_of(self)[d]:
                raise RuntimeError(f"{function}: Size does not match at dimension {d} expected index "
                                   f"{list(index.sizes())} to be no larger than self {list(self.sizes())} apart from "
                                   f"dimension {dim}")
    steps = add_index(&loop, self, dim, index, False, function)
    if index._numel:
        byte_strides_of(index, steps)
    return finished(&loop, self, index, out, RuntimeError, function)


# ---- take ---------------------------------------------------------------------------------------------------

cdef TensorImpl take_flat(TensorImpl self, object index_, object out, str function):
    cdef TensorImpl index = tensor_arg(index_, function, "index")
    cdef TensorImpl source
    cdef int64_t d
    cdef Loop loop
    if index._dtype != SC_INT64:
        raise RuntimeError(f"{function}: Expected a long tensor for index, but got "
                           f"{dtype_of(<sc_dtype>index._dtype).name}")
    if self._numel == 0 and index._numel:
        raise IndexError(f"{function}: tried to take from an empty tensor")
    check_reach(self, function)
    source = contiguous_of(self, CONTIGUOUS_FORMAT)
    loop.ndim, loop.n = index._ss.ndim, 0
    for d in range(loop.ndim):
        loop.sizes[d] = sizes_of(index)[d]
        loop.indexed_strides[d] = 0
    add_index(&loop, source, 0, index, True, function)
    loop.indices[0].size = source._numel
    loop.indices[0].byte_step = itemsize_of(source)
    if index._numel:
        byte_strides_of(index, loop.index_strides[0])
    return finished(&loop, source, index, out, IndexError, function)


# ---- take_along_dim -----------------------------------------------------------------------------------------

cdef TensorImpl take_broadcast(TensorImpl self, object indices, object dim_, object out):
    cdef str function = "take_along_dim"
    cdef TensorImpl index = tensor_arg(indices, function, "indices")
    cdef int64_t d, a, b, dim, itemsize = itemsize_of(self)
    cdef int64_t *steps
    cdef Loop loop
    if index._dtype != SC_INT64:
        raise RuntimeError(f"{function}: dtype of indices should be Long but got "
                           f"{dtype_of(<sc_dtype>index._dtype).name}")
    if dim_ is None:
        index = contiguous_of(index, CONTIGUOUS_FORMAT)
        return gather_along(flat(contiguous_of(self, CONTIGUOUS_FORMAT)), 0, flat(index), out, function)
    if index._ss.ndim != self._ss.ndim:
        raise RuntimeError(f"{function}: input and indices should have the same number of dimensions, but got "
                           f"{self._ss.ndim} dimensions for input, and {index._ss.ndim} dimensions for indices")
    dim = as_dim(dim_, self._ss.ndim, function)
    if self._ss.ndim == 0:
        raise IndexError(f"{function}: Dimension specified as {dim} but tensor has no dimensions")
    loop.ndim, loop.n = self._ss.ndim, 0
    check_reach(self, function)
    for d in range(loop.ndim):
        a, b = sizes_of(self)[d], sizes_of(index)[d]
        loop.indexed_strides[d] = strides_of(self)[d] * itemsize if self._numel and a != 1 and d != dim else 0
        if d == dim or a == 1:
            loop.sizes[d] = b
        elif b == 1 or a == b:
            loop.sizes[d] = a
        else:
            raise RuntimeError(f"{function}: The size of tensor a ({a}) must match the size of tensor b ({b}) at "
                               f"non-singleton dimension {d}")
    steps = add_index(&loop, self, dim, index, False, function)
    if index._numel:
        byte_strides_of(index, steps)
    return finished(&loop, self, index, out, IndexError, function)


cdef TensorImpl flat(TensorImpl t):
    """A contiguous tensor as one dim."""
    cdef TensorImpl view = view_of(t, 1)
    sizes_of(view)[0] = t._numel
    strides_of(view)[0] = 1
    view._numel = t._numel
    return view


# ---- unravel_index ------------------------------------------------------------------------------------------

cdef TensorImpl coordinates_like(TensorImpl indices, int64_t n):
    """A tensor of the size of the indices and a last dim for n coordinates, its memory in the order of theirs."""
    cdef int64_t strides[2][SC_MAX_NDIM]
    cdef const int64_t *operands[2]
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t fresh[SC_MAX_NDIM]
    cdef int64_t d, ndim = indices._ss.ndim
    if ndim == SC_MAX_NDIM:
        raise ValueError(f"unravel_index: indices may have at most {SC_MAX_NDIM - 1} dims")
    for d in range(ndim):
        sizes[d], strides[0][d], strides[1][d] = sizes_of(indices)[d], strides_of(indices)[d], 0
    sizes[ndim], strides[0][ndim], strides[1][ndim] = n, 0, 1
    operands[0], operands[1] = strides[0], strides[1]
    if not sc_result_strides(ndim + 1, sizes, 2, operands, fresh):
        return tensor_new(SC_INT64, ndim + 1, sizes, False)    # which says what overflows
    return tensor_new_strided(SC_INT64, ndim + 1, sizes, fresh)


cdef tuple coordinates_of(TensorImpl indices, int64_t n, const int64_t *shape):
    cdef TensorImpl source = converted(indices, SC_INT64, CONTIGUOUS_FORMAT)
    cdef int64_t d, i, numel = 0, place
    cdef const int64_t *places
    cdef int64_t *out
    cdef TensorImpl coordinates, dense
    cdef tuple parts
    if not sc_numel(n, shape, &numel):
        raise RuntimeError("unravel_index: the product of the sizes does not fit in 64 bits")
    places = <const int64_t *>data_of(source)
    for i in range(source._numel):
        if not 0 <= places[i] < numel:
            raise IndexError(f"unravel_index: index {places[i]} is out of bounds for a shape of {numel} elements")
    if n == 0:
        return ()
    coordinates = coordinates_like(indices, n)
    dense = converted(coordinates, SC_INT64, CONTIGUOUS_FORMAT)
    out = <int64_t *>data_of(dense)
    for i in range(source._numel):
        place = places[i]
        for d in range(n - 1, -1, -1):
            out[i * n + d] = place % shape[d]
            place //= shape[d]
    copy_into(coordinates, dense, "unravel_index")
    return tuple([selected(coordinates, indices._ss.ndim, d, "unravel_index") for d in range(n)])


def unravel_index(indices, shape):
    """The coordinates, one int64 tensor a dim, of places numbered in row-major order in a tensor of size `shape`.

    `indices` is a tensor of any integer dtype and size. IndexError for an index outside the shape, TypeError for
    indices that are no integers, ValueError for a negative size.

    >>> import stridecore as sc
    >>> sc.unravel_index(sc.tensor([1, 5]), (2, 3))
    (tensor([0, 1]), tensor([1, 2]))
    """
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t n, d
    cdef TensorImpl t = tensor_arg(indices, "unravel_index", "indices")
    if not sc_is_integral(<sc_dtype>t._dtype):
        raise TypeError(f"unravel_index: expected 'indices' to be integer dtype, but got {t.dtype}")
    if isinstance(shape, int):
        sizes[0], n = as_int(shape, "unravel_index", "shape"), 1
    elif isinstance(shape, (tuple, list)):
        n = as_ints(shape, "unravel_index", "shape", sizes)
    else:
        raise TypeError(f"unravel_index: expected 'shape' to be int or sequence of ints, but got {type(shape).__name__}")
    for d in range(n):
        if sizes[d] < 0:
            raise ValueError(f"unravel_index: 'shape' cannot have negative values, but got {shape}")
    return coordinates_of(t, n, sizes)


# ---- functions ----------------------------------------------------------------------------------------------

def index_select(input, dim, index, *, out=None):
    """The slices of dim `dim` that `index` names, in its order, as a new contiguous tensor or in `out`.

    `index` is an int32 or int64 tensor of at most 1 dim with values in [0, size); anything else is an IndexError.

    >>> import stridecore as sc
    >>> sc.index_select(sc.arange(6).view(2, 3), 1, sc.tensor([2, 0, 2]))
    tensor([[2, 0, 2],
            [5, 3, 5]])
    """
    return select_indices(tensor_arg(input, "index_select", "input"), dim, index, out, "index_select")


def gather(input, dim, index, *, sparse_grad=False, out=None):
    """The element of `input` along `dim` that each element of `index` names: for dim 0,
    result[i, j] = input[index[i, j], j].

    The result, new and contiguous or in `out`, has the size of `index`, which has as many dims as `input` and apart
    from `dim` is no larger. RuntimeError for an index outside [0, size).

    >>> import stridecore as sc
    >>> sc.gather(sc.tensor([[1, 2], [3, 4]]), 1, sc.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])
    """
    return gather_along(tensor_arg(input, "gather", "input"), dim, index, out, "gather")


def take(input, index, *, out=None):
    """The elements of `input` at these places in row-major order, in the size of `index` (int64); negative places count
    from the end. IndexError for a place outside.

    >>> import stridecore as sc
    >>> sc.take(sc.tensor([[4, 3, 5], [6, 7, 8]]), sc.tensor([0, 2, -1]))
    tensor([4, 5, 8])
    """
    return take_flat(tensor_arg(input, "take", "input"), index, out, "take")


def take_along_dim(input, indices, dim=None, *, out=None):
    """As gather, with `input` and `indices` broadcast against each other apart from `dim`; without a dim both are
    flattened. IndexError for an index outside [0, size) of `dim`.

    >>> import stridecore as sc
    >>> x = sc.tensor([[10, 30, 20], [60, 40, 50]])
    >>> sc.take_along_dim(x, sc.tensor([[0], [2]]), dim=1)
    tensor([[10],
            [50]])
    """
    return take_broadcast(tensor_arg(input, "take_along_dim", "input"), indices, dim, out)


@cython.binding(True)
class Methods:
    """Reads along a dim by an index tensor. stridecore/gathering.py sets them on Tensor."""

    def index_select(TensorImpl self not None, dim, index):
        """The slices of dim `dim` that `index` names, copied. See stridecore.index_select.

        >>> import stridecore as sc
        >>> sc.arange(6).view(2, 3).index_select(1, sc.tensor([2, 0]))
        tensor([[2, 0],
                [5, 3]])
        """
        return select_indices(self, dim, index, None, "index_select")

    def gather(TensorImpl self not None, dim, index, *, sparse_grad=False):
        """The element along `dim` that each element of `index` names. See stridecore.gather.

        >>> import stridecore as sc
        >>> sc.tensor([[1, 2], [3, 4]]).gather(1, sc.tensor([[1], [0]]))
        tensor([[2],
                [3]])
        """
        return gather_along(self, dim, index, None, "gather")

    def take(TensorImpl self not None, index):
        """The elements at these places in row-major order. See stridecore.take.

        >>> import stridecore as sc
        >>> sc.tensor([[4, 3], [6, 7]]).take(sc.tensor([2, -1]))
        tensor([6, 7])
        """
        return take_flat(self, index, None, "take")

    def take_along_dim(TensorImpl self not None, indices, dim=None):
        """As gather, broadcast. See stridecore.take_along_dim.

        >>> import stridecore as sc
        >>> sc.tensor([[10, 30], [60, 40]]).take_along_dim(sc.tensor([[1], [0]]), 1)
        tensor([[30],
                [60]])
        """
        return take_broadcast(self, indices, dim, None)
