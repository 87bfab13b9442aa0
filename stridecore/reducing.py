"""What reductions, scans and sorts share: their arguments read, their results made, NumPy run over the memory.

    @public("sum")
    def _sum(x, dim=None, keepdim=False, *, dtype=None, out=None): ...

makes `stridecore.sum` and `Tensor.sum` of one body. Both take NumPy's names (axis, keepdims) as torch does; a method
takes no `out`.
"""

from functools import wraps
from itertools import pairwise
from operator import index

from stridecore.arguments import checked_sizes
from stridecore.core.dtype import dtype as dtype_type
from stridecore.core.lend import lend as lend_memory
from stridecore.core.reduce import quietly, reduced
from stridecore.dtypes import bool as bool_
from stridecore.dtypes import complex128, float64, int64
from stridecore.operands import WIDER, can_hold, fit_out, refuse_cast
from stridecore.operands import plain as plain_as
from stridecore.operands import tensor as tensor_argument
from stridecore.tensor import Tensor

NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim"}
PYTHON_TYPES = {float: float64, int: int64, bool: bool_, complex: complex128}


# ---- functions and methods ------------------------------------------------------------------------------------


def _named_as_here(name, kwargs):
    for theirs, ours in NUMPY_NAMES.items():
        if theirs in kwargs:
            if ours in kwargs:
                raise TypeError(f"{name}(): got both {ours} and {theirs}, which mean the same")
            kwargs[ours] = kwargs.pop(theirs)
    return kwargs


def public(name, room, *, method=True, function=True, code=None, pair=None):
    """Makes Tensor.`name` and, in the room's globals, the function `name`, of a body that first takes the input.

    `code` is the operation in core/reduce.pyx, which is tried first; `pair` is what two results of it become.
    """

    if code is not None:
        return _quick(name, room, code, pair)

    def declare(body):
        body.__qualname__ = name  # what TypeErrors about its arguments call it

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


def _quick(name, room, code, pair):
    def declare(body):
        public(name, room)(body)
        function, method = room[name], getattr(Tensor, name)

        @wraps(function)
        def as_function(input, *args, **kwargs):
            if isinstance(input, Tensor):
                result = reduced(code, input, args, kwargs)
                if result is not None:
                    return pair(result) if type(result) is tuple else result
            return function(input, *args, **kwargs)

        @wraps(method)
        def as_method(self, *args, **kwargs):
            result = reduced(code, self, args, kwargs)
            if result is not None:
                return pair(result) if type(result) is tuple else result
            return method(self, *args, **kwargs)

        room[name] = as_function
        setattr(Tensor, name, as_method)
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
        for a, b in pairwise(dims):
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
    if len(dims) == len(shape) and not keepdim:
        return ()
    if keepdim:
        return tuple([1 if d in dims else n for d, n in enumerate(shape)])
    return tuple([n for d, n in enumerate(shape) if d not in dims])


def some_dtype(name, value, default):
    """A dtype argument: a dtype or one of Python's types; the default for None."""
    if value is None:
        return default
    if isinstance(value, dtype_type):
        return value
    if isinstance(value, type) and value in PYTHON_TYPES:
        return PYTHON_TYPES[value]
    raise TypeError(f"{name}(): argument 'dtype' must be stridecore.dtype, not {type(value).__name__}")


def refuse_complex(name, x):
    """NotImplementedError for what needs an order, which complex numbers have not."""
    if x.dtype.is_complex:
        raise NotImplementedError(f"{name}: not implemented for {x.dtype.name}: complex numbers have no order")


def refuse_empty(name, x, dims, whole=False, error=RuntimeError):
    """The errors of reductions that have no value for nothing: of a whole empty tensor, and over an empty dim."""
    if x.numel():
        return
    if whole:
        raise error(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0, of size {list(x.shape)}. "
            "Specify the reduction dim with the 'dim' argument."
        )
    for d in dims:
        if x.shape[d] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size, in {list(x.shape)}.")


# ---- results --------------------------------------------------------------------------------------------------


def plain(x, dtype=None):
    """x with this dtype (by default one that NumPy computes with) and without lazy bits: itself where that is so."""
    if dtype is None:
        dtype = WIDER.get(x.dtype, x.dtype)
    if x.dtype is dtype and not x.is_conj() and not x.is_neg():
        return x
    return plain_as(x, dtype)


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
        refuse_cast(name, dtype, out.dtype)


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


def deliver(name, out, result):
    """The result, copied to `out` where one was given."""
    if out is None:
        return result
    fit_out(name, out, result.shape)
    return out.copy_(result)


def lend(name, compute, inputs, outputs=()):
    """compute(*arrays) over the memory of plain inputs and of outputs, where floats overflow without a warning."""
    return quietly(lend_memory, name, compute, tuple(inputs), tuple(outputs))


def emit(name, compute, inputs, shape, dtype, out=None):
    """compute(*arrays, target array) for the plain inputs; the target, or what is made of it, is `out` or new.

    The target is of `shape` and of a dtype that NumPy computes with; the result is rounded to `dtype` once.
    """
    computed = WIDER.get(dtype, dtype)
    if (
        out is not None
        and out.dtype is computed
        and not (out.is_conj() or out.is_neg())
        and not any(out.untyped_storage() is x.untyped_storage() for x in inputs)
    ):
        fit_out(name, out, shape)
        lend(name, compute, inputs, (out,))
        return out
    target = inputs[0].new_empty(checked_sizes(name, shape), dtype=computed)
    lend(name, compute, inputs, (target,))
    if out is not None:
        fit_out(name, out, shape)
        return out.copy_(target)
    return target.to(dtype)


def emit_all(name, compute, inputs, shapes, dtypes, outs):
    """The same for several results: compute(*arrays, *target arrays). The tuple of results."""
    targets = [
        inputs[0].new_empty(shape, dtype=WIDER.get(dtype, dtype)) for shape, dtype in zip(shapes, dtypes, strict=True)
    ]
    lend(name, compute, inputs, targets)
    if outs[0] is None:
        return [target.to(dtype) for target, dtype in zip(targets, dtypes, strict=True)]
    return [deliver(name, out, target) for out, target in zip(outs, targets, strict=True)]


__all__ = (
    "WIDER can_hold check_out check_outs deliver emit emit_all fit_out is_true lend one_dim plain public "
    "reduced_shape refuse_complex refuse_empty some_dims some_dtype tensor_argument"
).split()
