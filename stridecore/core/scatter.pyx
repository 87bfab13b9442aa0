"""Writes along a dim by an index tensor: the index_* and scatter* families and put.

    index_add_     x[index[i], j, k] += y[i, j, k]          one index for a whole slice
    scatter_add_   x[index[i, j, k], j, k] += y[i, j, k]    one index an element (here for dim 0)

All indices are checked before the first write. Sources and indices that share memory with the tensor that is written
are copied first. The out-of-place forms and out= work on a copy, so a failure changes nothing there either.
"""
cimport cython
from libc.stdint cimport int64_t

from stridecore.core cimport engine
from stridecore.core.args cimport as_dim
from stridecore.core.copy cimport contiguous_of, converted, copy_into, empty_like, fill_with
from stridecore.core.dtype cimport dtype_of
from stridecore.core.index_loop cimport *
from stridecore.core.masks cimport warn_overlap
from stridecore.core.memory_format cimport CONTIGUOUS_FORMAT, PRESERVE
from stridecore.core.scalars cimport FILL, read_item, write_item
from stridecore.core.tensor_impl cimport *

# A reduction that is a sum divided by the number of its terms.
cdef enum:
    MEAN = 100


# ---- operands -----------------------------------------------------------------------------------------------

cdef TensorImpl target_of(TensorImpl self, str function, bint one_value=False):
    """What a write in place works on: self, or a copy without lazy bits, which `settle` writes back. Only where one
    value is written may elements of self share memory."""
    check_writable(self, function)
    if not one_value:
        refuse_self_overlap(self, function)
    elif not is_contiguous(self):
        warn_overlap(self, function)
    return converted(self, <sc_dtype>self._dtype, PRESERVE) if self._bits else self


cdef int settle(TensorImpl self, TensorImpl target, str function) except -1:
    return 0 if target is self else copy_into(self, target, function)


cdef TensorImpl copy_of(TensorImpl self, int memory_format):
    return typed_as(converted(self, <sc_dtype>self._dtype, memory_format), self)


cdef TensorImpl ready_source(TensorImpl source, TensorImpl target, str function):
    """The source without lazy bits, in memory that writing to the target does not touch."""
    check_reach(source, function)
    if source._bits or may_share(source, target):
        return converted(source, <sc_dtype>source._dtype, PRESERVE)
    return source


cdef TensorImpl ready_index(TensorImpl index, TensorImpl target):
    if index._bits or may_share(index, target):
        return converted(index, <sc_dtype>index._dtype, CONTIGUOUS_FORMAT)
    return index


cdef TensorImpl item_of(sc_dtype dtype, object number, str function):
    """A 0-dim tensor; RuntimeError for a number that the dtype can't hold."""
    cdef int64_t none = 0
    cdef TensorImpl t = tensor_new(dtype, 0, &none, False)
    write_item(dtype, data_of(t), 0, number, FILL, function)
    return t


cdef int same_dtype(TensorImpl self, TensorImpl source, str function) except -1:
    if self._dtype != source._dtype:
        raise RuntimeError(f"{function}: self and source must have the same dtype, got "
                           f"{dtype_of(<sc_dtype>self._dtype).name} and {dtype_of(<sc_dtype>source._dtype).name}")
    return 0


cdef bint flag(object value, str function, str name) except -1:
    if not isinstance(value, bool):
        raise TypeError(f"{function}: argument '{name}' must be bool, not {type(value).__name__}")
    return value


cdef object fill_number(object value, str function, str name):
    """The number that a number or a 0-dim tensor says."""
    cdef TensorImpl t
    if isinstance(value, TensorImpl):
        t = <TensorImpl>value
        if t._ss.ndim != 0:
            raise RuntimeError(f"{function}: only supports a 0-dimensional value tensor, but got tensor with "
                               f"{t._ss.ndim} dimension(s)")
        check_reach(t, function)
        return read_item(<sc_dtype>t._dtype, data_of(t), t._bits)
    number = number_arg(value, function, name)
    if number is None:
        raise TypeError(f"{function}: argument '{name}' must be a number, not {type(value).__name__}")
    return number


# ---- loops --------------------------------------------------------------------------------------------------

cdef int slice_loop(Loop *loop, TensorImpl target, int64_t dim, TensorImpl index, bint wraps, str function) except -1:
    """target[..., index, ...]: an index for each slice of dim."""
    cdef int64_t d, itemsize = itemsize_of(target)
    cdef int64_t *steps
    loop.ndim, loop.n = target._ss.ndim, 0
    for d in range(loop.ndim):
        loop.sizes[d] = sizes_of(target)[d]
        loop.indexed_strides[d] = strides_of(target)[d] * itemsize if target._numel else 0
    if loop.ndim:
        loop.sizes[dim] = index._numel
        loop.indexed_strides[dim] = 0
    steps = add_index(loop, target, dim, index, wraps, function)
    if loop.ndim and index._ss.ndim:
        steps[dim] = strides_of(index)[0] * itemsize_of(index)
    return 0


