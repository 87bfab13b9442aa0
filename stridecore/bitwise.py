"""Bits and truth: bitwise and logical functions, shifts, greatest common divisors."""

import numpy

from stridecore import dtypes
from stridecore.core.binary import AND, OR, XOR, straight
from stridecore.defining import define, public
from stridecore.operands import common_dtype, compute, is_float, pair, refuse_dtype, tensor

# ---- bits ---------------------------------------------------------------------------------------------------


def _bits(name, function, input, other, out):
    input, other = pair(name, input, other)
    dtype = common_dtype(input, other)
    if is_float(dtype):
        refuse_dtype(name, dtype, "; it works on integers and bools")
    return compute(name, function, [input, other], dtype, out=out)


def bitwise_and(input, other, *, out=None):
    """The bits that are set in both operands; of bools, the logical and. NotImplementedError for floats."""
    result = straight(AND, input, other, out)
    return _bits("bitwise_and", numpy.bitwise_and, input, other, out) if result is None else result


def bitwise_or(input, other, *, out=None):
    """The bits that are set in one operand or both; of bools, the logical or. NotImplementedError for floats."""
    result = straight(OR, input, other, out)
    return _bits("bitwise_or", numpy.bitwise_or, input, other, out) if result is None else result


def bitwise_xor(input, other, *, out=None):
    """The bits that differ between the operands; of bools, whether they differ. NotImplementedError for floats."""
    result = straight(XOR, input, other, out)
    return _bits("bitwise_xor", numpy.bitwise_xor, input, other, out) if result is None else result


def bitwise_not(input, *, out=None):
    """Each bit turned over; of bools, the logical not. NotImplementedError for floats."""
    dtype = tensor("bitwise_not", input).dtype
    if is_float(dtype):
        refuse_dtype("bitwise_not", dtype, "; it works on integers and bools")
    return compute("bitwise_not", numpy.invert, [input], dtype, out=out, exact=True)


def _integers(name, function, input, other, out, numbers=True):
    input, other = pair(name, input, other, numbers=numbers)
    dtype = common_dtype(input, other)
    if is_float(dtype) or dtype is dtypes.bool:
        refuse_dtype(name, dtype, "; it works on integers")
    return compute(name, function, [input, other], dtype, out=out)


def bitwise_left_shift(input, other, *, out=None):
    """The bits of input, moved up by so many places; 0 for negative places and for more than there are bits."""
    return _integers("bitwise_left_shift", numpy.left_shift, input, other, out)


def _right_shift(a, b, **how):
    return numpy.right_shift(a, b, **how)


def bitwise_right_shift(input, other, *, out=None):
    """The bits of input, moved down by so many places; the sign is kept, and is all that is left after too many."""
    return _integers("bitwise_right_shift", _right_shift, input, other, out)


# ---- truth --------------------------------------------------------------------------------------------------


def _logical(name, function, input, other, out):
    input, other = pair(name, input, other, numbers=False)
    return compute(name, function, [input, other], dtypes.bool, out=out)


def logical_and(input, other, *, out=None):
    """True where both elements are not 0."""
    return _logical("logical_and", numpy.logical_and, input, other, out)


def logical_or(input, other, *, out=None):
    """True where an element is not 0."""
    return _logical("logical_or", numpy.logical_or, input, other, out)


def logical_xor(input, other, *, out=None):
    """True where just one of two elements is not 0."""
    return _logical("logical_xor", numpy.logical_xor, input, other, out)


def logical_not(input, *, out=None):
    """True where the element is 0."""
    return compute("logical_not", numpy.logical_not, [tensor("logical_not", input)], dtypes.bool, out=out)


# ---- divisors -----------------------------------------------------------------------------------------------


def gcd(input, other, *, out=None):
    """The greatest common divisor of two integers, at least 0."""
    return _integers("gcd", numpy.gcd, input, other, out, numbers=False)


def _lcm(a, b, **how):
    multiple = numpy.lcm(a, b)
    return numpy.positive(multiple if multiple.itemsize < 4 else numpy.absolute(multiple), **how)


def lcm(input, other, *, out=None):
    """The least common multiple of two integers, at least 0."""
    return _integers("lcm", _lcm, input, other, out, numbers=False)


_room = globals()
_pair = ("[6, 3]", "sc.tensor([3, 5])")
define(_room, bitwise_and, *_pair, "[2, 1]", kinds="fmi", code=AND)
define(_room, bitwise_or, *_pair, "[7, 7]", kinds="fmi", code=OR)
define(_room, bitwise_xor, *_pair, "[5, 6]", kinds="fmi", code=XOR)
define(_room, bitwise_not, "[0, 5]", "", "[-1, -6]", kinds="fmi")
define(_room, bitwise_left_shift, "[1, 5]", "2", "[ 4, 20]", kinds="fmi")
define(_room, bitwise_right_shift, "[4, -5]", "1", "[ 2, -3]", kinds="fmi")
_truths = ("[True, False]", "sc.tensor([True, True])")
define(_room, logical_and, *_truths, "[ True, False]", kinds="fmi")
define(_room, logical_or, *_truths, "[True, True]", kinds="fmi")
define(_room, logical_xor, *_truths, "[False,  True]", kinds="fmi")
define(_room, logical_not, "[True, False]", "", "[False,  True]", kinds="fmi")
define(_room, gcd, "[6, 10]", "sc.tensor([4, 15])", "[2, 5]", kinds="fmI")
define(_room, lcm, "[6, 10]", "sc.tensor([4, 15])", "[12, 30]", kinds="fmI")

__all__ = public(_room)
