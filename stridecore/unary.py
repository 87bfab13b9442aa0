"""Functions of one tensor whose result is no transcendental: signs, rounding, tests of each element.

Integers keep their dtype where rounding or signs leave them integers; where torch does not implement a dtype, what it
would mean is computed.
"""

import builtins
from collections import namedtuple

import numpy

from stridecore import dtypes
from stridecore.core.binary import ABS, MUL, straight
from stridecore.creation import empty
from stridecore.defining import define, public
from stridecore.operands import compute, float_dtype, is_float, tensor


def _copy(a, **how):
    return numpy.positive(a, **how) if a.dtype.kind != "b" else numpy.logical_or(a, a, **how)


def _same_kind(name, function, x, out, integers=None):
    """The function for floats; for integers and bools `integers`, or their values as they are."""
    x = tensor(name, x)
    return compute(name, function if is_float(x.dtype) else integers or _copy, [x], x.dtype, out=out, exact=True)


def _refuse_complex(name, x, way_out, error=RuntimeError):
    if tensor(name, x).dtype.is_complex:
        raise error(f"{name}: not defined for complex tensors ({x.dtype!r}). {way_out}")


# ---- signs --------------------------------------------------------------------------------------------------


def neg(input, *, out=None):
    """Each element with the other sign, wrapping for unsigned integers; RuntimeError for bools."""
    if tensor("neg", input).dtype is dtypes.bool:
        raise RuntimeError("neg: Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
                           "invert a mask, use the `~` or `logical_not()` operator instead.")
    return compute("neg", numpy.negative, [input], input.dtype, out=out, exact=True)


def positive(input):
    """The tensor itself; RuntimeError for bools."""
    if tensor("positive", input).dtype is dtypes.bool:
        raise RuntimeError("positive: The `+` operator, on a bool tensor is not supported.")
    return input


def abs(input, *, out=None):
    """The absolute value of each element: of complex numbers a real one."""
    dtype = tensor("abs", input).dtype
    if out is None or out is input:
        result = straight(ABS, input, 0, out)
        if result is not None:
            return result
    if out is input and dtype.is_complex:
        raise RuntimeError("abs_: In-place abs is not supported for complex tensors, whose absolute values are real. "
                           "Use x.abs()")
    function = _copy if dtype is dtypes.bool else numpy.absolute
    return compute("abs", function, [input], dtype, result=dtype.to_real(), out=out, exact=not dtype.is_complex)


def _sign(a, **how):
    if a.dtype.kind == "f":
        return numpy.subtract((a > 0).astype(a.dtype), (a < 0).astype(a.dtype), **how)
    return _copy(a, **how) if a.dtype.kind == "b" else numpy.sign(a, **how)


def sign(input, *, out=None):
    """-1, 0 or 1 for each element, 0 for NaN; RuntimeError for complex tensors, see `sgn`."""
    _refuse_complex("sign", input, "Unlike NumPy, torch.sign doesn't handle complex numbers: use sgn()",
                    NotImplementedError)
    return compute("sign", _sign, [input], input.dtype, out=out, exact=True)


def _sgn(a, **how):
    if a.dtype.kind != "c":
        return _sign(a, **how)
    size = numpy.absolute(a)
    return numpy.divide(a, numpy.where(size == 0, 1, size).astype(size.dtype), **how)


def sgn(input, *, out=None):
    """Each element divided by its absolute value, 0 for 0: for real numbers their sign."""
    return compute("sgn", _sgn, [tensor("sgn", input)], input.dtype, out=out, exact=True)


def signbit(input, *, out=None):
    """True for each element whose sign is minus, -0.0 included; RuntimeError for complex tensors."""
    _refuse_complex("signbit", input, "Use x.real.signbit()")
    function = numpy.signbit if is_float(input.dtype) else _below_zero
    return compute("signbit", function, [input], input.dtype, result=dtypes.bool, out=out, exact=True)


def _below_zero(a, **how):
    return numpy.less(a, numpy.zeros((), a.dtype), **how)


def _angle(a, **how):
    if a.dtype.kind == "c":
        return numpy.arctan2(a.imag, a.real, **how)
    return numpy.add(numpy.where(a < 0, numpy.pi, 0).astype(a.dtype), numpy.where(a != a, a, 0).astype(a.dtype), **how)


