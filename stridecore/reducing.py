"""What reductions, scans and sorts share: their arguments read, their results made, NumPy run over the memory.

    @public("sum")
    def _sum(x, dim=None, keepdim=False, *, dtype=None, out=None): ...

makes `stridecore.sum` and `Tensor.sum` of one body. Both take NumPy's names (axis, keepdims) as torch does; a method
takes no `out`.
"""

from functools import wraps
from operator import index

from stridecore.core.dtype import dtype as dtype_type
from stridecore.core.lend import lend
from stridecore.dtypes import (
    bfloat16,
    bool as bool_,
    complex32,
    complex64,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    float16,
    float32,
    int64,
)
from stridecore.tensor import Tensor

NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim"}

# What is computed with instead of the dtypes that NumPy does not compute with, or less exactly.
WIDER = dict.fromkeys(
    (float16, bfloat16, float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu), float32
)
WIDER[complex32] = complex64
PYTHON_TYPES = {}


# ---- functions and methods ------------------------------------------------------------------------------------


def tensor_argument(name, value, argument="input", position=1):
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type(value).__name__}"
        )
    return value


def _named_as_here(name, kwargs):
    for theirs, ours in NUMPY_NAMES.items():
        if theirs in kwargs:
            if ours in kwargs:
                raise TypeError(f"{name}(): got both {ours} and {theirs}, which mean the same")
            kwargs[ours] = kwargs.pop(theirs)
    return kwargs


def public(name, room, *, method=True, function=True):
    """Makes Tensor.`name` and, in the room's globals, the function `name` of a body whose first argument is the input."""

    def declare(body):
        @wraps(body)
        def as_function(input, *args, **kwargs):
            tensor_argument(name, input)
            return body(input, *args, **(_named_as_here(name, kwargs) if kwargs else kwargs))

        @wraps(body)
        def as_method(self, *args, **kwargs):
            if kwargs:
                kwargs = _named_as_here(name, kwargs)
                if "out" in kwargs:
                    raise TypeError(f"{name}() got an unexpected keyword argument 'out'; stridecore.{name} takes it")
            return body(self, *args, **kwargs)

        as_function.__name__ = as_function.__qualname__ = as_method.__name__ = name
        as_method.__qualname__ = f"Tensor.{name}"
        if method:
            setattr(Tensor, name, as_method)
        if function:
            room[name] = as_function
        return body

    return declare


# ---- arguments ------------------------------------------------------------------------------------------------


def one_dim(name, dim, ndim):
    """A dim argument, counted from the front; a tensor of 0 dims accepts 0 and -1."""
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError(f"{name}(): argument 'dim' must be int, not {type(dim).__name__}")
    dim = index(dim)
    bound = max(ndim, 1)
    if not -bound <= dim < bound:
        raise IndexError(
            f"{name}: Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got {dim})"
        )
    return dim % bound


def some_dims(name, dim, ndim, all_if_empty=True):
    """The dims that a reduction goes over, as a sorted tuple: None and, mostly, () mean all."""
    if dim is None:
        return tuple(range(ndim))
    if isinstance(dim, tuple | list):
        if not dim and all_if_empty:
            return tuple(range(ndim))
        dims = sorted([one_dim(name, d, ndim) for d in dim])
        for a, b in zip(dims, dims[1:], strict=False):
            if a == b:
                raise RuntimeError(f"{name}: dim {a} appears multiple times in the list of dims {tuple(dim)}")
    else:
        dims = (one_dim(name, dim, ndim),)
    return tuple(dims) if ndim else ()


def is_true(name, argument, value):
    if not isinstance(value, bool):
        raise TypeError(f"{name}(): argument '{argument}' must be bool, not {type(value).__name__}")
    return value


def reduced_shape(shape, dims, keepdim):
    if keepdim:
        return tuple([1 if d in dims else n for d, n in enumerate(shape)])
    return tuple([n for d, n in enumerate(shape) if d not in dims])


