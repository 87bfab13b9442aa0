"""Functions of statistics, learning and geometry: sigmoid, softmax, erf, atan2, hypot, xlogy and their like.

erf, erfc, lgamma, digamma, erfinv and i0 come from SciPy where it is installed; without it erf, erfc and lgamma come,
slower, from Python's `math`, and the others are a NotImplementedError.
"""

import math

import numpy

from stridecore import dtypes
from stridecore.arithmetic import mul, pow
from stridecore.core.binary import MAX, straight
from stridecore.core.elementwise import apply, result_like
from stridecore.creation import empty, full
from stridecore.defining import define, public
from stridecore.operands import (
    common_dtype,
    compute,
    computed_dtype,
    deliver,
    float_dtype,
    is_float,
    pair,
    plain,
    refuse_dtype,
    tensor,
)

# ---- of one tensor ------------------------------------------------------------------------------------------


def _float_function(name, function, x, out, complex_error=NotImplementedError, why=""):
    dtype = float_dtype(tensor(name, x).dtype)
    if dtype.is_complex and complex_error is not None:
        raise complex_error(f"{name}: not implemented for {dtype.name}{why}")
    return compute(name, function, [x], dtype, out=out)


def _sigmoid(a, **how):
    return numpy.divide(1, 1 + numpy.exp(-a), **how)


def sigmoid(input, *, out=None):
    """1 / (1 + exp(-x)) of each element x."""
    return _float_function("sigmoid", _sigmoid, input, out, None)


def logit(input, eps=None, *, out=None):
    """log(x / (1 - x)) of each element x, which is first clamped to [eps, 1 - eps] if eps is given."""
    def function(a, **how):
        if eps is not None:
            low, high = numpy.asarray(eps).astype(a.dtype), numpy.asarray(1 - eps).astype(a.dtype)
            a = numpy.where(a < low, low, numpy.where(a > high, high, a))
        return numpy.log(a / (1 - a), **how)

    return _float_function("logit", function, input, out)


def relu(input, *, out=None):
    """Each element, but 0 for negative ones; RuntimeError for bools."""
    dtype = tensor("relu", input).dtype
    if dtype is dtypes.bool:
        raise RuntimeError("relu: Boolean inputs not supported for relu")
    if dtype.is_complex:
        refuse_dtype("relu", dtype, "; complex numbers have no order")
    if out is None or out is input:
        result = straight(MAX, input, 0, out)
        if result is not None:
            return result
    return compute("relu", numpy.maximum, [input, 0], dtype, out=out)


def _sinc(a, **how):
    angle = numpy.pi * a
    return numpy.copyto(how["out"], numpy.where(a == 0, 1, numpy.sin(angle) / angle), casting="unsafe")


def sinc(input, *, out=None):
    """sin(pi * x) / (pi * x) of each element x, 1 for 0."""
    return _float_function("sinc", _sinc, input, out, None)


def deg2rad(input, *, out=None):
    """Each angle in degrees as radians."""
    return _float_function("deg2rad", lambda a, **how: numpy.multiply(a, math.pi / 180, **how), input, out,
                           RuntimeError)


def rad2deg(input, *, out=None):
    """Each angle in radians as degrees."""
    return _float_function("rad2deg", lambda a, **how: numpy.multiply(a, 180 / math.pi, **how), input, out,
                           RuntimeError)


def _special(scipy_name, math_function=None):
    """SciPy's function; without SciPy, math's applied to each element, or an error."""
    def function(a, **how):
        try:
            from scipy import special
        except ImportError:
            if math_function is None:
                raise NotImplementedError(f"{scipy_name}: needs SciPy, which is not installed") from None
            values = numpy.array([math_function(x) for x in a.ravel().tolist()], numpy.float64).reshape(a.shape)
            return numpy.positive(values, **how)
        return getattr(special, scipy_name)(a, **how)

    return function


def _lgamma(x):
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf
    return math.lgamma(x)


def erf(input, *, out=None):
    """The error function of each element. With SciPy where it is installed, else by Python's math."""
    return _float_function("erf", _special("erf", math.erf), input, out)


def erfc(input, *, out=None):
    """1 minus the error function of each element. With SciPy where it is installed, else by Python's math."""
    return _float_function("erfc", _special("erfc", math.erfc), input, out)


def lgamma(input, *, out=None):
    """The logarithm of the absolute value of the gamma function. With SciPy if installed, else by Python's math."""
    return _float_function("lgamma", _special("gammaln", _lgamma), input, out)


# ---- softmax ------------------------------------------------------------------------------------------------


