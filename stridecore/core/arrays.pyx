"""NumPy's arrays and scalars: recognising them, and reading what they say about their memory.

Nothing here loads NumPy, for an array can only exist once it has been imported. NumPy's headers are not needed either:
`a.__array_struct__` is a capsule around the struct that the array interface protocol documents.
"""
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_CheckExact, PyCapsule_GetPointer
from libc.stdint cimport int64_t

from stridecore.core.dtype cimport dtype as dtype_type, dtype_of
from stridecore.core.engine cimport *

import sys

from stridecore.core.dtype import names

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

cdef object ndarray = None             # numpy.ndarray, once NumPy is loaded
cdef object generic = None             # numpy.generic
cdef dict BY_NAME = names()
cdef dict scalar_codes = {}            # sc_dtype by type of array scalar, of those that were met

SUPPORTED = ("float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, "
             "uint8, and bool (and ml_dtypes' bfloat16 and float8 types)")


cdef bint find_numpy() except -1:
    """True if NumPy is loaded; its types are then known."""
    global ndarray, generic
    if generic is None:
        numpy = sys.modules.get("numpy")
        if not hasattr(numpy, "ndarray") or not hasattr(numpy, "generic"):    # not, or not wholly, loaded
            return False
        ndarray, generic = numpy.ndarray, numpy.generic
    return True


cdef bint is_array(object data) except -1:
    return find_numpy() and isinstance(data, ndarray)


cdef bint is_array_scalar(object data) except -1:
    return find_numpy() and isinstance(data, generic)


cdef int dtype_of_array(object array) except -1:
    code = scalar_codes.get(type(array))
    if code is not None:
        return code
    described = array.dtype
    found = BY_NAME.get(described.name)
    if found is None or described.kind == "O" or described.names is not None:
        return refuse_dtype(array, "tensor")
    if not described.isnative:
        return refuse_order("tensor")
    if is_array_scalar(array):
        scalar_codes[type(array)] = (<dtype_type>found).code
    return (<dtype_type>found).code


cdef int refuse_dtype(object array, str function) except -1:
    raise TypeError(f"{function}: can't convert np.ndarray of type {array.dtype}. The only supported types are: "
                    f"{SUPPORTED}")


cdef int refuse_order(str function) except -1:
    raise ValueError(f"{function}: given numpy array has byte order different from the native byte order; make a copy "
                     "with array.astype(array.dtype.newbyteorder('='))")


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


cdef object read_array(object array, ArrayView *view, str function):
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
            refuse_dtype(array, function)
    elif not info.flags & ARRAY_NOTSWAPPED and info.itemsize > 1:
        refuse_order(function)
    view.data, view.dtype, view.ndim = info.data, <sc_dtype>code, info.nd
    view.readonly = not info.flags & ARRAY_WRITEABLE
    for d in range(info.nd):
        view.sizes[d] = info.shape[d]
        if info.strides[d] % info.itemsize == 0:
            view.strides[d] = info.strides[d] // info.itemsize
        elif info.shape[d] > 1:
            raise ValueError(f"{function}: given numpy array strides {array.strides} are not a multiple of the element "
                             f"byte size {info.itemsize}. Copy the numpy array to reallocate the memory")
        else:
            view.strides[d] = 1
    return capsule
