"""`Size`: the sizes of a tensor, a tuple of ints."""
cimport cython
from libc.stdint cimport int64_t
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from cpython.ref cimport Py_INCREF


cdef extern from "Python.h":
    ctypedef PyObject *(*binaryfunc)(PyObject *, PyObject *) except NULL
    ctypedef struct PyMappingMethods:
        binaryfunc mp_subscript
    ctypedef struct PyTypeObject:
        PyObject *(*tp_alloc)(PyTypeObject *, Py_ssize_t)
        PyMappingMethods *tp_as_mapping
    object PyLong_FromLongLong(long long)
    bint PySlice_Check(object)
    void Py_DECREF_RAW "Py_DECREF"(PyObject *)


@cython.binding(True)
class Size(tuple):
    """The sizes of a tensor: a tuple of ints that prints as `stridecore.Size([2, 3])`.

    Slices, sums and products of a Size are Sizes again; it equals and hashes as a plain tuple.

    >>> import stridecore as sc
    >>> s = sc.zeros(2, 3).shape
    >>> s, s[1:], s + (4,), s.numel()
    (stridecore.Size([2, 3]), stridecore.Size([3]), stridecore.Size([2, 3, 4]), 6)
    """

    __slots__ = ()
    __module__ = "stridecore"
    __qualname__ = "Size"

    def __new__(cls, iterable=()):
        self = tuple.__new__(cls, iterable)
        for i, item in enumerate(self):
            if not isinstance(item, int):
                if not hasattr(item, "__index__"):
                    raise TypeError(f"Size: items must be int, got {type(item).__name__} at index {i}")
                return cls([each.__index__() for each in self])
        return self

    def __repr__(self):
        return f"stridecore.Size([{', '.join([repr(item) for item in self])}])"

    def __add__(self, other):
        return Size(tuple.__add__(self, other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other):
        return Size(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, n):
        return Size(tuple.__mul__(self, n))

    def __rmul__(self, n):
        return Size(tuple.__mul__(self, n))

    def __reduce__(self):
        return Size, (tuple(self),)

    def numel(self):
        """The product of the sizes; 1 for no dims.

        >>> import stridecore as sc
        >>> sc.Size([2, 3]).numel()
        6
        """
        product = 1
        for item in self:
            product *= item
        return product


cdef PyTypeObject *SIZE = <PyTypeObject *>Size
cdef binaryfunc tuple_subscript = (<PyTypeObject *>tuple).tp_as_mapping.mp_subscript


cdef PyObject *size_subscript(PyObject *self, PyObject *key) except NULL:
    """Tuple's own subscript, at its speed; a slice of a Size is a Size."""
    cdef PyObject *item = tuple_subscript(self, key)
    if not PySlice_Check(<object>key):
        return item
    try:
        size = as_size(<tuple>item)
    finally:
        Py_DECREF_RAW(item)
    Py_INCREF(size)
    return <PyObject *>size


SIZE.tp_as_mapping.mp_subscript = size_subscript


cdef tuple as_size(tuple items):
    cdef Py_ssize_t i
    size = bare(len(items))
    for i in range(len(items)):
        item = items[i]
        Py_INCREF(item)
        PyTuple_SET_ITEM(size, i, item)
    return <tuple>size


cdef inline object bare(Py_ssize_t n):
    """A Size of n items that are still to be set."""
    cdef PyObject *raw = SIZE.tp_alloc(SIZE, n)
    if raw == NULL:
        raise MemoryError
    size = <object>raw
    Py_DECREF_RAW(raw)
    return size


cdef inline object fill(object items, int64_t n, const int64_t *values):
    cdef Py_ssize_t i
    for i in range(n):
        item = PyLong_FromLongLong(values[i])
        Py_INCREF(item)
        PyTuple_SET_ITEM(items, i, item)
    return items


cdef tuple size_from(int64_t ndim, const int64_t *sizes):
    """A Size of `ndim` sizes."""
    return <tuple>fill(bare(ndim), ndim, sizes)


cdef tuple tuple_from(int64_t n, const int64_t *values):
    """A plain tuple of `n` ints."""
    return <tuple>fill(PyTuple_New(n), n, values)


cdef list list_from(int64_t n, const int64_t *values):
    """A list of `n` ints, as messages show sizes and strides."""
    return list(tuple_from(n, values))
