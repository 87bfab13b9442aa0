"""Restriding in place: methods that change a tensor's own sizes, strides, offset or storage and return it.

Other tensors on the same storage keep theirs; `_base` stays. What can fail fails before anything has changed.
"""
cimport cython
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from stridecore.core.args cimport as_ints, int_arg, shape_args, wrapped
from stridecore.core.dtype cimport dtype_of
from stridecore.core.engine cimport *
from stridecore.core.memory_format cimport (CHANNELS_LAST, CHANNELS_LAST_3D, CONTIGUOUS_FORMAT, PRESERVE,
                                            as_memory_format)
from stridecore.core.metadata cimport as_tensor_arg
from stridecore.core.permute cimport transposed
from stridecore.core.size cimport list_from
from stridecore.core.storage cimport keep_if_lent, StorageImpl, storage_new, storage_resize
from stridecore.core.storage_faces cimport TypedStorageImpl
from stridecore.core.tensor_impl cimport *
from stridecore.core.views cimport TensorViews, squeezed_by, strided_view, unsqueezed


cdef TensorImpl take_layout(TensorImpl t, TensorImpl view):
    """Give t the sizes, strides and offset of a view of it."""
    set_layout(t, view._storage_offset, view._ss.ndim, sizes_of(view), strides_of(view), "")
    return t


cdef int grow_for(StorageImpl storage, int64_t itemsize, int64_t storage_offset, int64_t ndim, const int64_t *sizes,
                  const int64_t *strides, str function) except -1:
    """Make the storage long enough for a layout; RuntimeError if the layout is invalid or it can't grow."""
    cdef int64_t lowest = 0, highest = 0, numel = 0, end = 0
    check_sizes(ndim, sizes, function)
    if storage_offset < 0:
        raise RuntimeError(f"{function}: invalid storage offset {storage_offset}; it must be at least 0")
    if not sc_numel(ndim, sizes, &numel):
        raise RuntimeError(f"{function}: numel: integer multiplication overflow for size {list_from(ndim, sizes)}")
    if numel == 0:
        return 0
    if (not sc_reach(ndim, sizes, strides, &lowest, &highest) or not sc_add(storage_offset, lowest, &lowest)
            or not sc_add(storage_offset, highest, &highest) or not sc_add(highest, 1, &end)
            or not sc_mul(end, itemsize, &end)):
        raise RuntimeError(f"{function}: Storage size calculation overflowed with sizes {list_from(ndim, sizes)}, "
                           f"strides {list_from(ndim, strides)} and storage_offset {storage_offset}")
    if lowest < 0:
        raise RuntimeError(f"{function}: sizes {list_from(ndim, sizes)}, strides {list_from(ndim, strides)} and "
                           f"storage_offset {storage_offset} reach element {lowest}, before the storage's start")
    if end > storage._nbytes:
        storage_resize(storage, end)
    return 0


cdef int fresh_strides(int64_t ndim, const int64_t *sizes, int memory_format, int64_t *strides,
                       str function) except -1:
    cdef bint fits
    check_sizes(ndim, sizes, function)
    if memory_format == CONTIGUOUS_FORMAT:
        fits = sc_contiguous_strides(ndim, sizes, strides)
    else:
        if ndim != (4 if memory_format == CHANNELS_LAST else 5):
            raise RuntimeError(f"{function}: required rank {4 if memory_format == CHANNELS_LAST else 5} tensor to use "
                               f"{'channels_last' if memory_format == CHANNELS_LAST else 'channels_last_3d'} format, "
                               f"got {ndim} dims")
        fits = sc_channels_last_strides(ndim, sizes, strides)
    if not fits:
        raise RuntimeError(f"{function}: Stride calculation overflowed with sizes {list_from(ndim, sizes)}")
    return 0


