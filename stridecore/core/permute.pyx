"""Permutations: the dims in another order; sizes and strides move together, the offset stays.

    x = arange(6).view(2, 3)      sizes (2, 3), strides (3, 1)       0 1 2 / 3 4 5
    x.t()                         sizes (3, 2), strides (1, 3)       0 3 / 1 4 / 2 5
"""
cimport cython
from libc.stdint cimport int64_t

from stridecore.core.args cimport as_ints, int_arg, spread_args, wrapped, UNSET
from stridecore.core.engine cimport *
from stridecore.core.reinterpret cimport TensorReinterpretations, conj_of
from stridecore.core.size cimport list_from
from stridecore.core.tensor_impl cimport *


cdef TensorImpl transposed(TensorImpl t, int64_t dim0, int64_t dim1):
    cdef TensorImpl view = alias_of(t)
    cdef int64_t *sizes
    cdef int64_t *strides
    if dim0 != dim1:
        sizes = sizes_of(view)
        strides = strides_of(view)
        sizes[dim0], sizes[dim1] = sizes[dim1], sizes[dim0]
        strides[dim0], strides[dim1] = strides[dim1], strides[dim0]
        view._cache = 0
    return view


cdef TensorImpl permuted(TensorImpl t, const int64_t *dims):
    """dims: a permutation that the caller has checked."""
    cdef int64_t n = t._ss.ndim
    cdef int64_t d
    cdef TensorImpl view = view_of(t, n)
    cdef int64_t *sizes = sizes_of(view)
    cdef int64_t *strides = strides_of(view)
    cdef int64_t *from_sizes = sizes_of(t)
    cdef int64_t *from_strides = strides_of(t)
    for d in range(n):
        sizes[d] = from_sizes[dims[d]]
        strides[d] = from_strides[dims[d]]
    view._numel = t._numel
    return view


cdef TensorImpl reversed_dims(TensorImpl t):
    cdef int64_t dims[SC_MAX_NDIM]
    cdef int64_t d
    for d in range(t._ss.ndim):
        dims[d] = t._ss.ndim - 1 - d
    return permuted(t, dims)


cdef TensorImpl moved(TensorImpl t, int64_t n, int64_t *source, int64_t *destination, str function):
    """Dim source[i] goes to place destination[i]; the others keep their order."""
    cdef int64_t dims[SC_MAX_NDIM]
    cdef bint taken[SC_MAX_NDIM]
    cdef int64_t ndim = t._ss.ndim
    cdef int64_t i, d, place = 0
    for d in range(ndim):
        dims[d] = -1
        taken[d] = False
    for i in range(n):
        source[i] = wrapped(source[i], ndim, function)
        destination[i] = wrapped(destination[i], ndim, function)
    if ndim == 0:
        return alias_of(t)
    for i in range(n):
        if taken[source[i]]:
            raise RuntimeError(f"{function}: repeated dim in `source` ({list_from(n, source)})")
        if dims[destination[i]] >= 0:
            raise RuntimeError(f"{function}: repeated dim in `destination` ({list_from(n, destination)})")
        dims[destination[i]] = source[i]
        taken[source[i]] = True
    for d in range(ndim):
        if not taken[d]:
            while dims[place] >= 0:
                place += 1
            dims[place] = d
    return permuted(t, dims)


cdef TensorImpl matrix_transposed(TensorImpl t, str function):
    """The last two dims swapped; a 0-dim tensor itself."""
    if t._ss.ndim == 0:
        warn_0d(function)
        return t
    if t._ss.ndim == 1:
        raise RuntimeError(f"{function} is only supported on matrices or batches of matrices. Got a tensor of 1 dim")
    return transposed(t, t._ss.ndim - 2, t._ss.ndim - 1)


