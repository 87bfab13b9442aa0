"""Views: other sizes for the same elements, and any layout at all.

    x = arange(6).view(2, 3)      sizes (2, 3), strides (3, 1)
    x.unsqueeze(1)                sizes (2, 1, 3), strides (3, 3, 1)
    x.view(6)                     sizes (6,), strides (1,)
    x[:, :1].expand(2, 4)         sizes (2, 4), strides (3, 0)
    x.as_strided((2, 2), (1, 2))  sizes (2, 2), strides (1, 2)

No element is read, written or moved. Strides may be negative everywhere. Every view is a new tensor object;
the arithmetic is checked, and a result with elements stays within what the source reaches.
"""
cimport cython
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from stridecore.core.args cimport as_dtype, as_ints, int_arg, shape_args, spread_args, wrapped, UNSET
from stridecore.core.dtype cimport dtype as dtype_class
from stridecore.core.engine cimport *
from stridecore.core.metadata cimport as_tensor_arg
from stridecore.core.reinterpret cimport overflowed, viewed_as
from stridecore.core.size cimport list_from, tuple_from
from stridecore.core.splits cimport TensorSplits
from stridecore.core.tensor_impl cimport *


# ---- dims of size 1 ---------------------------------------------------------------------------------------------

cdef TensorImpl unsqueezed(TensorImpl t, int64_t dim):
    """The stride of the new dim is the extent of the dim that now follows it, so that the two could be merged."""
    cdef int64_t n = t._ss.ndim
    cdef int64_t *from_sizes = sizes_of(t)
    cdef int64_t *from_strides = strides_of(t)
    cdef int64_t d
    cdef TensorImpl view = view_of(t, n + 1)
    cdef int64_t *sizes = sizes_of(view)
    cdef int64_t *strides = strides_of(view)
    for d in range(dim):
        sizes[d] = from_sizes[d]
        strides[d] = from_strides[d]
    sizes[dim] = 1
    strides[dim] = 1
    for d in range(dim, n):
        sizes[d + 1] = from_sizes[d]
        strides[d + 1] = from_strides[d]
    if dim < n and not sc_mul(from_sizes[dim], from_strides[dim], &strides[dim]):
        overflowed(t, "unsqueeze")
    view._numel = t._numel
    view._cache = t._cache
    return view


cdef TensorImpl squeezed(TensorImpl t, const bint *drop):
    """Without the size-1 dims that are marked; drop NULL marks all."""
    cdef int64_t n = t._ss.ndim
    cdef int64_t *from_sizes = sizes_of(t)
    cdef int64_t *from_strides = strides_of(t)
    cdef int64_t d, to = 0
    for d in range(n):
        if from_sizes[d] != 1 or (drop != NULL and not drop[d]):
            to += 1
    cdef TensorImpl view = view_of(t, to)
    cdef int64_t *sizes = sizes_of(view)
    cdef int64_t *strides = strides_of(view)
    to = 0
    for d in range(n):
        if from_sizes[d] != 1 or (drop != NULL and not drop[d]):
            sizes[to] = from_sizes[d]
            strides[to] = from_strides[d]
            to += 1
    view._numel = t._numel
    view._cache = t._cache
    return view


cdef TensorImpl squeezed_by(TensorImpl t, object dim, tuple more, str function):
    """f(), f(0), f(0, 1), f((0, 1)) and f(dim=...)."""
    cdef int64_t dims[SC_MAX_NDIM]
    cdef bint drop[SC_MAX_NDIM]
    cdef int64_t i, d, n
    if dim is ... and not more:
        return squeezed(t, NULL)
    if more or isinstance(dim, (tuple, list)):
        n = shape_args(dim, more, function, "dim", dims)
    else:
        dims[0] = int_arg(dim, function, "dim")
        n = 1
    for d in range(max(t._ss.ndim, 1)):
        drop[d] = False
    for i in range(n):
        d = wrapped(dims[i], t._ss.ndim, function)
        if drop[d]:
            raise RuntimeError(f"{function}: dim {d} appears multiple times in the list of dims {list_from(n, dims)}")
        drop[d] = True
    return squeezed(t, drop)


# ---- other sizes for the same elements --------------------------------------------------------------------------