cdef int element_loop(Loop *loop, TensorImpl target, int64_t dim, TensorImpl index, str function) except -1:
    """An index for each element, which moves it along dim."""
    cdef int64_t d, itemsize = itemsize_of(target)
    cdef int64_t *steps
    loop.ndim, loop.n = index._ss.ndim, 0
    for d in range(loop.ndim):
        loop.sizes[d] = sizes_of(index)[d]
        loop.indexed_strides[d] = 0
        if d != dim and d < target._ss.ndim and target._numel:
            loop.indexed_strides[d] = strides_of(target)[d] * itemsize
    steps = add_index(loop, target, dim, index, False, function)
    if index._numel:
        byte_strides_of(index, steps)
    return 0


cdef void plain_from(Loop *loop, TensorImpl source) noexcept:
    """The source's strides along the loop; a 0-dim source stays where it is."""
    cdef int64_t d, itemsize = itemsize_of(source)
    for d in range(loop.ndim):
        loop.plain_strides[d] = 0
        if d < source._ss.ndim and sizes_of(source)[d] > 1:
            loop.plain_strides[d] = strides_of(source)[d] * itemsize


# ---- reductions ---------------------------------------------------------------------------------------------

cdef TensorImpl identity_of(sc_dtype dtype, int op, str function):
    """The value that a reduction starts from: 0, 1, or the lowest or highest of the dtype."""
    cdef object bits = 8 * sc_itemsize(dtype)    # a Python int, and so what is computed from it
    cdef object number = 0
    if op == SC_PROD:
        number = 1
    elif op == SC_AMAX or op == SC_AMIN:
        if dtype == SC_BOOL:
            number = op == SC_AMIN
        elif sc_is_integral(dtype):
            lowest = -2 ** (bits - 1) if sc_is_signed(dtype) else 0
            number = lowest if op == SC_AMAX else lowest + 2 ** bits - 1
        elif sc_is_float8(dtype) and dtype != SC_FLOAT8_E5M2:
            return float8_extreme(dtype, op)
        else:
            number = float("-inf") if op == SC_AMAX else float("inf")
    return item_of(dtype, number, function)


cdef TensorImpl float8_extreme(sc_dtype dtype, int op):
    """The lowest or highest value of a float8 type without infinities."""
    cdef int64_t none = 0
    cdef TensorImpl t = tensor_new(dtype, 0, &none, False)
    cdef float value = 1e30
    if dtype == SC_FLOAT8_E8M0FNU:
        data_of(t)[0] = <char>(0 if op == SC_AMAX else 0xFE)
    elif dtype == SC_FLOAT8_E4M3FN:
        data_of(t)[0] = <char>(0xFE if op == SC_AMAX else 0x7E)
    else:
        data_of(t)[0] = <char>(0xFF if op == SC_AMAX else 0x7F)
    return t


cdef int check_reduction(TensorImpl self, int op, str function) except -1:
    if (op == SC_AMAX or op == SC_AMIN) and sc_is_complex(<sc_dtype>self._dtype):
        raise NotImplementedError(f"{function}: complex numbers have no order, so amax and amin are not defined for "
                                  f"{dtype_of(<sc_dtype>self._dtype).name}")
    if op == MEAN and self._dtype == SC_BOOL:
        raise NotImplementedError(f"{function}: the mean of bools is not a bool; convert with .float()")
    return 0


cdef int start_from_identity(Loop *loop, TensorImpl target, TensorImpl index, int op, object error,
                             str function) except -1:
    """What the loop reaches becomes the value that the reduction starts from."""
    cdef int64_t plain[SC_MAX_NDIM]
    cdef int64_t d
    for d in range(loop.ndim):
        plain[d] = loop.plain_strides[d]
        loop.plain_strides[d] = 0
    run_loop(loop, identity_of(<sc_dtype>target._dtype, op, function), target, [index], SCATTER, error, function)
    for d in range(loop.ndim):
        loop.plain_strides[d] = plain[d]
    return 0


cdef int divide(TensorImpl target, TensorImpl counts) except -1:
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t count_strides[SC_MAX_NDIM]
    if target._numel == 0:
        return 0
    byte_strides_of(target, strides)
    byte_strides_of(counts, count_strides)
    engine.divide_by_counts(target._ss.ndim, sizes_of(target), <sc_dtype>target._dtype, data_of(target), strides,
                            data_of(counts), count_strides)
    return 0