def _normalized(name, function, input, dim, dtype, out):
    x = tensor(name, input)
    ndim = max(x.dim(), 1)
    if not isinstance(dim, int) or isinstance(dim, bool):
        raise TypeError(f"{name}(): argument 'dim' (position 2) must be int, not {type(dim).__name__}")
    if not -ndim <= dim < ndim:
        raise IndexError(f"{name}: Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got "
                         f"{dim})")
    result_dtype = x.dtype if dtype is None else dtype
    if not x.numel():
        return deliver(name, empty(x.shape, dtype=result_dtype), out)
    if not result_dtype.is_floating_point or (dtype is None and not x.dtype.is_floating_point):
        refuse_dtype(name, result_dtype, "; give a float dtype, such as dtype=stridecore.float32")
    rows = x.contiguous() if x.dim() else x.reshape(1)
    result = compute(name, lambda a, **how: function(a, dim, **how), [rows], result_dtype)
    return deliver(name, result.reshape(x.shape), out)


def _softmax(a, dim, **how):
    powers = numpy.exp(a - a.max(axis=dim, keepdims=True))
    return numpy.divide(powers, powers.sum(axis=dim, keepdims=True), **how)


def _log_softmax(a, dim, **how):
    shifted = a - a.max(axis=dim, keepdims=True)
    return numpy.subtract(shifted, numpy.log(numpy.exp(shifted).sum(axis=dim, keepdims=True)), **how)


def softmax(input, dim, dtype=None, *, out=None):
    """exp(x) along `dim`, divided by its sum there; contiguous, of the input's dtype or of `dtype`, in which it is
    computed. NotImplementedError for integers without a dtype.
    """
    return _normalized("softmax", _softmax, input, dim, dtype, out)


def log_softmax(input, dim, dtype=None, *, out=None):
    """The logarithm of `softmax`, computed so that nothing underflows."""
    return _normalized("log_softmax", _log_softmax, input, dim, dtype, out)


# ---- of two tensors -----------------------------------------------------------------------------------------


def _float_pair(name, function, input, other, out, numbers=False):
    """A function of two reals with a float result."""
    input, other = pair(name, input, other, numbers=numbers)
    dtype = float_dtype(common_dtype(input, other))
    if dtype.is_complex:
        refuse_dtype(name, dtype)
    return compute(name, function, [input, other], dtype, out=out)


def atan2(input, other, *, out=None):
    """The angle of the point (other, input), in radians in [-pi, pi]."""
    return _float_pair("atan2", numpy.arctan2, input, other, out)


def hypot(input, other, *, out=None):
    """The length of the vector (input, other), without overflow on the way."""
    return _float_pair("hypot", numpy.hypot, input, other, out)


def _complex_logaddexp(a, b, **how):
    if a.dtype.kind != "c":
        return numpy.logaddexp(a, b, **how)
    first = a.real >= b.real
    high, low = numpy.where(first, a, b), numpy.where(first, b, a)
    return numpy.add(high, numpy.log(1 + numpy.exp(low - high)), **how)


def logaddexp(input, other, *, out=None):
    """log(exp(input) + exp(other)), without overflow on the way."""
    input, other = pair("logaddexp", input, other, numbers=False)
    return compute("logaddexp", _complex_logaddexp, [input, other], float_dtype(common_dtype(input, other)), out=out)


def logaddexp2(input, other, *, out=None):
    """log2(2**input + 2**other), without overflow on the way."""
    return _float_pair("logaddexp2", numpy.logaddexp2, input, other, out)


def _xlogy(a, b, **how):
    values = numpy.where((a == 0) & (b == b), numpy.zeros((), a.dtype), a * numpy.log(b))
    return numpy.positive(values, **how)


def xlogy(input, other, *, out=None):
    """input * log(other), 0 where input is 0 (and other is no NaN); one of them may be a number."""
    return _float_pair("xlogy", _xlogy, input, other, out, numbers=True)


def copysign(input, other, *, out=None):
    """The absolute value of input with the sign of other, a tensor or a number; a float."""
    tensor("copysign", input)
    return _float_pair("copysign", numpy.copysign, input, other, out, numbers=True)


def _next_bfloat16(a, b, **how):
    """a and b hold bfloat16 values as float32: one step is one in the upper half of the bits."""
    bits = a.astype(numpy.float32).view(numpy.int32) if a.shape else numpy.asarray(a, numpy.float32).view(numpy.int32)
    step = numpy.where((b > a) == (a > 0), 0x10000, -0x10000)
    values = (bits + step).astype(numpy.int32).view(numpy.float32)
    values = numpy.where(a == 0, numpy.copysign(numpy.float32(9.183549615799121e-41), b), values)
    return numpy.positive(numpy.where(a == b, b, numpy.where((a != a) | (b != b), numpy.nan, values)), **how)


