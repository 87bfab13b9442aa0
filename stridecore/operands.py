"""What the rooms of math share: reading operands, the dtype they meet in, and running NumPy's functions over them.

    operands   tensors and Python numbers (NumPy's scalars are read as numbers)
    dtype      what torch computes in: `common_dtype(*operands)`, `float_dtype` of it where the result is a float
    computed   what NumPy computes in instead: float16, bfloat16 and float8 in float32, complex32 in complex64
    result     the dtype of the result before it goes into `out`: the dtype, or bool for comparisons

`compute` is the way from there to the result: it runs a function over the memory of the operands, straight into the
result or into `out` where dtypes allow, and else into a tensor of the computed dtype that is rounded once.
"""

import numpy

from stridecore.core.elementwise import apply, is_dense, result_like
from stridecore.core.options import warn_of_resize
from stridecore.core.promotion import can_cast, common_dtype
from stridecore.core.reduce import quietly
from stridecore.dtypes import (
    bfloat16,
    complex32,
    complex64,
    complex128,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    float16,
    float32,
    float64,
    get_default_dtype,
)
from stridecore.dtypes import bool as bool_dtype
from stridecore.tensor import Tensor

# The dtypes that NumPy does not compute with, or less exactly, and what is computed with instead.
WIDER = dict.fromkeys(
    (float16, bfloat16, float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu), float32
)
WIDER[complex32] = complex64

# the largest finite number, of floats that are easily too small for one
LARGEST = {float16: 65504.0, complex32: 65504.0, float32: 3.4028234663852886e38, bfloat16: 3.3895313892515355e38}

NUMBERS = (int, float, complex)    # bool is an int


# ---- dtypes -------------------------------------------------------------------------------------------------


def computed_dtype(dtype):
    """The dtype that NumPy computes in for results of `dtype`: itself, or the next one that it computes with well."""
    return WIDER.get(dtype, dtype)


def is_float(dtype):
    """True for float and complex dtypes."""
    return dtype.is_floating_point or dtype.is_complex


def float_dtype(dtype):
    """`dtype` if it is a float or complex one; the default dtype for integers and bools."""
    return dtype if is_float(dtype) else get_default_dtype()


def refuse_cast(name, dtype, target):
    """Raise torch's RuntimeError for a result that an output can't hold."""
    raise RuntimeError(
        f"{name}: result type {dtype.name} can't be cast to the desired output type {target.name}. "
        f"Convert first: x.to(stridecore.{dtype.name})"
    )


def can_hold(target, dtype):
    """False where a result of `dtype` would lose its kind in an output of dtype `target`."""
    return can_cast(dtype, target)


# ---- arguments ----------------------------------------------------------------------------------------------


def tensor(name, value, argument="input", position=1):
    """`value`, which must be a Tensor: TypeError in torch's words otherwise."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not "
                        f"{type(value).__name__}")
    return value


def number(value):
    """The Python number that `value` is: itself, or a NumPy scalar's (a bool of NumPy counts as a float, as in torch).

    None for anything else.
    """
    if isinstance(value, NUMBERS):
        return value.item() if isinstance(value, numpy.generic) else value
    if isinstance(value, numpy.generic):
        value = value.item()
        if isinstance(value, bool):
            return float(value)
        return value if isinstance(value, NUMBERS) else None
    return None


def refuse_dtype(name, dtype, why=""):
    """Raise torch's NotImplementedError for a dtype for which an operation means nothing."""
    raise NotImplementedError(f"{name}: not implemented for {dtype.name}{why}")


def pair(name, input, other, *, numbers=True):
    """Both operands of a function as tensors or numbers; of two numbers the first becomes a 0-dim tensor.

    With `numbers=False` both must be tensors.
    """
    if not numbers:
        return tensor(name, input), tensor(name, other, "other", 2)
    input, other = operand(name, input, "input", 1), operand(name, other)
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        from stridecore.creation import scalar_tensor

        input = scalar_tensor(input, dtype=common_dtype(input))
        other = scalar_tensor(other, dtype=common_dtype(other))
    return input, other


def operand(name, value, argument="other", position=2):
    """`value` as an operand: a Tensor or a Python number; TypeError for anything else."""
    if isinstance(value, Tensor):
        return value
    read = number(value)
    if read is None:
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor or a number, not "
                        f"{type(value).__name__}")
    return read


def plain(x, dtype):
    """x with this dtype and without lazy bits: itself where that is so already."""
    return x.to(dtype).resolve_conj().resolve_neg()


def met(x, dtype, computed, precise=False):
    """x as torch takes it into an operation that meets in `dtype`: rounded to it where more digits are computed, and
    laid out as its copy where it has gaps, which decides the result's strides. A single one may be `precise`."""
    if x.dtype is dtype or (computed is dtype and is_dense(x)) or (precise and x.numel() == 1):
        return x
    return x.to(dtype)


