"""Masks: masked_select, masked_fill, masked_scatter, nonzero and argwhere.

A mask is a tensor of bools. It broadcasts with the tensor that it applies to; elements are taken in row-major order.
"""
cimport cython
from libc.stdint cimport int64_t
from libc.string cimport memcmp

from stridecore.core cimport engine
from stridecore.core.args cimport as_int
from stridecore.core.copy cimport converted, copy_into, fill_with
from stridecore.core.dtype cimport dtype_of
from stridecore.core.index_key cimport count_of, is_mask, places_of
from stridecore.core.index_loop cimport *
from stridecore.core.memory_format cimport CONTIGUOUS_FORMAT, PRESERVE
from stridecore.core.options cimport as_out, fit_out
from stridecore.core.options import warn_of_resize
from stridecore.core.parts cimport selected
from stridecore.core.scalars cimport FILL, write_item
from stridecore.core.tensor_impl cimport *
from stridecore.core.views cimport unsqueezed
from stridecore.core.where cimport broadcast_sizes, chosen, spread

# Below this many elements a loop costs less than letting go of the GIL and taking it again.
cdef enum:
    GIL_NUMEL = 8192


cdef TensorImpl mask_arg(object value, str function):
    cdef TensorImpl mask = tensor_arg(value, function, "mask")
    if mask._dtype != SC_BOOL:
        raise RuntimeError(f"{function}: only supports boolean masks, but got mask with dtype "
                           f"{dtype_of(<sc_dtype>mask._dtype).name}; use mask.bool()")
    return mask


# ---- compress and expand ------------------------------------------------------------------------------------

cdef TensorImpl compressed(TensorImpl source, TensorImpl mask, str function):
    cdef int64_t source_strides[SC_MAX_NDIM]
    cdef int64_t mask_strides[SC_MAX_NDIM]
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t d, found, ndim = source._ss.ndim, itemsize = itemsize_of(source)
    cdef int64_t count = count_of(mask, function)
    cdef TensorImpl result = tensor_new(<sc_dtype>source._dtype, 1, &count, False)
    cdef char *to
    cdef const char *data
    cdef const char *keep
    cdef sc_block *blocks[2]
    if count == 0:
        return result
    check_reach(source, function)
    byte_strides_of(source, source_strides)
    byte_strides_of(mask, mask_strides)
    for d in range(ndim):
        sizes[d] = sizes_of(source)[d]
    to, data, keep = data_of(result), data_of(source), data_of(mask)
    if source._numel < GIL_NUMEL:
        found = engine.mask_compress(ndim, sizes, itemsize, to, count, data, source_strides, keep, mask_strides)
    else:
        blocks[0], blocks[1] = source._storage.block, mask._storage.block
        engine.block_retain(blocks[0])
        engine.block_retain(blocks[1])
        with nogil:
            found = engine.mask_compress(ndim, sizes, itemsize, to, count, data, source_strides, keep, mask_strides)
        engine.block_release(blocks[0])
        engine.block_release(blocks[1])
    if found != count:
        raise RuntimeError(f"{function}: the mask was changed while it was read")
    result._bits = source._bits
    return resolved(result)


cdef int expand_items(TensorImpl target, const char *keep, const int64_t *mask_strides, sc_block *mask_block,
                      const char *data, int64_t step, int64_t available, sc_block *block) except -1:
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t d, ndim = target._ss.ndim, itemsize = itemsize_of(target)
    cdef char *to = data_of(target)
    cdef sc_block *to_block = target._storage.block
    byte_strides_of(target, strides)
    for d in range(ndim):
        sizes[d] = sizes_of(target)[d]
    if target._numel < GIL_NUMEL:
        engine.mask_expand(ndim, sizes, itemsize, to, strides, data, step, available, keep, mask_strides)
        return 0
    engine.block_retain(to_block)
    engine.block_retain(mask_block)
    if block != NULL:
        engine.block_retain(block)
    with nogil:
        engine.mask_expand(ndim, sizes, itemsize, to, strides, data, step, available, keep, mask_strides)
    engine.block_release(to_block)
    engine.block_release(mask_block)
    if block != NULL:
        engine.block_release(block)
    return 0


cdef int expand_into(TensorImpl target, TensorImpl mask, TensorImpl value, str function) except -1:
    cdef int64_t mask_strides[SC_MAX_NDIM]
    check_writable(target, function)
    check_reach(mask, function)
    check_reach(value, function)
    byte_strides_of(mask, mask_strides)
    return expand_items(target, data_of(mask), mask_strides, mask._storage.block, data_of(value),
                        strides_of(value)[0] * itemsize_of(value), value._numel, value._storage.block)


