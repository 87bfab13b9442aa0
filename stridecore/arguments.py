"""Arguments of functions that are written in Python, read as the core reads its own (core/args.pyx)."""

from operator import index

from stridecore.core.function import function
from stridecore.core.options import warn_of_resize
from stridecore.core.tensor_impl import TensorImpl
from stridecore.tensor import Tensor

LARGEST = 2**63 - 1


def tensor_arg(name, value, argument="input"):
    """`value`, which must be a Tensor."""
    if not isinstance(value, TensorImpl):
        raise TypeError(f"{name}: argument '{argument}' must be Tensor, not {type(value).__name__}")
    return value


def int_arg(name, value, argument):
    """An int; NumPy's ints and 0-dim integer tensors count, bools and floats don't."""
    if type(value) is int:
        return value
    if isinstance(value, bool | float | str):
        raise TypeError(f"{name}: argument '{argument}' must be int, not {type(value).__name__}")
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{name}: argument '{argument}' must be int, not {type(value).__name__}") from None


def ints_arg(name, value, argument):
    """A list of ints from a tuple or list."""
    if not isinstance(value, tuple | list):
        raise TypeError(f"{name}: argument '{argument}' must be tuple of ints, not {type(value).__name__}")
    return [int_arg(name, each, argument) for each in value]


def spread_ints(name, given, keyword, argument):
    """The ints of f(1, 2), f((1, 2)) or f(argument=(1, 2)), for `def f(self, *given, argument=None)`."""
    if keyword is not None:
        if given:
            raise TypeError(f"{name}: got {argument} both by position and by keyword")
        return ints_arg(name, keyword, argument)
    if not given:
        raise TypeError(f"{name}: missing its argument {argument!r}, ints or a tuple of ints")
    if len(given) == 1 and isinstance(given[0], tuple | list):
        given = given[0]
    return ints_arg(name, tuple(given), argument)


def wrapped_dim(name, dim, ndim):
    """dim in [0, max(ndim, 1)); IndexError outside."""
    bound = max(ndim, 1)
    if not -bound <= dim < bound:
        raise IndexError(
            f"{name}: Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got {dim})"
        )
    return dim % bound


def fitted_out(name, out, shape, dtype):
    """An `out` tensor of this dtype, resized to the shape where need be; RuntimeError for another dtype."""
    if not isinstance(out, TensorImpl):
        raise TypeError(f"{name}: out must be Tensor, not {type(out).__name__}")
    if out.dtype != dtype:
        raise RuntimeError(f"{name}: Expected out tensor to have dtype {dtype}, but got {out.dtype} instead")
    if out.shape == tuple(shape):
        return out
    if out.numel():
        warn_of_resize(name, shape)
    return out.resize_(shape)


def checked_sizes(name, shape):
    """The sizes of a result; RuntimeError where they or their product are beyond 64 bits."""
    numel = 1
    for size in shape:
        numel *= size
    if numel > LARGEST or any(size > LARGEST for size in shape):
        raise RuntimeError(f"{name}: Storage size calculation overflowed with sizes={list(shape)}")
    return shape


def add_methods(*methods, as_functions=""):
    """Make each function `_name` the method Tensor.name; returns those named as functions of the package, in order."""
    for method in methods:
        method.__name__ = method.__name__[1:]
        method.__qualname__ = f"Tensor.{method.__name__}"
        setattr(Tensor, method.__name__, method)
    return [function(name, getattr(Tensor, name)) for name in as_functions.split()]
