"""Parts: views of some indices of a dim.

    x = arange(6).view(2, 3)      sizes (2, 3), strides (3, 1)           0 1 2 / 3 4 5
    x.select(1, 2)                sizes (2,),   strides (3,), offset 2           2 5
    x.narrow(1, 1, 2)             sizes (2, 2), strides (3, 1), offset 1     1 2 / 4 5
    x.diagonal()                  sizes (2,),   strides (4,)                     0 4
    x.unfold(1, 2, 1)             sizes (2, 2, 2), strides (3, 1, 1)     01 12 / 34 45
"""
cimport cython
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from stridecore.core.args cimport int_arg, wrapped
from stridecore.core.engine cimport *
from stridecore.core.permute cimport TensorPermutations
from stridecore.core.reinterpret cimport overflowed
from stridecore.core.tensor_impl cimport *


cdef int advance(TensorImpl view, int64_t steps, int64_t stride, str function) except -1:
    if not sc_muladd(steps, stride, &view._storage_offset):
        raise RuntimeError(f"{function}: storage_offset calculation overflowed: {steps} steps of stride {stride}")
    if view._storage_offset < 0:
        view._storage_offset = 0
    return 0


cdef TensorImpl selected(TensorImpl t, int64_t dim, int64_t index, str function):
    cdef int64_t n = t._ss.ndim - 1
    cdef int64_t *from_sizes = sizes_of(t)
    cdef int64_t *from_strides = strides_of(t)
    cdef int64_t size = from_sizes[dim]
    cdef int64_t d
    if index < -size or index >= size:
        raise IndexError(f"{function}: index {index} out of range for tensor of size {list(t.sizes())} at dimension "
                         f"{dim}")
    if index < 0:
        index += size
    cdef TensorImpl view = view_of(t, n)
    cdef int64_t *sizes = sizes_of(view)
    cdef int64_t *strides = strides_of(view)
    for d in range(dim):
        sizes[d] = from_sizes[d]
        strides[d] = from_strides[d]
    for d in range(dim, n):
        sizes[d] = from_sizes[d + 1]
        strides[d] = from_strides[d + 1]
    advance(view, index, from_strides[dim], function)
    if t._numel:
        view._numel = t._numel // size
    else:
        set_numel(view, function)
    return view


cdef TensorImpl narrowed(TensorImpl t, int64_t dim, int64_t start, int64_t length, str function):
    cdef int64_t size = sizes_of(t)[dim]
    if start < -size or start > size:
        raise IndexError(f"{function}: start {start} is out of range for dim {dim} of size {size}; the range is "
                         f"[{-size}, {size}]")
    if length < 0:
        raise RuntimeError(f"{function}: length must be at least 0, got {length}")
    if start < 0:
        start += size
    if length > size - start:
        raise RuntimeError(f"{function}: start ({start}) + length ({length}) exceeds dimension size ({size}) of dim "
                           f"{dim}")
    cdef TensorImpl view = alias_of(t)
    sizes_of(view)[dim] = length
    view._cache = 0
    advance(view, start, strides_of(t)[dim], function)
    if t._numel:
        view._numel = t._numel // size * length
    else:
        set_numel(view, function)
    return view


cdef TensorImpl diagonal_of(TensorImpl t, int64_t offset, int64_t dim1, int64_t dim2):
    """The new last dim walks along dim1 and dim2 at once."""
    cdef int64_t n = t._ss.ndim - 1
    cdef int64_t *from_sizes = sizes_of(t)
    cdef int64_t *from_strides = strides_of(t)
    cdef int64_t length, d, to = 0
    if dim1 == dim2:    # always so for 0 dims
        raise RuntimeError(f"diagonal: diagonal dimensions cannot be identical, got {dim1} twice")
    if offset >= 0:
        length = from_sizes[dim2] - offset if offset < from_sizes[dim2] else 0
        length = min(length, from_sizes[dim1])
    else:
        length = from_sizes[dim1] + offset if offset > -from_sizes[dim1] else 0
        length = min(length, from_sizes[dim2])
    cdef TensorImpl view = view_of(t, n)
    cdef int64_t *sizes = sizes_of(view)
    cdef int64_t *strides = strides_of(view)
    for d in range(n + 1):
        if d != dim1 and d != dim2:
            sizes[to] = from_sizes[d]
            strides[to] = from_strides[d]
            to += 1
    sizes[to] = length
    if not sc_add(from_strides[dim1], from_strides[dim2], &strides[to]):
        overflowed(t, "diagonal")
    if length and offset >= 0:
        advance(view, offset, from_strides[dim2], "diagonal")
    elif length:
        advance(view, -offset, from_strides[dim1], "diagonal")
    set_numel(view, "diagonal")
    return view


