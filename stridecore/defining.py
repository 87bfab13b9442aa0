"""From one function to torch's whole family: `floor`, `Tensor.floor`, `Tensor.floor_`, `floor_` and aliases.

A room of math writes each function once, as `name(input, ..., *, out=None)`. `define` puts the rest around it: the
method, which takes the tensor as self and no `out`, the in-place form, which is the function with `out=self`, and the
docstrings with their examples.
"""

from types import FunctionType

from stridecore.core.binary import straight
from stridecore.tensor import Tensor


def _refuse_out(name, keywords):
    if "out" in keywords:
        raise TypeError(f"{name}() got an unexpected keyword argument 'out'")


def _named(function, name, room, doc, qualname=None):
    function.__name__ = name
    function.__module__ = room["__name__"]
    function.__qualname__ = qualname or name
    function.__doc__ = doc
    return function


def _method(function, name, code=None):
    def method(self, *args, **keywords):
        if code is not None and not keywords and len(args) == 1:
            result = straight(code, self, args[0])
            if result is not None:
                return result
        _refuse_out(name, keywords)
        return function(self, *args, **keywords)

    return method


def _in_place(function, name, code=None):
    def method(self, *args, **keywords):
        if code is not None and not keywords and len(args) == 1:
            result = straight(code, self, args[0], self)
            if result is not None:
                return result
        _refuse_out(name, keywords)
        return function(self, *args, out=self, **keywords)

    return method


def _in_place_function(function, name):
    def in_place(input, *args, **keywords):
        _refuse_out(name, keywords)
        if not isinstance(input, Tensor):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        return function(input, *args, out=input, **keywords)

    return in_place


def _document(text, name, function_name, values, arguments, shown):
    call = f"sc.{name}({values}{', ' if arguments else ''}{arguments})" if function_name else f"x.{name}({arguments})"
    lines = [">>> import stridecore as sc"]
    if not function_name:
        lines.append(f">>> x = {values}")
    return text.rstrip() + "\n\n" + "".join(f"    {line}\n" for line in [*lines, f">>> {call}", *shown.split("\n")])


def define(room, function, values, arguments="", shown="", *, kinds="fmi", aliases=(), here="", code=None):
    """Put `function` and its family into the namespace `room` and onto Tensor; returns nothing.

    `values` is the input of the example, source text of a list of numbers or of a tensor, `arguments` what follows it
    and `shown` the values of the result or its repr. `kinds` says what there is: f the function, m the method, i the
    in-place method, I the in-place function too, n that
    the function takes no `out`. `here` is the result of the in-place form, where it differs. An alias
    may have kinds of its own: "absolute fmi". `code` is the function's operation in core/binary.pyx, which the methods
    try first.
    """
    first = function.__name__
    text = function.__doc__.rstrip()
    values = f"sc.tensor({values})" if values.startswith("[") else values
    shown = f"tensor({shown})" if shown.startswith("[") else shown
    here = f"tensor({here})" if here.startswith("[") else here or shown
    for entry in (first, *aliases):
        name, _, own_kinds = entry.partition(" ")
        kinds = own_kinds or kinds
        if name != first:
            text = f"The same as `{first}`: {function.__doc__.strip()}"
        if "f" in kinds:
            made = FunctionType(function.__code__, function.__globals__, name, function.__defaults__,
                                function.__closure__)
            made.__kwdefaults__ = function.__kwdefaults__
            if "n" in kinds:
                made = _method(function, name)
            room[name] = _named(made, name, room, _document(text, name, True, values, arguments, shown))
        if "m" in kinds:
            doc = _document(text, name, False, values, arguments, shown)
            setattr(Tensor, name, _named(_method(function, name, code), name, room, doc, f"Tensor.{name}"))
        if "i" in kinds or "I" in kinds:
            name += "_"
            text_here = f"In place, as `{name[:-1]}`: {function.__doc__.strip()}\n\n    Returns the tensor itself."
            doc = _document(text_here, name, False, values, arguments, here)
            setattr(Tensor, name, _named(_in_place(function, name[:-1], code), name, room, doc, f"Tensor.{name}"))
            if "I" in kinds:
                doc = _document(text_here, name, True, values, arguments, here)
                room[name] = _named(_in_place_function(function, name), name, room, doc)


def public(room):
    """The sorted names of a room's namespace that `define` made: its __all__."""
    return sorted(name for name, value in room.items() if isinstance(value, FunctionType)
                  and value.__module__ == room["__name__"] and "import stridecore as sc" in (value.__doc__ or ""))