def angle(input, *, out=None):
    """The angle of each element in the complex plane, in radians: 0 or pi for real numbers."""
    dtype = float_dtype(tensor("angle", input).dtype)
    if out is None and dtype.is_complex:    # torch's result is contiguous
        out = empty(input.shape, dtype=dtype.to_real())
    return compute("angle", _angle, [input], dtype, result=dtype.to_real(), out=out)


# ---- rounding -----------------------------------------------------------------------------------------------


def ceil(input, *, out=None):
    """The smallest whole number that is not below each element; integers stay as they are."""
    _refuse_complex("ceil", input, "Round the real and imaginary parts", NotImplementedError)
    return _same_kind("ceil", numpy.ceil, input, out)


def floor(input, *, out=None):
    """The largest whole number that is not above each element; integers stay as they are."""
    _refuse_complex("floor", input, "Round the real and imaginary parts", NotImplementedError)
    return _same_kind("floor", numpy.floor, input, out)


def trunc(input, *, out=None):
    """The whole part of each element: towards 0; integers stay as they are."""
    _refuse_complex("trunc", input, "Round the real and imaginary parts", NotImplementedError)
    return _same_kind("trunc", numpy.trunc, input, out)


def _frac(a, **how):
    return numpy.subtract(a, numpy.trunc(a), **how)


def _no_frac(a, **how):
    return numpy.not_equal(a, a, **how)


def frac(input, *, out=None):
    """What `trunc` cuts off each element, with its sign; 0 for integers."""
    _refuse_complex("frac", input, "Take the real and imaginary parts", NotImplementedError)
    return _same_kind("frac", _frac, input, out, integers=_no_frac)


def round(input, *, decimals=0, out=None):
    """Each element rounded to so many decimals, halves to even; negative decimals are tens, ..."""
    _refuse_complex("round", input, "Round the real and imaginary parts", NotImplementedError)
    if not decimals:
        return _same_kind("round", numpy.rint, input, out)
    ten = 10.0 ** builtins.abs(decimals) if builtins.abs(decimals) < 308 else numpy.inf

    def rounded(a, **how):
        scale = numpy.asarray(ten).astype(a.dtype if a.dtype.kind == "f" else numpy.float64)
        if decimals > 0:
            return numpy.divide(numpy.rint(a * scale), scale, **how)
        return numpy.multiply(numpy.rint(a / scale), scale, **how)

    return _same_kind("round", rounded, input, out, integers=rounded if decimals < 0 else None)


# ---- powers without a second operand ------------------------------------------------------------------------


def square(input, *, out=None):
    """Each element times itself; bools give int64."""
    dtype = tensor("square", input).dtype
    if dtype is not dtypes.bool and (out is None or out is input):
        result = straight(MUL, input, input, out)
        if result is not None:
            return result
    return compute("square", numpy.square, [input], dtypes.int64 if dtype is dtypes.bool else dtype, out=out)


def _rsqrt(a, **how):
    return numpy.divide(numpy.ones((), a.dtype), numpy.sqrt(a), **how)


def rsqrt(input, *, out=None):
    """1 divided by the square root of each element; integers and bools give the default dtype."""
    return compute("rsqrt", _rsqrt, [tensor("rsqrt", input)], float_dtype(input.dtype), out=out)


def _reciprocal(a, **how):
    return numpy.divide(numpy.ones((), a.dtype), a, **how)


def reciprocal(input, *, out=None):
    """1 divided by each element; integers and bools give the default dtype."""
    return compute("reciprocal", _reciprocal, [tensor("reciprocal", input)], float_dtype(input.dtype), out=out)


# ---- tests --------------------------------------------------------------------------------------------------


def _never(a, **how):
    return numpy.logical_and(False, numpy.zeros(a.shape, bool), **how)


def _always(a, **how):
    return numpy.logical_or(True, numpy.ones(a.shape, bool), **how)


def _test(name, function, input, otherwise, out=None):
    dtype = tensor(name, input).dtype
    function = function if is_float(dtype) else otherwise
    return compute(name, function, [input], dtype, result=dtypes.bool, out=out, exact=True)


def isnan(input):
    """True for each element that is no number; of complex numbers, one part is enough."""
    return _test("isnan", numpy.isnan, input, _never)


def isinf(input):
    """True for each element that is infinite; of complex numbers, one part is enough."""
    return _test("isinf", numpy.isinf, input, _never)


