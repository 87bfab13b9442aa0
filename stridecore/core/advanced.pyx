"""Indexing with tensors, lists, arrays and masks: `x[i, :, j]`, `x[mask]`, read and written, and `index_put_`.

The result's dims: the broadcast sizes of the index tensors stand where these are if they are neighbours, else in front.

    x of size (2, 3, 4, 5), i and j of size (7,)

    x[:, i, j]      (2, 7, 5)        loop sizes (2, 7, 5), strides of x (60, 0, 1)
    x[i, :, j]      (7, 3, 5)        loop sizes (7, 3, 5), strides of x (0, 20, 1)

The result's memory is ordered as torch orders it: by the strides of x, then by those of the index tensors (result.h).
"""
cimport cython
from libc.stdint cimport int64_t

from stridecore.core cimport engine
from stridecore.core.copy cimport converted, copy_into, empty_like
from stridecore.core.dtype cimport dtype_of
from stridecore.core.index_key cimport *
from stridecore.core.index_loop cimport *
from stridecore.core.indexing cimport assign, refuse_value, use_for_gathers, without_leading_ones
from stridecore.core.masks cimport compressed, expand_into, fill_masked
from stridecore.core.memory_format cimport CONTIGUOUS_FORMAT, PRESERVE
from stridecore.core.scalars cimport ASSIGN, FILL, plain_number, read_item, write_item
from stridecore.core.tensor_impl cimport *


# ---- the loop -----------------------------------------------------------------------------------------------

cdef struct Placement:
    int64_t ndim                        # of the broadcast index tensors
    int64_t at                          # the dim of the loop where they start
    int64_t sizes[SC_MAX_NDIM]


cdef int no_broadcast(list tensors) except -1:
    shapes = ", ".join([str(list((<TensorImpl>t).sizes())) for t in tensors])
    raise IndexError(f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}")


cdef int broadcast_indices(list tensors, Placement *p) except -1:
    cdef TensorImpl index
    cdef int64_t d, size, at
    p.ndim = 0
    for index in tensors:
        if index._ss.ndim > p.ndim:
            p.ndim = index._ss.ndim
    for d in range(p.ndim):
        p.sizes[d] = 1
    for index in tensors:
        for d in range(index._ss.ndim):
            size = sizes_of(index)[d]
            at = p.ndim - index._ss.ndim + d
            if size == p.sizes[at] or size == 1:
                continue
            if p.sizes[at] != 1:
                no_broadcast(tensors)
            p.sizes[at] = size
    return 0


cdef int place(IndexKey key, Placement *p, Loop *loop) except -1:
    """The loop's sizes and the strides of the indexed view along them."""
    cdef TensorImpl view = key.view
    cdef Py_ssize_t i, n = len(key.tensors)
    cdef int64_t d, itemsize = itemsize_of(view) if view._numel else 1
    cdef bint adjacent = True, indexed, empty_dim = False, empty_index = False
    broadcast_indices(key.tensors, p)
    for i in range(1, n):
        adjacent = adjacent and key.dims[i] == key.dims[i - 1] + 1
    p.at = key.dims[0] if adjacent else 0
    loop.ndim = 0
    loop.n = 0
    if view._ss.ndim - n + p.ndim > SC_MAX_NDIM:
        raise ValueError(f"index: the result would have more than {SC_MAX_NDIM} dims")
    for d in range(view._ss.ndim + 1):
        if loop.ndim == p.at and (d == p.at or not adjacent and d == 0):
            for i in range(p.ndim):
                loop.sizes[loop.ndim] = p.sizes[i]
                loop.indexed_strides[loop.ndim] = 0
                loop.ndim += 1
                empty_index = empty_index or p.sizes[i] == 0
        if d == view._ss.ndim:
            break
        indexed = False
        for i in range(n):
            indexed = indexed or key.dims[i] == d
        if indexed:
            empty_dim = empty_dim or sizes_of(view)[d] == 0
            continue
        loop.sizes[loop.ndim] = sizes_of(view)[d]
        loop.indexed_strides[loop.ndim] = strides_of(view)[d] * itemsize
        loop.ndim += 1
    if empty_dim and not empty_index:
        raise IndexError(f"index is out of bounds for dimension with size 0: the indexed tensor has size "
                         f"{list(view.sizes())}")
    return 0


