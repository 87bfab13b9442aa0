"""Reinterpretations: the same bytes as elements of another dtype, complex numbers as pairs, lazy bits.

    complex64, sizes (3,), strides (1,), offset 1        re0 im0 [re1 im1] [re2 im2] ...
    view_as_real:  float32, sizes (3, 2), strides (2, 1), offset 2
    real, imag:    float32, sizes (3,),   strides (2,),   offset 2 and 3

The conjugate bit says that elements stand for the conjugates of the stored ones, the negative bit that they stand for
the negatives. The imaginary part of a conjugated tensor is a view with the negative bit: still no element is touched.

view(dtype) refuses no layout for the strides of dims of size 0 and 1: no element is reached by them.
"""
cimport cython
from libc.stdint cimport int64_t

from stridecore.core.dtype cimport dtype_of
from stridecore.core.engine cimport *
from stridecore.core.metadata cimport TensorMetadata
from stridecore.core.size cimport tuple_from
from stridecore.core.tensor_impl cimport *


cdef int overflowed(TensorImpl t, str function) except -1:
    raise RuntimeError(f"{function}: Stride calculation overflowed for size {list(t.sizes())}, stride "
                       f"{list(t.strides())} and storage_offset {t._storage_offset}")


# ---- view(dtype) ----------------------------------------------------------------------------------------------

