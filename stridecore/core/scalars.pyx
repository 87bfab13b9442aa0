"""One element as a Python number, and back.

Reading gives bool, int, float or complex. Writing takes those and NumPy's scalars; a number that does not fit is a
RuntimeError, as in torch, but negative ints wrap into unsigned types as long as their magnitude fits.
"""
from cpython.bool cimport PyBool_Check
from cpython.complex cimport PyComplex_Check, PyComplex_RealAsDouble, PyComplex_ImagAsDouble
from cpython.float cimport PyFloat_Check, PyFloat_CheckExact, PyFloat_AS_DOUBLE, PyFloat_FromDouble
from cpython.long cimport PyLong_Check
from libc.math cimport isinf, isnan, fabs
from libc.stdint cimport (int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, INT64_MIN,
                          INT64_MAX, UINT64_MAX)
from libc.string cimport memcpy

from stridecore.core cimport engine
from stridecore.core.engine cimport *
from stridecore.core.dtype cimport dtype_of


cdef extern from "Python.h":
    object PyLong_FromLongLong(long long)
    object PyLong_FromUnsignedLongLong(unsigned long long)
    object PyComplex_FromDoubles(double, double)
    long long PyLong_AsLongLongAndOverflow(object, int *) except? -1
    unsigned long long PyLong_AsUnsignedLongLong(object) except? -1

# The largest finite value of each float dtype and whether it has infinities (src/dtype.h order from SC_FLOAT16).
cdef double FLOAT_MAX = 3.4028234663852886e38


cdef double largest(sc_dtype dtype) noexcept nogil:
    if dtype == SC_FLOAT16 or dtype == SC_COMPLEX32:
        return 65504.0
    if dtype == SC_BFLOAT16:
        return 3.3895313892515355e38
    if dtype == SC_FLOAT32 or dtype == SC_COMPLEX64:
        return FLOAT_MAX
    if dtype == SC_FLOAT8_E4M3FN:
        return 448.0
    if dtype == SC_FLOAT8_E5M2 or dtype == SC_FLOAT8_E5M2FNUZ:
        return 57344.0
    if dtype == SC_FLOAT8_E4M3FNUZ:
        return 240.0
    if dtype == SC_FLOAT8_E8M0FNU:
        return 1.7014118346046923e38
    return 1.7976931348623157e308


cdef bint has_infinity(sc_dtype dtype) noexcept nogil:
    return not sc_is_float8(dtype) or dtype == SC_FLOAT8_E5M2


# ---- reading ------------------------------------------------------------------------------------------------

cdef object read_item(sc_dtype dtype, const char *item, int bits):
    """The element at `item` (any alignment), with its lazy bits applied, as a Python number."""
    cdef int64_t i64 = 0
    cdef uint64_t u64
    cdef float f32
    cdef double f64 = 0
    cdef double parts[2]
    if dtype == SC_FLOAT32:
        memcpy(&f32, item, 4)
        return PyFloat_FromDouble(-f32 if bits & SC_NEG else f32)
    if dtype == SC_INT64:
        memcpy(&i64, item, 8)
    elif dtype == SC_BOOL:
        return item[0] != 0
    elif dtype == SC_UINT64:
        memcpy(&u64, item, 8)
        return PyLong_FromUnsignedLongLong(-u64 if bits & SC_NEG else u64)
    elif sc_is_integral(dtype):
        engine.convert_item(SC_INT64, &i64, dtype, item)
    elif sc_is_complex(dtype):
        engine.convert_item(SC_COMPLEX128, parts, dtype, item)
        if bits & SC_CONJ:
            parts[1] = -parts[1]
        if bits & SC_NEG:
            parts[0], parts[1] = -parts[0], -parts[1]
        return PyComplex_FromDoubles(parts[0], parts[1])
    else:
        engine.convert_item(SC_FLOAT64, &f64, dtype, item)
        return PyFloat_FromDouble(-f64 if bits & SC_NEG else f64)
    return PyLong_FromLongLong(-i64 if bits & SC_NEG else i64)


# ---- writing ------------------------------------------------------------------------------------------------

cdef object plain_number(object value):
    """The bool, int, float or complex that `value` is: itself, a NumPy scalar's or a 0-dim int's; else None."""
    if PyFloat_Check(value) or PyLong_Check(value) or PyComplex_Check(value):
        return value
    if hasattr(value, "dtype") and hasattr(value, "item") and not hasattr(value, "__setitem__"):
        value = value.item()
        if PyFloat_Check(value) or PyLong_Check(value) or PyComplex_Check(value):
            return value
    return None


cdef int overflow(sc_dtype dtype, object value, str function) except -1:
    raise RuntimeError(f"{function}: value {value!r} cannot be converted to type {dtype_of(dtype).name} "
                       "without overflow")


