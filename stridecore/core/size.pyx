"""`Size`: the sizes of a tensor, a tuple of ints."""
cimport cython
from libc.stdint cimport int64_t, uint64_t
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from cpython.ref cimport Py_INCREF

from stridecore.core.engine cimport SC_MAX_NDIM


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


# ---- shared tuples ------------------------------------------------------------------------------------------
#
# Sizes and strides repeat: a small table remembers the tuples made last, so that `x.shape` and `x.stride()` mostly
# hand out an object that exists. Tuples can't change, so nobody can tell.

cdef enum:
    REMEMBERED = 512
    REMEMBERED_NDIM = 4

cdef struct Entry:
    PyObject *items    # an owned tuple, or NULL
    int64_t n
    int64_t values[REMEMBERED_NDIM]

cdef Entry sizes_table[REMEMBERED]
cdef Entry tuples_table[REMEMBERED]


cdef inline Entry *entry_of(Entry *table, int64_t n, const int64_t *values) noexcept:
    """Where a tuple of these ints would be remembered."""
    cdef uint64_t hash = <uint64_t>n
    cdef int64_t i
    for i in range(n):
        hash = (hash ^ <uint64_t>values[i]) * <uint64_t>0x9E3779B97F4A7C15
    return &table[hash >> 55]    # the 9 highest bits: REMEMBERED is 2**9


cdef inline bint is_entry_of(Entry *entry, int64_t n, const int64_t *values) noexcept:
    cdef int64_t i
    if entry.items == NULL or entry.n != n:
        return False
    for i in range(n):
        if entry.values[i] != values[i]:
            return False
    return True


cdef void remember(Entry *entry, tuple items, int64_t n, const int64_t *values):
    cdef PyObject *old = entry.items
    cdef int64_t i
    Py_INCREF(items)
    entry.items = <PyObject *>items
    entry.n = n
    for i in range(n):
        entry.values[i] = values[i]
    if old != NULL:
        Py_DECREF_RAW(old)


cdef inline void copy_ints(int64_t n, const int64_t *values, int64_t *kept) noexcept:
    """Making a tuple may run the garbage collector, and finalizers may change a tensor's sizes."""
    cdef int64_t i
    for i in range(n):
        kept[i] = values[i]


cdef tuple size_from(int64_t ndim, const int64_t *sizes):
    """A Size of `ndim` sizes."""
    cdef Entry *entry
    cdef tuple made
    cdef int64_t kept[SC_MAX_NDIM]
    if ndim > REMEMBERED_NDIM:
        copy_ints(ndim, sizes, kept)
        return <tuple>fill(bare(ndim), ndim, kept)
    entry = entry_of(sizes_table, ndim, sizes)
    if is_entry_of(entry, ndim, sizes):
        return <tuple>entry.items
    made = <tuple>fill(bare(ndim), ndim, sizes)
    remember(entry, made, ndim, sizes)
    return made


cdef tuple tuple_from(int64_t n, const int64_t *values):
    """A plain tuple of `n` ints."""
    cdef Entry *entry
    cdef tuple made
    cdef int64_t kept[SC_MAX_NDIM]
    if n > REMEMBERED_NDIM:
        copy_ints(n, values, kept)
        return <tuple>fill(PyTuple_New(n), n, kept)
    entry = entry_of(tuples_table, n, values)
    if is_entry_of(entry, n, values):
        return <tuple>entry.items
    made = <tuple>fill(PyTuple_New(n), n, values)
    remember(entry, made, n, values)
    return made


cdef list list_from(int64_t n, const int64_t *values):
    """A list of `n` ints, as messages show sizes and strides."""
    return list(tuple_from(n, values))