cdef int reduce_into(TensorImpl target, int64_t dim, TensorImpl index, TensorImpl source, int op, bint include_self,
                     bint by_slice, object error, str function) except -1:
    """target = target op source along a loop of either kind, all operands ready."""
    cdef Loop loop
    cdef TensorImpl counts
    if by_slice:
        slice_loop(&loop, target, dim, index, False, function)
    else:
        element_loop(&loop, target, dim, index, function)
    check_loop(&loop, error, function)
    plain_from(&loop, source)
    if not include_self:
        start_from_identity(&loop, target, index, op, error, function)
    run_loop(&loop, source, target, [index], <int>SC_SUM if op == MEAN else op, error, function)
    if op != MEAN:
        return 0
    counts = tensor_new(SC_INT64, target._ss.ndim, sizes_of(target), True)
    if include_self:
        fill_with(counts, 1, FILL, function)
    if by_slice:
        slice_loop(&loop, counts, dim, index, False, function)
    else:
        element_loop(&loop, counts, dim, index, function)
    source = item_of(SC_INT64, 1, function)
    plain_from(&loop, source)
    run_loop(&loop, source, counts, [index], SC_SUM, error, function)
    return divide(target, counts)


# ---- index_* ------------------------------------------------------------------------------------------------

cdef int check_slices(TensorImpl self, int64_t dim, TensorImpl index, TensorImpl source, str function) except -1:
    """For index_add and index_reduce: source has self's size apart from dim, where it has the number of indices."""
    cdef int64_t d
    cdef bint fits = source._ss.ndim == self._ss.ndim
    for d in range(self._ss.ndim):
        fits = fits and (d == dim or sizes_of(source)[d] == sizes_of(self)[d])
    if index._ss.ndim > 1:
        raise IndexError(f"{function}: Index is supposed to be a vector, but got size {list(index.sizes())}")
    same_dtype(self, source, function)
    if self._ss.ndim and source._ss.ndim > dim and sizes_of(source)[dim] != index._numel:
        raise RuntimeError(f"{function}: Number of indices ({index._numel}) should be equal to source.size(dim): "
                           f"({sizes_of(source)[dim]}), for dim: {dim}")
    if not fits or self._ss.ndim == 0 and index._numel != 1:
        raise RuntimeError(f"{function}: source tensor shape must match self tensor shape, excluding the specified "
                           f"dimension {dim}. Got self.shape = {list(self.sizes())} source.shape = "
                           f"{list(source.sizes())}")
    return 0


cdef int scale(TensorImpl source, TensorImpl alpha, str function) except -1:
    """source *= alpha, a 0-dim tensor of its dtype."""
    cdef Loop loop
    cdef int64_t d
    loop.ndim, loop.n = source._ss.ndim, 0
    for d in range(loop.ndim):
        loop.sizes[d] = sizes_of(source)[d]
        loop.plain_strides[d] = 0
    byte_strides_of(source, loop.indexed_strides)
    return run_loop(&loop, alpha, source, [], SC_PROD, RuntimeError, function)


cdef int add_slices(TensorImpl target, object dim_, object index_, object source_, object alpha, str function) except -1:
    cdef int64_t dim = as_dim(dim_, target._ss.ndim, function)
    cdef TensorImpl index = index_arg(index_, RuntimeError, function)
    cdef TensorImpl source = tensor_arg(source_, function, "source")
    cdef TensorImpl factor = item_of(<sc_dtype>target._dtype, fill_number(alpha, function, "alpha"), function)
    check_slices(target, dim, index, source, function)
    if target._numel == 0 or source._numel == 0:
        return 0
    source = ready_source(source, target, function)
    if alpha is not True and alpha != 1:
        source = converted(source, <sc_dtype>source._dtype, CONTIGUOUS_FORMAT)
        scale(source, factor, function)
    return reduce_into(target, dim, ready_index(index, target), source, SC_SUM, True, True,
                       RuntimeError, function)


