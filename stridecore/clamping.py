"""Bounds and mixtures: clamp, lerp, addcmul, addcdiv, nan_to_num."""

import numpy

from stridecore import dtypes
from stridecore.core.binary import MAX, MIN, straight
from stridecore.defining import define, public
from stridecore.operands import (
    NUMBERS,
    check_fits,
    common_dtype,
    compute,
    computed_dtype,
    is_float,
    number,
    number_array,
    operand,
    refuse_dtype,
    tensor,
)
from stridecore.tensor import Tensor

# Computed in int32: a number that does not fit them would be compared before it is wrapped.
SMALL_INTEGERS = (dtypes.int8, dtypes.int16, dtypes.uint16, dtypes.uint32)

# ---- bounds -------------------------------------------------------------------------------------------------


def _bound(name, value, argument, position):
    """A bound: a Tensor, a number or None."""
    return None if value is None else operand(name, value, argument, position)


def _clamped(name, x, low, high, out):
    x = tensor(name, x)
    low, high = _bound(name, low, "min", 2), _bound(name, high, "max", 3)
    given = [bound for bound in (low, high) if bound is not None]
    if not given:
        raise RuntimeError(f"{name}: At least one of 'min' or 'max' must not be None")
    if len(given) == 2 and isinstance(low, Tensor) != isinstance(high, Tensor):
        raise TypeError(f"{name}(): min and max must be both tensors or both numbers, got {type(low).__name__} and "
                        f"{type(high).__name__}")
    dtype = common_dtype(x, *given)
    if dtype.is_complex:
        refuse_dtype(name, dtype, "; complex numbers have no order")
    for bound in given:
        if not isinstance(bound, Tensor):
            check_fits(name, bound, dtype)

    if len(given) == 1 and x.dtype is dtype and (isinstance(given[0], Tensor) or dtype not in SMALL_INTEGERS):
        result = straight(MAX if low is not None else MIN, x, given[0], out)
        if result is not None:
            return result

    def function(a, *bounds, **how):
        if len(bounds) == 2:
            return numpy.minimum(numpy.maximum(a, bounds[0]), bounds[1], **how)
        return (numpy.maximum if low is not None else numpy.minimum)(a, bounds[0], **how)

    return compute(name, function, [x, *given], dtype, out=out)


def clamp(input, min=None, max=None, *, out=None):
    """Each element, but at least `min` and at most `max`: numbers, or tensors that broadcast; one may be None.

    Where min is above max the result is max. NaN stays NaN. RuntimeError without a bound.
    """
    return _clamped("clamp", input, min, max, out)


def clamp_min(input, min, *, out=None):
    """Each element, but at least `min`: a number, or a tensor that broadcasts."""
    return _clamped("clamp_min", input, min, None, out)


def clamp_max(input, max, *, out=None):
    """Each element, but at most `max`: a number, or a tensor that broadcasts."""
    return _clamped("clamp_max", input, None, max, out)


def nan_to_num(input, nan=None, posinf=None, neginf=None, *, out=None):
    """Each element, but `nan` (0) for NaN, `posinf` for infinity and `neginf` for minus infinity.

    By default the infinities become the largest and smallest numbers of the dtype. Integers stay as they are.
    """
    dtype = tensor("nan_to_num", input).dtype
    for argument, value in (("nan", nan), ("posinf", posinf), ("neginf", neginf)):
        if isinstance(value, complex):
            raise TypeError(f"nan_to_num(): argument '{argument}' must be float, not complex")
    if not is_float(dtype):
        return compute("nan_to_num", numpy.bitwise_or, [input, 0], dtype, out=out, exact=True)
    limits = dtypes_finfo(dtype.to_real())
    values = (0.0 if nan is None else nan, limits.max if posinf is None else posinf,
              limits.min if neginf is None else neginf)

    def function(a, **how):
        parts = (a.real, a.imag) if a.dtype.kind == "c" else (a,)
        made = []
        for part in parts:
            kind = part.dtype
            tests = (numpy.isnan(part), numpy.isposinf(part), numpy.isneginf(part))
            for test, value in zip(tests, values, strict=True):
                part = numpy.where(test, numpy.asarray(value).astype(kind), part)
            made.append(part)
        if len(made) == 1:
            return numpy.positive(made[0], **how)
        both = numpy.empty(a.shape, a.dtype)
        both.real, both.imag = made
        return numpy.positive(both, **how)

    return compute("nan_to_num", function, [input], dtype, out=out, exact=True)


def dtypes_finfo(dtype):
    """The limits of a float dtype."""
    from stridecore.limits import finfo

    return finfo(dtype)


# ---- mixtures -----------------------------------------------------------------------------------------------


