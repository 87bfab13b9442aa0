"""Copies: everything that moves elements goes through the engine's copy plan.

    copy_into        the one door: broadcast, check, then sc_copy without the GIL
    converted        a new tensor with the elements of an old one (clone, to, double, ...)
"""
cimport cython
from libc.stdint cimport INT64_MAX, int64_t
from libc.string cimport memset

from stridecore.core cimport engine
from stridecore.core.args cimport as_dtype
from stridecore.core.device cimport check_device, device
from stridecore.core.dtype cimport dtype, dtype_of
from stridecore.core.engine cimport *
from stridecore.core.memory_format cimport *
from stridecore.core.metadata cimport has_format
from stridecore.core.restride cimport fresh_strides, suggested_format
from stridecore.core.scalars cimport ASSIGN, FILL, write_item
from stridecore.core.size cimport tuple_from
from stridecore.core.tensor_impl cimport *

# Below this many elements a copy costs less than letting go of the GIL and taking it again.
cdef enum:
    GIL_NUMEL = 4096

cdef bint warned_complex = False


# ---- the door -----------------------------------------------------------------------------------------------

cdef int raise_status(sc_status status, TensorImpl dst, str function) except -1:
    if status == SC_ENOMEM:
        raise RuntimeError(f"{function}: can't allocate memory for a temporary copy of {dst._numel} elements")
    if status == SC_EOVERFLOW:
        raise RuntimeError(f"{function}: the sizes {list(dst.sizes())} overflow 64-bit arithmetic")
    raise RuntimeError(f"{function}: unsupported operation: more than one element of the written-to tensor refers to "
                       f"a single memory location (sizes {list(dst.sizes())}, strides {list(dst.strides())}). "
                       "Please clone() the tensor before performing the operation")


cdef int warn_complex() except -1:
    global warned_complex
    if not warned_complex:
        warned_complex = True
        import warnings
        warnings.warn("Casting complex values to real discards the imaginary part", UserWarning, stacklevel=2)
    return 0


cdef int broadcast_error(TensorImpl dst, TensorImpl src, int64_t dim, str function) except -1:
    if src._ss.ndim > dst._ss.ndim:
        raise RuntimeError(f"{function}: output with shape {list(dst.sizes())} doesn't match the broadcast shape "
                           f"{list(src.sizes())}")
    raise RuntimeError(f"{function}: The size of tensor a ({sizes_of(dst)[dim]}) must match the size of tensor b "
                       f"({sizes_of(src)[dim - dst._ss.ndim + src._ss.ndim]}) at non-singleton dimension {dim}: "
                       f"can't broadcast {list(src.sizes())} to {list(dst.sizes())}")


cdef int copy_into(TensorImpl dst, TensorImpl src, str function) except -1:
    cdef int64_t dst_strides[SC_MAX_NDIM]
    cdef int64_t src_strides[SC_MAX_NDIM]
    cdef int64_t ndim, lead, d, itemsize = itemsize_of(src)
    cdef int64_t *sizes
    cdef int64_t *from_sizes
    cdef int64_t *from_strides
    cdef sc_operand to, source
    cdef sc_status status
    if (sc_is_complex(<sc_dtype>src._dtype) and not sc_is_complex(<sc_dtype>dst._dtype) and dst._dtype != SC_BOOL
            and not warned_complex and dst._numel):
        warn_complex()    # before anything is looked at: a program's way to show warnings may do what it likes
        itemsize = itemsize_of(src)
    ndim = dst._ss.ndim
    lead = ndim - src._ss.ndim
    sizes, from_sizes, from_strides = sizes_of(dst), sizes_of(src), strides_of(src)
    if lead < 0:
        broadcast_error(dst, src, 0, function)
    for d in range(ndim):
        if d < lead or from_sizes[d - lead] == 1:
            src_strides[d] = 0
        elif from_sizes[d - lead] == sizes[d]:
            src_strides[d] = from_strides[d - lead] * itemsize
        else:
            broadcast_error(dst, src, d, function)
    if dst._storage.flags & READONLY:
        refuse_readonly(function)
    if dst._numel == 0:
        return 0
    check_reach(dst, function)
    check_reach(src, function)
    if is_same_view(dst, src):
        return 0
    byte_strides_of(dst, dst_strides)
    to.data, to.byte_strides, to.dtype, to.bits = data_of(dst), dst_strides, <sc_dtype>dst._dtype, dst._bits
    source.data, source.byte_strides = data_of(src), src_strides
    source.dtype, source.bits = <sc_dtype>src._dtype, src._bits
    if dst._numel < GIL_NUMEL:
        status = engine.copy(ndim, sizes, &to, &source)
    else:
        # Blocks, not storages, are held: another thread may resize a storage, or change dst's layout, meanwhile.
        status = copy_without_gil(dst, src, ndim, sizes, &to, &source)
    if status != SC_OK:
        raise_status(status, dst, function)
    return 0


