"""Making tensors: empty, zeros, ones, full, tensor and their kin, with no Python frame.

    empty, zeros, ones, full            from sizes
    empty_like, zeros_like, ...         from the sizes, dtype and layout of a tensor
    new_empty, new_zeros, ...           from sizes and the dtype of a tensor (methods of Tensor)
    tensor                              from values

What is rarely called (eye, complex, the typed constructors, ...) stands in stridecore/creation.py.
"""
cimport cython
from libc.stdint cimport int64_t

from stridecore.core.args cimport as_dtype
from stridecore.core.copy cimport empty_like as layout_like, fill_with
from stridecore.core.dtype cimport default_dtype
from stridecore.core.engine cimport *
from stridecore.core.memory_format cimport *
from stridecore.core.nested cimport INFER, from_data, plain_copy
from stridecore.core.options cimport *
from stridecore.core.scalars cimport FILL
from stridecore.core.size cimport tuple_from
from stridecore.core.tensor_impl cimport *


cdef tuple NO_REST = ()


# ---- from sizes ---------------------------------------------------------------------------------------------

cdef int fill_ones(TensorImpl t, str function) except -1:
    """For a fresh tensor, whose memory nobody else has seen."""
    cdef int64_t i
    if t._dtype == SC_FLOAT32 and is_contiguous(t) and t._numel < 64:
        for i in range(t._numel):
            (<float *>data_of(t))[i] = 1.0
        return 0
    return fill_with(t, 1, FILL, function)


cdef TensorImpl sized(object first, tuple rest, object size, object out, object dtype, bint zeroed, str function):
    """A tensor of the sizes that the arguments say, new or in `out` (which is not zeroed)."""
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef TensorImpl t
    cdef int64_t ndim = size_args(first, rest, size, function, sizes)
    if out is None:
        return tensor_new(default_dtype() if dtype is None else as_dtype(dtype, SC_FLOAT32, function), ndim, sizes,
                          zeroed)
    t = as_out(out, dtype, function)
    fit_out(t, ndim, sizes, function)
    return t


def empty(first=UNSET, /, *rest, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
          memory_format=None):
    """empty(2, 3) or empty((2, 3)): a tensor of this size whose elements are not set.

    `memory_format` may be channels_last (4 dims) or channels_last_3d (5). RuntimeError for negative sizes and for
    more memory than there is.

    >>> import stridecore as sc
    >>> sc.empty(2, 3).shape, sc.empty((2, 3), dtype=sc.int8).stride()
    (stridecore.Size([2, 3]), (3, 1))
    """
    cdef TensorImpl t
    cdef int code
    check_options(layout, device, pin_memory, requires_grad, "empty")
    if memory_format is None:
        return sized(first, rest, size, out, dtype, False, "empty")
    code = as_memory_format(memory_format, CONTIGUOUS_FORMAT, "empty")
    if code == PRESERVE:
        raise RuntimeError("empty: unsupported memory format preserve_format: there is no layout to preserve. Use "
                           "contiguous_format, or empty_like")
    t = sized(first, rest, size, out, dtype, False, "empty")
    if out is None and code != CONTIGUOUS_FORMAT:
        t = layout_like(t, <sc_dtype>t._dtype, code)
    return t