def nextafter(input, other, *, out=None):
    """The next number of the dtype after input in the direction of other. NotImplementedError for integers."""
    input, other = pair("nextafter", input, other, numbers=False)
    dtype = common_dtype(input, other)
    if not dtype.is_floating_point or dtype.itemsize == 1:
        refuse_dtype("nextafter", dtype, "; it works on floats")
    function = _next_bfloat16 if dtype is dtypes.bfloat16 else numpy.nextafter
    return compute("nextafter", function, [input, other], dtype, out=out,
                   computed=dtypes.float16 if dtype is dtypes.float16 else None)


def _by_exponent(input, exponent, out):
    """ldexp of floats and integers, which wrap to 32 bits: exact where 2**exponent alone would overflow."""
    exponent = plain(exponent, dtypes.int32)
    result = result_like("ldexp", [input, exponent], computed_dtype(input.dtype))
    if out is input and out.shape != result.shape:
        raise RuntimeError(f"ldexp_: output with shape {list(out.shape)} doesn't match the broadcast shape "
                           f"{list(result.shape)}")
    with numpy.errstate(all="ignore"):
        apply("ldexp", numpy.ldexp, (plain(input, result.dtype), exponent), result)
    return deliver("ldexp", result.to(input.dtype), out)


def ldexp(input, other, *, out=None):
    """input * 2**other, element by element."""
    input, other = pair("ldexp", input, other, numbers=False)
    if input.dtype.is_floating_point and not is_float(other.dtype):
        return _by_exponent(input, other, out)
    two = 2.0 if is_float(other.dtype) else full((), 2.0, dtype=float_dtype(input.dtype))
    return mul(input, pow(two, other), out=out)


def _heaviside(a, b, **how):
    return numpy.copyto(how["out"], numpy.where(a == 0, b, a > 0), casting="unsafe")


def heaviside(input, values, *, out=None):
    """0 where input is negative (or NaN), `values` where it is 0, 1 where it is positive; tensors of one dtype."""
    input, values = pair("heaviside", input, values, numbers=False)
    if input.dtype is not values.dtype:
        raise RuntimeError(f"heaviside: not implemented for tensors with different dtypes: {input.dtype!r} and "
                           f"{values.dtype!r}; convert one with .to(...)")
    if input.dtype.is_complex:
        raise RuntimeError("heaviside: not implemented for complex tensors")
    return compute("heaviside", _heaviside, [input, values], input.dtype, out=out, exact=True)


_room = globals()
define(_room, sigmoid, "[0.0, 1.0]", "", "[0.5000, 0.7311]", kinds="fmI")
define(_room, logit, "[0.5, 0.9]", "", "[0.0000, 2.1972]", kinds="fmI")
define(_room, relu, "[-1.0, 2.0]", "", "[0., 2.]", kinds="fmIn")
define(_room, sinc, "[0.0, 0.5]", "", "[1.0000, 0.6366]", kinds="fmI")
define(_room, deg2rad, "[180.0, 90.0]", "", "[3.1416, 1.5708]", kinds="fmI")
define(_room, rad2deg, "[0.0, 3.1416]", "", "[  0.0000, 180.0004]", kinds="fmI")
define(_room, erf, "[0.0, 1.0]", "", "[0.0000, 0.8427]", kinds="fmI", aliases=[])
define(_room, erfc, "[0.0, 1.0]", "", "[1.0000, 0.1573]", kinds="fmI")
define(_room, lgamma, "[1.0, 3.0]", "", "[0.0000, 0.6931]", kinds="fmi")
define(_room, softmax, "[1.0, 1.0]", "0", "[0.5000, 0.5000]", kinds="fm")
define(_room, log_softmax, "[1.0, 1.0]", "0", "[-0.6931, -0.6931]", kinds="fm")
define(_room, atan2, "[1.0, 0.0]", "sc.tensor([1.0, -1.0])", "[0.7854, 3.1416]", kinds="fmi", aliases=["arctan2"])
define(_room, hypot, "[3.0, 5.0]", "sc.tensor([4.0, 12.0])", "[ 5., 13.]", kinds="fmi")
define(_room, logaddexp, "[0.0, 1.0]", "sc.tensor([0.0, 1.0])", "[0.6931, 1.6931]", kinds="fm")
define(_room, logaddexp2, "[0.0, 1.0]", "sc.tensor([0.0, 1.0])", "[1., 2.]", kinds="fm")
define(_room, xlogy, "[0.0, 2.0]", "sc.tensor([0.0, 1.0])", "[0., 0.]", kinds="fmI")
define(_room, copysign, "[1.0, 2.0]", "-1", "[-1., -2.]", kinds="fmi")
define(_room, nextafter, "[1.0]", "sc.tensor([2.0])", "[1.0000]", kinds="fmi")
define(_room, ldexp, "[1.0, 3.0]", "sc.tensor([1, 2])", "[ 2., 12.]", kinds="fmI")
define(_room, heaviside, "[-1.0, 0.0, 2.0]", "sc.tensor([0.5])", "[0.0000, 0.5000, 1.0000]", kinds="fmi")

__all__ = public(_room)
