"""The text of tensors and storages, and the options that shape it.

A tensor is printed in three steps, each a function that can be read alone:

    _shown_values   the elements that will be seen, in order      [0.5, 10.0, -1.25]
    _aligned        their texts, all of one width                 [" 0.5000", "10.0000", "-1.2500"]
    _bracketed      the texts in nested brackets, lines broken    "[ 0.5000, 10.0000, -1.2500]"

Only the elements that are shown are read, so a summary of a tensor of any size costs the same, and the numbers
are formatted from Python floats, which hold the values of every floating dtype exactly.
The text is torch's, `stridecore.` standing for `torch.`. The longer name does not move a line break.
"""

import math
from itertools import islice

from stridecore.core.dtype import get_default_dtype

__all__ = ["get_printoptions", "printoptions", "set_printoptions"]

_PROFILES = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}

_options = {**_PROFILES["default"], "sci_mode": None}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """Set how tensors are printed, for the whole process. What is not given stays, except `sci_mode`.

    Args:
        precision: digits after the decimal point (4).
        threshold: tensors with more elements than this are summarised (1000).
        edgeitems: how many items a summary shows at each end of a dim (3).
        linewidth: the columns after which a line is broken (80).
        profile: "default", "short" or "full" sets the four above; single ones given beside it win.
        sci_mode: True or False forces or forbids scientific notation. None, which is also what a call that
            leaves it out sets, decides by the values.

    Example:
        >>> import stridecore as sc
        >>> sc.set_printoptions(precision=2)
        >>> sc.tensor([1.12345])
        tensor([1.12])
        >>> sc.set_printoptions(profile="default")
        >>> sc.tensor([1.12345])
        tensor([1.1235])
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    _options.update(_PROFILES.get(profile, ()))
    _options.update({name: value for name, value in given.items() if value is not None})
    _options["sci_mode"] = sci_mode


def get_printoptions():
    """The options in force, as a dict of the keyword arguments of `set_printoptions`.

    Example:
        >>> import stridecore as sc
        >>> sc.get_printoptions()["precision"]
        4
    """
    return dict(_options)


class printoptions:
    """Print with other options within a `with` block or a decorated function; arguments as of `set_printoptions`.

    Example:
        >>> import stridecore as sc
        >>> with sc.printoptions(precision=1, sci_mode=False):
        ...     print(sc.tensor([0.00001, 2.5]))
        tensor([0.0, 2.5])
    """

    __slots__ = ("_given", "_outer")

    def __init__(self, **options):
        self._given = options

    def __enter__(self):
        self._outer = get_printoptions()
        set_printoptions(**self._given)

    def __exit__(self, *exception):
        set_printoptions(**self._outer)

    def __call__(self, function):
        from functools import wraps

        @wraps(function)
        def with_options(*args, **kwargs):
            with printoptions(**self._given):
                return function(*args, **kwargs)

        return with_options


def tensor_str(x, name="tensor"):
    """The printed form of a tensor; `name` stands before the parenthesis (a subclass gives its own)."""
    indent = len(name) + 1
    if x.is_sparse:
        return _finished(f"{name}({_sparse_body(x, indent)}", _sparse_suffixes(x), indent, break_first=True)
    suffixes = []
    if x.numel() == 0:
        # Without elements nothing else tells the shape or the dtype.
        if x.dim() != 1:
            suffixes.append(f"size={tuple(x.shape)}")
        if x.dtype != get_default_dtype():
            suffixes.append(f"dtype={x.dtype}")
    else:
        if not _options["edgeitems"]:
            suffixes.append(f"size={tuple(x.shape)}")
        if not _dtype_goes_without_saying(x.dtype):
            suffixes.append(f"dtype={x.dtype}")
    return _finished(f"{name}({_body(x, indent)}", suffixes, indent)


def storage_str(storage, name):
    """The printed form of a typed or untyped storage: an element a line, then what it is.

    `name` is the class as it is to be shown, "stridecore.storage.UntypedStorage".
    """
    values = storage.tolist()
    dtype = f"dtype={storage.dtype}, " if hasattr(storage, "dtype") else ""
    elements = "\n ".join(map(str, values))
    return f" {elements}\n[{name}({dtype}device={storage.device}) of size {len(values)}]"


def _dtype_goes_without_saying(dtype):
    """Whether a literal of this dtype's values would get the dtype anyway."""
    default = get_default_dtype().name
    return dtype.name in (default, "complex128" if default == "float64" else "complex64", "int64", "bool")


def _body(x, indent):
    """The bracketed elements of a dense tensor. `indent` is the column where they begin."""
    if x.numel() == 0:
        return "[]"
    edgeitems = _options["edgeitems"] if x.numel() > _options["threshold"] else None
    if edgeitems is not None and edgeitems <= 0 and x.dim() > 0:
        return "[...]"
    texts, width = _texts(_shown_values(x, edgeitems), x.dtype)
    if x.dim() == 0:
        return texts[0]
    per_line = max(1, math.floor((_options["linewidth"] - indent - x.dim() + 1) / (width + 2)))
    return _bracketed(iter(texts), x.shape, edgeitems, indent, per_line)


