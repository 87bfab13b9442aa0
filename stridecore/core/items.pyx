"""Elements as Python numbers: item, tolist, and the conversions int(x), float(x), bool(x), operator.index(x)."""
cimport cython
from cpython.list cimport PyList_New
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from stridecore.core cimport engine
from stridecore.core.engine cimport *
from stridecore.core.scalars cimport read_item
from stridecore.core.tensor_impl cimport *


cdef extern from "Python.h":
    PyObject *PyLong_FromLongLong(long long) except NULL
    PyObject *PyFloat_FromDouble(double) except NULL
    void PyList_SET_ITEM(list, Py_ssize_t, PyObject *)    # takes over the reference


cdef inline object only_item(TensorImpl t, str function):
    """The element of a tensor that has one; the caller has checked numel."""
    cdef int64_t itemsize = itemsize_of(t)
    cdef float f32
    if (t._storage_offset + 1) * itemsize > t._storage._nbytes:
        check_reach(t, function)
    if t._dtype == SC_FLOAT32 and not t._bits:
        memcpy(&f32, data_of(t), 4)
        return f32
    return read_item(<sc_dtype>t._dtype, data_of(t), t._bits)


cdef object python_scalar(TensorImpl t, str function):
    """The element for float(), int() and complex(); ValueError unless there is just one."""
    if t._numel != 1:
        raise ValueError(f"{function}: only one element tensors can be converted to Python scalars, "
                         f"got size {list(t.sizes())}")
    return only_item(t, function)


cdef list nested(sc_dtype dtype, int bits, const char *data, int64_t ndim, const int64_t *sizes,
                 const int64_t *byte_strides):
    """The elements as nested lists. Requires ndim > 0 and readable memory."""
    cdef int64_t n = sizes[0], stride = byte_strides[0]
    cdef list items = PyList_New(n)
    cdef object item
    cdef int64_t i, i64
    cdef float f32
    cdef double f64
    if ndim > 1:
        for i in range(n):
            item = nested(dtype, bits, data + i * stride, ndim - 1, sizes + 1, byte_strides + 1)
            Py_INCREF(item)
            PyList_SET_ITEM(items, i, <PyObject *>item)
    elif dtype == SC_FLOAT32 and not bits:
        for i in range(n):
            memcpy(&f32, data + i * stride, sizeof(f32))    # borrowed memory may be unaligned
            PyList_SET_ITEM(items, i, PyFloat_FromDouble(f32))
    elif dtype == SC_FLOAT64 and not bits:
        for i in range(n):
            memcpy(&f64, data + i * stride, sizeof(f64))    # borrowed memory may be unaligned
            PyList_SET_ITEM(items, i, PyFloat_FromDouble(f64))
    elif dtype == SC_INT64 and not bits:
        for i in range(n):
            memcpy(&i64, data + i * stride, sizeof(i64))    # borrowed memory may be unaligned
            PyList_SET_ITEM(items, i, PyLong_FromLongLong(i64))
    else:
        for i in range(n):
            item = read_item(dtype, data + i * stride, bits)
            Py_INCREF(item)
            PyList_SET_ITEM(items, i, <PyObject *>item)
    return items


@cython.no_gc
cdef class TensorItems(TensorReshapes):
    """The methods that read elements as Python numbers."""

    @cython.always_allow_keywords(False)    # a call without arguments costs a quarter less
    def item(self):
        """The element of a one-element tensor as a Python bool, int, float or complex; RuntimeError for any other
        number of elements.

        >>> import stridecore as sc
        >>> sc.tensor([[2.5]]).item()
        2.5
        """
        if self._numel != 1:
            raise RuntimeError(f"item: a Tensor with {self._numel} elements cannot be converted to Scalar; "
                               "use tolist() or index one element")
        return only_item(self, "item")

    def is_nonzero(self):
        """bool(x): True unless the only element is zero; RuntimeError for a tensor of none or several.

        >>> import stridecore as sc
        >>> sc.tensor([0.0]).is_nonzero(), sc.tensor(1j).is_nonzero()
        (False, True)
        """
        return bool(self)

    @cython.always_allow_keywords(False)
    def tolist(self):
        """The elements as nested lists of Python numbers; a number for a 0-dim tensor.

        >>> import stridecore as sc
        >>> sc.arange(4).view(2, 2).tolist()
        [[0, 1], [2, 3]]
        """
        cdef int64_t byte_strides[SC_MAX_NDIM]
        cdef int64_t sizes[SC_MAX_NDIM]
        cdef int64_t d, ndim = self._ss.ndim
        cdef sc_block *block
        if ndim == 0:
            return only_item(self, "tolist")
        check_reach(self, "tolist")
        for d in range(ndim):
            sizes[d] = sizes_of(self)[d]
            byte_strides[d] = 0
        if self._numel:
            byte_strides_of(self, byte_strides)
        block = self._storage.block    # making objects may run the garbage collector, and that anything
        engine.block_retain(block)
        try:
            return nested(<sc_dtype>self._dtype, self._bits, data_of(self), ndim, sizes, byte_strides)
        finally:
            engine.block_release(block)

    def __bool__(self):
        if self._numel != 1:
            raise RuntimeError("Boolean value of Tensor with "
                               f"{'no values' if self._numel == 0 else 'more than one value'} is ambiguous")
        return bool(only_item(self, "bool"))

    def __float__(self):
        value = python_scalar(self, "float")
        if isinstance(value, complex):
            if value.imag != 0:
                raise RuntimeError(f"float: value {value} cannot be converted to type double without overflow")
            value = value.real
        return float(value)

    def __int__(self):
        value = python_scalar(self, "int")
        if isinstance(value, complex):
            if value.imag != 0:
                raise RuntimeError(f"int: value {value} cannot be converted to type int64 without overflow")
            value = value.real
        return int(value)

    def __complex__(self):
        return complex(python_scalar(self, "complex"))

    def __index__(self):
        cdef sc_dtype dtype = <sc_dtype>self._dtype
        if self._numel != 1 or not (sc_is_integral(dtype) or dtype == SC_BOOL):
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(only_item(self, "index"))