cdef int copy_slices(TensorImpl target, object dim_, object index_, object source_, str function) except -1:
    cdef int64_t dim = as_dim(dim_, target._ss.ndim, function)
    cdef TensorImpl index = tensor_arg(index_, function, "index")
    cdef TensorImpl source = tensor_arg(source_, function, "source")
    cdef int64_t d, count = sizes_of(source)[dim] if source._ss.ndim > dim else 1
    cdef bint fits = True
    cdef Loop loop
    if index._ss.ndim > 1:
        raise IndexError(f"{function}: Index should have dimension 1 or 0 (got {index._ss.ndim})")
    if source._ss.ndim != target._ss.ndim and source._ss.ndim and target._ss.ndim:
        raise IndexError(f"{function}: When source and destination are not scalars, their dimensionality must match. "
                         f"Source dimensionality ({source._ss.ndim}), destination dimensionality ({target._ss.ndim})")
    if source._ss.ndim == 0 and index._numel != 1:
        raise IndexError(f"{function}: When source is scalar, index should have one element (got {index._numel})")
    if index._dtype != SC_INT64:
        raise RuntimeError(f"{function}: Expected a long tensor for index, but got "
                           f"{dtype_of(<sc_dtype>index._dtype).name}")
    same_dtype(target, source, function)
    for d in range(max(target._ss.ndim, source._ss.ndim)):
        if d != dim:
            fits = fits and d < target._ss.ndim and d < source._ss.ndim and sizes_of(source)[d] == sizes_of(target)[d]
    if not fits:
        raise RuntimeError(f"{function}: Source/destination tensor must have same slice shapes. Destination shape: "
                           f"{list(target.sizes())}, source shape: {list(source.sizes())}, at dimension {dim}")
    if source._ss.ndim and index._numel != count:
        raise IndexError(f"{function}: Number of indices ({index._numel}) should be equal to source.size(dim) ({count})")
    if index._numel == 0 or source._numel == 0:
        return 0
    source = ready_source(source, target, function)
    index = ready_index(index, target)
    slice_loop(&loop, target, dim, index, False, function)
    check_loop(&loop, IndexError, function)
    plain_from(&loop, source)
    return run_loop(&loop, source, target, [index], SCATTER, IndexError, function)


cdef int fill_slices(TensorImpl target, object dim_, object index_, object value, str function) except -1:
    cdef int64_t dim = as_dim(dim_, target._ss.ndim, function)
    cdef TensorImpl index = tensor_arg(index_, function, "index")
    cdef TensorImpl item
    cdef Loop loop
    number = fill_number(value, function, "value")
    if index._dtype != SC_INT64:
        raise IndexError(f"{function}: Expected dtype int64 for index, got {dtype_of(<sc_dtype>index._dtype).name}")
    if index._ss.ndim > 1:
        raise RuntimeError(f"{function}: Index has to be a vector/scalar, got size {list(index.sizes())}")
    if isinstance(number, complex) and not sc_is_complex(<sc_dtype>target._dtype):
        raise RuntimeError(f"{function}: Converting complex Scalar to non-complex type is not supported")
    item = item_of(<sc_dtype>target._dtype, number, function)
    index = ready_index(index, target)
    slice_loop(&loop, target, dim, index, True, function)
    check_loop(&loop, IndexError, function)
    plain_from(&loop, item)
    return run_loop(&loop, item, target, [index], SCATTER, IndexError, function)


cdef int reduction_named(object name, bint with_sum, str function) except -1:
    if not isinstance(name, str):
        raise TypeError(f"{function}: argument 'reduce' must be str, not {type(name).__name__}")
    if name == "prod":
        return SC_PROD
    if name == "mean":
        return MEAN
    if name == "amax":
        return SC_AMAX
    if name == "amin":
        return SC_AMIN
    if name == "sum" and with_sum:
        return SC_SUM
    raise RuntimeError(f"{function}: reduce argument must be either {'sum, ' if with_sum else ''}prod, mean, amax or "
                       f"amin, got {name}")


cdef int reduce_slices(TensorImpl target, object dim_, object index_, object source_, object reduce, object include_self,
                       str function) except -1:
    cdef int64_t dim = as_dim(dim_, target._ss.ndim, function)
    cdef TensorImpl index = index_arg(index_, RuntimeError, function)
    cdef TensorImpl source = tensor_arg(source_, function, "source")
    cdef bint with_self = flag(include_self, function, "include_self")
    cdef int op = reduction_named(reduce, False, function)
    check_slices(target, dim, index, source, function)
    check_reduction(target, op, function)
    if target._numel == 0 or source._numel == 0:
        return 0
    return reduce_into(target, dim, ready_index(index, target), ready_source(source, target, function), op, with_self,
                       True, IndexError, function)


# ---- scatter ------------------------------------------------------------------------------------------------

cdef int check_elements(TensorImpl self, int64_t dim, TensorImpl index, TensorImpl source, str function) except -1:
    """Index has as many dims as self and source, is no larger than source, and than self but for dim."""
    cdef int64_t d
    cdef bint fits = True
    if index._numel == 0:
        return 0
    if max(index._ss.ndim, 1) != max(self._ss.ndim, 1):
        raise RuntimeError(f"{function}: Index tensor must have the same number of dimensions as self tensor: got "
                           f"{index._ss.ndim} and {self._ss.ndim}")
    if source is not None and max(index._ss.ndim, 1) != max(source._ss.ndim, 1):
        error = IndexError if 0 < source._ss.ndim < index._ss.ndim else RuntimeError
        raise error(f"{function}: Index tensor must have the same number of dimensions as src tensor: got "
                    f"{index._ss.ndim} and {source._ss.ndim}")
    for d in range(index._ss.ndim):
        if d != dim and d < self._ss.ndim:
            fits = fits and sizes_of(index)[d] <= sizes_of(self)[d]
        if source is not None:
            fits = fits and sizes_of(index)[d] <= (sizes_of(source)[d] if source._ss.ndim else 1)
    if not fits:
        raise RuntimeError(f"{function}: Expected index {list(index.sizes())} to be no larger than self "
                           f"{list(self.sizes())} apart from dimension {dim}"
                           + (f" and to be no larger size than src {list(source.sizes())}" if source is not None else ""))
    return 0