cdef int suggested_format(TensorImpl t) noexcept:
    """The memory format that preserve_format stands for: channels last if the strides rise in that order.

    Gaps are no matter. Where every order would do, (N, C, 1, 1) with N's stride C, it is contiguous, as in torch.
    """
    cdef int64_t n = t._ss.ndim
    cdef int64_t *sizes = sizes_of(t)
    cdef int64_t *strides = strides_of(t)
    cdef int64_t least = 0, i, d
    if n != 4 and n != 5 or strides[1] == 0:
        return CONTIGUOUS_FORMAT
    for i in range(n):
        d = 1 if i == 0 else n - i if i < n - 1 else 0    # C, W, H, (D,) N
        if sizes[d] == 0 or strides[d] < least or (d == 0 and least == strides[1]):
            return CONTIGUOUS_FORMAT
        least = strides[d]
        if sizes[d] > 1 and not sc_mul(least, sizes[d], &least):
            return CONTIGUOUS_FORMAT
    return CHANNELS_LAST if n == 4 else CHANNELS_LAST_3D


cdef bint has_sizes(TensorImpl t, int64_t ndim, const int64_t *sizes) noexcept:
    cdef int64_t d
    if t._ss.ndim != ndim:
        return False
    for d in range(ndim):
        if sizes_of(t)[d] != sizes[d]:
            return False
    return True


cdef TensorImpl resize(TensorImpl t, int64_t ndim, const int64_t *sizes, int memory_format, str function):
    """memory_format PRESERVE: none was given, so a tensor of these sizes keeps its strides."""
    cdef int64_t strides[SC_MAX_NDIM]
    if memory_format == PRESERVE:
        if has_sizes(t, ndim, sizes):
            return t
        memory_format = CONTIGUOUS_FORMAT
    fresh_strides(ndim, sizes, memory_format, strides, function)
    grow_for(t._storage, itemsize_of(t), t._storage_offset, ndim, sizes, strides, function)
    set_layout(t, t._storage_offset, ndim, sizes, strides, function)
    return t


cdef TensorImpl set_tensor(TensorImpl t, StorageImpl storage, int64_t storage_offset, int64_t ndim,
                           const int64_t *sizes, const int64_t *strides):
    """Point t at another storage, which grows if it is too short."""
    grow_for(storage, itemsize_of(t), storage_offset, ndim, sizes, strides, "set_")
    set_layout(t, storage_offset, ndim, sizes, strides, "set_")
    keep_if_lent(t._storage)
    t._storage = storage
    return t


cdef StorageImpl storage_of(TensorImpl t, object source):
    """The storage of a storage argument; RuntimeError for a typed one of another dtype than t's."""
    if isinstance(source, StorageImpl):
        return <StorageImpl>source
    if not isinstance(source, TypedStorageImpl):
        raise TypeError(f"set_: source must be Tensor or a storage, not {type(source).__name__}")
    cdef TypedStorageImpl face = <TypedStorageImpl>source
    if face.code != t._dtype:
        raise RuntimeError(f"set_: Expected a Storage of type {dtype_of(<sc_dtype>t._dtype)!r} or an UntypedStorage, "
                           f"but got type {dtype_of(<sc_dtype>face.code)!r}")
    return face.storage


