"""Splits: tuples of views that share a dim between them.

    x = arange(7)
    x.split(3)              3 3 1      pieces of this size, the last may be smaller
    x.chunk(3)              3 3 1      the same, of size ceil(7 / 3): there may be fewer pieces than asked for
    x.tensor_split(3)       3 2 2      exactly so many pieces, sizes differ by at most 1
    x.tensor_split((2, 5))  2 3 2      cut at these indices
"""
cimport cython
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int64_t

from stridecore.core.args cimport int_arg, wrapped
from stridecore.core.engine cimport *
from stridecore.core.parts cimport TensorParts, narrowed, selected
from stridecore.core.tensor_impl cimport *


cdef extern from "Python.h":
    int PyGC_Disable()
    int PyGC_Enable()


cdef inline void put(tuple pieces, Py_ssize_t i, TensorImpl piece):
    Py_INCREF(piece)
    PyTuple_SET_ITEM(pieces, i, piece)


cdef tuple room_for(int64_t n, str function):
    """A tuple for n pieces, to be filled by put; RuntimeError when memory runs out, as of other tensors.

    No garbage is collected meanwhile: finalizers could change the tensor that the caller is splitting.
    """
    cdef int collects = PyGC_Disable()
    try:
        return PyTuple_New(<Py_ssize_t>n)
    except MemoryError:
        raise RuntimeError(f"{function}: can't allocate memory for {n} pieces") from None
    finally:
        if collects:
            PyGC_Enable()


cdef int need_dims(TensorImpl t, int64_t ndim, str function) except -1:
    if t._ss.ndim < ndim:
        raise RuntimeError(f"{function}: needs a tensor with at least {ndim} dimension{'s' if ndim > 1 else ''}, got "
                           f"{t._ss.ndim}")
    return 0


cdef tuple unbound(TensorImpl t, int64_t dim):
    cdef int64_t i, n = sizes_of(t)[dim]
    cdef tuple pieces = room_for(n, "unbind")
    for i in range(n):
        put(pieces, <Py_ssize_t>i, selected(t, dim, i, "unbind"))
    return pieces


cdef tuple split_every(TensorImpl t, int64_t size, int64_t dim, str function):
    """Pieces of `size` indices, at least 0; one piece for an empty dim."""
    cdef int64_t extent = sizes_of(t)[dim]
    cdef int64_t i, n = 1, start = 0
    if size == 0 and extent:
        raise RuntimeError(f"{function}: split_size can only be 0 if dimension size is 0, but got dimension size of "
                           f"{extent}")
    if extent:
        n = extent // size + (1 if extent % size else 0)
    cdef tuple pieces = room_for(n, function)
    for i in range(n):
        put(pieces, <Py_ssize_t>i, narrowed(t, dim, start, min(size, extent - start), function))
        start += size    # past the last piece it is not used, and before it start + size <= extent
    return pieces


cdef list ints_of(object values, str function, str name):
    """The items of a tuple or list as plain ints that fit in 64 bits."""
    if not isinstance(values, (tuple, list)):
        raise TypeError(f"{function}: {name} must be a tuple or list of ints, not {type(values).__name__}")
    return [int_arg(each, function, name) for each in values]


cdef tuple split_sizes_of(TensorImpl t, list lengths, int64_t dim, str function):
    """Pieces of these sizes, which must add up to the dim's."""
    cdef int64_t extent = sizes_of(t)[dim]
    cdef int64_t start = 0, length
    cdef Py_ssize_t i
    if any([each < 0 for each in lengths]):
        raise RuntimeError(f"{function}: split_sizes must be at least 0, got {lengths}")
    if sum(lengths) != extent:
        raise RuntimeError(f"{function}: split_sizes must sum exactly to {extent} (the size of dim {dim}), but got "
                           f"{lengths}")
    cdef tuple pieces = room_for(len(lengths), function)
    for i in range(len(lengths)):
        length = lengths[i]
        put(pieces, i, narrowed(t, dim, start, length, function))
        start += length
    return pieces


cdef tuple split_into(TensorImpl t, int64_t sections, int64_t dim, str function):
    """Exactly so many pieces; the first ones are larger by 1 where the dim can't be shared evenly."""
    cdef int64_t extent = sizes_of(t)[dim]
    cdef int64_t i, length, start = 0
    if sections <= 0:
        raise RuntimeError(f"{function}: number of sections must be larger than 0, got {sections}")
    cdef tuple pieces = room_for(sections, function)
    for i in range(sections):
        length = extent // sections + (1 if i < extent % sections else 0)
        put(pieces, <Py_ssize_t>i, narrowed(t, dim, start, length, function))
        start += length
    return pieces


cdef int64_t clamped(int64_t index, int64_t extent):
    """A slice bound as Python reads it."""
    if index < 0:
        return index + extent if index >= -extent else 0
    return min(index, extent)


