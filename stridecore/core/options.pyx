"""The arguments that the functions which make tensors share: sizes, numbers, options and `out=`."""
from cpython.bool cimport PyBool_Check
from cpython.complex cimport PyComplex_Check
from cpython.float cimport PyFloat_Check
from cpython.long cimport PyLong_CheckExact
from libc.string cimport memcmp

from stridecore.core.args cimport as_dtype, as_int
from stridecore.core.device cimport check_device
from stridecore.core.dtype cimport default_dtype, dtype_of
from stridecore.core.memory_format cimport layout as layout_type, strided
from stridecore.core.scalars cimport plain_number, read_item
from stridecore.core.size cimport tuple_from
from stridecore.core.storage cimport READONLY, refuse_readonly, storage_resize
from stridecore.core.tensor_impl cimport *


cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object, int *) except? -1

cdef object UNSET = object()


# ---- options ------------------------------------------------------------------------------------------------

cdef bint as_flag(object value, str function, str name) except -1:
    """A bool argument; None counts as False."""
    if value is None or value is False:
        return False
    if value is True:
        return True
    raise TypeError(f"{function}: {name} must be bool, not {type(value).__name__}")


cdef int refuse_options(object layout, object device, object pin_memory, object requires_grad,
                        str function) except -1:
    check_device(device, function)
    if layout is not None and layout is not strided:
        if not isinstance(layout, layout_type):
            raise TypeError(f"{function}: layout must be a stridecore.layout, not {type(layout).__name__}")
        raise NotImplementedError(f"{function}: makes strided tensors only, got layout={layout!r}")
    if as_flag(pin_memory, function, "pin_memory"):
        raise RuntimeError(f"{function}: pin_memory=True needs an accelerator, and there is none; leave it out")
    if as_flag(requires_grad, function, "requires_grad"):
        raise NotImplementedError(f"{function}: requires_grad=True: stridecore has no autograd; leave it out")
    return 0


# ---- sizes --------------------------------------------------------------------------------------------------

cdef int64_t as_size(object value, str function, Py_ssize_t place) except? -1:
    """One size: as_int, and a TypeError for what does not fit in 64 bits."""
    try:
        return as_int(value, function, "size")
    except (OverflowError, ValueError) as error:
        raise TypeError(f"{function}: size at position {place}: {error}") from None


cdef int64_t read_size(object value, str function, Py_ssize_t place, int64_t *size) except -1:
    cdef int beyond = 0
    if PyLong_CheckExact(value):
        size[0] = PyLong_AsLongLongAndOverflow(value, &beyond)
        if not beyond:
            return 0
    size[0] = as_size(value, function, place)
    return 0


cdef int64_t too_many(int64_t n, str function, str name) except -1:
    raise ValueError(f"{function}: {name} has {n} items; at most {SC_MAX_NDIM} dims are supported")


cdef int64_t size_list(object size, str function, str name, int64_t *values) except -1:
    cdef Py_ssize_t n, d
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"{function}: {name} must be a tuple of ints, not {type(size).__name__}")
    size = tuple(size)    # a list could change while an item's __index__ runs
    n = len(<tuple>size)
    if n > SC_MAX_NDIM:
        return too_many(n, function, name)
    for d in range(n):
        read_size((<tuple>size)[d], function, d, values + d)
    return n


cdef int64_t size_args(object first, tuple rest, object size, str function, int64_t *sizes) except -1:
    cdef Py_ssize_t d, n = len(rest)
    if first is UNSET:
        if size is None:
            raise TypeError(f"{function}() missing 1 required positional argument: 'size'")
        return size_list(size, function, "size", sizes)
    if size is not None:
        raise TypeError(f"{function}() got multiple values for argument 'size'")
    if isinstance(first, (tuple, list)):
        if n:
            raise TypeError(f"{function}() takes 1 positional argument but {n + 1} were given: sizes are f(2, 3) or "
                            "f((2, 3))")
        return size_list(first, function, "size", sizes)
    if n >= SC_MAX_NDIM:
        return too_many(n + 1, function, "size")
    read_size(first, function, 0, sizes)
    for d in range(n):
        read_size(rest[d], function, d + 1, sizes + d + 1)
    return n + 1