cdef inline bint is_same_view(TensorImpl a, TensorImpl b) noexcept:
    """True iff the two read the same bytes in the same way."""
    cdef int64_t d
    if (a._storage is not b._storage or a._storage_offset != b._storage_offset or a._dtype != b._dtype
            or a._bits != b._bits or a._ss.ndim != b._ss.ndim):
        return False
    for d in range(a._ss.ndim):
        if sizes_of(a)[d] != sizes_of(b)[d] or strides_of(a)[d] != strides_of(b)[d]:
            return False
    return True


cdef TensorImpl number_tensor(object value, str function):
    """A number as a 0-dim tensor of the dtype that is Python's: bool, int64 (uint64 beyond), float64 or complex128."""
    cdef sc_dtype dtype = SC_BOOL if isinstance(value, bool) else \
        (SC_UINT64 if value > INT64_MAX else SC_INT64) if isinstance(value, int) else \
        SC_FLOAT64 if isinstance(value, float) else SC_COMPLEX128
    cdef TensorImpl t = tensor_new(dtype, 0, NULL, False)
    write_item(dtype, data_of(t), 0, value, FILL, function)
    return t


cdef sc_status copy_without_gil(TensorImpl dst, TensorImpl src, int64_t ndim, const int64_t *sizes,
                                const sc_operand *to, const sc_operand *source) noexcept:
    cdef int64_t kept_sizes[SC_MAX_NDIM]
    cdef sc_block *to_block = dst._storage.block
    cdef sc_block *from_block = src._storage.block
    cdef sc_status status
    cdef int64_t d
    for d in range(ndim):
        kept_sizes[d] = sizes[d]
    engine.block_retain(to_block)
    engine.block_retain(from_block)
    with nogil:
        status = engine.copy(ndim, kept_sizes, to, source)
    engine.block_release(to_block)
    engine.block_release(from_block)
    return status


cdef int fill_with(TensorImpl dst, object value, int mode, str function) except -1:
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef char item[16]
    cdef int64_t d
    cdef sc_operand to
    cdef sc_block *block
    cdef sc_status status
    if isinstance(value, TensorImpl):
        if (<TensorImpl>value)._ss.ndim != 0:
            raise RuntimeError(f"{function}: {function} only supports 0-dimension value tensor but got tensor with "
                               f"{(<TensorImpl>value)._ss.ndim} dimensions")
        return copy_into(dst, <TensorImpl>value, function)
    write_item(<sc_dtype>dst._dtype, item, dst._bits, value, mode, function)
    check_writable(dst, function)
    if dst._numel == 0:
        return 0
    byte_strides_of(dst, strides)
    to.data, to.byte_strides, to.dtype, to.bits = data_of(dst), strides, <sc_dtype>dst._dtype, dst._bits
    if dst._numel < GIL_NUMEL:
        status = engine.fill(dst._ss.ndim, sizes_of(dst), &to, item)
    else:
        block = dst._storage.block
        engine.block_retain(block)
        for d in range(dst._ss.ndim):
            sizes[d] = sizes_of(dst)[d]
        d = dst._ss.ndim
        with nogil:
            status = engine.fill(d, sizes, &to, item)
        engine.block_release(block)
    if status != SC_OK:
        raise_status(status, dst, function)
    return 0


# ---- new tensors --------------------------------------------------------------------------------------------

