"""NumPy, both ways, without copies: `from_numpy(a)`, `x.numpy()`, `__array__`, `__array_interface__`.

Out: `numpy.ndarray(shape, dtype, buffer, offset, strides)` over the storage, the quickest of NumPy's doors. In: what
arrays.pyx reads of an array. NumPy is loaded at the first use of a door out; an object can only be an array if it was
loaded before.
"""
cimport cython
from libc.stdint cimport int64_t

from stridecore.core.arrays cimport ArrayView, is_array, read_array
from stridecore.core.buffers cimport export_layout, export_readonly, tensor_over_memory
from stridecore.core.dtype cimport dtype_of
from stridecore.core.engine cimport *
from stridecore.core.memory_format cimport PRESERVE
from stridecore.core.copy cimport converted
from stridecore.core.size cimport tuple_from
from stridecore.core.storage cimport FIXED, LENT
from stridecore.core.tensor_impl cimport *

import sys


cdef object ndarray_type = None    # numpy.ndarray, once NumPy is loaded
cdef list numpy_dtypes = [None] * SC_NUM_DTYPES

# ---- NumPy's types ------------------------------------------------------------------------------------------

cdef object load_ndarray():
    global ndarray_type
    if ndarray_type is None:
        import numpy
        ndarray_type = numpy.ndarray
    return ndarray_type


cdef bint is_ndarray(object value) except -1:
    return is_array(value)


cdef object numpy_dtype(int code, str function):
    found = numpy_dtypes[code]
    if found is None:
        import numpy
        name = dtype_of(<sc_dtype>code).name
        if code == SC_COMPLEX32:
            raise TypeError(f"{function}: NumPy has no complex32; use .to(stridecore.complex64) or .view_as_real()")
        if code == SC_BFLOAT16 or sc_is_float8(<sc_dtype>code):
            try:
                ml_dtypes = __import__("ml_dtypes")
            except ImportError:
                raise TypeError(f"{function}: NumPy has no {name} of its own: install ml_dtypes, or use "
                                ".to(stridecore.float32)") from None
            found = numpy.dtype(getattr(ml_dtypes, name))
        else:
            found = numpy.dtype(name)
        numpy_dtypes[code] = found
    return found


# ---- in -----------------------------------------------------------------------------------------------------

cdef TensorImpl tensor_over_ndarray(object array, str function):
    """A tensor over an array's memory: its dtype, sizes, strides of any sign, read-only if the array is."""
    cdef ArrayView view
    owner = read_array(array, &view, function)
    return tensor_over_memory(view.data, view.dtype, view.ndim, view.sizes, view.strides, owner, view.readonly,
                              function)


def from_numpy(array, /):
    """A tensor over the memory of a NumPy array: no copy is made, each sees what is written through the other.

    Sizes and strides, zero and negative ones included, are the array's. The tensor keeps the array alive, can't be
    resized beyond it and refuses writes if the array is read-only. bfloat16 and float8 arrays of ml_dtypes work.

    TypeError for what is no array or has no dtype here, ValueError for a foreign byte order and for strides that are
    not a whole number of elements.

    >>> import numpy as np, stridecore as sc
    >>> a = np.arange(6.0)
    >>> x = sc.from_numpy(a[::-2])
    >>> x[0] = 50
    >>> x.stride(), a.tolist()
    ((-2,), [0.0, 1.0, 2.0, 3.0, 4.0, 50.0])
    """
    if not is_ndarray(array):
        raise TypeError(f"from_numpy: expected np.ndarray (got {type(array).__name__})")
    return tensor_over_ndarray(array, "from_numpy")


# ---- out ----------------------------------------------------------------------------------------------------

cdef object borrowed_array(TensorImpl t, str function):
    """An array over the tensor's memory, writable unless that is read-only or reached twice; no lazy bits.

    The storage may still be resized: the caller pins it (StorageImpl.pins) as long as the array lives.
    """
    cdef int64_t ndim = t._ss.ndim
    cdef Py_ssize_t shape[SC_MAX_NDIM]
    cdef Py_ssize_t byte_strides[SC_MAX_NDIM]
    cdef bint readonly
    dtype = numpy_dtype(t._dtype, function)
    check_reach(t, function)
    readonly = export_readonly(t)
    export_layout(t, shape, byte_strides)
    array = load_ndarray()(ssize_tuple(ndim, shape), dtype, t._storage,
                           t._storage_offset * itemsize_of(t) if t._numel else 0, ssize_tuple(ndim, byte_strides))
    if readonly:
        array.flags.writeable = False
    return array


