"""Tensors from Python data: a number, or nested sequences of numbers.

    [[1, 2, 3],        the sizes are read along the first items:  len(data), len(data[0]), ...  -> (2, 3)
     [4, 5, 6]]        the dtype is promoted from all items
                       then each innermost row goes straight into its place in the new storage

Most data is lists of exact floats, ints or bools. These are taken in one pass: the first number suggests the dtype
(int64, say) and rows are stored until an item does not fit it (a float); only then are all items looked at for the
dtype. An item of any other type can run Python code while it is converted, and that code may change the lists, so
the general path holds each item, asks again for the length at each step and never trusts the first reading.
"""
from cpython.bool cimport PyBool_Check
from cpython.bytes cimport PyBytes_Check
from cpython.complex cimport PyComplex_Check, PyComplex_CheckExact
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_AsDouble, PyFloat_Check, PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_Check, PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.sequence cimport PySequence_Check
from cpython.tuple cimport PyTuple_CheckExact
from cpython.unicode cimport PyUnicode_Check
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from stridecore.core cimport engine
from stridecore.core.arrays cimport ArrayView, dtype_of_array, is_array, is_array_scalar, read_array
from stridecore.core.copy cimport copy_into
from stridecore.core.dtype cimport default_complex_dtype, default_dtype
from stridecore.core.engine cimport *
from stridecore.core.promotion cimport promote
from stridecore.core.scalars cimport ASSIGN, read_item, write_item
from stridecore.core.size cimport tuple_from
from stridecore.core.tensor_impl cimport *


cdef extern from "Python.h":
    ctypedef struct Py_complex:
        double real
        double imag
    PyObject *Py_True
    Py_complex PyComplex_AsCComplex(object) except *
    long long PyLong_AsLongLongAndOverflow(object, int *) except? -1
    unsigned long long PyLong_AsUnsignedLongLong(object) except? -1
    object PySequence_Fast(object, const char *)
    Py_ssize_t PySequence_Fast_GET_SIZE(object)
    PyObject **PySequence_Fast_ITEMS(object)
    Py_ssize_t PySequence_Size(object) except -1
    object PySequence_GetItem(object, Py_ssize_t)
    object PyNumber_Index(object)
    int PyErr_CheckSignals() except -1


# Below this many elements a copy costs less than letting go of the GIL and taking it again.
cdef enum:
    GIL_NUMEL = 4096


cdef inline bint is_exact_sequence(object data):
    return PyList_CheckExact(data) or PyTuple_CheckExact(data)


# ---- one row of exact numbers: no Python code runs, so nothing can change meanwhile -------------------------

cdef inline bint exact_int(object item, int64_t *value):
    """True for an exact int or bool that fits in 64 bits."""
    cdef int beyond = 0
    if PyLong_CheckExact(item) or PyBool_Check(item):
        value[0] = PyLong_AsLongLongAndOverflow(item, &beyond)
        return not beyond
    return False


cdef inline bint exact_double(object item, double *value):
    """True for an exact float, and for an exact int or bool that fits in 64 bits."""
    cdef int64_t integer = 0
    if PyFloat_CheckExact(item):
        value[0] = PyFloat_AS_DOUBLE(item)
        return True
    if exact_int(item, &integer):
        value[0] = <double>integer
        return True
    return False


cdef int64_t store_exact(PyObject **items, int64_t n, sc_dtype dtype, char *dst) except -1:
    """Store exact numbers of a row until one is met that needs the general path; returns how many were stored."""
    cdef int64_t i, integer = 0
    cdef double real = 0
    if dtype == SC_FLOAT32:
        for i in range(n):
            if not exact_double(<object>items[i], &real):
                return i
            (<float *>dst)[i] = <float>real
    elif dtype == SC_FLOAT64:
        for i in range(n):
            if not exact_double(<object>items[i], <double *>dst + i):
                return i
    elif dtype == SC_INT64:
        for i in range(n):
            if not exact_int(<object>items[i], <int64_t *>dst + i):
                return i
    elif dtype == SC_BOOL:
        for i in range(n):
            if not PyBool_Check(<object>items[i]):
                return i
            dst[i] = items[i] == Py_True
    elif sc_is_floating_point(dtype):
        for i in range(n):
            if not exact_double(<object>items[i], &real):
                return i
            engine.convert_item(dtype, dst + i * sc_itemsize(dtype), SC_FLOAT64, &real)
    elif sc_is_complex(dtype):
        return 0
    else:
        for i in range(n):
            if not exact_int(<object>items[i], &integer) or not fits(dtype, integer):
                return i
            engine.convert_item(dtype, dst + i * sc_itemsize(dtype), SC_INT64, &integer)
    return n