cdef int format_strides(TensorImpl source, int memory_format, int64_t *strides, str function) except -1:
    """The strides of a new tensor of source's sizes in this memory format."""
    cdef int64_t ndim = source._ss.ndim
    cdef int64_t *sizes = sizes_of(source)
    if memory_format != PRESERVE:
        return fresh_strides(ndim, sizes, memory_format, strides, function)
    if not sc_preserve_strides(ndim, sizes, strides_of(source), strides):
        raise RuntimeError(f"{function}: Stride calculation overflowed with sizes {list(source.sizes())}")
    return 0


cdef inline bint has_plain_strides(TensorImpl t) noexcept:
    """True iff the strides, also those of size-1 dims, are a fresh tensor's."""
    cdef int64_t expected = 1, d = t._ss.ndim - 1
    cdef int64_t *sizes = sizes_of(t)
    cdef int64_t *strides = strides_of(t)
    if t._numel == 0:
        return False
    while d >= 0:
        if strides[d] != expected:
            return False
        expected *= sizes[d]
        d -= 1
    return True


cdef TensorImpl empty_like(TensorImpl source, sc_dtype dtype, int memory_format):
    cdef int64_t strides[SC_MAX_NDIM]
    cdef TensorImpl fresh
    if memory_format == CONTIGUOUS_FORMAT or memory_format == PRESERVE and has_plain_strides(source):
        return typed_as(tensor_new(dtype, source._ss.ndim, sizes_of(source), False), source)
    format_strides(source, memory_format, strides, "empty_like")
    fresh = tensor_new_strided(dtype, source._ss.ndim, sizes_of(source), strides)
    return typed_as(fresh, source)


cdef TensorImpl converted(TensorImpl source, sc_dtype dtype, int memory_format):
    cdef TensorImpl fresh = empty_like(source, dtype, memory_format)
    copy_into(fresh, source, "clone")
    return fresh


cdef TensorImpl contiguous_of(TensorImpl source, int memory_format):
    if has_format(source, CONTIGUOUS_FORMAT if memory_format == PRESERVE else memory_format):
        return source
    if memory_format == PRESERVE:
        raise RuntimeError("contiguous: preserve memory format is unsupported by the contiguous operator. "
                           "Use .clone() to keep the layout")
    return converted(source, <sc_dtype>source._dtype, memory_format)


cdef TensorImpl cast(TensorImpl source, sc_dtype dtype, object memory_format, str function):
    """The tensor itself if it is of this dtype and format, otherwise a converted copy."""
    cdef int code = as_memory_format(memory_format, PRESERVE, function)
    if source._dtype == dtype and (code == PRESERVE or (suggested_format(source) == CONTIGUOUS_FORMAT) == (code == CONTIGUOUS_FORMAT)):
        return source
    return converted(source, dtype, code)


cdef inline bint is_place(object value):
    """True for a device argument: a device or the name of one."""
    return isinstance(value, (device, str))


