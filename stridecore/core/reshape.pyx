"""Reshapes: a view where strides can say it, a copy where they can't.

    f = arange(6).view(2, 3).t()      sizes (3, 2), strides (1, 3)
    f.reshape(3, 1, 2)                a view: strides (1, 6, 3)
    f.reshape(6)                      a fresh contiguous copy: no stride walks 0 3 1 4 2 5

Here too are the other views that need the copy engine: the parts of complex numbers, which can be assigned, and the
resolution of the lazy conjugate and negative bits.
"""
cimport cython
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from stridecore.core.args cimport int_arg, spread_args, wrapped, UNSET
from stridecore.core.copy cimport TensorCopies, contiguous_of, converted, copy_into, fill_with
from stridecore.core.engine cimport *
from stridecore.core.memory_format cimport CONTIGUOUS_FORMAT, PRESERVE
from stridecore.core.metadata cimport as_tensor_arg
from stridecore.core.parts cimport narrowed
from stridecore.core.reinterpret cimport conj_of, imag_of, real_of
from stridecore.core.scalars cimport ASSIGN
from stridecore.core.tensor_impl cimport *
from stridecore.core.views cimport must_view, viewed


cdef TensorImpl reshaped(TensorImpl t, int64_t ndim, int64_t *sizes, str function):
    """A view of these sizes (one may be -1) if there is one, otherwise a contiguous copy."""
    cdef sc_view_conflict conflict
    cdef TensorImpl view = viewed(t, ndim, sizes, &conflict, function)
    if view is None:
        view = converted(t, <sc_dtype>t._dtype, CONTIGUOUS_FORMAT)
        view = must_view(view, ndim, sizes, function)
        view._root = None
    return view


