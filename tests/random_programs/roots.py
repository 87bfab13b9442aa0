"""The tensors that programs start from: every dtype, and layouts of every kind."""

import math

from .draw import DTYPES

REAL = [t for t in DTYPES if "complex" not in t]
COMPLEX = ["complex64", "complex64", "complex128", "complex32"]
PAIRED = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
NUMPY = "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 float32 float64 complex64 complex128".split()


def _values(draw, n, dtype):
    """n small values of a dtype, the negative ones too."""
    first = draw.pick([0, 1, -3])
    if dtype in PAIRED:
        pairs = f"lib.arange({first}, {first + 2 * n}).to(lib.{PAIRED[dtype]}).view({n}, 2)"
        return f"lib.view_as_complex({pairs})"
    if dtype.startswith("float8") and n and draw.chance(0.5):
        return f"lib.frombuffer(bytearray(range(1, {n + 1})), dtype=lib.{dtype})"
    return f"lib.arange({first}, {first + n}).to(lib.{dtype})"


def _literal(draw, shape, dtype):
    def value():
        if dtype == "bool":
            return draw.pick(["True", "False"])
        if dtype.startswith("uint"):
            return str(draw.integer(0, 9))
        if dtype.startswith("int"):
            return str(draw.integer(-9, 9))
        if dtype in PAIRED:
            return f"{draw.integer(-9, 9)} + {draw.integer(0, 9)}j"
        return draw.pick(["0.5", "-0.0", "-1.0", "2.0", "3.25", "-12.0", "float('inf')"])

    def nested(shape):
        if not shape:
            return value()
        return "[" + ", ".join(nested(shape[1:]) for _ in range(shape[0])) + "]"

    return f"lib.tensor({nested(shape)}, dtype=lib.{dtype})"


def _from_buffer(draw, dtype, itemsize):
    count = draw.integer(1, 8)
    skip = draw.integer(0, 2) * 16  # torch takes complex128 for aligned, and crashes where it isn't
    ending = "" if dtype != "bool" else " % 2"
    data = f"bytearray(i{ending} for i in range({count * itemsize + skip}))"
    return f"lib.frombuffer({data}, dtype=lib.{dtype}, count={count}, offset={skip})"


def _from_numpy(draw, dtype):
    shape = draw.shape(most=3)
    text = f"np.arange({math.prod(shape)}).astype('{dtype}').reshape({tuple(shape)!r})"
    if draw.chance(0.4):
        text += ".T"
    elif shape and draw.chance(0.5):
        text += draw.pick(["[..., ::2]", "[1:]", "[::3]"])
    elif draw.chance(0.3):
        text = f"np.broadcast_to(np.arange(3).astype('{dtype}'), (2, 3)).copy()[:, None]"
    return f"lib.from_numpy({text})"


def _channels_last(draw, dtype, dims):
    shape = [draw.pick([1, 2, 3]) for _ in range(dims)]
    form = "channels_last" if dims == 4 else "channels_last_3d"
    flat = _values(draw, math.prod(shape), dtype)
    return f"{flat}.view({tuple(shape)!r}).contiguous(memory_format=lib.{form})"


def root(draw, want=None):
    """Source of a tensor. `want` asks for what an operation needs to succeed: see operations.py."""
    dtype = draw.pick(DTYPES)
    if want == "complex" or (want is None and draw.chance(0.15)):
        dtype = draw.pick(COMPLEX)
    if want == "float":
        dtype = draw.pick(["float32", "float64", "float16"])
    if want == "pairs":
        dtype = draw.pick(["float32", "float64", "float16"])
        shape = [*draw.shape(most=2), 2]
        return f"{_values(draw, math.prod(shape), dtype)}.view({tuple(shape)!r})"
    if want == "channels_last":
        return _channels_last(draw, dtype, draw.pick([4, 4, 5]))
    if want == "resizable" or draw.chance(0.08):
        shape = tuple(draw.shape())
        return draw.pick([f"lib.full({shape}, 1, dtype=lib.{dtype})", f"lib.zeros({shape}, dtype=lib.{dtype})"])
    if isinstance(want, int):  # at least so many dims, of even sizes
        shape = [draw.pick([2, 4, 6, 3]) for _ in range(want)]
        return f"{_values(draw, math.prod(shape), dtype)}.view({tuple(shape)!r})"
    kind = draw.integer(0, 9)
    if kind == 0:
        return _literal(draw, draw.shape(most=3), dtype)
    if kind == 1:
        return _from_buffer(draw, dtype, itemsize_of(dtype))
    if kind == 2 and dtype in NUMPY:
        return _from_numpy(draw, dtype)
    if kind == 3:
        return _channels_last(draw, dtype, draw.pick([4, 5]))
    if kind == 4:
        n = draw.integer(1, 4)
        return f"{_values(draw, n, dtype)}.expand({draw.integer(0, 4)}, {n})"
    if kind == 5:
        return f"{_values(draw, 24, dtype)}.view(2, 3, 4).transpose(0, {draw.integer(1, 2)})"
    if kind == 6:
        rows, columns = draw.pick(["1:", "::2", "1:3"]), draw.pick(["1:", "::2", "::5"])
        return f"{_values(draw, 24, dtype)}.view(4, 6)[{rows}, {columns}]"
    if kind == 7:
        stride, offset = draw.pick([(12, 4, 1), (2, 1, 7), (1, 2, 3)]), draw.pick([0, 3])
        return f"{_values(draw, 24, dtype)}.as_strided((2, 3, 1), {stride}, {offset})"
    shape = draw.shape()
    return f"{_values(draw, math.prod(shape), dtype)}.view({tuple(shape)!r})"


def itemsize_of(dtype):
    digits = "".join(c for c in dtype.split("_")[0] if c.isdigit())
    return int(digits) // 8 if digits else 1