cdef int warn_overlap(TensorImpl target, str function) except -1:
    cdef int64_t d
    for d in range(target._ss.ndim):
        if strides_of(target)[d] == 0 and sizes_of(target)[d] > 1:
            import warnings
            warnings.warn(f"{function}: use on expanded tensors is deprecated; clone() the tensor before", UserWarning,
                          stacklevel=1)
            return 0
    return 0


cdef int fill_masked(TensorImpl target, TensorImpl mask, int64_t dim, object number, int mode, str function) except -1:
    cdef int64_t mask_strides[SC_MAX_NDIM]
    cdef char item[16]
    cdef int64_t d
    mask, target = alias_of(mask), alias_of(target)    # layouts that nobody can change from here on
    write_item(<sc_dtype>target._dtype, item, target._bits, number, mode, function)
    if not is_contiguous(target):
        warn_overlap(target, function)
    check_writable(target, function)
    if target._numel == 0:
        return 0
    if may_share(mask, target):
        mask = converted(mask, <sc_dtype>mask._dtype, PRESERVE)
        check_writable(target, function)
    check_reach(mask, function)
    for d in range(target._ss.ndim):
        mask_strides[d] = 0
        if dim <= d < dim + mask._ss.ndim and sizes_of(mask)[d - dim] != 1:
            mask_strides[d] = strides_of(mask)[d - dim]    # bytes: an item of a mask is one
    return expand_items(target, data_of(mask), mask_strides, mask._storage.block, item, 0, target._numel, NULL)


# ---- masked_* -----------------------------------------------------------------------------------------------

cdef TensorImpl select_masked(TensorImpl self, object mask_, object out):
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef TensorImpl mask = mask_arg(mask_, "masked_select")
    cdef int64_t ndim = broadcast_sizes([mask, self], sizes, "masked_select")
    cdef TensorImpl result = compressed(spread(self, ndim, sizes, "masked_select"),
                                        spread(mask, ndim, sizes, "masked_select"), "masked_select")
    return typed_as(result, self) if out is None else delivered(result, out, "masked_select")


cdef TensorImpl mask_for(TensorImpl self, object mask_, str function):
    """A mask that broadcasts to self's size; RuntimeError for another."""
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef TensorImpl mask = mask_arg(mask_, function)
    cdef int64_t ndim = broadcast_sizes([mask, self], sizes, function)
    if ndim != self._ss.ndim or memcmp(sizes, sizes_of(self), ndim * sizeof(int64_t)) != 0:
        raise RuntimeError(f"{function}: output with shape {list(self.sizes())} doesn't match the broadcast shape "
                           f"{[sizes[d] for d in range(ndim)]}")
    return mask


cdef int scatter_masked(TensorImpl self, object mask_, object source_, str function) except -1:
    cdef TensorImpl source = tensor_arg(source_, function, "source")
    cdef TensorImpl mask = mask_for(self, mask_, function)
    cdef TensorImpl packed, target = alias_of(self)    # a layout that nobody can change while the source is copied
    cdef int64_t count
    if source._dtype != self._dtype:
        raise RuntimeError(f"{function}: expected self and source to have same dtypes but got "
                           f"{dtype_of(<sc_dtype>self._dtype).name} and {dtype_of(<sc_dtype>source._dtype).name}")
    mask = alias_of(spread(mask, self._ss.ndim, sizes_of(self), function))
    check_writable(self, function)
    refuse_self_overlap(self, function)
    count = count_of(mask, function)
    if count > source._numel:
        raise RuntimeError(f"{function}: expected source to have at least as many elements as the mask has true ones, "
                           f"got {source._numel} and {count}")
    if count == 0:
        return 0
    check_reach(source, function)
    if source._bits != self._bits or may_share(source, self) or not is_contiguous(source):
        packed = tensor_new(<sc_dtype>self._dtype, source._ss.ndim, sizes_of(source), False)
        packed._bits = self._bits
        copy_into(packed, source, function)
        source = packed
    if may_share(mask, self):
        mask = converted(mask, SC_BOOL, CONTIGUOUS_FORMAT)
    packed = view_of(source, 1)
    sizes_of(packed)[0], strides_of(packed)[0], packed._numel = source._numel, 1, source._numel
    return expand_into(target, mask, packed, function)