cdef tuple split_at(TensorImpl t, list cuts, int64_t dim, str function):
    """Pieces between these indices, which are read as bounds of slices: from the end if negative, clamped."""
    cdef int64_t extent = sizes_of(t)[dim]
    cdef int64_t start = 0, end
    cdef Py_ssize_t i, n = len(cuts)
    cdef tuple pieces = room_for(n + 1, function)
    for i in range(n + 1):
        end = clamped(cuts[i], extent) if i < n else extent
        put(pieces, i, narrowed(t, dim, start, max(end - start, 0), function))
        start = end
    return pieces


cdef object one_of(str function, object which, object sections, object indices):
    """The one argument of f(which), f(sections=) and f(indices=): an int, or a list of ints."""
    if (which is not None) + (sections is not None) + (indices is not None) != 1:
        raise TypeError(f"{function}: takes one of sections (int) and indices (tuple of ints)")
    if indices is not None or isinstance(which, (tuple, list)):
        return ints_of(which if indices is None else indices, function, "indices")
    return int_arg(which if sections is None else sections, function, "sections")


cdef tuple split_by(TensorImpl t, object which, int64_t dim, str function):
    """By what one_of gives."""
    if isinstance(which, list):
        return split_at(t, <list>which, dim, function)
    return split_into(t, which, dim, function)


cdef tuple split_evenly(TensorImpl t, object which, int64_t dim, str function):
    """hsplit, vsplit and dsplit: by indices, or into sections of equal size."""
    if not isinstance(which, list) and (which == 0 or sizes_of(t)[dim] % <int64_t>which):
        raise RuntimeError(f"{function}: attempting to split along dimension {dim}, but the size of the dimension "
                           f"{sizes_of(t)[dim]} is not divisible by {which}")
    return split_by(t, which, dim, function)