def zeros(first=UNSET, /, *rest, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """zeros(2, 3) or zeros((2, 3)): a tensor of this size filled with 0.

    >>> import stridecore as sc
    >>> sc.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    check_options(layout, device, pin_memory, requires_grad, "zeros")
    cdef TensorImpl t = sized(first, rest, size, out, dtype, True, "zeros")
    if out is not None:
        fill_with(t, 0, FILL, "zeros")
    return t


def ones(first=UNSET, /, *rest, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """ones(2, 3) or ones((2, 3)): a tensor of this size filled with 1.

    >>> import stridecore as sc
    >>> sc.ones(3, dtype=sc.int64)
    tensor([1, 1, 1])
    """
    check_options(layout, device, pin_memory, requires_grad, "ones")
    cdef TensorImpl t = sized(first, rest, size, out, dtype, False, "ones")
    if out is None:
        fill_ones(t, "ones")
    else:
        fill_with(t, 1, FILL, "ones")
    return t


def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A tensor of this size filled with a number.

    Without `dtype` the number decides: bool, int64, the default dtype for a float, its complex counterpart for a
    complex. RuntimeError if the number does not fit the dtype.

    >>> import stridecore as sc
    >>> sc.full((2, 2), 7), sc.full((2,), 0.5)
    (tensor([[7, 7],
            [7, 7]]), tensor([0.5000, 0.5000]))
    """
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef TensorImpl t
    cdef int64_t ndim
    check_options(layout, device, pin_memory, requires_grad, "full")
    ndim = size_list(size, "full", "size", sizes)
    number = as_number(fill_value, "full", "fill_value")
    if out is None:
        t = tensor_new(dtype_of_number(number) if dtype is None else as_dtype(dtype, SC_FLOAT32, "full"), ndim, sizes,
                       False)
    else:
        t = as_out(out, dtype, "full")
        fit_out(t, ndim, sizes, "full")
    fill_with(t, number, FILL, "full")
    return t


def empty_strided(size, stride, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A tensor of these sizes and strides (in elements, not negative), whose elements are not set.

    Its storage is as long as the layout needs. RuntimeError for a negative size or stride, and for one stride too
    few or too many.

    >>> import stridecore as sc
    >>> x = sc.empty_strided((2, 3), (1, 2))
    >>> x.stride(), x.untyped_storage().nbytes()
    ((1, 2), 24)
    """
    check_options(layout, device, pin_memory, requires_grad, "empty_strided")
    return strided_of(size, stride, as_dtype(dtype, default_dtype(), "empty_strided"), "empty_strided")


cdef TensorImpl strided_of(object size, object stride, sc_dtype dtype, str function):
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t ndim = size_list(size, function, "size", sizes)
    cdef int64_t count = size_list(stride, function, "stride", strides)
    if ndim != count:
        raise RuntimeError(f"{function}: dimensionality of sizes ({ndim}) must match dimensionality of strides "
                           f"({count})")
    return tensor_new_strided(dtype, ndim, sizes, strides)


def empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, pin_memory=False,
                   requires_grad=False):
    """A tensor of this size, without gaps, whose dims lie in memory in the order `physical_layout`, outermost first.

    RuntimeError unless the order names each dim once.

    >>> import stridecore as sc
    >>> sc.empty_permuted((2, 3, 4, 5), (0, 2, 3, 1)).stride()
    (60, 1, 15, 3)
    """
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t order[SC_MAX_NDIM]
    cdef int64_t dense[SC_MAX_NDIM]
    cdef int64_t permuted[SC_MAX_NDIM]
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t d, ndim, count
    check_options(layout, device, pin_memory, requires_grad, "empty_permuted")
    ndim = size_list(size, "empty_permuted", "size", sizes)
    count = size_list(physical_layout, "empty_permuted", "physical_layout", order)
    if ndim != count:
        raise RuntimeError(f"empty_permuted: Number of dimensions in size does not match the length of the "
                           f"physical_layout; i.e. len(size) = {ndim} is not equal to len(physical_layout) = {count}")
    for d in range(ndim):
        strides[d] = -1
    check_sizes(ndim, sizes, "empty_permuted")
    for d in range(ndim):
        if not 0 <= order[d] < ndim:
            raise RuntimeError(f"empty_permuted: Dimension out of range (expected to be between 0 and {ndim - 1}, but "
                               f"got {order[d]} at index {d}). NB: negative dims not currently supported")
        if strides[order[d]] != -1:
            raise RuntimeError(f"empty_permuted: Duplicate dim not allowed: {order[d]} at index {d}")
        strides[order[d]] = 0
        permuted[d] = sizes[order[d]]
    if not sc_contiguous_strides(ndim, permuted, dense):
        raise RuntimeError(f"empty_permuted: Stride calculation overflowed with sizes {list(tuple_from(ndim, sizes))}")
    for d in range(ndim):
        strides[order[d]] = dense[d]
    return tensor_new_strided(as_dtype(dtype, default_dtype(), "empty_permuted"), ndim, sizes, strides)


# ---- like a tensor ------------------------------------------------------------------------------------------

cdef TensorImpl like(object input, object dtype, object layout, object device, object pin_memory,
                     object requires_grad, object memory_format, str function):
    check_options(layout, device, pin_memory, requires_grad, function)
    if not isinstance(input, TensorImpl):
        raise TypeError(f"{function}: argument 'input' must be Tensor, not {type(input).__name__}")
    return layout_like(<TensorImpl>input, as_dtype(dtype, <sc_dtype>(<TensorImpl>input)._dtype, function),
                       as_memory_format(memory_format, PRESERVE, function))


def empty_like(input, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
               memory_format=None):
    """A tensor of the size, dtype and layout of `input`, whose elements are not set.

    A layout with gaps or overlaps becomes dense in the same order of dims; `memory_format` asks for another.

    >>> import stridecore as sc
    >>> sc.empty_like(sc.zeros(2, 3).t()).stride()
    (1, 3)
    """
    return like(input, dtype, layout, device, pin_memory, requires_grad, memory_format, "empty_like")


def zeros_like(input, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
               memory_format=None):
    """A tensor of the size, dtype and layout of `input`, filled with 0.

    >>> import stridecore as sc
    >>> sc.zeros_like(sc.tensor([1, 2]))
    tensor([0, 0])
    """
    cdef TensorImpl t = like(input, dtype, layout, device, pin_memory, requires_grad, memory_format, "zeros_like")
    fill_with(t, 0, FILL, "zeros_like")
    return t


def ones_like(input, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
              memory_format=None):
    """A tensor of the size, dtype and layout of `input`, filled with 1.

    >>> import stridecore as sc
    >>> sc.ones_like(sc.tensor([1, 2]), dtype=sc.float32)
    tensor([1., 1.])
    """
    cdef TensorImpl t = like(input, dtype, layout, device, pin_memory, requires_grad, memory_format, "ones_like")
    fill_with(t, 1, FILL, "ones_like")
    return t


def full_like(input, fill_value, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
              memory_format=None):
    """A tensor of the size, dtype and layout of `input`, filled with a number.

    >>> import stridecore as sc
    >>> sc.full_like(sc.zeros(2), 3)
    tensor([3., 3.])
    """
    number = as_number(fill_value, "full_like", "fill_value")
    cdef TensorImpl t = like(input, dtype, layout, device, pin_memory, requires_grad, memory_format, "full_like")
    fill_with(t, number, FILL, "full_like")
    return t


# ---- methods of Tensor: with its dtype ----------------------------------------------------------------------

cdef TensorImpl new_sized(TensorImpl source, object first, tuple rest, object size, object dtype, object layout, object device,
                          object pin_memory, object requires_grad, bint zeroed, str function):
    cdef int64_t sizes[SC_MAX_NDIM]
    check_options(layout, device, pin_memory, requires_grad, function)
    cdef int64_t ndim = size_args(first, rest, size, function, sizes)
    return typed_as(tensor_new(as_dtype(dtype, <sc_dtype>source._dtype, function), ndim, sizes, zeroed), source)


@cython.binding(True)
def new_empty(TensorImpl self not None, first=UNSET, /, *rest, size=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """x.new_empty(2, 3) or x.new_empty((2, 3)): a tensor of this size and of x's dtype, whose elements are not set.

    >>> import stridecore as sc
    >>> sc.arange(2).new_empty(2, 3).dtype
    stridecore.int64
    """
    return new_sized(self, first, rest, size, dtype, layout, device, pin_memory, requires_grad, False, "new_empty")


@cython.binding(True)
def new_zeros(TensorImpl self not None, first=UNSET, /, *rest, size=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """x.new_zeros(2, 3) or x.new_zeros((2, 3)): a tensor of this size and of x's dtype, filled with 0.

    >>> import stridecore as sc
    >>> sc.arange(2).new_zeros(3)
    tensor([0, 0, 0])
    """
    return new_sized(self, first, rest, size, dtype, layout, device, pin_memory, requires_grad, True, "new_zeros")


@cython.binding(True)
def new_ones(TensorImpl self not None, first=UNSET, /, *rest, size=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """x.new_ones(2, 3) or x.new_ones((2, 3)): a tensor of this size and of x's dtype, filled with 1.

    >>> import stridecore as sc
    >>> sc.arange(2).new_ones(3)
    tensor([1, 1, 1])
    """
    cdef TensorImpl t = new_sized(self, first, rest, size, dtype, layout, device, pin_memory, requires_grad, False,
                                  "new_ones")
    fill_ones(t, "new_ones")
    return t


@cython.binding(True)
def new_full(TensorImpl self not None, size, fill_value, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A tensor of this size and of x's dtype, filled with a number.

    >>> import stridecore as sc
    >>> sc.arange(2).new_full((2,), 3.7)
    tensor([3, 3])
    """
    number = as_number(fill_value, "new_full", "fill_value")
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"new_full: size must be a tuple of ints, not {type(size).__name__}")
    cdef TensorImpl t = new_sized(self, size, NO_REST, None, dtype, layout, device, pin_memory, requires_grad, False,
                                  "new_full")
    fill_with(t, number, FILL, "new_full")
    return t


@cython.binding(True)
def new_empty_strided(TensorImpl self not None, size, stride, *, dtype=None, layout=None, device=None, pin_memory=False,
                      requires_grad=False):
    """A tensor of these sizes and strides (in elements) and of x's dtype, whose elements are not set.

    >>> import stridecore as sc
    >>> sc.arange(2).new_empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    check_options(layout, device, pin_memory, requires_grad, "new_empty_strided")
    return typed_as(strided_of(size, stride, as_dtype(dtype, <sc_dtype>self._dtype, "new_empty_strided"),
                               "new_empty_strided"), self)


@cython.binding(True)
def new_tensor(TensorImpl self not None, data, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A tensor with the values of `data`, as tensor(data) makes it, of x's dtype.

    >>> import stridecore as sc
    >>> sc.arange(2).new_tensor([1.5, 2.5])
    tensor([1, 2])
    """
    check_options(layout, device, pin_memory, requires_grad, "new_tensor")
    return typed_as(tensor_of(data, as_dtype(dtype, <sc_dtype>self._dtype, "new_tensor"), "new_tensor"), self)


@cython.binding(True)
def as_subclass(TensorImpl self not None, cls):
    """x.as_subclass(cls): a view of x with the same layout, as an instance of a subclass of Tensor.

    >>> import stridecore as sc
    >>> class Mine(sc.Tensor): pass
    >>> type(sc.zeros(2).as_subclass(Mine)).__name__
    'Mine'
    """
    cdef TensorImpl t = as_class(alias_of(self), cls, "as_subclass")
    t._root = self if self._root is None else self._root
    return t


def made_as(TensorImpl fresh not None, cls):
    """`fresh` as an instance of a subclass of Tensor: no view of it. For constructors."""
    return as_class(fresh, cls, "made_as")


# ---- from values --------------------------------------------------------------------------------------------

cdef TensorImpl tensor_of(object data, int dtype, str function):
    if not isinstance(data, TensorImpl):
        return from_data(data, dtype)
    import warnings
    warnings.warn(f"To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() rather "
                  f"than {function}(sourceTensor)", UserWarning, stacklevel=1)
    return plain_copy(<TensorImpl>data, <sc_dtype>(<TensorImpl>data)._dtype if dtype == INFER else <sc_dtype>dtype)


def copied(TensorImpl source not None, dtype=None):
    """What tensor(source) makes, without its warning: a Tensor of this dtype on memory of its own."""
    return plain_copy(source, as_dtype(dtype, <sc_dtype>source._dtype, "copied"))


def tensor(data, *, dtype=None, device=None, pin_memory=False, requires_grad=False):
    """A new tensor with the values of `data`: a number, nested sequences of numbers, or an array.

    Without `dtype` the values decide: bool, int64, the default dtype for floats, its complex counterpart, promoted
    over all of them; NumPy's arrays and scalars and 0-dim tensors bring their own.
    ValueError for ragged sequences, TypeError for values that are not numbers, RuntimeError for ints that do not fit
    the dtype.

    >>> import stridecore as sc
    >>> sc.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    >>> sc.tensor([1, 2.5]).dtype, sc.tensor(True).dtype
    (stridecore.float32, stridecore.bool)
    """
    if device is not None or pin_memory is not False or requires_grad is not False:
        refuse_options(None, device, pin_memory, requires_grad, "tensor")
    return tensor_of(data, INFER if dtype is None else <int>as_dtype(dtype, SC_FLOAT32, "tensor"), "tensor")


def scalar_tensor(s, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A 0-dim tensor of the default dtype, or the one given, with a number.

    >>> import stridecore as sc
    >>> sc.scalar_tensor(3)
    tensor(3.)
    """
    check_options(layout, device, pin_memory, requires_grad, "scalar_tensor")
    number = as_number(s, "scalar_tensor", "s")
    cdef int64_t none = 0
    cdef TensorImpl t = tensor_new(as_dtype(dtype, default_dtype(), "scalar_tensor"), 0, &none, False)
    fill_with(t, number, FILL, "scalar_tensor")
    return t