@cython.no_gc
cdef class TensorReshapes(TensorCopies):
    """Views where strides can say it, copies where they can't."""

    @cython.embedsignature(False)
    def reshape(self, a=UNSET, b=UNSET, c=UNSET, d=UNSET, /, *more, shape=UNSET):
        """reshape($self, *shape)\n--\n\nThe elements in row-major order with other sizes.

        A view where strides can say it, otherwise a copy. One size may be -1. RuntimeError if the sizes hold another number of elements.

        >>> import stridecore as sc
        >>> x = sc.arange(6).view(2, 3)
        >>> x.reshape(-1)._base is x._base, x.t().reshape(-1)._base, x.t().reshape(-1)
        (True, None, tensor([0, 3, 1, 4, 2, 5]))
        """
        cdef int64_t sizes[SC_MAX_NDIM]
        cdef int64_t n = spread_args(a, b, c, d, more, shape, "reshape", "shape", sizes)
        return reshaped(self, n, sizes, "reshape")

    def reshape_as(self, other):
        """`reshape` to the size of another tensor.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).t().reshape_as(sc.zeros(6)).shape
        stridecore.Size([6])
        """
        cdef int64_t sizes[SC_MAX_NDIM]
        cdef TensorImpl t = as_tensor_arg(other, "reshape_as", "other")
        cdef int64_t n = t._ss.ndim
        memcpy(sizes, sizes_of(t), n * sizeof(int64_t))
        return reshaped(self, n, sizes, "reshape_as")

    def flatten(self, start_dim=0, end_dim=-1):
        """The dims from start_dim to end_dim as one: a view where strides can say it, otherwise a copy.

        A tensor itself if there is nothing to merge; one of 0 dims becomes one of size [1].

        >>> import stridecore as sc
        >>> sc.zeros(2, 3, 4).flatten(1).shape, sc.tensor(5).flatten()
        (stridecore.Size([2, 12]), tensor([5]))
        """
        cdef int64_t sizes[SC_MAX_NDIM]
        cdef int64_t first = int_arg(start_dim, "flatten", "start_dim")
        cdef int64_t last = int_arg(end_dim, "flatten", "end_dim")
        cdef int64_t d, merged = 1
        cdef int64_t n = self._ss.ndim
        first = wrapped(first, n, "flatten")
        last = wrapped(last, n, "flatten")
        if first > last:
            raise RuntimeError(f"flatten() has invalid args: start_dim ({first}) cannot come after end_dim ({last})")
        if n == 0:
            sizes[0] = 1
            return reshaped(self, 1, sizes, "flatten")
        if first == last:
            return self
        if not sc_numel(last - first + 1, sizes_of(self) + first, &merged):
            raise RuntimeError(f"flatten: numel: integer multiplication overflow for size {list(self.sizes())}")
        for d in range(first):
            sizes[d] = sizes_of(self)[d]
        sizes[first] = merged
        for d in range(last + 1, n):
            sizes[d - last + first] = sizes_of(self)[d]
        return reshaped(self, n - last + first, sizes, "flatten")

    def ravel(self):
        """All elements in row-major order in one dim: a view of a contiguous tensor, a copy of any other.

        >>> import stridecore as sc
        >>> sc.arange(4).view(2, 2).t().ravel()
        tensor([0, 2, 1, 3])
        """
        cdef int64_t sizes[1]
        cdef TensorImpl t = contiguous_of(self, CONTIGUOUS_FORMAT)
        sizes[0] = t._numel
        return must_view(t, 1, sizes, "ravel")

    # ---- lazy bits --------------------------------------------------------------------------------------------------

    def resolve_conj(self):
        """The tensor itself, or if its conjugate bit is set a copy whose elements are conjugated.

        >>> import stridecore as sc
        >>> x = sc.tensor([1 + 2j]).conj()
        >>> x.is_conj(), x.resolve_conj(), x.resolve_conj().is_conj()
        (True, tensor([1.-2.j]), False)
        """
        return converted(self, <sc_dtype>self._dtype, PRESERVE) if self._bits & SC_CONJ else self

    def resolve_neg(self):
        """The tensor itself, or if its negative bit is set a copy whose elements are negated.

        >>> import stridecore as sc
        >>> x = sc.tensor([1 + 2j]).conj().imag
        >>> x.is_neg(), x.resolve_neg(), x.resolve_neg().is_neg()
        (True, tensor([-2.]), False)
        """
        return converted(self, <sc_dtype>self._dtype, PRESERVE) if self._bits & SC_NEG else self

    def conj_physical(self):
        """A copy with the elements conjugated and no conjugate bit; a real tensor itself.

        >>> import stridecore as sc
        >>> sc.tensor([1 + 2j]).conj_physical(), sc.tensor([1 + 2j]).conj_physical().is_conj()
        (tensor([1.-2.j]), False)
        """
        if not sc_is_complex(<sc_dtype>self._dtype):
            return self
        return converted(conj_of(self), <sc_dtype>self._dtype, PRESERVE)

    def conj_physical_(self):
        """Conjugate the elements in place; a real tensor stays as it is.

        >>> import stridecore as sc
        >>> sc.tensor([1 + 2j]).conj_physical_()
        tensor([1.-2.j])
        """
        if sc_is_complex(<sc_dtype>self._dtype):
            copy_into(self, conj_of(self), "conj_physical_")
        return self

    def narrow_copy(self, dim, start, length):
        """`narrow`, copied to a new contiguous tensor.

        >>> import stridecore as sc
        >>> sc.arange(6).narrow_copy(0, 1, 3)
        tensor([1, 2, 3])
        """
        cdef int64_t d = int_arg(dim, "narrow_copy", "dim")
        cdef int64_t first = int_arg(start, "narrow_copy", "start")
        cdef int64_t count = int_arg(length, "narrow_copy", "length")
        if d >= self._ss.ndim or self._ss.ndim == 0:
            raise RuntimeError(f"narrow_copy: dim {d} is out of range for a tensor of {self._ss.ndim} dims")
        d = wrapped(d, self._ss.ndim, "narrow_copy")
        return converted(narrowed(self, d, first, count, "narrow_copy"), <sc_dtype>self._dtype, CONTIGUOUS_FORMAT)

    # ---- parts of complex numbers -----------------------------------------------------------------------------------

    @property
    def real(self):
        """The real part as a view, a real tensor itself; assigning to it writes the real part.

        >>> import stridecore as sc
        >>> x = sc.tensor([1 + 2j, 3 + 4j])
        >>> x.real = 0
        >>> x, x.real.stride()
        (tensor([0.+2.j, 0.+4.j]), (2,))
        """
        return real_of(self)

    @real.setter
    def real(self, value):
        assign(real_of(self), value, "real")

    @property
    def imag(self):
        """The imaginary part as a view, RuntimeError for a real tensor; assigning to it writes the imaginary part.

        Of a conjugated tensor it is a view with the negative bit.

        >>> import stridecore as sc
        >>> x = sc.tensor([1 + 2j, 3 + 4j])
        >>> x.imag = 0
        >>> x, x.imag.storage_offset()
        (tensor([1.+0.j, 3.+0.j]), 1)
        """
        return imag_of(self)

    @imag.setter
    def imag(self, value):
        assign(imag_of(self), value, "imag")


cdef int assign(TensorImpl part, object value, str function) except -1:
    """part.copy_(value); a number is first one element of its dtype, so a part that overlaps itself is refused too."""
    cdef int64_t no_sizes[1]
    cdef TensorImpl number
    if isinstance(value, TensorImpl):
        return 0 if value is part else copy_into(part, <TensorImpl>value, function)
    number = tensor_new(<sc_dtype>part._dtype, 0, no_sizes, False)
    fill_with(number, value, ASSIGN, function)
    return copy_into(part, number, function)