def check_fits(name, value, dtype):
    """RuntimeError for a number beyond what a dtype holds; negative ones wrap where all are positive."""
    if dtype is bool_dtype or isinstance(value, complex):
        return
    if is_float(dtype):
        most = LARGEST.get(dtype)
        fits = most is None or not most < abs(value) < numpy.inf
    else:
        most = 2 ** (8 * dtype.itemsize - dtype.is_signed) - 1
        fits = -most - dtype.is_signed <= value <= most
    if not fits:
        raise RuntimeError(f"{name}: value {value} cannot be converted to type {dtype.name} without overflow. Convert "
                           "the tensor to a larger dtype first, or give a number that it holds")


def number_array(value, dtype):
    """A Python number as a 0-dim array of a dtype that NumPy computes in: integers wrap, as C's conversions do."""
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise OverflowError("int too big to convert")
    with numpy.errstate(all="ignore"):
        return numpy.asarray(value).astype(dtype.name)


# ---- results ------------------------------------------------------------------------------------------------


def fit_out(name, out, shape, strides=None):
    """Give `out` the result's shape, as torch does: it may only grow from nothing without a warning.

    An `out` of another shape also takes over `strides`, those of the result, if they are given.
    """
    if tuple(out.shape) != tuple(shape):
        if out.numel():
            warn_of_resize(name, shape, stacklevel=4)
        out.resize_(shape)
        if strides is not None:
            out.as_strided_(shape, strides)


def check_out(name, out, dtype):
    """TypeError unless `out` is a Tensor, RuntimeError unless it can hold results of `dtype`."""
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if not can_cast(dtype, out.dtype):
        refuse_cast(name, dtype, out.dtype)


def deliver(name, result, out):
    """`result`, or `out` after it was fitted and the result copied into it; for what is computed elsewhere."""
    if out is None:
        return result
    check_out(name, out, result.dtype)
    fit_out(name, out, result.shape)
    return out.copy_(result)


def rounded(value, dtype, computed):
    """A number rounded to `dtype`, of fewer digits than the one that is computed in."""
    from stridecore.creation import scalar_tensor

    kind = complex128 if isinstance(value, complex) else float64
    return scalar_tensor(value if kind is complex128 else float(value), dtype=kind).to(dtype).to(computed).item()


def compute(name, function, operands, dtype, *, result=None, out=None, computed=None, exact=False, precise=False):
    """The elementwise result of `function(*arrays, out=array)`, NumPy's or one that behaves so.

    The operands (tensors, at least one, and Python numbers) are converted to the dtype that NumPy computes in for
    `dtype` (or to `computed`) and broadcast by the function; the result is laid out as torch does. `result` is its
    dtype if it isn't `dtype`; numbers keep the digits of the computed dtype if they are `precise`. With `out` the
    result goes there: it is resized unless it is one of the operands; if `exact`, it must be of the result's dtype.
    """
    computed = computed or WIDER.get(dtype, dtype)
    result = result or dtype
    mine = operands
    operands = [met(x, dtype, computed, precise) if isinstance(x, Tensor) else x for x in operands]
    if dtype in WIDER and not precise:
        operands = [x if isinstance(x, Tensor) else rounded(x, dtype, computed) for x in operands]
    tensors = [x for x in operands if isinstance(x, Tensor)]
    produced = computed if result is dtype else WIDER.get(result, result)    # the dtype that the function writes
    if out is None:
        out = target = result_like(name, tensors, result)
        if produced is not result:
            target = result_like(name, [out], produced)
    else:
        check_out(name, out, result)
        if exact and out.dtype is not result:
            raise RuntimeError(f"{name}: Found dtype {out.dtype.name} of out but expected {result.name}")
        target = out
        if len(tensors) != 1 or tensors[0].shape != out.shape:
            like = result_like(name, tensors, bool_dtype)
            if out.shape != like.shape:
                if any(x is out for x in mine):
                    raise RuntimeError(f"{name}: output with shape {list(out.shape)} doesn't match the broadcast shape "
                                       f"{list(like.shape)}")
                fit_out(name, out, like.shape, like.stride())
        kept = out.dtype is produced and (produced is result or out.dtype is result)
        if not kept or out.is_conj() or out.is_neg():
            target = result_like(name, [out], produced)
    arrays = tuple([plain(x, computed) if isinstance(x, Tensor) else number_array(x, computed) for x in operands])
    try:
        quietly(apply, name, function, arrays, target)
    except TypeError as error:    # NumPy has no loop for the dtype
        raise NotImplementedError(f"{name}: not implemented for {dtype.name}: {error}") from None
    if target is out:
        return out
    return out.copy_(target if out.dtype is result or produced is result else target.to(result))


__all__ = [
    "NUMBERS",
    "WIDER",
    "can_hold",
    "check_fits",
    "check_out",
    "common_dtype",
    "compute",
    "computed_dtype",
    "deliver",
    "fit_out",
    "float_dtype",
    "is_float",
    "number",
    "number_array",
    "operand",
    "pair",
    "plain",
    "refuse_cast",
    "refuse_dtype",
    "tensor",
]