cdef inline bint fits(sc_dtype dtype, int64_t value) noexcept nogil:
    """True if torch takes the int into this integer dtype; negative ones wrap into unsigned types."""
    cdef int64_t bits = 8 * sc_itemsize(dtype)
    if dtype == SC_UINT64:
        return value >= 0
    if bits == 64:
        return True
    if sc_is_signed(dtype):
        return value >> (bits - 1) == 0 or value >> (bits - 1) == -1
    return -((<int64_t>1 << bits) - 1) <= value < <int64_t>1 << bits


cdef int store_tree(object data, int64_t dim, int64_t ndim, const int64_t *sizes, const int64_t *strides,
                    sc_dtype dtype, char *dst) except -1:
    """Store nested exact lists and tuples of exact numbers; returns 0 when something needs the general path."""
    cdef int64_t i, n = sizes[dim]
    cdef PyObject **items
    if not is_exact_sequence(data) or PySequence_Fast_GET_SIZE(data) != n:
        return 0
    items = PySequence_Fast_ITEMS(data)
    if dim + 1 == ndim:
        return store_exact(items, n, dtype, dst) == n
    for i in range(n):
        if not store_tree(<object>items[i], dim + 1, ndim, sizes, strides, dtype,
                          dst + i * strides[dim] * sc_itemsize(dtype)):
            return 0
    return 1


# ---- the general path ---------------------------------------------------------------------------------------

cdef int check_one_element(TensorImpl t) except -1:
    if t._numel != 1:
        raise ValueError("tensor: only one element tensors can be converted to Python scalars; an item has size "
                         f"{list(t.sizes())}. Use stack to join tensors")
    return 0


cdef int store_number(sc_dtype dtype, char *dst, object item) except -1:
    """Store one item of any type that converts to the dtype's kind of number."""
    cdef TensorImpl t
    cdef double real
    cdef Py_complex both
    cdef int64_t integer
    cdef uint64_t unsigned
    cdef int beyond = 0
    if isinstance(item, TensorImpl):
        t = <TensorImpl>item
        check_one_element(t)
        if (sc_is_integral(dtype) or dtype == SC_BOOL) and not sc_is_integral(<sc_dtype>t._dtype) \
                and t._dtype != SC_BOOL:
            raise TypeError("tensor: only integer tensors of a single element can be converted to an index")
        check_reach(t, "tensor")
        item = read_item(<sc_dtype>t._dtype, data_of(t), t._bits)
    if dtype == SC_BOOL:
        if PyFloat_Check(item):
            dst[0] = PyFloat_AS_DOUBLE(item) != 0
        elif PyComplex_Check(item):
            both = PyComplex_AsCComplex(item)
            dst[0] = both.real != 0 or both.imag != 0
        elif is_array_scalar(item) and dtype_of_array(item) == SC_BOOL:    # it has no __index__
            dst[0] = bool(item)
        else:
            integer = PyLong_AsLongLongAndOverflow(item, &beyond)
            dst[0] = beyond != 0 or integer != 0
    elif sc_is_integral(dtype):
        if PyFloat_Check(item):
            return write_item(dtype, dst, 0, PyFloat_AS_DOUBLE(item), ASSIGN, "tensor")
        if dtype == SC_UINT64:
            unsigned = PyLong_AsUnsignedLongLong(PyNumber_Index(item))
            memcpy(dst, &unsigned, 8)
            return 0
        integer = PyLong_AsLongLongAndOverflow(item, &beyond)
        if beyond:
            raise ValueError(f"tensor: Overflow when unpacking long long: {item} does not fit in 64 bits. "
                             "Use a float dtype")
        return write_item(dtype, dst, 0, integer, ASSIGN, "tensor")
    elif sc_is_complex(dtype):
        both = PyComplex_AsCComplex(item)
        engine.convert_item(dtype, dst, SC_COMPLEX128, &both)
    else:
        real = PyFloat_AsDouble(item)
        engine.convert_item(dtype, dst, SC_FLOAT64, &real)
    return 0