cdef int scatter_op(object reduce, bint from_tensor, str function) except -2:
    """The work that scatter's reduce= asks for."""
    if reduce is None:
        return SCATTER
    if not isinstance(reduce, str):
        raise TypeError(f"{function}: argument 'reduce' must be str, not {type(reduce).__name__}")
    if reduce != "add" and reduce != "multiply":
        raise RuntimeError(f"{function}: reduce argument must be either add or multiply, got {reduce}")
    if from_tensor:
        import warnings
        warnings.warn("The reduce argument of scatter with Tensor src is deprecated; use scatter_reduce", UserWarning,
                      stacklevel=1)
    return SC_SUM if reduce == "add" else SC_PROD


cdef object MISSING = object()


cdef int scatter_into(TensorImpl target, object dim_, object index_, object src, object value, object reduce,
                      str function) except -1:
    cdef int64_t dim
    cdef TensorImpl index, source = None
    cdef Loop loop
    cdef int op
    if (src is MISSING) == (value is MISSING):
        raise TypeError(f"{function}: takes dim, index and either src or value")
    if src is not MISSING and not isinstance(src, TensorImpl) and value is MISSING:
        value, src = src, MISSING
        if number_arg(value, function, "src") is None:
            raise TypeError(f"{function}: argument 'src' must be a Tensor or a number, not {type(value).__name__}")
    dim = as_dim(dim_, target._ss.ndim, function)
    index = index_arg(index_, RuntimeError, function)
    op = scatter_op(reduce, value is MISSING, function)
    if value is MISSING:
        source = <TensorImpl>src
        same_dtype(target, source, function)
    check_elements(target, dim, index, source, function)
    if source is None:
        source = item_of(<sc_dtype>target._dtype, fill_number(value, function, "value"), function)
    if index._numel == 0:
        return 0
    source = ready_source(source, target, function)
    index = ready_index(index, target)
    element_loop(&loop, target, dim, index, function)
    check_loop(&loop, RuntimeError, function)
    plain_from(&loop, source)
    return run_loop(&loop, source, target, [index], op, RuntimeError, function)


cdef int reduce_elements(TensorImpl target, object dim_, object index_, object src, int op, bint include_self,
                         str function) except -1:
    cdef int64_t dim = as_dim(dim_, target._ss.ndim, function)
    cdef TensorImpl index = index_arg(index_, RuntimeError, function)
    cdef TensorImpl source = tensor_arg(src, function, "src")
    same_dtype(target, source, function)
    check_elements(target, dim, index, source, function)
    check_reduction(target, op, function)
    if index._numel == 0:
        return 0
    return reduce_into(target, dim, ready_index(index, target), ready_source(source, target, function), op,
                       include_self, False, RuntimeError, function)


# ---- put ----------------------------------------------------------------------------------------------------

cdef TensorImpl flattened(TensorImpl t):
    """The elements as one dim, copied where they are not contiguous."""
    cdef TensorImpl source = contiguous_of(t, CONTIGUOUS_FORMAT)
    cdef TensorImpl view = view_of(source, 1)
    sizes_of(view)[0], strides_of(view)[0], view._numel = t._numel, 1, t._numel
    return view


cdef int put_flat(TensorImpl target, object index_, object source_, object accumulate_, str function) except -1:
    cdef TensorImpl index = tensor_arg(index_, function, "index")
    cdef TensorImpl source = tensor_arg(source_, function, "source")
    cdef bint accumulate = flag(accumulate_, function, "accumulate")
    cdef TensorImpl flat
    cdef Loop loop
    if index._dtype != SC_INT64:
        raise RuntimeError(f"{function}: Expected a long tensor for index, but got "
                           f"{dtype_of(<sc_dtype>index._dtype).name}")
    same_dtype(target, source, function)
    if source._numel != index._numel:
        raise IndexError(f"{function}: Expected source and index to have the same number of elements, but got "
                         f"source.numel() = {source._numel}, index.numel() = {index._numel}")
    if target._numel == 0 and index._numel:
        raise IndexError(f"{function}: Tried to put elements into an empty tensor")
    if index._numel == 0:
        return 0
    source = flattened(ready_source(source, target, function))
    index = flattened(ready_index(index, target))
    flat = flattened(target)
    slice_loop(&loop, flat, 0, index, True, function)
    check_loop(&loop, IndexError, function)
    plain_from(&loop, source)
    run_loop(&loop, source, flat, [index], <int>SC_SUM if accumulate else <int>SCATTER, IndexError, function)
    return 0 if is_contiguous(target) else copy_back(target, flat, function)


