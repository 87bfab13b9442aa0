"""Reading arguments: ints, dims, lists of ints and dtypes, refused in one voice.

Every function takes the name of the public function that it reads for, and of the argument,
so that a message says `permute: dims must be ints, got str`.
"""
from cpython.long cimport PyLong_CheckExact, PyLong_AsLongLong
from cpython.bool cimport PyBool_Check
from cpython.number cimport PyNumber_Index
from cpython.sequence cimport PySequence_Check

from stridecore.core.engine cimport *
from stridecore.core.dtype cimport dtype


cdef int64_t overflowed(object value, str function, str name) except? -1:
    raise OverflowError(f"{function}: {name} {value} does not fit in 64 bits; the range is [{-2**63}, {2**63 - 1}]")


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


cdef int64_t as_ints(object values, str function, str name, int64_t *out) except -1:
    """The ints of a list, tuple or other sequence into out (room for SC_MAX_NDIM); returns how many."""
    cdef tuple items    # what __index__ of an item does to a list, or a subclass's __iter__ says, can't harm
    cdef Py_ssize_t i
    if isinstance(values, tuple):
        items = <tuple>values
    elif isinstance(values, list):
        items = tuple(<list>values)
    elif isinstance(values, (str, bytes)) or not PySequence_Check(values):
        raise TypeError(f"{function}: {name} must be a tuple or list of ints, not {type(values).__name__}")
    else:
        items = tuple(values)
    if len(items) > SC_MAX_NDIM:
        raise ValueError(f"{function}: {name} has {len(items)} items; at most {SC_MAX_NDIM} dims are supported")
    for i in range(len(items)):
        out[i] = int_arg(items[i], function, name)
    return len(items)


cdef int64_t varargs_ints(tuple args, str function, str name, int64_t *out) except -1:
    """The ints of `f(1, 2, 3)` or `f((1, 2, 3))`; TypeError for `f()`."""
    if not args:
        raise TypeError(f"{function}: missing its argument {name!r}, ints or a tuple of ints")
    if len(args) == 1:
        value = args[0]
        if isinstance(value, (tuple, list)):
            return as_ints(value, function, name, out)
        if PyLong_CheckExact(value) or not PySequence_Check(value) or hasattr(value, "__index__"):
            out[0] = as_int(value, function, name)
            return 1
        return as_ints(value, function, name, out)
    return as_ints(args, function, name, out)


cdef int64_t shape_args(tuple args, object keyword, str function, str name, int64_t *out) except -1:
    """The ints of f(1, 2), f((1, 2)) and f(name=(1, 2))."""
    if keyword is not None:
        if args:
            raise TypeError(f"{function}: got {name} both by position and by keyword")
        return as_ints(keyword, function, name, out)
    return varargs_ints(args, function, name, out)


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