cdef int add_indices(IndexKey key, Placement *p, Loop *loop) except -1:
    cdef TensorImpl index
    cdef int64_t d, lead, itemsize
    cdef int64_t *steps
    cdef Py_ssize_t i
    for i in range(len(key.tensors)):
        index = <TensorImpl>key.tensors[i]
        steps = add_index(loop, key.view, key.dims[i], index, True, "index")
        lead = p.ndim - index._ss.ndim
        itemsize = itemsize_of(index)
        for d in range(index._ss.ndim):
            if sizes_of(index)[d] != 1:
                steps[p.at + lead + d] = strides_of(index)[d] * itemsize
    return 0


# ---- reading ------------------------------------------------------------------------------------------------

cdef int index_strides(TensorImpl index, Placement *p, Loop *loop, int64_t *strides) except -1:
    """The strides by which torch sees an index tensor: broadcast, int32 made int64, then a view with size-1 dims."""
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t spread[SC_MAX_NDIM]
    cdef int64_t dense[SC_MAX_NDIM]
    cdef int64_t d, lead = p.ndim - index._ss.ndim
    cdef sc_view_conflict conflict
    cdef bint fits = True
    for d in range(p.ndim):
        spread[d] = 0 if d < lead or sizes_of(index)[d - lead] != p.sizes[d] else strides_of(index)[d - lead]
    if index._dtype == SC_INT32:
        fits = sc_preserve_strides(p.ndim, p.sizes, spread, dense)
        for d in range(p.ndim):
            spread[d] = dense[d]
    for d in range(loop.ndim):
        sizes[d] = p.sizes[d - p.at] if p.at <= d < p.at + p.ndim else 1
    if not fits or not sc_view_strides(p.ndim, p.sizes, spread, loop.ndim, sizes, strides, &conflict):
        raise RuntimeError("index: Stride calculation overflowed")
    for d in range(loop.ndim):
        if sizes[d] == 1 and loop.sizes[d] != 1:
            strides[d] = 0
    return 0


cdef TensorImpl result_of(IndexKey key, Placement *p, Loop *loop):
    """A new tensor for the result, laid out as torch lays it out."""
    cdef int64_t strides[SC_MAX_NDIM][SC_MAX_NDIM]
    cdef const int64_t *operands[SC_MAX_NDIM + 1]
    cdef int64_t fresh[SC_MAX_NDIM]
    cdef int64_t d
    cdef int i, n = <int>len(key.tensors)
    cdef bint same_sizes = True, has_empty = False, has_large = False
    cdef sc_dtype dtype = <sc_dtype>key.view._dtype
    for d in range(loop.ndim):
        has_empty = has_empty or loop.sizes[d] == 0
        has_large = has_large or loop.sizes[d] > 1
        if (d < p.at or d >= p.at + p.ndim) and loop.sizes[d] != 1:
            same_sizes = False
    # Operands of one size, without elements or with one, are contiguous for torch; so is the result then.
    if loop.ndim <= 1 or same_sizes and (has_empty or not has_large):
        return tensor_new(dtype, loop.ndim, loop.sizes, False)
    operands[0] = loop.indexed_strides
    for i in range(n):
        index_strides(<TensorImpl>key.tensors[i], p, loop, strides[i])
        operands[i + 1] = strides[i]
    if not sc_result_strides(loop.ndim, loop.sizes, n + 1, operands, fresh):
        return tensor_new(dtype, loop.ndim, loop.sizes, False)    # which says what overflows
    return tensor_new_strided(dtype, loop.ndim, loop.sizes, fresh)


cdef TensorImpl gathered(IndexKey key):
    cdef Loop loop
    cdef Placement p
    cdef TensorImpl view = key.view, result
    place(key, &p, &loop)
    result = result_of(key, &p, &loop)
    if result._numel:
        check_reach(view, "index")
        add_indices(key, &p, &loop)
        byte_strides_of(result, loop.plain_strides)
        run_loop(&loop, result, view, key.tensors, GATHER, IndexError, "index")
    result._bits = view._bits
    return typed_as(resolved(result), view)


cdef TensorImpl advanced_get(TensorImpl self, object key):
    cdef IndexKey parts
    cdef TensorImpl mask
    if isinstance(key, TensorImpl):
        mask = <TensorImpl>key
        if mask._dtype == SC_BOOL and mask._ss.ndim == self._ss.ndim and mask._ss.ndim and not mask._bits:
            check_mask(mask, self, 0)
            return typed_as(compressed(self, mask, "index"), self)
    parts = read_key(self, key)
    if not parts.tensors:    # a list that was read as a tuple of ints and slices
        return parts.view
    mask = whole_mask(parts)
    if mask is not None:
        return typed_as(compressed(parts.view, mask, "index"), self)
    expand_masks(parts)
    return gathered(parts)


