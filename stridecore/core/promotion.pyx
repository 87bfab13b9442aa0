"""Type promotion: the dtype of a result that two dtypes go into.

    bool < integers < floats < complex      the higher category wins, whatever the widths
    uint8 with int8 is int16, half with bfloat16 is float32: neither holds the other
    complex with a float: the complex type whose parts hold both

Of operands, tensors with dims count first, then 0-dim tensors, then numbers: a later group decides only by a higher
category.
"""
from cpython.complex cimport PyComplex_Check

from stridecore.core.args cimport as_dtype
from stridecore.core.dtype cimport default_complex_dtype, dtype_of
from stridecore.core.engine cimport *
from stridecore.core.options cimport dtype_of_number
from stridecore.core.scalars cimport plain_number
from stridecore.core.tensor_impl cimport TensorImpl


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


cdef int combined(int higher, int lower) except -2:
    """The dtype of a group of operands of higher priority and one of lower; -1 is none."""
    if higher < 0 or lower < 0:
        return lower if higher < 0 else higher
    if category(<sc_dtype>higher) >= category(<sc_dtype>lower):
        return higher
    if category(<sc_dtype>higher) == 2 and not sc_is_float8(<sc_dtype>higher):    # the lower one is complex
        return SC_COMPLEX128 if higher == SC_FLOAT64 else SC_COMPLEX32 if higher == SC_FLOAT16 else SC_COMPLEX64
    return lower if category(<sc_dtype>higher) != 2 and category(<sc_dtype>lower) == 3 else promote(<sc_dtype>higher, <sc_dtype>lower)


cdef sc_dtype result_dtype(tuple operands) except *:
    cdef int groups[3]
    cdef int group
    cdef sc_dtype dtype
    groups[0] = groups[1] = groups[2] = -1
    for value in operands:
        if isinstance(value, TensorImpl):
            group = 0 if (<TensorImpl>value)._ss.ndim else 1
            dtype = <sc_dtype>(<TensorImpl>value)._dtype
        else:
            group, dtype = 2, default_complex_dtype() if PyComplex_Check(value) else dtype_of_number(value)
        groups[group] = dtype if groups[group] < 0 else promote(<sc_dtype>groups[group], dtype)
    return <sc_dtype>combined(groups[0], combined(groups[1], groups[2]))


cdef bint can_hold(sc_dtype target, sc_dtype source) noexcept nogil:
    return category(source) <= category(target)


def common_dtype(*operands):
    """The dtype in which tensors and Python numbers meet, as torch's operators have it."""
    return dtype_of(result_dtype(operands))


def result_type(tensor, other):
    """The dtype of an operation on two operands, each a tensor or a number.

    Tensors with dims decide; a 0-dim tensor changes the dtype only if its kind (bool, integer, float, complex) is a
    higher one, and a number only if its kind is higher than both.

    >>> import stridecore as sc
    >>> x = sc.ones(2, dtype=sc.int8)
    >>> sc.result_type(x, sc.tensor(5)), sc.result_type(x, 1.5), sc.result_type(x, sc.ones(2))
    (stridecore.int8, stridecore.float32, stridecore.float32)
    """
    operands = []
    for name, value in (("tensor", tensor), ("other", other)):
        if not isinstance(value, TensorImpl):
            number = plain_number(value)
            if number is None:
                raise TypeError(f"result_type: {name} must be a Tensor or a number, not {type(value).__name__}")
            value = number
        operands.append(value)
    return dtype_of(result_dtype(tuple(operands)))


def can_cast(from_, to):
    """True unless a cast loses the kind: complex to real, float to integer, or anything but bool to bool.

    >>> import stridecore as sc
    >>> sc.can_cast(sc.float64, sc.float32), sc.can_cast(sc.float32, sc.int64)
    (True, False)
    """
    if from_ is None or to is None:
        raise TypeError("can_cast: from_ and to must be stridecore.dtype, not NoneType")
    return can_hold(as_dtype(to, SC_BOOL, "can_cast"), as_dtype(from_, SC_BOOL, "can_cast"))


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