cdef TensorImpl broadcast_copy(TensorImpl self, object mask_, str function):
    """A contiguous copy of self broadcast with a mask."""
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef TensorImpl mask = mask_arg(mask_, function)
    cdef int64_t ndim = broadcast_sizes([mask, self], sizes, function)
    return typed_as(converted(spread(self, ndim, sizes, function), <sc_dtype>self._dtype, CONTIGUOUS_FORMAT), self)


# ---- nonzero ------------------------------------------------------------------------------------------------

cdef TensorImpl truth_of(TensorImpl self):
    """The tensor, or a copy of it, as bytes that are 0 where it is 0."""
    if is_mask(self) or self._dtype == SC_INT8:
        return self
    return converted(self, SC_BOOL, CONTIGUOUS_FORMAT)


cdef tuple places_by_dim(TensorImpl self, str function):
    cdef TensorImpl places
    cdef int64_t d
    if self._ss.ndim == 0:
        self = unsqueezed(self, 0)
    places = places_of(truth_of(self), function)
    return tuple([selected(places, 1, d, function) for d in range(self._ss.ndim)])


cdef TensorImpl places_into(TensorImpl self, object out, str function):
    cdef TensorImpl places = places_of(truth_of(self), function)
    cdef TensorImpl to
    cdef bint resized = False
    if out is None:
        return places
    to = as_out(out, None, function)
    if to._dtype != SC_INT64:
        raise RuntimeError(f"{function}: Expected out tensor to have scalar type Long but got "
                           f"{dtype_of(<sc_dtype>to._dtype).name}")
    if to._ss.ndim != 2 or memcmp(sizes_of(to), sizes_of(places), 2 * sizeof(int64_t)) != 0:
        resized = to._numel != 0
        fit_out(to, 2, sizes_of(places), function)
        set_layout(to, to._storage_offset, 2, sizes_of(places), strides_of(places), function)
    copy_into(to, places, function)
    if resized:
        warn_of_resize(function, places.sizes())
    return to


