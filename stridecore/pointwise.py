"""Elementwise math: NumPy's ufuncs over the tensors' memory, with torch's dtypes, layouts and errors.

Integers and bools give the default dtype; float16, bfloat16, float8 and complex32 are computed in the next type that
NumPy computes with and rounded once.
"""

from stridecore.core.elementwise import apply, result_like
from stridecore.dtypes import (
    bfloat16,
    complex32,
    complex64,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    float16,
    float32,
    get_default_dtype,
)
from stridecore.tensor import Tensor

# The dtypes that NumPy does not compute with, or less exactly, and what is computed with instead.
_WIDER = dict.fromkeys(
    (float16, bfloat16, float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu), float32
)
_WIDER[complex32] = complex64

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

__all__ = sorted([*_FLOAT_UNARY, *(name + "_" for name in _FLOAT_UNARY)])


def _plain(x, dtype):
    """x with this dtype and without lazy bits: itself where that is so already."""
    return x.to(dtype).resolve_conj().resolve_neg()


def _refuse_cast(name, dtype, target):
    raise RuntimeError(
        f"{name}: result type {dtype.name} can't be cast to the desired output type {target.name}. "
        f"Convert first: x.to(stridecore.{dtype.name})"
    )


def _can_hold(target, dtype):
    """False where a float or complex result would lose its kind."""
    return target.is_complex or not (dtype.is_complex or (dtype.is_floating_point and not target.is_floating_point))


def _fit_out(name, out, shape):
    """Give `out` the result's shape, as torch does: it may only grow from nothing without a warning."""
    if out.shape != shape:
        if out.numel():
            import warnings

            warnings.warn(
                f"{name}: an output with one or more elements was resized since it had shape {list(out.shape)}, "
                f"which does not match the required output shape {list(shape)}",
                UserWarning,
                stacklevel=4,
            )
        out.resize_(shape)


def _float_unary(name, ufunc_name, x, out):
    """The values of a unary ufunc with a float result, in `out` or a new tensor."""
    import numpy

    if not isinstance(x, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(x).__name__}")
    dtype = x.dtype if x.dtype.is_floating_point or x.dtype.is_complex else get_default_dtype()
    computed = _WIDER.get(dtype, dtype)
    if out is None:
        out = result_like(name, [x], dtype)
    else:
        if not isinstance(out, Tensor):
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
        if not _can_hold(out.dtype, dtype):
            _refuse_cast(name, dtype, out.dtype)
        _fit_out(name, out, x.shape)
    source = _plain(x, computed)
    direct = out.dtype is computed and not out.is_conj() and not out.is_neg()
    target = out if direct else result_like(name, [source], computed)
    with numpy.errstate(all="ignore"):
        apply(name, getattr(numpy, ufunc_name), (source,), target)
    return out if direct else out.copy_(target)


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