def some_dtype(name, value, default):
    """A dtype argument: a dtype or one of Python's types; the default for None."""
    if value is None:
        return default
    if isinstance(value, dtype_type):
        return value
    if not PYTHON_TYPES:
        from stridecore.dtypes import complex128, float64

        PYTHON_TYPES.update({float: float64, int: int64, bool: bool_, complex: complex128})
    if isinstance(value, type) and value in PYTHON_TYPES:
        return PYTHON_TYPES[value]
    raise TypeError(f"{name}(): argument 'dtype' must be stridecore.dtype, not {type(value).__name__}")


def refuse_kinds(name, x, *, complex=False, bool=False, message="not defined for"):
    """RuntimeError for dtypes for which the operation means nothing."""
    if (complex and x.dtype.is_complex) or (bool and x.dtype is bool_):
        raise RuntimeError(f"{name}: {message} {x.dtype!r}")


def is_float(dtype):
    return dtype.is_floating_point or dtype.is_complex


# ---- results --------------------------------------------------------------------------------------------------


def plain(x, dtype=None):
    """x with this dtype (by default one that NumPy computes with) and without lazy bits: itself where that is so."""
    if dtype is None:
        dtype = WIDER.get(x.dtype, x.dtype)
    return x.to(dtype).resolve_conj().resolve_neg()


def can_hold(target, dtype):
    """False where a float or complex result would lose its kind."""
    return target.is_complex or not (dtype.is_complex or (dtype.is_floating_point and not target.is_floating_point))


def check_out(name, out, dtype, exact=True):
    """Refuse an `out` that is no tensor or, as torch has it for the function, not of this dtype or can't hold it."""
    if out is None:
        return
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if exact and out.dtype is not dtype:
        raise RuntimeError(
            f"{name}: Expected out tensor to have dtype {dtype.name}, but got {out.dtype.name} instead"
        )
    if not can_hold(out.dtype, dtype):
        raise RuntimeError(
            f"{name}: result type {dtype.name} can't be cast to the desired output type {out.dtype.name}"
        )


def check_outs(name, out, dtypes):
    """A tuple of outputs of just these dtypes; a tuple of Nones for None."""
    if out is None:
        return (None,) * len(dtypes)
    if not isinstance(out, tuple | list):
        raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    if len(out) != len(dtypes):
        raise TypeError(f"{name}(): argument 'out' must be a tuple of {len(dtypes)} Tensors, got {len(out)}")
    for each, dtype in zip(out, dtypes, strict=True):
        check_out(name, each, dtype)
    return tuple(out)


def fit_out(name, out, shape):
    """Give `out` the result's shape, as torch does: it may only grow from nothing without a warning."""
    if out.shape != shape:
        if out.numel():
            import warnings

            warnings.warn(
                f"{name}: an output with one or more elements was resized since it had shape {list(out.shape)}, "
                f"which does not match the required output shape {list(shape)}",
                UserWarning,
                stacklevel=5,
            )
        out.resize_(shape)


def deliver(name, out, result):
    """The result, copied to `out` where one was given."""
    if out is None:
        return result
    fit_out(name, out, result.shape)
    return out.copy_(result)


def emit(name, compute, inputs, shape, dtype, out=None):
    """compute(*arrays, target array) for the plain inputs; the target, or what is made of it, is `out` or new.

    The target is of `shape` and of a dtype that NumPy computes with; the result is rounded to `dtype` once.
    """
    computed = WIDER.get(dtype, dtype)
    if (
        out is not None
        and out.dtype is computed
        and not (out.is_conj() or out.is_neg())
        and not any([out.untyped_storage() is x.untyped_storage() for x in inputs])
    ):
        fit_out(name, out, shape)
        lend(name, compute, tuple(inputs), (out,))
        return out
    target = inputs[0].new_empty(shape, dtype=computed)
    lend(name, compute, tuple(inputs), (target,))
    if out is not None:
        fit_out(name, out, shape)
        return out.copy_(target)
    return target.to(dtype)