cdef TensorImpl unfolded(TensorImpl t, int64_t dim, int64_t size, int64_t step):
    """Windows of `size` elements, `step` apart, along dim; their elements in a new last dim."""
    cdef int64_t n = t._ss.ndim
    cdef int64_t extent = sizes_of(t)[dim] if n else 1
    cdef int64_t stride = strides_of(t)[dim] if n else 1
    if size < 0:
        raise RuntimeError(f"unfold: size must be at least 0, got {size}")
    if size > extent:
        raise RuntimeError(f"unfold: maximum size for tensor at dimension {dim} is {extent} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"unfold: step must be greater than 0, got {step}")
    cdef TensorImpl view = view_of(t, n + 1)
    cdef int64_t *sizes = sizes_of(view)
    cdef int64_t *strides = strides_of(view)
    memcpy(sizes, sizes_of(t), n * sizeof(int64_t))
    memcpy(strides, strides_of(t), n * sizeof(int64_t))
    sizes[n] = size
    strides[n] = stride
    if n:
        sizes[dim] = (extent - size) // step + 1
        if not sc_mul(step, stride, &strides[dim]):
            overflowed(t, "unfold")
    set_numel(view, "unfold")
    return view


@cython.no_gc
cdef class TensorParts(TensorPermutations):
    """Views of some indices of a dim."""

    def select(self, dim, index):
        """The view at one index of a dim, without that dim; IndexError outside [-size, size).

        >>> import stridecore as sc
        >>> sc.arange(6).view(2, 3).select(1, 2)
        tensor([2, 5])
        """
        cdef int64_t d = int_arg(dim, "select", "dim")
        cdef int64_t i = int_arg(index, "select", "index")
        if self._ss.ndim == 0:
            raise IndexError("select() cannot be applied to a 0-dim tensor")
        return selected(self, wrapped(d, self._ss.ndim, "select"), i, "select()")

    def narrow(self, dim, start, length):
        """The view of `length` indices of a dim, beginning at `start` (negative: from the end).

        IndexError for a start outside [-size, size], RuntimeError when start + length exceeds the size.

        >>> import stridecore as sc
        >>> sc.arange(6).narrow(0, 1, 3)
        tensor([1, 2, 3])
        """
        cdef int64_t d = int_arg(dim, "narrow", "dim")
        cdef int64_t first = int_arg(start, "narrow", "start")
        cdef int64_t count = int_arg(length, "narrow", "length")
        if self._ss.ndim == 0:
            raise RuntimeError("narrow() cannot be applied to a 0-dim tensor")
        if count < 0:
            raise RuntimeError(f"narrow: length must be at least 0, got {count}")
        return narrowed(self, wrapped(d, self._ss.ndim, "narrow"), first, count, "narrow")

    def diagonal(self, offset=0, dim1=0, dim2=1):
        """The view of the elements where index dim1 + offset = index dim2, in a new last dim.

        >>> import stridecore as sc
        >>> x = sc.arange(9).view(3, 3)
        >>> x.diagonal(), x.diagonal(1), x.diagonal(-1)
        (tensor([0, 4, 8]), tensor([1, 5]), tensor([3, 7]))
        """
        cdef int64_t shift = int_arg(offset, "diagonal", "offset")
        cdef int64_t a = int_arg(dim1, "diagonal", "dim1")
        cdef int64_t b = int_arg(dim2, "diagonal", "dim2")
        a = wrapped(a, self._ss.ndim, "diagonal")
        b = wrapped(b, self._ss.ndim, "diagonal")
        return diagonal_of(self, shift, a, b)

    def unfold(self, dimension, size, step):
        """The view of all windows of `size` elements, `step` apart, along a dim; their elements in a new last dim.

        >>> import stridecore as sc
        >>> sc.arange(5).unfold(0, 3, 1)
        tensor([[0, 1, 2],
                [1, 2, 3],
                [2, 3, 4]])
        """
        cdef int64_t d = int_arg(dimension, "unfold", "dimension")
        cdef int64_t length = int_arg(size, "unfold", "size")
        cdef int64_t apart = int_arg(step, "unfold", "step")
        return unfolded(self, wrapped(d, self._ss.ndim, "unfold"), length, apart)