cdef TensorImpl expanded(TensorImpl t, int64_t ndim, const int64_t *sizes, str function):
    """A dim that grows from size 1, or is new, gets stride 0; size -1 keeps a dim's size.

    A new dim of size 1 gets the extent of the dim after it, as unsqueeze would give it; of 0 dims all strides are 0.
    """
    cdef int64_t lead = ndim - t._ss.ndim
    cdef int64_t *from_sizes = sizes_of(t)
    cdef int64_t *from_strides = strides_of(t)
    cdef int64_t d, old_size, size, stride
    if lead < 0:
        raise RuntimeError(f"{function}: the number of sizes provided ({ndim}) must be greater or equal to the number "
                           f"of dimensions in the tensor ({t._ss.ndim})")
    cdef TensorImpl view = view_of(t, ndim)
    cdef int64_t *to_sizes = sizes_of(view)
    cdef int64_t *to_strides = strides_of(view)
    for d in range(ndim - 1, -1, -1):
        size = sizes[d]
        if d >= lead:
            old_size = from_sizes[d - lead]
            stride = from_strides[d - lead]
            if size == -1:
                size = old_size
        else:
            old_size = 1
            stride = 1 if t._ss.ndim else 0
            if size == -1:
                raise RuntimeError(f"{function}: The expanded size of the tensor (-1) isn't allowed in a leading, "
                                   f"non-existing dimension {d}")
            if size == 1 and t._ss.ndim and not sc_mul(to_sizes[d + 1], to_strides[d + 1], &stride):
                overflowed(t, function)
        if size != old_size:
            if old_size != 1:
                raise RuntimeError(f"{function}: The expanded size of the tensor ({size}) must match the existing size "
                                   f"({old_size}) at non-singleton dimension {d}. Target sizes: "
                                   f"{list_from(ndim, sizes)}. Tensor sizes: {list(t.sizes())}")
            if size < 0:
                raise RuntimeError(f"{function}: size {size} of dim {d} is negative; -1 keeps a dim's size")
            stride = 0
        to_sizes[d] = size
        to_strides[d] = stride
    set_numel(view, function)
    return view


cdef int infer_size(TensorImpl t, int64_t ndim, int64_t *sizes, str function) except -1:
    """Checks that these sizes hold as many elements as t; fills in a size of -1."""
    cdef int64_t d, product = 1, unknown = -1
    cdef bint fits = True, empty = False
    for d in range(ndim):
        if sizes[d] > 0:
            fits = fits and sc_mul(product, sizes[d], &product)
        elif sizes[d] == 0:
            empty = True
        elif sizes[d] == -1:
            if unknown >= 0:
                raise RuntimeError(f"{function}: only one dimension can be inferred, got {list_from(ndim, sizes)}")
            unknown = d
        else:
            raise RuntimeError(f"{function}: invalid shape dimension {sizes[d]} at index {d} of shape "
                               f"{list_from(ndim, sizes)}")
    if empty:
        product = 0
        fits = True
    if unknown < 0:
        if fits and product == t._numel:
            return 0
    elif fits and product > 0 and t._numel % product == 0:
        sizes[unknown] = t._numel // product
        return 0
    elif fits and product == 0 and t._numel == 0:
        raise RuntimeError(f"{function}: cannot reshape tensor of 0 elements into shape {list_from(ndim, sizes)}: the "
                           "unspecified dimension size -1 can be any value and is ambiguous")
    raise RuntimeError(f"{function}: shape '{list_from(ndim, sizes)}' is invalid for input of size {t._numel}")


cdef TensorImpl viewed(TensorImpl t, int64_t ndim, int64_t *sizes, sc_view_conflict *conflict, str function):
    cdef int64_t strides[SC_MAX_NDIM]
    cdef TensorImpl view
    infer_size(t, ndim, sizes, function)
    if not sc_view_strides(t._ss.ndim, sizes_of(t), strides_of(t), ndim, sizes, strides, conflict):
        return None
    view = view_of(t, ndim)
    memcpy(sizes_of(view), sizes, ndim * sizeof(int64_t))
    memcpy(strides_of(view), strides, ndim * sizeof(int64_t))
    view._numel = t._numel
    return view


cdef TensorImpl must_view(TensorImpl t, int64_t ndim, int64_t *sizes, str function):
    """The view of these sizes; RuntimeError where only a copy could have them."""
    cdef sc_view_conflict conflict
    cdef TensorImpl view = viewed(t, ndim, sizes, &conflict, function)
    if view is not None:
        return view
    if conflict.inner < 0 or conflict.outer < 0:
        raise RuntimeError(f"{function}: Stride calculation overflowed for size {list_from(ndim, sizes)} of a tensor "
                           f"of size {list(t.sizes())} and stride {list(t.strides())}")
    raise RuntimeError(
        f"{function}: view size {tuple_from(ndim, sizes)} is not compatible with size {tuple(t.sizes())} and stride "
        f"{t.strides()}: dims {conflict.outer} and {conflict.inner} can't be merged (stride[{conflict.outer}] is "
        f"{strides_of(t)[conflict.outer]}, needs {conflict.needed}). Use .reshape{tuple_from(ndim, sizes)} to copy")