@cython.no_gc
cdef class TensorSplits(TensorParts):
    """Tuples of views that share a dim between them."""

    def unbind(self, dim=0):
        """The views at every index of a dim, as a tuple; IndexError for a tensor without dims.

        >>> import stridecore as sc
        >>> sc.arange(6).view(2, 3).unbind()
        (tensor([0, 1, 2]), tensor([3, 4, 5]))
        """
        cdef int64_t d = int_arg(dim, "unbind", "dim")
        if self._ss.ndim == 0:
            raise IndexError(f"unbind: Dimension specified as {d} but tensor has no dimensions")
        return unbound(self, wrapped(d, self._ss.ndim, "unbind"))

    def split(self, split_size, dim=0):
        """A tuple of views of `split_size` indices of a dim each, the last one smaller if need be; or, for a tuple or
        list, of these sizes, which must add up to the dim's (RuntimeError).

        >>> import stridecore as sc
        >>> sc.arange(5).split(2), sc.arange(5).split([1, 4])
        ((tensor([0, 1]), tensor([2, 3]), tensor([4])), (tensor([0]), tensor([1, 2, 3, 4])))
        """
        cdef int64_t size = 0, d
        cdef list sizes = None
        if isinstance(split_size, (tuple, list)):
            sizes = ints_of(split_size, "split", "split_size")
        elif isinstance(split_size, (int, TensorImpl)):
            size = int_arg(split_size, "split", "split_size")
        else:
            raise TypeError("split: split_size must be int or a tuple or list of ints, not "
                            f"{type(split_size).__name__}")
        d = int_arg(dim, "split", "dim")
        need_dims(self, 1, "split")
        if size < 0:
            raise RuntimeError(f"split: split_size must be at least 0, got {size}")
        d = wrapped(d, self._ss.ndim, "split")
        return split_every(self, size, d, "split") if sizes is None else split_sizes_of(self, sizes, d, "split")

    def split_with_sizes(self, split_sizes, dim=0):
        """A tuple of views of these sizes along a dim; they must add up to the dim's (RuntimeError).

        >>> import stridecore as sc
        >>> sc.arange(5).split_with_sizes([1, 4])
        (tensor([0]), tensor([1, 2, 3, 4]))
        """
        cdef list sizes = ints_of(split_sizes, "split_with_sizes", "split_sizes")
        cdef int64_t d = int_arg(dim, "split_with_sizes", "dim")
        need_dims(self, 1, "split_with_sizes")
        return split_sizes_of(self, sizes, wrapped(d, self._ss.ndim, "split_with_sizes"), "split_with_sizes")

    def chunk(self, chunks, dim=0):
        """A tuple of at most `chunks` views of equal size along a dim, the last one smaller if need be.

        Of 7 indices 4 chunks are 2, 2, 2 and 1; 5 chunks are only four: 2, 2, 2 and 1. See tensor_split.

        >>> import stridecore as sc
        >>> sc.arange(5).chunk(2)
        (tensor([0, 1, 2]), tensor([3, 4]))
        """
        cdef int64_t n = int_arg(chunks, "chunk", "chunks")
        cdef int64_t d = int_arg(dim, "chunk", "dim")
        cdef int64_t extent
        need_dims(self, 1, "chunk")
        if n <= 0:
            raise RuntimeError(f"chunk: expects `chunks` to be greater than 0, got: {n}")
        d = wrapped(d, self._ss.ndim, "chunk")
        extent = sizes_of(self)[d]
        if extent == 0:
            return split_into(self, n, d, "chunk")
        return split_every(self, extent // n + (1 if extent % n else 0), d, "chunk")

    def tensor_split(self, which=None, /, dim=0, *, sections=None, indices=None, tensor_indices_or_sections=None):
        """A tuple of views along a dim: exactly `sections` of them (an int), or cut at `indices` (a tuple of ints);
        either may be an int64 tensor of 0 or 1 dims.

        Indices are read as bounds of slices: negative ones from the end, and out of range is no error.

        >>> import stridecore as sc
        >>> sc.arange(5).tensor_split(3), sc.arange(5).tensor_split((1, 4))
        ((tensor([0, 1]), tensor([2, 3]), tensor([4])), (tensor([0]), tensor([1, 2, 3]), tensor([4])))
        """
        cdef int64_t d = int_arg(dim, "tensor_split", "dim")
        if tensor_indices_or_sections is not None:
            if which is not None or not isinstance(tensor_indices_or_sections, TensorImpl):
                raise TypeError("tensor_split: tensor_indices_or_sections must be Tensor, and the only argument beside "
                                "dim")
            which = tensor_indices_or_sections
        if isinstance(which, TensorImpl):
            if (<TensorImpl>which)._dtype != SC_INT64 or (<TensorImpl>which)._ss.ndim > 1:
                raise RuntimeError("tensor_split: a tensor of indices or sections must be of int64 and have 0 or 1 "
                                   f"dims, got {(<TensorImpl>which)._ss.ndim} dims of {which.dtype!r}")
            which = which.tolist()
        which = one_of("tensor_split", which, sections, indices)
        need_dims(self, 1, "tensor_split")
        return split_by(self, which, wrapped(d, self._ss.ndim, "tensor_split"), "tensor_split")

    def hsplit(self, which=None, /, *, sections=None, indices=None):
        """A tuple of views along dim 1 (dim 0 of a tensor of 1 dim): into equal `sections`, or cut at `indices`.

        >>> import stridecore as sc
        >>> sc.arange(6).view(2, 3).hsplit(3)[1]
        tensor([[1],
                [4]])
        """
        which = one_of("hsplit", which, sections, indices)
        need_dims(self, 1, "hsplit")
        return split_evenly(self, which, 0 if self._ss.ndim == 1 else 1, "hsplit")

    def vsplit(self, which=None, /, *, sections=None, indices=None):
        """A tuple of views along dim 0 of a tensor of 2 dims or more: into equal `sections`, or cut at `indices`.

        >>> import stridecore as sc
        >>> sc.arange(6).view(2, 3).vsplit(2)
        (tensor([[0, 1, 2]]), tensor([[3, 4, 5]]))
        """
        which = one_of("vsplit", which, sections, indices)
        need_dims(self, 2, "vsplit")
        return split_evenly(self, which, 0, "vsplit")

    def dsplit(self, which=None, /, *, sections=None, indices=None):
        """A tuple of views along dim 2 of a tensor of 3 dims or more: into equal `sections`, or cut at `indices`.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3, 4).dsplit((1,))[1].shape
        stridecore.Size([2, 3, 3])
        """
        which = one_of("dsplit", which, sections, indices)
        need_dims(self, 3, "dsplit")
        return split_evenly(self, which, 2, "dsplit")

    def unsafe_split(self, split_size, dim=0):
        """`split`, but the pieces count as no views: their `_base` is None.

        >>> import stridecore as sc
        >>> sc.arange(4).unsafe_split(2)[1]._base is None
        True
        """
        return detached(TensorSplits.split(self, split_size, dim))

    def unsafe_split_with_sizes(self, split_sizes, dim=0):
        """`split_with_sizes`, but the pieces count as no views: their `_base` is None.

        >>> import stridecore as sc
        >>> sc.arange(4).unsafe_split_with_sizes([1, 3])[1]
        tensor([1, 2, 3])
        """
        return detached(TensorSplits.split_with_sizes(self, split_sizes, dim))

    def unsafe_chunk(self, chunks, dim=0):
        """`chunk`, but the pieces count as no views: their `_base` is None.

        >>> import stridecore as sc
        >>> sc.arange(4).unsafe_chunk(2)[1]
        tensor([2, 3])
        """
        return detached(TensorSplits.chunk(self, chunks, dim))


cdef tuple detached(tuple pieces):
    for piece in pieces:
        (<TensorImpl>piece)._root = None
    return pieces