cdef int store(object data, int64_t dim, int64_t ndim, const int64_t *sizes, const int64_t *strides, sc_dtype dtype,
               char *dst) except -1:
    """Store nested sequences of anything into memory that nobody else sees; ValueError if they are ragged."""
    cdef int64_t i = 0, n = sizes[dim], step = strides[dim] * sc_itemsize(dtype)
    if dim + 1 < ndim and isinstance(data, TensorImpl):
        data = list(data)
    row = PySequence_Fast(data, "not a sequence")
    if PySequence_Fast_GET_SIZE(row) != n:
        raise ValueError(f"expected sequence of length {n} at dim {dim} (got {PySequence_Fast_GET_SIZE(row)})")
    PyErr_CheckSignals()
    if dim + 1 == ndim:
        i = store_exact(PySequence_Fast_ITEMS(row), n, dtype, dst)
    while i < n:
        if PySequence_Fast_GET_SIZE(row) != n:
            raise ValueError(f"a sequence of length {n} at dim {dim} changed its length while it was read")
        item = <object>PySequence_Fast_ITEMS(row)[i]
        if dim + 1 == ndim:
            store_number(dtype, dst + i * step, item)
        else:
            store(item, dim + 1, ndim, sizes, strides, dtype, dst + i * step)
        i += 1
    return 0


cdef int too_deep(object data) except -1:
    raise ValueError(f"too many dimensions '{type(data).__name__}': at most {SC_MAX_NDIM} are supported")


cdef int infer(object data, int64_t depth, int64_t ndim) except -1:
    """The dtype that the data suggests: of a number its own, of a sequence the promotion of its items'."""
    cdef int64_t i = 0
    cdef bint first = True
    cdef int dtype, each
    if PyFloat_CheckExact(data):
        return default_dtype()
    if PyBool_Check(data):
        return SC_BOOL
    if PyLong_CheckExact(data):
        return SC_INT64
    if PyComplex_CheckExact(data):
        return default_complex_dtype()
    if isinstance(data, TensorImpl):
        if depth >= ndim:
            check_one_element(<TensorImpl>data)
        return (<TensorImpl>data)._dtype
    if is_array(data) or is_array_scalar(data):
        return dtype_of_array(data)
    if PyFloat_Check(data):
        return default_dtype()
    if PyLong_Check(data):
        return SC_INT64
    if PyComplex_Check(data):
        return default_complex_dtype()
    if PyUnicode_Check(data) or PyBytes_Check(data):
        raise TypeError(f"tensor: invalid data type '{type(data).__name__}': numbers and sequences of them are allowed")
    if not PySequence_Check(data):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    if depth > ndim:    # far from regular, so store() will fail; and lists that hold each other have no end
        return default_dtype()
    PyErr_CheckSignals()
    row = PySequence_Fast(data, "not a sequence")
    dtype = default_dtype()
    while i < PySequence_Fast_GET_SIZE(row):
        item = <object>PySequence_Fast_ITEMS(row)[i]
        if item is data:
            raise TypeError(f"tensor: a '{type(data).__name__}' holds itself")
        each = infer(item, depth + 1, ndim)
        dtype = each if first else promote(<sc_dtype>dtype, <sc_dtype>each)
        first = False
        if dtype == SC_COMPLEX128:    # nothing promotes it further
            break
        i += 1
    return dtype


cdef int64_t read_sizes(object data, int64_t *sizes, PyObject **leaf) except -1:
    """The sizes along the first items; `leaf` is the first number where it was reached by exact lists, else NULL."""
    cdef int64_t ndim = 0, n = 0
    cdef bint exact = True
    leaf[0] = NULL
    while True:
        if is_exact_sequence(data):
            n = PySequence_Fast_GET_SIZE(data)
        elif isinstance(data, TensorImpl) or not PySequence_Check(data):
            break
        else:
            exact = False
            n = PySequence_Size(data)
        if ndim == SC_MAX_NDIM:
            too_deep(data)
        sizes[ndim] = n
        ndim += 1
        if n == 0:
            return ndim
        if is_exact_sequence(data):
            data = <object>PySequence_Fast_ITEMS(data)[0]
        else:
            data = PySequence_GetItem(data, 0)
    if exact:
        leaf[0] = <PyObject *>data    # borrowed from a list; looked at before any Python code runs
    return ndim


