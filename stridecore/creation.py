"""Tensors from sizes and values. What is called often is made in the core; what is not stands here."""

from stridecore.core import creation as core
from stridecore.core.creation import (
    empty,
    empty_like,
    empty_permuted,
    empty_strided,
    full,
    full_like,
    ones,
    ones_like,
    scalar_tensor,
    zeros,
    zeros_like,
)
from stridecore.core.device import device as Device
from stridecore.core.elementwise import result_like
from stridecore.core.promotion import can_cast, promote_types, result_type
from stridecore.core.ranges import arange, linspace, logspace
from stridecore.dtypes import float64
from stridecore.tensor import Tensor

tensor = core.tensor  # bound after the import of the module stridecore.tensor, which has the name in the package

__all__ = [
    "arange",
    "as_tensor",
    "asarray",
    "can_cast",
    "complex",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "eye",
    "full",
    "full_like",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "polar",
    "promote_types",
    "result_type",
    "scalar_tensor",
    "tensor",
    "zeros",
    "zeros_like",
]

for _name in ("as_subclass", "new_empty", "new_empty_strided", "new_full", "new_ones", "new_tensor", "new_zeros"):
    setattr(Tensor, _name, getattr(core, _name))


def eye(
    n, m=None, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False
):
    """The n x m matrix (n x n without m) with ones on the diagonal and zeros elsewhere.

    RuntimeError for a negative size.

    >>> import stridecore as sc
    >>> sc.eye(2, 3)
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    rows = _count(n, "n")
    columns = rows if m is None else _count(m, "m")
    made = zeros(
        rows,
        columns,
        out=out,
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        requires_grad=requires_grad,
    )
    made.diagonal().fill_(1)
    return made


def _count(value, name):
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"eye: {name} must be int, not {type(value).__name__}")
    value = value.__index__()
    if value < 0:
        raise RuntimeError(f"eye: {name} must be greater or equal to 0, got {value}")
    return value


# ---- complex from parts ---------------------------------------------------------------------------------------


def _complex_result(first, second, names, out, function):
    """An empty complex tensor for two broadcast real ones, laid out as an elementwise result."""
    for name, part in zip(names, (first, second), strict=True):
        if not isinstance(part, Tensor):
            raise TypeError(f"{function}: argument '{name}' must be Tensor, not {type(part).__name__}")
    if first.dtype.name not in ("float16", "float32", "float64"):
        raise RuntimeError(
            f"{function}: Expected both inputs to be Half, Float or Double tensors but got {first.dtype} and "
            f"{second.dtype}"
        )
    if first.dtype is not second.dtype:
        raise RuntimeError(
            f"{function}: Expected object of scalar type {first.dtype} but got scalar type {second.dtype} for "
            f"argument '{names[1]}'"
        )
    made = result_like(function, [first, second], first.dtype.to_complex())
    if out is None:
        return made
    if not isinstance(out, Tensor):
        raise TypeError(f"{function}: argument 'out' must be Tensor, not {type(out).__name__}")
    if out.dtype is not made.dtype:
        raise RuntimeError(
            f"{function}: Expected object of scalar type {made.dtype} but got scalar type {out.dtype} for argument "
            "'out'"
        )
    return empty(made.shape, out=out)


def complex(real, imag, *, out=None):
    """A complex tensor with these real and imaginary parts: tensors of one dtype, float16, float32 or float64.

    The parts broadcast. RuntimeError for other dtypes and for sizes that don't broadcast.

    >>> import stridecore as sc
    >>> sc.complex(sc.tensor([1.0, 2.0]), sc.tensor([3.0, 4.0]))
    tensor([1.+3.j, 2.+4.j])
    """
    made = _complex_result(real, imag, ("real", "imag"), out, "complex")
    if out is not None:  # which may be one of the parts, seen as complex
        real, imag = real.clone(), imag.clone()
    made.real.copy_(real)
    made.imag.copy_(imag)
    return made


def polar(abs, angle, *, out=None):
    """A complex tensor abs * (cos(angle) + sin(angle) * 1j), of tensors of one dtype, float16, float32 or float64.

    >>> import stridecore as sc
    >>> sc.polar(sc.tensor([1.0, 2.0]), sc.tensor([0.0, 1.0]))
    tensor([1.0000+0.0000j, 1.0806+1.6829j])
    """
    import numpy

    made = _complex_result(abs, angle, ("abs", "angle"), out, "polar")
    angles = angle.to(float64).numpy()
    lengths = abs.to(float64).numpy()
    with numpy.errstate(all="ignore"):
        real, imag = lengths * numpy.cos(angles), lengths * numpy.sin(angles)
    made.real.copy_(tensor(real))
    made.imag.copy_(tensor(imag))
    return made


# ---- sharing memory where that is possible ----------------------------------------------------------------------


def _is_array(data):
    import sys

    numpy = sys.modules.get("numpy")  # an array can't exist before NumPy was imported
    return numpy is not None and isinstance(data, numpy.ndarray)


def as_tensor(data, *, dtype=None, device=None):
    """`data` as a tensor: a tensor itself, an array without a copy, anything else as tensor(data) makes it.

    A copy is made where `dtype` asks for another one.

    >>> import stridecore as sc
    >>> x = sc.zeros(2)
    >>> sc.as_tensor(x) is x, sc.as_tensor([1, 2])
    (True, tensor([1, 2]))
    """
    if device is not None:
        Device(device)
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype=dtype)
    if _is_array(data):
        from stridecore import from_numpy

        shared = from_numpy(data)
        return shared if dtype is None else shared.to(dtype=dtype)
    return tensor(data, dtype=dtype)


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """`obj` as a tensor: it shares memory with a tensor, an array, a DLPack capsule or a buffer, and copies sequences
    and numbers.

    A buffer (bytes, memoryview, array.array) is read as elements of `dtype`, by default the default dtype. With
    `copy=True` memory is never shared; with `copy=False` a copy is never made, ValueError where one is needed.

    >>> import stridecore as sc
    >>> x = sc.zeros(2)
    >>> sc.asarray(x) is x, sc.asarray(x, copy=True) is x, sc.asarray([1, 2])
    (True, False, tensor([1, 2]))
    """
    if requires_grad:
        raise NotImplementedError("asarray: requires_grad=True: stridecore has no autograd; leave it out")
    if device is not None:
        Device(device)
    shared = _shared(obj, dtype)
    if shared is None:
        if copy is False:
            raise ValueError("asarray: can't alias arbitrary sequence into a tensor: leave out copy=False")
        return tensor(obj, dtype=dtype)
    convert = dtype is not None and _as_dtype(dtype) is not shared.dtype
    if convert and copy is False:
        raise ValueError(f"asarray: can't alias tensor with dtype {shared.dtype} into dtype {dtype}")
    return core.copied(shared, dtype) if convert or copy else shared


def _as_dtype(dtype):
    return empty(0, dtype=dtype).dtype


def _shared(obj, dtype):
    """A tensor over the memory of `obj`, or None if it has no memory to share."""
    if isinstance(obj, Tensor):
        return obj
    if _is_array(obj):
        from stridecore import from_numpy

        return from_numpy(obj)
    if type(obj).__name__ == "PyCapsule" or (hasattr(obj, "__dlpack__") and not hasattr(obj, "__array_interface__")):
        from stridecore import from_dlpack

        return from_dlpack(obj)
    if isinstance(obj, list | tuple | int | float | str) or hasattr(obj, "dtype"):  # NumPy's scalars export buffers
        return None
    try:
        memoryview(obj).release()
    except TypeError:
        return None
    from stridecore import frombuffer

    return frombuffer(obj, dtype=_as_dtype(dtype))