# ---- writing ------------------------------------------------------------------------------------------------

cdef TensorImpl lone_mask(IndexKey key):
    """The mask, if it is the only index; else None."""
    cdef TensorImpl mask
    if len(key.tensors) != 1:
        return None
    mask = <TensorImpl>key.tensors[0]
    return mask if is_mask(mask) else None


cdef TensorImpl scalar_tensor(TensorImpl like, object number, int mode, str function):
    """A 0-dim tensor of like's dtype and lazy bits with this value."""
    cdef int64_t none = 0
    cdef TensorImpl t = tensor_new(<sc_dtype>like._dtype, 0, &none, False)
    write_item(<sc_dtype>like._dtype, data_of(t), like._bits, number, mode, function)
    t._bits = like._bits
    return t


cdef TensorImpl ready_value(TensorImpl value, TensorImpl target):
    """`value` with target's lazy bits, in memory that writing to target does not touch."""
    cdef TensorImpl copied
    if value._bits == target._bits and not may_share(value, target):
        return value
    copied = empty_like(value, <sc_dtype>value._dtype, PRESERVE)
    copied._bits = target._bits
    copy_into(copied, value, "index_put_")
    return copied


cdef int refuse_shape(TensorImpl value, Loop *loop) except -1:
    raise RuntimeError(f"shape mismatch: value tensor of shape {list(value.sizes())} cannot be broadcast to indexing "
                       f"result of shape {[loop.sizes[d] for d in range(loop.ndim)]}")


cdef int put(IndexKey key, TensorImpl value, bint accumulate, str function) except -1:
    """view[indices] = value, or += value; the masks are expanded already."""
    cdef Loop loop
    cdef Placement p
    cdef TensorImpl view, index
    cdef int64_t d, lead, itemsize
    cdef Py_ssize_t i
    view = key.view = alias_of(key.view)    # layouts that nobody can change while the value is copied
    value = alias_of(value)
    for i in range(len(key.tensors)):
        key.tensors[i] = alias_of(<TensorImpl>key.tensors[i])
    place(key, &p, &loop)
    lead = loop.ndim - value._ss.ndim
    if lead < 0:
        refuse_shape(value, &loop)
    for d in range(value._ss.ndim):
        if sizes_of(value)[d] != 1 and sizes_of(value)[d] != loop.sizes[lead + d]:
            refuse_shape(value, &loop)
    if value._dtype != view._dtype:
        raise RuntimeError(f"{function}: Index put requires the source and destination dtypes match, got "
                           f"{dtype_of(<sc_dtype>view._dtype).name} for the destination and "
                           f"{dtype_of(<sc_dtype>value._dtype).name} for the source")
    check_writable(view, function)
    refuse_self_overlap(view, function)
    if not has_elements(&loop):
        return 0
    check_reach(value, function)
    value = ready_value(value, view)
    for i in range(len(key.tensors)):
        index = <TensorImpl>key.tensors[i]
        if may_share(index, view):
            key.tensors[i] = converted(index, <sc_dtype>index._dtype, CONTIGUOUS_FORMAT)
    add_indices(key, &p, &loop)
    check_loop(&loop, IndexError, "index")
    itemsize = itemsize_of(value)
    for d in range(loop.ndim):
        loop.plain_strides[d] = 0 if d < lead or sizes_of(value)[d - lead] == 1 else strides_of(value)[d - lead] * itemsize
    return run_loop(&loop, value, view, key.tensors, <int>SC_SUM if accumulate else <int>SCATTER, IndexError, "index")


cdef int put_value(IndexKey key, TensorImpl value, bint accumulate, str function) except -1:
    cdef TensorImpl mask = None if accumulate else lone_mask(key)
    cdef int64_t count
    if mask is not None:
        check_mask(mask, key.view, key.dims[0])
        if value._numel == 1:
            check_reach(value, function)
            number = read_item(<sc_dtype>value._dtype, data_of(value), value._bits)
            return fill_masked(key.view, mask, key.dims[0], number, FILL, function)
        if mask._ss.ndim == key.view._ss.ndim and value._ss.ndim == 1 and value._dtype == key.view._dtype:
            mask, key.view, value = alias_of(mask), alias_of(key.view), alias_of(value)
            count = count_of(mask, function)
            if count == value._numel:
                check_writable(key.view, function)
                refuse_self_overlap(key.view, function)
                if count == 0:
                    return 0
                check_reach(value, function)
                value = ready_value(value, key.view)
                if may_share(mask, key.view):
                    mask = converted(mask, <sc_dtype>mask._dtype, CONTIGUOUS_FORMAT)
                return expand_into(key.view, mask, value, function)
    expand_masks(key)
    return put(key, value, accumulate, function)