@cython.no_gc
cdef class TensorRestrides(TensorViews):
    """In-place changes of sizes, strides, offset and storage."""

    def t_(self):
        """`t` in place: swap the dims of a matrix.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).t_().shape
        stridecore.Size([3, 2])
        """
        if self._ss.ndim > 2:
            raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self._ss.ndim}D. Use "
                               ".transpose_(dim0, dim1)")
        return take_layout(self, transposed(self, 0, 1)) if self._ss.ndim == 2 else self

    def transpose_(self, dim0, dim1):
        """`transpose` in place: swap two dims of this tensor.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3, 4).transpose_(0, 2).shape
        stridecore.Size([4, 3, 2])
        """
        cdef int64_t a = int_arg(dim0, "transpose_", "dim0")
        cdef int64_t b = int_arg(dim1, "transpose_", "dim1")
        a = wrapped(a, self._ss.ndim, "transpose_")
        return take_layout(self, transposed(self, a, wrapped(b, self._ss.ndim, "transpose_")))

    def swapaxes_(self, axis0, axis1):
        """`swapaxes` in place: swap two dims of this tensor.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3, 4).swapaxes_(0, 2).shape
        stridecore.Size([4, 3, 2])
        """
        cdef int64_t a = int_arg(axis0, "swapaxes_", "axis0")
        cdef int64_t b = int_arg(axis1, "swapaxes_", "axis1")
        a = wrapped(a, self._ss.ndim, "swapaxes_")
        return take_layout(self, transposed(self, a, wrapped(b, self._ss.ndim, "swapaxes_")))

    def swapdims_(self, dim0, dim1):
        """`swapdims` in place: swap two dims of this tensor.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3, 4).swapdims_(0, 2).shape
        stridecore.Size([4, 3, 2])
        """
        cdef int64_t a = int_arg(dim0, "swapdims_", "dim0")
        cdef int64_t b = int_arg(dim1, "swapdims_", "dim1")
        a = wrapped(a, self._ss.ndim, "swapdims_")
        return take_layout(self, transposed(self, a, wrapped(b, self._ss.ndim, "swapdims_")))

    @cython.embedsignature(False)
    def squeeze_(self, dim=..., *more):
        """squeeze_($self, *dim)\n--\n\n`squeeze` in place: drop all dims of size 1, or those of `dim` that have size 1.

        >>> import stridecore as sc
        >>> sc.zeros(1, 2, 1).squeeze_().shape
        stridecore.Size([2])
        """
        return take_layout(self, squeezed_by(self, dim, more, "squeeze_"))

    def unsqueeze_(self, dim):
        """`unsqueeze` in place: insert a dim of size 1.

        >>> import stridecore as sc
        >>> sc.zeros(2).unsqueeze_(0).shape
        stridecore.Size([1, 2])
        """
        cdef int64_t d = int_arg(dim, "unsqueeze_", "dim")
        return take_layout(self, unsqueezed(self, wrapped(d, self._ss.ndim + 1, "unsqueeze_")))

    def as_strided_(self, size, stride, storage_offset=None):
        """`as_strided` in place: any sizes, strides and offset within the storage (RuntimeError outside).

        >>> import stridecore as sc
        >>> sc.arange(6).as_strided_((2, 2), (3, 1))
        tensor([[0, 1],
                [3, 4]])
        """
        return take_layout(self, strided_view(self, size, stride, storage_offset, "as_strided_"))

    @cython.embedsignature(False)
    def resize_(self, size=None, *more, memory_format=None):
        """resize_($self, *size, memory_format=None)\n--\n\nChange this tensor's sizes, keeping its offset.

        The storage grows if it is too short and never shrinks; new elements are unspecified.

        The strides become contiguous (or as `memory_format` says), but stay if the sizes are the same and no format
        is given. RuntimeError if the storage can't grow: its memory is somebody else's or exported.

        >>> import stridecore as sc
        >>> x = sc.arange(6)
        >>> x.resize_(2, 2)
        tensor([[0, 1],
                [2, 3]])
        >>> x.untyped_storage().nbytes()
        48
        """
        cdef int64_t sizes[SC_MAX_NDIM]
        cdef int64_t n = shape_args(size, more, "resize_", "size", sizes)
        cdef int code = PRESERVE
        if memory_format is not None:
            code = as_memory_format(memory_format, PRESERVE, "resize_")
            if code == PRESERVE:
                raise RuntimeError("resize_: Unsupported memory format preserve_format: there is nothing to preserve")
        return resize(self, n, sizes, code, "resize_")

    def resize_as_(self, the_template, *, memory_format=None):
        """`resize_` to the sizes of another tensor; with `memory_format=preserve_format` in its memory format.

        >>> import stridecore as sc
        >>> sc.arange(6).resize_as_(sc.zeros(3, 2)).shape
        stridecore.Size([3, 2])
        """
        cdef TensorImpl t = as_tensor_arg(the_template, "resize_as_", "the_template")
        cdef int64_t sizes[SC_MAX_NDIM]
        cdef int64_t d, n = t._ss.ndim
        cdef int code = PRESERVE
        for d in range(n):
            sizes[d] = sizes_of(t)[d]
        if memory_format is not None:
            code = as_memory_format(memory_format, PRESERVE, "resize_as_")
            if code == PRESERVE:
                code = suggested_format(t)
        return resize(self, n, sizes, code, "resize_as_")

    def set_(self, source=None, storage_offset=None, size=None, stride=None):
        """Make this tensor one of the elements of `source`, a tensor of its dtype or a storage; of nothing without.

        `set_(source)` takes the layout of a tensor, or all elements of a storage; `set_(source, storage_offset, size,
        stride)` has the given one, by default with contiguous strides (those it has if the sizes stay the same), and
        the storage grows if it is too short. RuntimeError for another dtype and for offsets before the storage's start.

        >>> import stridecore as sc
        >>> x = sc.arange(6)
        >>> sc.zeros(0, dtype=sc.int64).set_(x.untyped_storage(), 1, (2, 2), (2, 1))
        tensor([[1, 2],
                [3, 4]])
        """
        cdef int64_t sizes[SC_MAX_NDIM]
        cdef int64_t strides[SC_MAX_NDIM]
        cdef int64_t n, offset
        cdef TensorImpl t = None
        cdef StorageImpl storage
        if (size is None) != (storage_offset is None) or (size is None and stride is not None):
            raise TypeError("set_: takes a source alone, or a source, storage_offset and size (and stride)")
        if source is None:
            if size is not None:
                raise TypeError("set_: source must be Tensor or a storage, not NoneType")
            sizes[0], strides[0] = 0, 1
            return set_tensor(self, storage_new(0, False), 0, 1, sizes, strides)
        if isinstance(source, TensorImpl):
            t = <TensorImpl>source
            storage = t._storage
            if t._dtype != self._dtype:
                raise RuntimeError(f"set_: Could not set tensor of type {dtype_of(<sc_dtype>t._dtype)!r} to a tensor "
                                   f"of type {dtype_of(<sc_dtype>self._dtype)!r}")
        else:
            storage = storage_of(self, source)
        if size is None:
            if t is self:
                return self
            if t is not None:
                return set_tensor(self, storage, t._storage_offset, t._ss.ndim, sizes_of(t), strides_of(t))
            sizes[0], strides[0] = storage._nbytes // itemsize_of(self), 1
            return set_tensor(self, storage, 0, 1, sizes, strides)
        n = as_ints(size, "set_", "size", sizes)
        offset = int_arg(storage_offset, "set_", "storage_offset")
        if stride is None or (isinstance(stride, (tuple, list)) and not stride):
            if has_sizes(self, n, sizes):    # as resize_, and as torch does
                memcpy(strides, strides_of(self), n * sizeof(int64_t))
            else:
                fresh_strides(n, sizes, CONTIGUOUS_FORMAT, strides, "set_")
        elif as_ints(stride, "set_", "stride", strides) != n:
            raise RuntimeError(f"set_: unequal size length ({n}) and stride length ({len(stride)})")
        return set_tensor(self, storage, offset, n, sizes, strides)

    def detach_(self):
        """The tensor itself; RuntimeError for a view (use `detach`).

        >>> import stridecore as sc
        >>> x = sc.zeros(2)
        >>> x.detach_() is x
        True
        """
        if self._root is not None:
            raise RuntimeError("detach_: Can't detach views in-place. Use detach() instead")
        return self

    @property
    def data(self):
        """A new tensor object on the same elements, no view; assigning a tensor replaces storage, layout and dtype.

        >>> import stridecore as sc
        >>> x = sc.zeros(2)
        >>> x.data = sc.arange(3)
        >>> x
        tensor([0, 1, 2])
        """
        cdef TensorImpl t = alias_of(self)
        t._root = None
        return t

    @data.setter
    def data(self, value):
        cdef TensorImpl t = as_tensor_arg(value, "data", "value")
        if t is self:
            return
        set_layout(self, t._storage_offset, t._ss.ndim, sizes_of(t), strides_of(t), "data")
        keep_if_lent(self._storage)
        self._storage = t._storage
        self._dtype = t._dtype
        self._bits = t._bits
