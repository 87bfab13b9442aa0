"""Reading arguments: ints, dims, lists of ints and dtypes, refused in one voice.

Every function takes the name of the public function that it reads for, and of the argument,
so that a message says `permute: dims must be ints, got str`.
"""
from cpython.long cimport PyLong_CheckExact, PyLong_AsLongLong
from cpython.object cimport PyObject
from cpython.bool cimport PyBool_Check
from cpython.number cimport PyNumber_Index

from stridecore.core.engine cimport *
from stridecore.core.dtype cimport dtype


cdef int64_t overflowed(object value, str function, str name) except? -1:
    raise ValueError(f"{function}: {name} {value} does not fit in 64 bits; the range is [{-2**63}, {2**63 - 1}]")


cdef int64_t as_int(object value, str function, str name) except? -1:
    """An int argument; 0-dim int tensors and NumPy ints count as ints, bools and floats don't (TypeError)."""
    if PyLong_CheckExact(value):
        try:
            return PyLong_AsLongLong(value)
        except OverflowError:
            return overflowed(value, function, name)
    if PyBool_Check(value) or isinstance(value, (float, str)):
        raise TypeError(f"{function}: {name} must be int, not {type(value).__name__}")
    try:
        value = PyNumber_Index(value)
    except TypeError:
        raise TypeError(f"{function}: {name} must be int, not {type(value).__name__}") from None
    try:
        return PyLong_AsLongLong(value)
    except OverflowError:
        return overflowed(value, function, name)


cdef int64_t wrap_dim(int64_t dim, int64_t ndim, str function) except -1:
    """dim in [0, max(ndim, 1)), negative ones counted from the end; IndexError outside."""
    cdef int64_t bound = ndim if ndim > 0 else 1
    if 0 <= dim < bound:
        return dim
    if -bound <= dim < 0:
        return dim + bound
    raise IndexError(f"{function}: Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], "
                     f"but got {dim})")


cdef int64_t as_dim(object value, int64_t ndim, str function) except -1:
    """A dim argument, wrapped: as_int, then wrap_dim."""
    return wrap_dim(as_int(value, function, "dim"), ndim, function)


cdef int64_t list_item(tuple items, Py_ssize_t i, str function, str name, Py_ssize_t before=0) except? -1:
    """An item that is no plain int, with so many before the tuple: bools count as ints except in front, as in torch."""
    try:
        return as_int(int(items[i]) if i + before > 0 and PyBool_Check(items[i]) else items[i], function, name)
    except ValueError as error:
        raise TypeError(str(error)) from None


cdef int64_t tuple_ints(tuple items, str function, str name, int64_t *out) except -1:
    cdef Py_ssize_t i
    cdef int overflow = 0
    if len(items) > SC_MAX_NDIM:
        raise ValueError(f"{function}: {name} has {len(items)} items; at most {SC_MAX_NDIM} dims are supported")
    for i in range(len(items)):
        if PyLong_CheckExact(items[i]):
            out[i] = PyLong_AsLongLongAndOverflow(items[i], &overflow)
            if overflow == 0:
                continue
        out[i] = list_item(items, i, function, name)
    return len(items)


cdef int64_t as_ints(object values, str function, str name, int64_t *out) except -1:
    """The ints of a list or tuple into out (room for SC_MAX_NDIM); returns how many."""
    # A copy of a list, and a tuple's own items: what __index__ of an item or a subclass's methods do can't harm.
    if isinstance(values, tuple):
        return tuple_ints(<tuple>values, function, name, out)
    if isinstance(values, list):
        return tuple_ints(tuple(<list>values), function, name, out)
    raise TypeError(f"{function}: {name} must be a tuple or list of ints, not {type(values).__name__}")


cdef int64_t varargs_ints(tuple args, str function, str name, int64_t *out) except -1:
    """The ints of `f(1, 2, 3)` or `f((1, 2, 3))`; TypeError for `f()`."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        return as_ints(args[0], function, name, out)
    if not args:
        raise TypeError(f"{function}: missing its argument {name!r}, ints or a tuple of ints")
    return tuple_ints(args, function, name, out)


cdef int64_t shape_args(object first, tuple more, str function, str name, int64_t *out) except -1:
    """The ints of `f(1, 2, 3)`, `f((1, 2, 3))` and `f(name=(1, 2, 3))` for `def f(self, first=None, *more)`.

    (A method that has a first parameter is spared the tuple of arguments that `def f(self, *args)` is called with.)
    """
    cdef int64_t n = len(more)
    cdef Py_ssize_t i
    cdef int overflow = 0
    if n == 0:
        if isinstance(first, tuple):
            return tuple_ints(<tuple>first, function, name, out)
        if isinstance(first, list):
            return tuple_ints(tuple(<list>first), function, name, out)
        if first is None:
            raise TypeError(f"{function}: {name} must be ints or a tuple of ints, not None")
    elif n >= SC_MAX_NDIM:
        return tuple_ints((first, *more), function, name, out)
    if PyLong_CheckExact(first):
        out[0] = PyLong_AsLongLongAndOverflow(first, &overflow)
    if overflow or not PyLong_CheckExact(first):
        out[0] = list_item((first,), 0, function, name)
    for i in range(n):
        if PyLong_CheckExact(more[i]):
            out[1 + i] = PyLong_AsLongLongAndOverflow(more[i], &overflow)
            if overflow == 0:
                continue
        out[1 + i] = list_item(more, i, function, name, 1)
    return n + 1


UNSET = type("unset", (), {"__repr__": lambda self: "<not given>"})()


cdef int64_t spread_args(object a, object b, object c, object d, tuple more, object keyword, str function, str name,
                         int64_t *out) except -1:
    """shape_args for the hottest methods, `def f(self, a=UNSET, b=UNSET, c=UNSET, d=UNSET, /, *more, name=UNSET)`.

    Up to four sizes one by one are then read without any tuple.
    """
    cdef (PyObject *)[4] given
    cdef int overflow = 0
    cdef int n = 0
    if keyword is not UNSET:
        if a is not UNSET:
            raise TypeError(f"{function}: got {name} both by position and by keyword")
        return as_ints(keyword, function, name, out)
    if a is UNSET:
        raise TypeError(f"{function}: missing its argument {name!r}, ints or a tuple of ints")
    if b is UNSET:
        return shape_args(a, more, function, name, out)
    given[0], given[1], given[2], given[3] = <PyObject *>a, <PyObject *>b, <PyObject *>c, <PyObject *>d
    while n < 4 and given[n] != <PyObject *>UNSET and PyLong_CheckExact(<object>given[n]):
        out[n] = PyLong_AsLongLongAndOverflow(<object>given[n], &overflow)
        if overflow:
            break
        n += 1
    if not more and (n == 4 or given[n] == <PyObject *>UNSET):
        return n
    return tuple_ints(tuple([each for each in (a, b, c, d, *more) if each is not UNSET]), function, name, out)


cdef sc_dtype as_dtype(object value, sc_dtype default, str function) except *:
    """A dtype argument: a stridecore.dtype, or Python's float, int, bool or complex; `default` for None."""
    if value is None:
        return default
    if isinstance(value, dtype):
        return (<dtype>value).code
    if value is float:
        return SC_FLOAT64
    if value is int:
        return SC_INT64
    if value is bool:
        return SC_BOOL
    if value is complex:
        return SC_COMPLEX128
    raise TypeError(f"{function}: dtype must be a stridecore.dtype, not {type(value).__name__}")