cdef TensorImpl viewed_as(TensorImpl t, sc_dtype dtype):
    cdef int64_t old = itemsize_of(t)
    cdef int64_t new = sc_itemsize(dtype)
    cdef TensorImpl view
    if t._bits:
        raise RuntimeError(f"view: a tensor with its {'conjugate' if t._bits & SC_CONJ else 'negative'} bit set can't "
                           f"be viewed as another dtype. Use .resolve_{'conj' if t._bits & SC_CONJ else 'neg'}() first")
    view = alias_of(t)
    view._root = None
    view._dtype = dtype
    if new < old:
        to_smaller(t, view, old // new)
    elif new > old:
        to_larger(t, view, new // old)
    return view


cdef str sizes_differ(TensorImpl t, TensorImpl view):
    return f"to view {dtype_of(<sc_dtype>t._dtype)!r} as {dtype_of(<sc_dtype>view._dtype)!r} (different element sizes)"


cdef int to_smaller(TensorImpl t, TensorImpl view, int64_t ratio) except -1:
    """float32, sizes (2, 3), strides (6, 1), offset 1 as int16: sizes (2, 6), strides (12, 1), offset 2."""
    cdef int64_t *sizes = sizes_of(view)
    cdef int64_t *strides = strides_of(view)
    cdef int64_t last = view._ss.ndim - 1
    cdef int64_t d
    if last < 0:
        raise RuntimeError(f"view: self.dim() cannot be 0 {sizes_differ(t, view)}")
    if strides[last] != 1 and sizes[last] > 1 and t._numel:
        raise RuntimeError(f"view: self.stride(-1) must be 1 {sizes_differ(t, view)}, but got {strides[last]}. "
                           "Use .contiguous() first")
    for d in range(last):
        if not sc_mul(strides[d], ratio, &strides[d]):
            overflowed(t, "view")
    strides[last] = 1
    if (not sc_mul(view._storage_offset, ratio, &view._storage_offset)
            or not sc_mul(sizes[last], ratio, &sizes[last])):
        overflowed(t, "view")
    return set_numel(view, "view")


cdef int to_larger(TensorImpl t, TensorImpl view, int64_t ratio) except -1:
    """int16, sizes (2, 6), strides (12, 1), offset 2 as float32: sizes (2, 3), strides (6, 1), offset 1."""
    cdef int64_t *sizes = sizes_of(view)
    cdef int64_t *strides = strides_of(view)
    cdef int64_t last = view._ss.ndim - 1
    cdef int64_t d
    if last < 0:
        raise RuntimeError(f"view: self.dim() cannot be 0 {sizes_differ(t, view)}")
    if strides[last] != 1 and sizes[last] > 1 and t._numel:
        raise RuntimeError(f"view: self.stride(-1) must be 1 {sizes_differ(t, view)}, but got {strides[last]}. "
                           "Use .contiguous() first")
    if sizes[last] % ratio:
        raise RuntimeError(f"view: self.size(-1) must be divisible by {ratio} {sizes_differ(t, view)}, but got "
                           f"{sizes[last]}")
    if view._storage_offset % ratio and t._numel:
        raise RuntimeError(f"view: self.storage_offset() must be divisible by {ratio} {sizes_differ(t, view)}, but got "
                           f"{view._storage_offset}")
    for d in range(last):
        if strides[d] % ratio and sizes[d] > 1 and t._numel:
            raise RuntimeError(f"view: self.stride({d}) must be divisible by {ratio} {sizes_differ(t, view)}, but got "
                               f"{strides[d]}")
        strides[d] //= ratio
    strides[last] = 1
    view._storage_offset //= ratio
    sizes[last] //= ratio
    return set_numel(view, "view")


# ---- complex numbers ------------------------------------------------------------------------------------------

cdef TensorImpl parts_of(TensorImpl t, str function):
    """Real and imaginary parts of a complex tensor, in a new last dim of size 2; its conjugate bit is not looked at."""
    cdef int64_t n = t._ss.ndim
    cdef int64_t d
    cdef TensorImpl view = view_of(t, n + 1)
    view._dtype = sc_to_real(<sc_dtype>t._dtype)
    view._bits = t._bits & ~SC_CONJ
    for d in range(n):
        sizes_of(view)[d] = sizes_of(t)[d]
        if not sc_mul(strides_of(t)[d], 2, &strides_of(view)[d]):
            overflowed(t, function)
    sizes_of(view)[n] = 2
    strides_of(view)[n] = 1
    if not sc_mul(t._storage_offset, 2, &view._storage_offset):
        overflowed(t, function)
    set_numel(view, function)
    return view


cdef TensorImpl part_of(TensorImpl t, int64_t which, str function):
    """The real (0) or imaginary (1) part of a complex tensor, its conjugate bit not looked at."""
    cdef int64_t d
    cdef TensorImpl view = view_of(t, t._ss.ndim)
    view._dtype = sc_to_real(<sc_dtype>t._dtype)
    view._bits = t._bits & ~SC_CONJ
    for d in range(t._ss.ndim):
        sizes_of(view)[d] = sizes_of(t)[d]
        if not sc_mul(strides_of(t)[d], 2, &strides_of(view)[d]):
            overflowed(t, function)
    if not sc_mul(t._storage_offset, 2, &view._storage_offset) or not sc_add(view._storage_offset, which,
                                                                             &view._storage_offset):
        overflowed(t, function)
    view._numel = t._numel
    return view


cdef TensorImpl real_of(TensorImpl t):
    """The real part as a view; a real tensor itself."""
    return part_of(t, 0, "real") if sc_is_complex(<sc_dtype>t._dtype) else t


cdef TensorImpl imag_of(TensorImpl t):
    """The imaginary part as a view, with the negative bit flipped for a conjugated tensor."""
    if not sc_is_complex(<sc_dtype>t._dtype):
        raise RuntimeError(f"imag: a tensor of {dtype_of(<sc_dtype>t._dtype)!r} has no imaginary part; it is "
                           "implemented for complex dtypes")
    cdef TensorImpl view = part_of(t, 1, "imag")
    if t._bits & SC_CONJ:
        view._bits ^= SC_NEG
    return view


cdef TensorImpl conj_of(TensorImpl t):
    if not sc_is_complex(<sc_dtype>t._dtype):
        return t
    cdef TensorImpl view = alias_of(t)
    view._bits ^= SC_CONJ
    return view


cdef TensorImpl neg_view(TensorImpl t):
    cdef TensorImpl view = alias_of(t)
    view._bits ^= SC_NEG
    return view


cdef TensorImpl complex_of(TensorImpl t):
    """A real tensor whose last dim holds (real, imaginary) pairs as a complex one."""
    cdef int64_t n = t._ss.ndim - 1
    cdef int64_t *sizes = sizes_of(t)
    cdef int64_t *strides = strides_of(t)
    cdef sc_dtype dtype
    cdef int64_t d
    if t._dtype == SC_FLOAT16:
        dtype = SC_COMPLEX32
    elif t._dtype == SC_FLOAT32:
        dtype = SC_COMPLEX64
    elif t._dtype == SC_FLOAT64:
        dtype = SC_COMPLEX128
    else:
        raise RuntimeError("view_as_complex: only float16, float32 and float64 tensors can be viewed as complex, got "
                           f"{dtype_of(<sc_dtype>t._dtype)!r}")
    if n < 0:
        raise RuntimeError("view_as_complex: Input tensor must have one or more dimensions, the last of size 2")
    if sizes[n] != 2:
        raise RuntimeError(f"view_as_complex: Tensor must have a last dimension of size 2, got size {list(t.sizes())}")
    if strides[n] != 1:
        raise RuntimeError("view_as_complex: Tensor must have a last dimension with stride 1, got stride "
                           f"{list(t.strides())}. Use .contiguous() first")
    for d in range(n):
        if strides[d] % 2 and sizes[d] != 1:
            raise RuntimeError("view_as_complex: Tensor must have a stride divisible by 2 for all but last dimension, "
                               f"got {strides[d]} for dim {d}")
    if t._storage_offset % 2:
        raise RuntimeError("view_as_complex: Tensor must have a storage_offset divisible by 2, got "
                           f"{t._storage_offset}")
    cdef TensorImpl view = view_of(t, n)
    view._dtype = dtype
    for d in range(n):
        sizes_of(view)[d] = sizes[d]
        strides_of(view)[d] = strides[d] // 2
    view._storage_offset = t._storage_offset // 2
    set_numel(view, "view_as_complex")
    return view


@cython.no_gc
cdef class TensorReinterpretations(TensorMetadata):
    """Views that read the same bytes in another way."""

    def conj(self):
        """The complex conjugates, as a view with the conjugate bit flipped; a real tensor itself.

        >>> import stridecore as sc
        >>> x = sc.tensor([1 + 2j])
        >>> x.conj(), x.conj().is_conj(), x.conj().data_ptr() == x.data_ptr()
        (tensor([1.-2.j]), True, True)
        """
        return conj_of(self)

    def _conj(self):
        """The same as conj."""
        return conj_of(self)

    def _neg_view(self):
        """The negatives, as a view with the negative bit flipped."""
        return neg_view(self)

    def view_as_real(self):
        """A complex tensor as a real one with a new last dim of size 2, (real, imaginary): a view.

        RuntimeError for real tensors and those with the conjugate bit.

        >>> import stridecore as sc
        >>> sc.tensor([1 + 2j, 3 + 4j]).view_as_real()
        tensor([[1., 2.],
                [3., 4.]])
        """
        if not sc_is_complex(<sc_dtype>self._dtype):
            raise RuntimeError("view_as_real: only complex tensors can be viewed as real, got "
                               f"{dtype_of(<sc_dtype>self._dtype)!r}")
        if self._bits & SC_CONJ:
            raise RuntimeError("view_as_real: doesn't work on tensors with the conjugate bit. Use .resolve_conj() "
                               "first")
        return parts_of(self, "view_as_real")

    def view_as_complex(self):
        """A real tensor whose last dim, of size 2 and stride 1, holds (real, imaginary) as a complex one: a view.

        For float16, float32 and float64. RuntimeError for other dtypes and for layouts whose pairs do not lie on even
        places.

        >>> import stridecore as sc
        >>> sc.tensor([[1., 2.], [3., 4.]]).view_as_complex()
        tensor([1.+2.j, 3.+4.j])
        """
        return complex_of(self)