def _shown_values(x, edgeitems):
    """The elements of `x` that are shown, in row-major order, conjugate and negative bits resolved.

    With edgeitems = 1, a 3 x 4 tensor gives x[0, 0], x[0, 3], x[2, 0], x[2, 3]; with None, all.
    """
    if edgeitems is None or max(x.shape, default=0) <= 2 * edgeitems:
        return x.reshape(-1).tolist()
    n = len(x)
    if x.dim() == 1:
        return x[:edgeitems].tolist() + x[n - edgeitems :].tolist()
    rows = range(n) if n <= 2 * edgeitems else (*range(edgeitems), *range(n - edgeitems, n))
    return [value for i in rows for value in _shown_values(x[i], edgeitems)]


def _texts(values, dtype):
    """The text of each element, and the width that lines are measured with."""
    if dtype.is_complex:
        reals, real_width = _float_texts([z.real for z in values])
        imags, imag_width = _float_texts([z.imag for z in values])
        imags = [text.lstrip() for text in imags]
        # Imaginary parts follow without padding, "1.+2.j" above "1.+20.j", but lines are measured as if padded.
        texts = [re + ("" if im[0] in "+-" else "+") + im + "j" for re, im in zip(reals, imags, strict=True)]
        return texts, real_width + imag_width + 1
    if dtype.is_floating_point:
        return _float_texts(values, _e8m0_counts if dtype.name == "float8_e8m0fnu" else _counts)
    return _right_aligned([str(value) for value in values])


def _counts(value):
    """Whether a value takes part in choosing the format and the width: it is finite and not zero."""
    return value != 0 and math.isfinite(value)


def _e8m0_counts(value):
    """The same for float8_e8m0fnu. It has no zero and no infinity, and torch's tests take 2**-127 (all bits 0)
    for a zero and NaN for a finite value."""
    return value != 2.0**-127


def _float_texts(values, counts=_counts):
    """Right-aligned texts of floats in the shortest of three formats that suits them all, and their width.

    Whole numbers are "12.", others "12.2500"; "1.2250e+01" is used where values are large, small or far apart.
    """
    counting = [counts(value) for value in values]
    spec, point = _float_format([abs(value) for value, counted in zip(values, counting, strict=True) if counted])
    texts = [format(value, spec) for value in values]
    if point:
        texts = [text + point if math.isfinite(value) else text for text, value in zip(texts, values, strict=True)]
    # inf, nan and -0 are written in what room the others need: a column of 1. and inf stays unaligned.
    width = max((len(text) for text, counted in zip(texts, counting, strict=True) if counted), default=1)
    return [text.rjust(width) for text in texts], width


def _float_format(magnitudes):
    """The format spec for these magnitudes, and what follows each number: "." after whole ones."""
    if not magnitudes:
        return ".0f", "."
    whole = all(value.is_integer() for value in magnitudes)
    scientific = _options["sci_mode"]
    if scientific is None and not any(map(math.isnan, magnitudes)):
        low, high = min(magnitudes), max(magnitudes)
        scientific = high / low > 1000.0 or high > 1.0e8 or low < 1.0e-4
    if scientific:
        return f".{_options['precision']}e", ""
    return (".0f", ".") if whole else (f".{_options['precision']}f", "")


def _right_aligned(texts):
    width = max(map(len, texts))
    return [text.rjust(width) for text in texts], width


def _bracketed(texts, shape, edgeitems, indent, per_line):
    """Nested brackets around `texts`, an iterator over the texts of the elements shown, row by row.

    Rows of the last dim break after `per_line` texts. A row of a matrix starts a new line, a matrix leaves one
    line blank, a stack of matrices two, and so on; `indent` is the column of the opening bracket.
    """
    n = shape[0]
    summarised = edgeitems is not None and n > 2 * edgeitems
    count = 2 * edgeitems if summarised else n
    if len(shape) == 1:
        items = list(islice(texts, count))
        if summarised:
            items.insert(edgeitems, " ...")
        lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)]
        newlines = "\n"
    else:
        lines = [_bracketed(texts, shape[1:], edgeitems, indent + 1, per_line) for _ in range(count)]
        if summarised:
            lines.insert(edgeitems, "...")
        newlines = "\n" * (len(shape) - 1)
    return "[" + ("," + newlines + " " * (indent + 1)).join(lines) + "]"


def _sparse_body(x, indent):
    """`indices=tensor(...)` above `values=tensor(...)` of a sparse COO tensor."""
    parts = []
    for name, part in (("indices", x._indices()), ("values", x._values())):
        prefix = f"{name}=tensor("
        size = f", size={tuple(part.shape)}" if part.numel() == 0 else ""
        parts.append(f"{prefix}{_body(part, indent + len(prefix))}{size})")
    return (",\n" + " " * indent).join(parts)


def _sparse_suffixes(x):
    dtype = [] if _dtype_goes_without_saying(x.dtype) else [f"dtype={x.dtype}"]
    return [f"size={tuple(x.shape)}", f"nnz={x._nnz()}", *dtype, f"layout={x.layout}"]


def _finished(text, suffixes, indent, break_first=False):
    """Append `, size=...` and the like, each on a new line where the last line has no room, and the parenthesis."""
    # Two columns more than the last line has, as torch counts.
    used = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        needed = len(suffix.replace("stridecore.", "torch."))
        if break_first or used + needed + 2 > _options["linewidth"]:
            text += ",\n" + " " * indent + suffix
            used = indent + needed
            break_first = False
        else:
            text += ", " + suffix
            used += needed + 2
    return text + ")"