cdef int advanced_set(TensorImpl self, object key, object value) except -1:
    cdef IndexKey parts
    cdef TensorImpl mask
    cdef char item[16]
    if not isinstance(value, TensorImpl):
        if plain_number(value) is None:
            refuse_value(self, value)
        write_item(<sc_dtype>self._dtype, item, self._bits, value, ASSIGN, "index")    # refused whatever the key says
    if key is True or key is False:
        return assign(self, value) if key is True else 0
    parts = read_key(self, key)
    if not parts.tensors:
        return assign(parts.view, value)
    if isinstance(value, TensorImpl):
        return put_value(parts, trimmed(<TensorImpl>value), False, "index")
    mask = lone_mask(parts)
    if mask is not None:
        check_mask(mask, parts.view, parts.dims[0])
        return fill_masked(parts.view, mask, parts.dims[0], value, ASSIGN, "index")
    return put_value(parts, scalar_tensor(self, value, ASSIGN, "index"), False, "index")


cdef TensorImpl trimmed(TensorImpl value):
    """`value` without its leading size-1 dims."""
    return without_leading_ones(value, 0)


# ---- index_put ----------------------------------------------------------------------------------------------

cdef IndexKey key_of_tensors(TensorImpl self, object indices, str function):
    """The key of index_put_: a tuple or list of index tensors, one for each dim from the first on."""
    cdef IndexKey into = IndexKey.__new__(IndexKey)
    cdef TensorImpl index
    cdef int64_t dim = 0
    if not isinstance(indices, (tuple, list)):
        raise TypeError(f"{function}: argument 'indices' must be tuple of Tensors, not {type(indices).__name__}")
    into.tensors = []
    into.view = self
    for part in tuple(indices):
        if not isinstance(part, TensorImpl):
            raise TypeError(f"{function}: argument 'indices' must be tuple of Tensors, not of {type(part).__name__}")
        index = as_index_tensor(part)
        if index._ss.ndim == 0 and is_mask(index):
            check_reach(index, function)
            into.nothing = into.nothing or data_of(index)[0] == 0
            continue
        if len(into.tensors) < SC_MAX_NDIM:
            into.dims[len(into.tensors)] = dim
        into.tensors.append(index)
        dim += index._ss.ndim if is_mask(index) else 1
    if dim > self._ss.ndim:
        raise IndexError(f"{function}: too many indices for tensor of dimension {self._ss.ndim} (got {dim})")
    return into


@cython.binding(True)
class Methods:
    """Indexing with several tensors at once, by name. stridecore/gathering.py sets them on Tensor."""

    def index_put_(TensorImpl self not None, indices, values, accumulate=False):
        """self[indices] = values for a tuple of index tensors, one a dim from the first on;
        with `accumulate=True` self[indices] += values, where indices that repeat add up. Returns self.

        `values` broadcasts to the size of the indexed result and has the dtype of self. IndexError for an index out of
        range, and then nothing has been written.

        >>> import stridecore as sc
        >>> x = sc.zeros(3)
        >>> x.index_put_((sc.tensor([0, 2, 0]),), sc.tensor(1.0), accumulate=True)
        tensor([2., 0., 1.])
        """
        cdef IndexKey key = key_of_tensors(self, indices, "index_put_")
        cdef TensorImpl value = tensor_arg(values, "index_put_", "values")
        if not isinstance(accumulate, bool):
            raise TypeError(f"index_put_: argument 'accumulate' must be bool, not {type(accumulate).__name__}")
        if not len(indices):
            raise RuntimeError("index_put_: indices must hold at least one index tensor")
        if key.nothing:
            return self
        if not key.tensors:
            assign(self, value)
            return self
        put_value(key, value, accumulate, "index_put_")
        return self

    def index_put(TensorImpl self not None, indices, values, accumulate=False):
        """A copy of the tensor with index_put_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(3).index_put((sc.tensor([0, 2]),), sc.tensor([5.0, 7.0]))
        tensor([5., 0., 7.])
        """
        cdef TensorImpl copied = converted(self, <sc_dtype>self._dtype, PRESERVE)
        return copied.index_put_(indices, values, accumulate)


use_for_gathers(advanced_get, advanced_set)