# ---- numbers ------------------------------------------------------------------------------------------------

cdef object as_number(object value, str function, str name):
    cdef TensorImpl t
    if isinstance(value, TensorImpl):
        t = <TensorImpl>value
        if t._ss.ndim != 0:
            raise TypeError(f"{function}: {name} must be Number, not Tensor: it has {t._ss.ndim} dims, and a 0-dim "
                            "tensor or a Python number is needed")
        check_reach(t, function)
        return read_item(<sc_dtype>t._dtype, data_of(t), t._bits)
    number = plain_number(value)
    if number is None:
        raise TypeError(f"{function}: {name} must be Number, not {type(value).__name__}")
    return number


cdef sc_dtype dtype_of_number(object number) noexcept:
    if PyBool_Check(number):
        return SC_BOOL
    if PyFloat_Check(number):
        return default_dtype()
    if PyComplex_Check(number):
        return SC_COMPLEX128 if default_dtype() == SC_FLOAT64 else SC_COMPLEX64
    return SC_INT64


# ---- out= ---------------------------------------------------------------------------------------------------

cdef TensorImpl as_out(object out, object dtype, str function):
    if not isinstance(out, TensorImpl):
        raise TypeError(f"{function}: out must be Tensor, not {type(out).__name__}")
    cdef TensorImpl t = <TensorImpl>out
    if as_dtype(dtype, <sc_dtype>t._dtype, function) != t._dtype:
        raise RuntimeError(f"{function}: dtype {dtype!r} does not match dtype of out parameter "
                           f"({dtype_of(<sc_dtype>t._dtype)!r})")
    if t._storage.flags & READONLY:
        refuse_readonly(function)
    return t


cdef bint has_to_shrink_or_grow(object out, int64_t ndim, const int64_t *sizes) noexcept:
    cdef TensorImpl t
    if not isinstance(out, TensorImpl):
        return False
    t = <TensorImpl>out
    return t._numel != 0 and (t._ss.ndim != ndim or memcmp(sizes_of(t), sizes, ndim * sizeof(int64_t)) != 0)


def warn_of_resize(str function, shape, stacklevel=2):
    """Warn that an `out` with elements was resized to this shape, which may be a mistake; once it is written, since
    whoever hears the warning may change any tensor."""
    import warnings

    warnings.warn(f"{function}: an output with one or more elements was resized since its shape did not match the "
                  f"required output shape {list(shape)}. Give one of that shape or, to have it resized, an empty one",
                  UserWarning, stacklevel=stacklevel)


cdef int fit_out(TensorImpl out, int64_t ndim, const int64_t *sizes, str function) except -1:
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t numel = 0, nbytes = 0
    if out._ss.ndim == ndim and memcmp(sizes_of(out), sizes, ndim * sizeof(int64_t)) == 0:
        return 0
    check_sizes(ndim, sizes, function)
    if not sc_contiguous_strides(ndim, sizes, strides):
        raise RuntimeError(f"{function}: Stride calculation overflowed with sizes {list(tuple_from(ndim, sizes))}")
    if (not sc_numel(ndim, sizes, &numel) or not sc_add(out._storage_offset, numel, &nbytes)
            or not sc_mul(nbytes, itemsize_of(out), &nbytes)):
        raise RuntimeError(f"{function}: Storage size calculation overflowed with sizes "
                           f"{list(tuple_from(ndim, sizes))}")
    if numel and nbytes > out._storage._nbytes:
        storage_resize(out._storage, nbytes)
    return set_layout(out, out._storage_offset, ndim, sizes, strides, function)
