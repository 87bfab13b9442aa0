"""The operations that programs draw: a table of name, forms, arguments, and what the receiver should be.

A form says how an operation is written: "method" x.narrow(0, 1, 2), "function" lib.narrow(x, 0, 1, 2),
"property" x.T, "inplace" x.t_(). Every (name, form) is counted by itself.
"""

from collections.abc import Callable
from dataclasses import dataclass

from .draw import DTYPES, FORMATS, Arg, Undrawn


@dataclass(frozen=True)
class Operation:
    name: str
    form: str
    arguments: Callable = lambda draw, x: []
    want: object = None  # what the receiver should be for the operation to succeed: roots.py makes one
    render: Callable = None  # (draw, expression, tensor) -> source, for the odd ones
    torch: str = None  # the name in torch, where it has no public one
    kind: str = "view"

    @property
    def key(self):
        if self.name.startswith("x["):
            return self.name
        return f"{'lib.' if self.form == 'function' else 'x.'}{self.name}"


def _dim(keyword, extra=0):
    return lambda d, x: [Arg(keyword, d.dim(x, extra))]


def _two(first, second):
    return lambda d, x: [Arg(first, d.dim(x)), Arg(second, d.dim(x))]


def _movedim(d, x):
    if d.chance(0.5):
        return [Arg("source", d.dim(x)), Arg("destination", d.dim(x))]
    count = d.integer(1, max(x.dim(), 1))
    return [Arg("source", repr(tuple(d.dims(x, count)))), Arg("destination", repr(tuple(d.dims(x, count))))]


def _select(d, x):
    dim = d.integer(-x.dim(), x.dim() - 1) if x.dim() and not d.wild() else None
    if dim is None:
        return [Arg("dim", d.dim(x)), Arg("index", d.index(3))]
    return [Arg("dim", repr(dim)), Arg("index", d.index(x.shape[dim]))]


def _narrow(d, x):
    if not x.dim() or d.wild():
        return [Arg("dim", d.dim(x)), Arg("start", d.number(0)), Arg("length", d.number(1))]
    dim = d.integer(-x.dim(), x.dim() - 1)
    n = x.shape[dim]
    start = d.integer(0, n)
    length = d.integer(0, n - start)
    if d.wild():
        length += d.pick([1, -1, -7, 2**40])
    shift = d.pick([0, 0, n]) if start < n else 0
    return [Arg("dim", repr(dim)), Arg("start", d.number(start - shift)), Arg("length", d.number(length))]


def _squeeze(d, x):
    ones = [i for i, n in enumerate(x.shape) if n == 1]
    kind = d.integer(0, 2)
    if kind == 0:
        return []
    if kind == 1:
        return [Arg("dim", repr(d.pick(ones)) if ones and d.chance(0.6) else d.dim(x))]
    return [Arg("dim", repr(tuple(d.dims(x, d.integer(0, 3)))))]


def _diagonal(d, x):
    arguments = [Arg("offset", d.number(d.integer(-4, 4)))]
    if d.chance(0.6):
        dims = d.dims(x, 2)
        if len(dims) == 2:
            arguments += [Arg("dim1", repr(dims[0])), Arg("dim2", repr(dims[1]))]
        else:
            arguments += [Arg("dim1", d.dim(x)), Arg("dim2", d.dim(x))]
    return arguments if d.chance(0.9) else []


def _unfold(d, x):
    if not x.dim():
        return [Arg("dimension", d.dim(x)), Arg("size", repr(d.pick([0, 1, 2]))), Arg("step", "1")]
    dim = d.integer(-x.dim(), x.dim() - 1)
    size = d.integer(0, x.shape[dim])
    if d.wild():
        size = d.pick([x.shape[dim] + 1, -1, 2**40])
    step = d.pick([1, 1, 2, 3]) if not d.wild() else d.pick([0, -1, 2**40])
    return [Arg("dimension", repr(dim)), Arg("size", d.number(size)), Arg("step", d.number(step))]


def _as_strided_copy(d, x):
    if x.is_conj() or x.is_neg():
        raise Undrawn  # torch takes it from the storage of a resolved clone
    return _as_strided(d, x)


def _as_strided(d, x):
    size, stride, offset = d.placed(x)
    arguments = [d.sizes("size", size, spread=False), d.sizes("stride", stride, spread=False)]
    if d.chance(0.8):
        arguments.append(Arg("storage_offset", d.number(offset)))
    return arguments


def _shape(keyword, spread=True):
    def arguments(d, x):
        shape = d.regroup(x) if d.chance(0.6) else d.factors(x.numel())
        return [d.sizes(keyword, shape, spread)]

    return arguments


def _dtype_view(d, x):
    same = [t for t in DTYPES if t != "bool"]
    return [Arg("dtype", f"lib.{d.pick(same)}")]


