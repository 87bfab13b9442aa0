"""Arithmetic of two operands: sums, products, quotients, remainders and powers.

Two operands meet in the dtype of torch's category rules; a quotient is a float. Integers wrap on overflow; what they
have no answer to, a division by 0 or a negative power, is a RuntimeError.
"""

import numpy

from stridecore import dtypes
from stridecore.core.binary import ADD, DIV, MAX, MIN, MUL, SUB, straight
from stridecore.defining import define, public
from stridecore.operands import (
    check_fits,
    common_dtype,
    compute,
    float_dtype,
    is_float,
    pair,
    plain,
    refuse_dtype,
    tensor,
)
from stridecore.tensor import Tensor

# ---- sums and products --------------------------------------------------------------------------------------


def _check_alpha(name, alpha, dtype):
    if isinstance(alpha, bool) and dtype is not dtypes.bool:
        raise RuntimeError(f"{name}: Boolean alpha only supported for Boolean results, not {dtype!r}")
    if isinstance(alpha, float) and not is_float(dtype):
        raise RuntimeError(f"{name}: For integral input tensors, argument alpha must not be a floating point number: "
                           f"{alpha} with {dtype!r}")
    if isinstance(alpha, complex) and not dtype.is_complex:
        raise RuntimeError(f"{name}: For non-complex input tensors, argument alpha must not be a complex number: "
                           f"{alpha} with {dtype!r}")
    check_fits(name, alpha if name == "add" else -alpha, dtype)


def _scaled(function, alpha):
    def run(a, b, **how):
        scale = numpy.asarray(alpha).astype(b.dtype)
        return function(a, numpy.multiply(b, scale), **how)

    return run


def _sum(name, function, input, other, alpha, out):
    input, other = pair(name, input, other)
    dtype = common_dtype(input, other)
    if isinstance(alpha, Tensor):
        alpha = alpha.item()
    if alpha != 1 or isinstance(alpha, bool):
        _check_alpha(name, alpha, dtype)
        function = _scaled(function, alpha)
    return compute(name, function, [input, other], dtype, out=out)


def _refuse_bool(input, other):
    if any(isinstance(x, bool) or (isinstance(x, Tensor) and x.dtype is dtypes.bool) for x in (input, other)):
        raise RuntimeError("sub: Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
                           "to invert a mask, use the `~` or `logical_not()` operator instead; use `^` or "
                           "`logical_xor()` for the difference of two masks.")


def add(input, other, *, alpha=1, out=None):
    """input + alpha * other, element by element; the operands broadcast. Of bools, the logical or.

    RuntimeError for sizes that don't broadcast, and for a float alpha with integer tensors.
    """
    if type(alpha) is int and alpha == 1:
        result = straight(ADD, input, other, out)
        if result is not None:
            return result
    return _sum("add", numpy.add, input, other, alpha, out)


def sub(input, other, *, alpha=1, out=None):
    """input - alpha * other, element by element; the operands broadcast.

    RuntimeError for bools, for sizes that don't broadcast, and for a float alpha with integer tensors.
    """
    if type(alpha) is int and alpha == 1:
        result = straight(SUB, input, other, out)
        if result is not None:
            return result
    _refuse_bool(input, other)
    return _sum("sub", numpy.subtract, input, other, alpha, out)


def rsub(input, other, *, alpha=1):
    """other - alpha * input, element by element; RuntimeError for bools."""
    tensor("rsub", input)
    _refuse_bool(input, other)
    other, input = pair("rsub", other, input)
    return _sum("rsub", numpy.subtract, other, input, alpha, None)


def mul(input, other, *, out=None):
    """input * other, element by element; the operands broadcast. Of bools, the logical and."""
    result = straight(MUL, input, other, out)
    if result is not None:
        return result
    input, other = pair("mul", input, other)
    return compute("mul", numpy.multiply, [input, other], common_dtype(input, other), out=out, precise=True)


# ---- quotients ----------------------------------------------------------------------------------------------


def _no_zero(name, dividend, divisor):
    """RuntimeError if an integer divisor, an array, has a 0 by which something is divided."""
    if divisor.dtype.kind != "f" and dividend.size and not divisor.all():
        raise RuntimeError(f"{name}: ZeroDivisionError: the divisor has a 0, and integers have no infinity. Convert "
                           "one operand with .to(stridecore.float32)")


def _floor_quotient(name):
    def run(a, b, **how):
        _no_zero(name, a, b)
        if a.dtype.kind != "f":
            return numpy.floor_divide(a, b, **how)
        quotient = numpy.floor_divide(a, b)
        return numpy.copyto(how["out"], numpy.where(b == 0, numpy.divide(a, b), quotient), casting="unsafe")

    return run


