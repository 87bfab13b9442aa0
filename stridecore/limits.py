"""The numeric limits of element types: `finfo(dtype)` and `iinfo(dtype)`."""

from stridecore.core.dtype import dtype, get_default_dtype, names

__all__ = ["finfo", "iinfo"]

# Of each float type: bits of the fraction, the exponent of the smallest normal number, the largest number, and the
# decimal digits that it keeps.
FLOATS = {
    "float16": (10, -14, 65504.0, 3),
    "bfloat16": (7, -126, 3.3895313892515355e38, 2),
    "float32": (23, -126, 3.4028234663852886e38, 6),
    "float64": (52, -1022, 1.7976931348623157e308, 15),
    "float8_e4m3fn": (3, -6, 448.0, 0),
    "float8_e5m2": (2, -14, 57344.0, 0),
    "float8_e4m3fnuz": (3, -7, 240.0, 0),
    "float8_e5m2fnuz": (3, -15, 57344.0, 0),
    "float8_e8m0fnu": (0, -127, 1.7014118346046923e38, 0),
}


def _as_dtype(value, function):
    """A dtype, or Python's float, int, bool or complex."""
    named = {float: "float64", int: "int64", bool: "bool", complex: "complex128"}.get(value)
    if named is not None:
        return names()[named]
    if not isinstance(value, dtype):
        raise TypeError(f"{function}: argument 'type' must be a stridecore.dtype, not {type(value).__name__}")
    return value


class _Limits:
    """What finfo and iinfo share: read-only attributes, equality by type, no pickling."""

    __slots__ = ("_dtype", "bits", "dtype", "max", "min")

    def __setattr__(self, name, value):
        raise AttributeError(f"attribute {name!r} of {type(self).__name__!r} objects is not writable")

    def __eq__(self, other):
        return isinstance(other, type(self)) and self._dtype is other._dtype

    __hash__ = None

    def __reduce_ex__(self, protocol):
        raise TypeError(f"cannot pickle {type(self).__name__!r} object")

    def _set(self, **values):
        for name, value in values.items():
            object.__setattr__(self, name, value)


class finfo(_Limits):
    """finfo(dtype): the limits of a float type, or of the parts of a complex one; finfo() of the default dtype.

    Attributes: `bits`, `eps` (1 + eps is the next number after 1), `max`, `min`, `smallest_normal` and `tiny` (the
    same), `resolution` (10 ** -digits), and `dtype`, a name. TypeError for types that aren't floats.

    >>> import stridecore as sc
    >>> sc.finfo(sc.float16)
    finfo(resolution=0.001, min=-65504, max=65504, eps=0.000976562, smallest_normal=6.10352e-05, tiny=6.10352e-05, \
dtype=float16)
    """

    __slots__ = ("eps", "resolution", "smallest_normal", "tiny")
    __module__ = "stridecore"

    def __init__(self, type=...):
        given = get_default_dtype() if type is ... else _as_dtype(type, "finfo")
        real = given.to_real()
        if real.name not in FLOATS:
            raise TypeError(f"finfo: requires a floating point input type, got {given}; see iinfo for integers")
        fraction, exponent, largest, digits = FLOATS[real.name]
        smallest = 2.0**exponent
        self._set(
            _dtype=real,
            bits=8 * real.itemsize,
            dtype=real.name,
            max=largest,
            min=-largest if real.is_signed else smallest,
            eps=2.0**-fraction,
            resolution=float(f"1e-{digits}"),
            smallest_normal=smallest,
            tiny=smallest,
        )

    def __repr__(self):
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo(_Limits):
    """iinfo(dtype): the limits of an integer type: `bits`, `max`, `min`, and `dtype`, a name. TypeError for others.

    >>> import stridecore as sc
    >>> sc.iinfo(sc.uint8).max, sc.iinfo(sc.int16)
    (255, iinfo(min=-32768, max=32767, dtype=int16))
    """

    __slots__ = ()
    __module__ = "stridecore"

    def __init__(self, type):
        given = _as_dtype(type, "iinfo")
        if given.is_floating_point or given.is_complex or given.name == "bool":
            raise TypeError(f"iinfo: requires an integer input type, got {given}; see finfo for floats")
        bits = 8 * given.itemsize
        low = -(2 ** (bits - 1)) if given.is_signed else 0
        self._set(_dtype=given, bits=bits, dtype=given.name, max=low + 2**bits - 1, min=low)

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
