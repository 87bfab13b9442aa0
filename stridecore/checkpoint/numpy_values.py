"""NumPy scalars, arrays and dtypes in pickles, made from their bytes.

The dtypes are those of numbers, dates and fixed-width strings, told from their short names ("f4", "U3"); arrays of
others (objects, structs) become stubs. NumPy is loaded when a file has a value of it.
"""

import re

from stridecore.checkpoint.errors import CheckpointError
from stridecore.checkpoint.stubs import Global, Stub

__all__ = ["CALLS", "VALUES", "build"]

NAMES = re.compile(r"[<>=|]?([biufc](1|2|4|8|16)|b1|\?|[SUV][0-9]{1,9}|[mM]8(\[[0-9a-zA-Z]{0,12}\])?)")
MAX_DIMS = 32  # of arrays that every NumPy can hold


def _numpy():
    import numpy

    return numpy


def _text(value):
    if isinstance(value, bytes) and len(value) < 64:
        return value.decode("latin-1")
    return value if type(value) is str else None


def dtype(machine, args):
    """numpy.dtype("f4", False, True): a dtype of its own, so that a later state can replace it; or a stub."""
    name = _text(args[0]) if args else None
    if name is None or not NAMES.fullmatch(name) or name.startswith("V") or len(args) > 3:
        return Stub(Global("numpy", "dtype"), args)
    machine.spend(200)
    numpy = _numpy()
    try:
        return numpy.dtype(numpy.dtype(name), copy=True)
    except (TypeError, ValueError, OverflowError):
        raise CheckpointError(f"numpy has no dtype {name!r}") from None


def build_dtype(machine, target, state, memo):
    """The state of a plain dtype says its byte order, and that of a date its unit."""
    order = _text(state[1]) if type(state) is tuple and 2 <= len(state) <= 9 else None
    if order not in ("<", ">", "|", "=") or any(part is not None for part in state[2:5]):
        raise CheckpointError("a numpy dtype with a state that is not known")
    made = target
    if target.kind in "mM" and len(state) == 9:
        unit = state[8][1][0] if _is_unit(state[8]) else None
        if _text(unit) is None or not re.fullmatch("[a-zA-Z]{1,9}", _text(unit)):
            raise CheckpointError("a numpy date with a unit that is not known")
        count = state[8][1][1]
        try:
            made = _numpy().dtype(f"{target.kind}8[{count if count != 1 else ''}{_text(unit)}]")
        except (TypeError, ValueError, OverflowError):
            raise CheckpointError(f"numpy has no unit {unit!r}") from None
    if order == ">":
        made = made.newbyteorder(">")
    return target if made == target else machine.replace(memo, target, made)


def _is_unit(value):
    return (
        type(value) is tuple
        and len(value) == 2
        and type(value[1]) is tuple
        and len(value[1]) >= 2
        and type(value[1][1]) is int
        and 0 < value[1][1] < 2**31
    )


def scalar(machine, args):
    """multiarray.scalar(dtype, bytes)."""
    numpy = _numpy()
    if len(args) == 2 and isinstance(args[0], numpy.dtype) and isinstance(args[1], bytes | str):
        data = args[1] if isinstance(args[1], bytes) else args[1].encode("latin-1", "replace")
        if len(data) == args[0].itemsize:
            machine.spend(len(data) + 100)
            return numpy.frombuffer(data, dtype=args[0])[0] if data else args[0].type()
        raise CheckpointError(f"{len(data)} bytes for one numpy {args[0]}")
    return Stub(Global("numpy", "scalar"), args)


def reconstruct(machine, args):
    """multiarray._reconstruct(ndarray, (0,), "b"): an empty array; its state will say what it is."""
    if not args or type(args[0]) is not Global or args[0] != VALUES["numpy", "ndarray"]:
        return Stub(Global("numpy", "_reconstruct"), args)
    machine.spend(200)
    return _numpy().empty(0, "int8")


def build_array(machine, target, state, memo):
    """The state of an array: (version, shape, dtype, Fortran order, bytes)."""
    if type(state) is not tuple or len(state) not in (4, 5):
        raise CheckpointError("a numpy array with a state that is not known")
    shape, kind, fortran, data = state[-4:]
    if type(kind) is Stub or getattr(kind, "kind", None) == "O":
        made = Stub(Global("numpy", "ndarray"))
        made.state = state
        return machine.replace(memo, target, made)
    if type(fortran) not in (bool, int):
        raise CheckpointError("a numpy array with an order that is not known")
    return machine.replace(memo, target, _array(machine, data, kind, shape, bool(fortran)))


def from_buffer(machine, args):
    """numeric._frombuffer(bytes, dtype, shape, order): an array of protocol 5."""
    if len(args) != 4 or type(args[3]) is not str or args[3] not in ("C", "F"):
        return Stub(Global("numpy", "_frombuffer"), args)
    if type(args[1]) is Stub:
        return Stub(Global("numpy", "ndarray"), args)
    return _array(machine, args[0], args[1], args[2], args[3] == "F")


def _array(machine, data, kind, shape, fortran):
    numpy = _numpy()
    if isinstance(data, str):
        try:
            data = data.encode("latin-1")
        except UnicodeEncodeError:
            raise CheckpointError("the bytes of a numpy array are text") from None
    if not isinstance(data, bytes | bytearray) or not isinstance(kind, numpy.dtype) or type(shape) is not tuple:
        raise CheckpointError("a numpy array is made of bytes, a dtype and a shape")
    if len(shape) > MAX_DIMS or not all(type(n) is int and 0 <= n < 2**62 for n in shape):
        raise CheckpointError(f"a numpy array of {len(shape)} dims with sizes that can't be")
    count = kind.itemsize
    for n in shape:
        count *= n
    if count != len(data):
        raise CheckpointError(f"a numpy array of shape {shape!r} and dtype {kind} with {len(data)} bytes"[:200])
    machine.spend(len(data) + 200)
    try:
        if not count:
            return numpy.empty(shape, kind, order="F" if fortran else "C")
        return numpy.frombuffer(bytearray(data), kind).reshape(shape, order="F" if fortran else "C")
    except (ValueError, MemoryError) as error:
        raise CheckpointError(f"a numpy array of shape {shape!r} and dtype {kind}: {error}"[:200]) from None


def is_array(value):
    """Whether a value is an array."""
    return type(value).__module__ == "numpy" and type(value).__name__ == "ndarray"


def build(machine, target, state, memo):
    """BUILD on a value of NumPy's; None if it is none."""
    module = type(target).__module__
    if module.partition(".")[0] != "numpy":
        return None
    numpy = _numpy()
    if isinstance(target, numpy.dtype):
        return build_dtype(machine, target, state, memo)
    if type(target) is numpy.ndarray:
        return build_array(machine, target, state, memo)
    return None


CALLS = {
    ("numpy", "dtype"): dtype,
    **{(f"numpy.{core}.multiarray", "scalar"): scalar for core in ("core", "_core")},
    **{(f"numpy.{core}.multiarray", "_reconstruct"): reconstruct for core in ("core", "_core")},
    **{(f"numpy.{core}.numeric", "_frombuffer"): from_buffer for core in ("core", "_core")},
}
VALUES = {("numpy", "ndarray"): Global("numpy", "ndarray")}
