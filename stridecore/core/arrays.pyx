"""NumPy's arrays and scalars as the values of new tensors.

An array can only exist once NumPy has been imported, so it is looked for among the loaded modules: nothing here loads
NumPy. The elements are read through the buffer protocol, which knows no bfloat16 and float8 (ml_dtypes' types): such
arrays are read through a view of them as unsigned ints.
"""
from cpython.buffer cimport (Py_buffer, PyBUF_STRIDES, PyBuffer_Release, PyObject_GetBuffer)
from libc.stdint cimport int64_t

from stridecore.core cimport engine
from stridecore.core.dtype cimport dtype
from stridecore.core.engine cimport *
from stridecore.core.tensor_impl cimport *

import sys

from stridecore.core.dtype import names

cdef object ndarray = None
cdef object generic = None
cdef dict BY_NAME = names()
cdef dict BITS = {1: "u1", 2: "u2"}

# Below this many elements a copy costs less than letting go of the GIL and taking it again.
cdef enum:
    GIL_NUMEL = 4096


cdef bint numpy_is_loaded():
    global ndarray, generic
    if ndarray is None:
        numpy = sys.modules.get("numpy")
        generic = getattr(numpy, "generic", None)
        ndarray = getattr(numpy, "ndarray", None)
    return ndarray is not None and generic is not None


cdef bint is_array(object data):
    return numpy_is_loaded() and isinstance(data, ndarray)


cdef bint is_array_scalar(object data):
    return numpy_is_loaded() and isinstance(data, generic)


cdef int dtype_of_array(object array) except -1:
    described = array.dtype
    found = BY_NAME.get(described.name)
    if found is None or described.names is not None or described.kind == "O":
        raise TypeError(f"can't convert np.ndarray of type {described.type.__module__}.{described.type.__name__}. "
                        "The only supported types are: bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
                        "float16, float32, float64, complex64, complex128, and ml_dtypes' bfloat16 and float8 types")
    if not described.isnative:
        raise ValueError(f"given numpy array has byte order {described.byteorder!r}, different from the native byte "
                         "order. Use array.astype(array.dtype.newbyteorder('=')) to convert it")
    return (<dtype>found).code


cdef TensorImpl tensor_from_array(object array, int dtype):
    cdef sc_dtype source_dtype = <sc_dtype>dtype_of_array(array)
    if not isinstance(array, ndarray):
        array = sys.modules["numpy"].asarray(array)
    if source_dtype == SC_BFLOAT16 or sc_is_float8(source_dtype):
        array = array.view(BITS[sc_itemsize(source_dtype)])
    cdef Py_buffer buffer
    PyObject_GetBuffer(array, &buffer, PyBUF_STRIDES)
    try:
        return tensor_from_buffer(&buffer, source_dtype, source_dtype if dtype < 0 else <sc_dtype>dtype)
    finally:
        PyBuffer_Release(&buffer)


cdef TensorImpl tensor_from_buffer(Py_buffer *buffer, sc_dtype source_dtype, sc_dtype dtype):
    """A new tensor with the elements of a buffer, which holds elements of `source_dtype`."""
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t byte_strides[SC_MAX_NDIM]
    cdef int64_t from_strides[SC_MAX_NDIM]
    cdef int64_t d, ndim = buffer.ndim, itemsize = sc_itemsize(source_dtype)
    cdef bint whole = True
    cdef sc_operand to, source
    cdef sc_status status
    cdef TensorImpl t
    if ndim > SC_MAX_NDIM:
        raise ValueError(f"tensor: the array has {ndim} dims; at most {SC_MAX_NDIM} are supported")
    for d in range(ndim):
        sizes[d] = buffer.shape[d]
        from_strides[d] = buffer.strides[d]
        whole = whole and sizes[d] != 0 and from_strides[d] % itemsize == 0
        strides[d] = from_strides[d] // itemsize
    if whole and sc_preserve_strides(ndim, sizes, strides, byte_strides):
        t = tensor_new_strided(dtype, ndim, sizes, byte_strides)
    else:
        t = tensor_new(dtype, ndim, sizes, False)
    if t._numel == 0:
        return t
    byte_strides_of(t, byte_strides)
    to.data, to.byte_strides, to.dtype, to.bits = data_of(t), byte_strides, dtype, 0
    source.data, source.byte_strides, source.dtype, source.bits = <char *>buffer.buf, from_strides, source_dtype, 0
    if t._numel < GIL_NUMEL:
        status = engine.copy(ndim, sizes, &to, &source)
    else:
        with nogil:    # the buffer is held, and nobody else has seen the tensor
            status = engine.copy(ndim, sizes, &to, &source)
    if status != SC_OK:
        raise MemoryError
    return t
