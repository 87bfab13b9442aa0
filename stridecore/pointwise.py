"""Elementwise math: NumPy's ufuncs over the tensors' memory, with torch's dtypes, layouts and errors.

Integers and bools give the default dtype; float16, bfloat16, float8 and complex32 are computed in the next type that
NumPy computes with and rounded once.
"""

import numpy

from stridecore.core.binary import SQRT, straight
from stridecore.core.reduce import elementwise
from stridecore.operands import compute, float_dtype, tensor
from stridecore.tensor import Tensor

# name: (NumPy's name, what it computes, arguments of the example, the example's result)
_FLOAT_UNARY = {
    "acos": ("arccos", "The inverse cosine, in radians", "[1.0, 0.0]", "[0.0000, 1.5708]"),
    "acosh": ("arccosh", "The inverse hyperbolic cosine", "[1.0, 2.0]", "[0.0000, 1.3170]"),
    "asin": ("arcsin", "The inverse sine, in radians", "[0.0, 1.0]", "[0.0000, 1.5708]"),
    "asinh": ("arcsinh", "The inverse hyperbolic sine", "[0.0, 1.0]", "[0.0000, 0.8814]"),
    "atan": ("arctan", "The inverse tangent, in radians", "[0.0, 1.0]", "[0.0000, 0.7854]"),
    "atanh": ("arctanh", "The inverse hyperbolic tangent", "[0.0, 0.5]", "[0.0000, 0.5493]"),
    "cos": ("cos", "The cosine, of radians", "[0.0, 1.0]", "[1.0000, 0.5403]"),
    "cosh": ("cosh", "The hyperbolic cosine", "[0.0, 1.0]", "[1.0000, 1.5431]"),
    "exp": ("exp", "e to the power", "[0.0, 1.0]", "[1.0000, 2.7183]"),
    "exp2": ("exp2", "2 to the power", "[0.0, 3.0]", "[1., 8.]"),
    "expm1": ("expm1", "e to the power, minus 1", "[0.0, 1.0]", "[0.0000, 1.7183]"),
    "log": ("log", "The natural logarithm", "[1.0, 2.0]", "[0.0000, 0.6931]"),
    "log10": ("log10", "The logarithm to base 10", "[1.0, 2.0]", "[0.0000, 0.3010]"),
    "log1p": ("log1p", "The natural logarithm of 1 plus", "[0.0, 1.0]", "[0.0000, 0.6931]"),
    "log2": ("log2", "The logarithm to base 2", "[1.0, 8.0]", "[0., 3.]"),
    "sin": ("sin", "The sine, of radians", "[0.0, 1.0]", "[0.0000, 0.8415]"),
    "sinh": ("sinh", "The hyperbolic sine", "[0.0, 1.0]", "[0.0000, 1.1752]"),
    "sqrt": ("sqrt", "The square root", "[4.0, 2.0]", "[2.0000, 1.4142]"),
    "tan": ("tan", "The tangent, of radians", "[0.0, 1.0]", "[0.0000, 1.5574]"),
    "tanh": ("tanh", "The hyperbolic tangent", "[0.0, 1.0]", "[0.0000, 0.7616]"),
}

# torch's longer names
_ALIASES = {"arc" + name[1:]: name for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh")}

__all__ = sorted(name + end for name in (*_FLOAT_UNARY, *_ALIASES) for end in ("", "_"))


def _float_unary(name, ufunc_name, x, out):
    """The values of a unary ufunc with a float result, in `out` or a new tensor."""
    dtype = float_dtype(tensor(name, x).dtype)
    if ufunc_name == "sqrt" and x.dtype.is_floating_point and (out is None or out is x):
        result = straight(SQRT, x, 0, out)
        if result is not None:
            return result
    ufunc = getattr(numpy, ufunc_name)
    if out is None or out is x:
        result = elementwise(ufunc, x, out is x, name)
        if result is not None:
            return result
    return compute(name, ufunc, [x], dtype, out=out)


def _document(function, name, summary, example):
    function.__name__ = name
    function.__qualname__ = name if example.startswith("sc.") else f"Tensor.{name}"
    function.__doc__ = f"{summary}\n\n    >>> import stridecore as sc\n    >>> {example}\n"


def _define(name, ufunc_name, what, values, result):
    def function(input, *, out=None):
        return _float_unary(name, ufunc_name, input, out)

    def method(self):
        return _float_unary(name, ufunc_name, self, None)

    def in_place(self):
        return _float_unary(name + "_", ufunc_name, self, self)

    def in_place_function(input):
        return _float_unary(name + "_", ufunc_name, input, input)

    new = (
        f"{what} of each element, as a new tensor of the same size, or in `out`.\n\n"
        "    Floats and complex numbers keep their dtype; integers and bools give the default dtype."
    )
    here = (
        f"{what} of each element, written over it; returns the tensor itself.\n\n"
        "    RuntimeError for integers and bools, which can't hold the result."
    )
    shown = f"\n    tensor({result})"
    _document(function, name, new, f"sc.{name}(sc.tensor({values})){shown}")
    _document(method, name, new.replace(", or in `out`", ""), f"x = sc.tensor({values})\n    >>> x.{name}(){shown}")
    _document(in_place, name + "_", here, f"x = sc.tensor({values})\n    >>> x.{name}_(){shown}")
    _document(in_place_function, name + "_", here, f"sc.{name}_(sc.tensor({values})){shown}")
    setattr(Tensor, name, method)
    setattr(Tensor, name + "_", in_place)
    globals()[name] = function
    globals()[name + "_"] = in_place_function


for _name, _row in _FLOAT_UNARY.items():
    _define(_name, *_row)
for _name, _first in _ALIASES.items():
    _define(_name, *_FLOAT_UNARY[_first])