cdef object ndarray_over(TensorImpl t, str function):
    """The same for good: the storage can't be resized any more, since nobody sees when the array goes."""
    array = borrowed_array(t, function)
    t._storage.flags |= FIXED
    return array


cdef tuple ssize_tuple(int64_t n, const Py_ssize_t *values):
    cdef int64_t wide[SC_MAX_NDIM]
    cdef int64_t i
    for i in range(n):
        wide[i] = values[i]
    return tuple_from(n, wide)


@cython.no_gc
cdef class TensorNdarray(TensorBuffers):
    """The doors to NumPy."""

    def numpy(self, *, force=False):
        """The tensor as a NumPy array over the same memory: no copy, each sees what is written through the other.

        The array keeps the storage alive, and the storage can't be resized any more. It is read-only if the tensor
        is, or if the tensor reaches one place in memory by two indices (`expand`). bfloat16 and float8 need ml_dtypes.

        RuntimeError for a lazily conjugated or negated tensor, TypeError for a dtype that NumPy has not. With
        `force=True` a conjugated or negated tensor is copied first.

        >>> import stridecore as sc
        >>> x = sc.zeros(2, 3)
        >>> x.numpy()[0, 1] = 5
        >>> x
        tensor([[0., 5., 0.],
                [0., 0., 0.]])
        """
        if self._bits:
            if not force:
                name, method = ("conjugate", "conj") if self._bits & SC_CONJ else ("negative", "neg")
                raise RuntimeError(f"Can't call numpy() on Tensor that has {name} bit set. "
                                   f"Use tensor.resolve_{method}().numpy() instead")
            return ndarray_over(converted(self, <sc_dtype>self._dtype, PRESERVE), "numpy")
        return ndarray_over(self, "numpy")

    def __array__(self, dtype=None, copy=None):
        """The tensor as an array: numpy(), converted if another dtype is asked for.

        A copy is made for that, or with `copy=True`; ValueError if one is needed and `copy=False`.
        """
        array = self.numpy()
        if dtype is not None:
            import numpy
            dtype = numpy.dtype(dtype)
            if array.dtype != dtype:
                if copy is False:
                    raise ValueError(f"Unable to avoid copy: the tensor is {array.dtype}, not {dtype}")
                return array.astype(dtype)
        return array.copy() if copy else array

    @property
    def __array_interface__(self):
        """The array interface protocol, version 3. After it was read the storage can't be resized any more.

        AttributeError for dtypes that it can't name and for lazily conjugated or negated tensors.
        """
        cdef Py_ssize_t shape[SC_MAX_NDIM]
        cdef Py_ssize_t byte_strides[SC_MAX_NDIM]
        cdef int code = self._dtype
        if self._bits or code == SC_BFLOAT16 or code == SC_COMPLEX32 or sc_is_float8(<sc_dtype>code):
            raise AttributeError("__array_interface__ can't say "
                                 f"{'that the values are conjugated or negated' if self._bits else dtype_of(<sc_dtype>code).name}")
        check_reach(self, "__array_interface__")
        export_layout(self, shape, byte_strides)
        self._storage.flags |= FIXED | LENT
        return {
            "version": 3,
            "shape": ssize_tuple(self._ss.ndim, shape),
            "typestr": typestr(code),
            "data": (<size_t>data_of(self) if self._numel else 0, export_readonly(self)),
            "strides": None if is_contiguous(self) else ssize_tuple(self._ss.ndim, byte_strides),
        }


cdef str typestr(int code):
    cdef int64_t itemsize = sc_itemsize(<sc_dtype>code)
    kind = "b" if code == SC_BOOL else "c" if sc_is_complex(<sc_dtype>code) else \
        "f" if sc_is_floating_point(<sc_dtype>code) else "i" if sc_is_signed(<sc_dtype>code) else "u"
    return f"{'|' if itemsize == 1 else '<' if sys.byteorder == 'little' else '>'}{kind}{itemsize}"