cdef int write_int(sc_dtype dtype, char *item, object value, int mode, str function) except -1:
    """A Python int."""
    cdef int beyond = 0
    cdef int64_t i64 = PyLong_AsLongLongAndOverflow(value, &beyond)
    cdef uint64_t u64 = 0
    cdef uint64_t magnitude
    if beyond:
        if mode == ASSIGN:
            raise ValueError(f"{function}: Overflow when unpacking long long: {value} does not fit in 64 bits")
        if beyond < 0:
            raise OverflowError(f"{function}: int {value} is too small; the least is {INT64_MIN}")
        u64 = PyLong_AsUnsignedLongLong(value)
        if sc_is_integral(dtype) and dtype != SC_UINT64 or largest(dtype) < <double>u64 and not sc_is_complex(dtype):
            overflow(dtype, value, function)
        engine.convert_item(dtype, item, SC_UINT64, &u64)
        return 0
    if sc_is_integral(dtype):
        magnitude = -<uint64_t>i64 if i64 < 0 else <uint64_t>i64
        if dtype == SC_UINT8 and magnitude > 0xFF or dtype == SC_UINT16 and magnitude > 0xFFFF \
                or dtype == SC_UINT32 and magnitude > 0xFFFFFFFF \
                or dtype == SC_INT8 and i64 != <int8_t>i64 or dtype == SC_INT16 and i64 != <int16_t>i64 \
                or dtype == SC_INT32 and i64 != <int32_t>i64:
            overflow(dtype, value, function)
    elif dtype != SC_BOOL:
        check_range(dtype, <double>i64, value, mode, function)
    engine.convert_item(dtype, item, SC_INT64, &i64)
    return 0


cdef int check_range(sc_dtype dtype, double part, object value, int mode, str function) except -1:
    """RuntimeError if a float dtype can't hold the number under this mode."""
    cdef sc_dtype judged = dtype
    if mode == ASSIGN and (dtype == SC_FLOAT16 or dtype == SC_BFLOAT16 or sc_is_float8(dtype)):
        return 0
    if mode == FILL and dtype == SC_COMPLEX32:
        judged = SC_COMPLEX64
    if isnan(part) or isinf(part) and has_infinity(dtype):
        return 0
    if fabs(part) > largest(judged):
        overflow(dtype, value, function)
    if dtype == SC_FLOAT8_E8M0FNU and part < 0 and not PyLong_Check(value):
        overflow(dtype, value, function)
    return 0


cdef int write_float(sc_dtype dtype, char *item, double number, object value, int mode, str function) except -1:
    """A Python float: truncated into ints that can hold it."""
    cdef double low = 0, high    # both held by the dtype; for 64 bits, high is the first that isn't
    cdef uint64_t u64
    if sc_is_integral(dtype):
        if dtype == SC_UINT8:
            high = 255.0
        elif dtype == SC_UINT16:
            high = 65535.0
        elif dtype == SC_UINT32:
            high = 4294967295.0
        elif dtype == SC_UINT64:
            high = 18446744073709551616.0
        elif dtype == SC_INT8:
            low, high = -128.0, 127.0
        elif dtype == SC_INT16:
            low, high = -32768.0, 32767.0
        elif dtype == SC_INT32:
            low, high = -2147483648.0, 2147483647.0
        else:
            low, high = -9223372036854775808.0, 9223372036854775808.0
        if not low <= number <= high or number == high and sc_itemsize(dtype) == 8:
            overflow(dtype, value, function)
        if dtype == SC_UINT64:
            u64 = <uint64_t>number
            memcpy(item, &u64, 8)
            return 0
    elif dtype != SC_BOOL:
        check_range(dtype, number, value, mode, function)
    engine.convert_item(dtype, item, SC_FLOAT64, &number)
    return 0


cdef int write_complex(sc_dtype dtype, char *item, double real, double imag, object value, int mode,
                       str function) except -1:
    """A Python complex: into real dtypes only without an imaginary part."""
    cdef double parts[2]
    parts[0], parts[1] = real, imag
    if dtype != SC_BOOL:
        if not sc_is_complex(dtype):
            if imag != 0:
                overflow(dtype, value, function)
            return write_float(dtype, item, real, value, mode, function)
        check_range(dtype, real, value, mode, function)
        check_range(dtype, imag, value, mode, function)
    engine.convert_item(dtype, item, SC_COMPLEX128, parts)
    return 0


cdef int write_item(sc_dtype dtype, char *item, int bits, object value, int mode, str function) except -1:
    """Store a Python or NumPy number at `item` (any alignment), so that reading it with the lazy bits gives it back."""
    cdef double number
    cdef float f32
    if PyFloat_CheckExact(value) and dtype == SC_FLOAT32 and not bits:
        number = PyFloat_AS_DOUBLE(value)
        if fabs(number) <= FLOAT_MAX or isinf(number) or isnan(number):
            f32 = <float>number
            memcpy(item, &f32, 4)
            return 0
    plain = plain_number(value)
    if plain is None:
        raise TypeError(f"{function}: value must be a number, not {type(value).__name__}")
    if bits & SC_NEG:
        plain = -0.0 if plain == 0 and PyLong_Check(plain) and not sc_is_integral(dtype) else -plain
    if bits & SC_CONJ:
        plain = complex(plain).conjugate()
    if PyLong_Check(plain):
        return write_int(dtype, item, plain, mode, function)
    if PyFloat_Check(plain):
        return write_float(dtype, item, PyFloat_AS_DOUBLE(plain), plain, mode, function)
    return write_complex(dtype, item, PyComplex_RealAsDouble(plain), PyComplex_ImagAsDouble(plain), plain, mode,
                         function)