cdef TensorImpl strided_view(TensorImpl t, object size, object stride, object storage_offset, str function):
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t strides[SC_MAX_NDIM]
    cdef TensorImpl view
    cdef int64_t n = as_ints(size, function, "size", sizes)
    cdef int64_t n_strides = as_ints(stride, function, "stride", strides)
    cdef int64_t offset = (t._storage_offset if storage_offset is None
                           else int_arg(storage_offset, function, "storage_offset"))
    if n_strides != n:
        raise RuntimeError(f"{function}: mismatch in length of strides and shape: got size {list_from(n, sizes)} and "
                           f"stride {list_from(n_strides, strides)}")
    check_geometry(t._storage, itemsize_of(t), offset, n, sizes, strides, function)
    view = view_of(t, n)
    memcpy(sizes_of(view), sizes, n * sizeof(int64_t))
    memcpy(strides_of(view), strides, n * sizeof(int64_t))
    view._storage_offset = offset
    set_numel(view, function)
    return view


cdef int64_t split_dim(TensorImpl t, int64_t dim, int64_t n, int64_t *parts, int64_t *sizes) except -1:
    """The sizes of t with dim replaced by `parts`, into sizes; returns how many."""
    cdef int64_t extent = sizes_of(t)[dim]
    cdef int64_t i, product = 1, unknown = -1
    cdef bint fits = True
    if t._ss.ndim + n - 1 > SC_MAX_NDIM:
        raise ValueError(f"unflatten: the result would have {t._ss.ndim + n - 1} dims; at most {SC_MAX_NDIM} are "
                         "supported")
    for i in range(n):
        if parts[i] == -1:
            if unknown >= 0:
                raise RuntimeError(f"unflatten: only one dimension can be inferred, got {list_from(n, parts)}")
            unknown = i
        elif parts[i] < 0:
            raise RuntimeError(f"unflatten: invalid shape dimension {parts[i]} at index {i} of {list_from(n, parts)}")
        else:
            fits = fits and sc_mul(product, parts[i], &product)
    if unknown >= 0 and fits and product > 0 and extent % product == 0:
        parts[unknown] = extent // product
        product = extent
    if not fits or product != extent or (unknown >= 0 and parts[unknown] == -1):
        raise RuntimeError(f"unflatten: Provided sizes {list_from(n, parts)} don't multiply up to the size of dim "
                           f"{dim} ({extent}) in the input tensor")
    for i in range(dim):
        sizes[i] = sizes_of(t)[i]
    for i in range(n):
        sizes[dim + i] = parts[i]
    for i in range(dim + 1, t._ss.ndim):
        sizes[i + n - 1] = sizes_of(t)[i]
    return t._ss.ndim + n - 1


