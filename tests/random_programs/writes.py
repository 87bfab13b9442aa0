"""Writes and copies: the operations that change or duplicate bytes.

A write is drawn only where torch's result is what stridecore promises. `_source` and `_target` know the differences:

- Source and target overlap: torch refuses or gives a result that depends on the order; here the result is that of
  copying the source first, so torch is given a clone.
- The target overlaps itself without a stride of 0: torch writes in some order, here it is refused; not drawn.
- The target overlaps itself and one value goes everywhere, or it is its own source by another name: torch refuses
  some of these; not drawn.
- Values that no rule covers when they are converted (inf to int, a NaN's payload): not drawn.
"""

import math

from .draw import DTYPES, FORMATS, Arg, Undrawn
from .operations import Operation, call
from .worlds import Line, honest, plain

CASTS = "bool byte char short int long half bfloat16 float double cfloat cdouble".split()
SMALL = ["float16", "bfloat16", "complex32", *[t for t in DTYPES if t.startswith("float8")]]
SCALARS = ["0", "1", "-1", "5", "2.5", "-0.75", "True", "3 + 2j", "300", "-1.7", "2**40", "float('nan')"]


def _places(x):
    """Byte addresses of the elements of x, one each."""
    places = [x.storage_offset()]
    for n, s in zip(x.shape, x.stride(), strict=True):
        places = [p + i * s for p in places for i in range(n)]
    return [p * x.element_size() for p in places]


def _overlaps_itself(x):
    places = _places(x)
    return len(set(places)) < len(places)


def _touches(x, y):
    """True iff two tensors share a byte."""
    if x.untyped_storage() is not y.untyped_storage():
        return False
    mine = {p + b for p in _places(x) for b in range(x.element_size())}
    return any(p + b in mine for p in _places(y) for b in range(y.element_size()))


def _target(draw, x):
    """Refuse targets that torch writes in an order of its own."""
    lib = draw.world.lib
    if not honest(lib, x):
        raise Undrawn
    if _overlaps_itself(x) and not any(s == 0 and n > 1 for n, s in zip(x.shape, x.stride(), strict=True)):
        raise Undrawn


def _source(draw, name, y, x):
    """The source as torch is given it, or None for as it is."""
    lib = draw.world.lib
    if _overlaps_itself(x) and (y is None or y.numel() == 1 or (y is not x and _touches(x, y))):
        raise Undrawn
    if y is None:
        return None
    convertible(lib, y, x.dtype)
    return f"{name}.clone()" if y is not x and _touches(x, y) else None


def convertible(lib, y, dtype):
    if not honest(lib, y):
        raise Undrawn
    if y.dtype == dtype and not (y.is_conj() or y.is_neg()):
        return
    floating = y.dtype.is_floating_point or y.dtype.is_complex
    if y.dtype.is_complex:
        y = lib.view_as_real(y.resolve_conj().resolve_neg())
    if not floating or not y.numel():
        return
    y = y.to(lib.float64)
    low, high = float(y.min()), float(y.max())
    if math.isnan(low):
        raise Undrawn
    if not (dtype.is_floating_point or dtype.is_complex or dtype == lib.bool):
        unsigned = dtype in (lib.uint32, lib.uint64)
        if max(-low, high) >= 2**31 or (unsigned and low < 0):
            raise Undrawn


def _value(draw, x):
    """(text, tensor or None) of a value to assign to a target like x."""
    kind = draw.rng.random()
    if kind < 0.35:
        return _number(draw, x), None
    if kind < 0.55:
        name, y = draw.other(lambda t: t.shape == x.shape)
        return name, y
    shape = [draw.pick([1, n]) for n in x.shape]
    if draw.chance(0.2):
        shape = [1, *shape]
    elif shape and draw.chance(0.3):
        shape = shape[1:]
    if draw.wild():
        shape = [*shape, 5]
    text = f"lib.arange({math.prod(shape)}).view({tuple(shape)!r})"
    if draw.chance(0.5):
        text += f".to(lib.{draw.pick(DTYPES)})"
    return text, draw.evaluate(text)