cdef TensorImpl move_dims(TensorImpl t, object source, object destination, str function):
    cdef int64_t from_dims[SC_MAX_NDIM]
    cdef int64_t to_dims[SC_MAX_NDIM]
    cdef int64_t n
    if isinstance(source, (tuple, list)) or isinstance(destination, (tuple, list)):
        n = as_ints(source, function, "source", from_dims)
        if as_ints(destination, function, "destination", to_dims) != n:
            raise RuntimeError(f"{function}: Invalid source or destination dims: source ({source} dims) should contain "
                               f"the same number of dims as destination ({destination} dims)")
        return moved(t, n, from_dims, to_dims, function)
    from_dims[0] = int_arg(source, function, "source")
    to_dims[0] = int_arg(destination, function, "destination")
    return moved(t, 1, from_dims, to_dims, function)


cdef bint warned_T = False
cdef bint warned_0d = False


cdef int warn_T(int64_t ndim) except -1:
    """Once a process each, as torch does."""
    global warned_T
    import warnings
    if not warned_T:
        warned_T = True
        warnings.warn(f"T: reversing the dims of a tensor of {ndim} dims by .T is deprecated; use .mT for batches of "
                      "matrices or .permute(*range(x.ndim - 1, -1, -1))", UserWarning, stacklevel=1)
    return 0


cdef int warn_0d(str function) except -1:
    global warned_0d
    import warnings
    if not warned_0d:
        warned_0d = True
        warnings.warn(f"{function}: a tensor of 0 dims is no matrix; this is deprecated", UserWarning, stacklevel=1)
    return 0