@cython.no_gc
cdef class TensorViews(TensorSplits):
    """Views by other sizes and strides."""

    # ---- dims of size 1 -----------------------------------------------------------------------------------------

    def unsqueeze(self, dim):
        """The view with a new dim of size 1 at place `dim`, in [-ndim - 1, ndim].

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).unsqueeze(1).shape
        stridecore.Size([2, 1, 3])
        """
        cdef int64_t d = int_arg(dim, "unsqueeze", "dim")
        return unsqueezed(self, wrapped(d, self._ss.ndim + 1, "unsqueeze"))

    @cython.embedsignature(False)
    def squeeze(self, dim=..., *more):
        """squeeze($self, *dim)\n--\n\nThe view without dims of size 1.

        All of them, or of the dims given those that have size 1.

        >>> import stridecore as sc
        >>> x = sc.zeros(1, 2, 1)
        >>> x.squeeze().shape, x.squeeze(0).shape, x.squeeze((1, 2)).shape
        (stridecore.Size([2]), stridecore.Size([2, 1]), stridecore.Size([1, 2]))
        """
        return squeezed_by(self, dim, more, "squeeze")

    # ---- other sizes for the same elements ------------------------------------------------------------------------

    @cython.embedsignature(False)
    def expand(self, a=UNSET, b=UNSET, c=UNSET, d=UNSET, /, *more, size=UNSET, implicit=False):
        """expand($self, *size, implicit=False)\n--\n\nThe view with dims repeated by a stride of 0.

        Those of size 1 can be repeated, and new leading ones; -1 keeps a size.

        >>> import stridecore as sc
        >>> x = sc.tensor([[1], [2]])
        >>> x.expand(-1, 3), x.expand(-1, 3).stride()
        (tensor([[1, 1, 1],
                [2, 2, 2]]), (1, 0))
        """
        cdef int64_t sizes[SC_MAX_NDIM]
        cdef int64_t n = spread_args(a, b, c, d, more, size, "expand", "size", sizes)
        return expanded(self, n, sizes, "expand")

    def expand_as(self, other):
        """The view expanded to the size of another tensor.

        >>> import stridecore as sc
        >>> sc.zeros(2, 1).expand_as(sc.zeros(4, 2, 3)).shape
        stridecore.Size([4, 2, 3])
        """
        cdef TensorImpl t = as_tensor_arg(other, "expand_as", "other")
        return expanded(self, t._ss.ndim, sizes_of(t), "expand_as")

    @cython.embedsignature(False)
    def broadcast_to(self, size=None, *more):
        """broadcast_to($self, *size)\n--\n\nThe view expanded to a size: `expand` by NumPy's name.

        >>> import stridecore as sc
        >>> sc.zeros(2, 1).broadcast_to((2, 3)).shape
        stridecore.Size([2, 3])
        """
        cdef int64_t sizes[SC_MAX_NDIM]
        cdef int64_t n = shape_args(size, more, "broadcast_to", "size", sizes)
        return expanded(self, n, sizes, "broadcast_to")

    @cython.embedsignature(False)
    def view(self, a=UNSET, b=UNSET, c=UNSET, d=UNSET, /, *more, size=UNSET, dtype=None):
        """view($self, *size, dtype=None)\n--\n\nThe view of the same elements with other sizes, or as another dtype.

        The elements stay in row-major order. One size may be -1. RuntimeError where only a copy could have the sizes (then use `reshape`). A dtype of
        another item size changes the size of the last dim, whose stride must be 1.

        >>> import stridecore as sc
        >>> x = sc.arange(6)
        >>> x.view(2, -1), x.view(sc.int32).shape
        (tensor([[0, 1, 2],
                [3, 4, 5]]), stridecore.Size([12]))
        """
        cdef int64_t sizes[SC_MAX_NDIM]
        cdef int64_t n
        if dtype is None and b is UNSET and isinstance(a, (dtype_class, type)):
            dtype = a
            a = UNSET
        if dtype is not None:
            if a is not UNSET or size is not UNSET:
                raise TypeError("view: takes either sizes or a dtype")
            return viewed_as(self, as_dtype(dtype, <sc_dtype>self._dtype, "view"))
        n = spread_args(a, b, c, d, more, size, "view", "size", sizes)
        return must_view(self, n, sizes, "view")

    def view_as(self, other):
        """The view with the size of another tensor.

        >>> import stridecore as sc
        >>> sc.zeros(6).view_as(sc.zeros(2, 3)).shape
        stridecore.Size([2, 3])
        """
        cdef int64_t sizes[SC_MAX_NDIM]
        cdef TensorImpl t = as_tensor_arg(other, "view_as", "other")
        cdef int64_t n = t._ss.ndim
        memcpy(sizes, sizes_of(t), n * sizeof(int64_t))
        return must_view(self, n, sizes, "view_as")

    def unflatten(self, dim, sizes):
        """The view with one dim split into several of these sizes, one of which may be -1.

        >>> import stridecore as sc
        >>> sc.zeros(2, 12).unflatten(1, (3, -1)).shape
        stridecore.Size([2, 3, 4])
        """
        cdef int64_t parts[SC_MAX_NDIM]
        cdef int64_t all_sizes[SC_MAX_NDIM]
        cdef int64_t d = int_arg(dim, "unflatten", "dim")
        cdef int64_t n = as_ints(sizes or (), "unflatten", "sizes", parts)
        if n == 0:
            raise RuntimeError("unflatten: sizes must be non-empty")
        d = wrapped(d, self._ss.ndim, "unflatten")
        if self._ss.ndim == 0:
            raise RuntimeError("unflatten: the tensor has no dims to split. Use .view(sizes)")
        return must_view(self, split_dim(self, d, n, parts, all_sizes), all_sizes, "unflatten")

    def as_strided(self, size, stride, storage_offset=None):
        """The view of the storage with any sizes, strides and offset, in elements; the offset is kept by default.

        RuntimeError for a layout that reaches outside the storage.

        >>> import stridecore as sc
        >>> sc.arange(6).as_strided((3, 2), (1, 3))
        tensor([[0, 3],
                [1, 4],
                [2, 5]])
        """
        return strided_view(self, size, stride, storage_offset, "as_strided")

    def alias(self):
        """A view with the same layout: a new tensor object on the same elements.

        >>> import stridecore as sc
        >>> x = sc.zeros(2)
        >>> x.alias() is x, x.alias()._base is x
        (False, True)
        """
        return alias_of(self)

    def detach(self):
        """A new tensor object on the same elements that counts as no view: its `_base` is None.

        >>> import stridecore as sc
        >>> x = sc.zeros(2)
        >>> x.detach()._base, x.detach().data_ptr() == x.data_ptr()
        (None, True)
        """
        cdef TensorImpl t = alias_of(self)
        t._root = None
        return t