def _trunc_quotient(name):
    def run(a, b, **how):
        _no_zero(name, a, b)
        if a.dtype.kind == "f":
            return numpy.trunc(numpy.divide(a, b), **how)
        quotient = numpy.floor_divide(a, b)
        if a.dtype.kind == "u":
            return numpy.positive(quotient, **how)
        inexact = (numpy.multiply(quotient, b) != a) & ((a < 0) != (b < 0))
        return numpy.add(quotient, inexact.astype(quotient.dtype), **how)

    return run


def _integral(name, input, other, function, out, precise=False):
    """A function of floats and integers, not complex numbers; bools are computed in uint8."""
    dtype = common_dtype(input, other)
    if dtype.is_complex:
        refuse_dtype(name, dtype)
    return compute(name, function, [input, other], dtype, out=out, precise=precise,
                   computed=dtypes.uint8 if dtype is dtypes.bool else None)


def div(input, other, *, rounding_mode=None, out=None):
    """input / other, element by element; the operands broadcast. Integers give the default dtype.

    With `rounding_mode="floor"` or "trunc" the quotients are rounded down or towards 0, and integers stay integers.

    RuntimeError for a rounded division of integers by 0.
    """
    if rounding_mode is None:
        result = straight(DIV, input, other, out)
        if result is not None:
            return result
    input, other = pair("div", input, other)
    if rounding_mode is None:
        return compute("div", numpy.divide, [input, other], float_dtype(common_dtype(input, other)), out=out,
                       precise=True)
    if rounding_mode == "floor":
        return _integral("div", input, other, _floor_quotient("div"), out, True)
    if rounding_mode == "trunc":
        return _integral("div", input, other, _trunc_quotient("div"), out, True)
    raise RuntimeError("div: expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                       f"{rounding_mode!r}")


def true_divide(input, other, *, out=None):
    """input / other, element by element; integers give the default dtype."""
    return div(input, other, out=out)


def floor_divide(input, other, *, out=None):
    """The largest whole number that is not above input / other, as Python's `//`; RuntimeError for integers by 0."""
    input, other = pair("floor_divide", input, other)
    return _integral("floor_divide", input, other, _floor_quotient("floor_divide"), out, True)


def _remainder(a, b, **how):
    _no_zero("remainder", a, b)
    if a.dtype.kind != "f":
        return numpy.remainder(a, b, **how)
    left = numpy.asarray(numpy.remainder(a, b))
    numpy.copysign(left, a, out=left, where=left == 0)    # NumPy gives a 0 the divisor's sign, C's fmod the dividend's
    return numpy.positive(left, **how)


def remainder(input, other, *, out=None):
    """What is left of input after division by other, with the sign of other, as Python's `%`.

    RuntimeError for integers by 0.
    """
    input, other = pair("remainder", input, other)
    return _integral("remainder", input, other, _remainder, out)


def _fmod(a, b, **how):
    _no_zero("fmod", a, b)
    return numpy.fmod(a, b, **how)


def fmod(input, other, *, out=None):
    """What is left of input after division by other, with the sign of input, as C's fmod.

    RuntimeError for integers by 0.
    """
    tensor("fmod", input)
    input, other = pair("fmod", input, other)
    return _integral("fmod", input, other, _fmod, out)


# ---- powers -------------------------------------------------------------------------------------------------


def _power(a, b, **how):
    if a.dtype.kind == "f" and b.size and not any(b.strides) and b.flat[0] == 0.5:
        # NumPy takes the square root, which differs from C's pow in -0.0 and -inf
        return numpy.sqrt(numpy.where(numpy.isneginf(a), numpy.inf, a + 0.0).astype(a.dtype), **how)
    if a.dtype.kind != "i":
        return numpy.power(a, b, **how)
    inverse = numpy.where(a == 1, 1, numpy.where(a == -1, numpy.where(b % 2 == 0, 1, -1), 0))
    powers = numpy.power(a, numpy.maximum(b, 0))
    return numpy.copyto(how["out"], numpy.where(b < 0, inverse, powers), casting="unsafe")


# exponents of floats, as Python numbers: the function of (base, exponent) that is quicker, and rounds as torch
_BY_EXPONENT = {
    0.5: lambda a, b, **how: numpy.sqrt(a, **how),
    2.0: lambda a, b, **how: numpy.multiply(a, a, **how),
    3.0: lambda a, b, **how: numpy.multiply(numpy.multiply(a, a), a, **how),
    -0.5: lambda a, b, **how: numpy.divide(1, numpy.sqrt(a), **how),
    -1.0: lambda a, b, **how: numpy.divide(1, a, **how),
    -2.0: lambda a, b, **how: numpy.divide(1, numpy.multiply(a, a), **how),
}


def pow(input, exponent, *, out=None):
    """input to the power of exponent, element by element; at least one is a tensor, and they broadcast.

    RuntimeError for integers with a negative exponent that is a number; in a tensor of exponents, negative ones of
    integers give 0 (but 1 and -1 keep their size).
    """
    if not isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        raise TypeError(f"pow(): input or exponent must be Tensor, got {type(input).__name__} and "
                        f"{type(exponent).__name__}")
    input, exponent = pair("pow", input, exponent)
    dtype = common_dtype(input, exponent)
    function = _power
    if not isinstance(exponent, Tensor):
        if not is_float(dtype) and exponent < 0:
            raise RuntimeError("pow: Integers to negative integer powers are not allowed; convert with "
                               ".to(stridecore.float32)")
        check_fits("pow", exponent, dtype)
        if dtype.is_floating_point and (dtype is not dtypes.float16 or exponent != 0.5):    # float16's -inf has a root
            function = _BY_EXPONENT.get(exponent, function)
    return compute("pow", function, [input, exponent], dtype, out=out,
                   computed=dtypes.uint8 if dtype is dtypes.bool else None)


def float_power(input, exponent, *, out=None):
    """input to the power of exponent, computed in float64 or complex128."""
    if not isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        raise TypeError("float_power(): input or exponent must be Tensor")
    input, exponent = pair("float_power", input, exponent)
    is_complex = any(x.dtype.is_complex if isinstance(x, Tensor) else isinstance(x, complex) for x in (input, exponent))
    dtype = dtypes.complex128 if is_complex else dtypes.float64
    if out is not None and isinstance(out, Tensor) and out.dtype is not dtype:
        raise RuntimeError(f"float_power: the output must be {dtype!r}, not {out.dtype!r}")
    as_double = [plain(x, dtype) if isinstance(x, Tensor) else x for x in (input, exponent)]
    if out is not None and input is out:
        as_double[0] = out
    return compute("float_power", numpy.power, as_double, dtype, out=out)


# ---- larger and smaller -------------------------------------------------------------------------------------


def _extreme(name, function, input, other, out, code=None):
    if code is not None and isinstance(input, Tensor) and isinstance(other, Tensor):
        result = straight(code, input, other, out)
        if result is not None:
            return result
    input, other = pair(name, input, other, numbers=False)
    dtype = common_dtype(input, other)
    if dtype.is_complex:
        raise RuntimeError(f"{name}: not implemented for complex tensors ({dtype!r}); they have no order")
    return compute(name, function, [input, other], dtype, out=out)


def maximum(input, other, *, out=None):
    """The larger of two elements; NaN if one of them is. RuntimeError for complex tensors."""
    return _extreme("maximum", numpy.maximum, input, other, out, MAX)


def minimum(input, other, *, out=None):
    """The smaller of two elements; NaN if one of them is. RuntimeError for complex tensors."""
    return _extreme("minimum", numpy.minimum, input, other, out, MIN)


def fmax(input, other, *, out=None):
    """The larger of two elements, or the one that is a number. RuntimeError for complex tensors."""
    return _extreme("fmax", numpy.fmax, input, other, out)


def fmin(input, other, *, out=None):
    """The smaller of two elements, or the one that is a number. RuntimeError for complex tensors."""
    return _extreme("fmin", numpy.fmin, input, other, out)


_room = globals()
define(_room, add, "[1.0, 2.0]", "2", "[3., 4.]", kinds="fmi", code=ADD)
define(_room, sub, "[1.0, 2.0]", "2", "[-1.,  0.]", kinds="fmi", aliases=["subtract"], code=SUB)
define(_room, rsub, "[1.0, 2.0]", "2", "[1., 0.]", kinds="f")
define(_room, mul, "[1.0, 2.0]", "2", "[2., 4.]", kinds="fmi", aliases=["multiply"], code=MUL)
define(_room, div, "[1.0, 2.0]", "2", "[0.5000, 1.0000]", kinds="fmi", aliases=["divide"], code=DIV)
define(_room, true_divide, "[1.0, 2.0]", "2", "[0.5000, 1.0000]", kinds="fmi", code=DIV)
define(_room, floor_divide, "[3, -3]", "2", "[ 1, -2]", kinds="fmi")
define(_room, remainder, "[3, -3]", "2", "[1, 1]", kinds="fmi")
define(_room, fmod, "[3, -3]", "2", "[ 1, -1]", kinds="fmi")
define(_room, pow, "[3, -3]", "2", "[9, 9]", kinds="fmi")
define(_room, float_power, "sc.tensor([2.0, 3.0], dtype=sc.float64)", "2", "tensor([4., 9.], dtype=stridecore.float64)",
       kinds="fmi")
define(_room, maximum, "[1, 4]", "sc.tensor([2, 3])", "[2, 4]", kinds="fm")
define(_room, minimum, "[1, 4]", "sc.tensor([2, 3])", "[1, 3]", kinds="fm")
define(_room, fmax, "[1.0, float('nan')]", "sc.tensor([2.0, 3.0])", "[2., 3.]", kinds="fm")
define(_room, fmin, "[1.0, float('nan')]", "sc.tensor([2.0, 3.0])", "[1., 3.]", kinds="fm")

__all__ = public(_room)