@cython.no_gc
cdef class TensorPermutations(TensorReinterpretations):
    """Views with the dims in another order."""

    @property
    def T(self):
        """The view with the dims reversed: of a matrix, its transpose.

        >>> import stridecore as sc
        >>> sc.arange(6).view(2, 3).T
        tensor([[0, 3],
                [1, 4],
                [2, 5]])
        """
        if self._ss.ndim == 2:
            return transposed(self, 0, 1)
        warn_T(self._ss.ndim)
        return reversed_dims(self)

    @property
    def mT(self):
        """The view with the last two dims swapped; RuntimeError for 1 dim.

        >>> import stridecore as sc
        >>> sc.zeros(4, 2, 3).mT.shape
        stridecore.Size([4, 3, 2])
        """
        return matrix_transposed(self, "mT")

    @property
    def H(self):
        """The conjugate transpose of a matrix, as a view; RuntimeError unless there are 2 dims.

        >>> import stridecore as sc
        >>> sc.tensor([[1 + 2j, 3j]]).H
        tensor([[1.-2.j],
                [0.-3.j]])
        """
        if self._ss.ndim != 2 and self._ss.ndim != 0:
            raise RuntimeError(f"H is only supported on matrices (2-D tensors). Got a tensor of {self._ss.ndim} dims. "
                               "Use .mH for batches of matrices")
        return conj_of(matrix_transposed(self, "H"))

    @property
    def mH(self):
        """The conjugate transpose of each matrix in the last two dims, as a view; RuntimeError for 1 dim.

        >>> import stridecore as sc
        >>> sc.zeros(4, 2, 3, dtype=sc.complex64).mH.shape
        stridecore.Size([4, 3, 2])
        """
        return conj_of(matrix_transposed(self, "mH"))

    def adjoint(self):
        """The conjugate transpose of each matrix in the last two dims, as a view; RuntimeError for 1 dim.

        >>> import stridecore as sc
        >>> sc.tensor([[1 + 2j, 3j]]).adjoint()
        tensor([[1.-2.j],
                [0.-3.j]])
        """
        return conj_of(matrix_transposed(self, "adjoint"))

    @cython.always_allow_keywords(False)
    def t(self):
        """The transpose of a matrix, as a view; fewer dims stay as they are, more are a RuntimeError.

        >>> import stridecore as sc
        >>> x = sc.zeros(2, 3)
        >>> x.t().shape, x.t().stride()
        (stridecore.Size([3, 2]), (1, 3))
        """
        if self._ss.ndim > 2:
            raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self._ss.ndim}D. Use "
                               ".transpose(dim0, dim1) or .mT")
        if self._ss.ndim < 2:
            return alias_of(self)
        return transposed(self, 0, 1)

    def transpose(self, dim0, dim1):
        """The view with two dims swapped; IndexError for a dim that there isn't.

        >>> import stridecore as sc
        >>> x = sc.zeros(2, 3, 4)
        >>> x.transpose(0, 2).shape, x.transpose(0, 2).stride()
        (stridecore.Size([4, 3, 2]), (1, 4, 12))
        """
        cdef int64_t a = int_arg(dim0, "transpose", "dim0")
        cdef int64_t b = int_arg(dim1, "transpose", "dim1")
        return transposed(self, wrapped(a, self._ss.ndim, "transpose"), wrapped(b, self._ss.ndim, "transpose"))

    def swapaxes(self, axis0, axis1):
        """The view with two dims swapped: `transpose` by NumPy's name.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3, 4).swapaxes(0, 1).shape
        stridecore.Size([3, 2, 4])
        """
        cdef int64_t a = int_arg(axis0, "swapaxes", "axis0")
        cdef int64_t b = int_arg(axis1, "swapaxes", "axis1")
        return transposed(self, wrapped(a, self._ss.ndim, "swapaxes"), wrapped(b, self._ss.ndim, "swapaxes"))

    def swapdims(self, dim0, dim1):
        """The view with two dims swapped: another name of `transpose`.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3, 4).swapdims(0, 1).shape
        stridecore.Size([3, 2, 4])
        """
        cdef int64_t a = int_arg(dim0, "swapdims", "dim0")
        cdef int64_t b = int_arg(dim1, "swapdims", "dim1")
        return transposed(self, wrapped(a, self._ss.ndim, "swapdims"), wrapped(b, self._ss.ndim, "swapdims"))

    @cython.embedsignature(False)
    def permute(self, a=UNSET, b=UNSET, c=UNSET, d=UNSET, /, *more, dims=UNSET):
        """permute($self, *dims)\n--\n\nThe view whose dim i is this tensor's dim dims[i].

        Takes ints or a tuple of ints, every dim once; RuntimeError for a wrong number of dims or one given twice.

        >>> import stridecore as sc
        >>> x = sc.zeros(2, 3, 4)
        >>> x.permute(2, 0, 1).shape, x.permute(2, 0, 1).stride()
        (stridecore.Size([4, 2, 3]), (1, 12, 4))
        """
        cdef int64_t order[SC_MAX_NDIM]
        cdef bint seen[SC_MAX_NDIM]
        cdef int64_t n = spread_args(a, b, c, d, more, dims, "permute", "dims", order)
        cdef int64_t i
        if n != self._ss.ndim:
            raise RuntimeError(f"permute: the tensor has {self._ss.ndim} dims, but the order {list_from(n, order)} has "
                               f"{n}")
        for i in range(n):
            seen[i] = False
        for i in range(n):
            order[i] = wrapped(order[i], n, "permute")
            if seen[order[i]]:
                raise RuntimeError(f"permute: duplicate dims are not allowed, got dim {order[i]} twice")
            seen[order[i]] = True
        return permuted(self, order)

    def movedim(self, source, destination):
        """The view with dims moved to other places, the rest in their order; both ints, or tuples of equal length.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3, 4).movedim(0, -1).shape
        stridecore.Size([3, 4, 2])
        """
        return move_dims(self, source, destination, "movedim")

    def moveaxis(self, source, destination):
        """The view with dims moved to other places: `movedim` by NumPy's name.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3, 4).moveaxis((0, 1), (1, 2)).shape
        stridecore.Size([4, 2, 3])
        """
        return move_dims(self, source, destination, "moveaxis")