@cython.no_gc
cdef class TensorCopies(TensorRestrides):
    """The methods that copy elements."""

    def contiguous(self, memory_format=None):
        """The tensor in row-major order: itself if it is contiguous already (strides of size-1 dims don't matter),
        otherwise a copy. With `memory_format=channels_last` (4 dims) or `channels_last_3d` (5) in that order.

        >>> import stridecore as sc
        >>> x = sc.zeros(2, 3).t()
        >>> x.contiguous().stride(), x.contiguous() is x, x.t().contiguous() is x
        ((2, 1), False, False)
        """
        return contiguous_of(self, CONTIGUOUS_FORMAT if memory_format is None
                             else as_memory_format(memory_format, CONTIGUOUS_FORMAT, "contiguous"))

    def clone(self, *, memory_format=None):
        """A copy on its own storage. By default a layout without gaps keeps its strides and any other becomes dense
        in the same order of dims (`preserve_format`).

        >>> import stridecore as sc
        >>> x = sc.zeros(2, 3).t()
        >>> x.clone().stride(), x.clone(memory_format=sc.contiguous_format).stride()
        ((1, 3), (2, 1))
        """
        return converted(self, <sc_dtype>self._dtype, PRESERVE if memory_format is None
                         else as_memory_format(memory_format, PRESERVE, "clone"))

    def copy_(self, other, non_blocking=False):
        """Copy the elements of `other`, a tensor that broadcasts to this one's size or a number, into this tensor,
        converting them to its dtype; returns self.

        The result is as if `other` had been read completely before the first write, so the two may overlap in any
        way. RuntimeError if this tensor reaches one place in memory by two indices, or is read-only.

        >>> import stridecore as sc
        >>> x = sc.zeros(2, 3)
        >>> x.copy_(sc.arange(3))
        tensor([[0., 1., 2.],
                [0., 1., 2.]])
        """
        if isinstance(other, TensorImpl):
            copy_into(self, <TensorImpl>other, "copy_")
        elif isinstance(other, (bool, int, float, complex)):
            copy_into(self, number_tensor(other, "copy_"), "copy_")
        else:
            raise TypeError(f"copy_: argument 'other' must be Tensor, not {type(other).__name__}")
        return self

    def fill_(self, value):
        """Set every element to `value`, a number or a 0-dim tensor; returns self.

        RuntimeError if the number does not fit the dtype.

        >>> import stridecore as sc
        >>> sc.zeros(3).fill_(2)
        tensor([2., 2., 2.])
        """
        fill_with(self, value, FILL, "fill_")
        return self

    def zero_(self):
        """Set every element to 0; returns self.

        >>> import stridecore as sc
        >>> sc.ones(3).zero_()
        tensor([0., 0., 0.])
        """
        fill_with(self, 0, FILL, "zero_")
        return self

    def to(self, *args, device=None, dtype=None, non_blocking=False, copy=False, memory_format=None,
           tensor=None, other=None):
        """The tensor with another dtype: `to(dtype)`, `to(other)` (the dtype of the tensor `other`), `to("cpu")`.

        Returns self if nothing changes, unless `copy=True`; otherwise a copy that keeps the layout
        (`memory_format`, by default `preserve_format`). Floats are truncated towards zero when they become ints.

        >>> import stridecore as sc
        >>> sc.tensor([1.5, -2.5]).to(sc.int64)
        tensor([ 1, -2])
        """
        cdef int position = 0
        cdef Py_ssize_t n = len(args)
        other = tensor if other is None else other
        if other is not None:
            if n or not isinstance(other, TensorImpl):
                raise TypeError(f"to: other must be one Tensor, not {type(other).__name__}")
            dtype = dtype_of(<sc_dtype>(<TensorImpl>other)._dtype)
        elif n and isinstance(args[0], TensorImpl):
            dtype = dtype_of(<sc_dtype>(<TensorImpl>args[0])._dtype)
            position = 1
        else:
            if n and (is_place(args[0]) or args[0] is None and n > 1):
                if device is not None:
                    raise TypeError("to: device was given twice")
                device = args[0]
                position = 1
            if position < n and not isinstance(args[position], bool):
                if dtype is not None:
                    raise TypeError("to: dtype was given twice")
                dtype = args[position]
                position += 1
        if position < n:
            non_blocking = args[position]
            position += 1
        if position < n:
            copy = args[position]
            position += 1
        if position < n:
            raise TypeError(f"to: takes at most {position} positional arguments here, got {n}")
        for name, flag in (("non_blocking", non_blocking), ("copy", copy)):
            if not isinstance(flag, bool):
                raise TypeError(f"to: {name} must be bool, not {type(flag).__name__}")
        check_device(device, "to")
        cdef sc_dtype code = as_dtype(dtype, <sc_dtype>self._dtype, "to")
        if copy:
            return converted(self, code, as_memory_format(memory_format, PRESERVE, "to"))
        return cast(self, code, memory_format, "to")

    def cpu(self, memory_format=None):
        """The tensor itself: its memory is the CPU's already.

        >>> import stridecore as sc
        >>> x = sc.zeros(2)
        >>> x.cpu() is x
        True
        """
        return cast(self, <sc_dtype>self._dtype, memory_format, "cpu")

    def type_as(self, other):
        """The tensor converted to the dtype of `other`; itself if it has that dtype.

        >>> import stridecore as sc
        >>> sc.zeros(2).type_as(sc.arange(3)).dtype
        stridecore.int64
        """
        if not isinstance(other, TensorImpl):
            raise TypeError(f"type_as: argument 'other' must be Tensor, not {type(other).__name__}")
        return cast(self, <sc_dtype>(<TensorImpl>other)._dtype, None, "type_as")

    # ---- one method a dtype: self if it has the dtype, otherwise a converted copy ---------------------------

    def double(self, memory_format=None):
        """The tensor as float64: itself if it is float64, otherwise a converted copy.

        >>> import stridecore as sc
        >>> sc.zeros(2).double().dtype
        stridecore.float64
        """
        return cast(self, SC_FLOAT64, memory_format, "double")

    def float(self, memory_format=None):
        """The tensor as float32: itself if it is float32, otherwise a converted copy.

        >>> import stridecore as sc
        >>> sc.arange(2).float().dtype
        stridecore.float32
        """
        return cast(self, SC_FLOAT32, memory_format, "float")

    def half(self, memory_format=None):
        """The tensor as float16: itself if it is float16, otherwise a converted copy.

        >>> import stridecore as sc
        >>> sc.zeros(2).half().dtype
        stridecore.float16
        """
        return cast(self, SC_FLOAT16, memory_format, "half")

    def bfloat16(self, memory_format=None):
        """The tensor as bfloat16: itself if it is bfloat16, otherwise a converted copy.

        >>> import stridecore as sc
        >>> sc.zeros(2).bfloat16().dtype
        stridecore.bfloat16
        """
        return cast(self, SC_BFLOAT16, memory_format, "bfloat16")

    def long(self, memory_format=None):
        """The tensor as int64: itself if it is int64, otherwise a converted copy.

        >>> import stridecore as sc
        >>> sc.zeros(2).long().dtype
        stridecore.int64
        """
        return cast(self, SC_INT64, memory_format, "long")

    def int(self, memory_format=None):
        """The tensor as int32: itself if it is int32, otherwise a converted copy.

        >>> import stridecore as sc
        >>> sc.zeros(2).int().dtype
        stridecore.int32
        """
        return cast(self, SC_INT32, memory_format, "int")

    def short(self, memory_format=None):
        """The tensor as int16: itself if it is int16, otherwise a converted copy.

        >>> import stridecore as sc
        >>> sc.zeros(2).short().dtype
        stridecore.int16
        """
        return cast(self, SC_INT16, memory_format, "short")

    def char(self, memory_format=None):
        """The tensor as int8: itself if it is int8, otherwise a converted copy.

        >>> import stridecore as sc
        >>> sc.zeros(2).char().dtype
        stridecore.int8
        """
        return cast(self, SC_INT8, memory_format, "char")

    def byte(self, memory_format=None):
        """The tensor as uint8: itself if it is uint8, otherwise a converted copy.

        >>> import stridecore as sc
        >>> sc.zeros(2).byte().dtype
        stridecore.uint8
        """
        return cast(self, SC_UINT8, memory_format, "byte")

    def bool(self, memory_format=None):
        """The tensor as bool: itself if it is bool, otherwise a converted copy.

        >>> import stridecore as sc
        >>> sc.zeros(2).bool().dtype
        stridecore.bool
        """
        return cast(self, SC_BOOL, memory_format, "bool")

    def chalf(self, memory_format=None):
        """The tensor as complex32: itself if it is complex32, otherwise a converted copy.

        >>> import stridecore as sc
        >>> sc.zeros(2).chalf().dtype
        stridecore.complex32
        """
        return cast(self, SC_COMPLEX32, memory_format, "chalf")

    def cfloat(self, memory_format=None):
        """The tensor as complex64: itself if it is complex64, otherwise a converted copy.

        >>> import stridecore as sc
        >>> sc.zeros(2).cfloat().dtype
        stridecore.complex64
        """
        return cast(self, SC_COMPLEX64, memory_format, "cfloat")

    def cdouble(self, memory_format=None):
        """The tensor as complex128: itself if it is complex128, otherwise a converted copy.

        >>> import stridecore as sc
        >>> sc.zeros(2).cdouble().dtype
        stridecore.complex128
        """
        return cast(self, SC_COMPLEX128, memory_format, "cdouble")
