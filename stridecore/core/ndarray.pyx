"""NumPy, both ways, without copies: `from_numpy(a)`, `x.numpy()`, `__array__`, `__array_interface__`.

NumPy's headers are not needed. Out: `numpy.ndarray(shape, dtype, buffer, offset, strides)` over the storage, the
quickest of NumPy's doors. In: `a.__array_struct__`, a capsule around the struct that the array interface protocol
documents. NumPy is loaded at the first use of a door out; an object can only be an array if it was loaded before.
"""
cimport cython
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_CheckExact, PyCapsule_GetPointer
from libc.stdint cimport int64_t

from stridecore.core.buffers cimport export_layout, export_readonly, tensor_over_memory
from stridecore.core.dtype cimport dtype_of
from stridecore.core.engine cimport *
from stridecore.core.memory_format cimport PRESERVE
from stridecore.core.copy cimport converted
from stridecore.core.size cimport tuple_from
from stridecore.core.storage cimport FIXED, LENT
from stridecore.core.tensor_impl cimport *

import sys


# The array interface protocol's struct.
cdef struct ArrayStruct:
    int two
    int nd
    char typekind
    int itemsize
    int flags
    Py_ssize_t *shape
    Py_ssize_t *strides
    void *data
    PyObject *descr

cdef enum:
    ARRAY_NOTSWAPPED = 0x200
    ARRAY_WRITEABLE = 0x400

cdef object ndarray_type = None    # numpy.ndarray, once NumPy is loaded
cdef list numpy_dtypes = [None] * SC_NUM_DTYPES

SUPPORTED = ("float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, "
             "uint8, and bool (and ml_dtypes' bfloat16 and float8 types)")


# ---- NumPy's types ------------------------------------------------------------------------------------------

cdef object load_ndarray():
    global ndarray_type
    if ndarray_type is None:
        import numpy
        ndarray_type = numpy.ndarray
    return ndarray_type


cdef bint is_ndarray(object value) except -1:
    global ndarray_type
    if ndarray_type is None:
        numpy = sys.modules.get("numpy")
        if numpy is None or not hasattr(numpy, "ndarray"):
            return False
        ndarray_type = numpy.ndarray
    return isinstance(value, ndarray_type)


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


cdef int code_of_kind(char kind, int itemsize) noexcept:
    """The dtype of the array interface's kind and size, or -1."""
    if kind == c"b" and itemsize == 1:
        return SC_BOOL
    if kind == c"f":
        return SC_FLOAT32 if itemsize == 4 else SC_FLOAT64 if itemsize == 8 else SC_FLOAT16 if itemsize == 2 else -1
    if kind == c"i":
        return SC_INT64 if itemsize == 8 else SC_INT32 if itemsize == 4 else SC_INT16 if itemsize == 2 else \
            SC_INT8 if itemsize == 1 else -1
    if kind == c"u":
        return SC_UINT8 if itemsize == 1 else SC_UINT16 if itemsize == 2 else SC_UINT32 if itemsize == 4 else \
            SC_UINT64 if itemsize == 8 else -1
    if kind == c"c":
        return SC_COMPLEX64 if itemsize == 8 else SC_COMPLEX128 if itemsize == 16 else -1
    return -1


cdef int code_of_ml_dtype(object array) except -2:
    """The dtype of an array of ml_dtypes' types, or -1."""
    dtype = array.dtype
    if dtype.type.__module__ != "ml_dtypes":
        return -1
    name = dtype.name
    for code in range(SC_BFLOAT16, SC_NUM_DTYPES):
        if dtype_of(<sc_dtype>code).name == name:
            return code
    return -1


# ---- in -----------------------------------------------------------------------------------------------------

cdef TensorImpl tensor_over_ndarray(object array, str function):
    """A tensor over an array's memory: its dtype, sizes, strides of any sign, read-only if the array is."""
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int d, code
    capsule = array.__array_struct__
    if not PyCapsule_CheckExact(capsule):
        raise TypeError(f"{function}: __array_struct__ of {type(array).__name__} is not a capsule")
    cdef ArrayStruct *info = <ArrayStruct *>PyCapsule_GetPointer(capsule, NULL)
    if info.two != 2 or info.nd < 0 or info.nd > SC_MAX_NDIM or info.itemsize < 0:
        raise ValueError(f"{function}: the array has {info.nd} dims; at most {SC_MAX_NDIM} are supported")
    code = code_of_kind(info.typekind, info.itemsize)
    if code < 0:
        code = code_of_ml_dtype(array)
        if code < 0 or info.itemsize != sc_itemsize(<sc_dtype>code):
            raise TypeError(f"{function}: can't convert np.ndarray of type {array.dtype}. The only supported types "
                            f"are: {SUPPORTED}")
    elif not info.flags & ARRAY_NOTSWAPPED and info.itemsize > 1:
        raise ValueError(f"{function}: given numpy array has byte order different from the native byte order; make a "
                         "copy with array.astype(array.dtype.newbyteorder('='))")
    for d in range(info.nd):
        sizes[d] = info.shape[d]
        if info.strides[d] % info.itemsize == 0:
            strides[d] = info.strides[d] // info.itemsize
        elif sizes[d] > 1:
            raise ValueError(f"{function}: given numpy array strides {array.strides} are not a multiple of the element "
                             f"byte size {info.itemsize}. Copy the numpy array to reallocate the memory")
        else:
            strides[d] = 1
    return tensor_over_memory(info.data, <sc_dtype>code, info.nd, sizes, strides, capsule,
                              not info.flags & ARRAY_WRITEABLE, function)


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
