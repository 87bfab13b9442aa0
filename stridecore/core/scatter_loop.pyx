"""What the writes along a dim share: operands made ready, their loops, and reductions.

    slice_loop      target[..., index[i], ...]       an index for a whole slice      index_add_ and its kin
    element_loop    target[index[i, j, k], j, k]     an index for each element       scatter_ and its kin

A target has no lazy bits: `target_of` gives a copy of one that has, and `settle` writes it back.
"""
from libc.stdint cimport int64_t

from stridecore.core cimport engine
from stridecore.core.copy cimport converted, copy_into, fill_with
from stridecore.core.dtype cimport dtype_of
from stridecore.core.index_loop cimport *
from stridecore.core.masks cimport warn_overlap
from stridecore.core.memory_format cimport CONTIGUOUS_FORMAT, PRESERVE
from stridecore.core.scalars cimport FILL, write_item
from stridecore.core.tensor_impl cimport *


# ---- operands -----------------------------------------------------------------------------------------------

cdef TensorImpl target_of(TensorImpl self, str function, bint one_value=False):
    """What a write in place works on: an alias of self, or a copy without lazy bits, which `settle` writes back. Only
    where one value is written may elements of self share memory."""
    if one_value and not is_contiguous(self):
        warn_overlap(self, function)
    check_writable(self, function)
    if not one_value:
        refuse_self_overlap(self, function)
    return converted(self, <sc_dtype>self._dtype, PRESERVE) if self._bits else alias_of(self)


cdef int settle(TensorImpl self, TensorImpl target, str function) except -1:
    return copy_into(self, target, function) if self._bits else 0


cdef TensorImpl copy_of(TensorImpl self, int memory_format):
    return typed_as(converted(self, <sc_dtype>self._dtype, memory_format), self)


cdef TensorImpl operand(object value, str function, str name):
    """An alias of a tensor argument: a layout that nobody can change while something is copied."""
    return alias_of(tensor_arg(value, function, name))


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


cdef TensorImpl fresh_copy(object input, str function):
    return copy_of(tensor_arg(input, function, "input"), CONTIGUOUS_FORMAT)