cdef TensorImpl from_sequence(object data, int dtype):
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t numel = 0
    cdef TensorImpl t = None
    cdef PyObject *leaf = NULL
    cdef int guess = dtype
    cdef int64_t ndim = read_sizes(data, sizes, &leaf)
    if guess == INFER and leaf != NULL:
        if PyFloat_CheckExact(<object>leaf):
            guess = default_dtype()
        elif PyLong_CheckExact(<object>leaf):
            guess = SC_INT64
        elif PyBool_Check(<object>leaf):
            guess = SC_BOOL
    if guess != INFER:
        t = tensor_new(<sc_dtype>guess, ndim, sizes, False)
        if t._numel == 0 and dtype != INFER:
            return t
        if leaf != NULL and store_tree(data, 0, ndim, sizes, strides_of(t), <sc_dtype>guess, t._storage.block.data):
            return t
    if dtype == INFER:
        if not sc_numel(ndim, sizes, &numel):
            raise RuntimeError("tensor: Storage size calculation overflowed with sizes "
                               f"{list(tuple_from(ndim, sizes))}")
        dtype = infer(data, 0, ndim)
        if t is None or t._dtype != dtype:
            t = tensor_new(<sc_dtype>dtype, ndim, sizes, False)
    if t._numel:
        store(data, 0, ndim, sizes, strides_of(t), <sc_dtype>dtype, t._storage.block.data)
    return t


cdef TensorImpl from_number(object number, sc_dtype dtype):
    cdef int64_t no_sizes = 0
    cdef PyObject *item = <PyObject *>number
    cdef TensorImpl t = tensor_new(dtype, 0, &no_sizes, False)
    if not store_exact(&item, 1, dtype, t._storage.block.data):
        store_number(dtype, t._storage.block.data, number)
    return t


# ---- arrays and tensors -------------------------------------------------------------------------------------

cdef TensorImpl tensor_from_array(object array, int dtype):
    """A new tensor with the elements of an array or array scalar, its layout kept where it has no gaps."""
    cdef ArrayView view
    cdef int64_t strides[SC_MAX_NDIM]
    cdef sc_operand to, source
    cdef sc_status status
    cdef int64_t d
    cdef TensorImpl t
    owner = read_array(array, &view, "tensor")
    if not sc_preserve_strides(view.ndim, view.sizes, view.strides, strides):
        raise RuntimeError("tensor: Stride calculation overflowed with sizes "
                           f"{list(tuple_from(view.ndim, view.sizes))}")
    t = tensor_new_strided(view.dtype if dtype == INFER else <sc_dtype>dtype, view.ndim, view.sizes, strides)
    if t._numel == 0:
        return t
    for d in range(view.ndim):
        view.strides[d] *= sc_itemsize(view.dtype)
    byte_strides_of(t, strides)
    to.data, to.byte_strides, to.dtype, to.bits = data_of(t), strides, <sc_dtype>t._dtype, 0
    source.data, source.byte_strides, source.dtype, source.bits = <char *>view.data, view.strides, view.dtype, 0
    if t._numel < GIL_NUMEL:
        status = engine.copy(view.ndim, view.sizes, &to, &source)
    else:
        with nogil:    # `owner` holds the array, and nobody else has seen the tensor
            status = engine.copy(view.ndim, view.sizes, &to, &source)
    if status != SC_OK:
        raise RuntimeError(f"tensor: can't allocate memory for a copy of {t._numel} elements")
    return t


cdef TensorImpl plain_copy(TensorImpl source, sc_dtype dtype):
    cdef int64_t strides[SC_MAX_NDIM]
    cdef TensorImpl t
    if not sc_preserve_strides(source._ss.ndim, sizes_of(source), strides_of(source), strides):
        raise RuntimeError(f"tensor: Stride calculation overflowed with sizes {list(source.sizes())}")
    t = tensor_new_strided(dtype, source._ss.ndim, sizes_of(source), strides)
    copy_into(t, source, "tensor")
    return t


cdef TensorImpl from_data(object data, int dtype):
    if is_exact_sequence(data):
        return from_sequence(data, dtype)
    if PyFloat_CheckExact(data) or PyLong_CheckExact(data) or PyBool_Check(data):
        return from_number(data, <sc_dtype>(dtype if dtype != INFER else infer(data, 0, 0)))
    if is_array(data) or is_array_scalar(data):
        return tensor_from_array(data, dtype)
    if PyUnicode_Check(data) or PyBytes_Check(data):
        infer(data, 0, 0)
    if PySequence_Check(data):
        return from_sequence(data, dtype)
    return from_number(data, <sc_dtype>(dtype if dtype != INFER else infer(data, 0, 0)))