def nonzero(input, *, out=None, as_tuple=False):
    """The coordinates of the elements that are not 0: an int64 tensor of size (count, dims) in row-major order, or with
    `as_tuple=True` a tuple of one tensor a dim, as an index takes it.

    >>> import stridecore as sc
    >>> sc.nonzero(sc.tensor([[0, 3], [5, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    cdef TensorImpl self = tensor_arg(input, "nonzero", "input")
    if as_tuple:
        if out is not None:
            raise RuntimeError("nonzero: out= can't be had with as_tuple=True")
        return places_by_dim(self, "nonzero")
    return places_into(self, out, "nonzero")


cdef object MISSING = object()


def where(condition, input=MISSING, other=MISSING, *, out=None):
    """input where condition is true and other elsewhere, all broadcast against each other.

    `condition` is a bool tensor; `input` and `other` are tensors or numbers, and the result has the dtype that both
    promote to. where(condition) alone is nonzero(condition, as_tuple=True).

    >>> import stridecore as sc
    >>> x = sc.tensor([-1.0, 2.0, -3.0])
    >>> sc.where(sc.tensor([False, True, False]), x, 0.0)
    tensor([0., 2., 0.])
    """
    if input is MISSING and other is MISSING:
        return places_by_dim(tensor_arg(condition, "where", "condition"), "where")
    if input is MISSING or other is MISSING:
        raise TypeError("where: takes a condition alone, or a condition, input and other")
    return chosen(condition, input, other, out)


def masked_select(input, mask, *, out=None):
    """The elements where the bool tensor `mask` is true, in row-major order, as a new 1-dim tensor or in `out`. The two
    broadcast against each other.

    >>> import stridecore as sc
    >>> sc.masked_select(sc.arange(4), sc.tensor([True, False, True, True]))
    tensor([0, 2, 3])
    """
    return select_masked(tensor_arg(input, "masked_select", "input"), mask, out)


@cython.binding(True)
class Methods:
    """Reads and writes by masks. stridecore/gathering.py sets them on Tensor."""

    def masked_select(TensorImpl self not None, mask):
        """The elements where `mask` is true, as a new 1-dim tensor. See stridecore.masked_select.

        >>> import stridecore as sc
        >>> sc.arange(4).masked_select(sc.tensor([True, False, True, True]))
        tensor([0, 2, 3])
        """
        return select_masked(self, mask, None)

    def masked_fill_(TensorImpl self not None, mask, value):
        """Set the elements where the bool tensor `mask`, broadcast to self, is true to `value`, a number or a 0-dim
        tensor. Returns self.

        >>> import stridecore as sc
        >>> sc.zeros(3).masked_fill_(sc.tensor([True, False, True]), 5)
        tensor([5., 0., 5.])
        """
        number = fill_number(value, "masked_fill_", "value")
        cdef TensorImpl mask_ = mask_for(self, mask, "masked_fill_")
        fill_masked(self, mask_, self._ss.ndim - mask_._ss.ndim, number, FILL, "masked_fill_")
        return self

    def masked_fill(TensorImpl self not None, mask, value):
        """A contiguous copy, broadcast with `mask`, in which the elements where `mask` is true are `value`.

        >>> import stridecore as sc
        >>> sc.zeros(3).masked_fill(sc.tensor([True, False, True]), 5)
        tensor([5., 0., 5.])
        """
        tensor_arg(mask, "masked_fill", "mask")
        number = fill_number(value, "masked_fill", "value")
        cdef TensorImpl copied = broadcast_copy(self, mask, "masked_fill")
        return copied.masked_fill_(mask, number)

    def masked_scatter_(TensorImpl self not None, mask, source):
        """Copy elements of `source`, in row-major order, to the places where the bool tensor `mask`, broadcast to self,
        is true. Returns self. RuntimeError if source has fewer elements than there are such places.

        >>> import stridecore as sc
        >>> sc.zeros(3).masked_scatter_(sc.tensor([True, False, True]), sc.tensor([1.0, 2.0, 3.0]))
        tensor([1., 0., 2.])
        """
        scatter_masked(self, mask, source, "masked_scatter_")
        return self

    def masked_scatter(TensorImpl self not None, mask, source):
        """A contiguous copy, broadcast with `mask`, with masked_scatter_ applied.

        >>> import stridecore as sc
        >>> sc.zeros(3).masked_scatter(sc.tensor([True, False, True]), sc.tensor([1.0, 2.0]))
        tensor([1., 0., 2.])
        """
        cdef TensorImpl copied = broadcast_copy(self, mask, "masked_scatter")
        return copied.masked_scatter_(mask, source)

    def nonzero(TensorImpl self not None, *, as_tuple=False):
        """The coordinates of the elements that are not 0. See stridecore.nonzero.

        >>> import stridecore as sc
        >>> sc.tensor([0, 3, 5]).nonzero(as_tuple=True)
        (tensor([1, 2]),)
        """
        return places_by_dim(self, "nonzero") if as_tuple else places_into(self, None, "nonzero")

    def argwhere(TensorImpl self not None):
        """The coordinates of the elements that are not 0: an int64 tensor of size (count, dims).

        >>> import stridecore as sc
        >>> sc.tensor([0, 3, 5]).argwhere()
        tensor([[1],
                [2]])
        """
        return places_into(self, None, "argwhere")

    def nonzero_static(TensorImpl self not None, *, size, fill_value=-1):
        """As nonzero, but always `size` rows: cut off, or filled up with `fill_value`.

        >>> import stridecore as sc
        >>> sc.tensor([0, 3, 5]).nonzero_static(size=3)
        tensor([[ 1],
                [ 2],
                [-1]])
        """
        cdef int64_t[2] shape = [as_int(size, "nonzero_static", "size"), self._ss.ndim]
        cdef int64_t fill = as_int(fill_value, "nonzero_static", "fill_value")
        cdef TensorImpl places, result, head
        if shape[0] < 0:
            raise RuntimeError(f"nonzero_static: size must be at least 0, got {shape[0]}")
        places = places_of(truth_of(self), "nonzero_static")
        result = tensor_new(SC_INT64, 2, shape, False)
        fill_with(result, fill, FILL, "nonzero_static")
        shape[0] = min(shape[0], sizes_of(places)[0])
        head = view_of(result, 2)
        put_layout(head, shape, strides_of(result))
        set_numel(head, "nonzero_static")
        places = alias_of(places)
        sizes_of(places)[0] = shape[0]
        set_numel(places, "nonzero_static")
        copy_into(head, places, "nonzero_static")
        return result

    def where(TensorImpl self not None, condition, other):
        """self where `condition` is true and `other` elsewhere. See stridecore.where.

        >>> import stridecore as sc
        >>> sc.tensor([1, 2]).where(sc.tensor([True, False]), 0)
        tensor([1, 0])
        """
        return chosen(condition, self, other, None)