def isfinite(input):
    """True for each element that is neither infinite nor NaN."""
    return _test("isfinite", numpy.isfinite, input, _always)


def _isreal(a, **how):
    return numpy.equal(a.imag, 0, **how)


def isreal(input):
    """True for each element without an imaginary part."""
    return _test("isreal", _isreal, input, _always)


def isposinf(input, *, out=None):
    """True for each element that is plus infinity; RuntimeError for complex tensors."""
    _refuse_complex("isposinf", input, "Test x.real and x.imag")
    return _test("isposinf", lambda a, **how: numpy.equal(a, numpy.inf, **how), input, _never, out)


def isneginf(input, *, out=None):
    """True for each element that is minus infinity; RuntimeError for complex tensors."""
    _refuse_complex("isneginf", input, "Test x.real and x.imag")
    return _test("isneginf", lambda a, **how: numpy.equal(a, -numpy.inf, **how), input, _never, out)


MantissaExponent = namedtuple("frexp", ["mantissa", "exponent"])


def frexp(input, *, out=None):
    """(mantissa, exponent): each element is mantissa * 2**exponent, the mantissa in [0.5, 1) by absolute value.

    The mantissa has the input's dtype, the exponent int32. RuntimeError for integers and complex tensors.
    """
    dtype = tensor("frexp", input).dtype
    if not dtype.is_floating_point:
        raise RuntimeError(f"frexp: only supports floating-point dtypes, not {dtype!r}")
    mantissa, exponent = out if out is not None else (None, None)
    first = compute("frexp", lambda a, **how: numpy.copyto(how["out"], numpy.frexp(a)[0]), [input], dtype, out=mantissa)
    second = compute("frexp", lambda a, **how: numpy.copyto(how["out"], numpy.frexp(a)[1]), [input], dtype,
                     result=dtypes.int32, out=exponent)
    return MantissaExponent(first, second)


_room = globals()
define(_room, neg, "[1, -2]", "", "[-1,  2]", kinds="fmI", aliases=["negative"])
define(_room, positive, "[1, -2]", "", "[ 1, -2]", kinds="fm")
define(_room, abs, "[1, -2]", "", "[1, 2]", kinds="fmI", aliases=["absolute fmi"])
define(_room, sign, "[2.0, -3.0]", "", "[ 1., -1.]")
define(_room, sgn, "[3 + 4j]", "", "[0.6000+0.8000j]")
define(_room, signbit, "[1.0, -0.0]", "", "[False,  True]", kinds="fm")
define(_room, angle, "[1.0, -1.0]", "", "[0.0000, 3.1416]", kinds="fm")
define(_room, ceil, "[1.5, -1.5]", "", "[ 2., -1.]", kinds="fmI")
define(_room, floor, "[1.5, -1.5]", "", "[ 1., -2.]", kinds="fmI")
define(_room, trunc, "[1.5, -1.5]", "", "[ 1., -1.]", kinds="fmI", aliases=["fix"])
define(_room, frac, "[1.5, -1.5]", "", "[ 0.5000, -0.5000]", kinds="fmI")
define(_room, round, "[1.5, 2.5]", "", "[2., 2.]", kinds="fmI")
define(_room, square, "[3, -4]", "", "[ 9, 16]", kinds="fmI")
define(_room, rsqrt, "[4.0, 16.0]", "", "[0.5000, 0.2500]", kinds="fmI")
define(_room, reciprocal, "[2.0, 4.0]", "", "[0.5000, 0.2500]", kinds="fmI")
define(_room, isnan, "[1.0, float('nan')]", "", "[False,  True]", kinds="fm")
define(_room, isinf, "[1.0, float('inf')]", "", "[False,  True]", kinds="fm")
define(_room, isfinite, "[1.0, float('inf')]", "", "[ True, False]", kinds="fm")
define(_room, isreal, "[1 + 0j, 1j]", "", "[ True, False]", kinds="fm")
define(_room, isposinf, "[1.0, float('inf')]", "", "[False,  True]", kinds="fm")
define(_room, isneginf, "[1.0, float('-inf')]", "", "[False,  True]", kinds="fm")
define(_room, frexp, "[5.0]", "", "frexp(mantissa=tensor([0.6250]), exponent=tensor([3], dtype=stridecore.int32))",
       kinds="fm")

__all__ = public(_room)