def _set_item(draw, name, x):
    subscript = draw.subscript(x)
    try:
        target = draw.evaluate(f"{name}[{subscript}]")
    except Exception:
        return Line(f"{name}[{subscript}] = 1")
    copied = "True" in subscript or "False" in subscript
    _target(draw, x if copied else target)
    text, y = _value(draw, target)
    instead = _source(draw, text, y, x if copied else target)
    line = f"{name}[{subscript}] = "
    return Line(line + text, torch_text=line + instead if instead else None)


def _copy(draw, name, x):
    _target(draw, x)
    text, y = _value(draw, x)
    instead = _source(draw, text, y, x)
    return Line(f"{name}.copy_({text})", torch_text=f"{name}.copy_({instead})" if instead else None)


def _number(draw, x):
    """A number to write. What torch does with one out of a small float's range depends on the number of elements."""
    if plain(x.dtype) in SMALL:
        return draw.pick(["1", "2", "0.5", "True", "2.5"])
    return draw.pick(SCALARS)


def _scalar(draw, x):
    text = _number(draw, x)
    if draw.chance(0.7):
        return text
    if _overlaps_itself(x):
        raise Undrawn
    return f"lib.tensor({text})"


def _part(part):
    def write(draw, name, x):
        try:
            target = draw.evaluate(f"{name}.{part}")
        except Exception:
            return Line(f"{name}.{part} = 1")
        _target(draw, target)
        text, y = _value(draw, target)
        instead = _source(draw, text, y, target)
        return Line(f"{name}.{part} = {text}", torch_text=f"{name}.{part} = {instead}" if instead else None)

    return write


def _data(draw, name, x):
    other, y = draw.other(lambda t: t.dtype == x.dtype)
    if y.dtype != x.dtype:
        raise Undrawn
    return Line(f"{name}.data = {other}")


def _byte(draw, name, x):
    n = x.untyped_storage().nbytes()
    text = f"{name}.untyped_storage()"
    if draw.chance(0.2):
        return Line(f"{text}.fill_(1)")
    at = draw.index(n) if draw.wild() or not n else draw.integer(0, n - 1)
    return Line(f"{text}[{at}] = {draw.integer(0, 1)}")


def _format(draw, x):
    if draw.chance(0.4):
        return []
    fitting = [*{4: ["lib.channels_last"], 5: ["lib.channels_last_3d"]}.get(x.dim(), []), "lib.contiguous_format"]
    return [Arg("memory_format", draw.pick(FORMATS if draw.chance(0.2) else fitting))]


def _keyword_only(op):
    def render(draw, name, x):
        words = ", ".join(f"memory_format={a.text}" for a in _format(draw, x))
        return f"{name}.{op}({words})"

    return render


def _clone_function(draw, name, x):
    words = [name, *[f"memory_format={a.text}" for a in _format(draw, x)]]
    return f"lib.clone({', '.join(words)})"


def _to(draw, name, x):
    dtype = draw.pick(DTYPES)
    convertible(draw.world.lib, x, getattr(draw.world.lib, dtype))
    plain = f"lib.{dtype}"
    words = [draw.pick([plain, plain, f"dtype={plain}", f"lib.tensor(0).to({plain})", "'cpu'"])]
    if draw.chance(0.2):
        words.append("copy=True")
    if draw.chance(0.2) and x.dim() in (4, 5):
        words.append(f"memory_format={draw.pick(FORMATS[1:3])}")
    return f"{name}.to({', '.join(words)})"


def _cast(draw, name, x):
    cast = draw.pick(CASTS)
    lib = draw.world.lib
    named = {"byte": "uint8", "char": "int8", "cfloat": "complex64", "cdouble": "complex128"}.get(cast, cast)
    convertible(lib, x, getattr(lib, named))
    return draw.pick([f"{name}.{cast}()", f"{name}.type(lib.{named})"])


