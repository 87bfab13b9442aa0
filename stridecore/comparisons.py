"""Comparisons: a bool for each element, or the bools in `out` or, in place, in the tensor's own dtype."""

import numpy

from stridecore import dtypes
from stridecore.core.binary import EQ, GE, GT, LE, LT, NE, straight
from stridecore.defining import define, public
from stridecore.operands import common_dtype, compute, operand, pair, plain, refuse_dtype, tensor
from stridecore.tensor import Tensor


def _compared(name, function, input, other, out, ordered=True):
    input, other = pair(name, input, other)
    dtype = common_dtype(input, other)
    if ordered and dtype.is_complex:
        refuse_dtype(name, dtype, "; complex numbers have no order")
    return compute(name, function, [input, other], dtype, result=dtypes.bool, out=out)


def eq(input, other, *, out=None):
    """True where input equals other, a tensor that broadcasts with it or a number."""
    result = straight(EQ, tensor("eq", input), other, out)
    return _compared("eq", numpy.equal, input, other, out, ordered=False) if result is None else result


def ne(input, other, *, out=None):
    """True where input differs from other, a tensor that broadcasts with it or a number."""
    result = straight(NE, tensor("ne", input), other, out)
    return _compared("ne", numpy.not_equal, input, other, out, ordered=False) if result is None else result


def lt(input, other, *, out=None):
    """True where input is less than other, a tensor that broadcasts with it or a number."""
    result = straight(LT, tensor("lt", input), other, out)
    return _compared("lt", numpy.less, input, other, out) if result is None else result


def le(input, other, *, out=None):
    """True where input is at most other, a tensor that broadcasts with it or a number."""
    result = straight(LE, tensor("le", input), other, out)
    return _compared("le", numpy.less_equal, input, other, out) if result is None else result


def gt(input, other, *, out=None):
    """True where input is greater than other, a tensor that broadcasts with it or a number."""
    result = straight(GT, tensor("gt", input), other, out)
    return _compared("gt", numpy.greater, input, other, out) if result is None else result


def ge(input, other, *, out=None):
    """True where input is at least other, a tensor that broadcasts with it or a number."""
    result = straight(GE, tensor("ge", input), other, out)
    return _compared("ge", numpy.greater_equal, input, other, out) if result is None else result


def _is_close(rtol, atol, equal_nan):
    def run(a, b, **how):
        close = numpy.equal(a, b)
        if equal_nan:
            close = close | ((a != a) & (b != b))
        if rtol or atol:
            if a.dtype.kind not in "fc":
                a, b = a.astype(numpy.float64), b.astype(numpy.float64)
            distance = numpy.absolute(numpy.subtract(a, b))
            close = close | (numpy.isfinite(distance) & (distance <= atol + numpy.absolute(rtol * b)))
        return numpy.logical_or(close, False, **how)

    return run


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """True where the distance of two elements is at most atol + rtol * |other|; the tensors are of one dtype.

    Infinities are close if they are equal, NaNs with `equal_nan=True`. RuntimeError for different dtypes or negative
    tolerances.
    """
    input, other = pair("isclose", input, other, numbers=False)
    if input.dtype is not other.dtype:
        raise RuntimeError(f"isclose: {input.dtype.name} did not match {other.dtype.name}; convert one with .to(...)")
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if tolerance < 0:
            raise RuntimeError(f"isclose: {name} must be greater than or equal to zero, but got {tolerance}")
    dtype = input.dtype
    computed = dtypes.uint8 if dtype is dtypes.bool else None
    return compute("isclose", _is_close(rtol, atol, equal_nan), [input, other], dtype, result=dtypes.bool,
                   computed=computed)


def contains(container, element):
    """Whether an element of the tensor equals `element`, a number or a tensor that broadcasts: `element in x`."""
    if not isinstance(element, Tensor):
        try:
            element = operand("__contains__", element)
        except TypeError:
            raise RuntimeError("Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
                               f"{type(element)}.") from None
    return bool(plain(eq(container, element), dtypes.bool).numpy().any())


_room = globals()
define(_room, eq, "[1, 2, 3]", "2", "[False,  True, False]", kinds="fmi", here="[0, 1, 0]",
       code=EQ)
define(_room, ne, "[1, 2, 3]", "2", "[ True, False,  True]", kinds="fmi", aliases=["not_equal"], here="[1, 0, 1]",
       code=NE)
define(_room, lt, "[1, 2, 3]", "2", "[ True, False, False]", kinds="fmi", aliases=["less"], here="[1, 0, 0]",
       code=LT)
define(_room, le, "[1, 2, 3]", "2", "[ True,  True, False]", kinds="fmi", aliases=["less_equal"], here="[1, 1, 0]",
       code=LE)
define(_room, gt, "[1, 2, 3]", "2", "[False, False,  True]", kinds="fmi", aliases=["greater"], here="[0, 0, 1]",
       code=GT)
define(_room, ge, "[1, 2, 3]", "2", "[False,  True,  True]", kinds="fmi", aliases=["greater_equal"], here="[0, 1, 1]",
       code=GE)
define(_room, isclose, "[1.0, 2.0]", "sc.tensor([1.0, 2.1])", "[ True, False]", kinds="fm")

__all__ = public(_room)
