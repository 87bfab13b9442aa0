"""Type promotion: the dtype of a result that two dtypes go into.

    bool < integers < floats < complex      the higher category wins, whatever the widths
    uint8 with int8 is int16, half with bfloat16 is float32: neither holds the other
    complex with a float: the complex type whose parts hold both
"""
from stridecore.core.args cimport as_dtype
from stridecore.core.dtype cimport dtype_of
from stridecore.core.engine cimport *


cdef inline bint is_wide_unsigned(sc_dtype d) noexcept nogil:
    return d == SC_UINT16 or d == SC_UINT32 or d == SC_UINT64


cdef inline int category(sc_dtype d) noexcept nogil:
    return 3 if sc_is_complex(d) else 2 if sc_is_floating_point(d) else 1 if sc_is_integral(d) else 0


cdef sc_dtype promote_floats(sc_dtype a, sc_dtype b) noexcept nogil:
    """Of float16, bfloat16, float32 and float64."""
    if a == b:
        return a
    if a == SC_FLOAT64 or b == SC_FLOAT64:
        return SC_FLOAT64
    return SC_FLOAT32


cdef sc_dtype promote(sc_dtype a, sc_dtype b) except *:
    cdef int high = category(a)
    cdef int low = category(b)
    if a == b:
        return a
    if sc_is_float8(a) or sc_is_float8(b):
        raise RuntimeError(f"Promotion for Float8 Types is not supported, attempted to promote {dtype_of(a).name} and "
                           f"{dtype_of(b).name}. Convert one of them with .to(...)")
    if high < low:
        a, b = b, a
        high, low = low, high
    if high != 2 and (is_wide_unsigned(a) or is_wide_unsigned(b)):
        raise RuntimeError(f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
                           f"{dtype_of(a).name} and {dtype_of(b).name}. Convert one of them with .to(...)")
    if high == 3 and low >= 2:
        a = promote_floats(sc_to_real(a), sc_to_real(b))
        return SC_COMPLEX128 if a == SC_FLOAT64 else SC_COMPLEX32 if a == SC_FLOAT16 else SC_COMPLEX64
    if high > low:
        return a
    if high == 2:
        return promote_floats(a, b)
    if a == SC_UINT8 or b == SC_UINT8:    # with a signed type
        return SC_INT16 if a == SC_INT8 or b == SC_INT8 else b if a == SC_UINT8 else a
    return a if sc_itemsize(a) > sc_itemsize(b) else b


def promote_types(type1, type2):
    """The smallest dtype, and of the highest category, that both dtypes convert to.

    RuntimeError for a float8 type with another type, and for uint16, uint32 or uint64 with a type that is no float.

    >>> import stridecore as sc
    >>> sc.promote_types(sc.int32, sc.float32), sc.promote_types(sc.uint8, sc.int8)
    (stridecore.float32, stridecore.int16)
    """
    if type1 is None or type2 is None:
        raise TypeError("promote_types: type1 and type2 must be stridecore.dtype, not NoneType")
    return dtype_of(promote(as_dtype(type1, SC_BOOL, "promote_types"), as_dtype(type2, SC_BOOL, "promote_types")))