def _same_dtype(name, input, **others):
    for argument, value in others.items():
        if value.dtype is not input.dtype:
            raise RuntimeError(f"{name}: expected dtype {input.dtype.name} for `{argument}` but got dtype "
                               f"{value.dtype.name}; convert it with .to(stridecore.{input.dtype.name})")


def _mix(a, b, w, **how):
    small = numpy.absolute(w) < 0.5
    return numpy.copyto(how["out"], numpy.where(small, a + w * (b - a), b - (b - a) * (1 - w)), casting="unsafe")


def lerp(input, end, weight, *, out=None):
    """input + weight * (end - input), element by element; the weight is a number or a tensor.

    The tensors are of one dtype: RuntimeError otherwise.
    """
    tensor("lerp", input)
    tensor("lerp", end, "end", 2)
    _same_dtype("lerp", input, end=end)
    dtype = input.dtype
    if isinstance(weight, Tensor):
        dtype = common_dtype(input, weight)
        if weight.dim():
            _same_dtype("lerp", input, weight=weight)
    else:
        weight = number(weight)
        if weight is None:
            raise TypeError(f"lerp(): argument 'weight' must be Tensor or a number, not {type(weight).__name__}")
        if isinstance(weight, complex) and not dtype.is_complex:
            raise RuntimeError("lerp: value cannot be converted to type float without overflow")
    if is_float(dtype):
        return compute("lerp", _mix, [input, end, weight], dtype, out=out, precise=True)
    return compute("lerp", _mix, [input, end, weight], dtype, out=out, computed=dtypes.float64)


def _scaled_value(name, value, dtype):
    value = number(value.item() if isinstance(value, Tensor) else value)
    if not isinstance(value, NUMBERS):
        raise TypeError(f"{name}(): argument 'value' must be Number")
    if isinstance(value, complex) and not dtype.is_complex:
        raise RuntimeError(f"{name}: value cannot be converted to type float without overflow")
    if dtype is not dtypes.float16:    # whose products are computed in float32
        check_fits(name, value, dtype)
    return number_array(value, computed_dtype(dtype)) if dtype is not dtypes.bool else numpy.asarray(bool(value))


def _three(name, input, tensor1, tensor2):
    tensors = [tensor(name, input), tensor(name, tensor1, "tensor1", 2), tensor(name, tensor2, "tensor2", 3)]
    return tensors, common_dtype(*tensors)


def addcmul(input, tensor1, tensor2, *, value=1, out=None):
    """input + value * tensor1 * tensor2, element by element; the tensors broadcast."""
    tensors, dtype = _three("addcmul", input, tensor1, tensor2)
    scale = _scaled_value("addcmul", value, dtype)
    return compute("addcmul", lambda a, b, c, **how: numpy.add(a, scale * b * c, **how), tensors, dtype, out=out)


def addcdiv(input, tensor1, tensor2, *, value=1, out=None):
    """input + value * tensor1 / tensor2, element by element; the tensors broadcast.

    RuntimeError if tensor1 and tensor2 are both integers or bools.
    """
    tensors, dtype = _three("addcdiv", input, tensor1, tensor2)
    if not is_float(tensor1.dtype) and not is_float(tensor2.dtype):
        raise RuntimeError("addcdiv: Integer division with addcdiv is no longer supported: convert tensor1 or tensor2 "
                           "to a float dtype, or use input + value * stridecore.div(tensor1, tensor2, "
                           "rounding_mode='trunc')")
    scale = _scaled_value("addcdiv", value, dtype)
    return compute("addcdiv", lambda a, b, c, **how: numpy.add(a, scale * b / c, **how), tensors, dtype, out=out)


_room = globals()
define(_room, clamp, "[-1.0, 0.5, 2.0]", "0, 1", "[0.0000, 0.5000, 1.0000]", kinds="fmI", aliases=["clip"])
define(_room, clamp_min, "[-1, 2]", "0", "[0, 2]", kinds="fmI")
define(_room, clamp_max, "[-1, 2]", "0", "[-1,  0]", kinds="fmI")
define(_room, nan_to_num, "[1.0, float('nan')]", "", "[1., 0.]", kinds="fmI")
define(_room, lerp, "[1.0, 2.0]", "sc.tensor([3.0, 6.0]), 0.5", "[2., 4.]", kinds="fmi")
define(_room, addcmul, "[1.0, 2.0]", "sc.tensor([2.0, 3.0]), sc.tensor([4.0, 5.0])", "[ 9., 17.]", kinds="fmi")
define(_room, addcdiv, "[1.0, 2.0]", "sc.tensor([2.0, 3.0]), sc.tensor([4.0, 6.0])", "[1.5000, 2.5000]", kinds="fmi")

__all__ = public(_room)