cdef int copy_back(TensorImpl target, TensorImpl flat, str function) except -1:
    """The elements of a contiguous copy, one dim, back to where they come from."""
    cdef TensorImpl view = view_of(flat, target._ss.ndim)
    cdef int64_t d
    for d in range(target._ss.ndim):
        sizes_of(view)[d] = sizes_of(target)[d]
    sc_contiguous_strides(target._ss.ndim, sizes_of(view), strides_of(view))
    view._numel = target._numel
    return copy_into(target, view, function)


# ---- functions with out= ------------------------------------------------------------------------------------

cdef TensorImpl fresh_copy(object input, str function):
    return copy_of(tensor_arg(input, function, "input"), CONTIGUOUS_FORMAT)


def index_add(input, dim, index, source, *, alpha=1, out=None):
    """A contiguous copy of `input`, or `out`, with Tensor.index_add_ applied.

    >>> import stridecore as sc
    >>> sc.index_add(sc.zeros(3), 0, sc.tensor([0, 2, 0]), sc.tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.])
    """
    cdef TensorImpl result = fresh_copy(input, "index_add")
    add_slices(result, dim, index, source, alpha, "index_add")
    return delivered(result, out, "index_add")


def index_copy(input, dim, index, source, *, out=None):
    """A contiguous copy of `input`, or `out`, with Tensor.index_copy_ applied.

    >>> import stridecore as sc
    >>> sc.index_copy(sc.zeros(3), 0, sc.tensor([2, 0]), sc.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
    cdef TensorImpl result = fresh_copy(input, "index_copy")
    copy_slices(result, dim, index, source, "index_copy")
    return delivered(result, out, "index_copy")


def index_reduce(input, dim, index, source, reduce, *, include_self=True, out=None):
    """A contiguous copy of `input`, or `out`, with Tensor.index_reduce_ applied.

    >>> import stridecore as sc
    >>> sc.index_reduce(sc.ones(2), 0, sc.tensor([0, 0]), sc.tensor([2.0, 3.0]), "prod")
    tensor([6., 1.])
    """
    cdef TensorImpl result = fresh_copy(input, "index_reduce")
    reduce_slices(result, dim, index, source, reduce, include_self, "index_reduce")
    return delivered(result, out, "index_reduce")


def scatter(input, dim, index, src=MISSING, value=MISSING, *, reduce=None, out=None):
    """A contiguous copy of `input`, or `out`, with Tensor.scatter_ applied.

    >>> import stridecore as sc
    >>> sc.scatter(sc.zeros(2, 3), 0, sc.tensor([[0, 1, 0]]), sc.tensor([[5.0, 6.0, 7.0]]))
    tensor([[5., 0., 7.],
            [0., 6., 0.]])
    """
    cdef TensorImpl result = fresh_copy(input, "scatter")
    scatter_into(result, dim, index, src, value, reduce, "scatter")
    return delivered(result, out, "scatter")


def scatter_add(input, dim, index, src, *, out=None):
    """A contiguous copy of `input`, or `out`, with Tensor.scatter_add_ applied.

    >>> import stridecore as sc
    >>> sc.scatter_add(sc.zeros(3), 0, sc.tensor([0, 2, 0]), sc.tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.])
    """
    cdef TensorImpl result = fresh_copy(input, "scatter_add")
    reduce_elements(result, dim, index, src, SC_SUM, True, "scatter_add")
    return delivered(result, out, "scatter_add")


def scatter_reduce(input, dim, index, src, reduce, *, include_self=True, out=None):
    """A contiguous copy of `input`, or `out`, with Tensor.scatter_reduce_ applied.

    >>> import stridecore as sc
    >>> sc.scatter_reduce(sc.zeros(2), 0, sc.tensor([0, 0]), sc.tensor([2.0, 4.0]), "mean", include_self=False)
    tensor([3., 0.])
    """
    cdef TensorImpl result = fresh_copy(input, "scatter_reduce")
    reduce_elements(result, dim, index, src, reduction_named(reduce, True, "scatter_reduce"),
                    flag(include_self, "scatter_reduce", "include_self"), "scatter_reduce")
    return delivered(result, out, "scatter_reduce")


@cython.no_gc
cdef class TensorScatters(TensorMasks):
    """Writes along a dim by an index tensor, in place and as copies."""

    def index_add_(self, dim, index, source, *, alpha=1):
        """Add the slices of `source` along `dim` to the slices of self that `index` names: self[index[i]] += alpha * source[i]
        for dim 0. Indices that repeat add up. Returns self.

        `source` has self's dtype, and its size but for `dim`, where it has as many slices as `index` (int32 or int64, at
        most 1 dim) has elements. RuntimeError for an index outside [0, size).

        >>> import stridecore as sc
        >>> sc.zeros(3).index_add_(0, sc.tensor([0, 2, 0]), sc.tensor([1.0, 2.0, 3.0]))
        tensor([4., 0., 2.])
        """
        cdef TensorImpl target = target_of(self, "index_add_")
        add_slices(target, dim, index, source, alpha, "index_add_")
        settle(self, target, "index_add_")
        return self

    def index_add(self, dim, index, source, *, alpha=1):
        """A contiguous copy with index_add_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(3).index_add(0, sc.tensor([0, 2, 0]), sc.tensor([1.0, 2.0, 3.0]))
        tensor([4., 0., 2.])
        """
        cdef TensorImpl result = copy_of(self, CONTIGUOUS_FORMAT)
        add_slices(result, dim, index, source, alpha, "index_add")
        return result

    def index_copy_(self, dim, index, source):
        """Copy the slices of `source` along `dim` to the slices of self that `index` (int64) names; of several for one slice
        the last stays. Returns self. IndexError for an index outside [0, size).

        >>> import stridecore as sc
        >>> sc.zeros(3).index_copy_(0, sc.tensor([2, 0]), sc.tensor([1.0, 2.0]))
        tensor([2., 0., 1.])
        """
        cdef TensorImpl target = target_of(self, "index_copy_")
        copy_slices(target, dim, index, source, "index_copy_")
        settle(self, target, "index_copy_")
        return self

    def index_copy(self, dim, index, source):
        """A contiguous copy with index_copy_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(3).index_copy(0, sc.tensor([2, 0]), sc.tensor([1.0, 2.0]))
        tensor([2., 0., 1.])
        """
        cdef TensorImpl result = copy_of(self, CONTIGUOUS_FORMAT)
        copy_slices(result, dim, index, source, "index_copy")
        return result

    def index_fill_(self, dim, index, value):
        """Set the slices along `dim` that `index` (int64, negative ones count from the end) names to `value`, a number or a
        0-dim tensor. Returns self. IndexError for an index out of range.

        >>> import stridecore as sc
        >>> sc.zeros(3).index_fill_(0, sc.tensor([0, -1]), 5)
        tensor([5., 0., 5.])
        """
        cdef TensorImpl target = target_of(self, "index_fill_", True)
        fill_slices(target, dim, index, value, "index_fill_")
        settle(self, target, "index_fill_")
        return self

    def index_fill(self, dim, index, value):
        """A copy with index_fill_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(3).index_fill(0, sc.tensor([0, -1]), 5)
        tensor([5., 0., 5.])
        """
        cdef TensorImpl result = copy_of(self, PRESERVE)
        fill_slices(result, dim, index, value, "index_fill")
        return result

    def index_reduce_(self, dim, index, source, reduce, *, include_self=True):
        """Combine the slices of `source` along `dim` with the slices of self that `index` names: by "prod", "mean", "amax" or
        "amin", of self's own values too unless `include_self=False`. Returns self.

        IndexError for an index outside [0, size).

        >>> import stridecore as sc
        >>> sc.ones(2).index_reduce_(0, sc.tensor([0, 0]), sc.tensor([2.0, 3.0]), "prod")
        tensor([6., 1.])
        """
        cdef TensorImpl target = target_of(self, "index_reduce_")
        reduce_slices(target, dim, index, source, reduce, include_self, "index_reduce_")
        settle(self, target, "index_reduce_")
        return self

    def index_reduce(self, dim, index, source, reduce, *, include_self=True):
        """A contiguous copy with index_reduce_ applied.

        >>> import stridecore as sc
        >>> sc.ones(2).index_reduce(0, sc.tensor([0, 0]), sc.tensor([2.0, 3.0]), "prod")
        tensor([6., 1.])
        """
        cdef TensorImpl result = copy_of(self, CONTIGUOUS_FORMAT)
        reduce_slices(result, dim, index, source, reduce, include_self, "index_reduce")
        return result

    def scatter_(self, dim, index, src=MISSING, value=MISSING, *, reduce=None):
        """Write each element of `src`, a tensor or a number, to the place that the element of `index` beside it names along
        `dim`: self[index[i, j], j] = src[i, j] for dim 0. Of several for one place the last stays. Returns self.

        `index` (int32 or int64) has as many dims as self, is no larger than `src`, and no larger than self but for
        `dim`. With reduce="add" or "multiply" values are combined. RuntimeError for an index outside [0, size).

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).scatter_(0, sc.tensor([[0, 1, 0]]), sc.tensor([[5.0, 6.0, 7.0]]))
        tensor([[5., 0., 7.],
                [0., 6., 0.]])
        """
        cdef TensorImpl target = target_of(self, "scatter_")
        scatter_into(target, dim, index, src, value, reduce, "scatter_")
        settle(self, target, "scatter_")
        return self

    def scatter(self, dim, index, src=MISSING, value=MISSING, *, reduce=None):
        """A contiguous copy with scatter_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).scatter(0, sc.tensor([[0, 1, 0]]), sc.tensor([[5.0, 6.0, 7.0]]))
        tensor([[5., 0., 7.],
                [0., 6., 0.]])
        """
        cdef TensorImpl result = copy_of(self, CONTIGUOUS_FORMAT)
        scatter_into(result, dim, index, src, value, reduce, "scatter")
        return result

    def scatter_add_(self, dim, index, src):
        """Add each element of `src` to the place that the element of `index` beside it names along `dim`:
        self[index[i, j], j] += src[i, j] for dim 0. Places that repeat add up. Returns self. RuntimeError for an index
        outside [0, size).

        >>> import stridecore as sc
        >>> sc.zeros(3).scatter_add_(0, sc.tensor([0, 2, 0]), sc.tensor([1.0, 2.0, 3.0]))
        tensor([4., 0., 2.])
        """
        cdef TensorImpl target = target_of(self, "scatter_add_")
        reduce_elements(target, dim, index, src, SC_SUM, True, "scatter_add_")
        settle(self, target, "scatter_add_")
        return self

    def scatter_add(self, dim, index, src):
        """A contiguous copy with scatter_add_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(3).scatter_add(0, sc.tensor([0, 2, 0]), sc.tensor([1.0, 2.0, 3.0]))
        tensor([4., 0., 2.])
        """
        cdef TensorImpl result = copy_of(self, CONTIGUOUS_FORMAT)
        reduce_elements(result, dim, index, src, SC_SUM, True, "scatter_add")
        return result

    def scatter_reduce_(self, dim, index, src, reduce, *, include_self=True):
        """Combine each element of `src` with the place that the element of `index` beside it names along `dim`: by "sum",
        "prod", "mean", "amax" or "amin", of self's own values too unless `include_self=False`. Returns self.
        RuntimeError for an index outside [0, size).

        >>> import stridecore as sc
        >>> sc.zeros(2).scatter_reduce_(0, sc.tensor([0, 0]), sc.tensor([2.0, 4.0]), "mean", include_self=False)
        tensor([3., 0.])
        """
        cdef TensorImpl target = target_of(self, "scatter_reduce_")
        reduce_elements(target, dim, index, src, reduction_named(reduce, True, "scatter_reduce_"),
                        flag(include_self, "scatter_reduce_", "include_self"), "scatter_reduce_")
        settle(self, target, "scatter_reduce_")
        return self

    def scatter_reduce(self, dim, index, src, reduce, *, include_self=True):
        """A contiguous copy with scatter_reduce_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(2).scatter_reduce(0, sc.tensor([0, 0]), sc.tensor([2.0, 4.0]), "mean", include_self=False)
        tensor([3., 0.])
        """
        cdef TensorImpl result = copy_of(self, CONTIGUOUS_FORMAT)
        reduce_elements(result, dim, index, src, reduction_named(reduce, True, "scatter_reduce"),
                        flag(include_self, "scatter_reduce", "include_self"), "scatter_reduce")
        return result

    def put_(self, index, source, accumulate=False):
        """Write the elements of `source` to these places of self in row-major order; `index` is int64, and negative places
        count from the end. With `accumulate=True` they are added. Returns self. IndexError for a place outside.

        >>> import stridecore as sc
        >>> sc.zeros(2, 2).put_(sc.tensor([0, -1]), sc.tensor([5.0, 7.0]))
        tensor([[5., 0.],
                [0., 7.]])
        """
        cdef TensorImpl target = target_of(self, "put_")
        put_flat(target, index, source, accumulate, "put_")
        settle(self, target, "put_")
        return self

    def put(self, index, source, accumulate=False):
        """A copy with put_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(2, 2).put(sc.tensor([0, -1]), sc.tensor([5.0, 7.0]))
        tensor([[5., 0.],
                [0., 7.]])
        """
        cdef TensorImpl result = copy_of(self, PRESERVE)
        put_flat(result, index, source, accumulate, "put")
        return result