def _like(draw, name, x):
    kind = draw.pick(["zeros_like", "ones_like", "full_like"])
    words = [name] + (["1"] if kind == "full_like" else [])
    if draw.chance(0.3):
        words.append(f"dtype=lib.{draw.pick(DTYPES)}")
    words += [f"memory_format={a.text}" for a in _format(draw, x)]
    return f"lib.{kind}({', '.join(words)})"


def _new(draw, name, x):
    shape = draw.shape(most=3)
    call = draw.pick([f"new_zeros({tuple(shape)})", f"new_ones({tuple(shape)})", f"new_full({tuple(shape)}, 1)"])
    return f"{name}.{call}"


READS = [
    "{0}.size()", "{0}.shape", "{0}.numel()", "{0}.nelement()", "{0}.dim()", "{0}.ndim", "{0}.ndimension()", "len({0})",
    "{0}.element_size()", "{0}.itemsize", "{0}.nbytes", "{0}.storage_offset()", "{0}.stride()", "{0}.size({1})",
    "{0}.stride({1})", "{0}.untyped_storage().size()", "{0}.is_complex()", "{0}.is_floating_point()", "{0}.is_signed()",
    "{0}.dtype", "{0}.size(dim={1})", "{0}.stride(dim={1})", "lib.is_tensor({0})", "lib.numel({0})",
    "{0}.requires_grad", "{0}.is_leaf", "{0}.shape.numel()",
    "{0}.shape[1:]", "{0}.untyped_storage().nbytes()", "{0}.is_sparse",
]  # fmt: skip
VALUES = [
    "{0}.item()", "{0}.tolist()", "bool({0})", "int({0})", "float({0})", "complex({0})", "{0}.__index__()",
    "{0}.is_nonzero()",
]  # fmt: skip
DUPLICATES = [
    "pickle.loads(pickle.dumps({0}))", "__import__('copy').copy({0})", "__import__('copy').deepcopy({0})",
]  # fmt: skip


def _read(draw, name, x):
    return draw.pick(READS).format(name, draw.dim(x))


def _value_read(draw, name, x):
    if not honest(draw.world.lib, x):
        raise Undrawn
    return draw.pick(VALUES).format(name)


def _duplicate(draw, name, x):
    return draw.pick(DUPLICATES).format(name)


WRITES = [
    Operation("x[...] = v", "method", render=_set_item, kind="write"),
    Operation("copy_", "method", render=_copy, kind="write"),
    Operation("fill_", "method", lambda d, x: [Arg("value", _scalar(d, x))], kind="write"),
    Operation("fill_", "function", lambda d, x: [Arg("value", _scalar(d, x))], kind="write"),
    Operation("zero_", "method", kind="write"),
    Operation("zero_", "function", kind="write"),
    Operation("real = v", "method", render=_part("real"), kind="write"),
    Operation("imag = v", "method", want="complex", render=_part("imag"), kind="write"),
    Operation("data = v", "method", render=_data, kind="write"),
    Operation("storage write", "method", render=_byte, kind="write"),
]
COPIES = [
    Operation("contiguous", "method", render=_keyword_only("contiguous"), want="channels_last"),
    Operation("clone", "method", render=_keyword_only("clone")),
    Operation("clone", "function", render=_clone_function),
    Operation("is_contiguous", "method", render=_keyword_only("is_contiguous")),
    Operation("to", "method", render=_to),
    Operation("cast", "method", render=_cast),
    Operation("like", "function", render=_like),
    Operation("new", "method", render=_new),
    Operation("read", "method", render=_read),
    Operation("value", "method", render=_value_read),
    Operation("duplicate", "method", render=_duplicate),
]


def write(draw, op, name, x):
    """The line of a write."""
    if op.render:
        return op.render(draw, name, x)
    _target(draw, x)
    if _overlaps_itself(x) and (x.is_conj() or x.is_neg()):
        raise Undrawn  # torch fills a clone and copies it back
    return Line(call(draw, op, name, x))