def _view_dtype(draw, name, x):
    return f"{name}.view({_dtype_view(draw, x)[0].text})"


def _view(d, x):
    return _dtype_view(d, x) if d.chance(0.3) else _shape("size")(d, x)


def _expand(keyword="size", spread=True):
    return lambda d, x: [d.sizes(keyword, d.expanded(x), spread)]


def _other_of_shape(keyword, shape):
    return lambda d, x: [Arg(keyword, d.like([max(n, 0) for n in shape(d, x)]))]


def _resolved(shape, numel):
    """The shape with its -1 worked out, so that it can be the shape of a tensor."""
    known = 1
    for n in shape:
        known *= n if n != -1 else 1
    return [n if n != -1 else (numel // known if known else 0) for n in shape]


def _other_reshaped(d, x):
    shape = [min(n, 9999) for n in _resolved(d.regroup(x) if d.chance(0.6) else d.factors(x.numel()), x.numel())]
    return [Arg("other", d.like([abs(n) for n in shape]))]


def _other_expanded(d, x):
    shape = d.expanded(x)
    lead = len(shape) - x.dim()
    shape = [x.shape[i - lead] if n == -1 and i >= lead else abs(n) for i, n in enumerate(shape)]
    return [Arg("other", d.like(shape))]


def _flatten(d, x):
    if d.chance(0.3) or not x.dim():
        return [Arg("start_dim", d.dim(x))] if d.chance(0.3) else []
    first = d.integer(0, x.dim() - 1)
    last = d.integer(first, x.dim() - 1)
    if d.wild():
        first, last = last, first
    return [Arg("start_dim", d.number(first)), Arg("end_dim", d.number(last - d.pick([0, x.dim()])))]


def _unflatten(d, x):
    if not x.dim():
        return [Arg("dim", d.dim(x)), Arg("sizes", "(1, 1)")]
    dim = d.integer(-x.dim(), x.dim() - 1)
    sizes = d.sizes("sizes", d.factors(x.shape[dim]) or [1], spread=False)
    if sizes.text in ("None", "0.0"):
        raise Undrawn  # torch's method takes whatever is false for (), its function does not
    return [Arg("dim", repr(dim)), sizes]


def _split(keyword):
    def arguments(d, x):
        dim = d.integer(-x.dim(), x.dim() - 1) if x.dim() else 0
        n = x.shape[dim] if x.dim() else 1
        one = d.pick([0, -1]) if d.wild() else d.pick([1, 2, 3, n])
        size = repr(d.parts(n)) if d.chance(0.4) else repr(one)  # torch takes no NumPy ints here
        return [Arg(keyword, size), Arg("dim", repr(dim))] if d.chance(0.8) else [Arg(keyword, size)]

    return arguments


def _split_copy(d, x):
    size = d.number(d.integer(1, 4) if not d.wild() else d.pick([0, -1]))
    dim = d.dim(x) if size > "0" else "0"  # which of two wrong arguments is named first is of no interest
    return [Arg("split_size", size), Arg("dim", dim)] if d.chance(0.7) else [Arg("split_size", size)]


def _split_with_sizes(d, x):
    dim = d.integer(-x.dim(), x.dim() - 1) if x.dim() else 0
    n = x.shape[dim] if x.dim() else 1
    return [d.sizes("split_sizes", d.parts(n), spread=False), Arg("dim", repr(dim))]


def _chunk(d, x):
    chunks = d.number(d.integer(1, 5) if not d.wild() else d.pick([0, -1, 50]))
    return [Arg("chunks", chunks), Arg("dim", d.dim(x))] if d.chance(0.8) else [Arg("chunks", chunks)]


def _sections(d, most, dim=0):
    if d.chance(0.5):
        count = d.integer(1, most) if not d.wild() else d.pick([0, -1])
        return [d.pick([repr(count), repr(count), f"lib.tensor({count})"])]
    cuts = [d.integer(-2, 5) for _ in range(d.integer(0, 3))]
    if d.chance(0.5):
        cuts.sort()
    return [d.pick([repr(tuple(cuts)), repr(cuts), f"lib.tensor({cuts}, dtype=lib.int64)"])]


def _tensor_split(d, x):
    text = _sections(d, 4)[0]
    arguments = [Arg(None, text)]
    if d.chance(0.7):
        arguments.append(Arg("dim", d.dim(x)))
    return arguments


def _even_split(d, x):
    if d.chance(0.5):
        return [Arg(None, repr(d.pick([1, 2, 2, 3]) if not d.wild() else d.pick([0, -1])))]
    return [Arg(None, repr(d.pick([tuple, list])(d.integer(-2, 5) for _ in range(d.integer(0, 3)))))]


def _set(d, x):
    kind = d.integer(0, 3)
    if x.dim() == 1 and x.stride(0) != 1 and kind in (0, 2):
        raise Undrawn  # torch keeps the old strides when the size happens to be the same
    if kind == 0:
        return []
    _, y = name_y = d.other(lambda t: t.dtype == x.dtype)
    if kind == 1:
        return [Arg(None, name_y[0])]
    storage = f"{name_y[0]}.untyped_storage()"
    if kind == 2 and d.chance(0.3):
        return [Arg(None, storage)]
    size, stride, offset = d.placed(y)
    if offset > 1000:
        offset = -1
    size, stride = size[:3], [min(n, 12) for n in stride[:3]]
    arguments = [Arg(None, storage), Arg(None, repr(offset)), Arg(None, repr(tuple(size)))]
    bare = d.chance(0.3) and tuple(size) != tuple(x.shape)
    return arguments if bare else [*arguments, Arg(None, repr(tuple(stride)))]


def _resize(d, x):
    shape = d.shape(most=3)
    if d.wild() and shape and 0 not in shape:  # beside a 0 torch takes a negative size
        shape[0] = d.pick([-1, -5])
    arguments = [d.sizes(None, shape)]
    if d.chance(0.1):
        arguments.append(Arg("memory_format", d.pick(FORMATS)))
        arguments[0].spread = None
    return arguments


def _resize_as(d, x):
    return [Arg(None, d.other()[0])]


def _subscript(draw, name, x):
    text = f"{name}[{draw.subscript(x)}]"
    if "True" in text or "False" in text:
        try:
            nothing = draw.evaluate(text).numel() == 0
        except Exception:
            return text
        if nothing:
            raise Undrawn  # the strides that torch gives to nothing are of no interest
    return text


def _slice_copy(d, x):
    if not x.dim():
        return [Arg("dim", "0")]
    dim = d.integer(-x.dim(), x.dim() - 1)
    n = x.shape[dim]
    step = d.pick([1, 2, 3]) if not d.wild() else 0
    bounds = [d.pick(["None", repr(d.integer(-n - 1, n + 1))]) for _ in range(2)]
    return [Arg("dim", repr(dim)), Arg("start", bounds[0]), Arg("end", bounds[1]), Arg("step", repr(step))]


def _broadcast_tensors(draw, name, x):
    others = [draw.other()[0] for _ in range(draw.integer(0, 2))]
    if draw.chance(0.7):
        others = [draw.like([draw.pick([1, n]) for n in x.shape])]
    return f"lib.broadcast_tensors({', '.join([name, *others])})"


def _atleast(nd):
    def render(draw, name, x):
        if draw.chance(0.6):
            return f"lib.atleast_{nd}d({name})"
        both = f"{name}, {draw.other()[0]}"
        return f"lib.atleast_{nd}d({draw.pick([both, f'[{both}]', f'({both})'])})"

    return render


def _is_set_to(d, x):
    if x.is_conj() or x.is_neg():
        raise Undrawn  # torch resolves it first, and a clone is never set to anything
    return [Arg("tensor", d.other(lambda t: t.dtype == x.dtype)[0])]


def _iterate(draw, name, x):
    return f"{draw.pick(['list', 'tuple'])}({name})"


# name, forms (m method, f function, p property, i in place), arguments, want
_VIEWS = [
    ("transpose", "mf", _two("dim0", "dim1")),
    ("swapaxes", "mf", _two("axis0", "axis1")),
    ("swapdims", "mf", _two("dim0", "dim1")),
    ("permute", "mf", lambda d, x: [d.sizes("dims", d.permutation(x))]),
    ("movedim", "mf", _movedim),
    ("moveaxis", "mf", _movedim),
    ("t", "mf", None, "matrix"),
    ("T", "p"),
    ("mT", "p", None, 2),
    ("H", "p", None, "matrix"),
    ("mH", "p", None, 2),
    ("adjoint", "mf", None, 2),
    ("select", "mf", _select),
    ("narrow", "mf", _narrow),
    ("squeeze", "mf", _squeeze),
    ("unsqueeze", "mf", _dim("dim", 1)),
    ("expand", "m", _expand()),
    ("expand_as", "m", _other_expanded),
    ("broadcast_to", "mf", _expand(spread=False)),
    ("diagonal", "mf", _diagonal, 2),
    ("unfold", "m", _unfold),
    ("as_strided", "mf", _as_strided),
    ("view", "m", _view),
    ("view_as", "m", _other_reshaped),
    ("reshape", "mf", _shape("shape")),
    ("reshape_as", "m", _other_reshaped),
    ("flatten", "mf", _flatten),
    ("unflatten", "mf", _unflatten),
    ("ravel", "mf"),
    ("view_as_real", "f", None, "complex"),
    ("view_as_complex", "f", None, "pairs"),
    ("conj", "mf"),
    ("resolve_conj", "mf"),
    ("resolve_neg", "mf"),
    ("is_conj", "mf"),
    ("is_neg", "mf"),
    ("real", "pf"),
    ("imag", "pf", None, "complex"),
    ("unbind", "mf", lambda d, x: [Arg("dim", d.dim(x))] if d.chance(0.7) else []),
    ("split_with_sizes", "mf", _split_with_sizes),
    ("chunk", "mf", _chunk),
    ("tensor_split", "mf", _tensor_split),
    ("hsplit", "mf", _even_split, 2),
    ("vsplit", "mf", _even_split, 2),
    ("dsplit", "mf", _even_split, 3),
    ("detach", "mf"),
    ("data", "p"),
    ("is_set_to", "m", _is_set_to),
    ("dim_order", "m"),
    ("t_", "i", None, "matrix"),
    ("transpose_", "i", _two("dim0", "dim1")),
    ("swapaxes_", "i", _two("axis0", "axis1")),
    ("swapdims_", "i", _two("dim0", "dim1")),
    ("squeeze_", "i", _squeeze),
    ("unsqueeze_", "i", _dim("dim", 1)),
    ("as_strided_", "if", _as_strided),
    ("set_", "i", _set),
    ("resize_", "i", _resize, "resizable"),
    ("resize_as_", "if", _resize_as, "resizable"),
    # the variants that always copy
    ("alias_copy", "f"),
    ("as_strided_copy", "f", _as_strided_copy),
    ("detach_copy", "f"),
    ("diagonal_copy", "f", _diagonal, 2),
    ("expand_copy", "f", _expand(spread=False)),
    ("narrow_copy", "mf", _narrow),
    ("permute_copy", "f", lambda d, x: [d.sizes("dims", d.permutation(x), spread=False)]),
    ("select_copy", "f", _select),
    ("slice_copy", "f", _slice_copy),
    ("split_copy", "f", _split_copy),
    ("split_with_sizes_copy", "f", _split_with_sizes),
    ("squeeze_copy", "f", _squeeze),
    ("t_copy", "f", None, "matrix"),
    ("transpose_copy", "f", _two("dim0", "dim1")),
    ("unbind_copy", "f", lambda d, x: [Arg("dim", d.dim(x))] if d.chance(0.7) else []),
    ("unfold_copy", "f", _unfold),
    ("unsqueeze_copy", "f", _dim("dim", 1)),
    ("view_copy", "f", _view),
    ("view_as_real_copy", "f", None, "complex"),
    ("view_as_complex_copy", "f", None, "pairs"),
]
_FORMS = {"m": "method", "f": "function", "p": "property", "i": "inplace"}


def _table():
    for name, forms, *rest in _VIEWS:
        arguments, want = (*rest, None, None)[:2]
        for letter in forms:
            yield Operation(name, _FORMS[letter], arguments or (lambda d, x: []), want)
    yield Operation("split", "method", _split("split_size"))
    yield Operation("split", "function", _split("split_size_or_sections"))
    yield Operation("view(dtype)", "method", render=_view_dtype)
    yield Operation("alias", "function", torch="lib.ops.aten.alias")
    yield Operation("is_non_overlapping_and_dense", "function", torch="lib.ops.aten.is_non_overlapping_and_dense")
    yield Operation("x[...]", "method", render=_subscript)
    yield Operation("iterate", "method", render=_iterate, want=1)
    yield Operation("broadcast_tensors", "function", render=_broadcast_tensors)
    for nd in (1, 2, 3):
        yield Operation(f"atleast_{nd}d", "function", render=_atleast(nd))


VIEWS = list(_table())


def call(draw, op, name, x):
    """Source of one operation on the tensor called `name`."""
    if op.render:
        return op.render(draw, name, x)
    if op.form == "property":
        return f"{name}.{op.name}"
    arguments = op.arguments(draw, x)
    head = f"lib.{op.name}" if op.form == "function" else f"{name}.{op.name}"
    first = [name] if op.form == "function" else []
    if len(arguments) == 1 and arguments[0].spread and op.form != "function" and draw.chance(0.5):
        return f"{head}({', '.join([*first, arguments[0].spread])})"
    plain = draw.integer(0, len(arguments)) if draw.chance(0.3) else len(arguments)
    words = [a.text if i < plain or a.keyword is None else f"{a.keyword}={a.text}" for i, a in enumerate(arguments)]
    if first and plain == 0 and arguments and arguments[0].keyword and draw.chance(0.3):
        first = [f"input={name}"]
    return f"{head}({', '.join([*first, *words])})"
