"""Objects → a pickle in the dialect of PyTorch's files, made of bytes alone: no torch is imported to name its globals.

Python's own pickler refuses names that it can't import, so this one writes the opcodes itself. It knows two things more
than pickle does: what to write for a tensor or a storage is asked of `tensors` (see storages.py), and `Global` and
`Call` stand for names and calls that only the reader will resolve. It is deterministic: equal strings are written once,
whatever their identity, and sets in the order of their elements' reprs.

Everything else follows pickle: what it can reduce is written, and read back, the same way.
"""

import _compat_pickle
import builtins
import copyreg
import functools
import struct
import sys
from pickle import PicklingError, whichmodule
from types import BuiltinFunctionType, FunctionType

import stridecore
from stridecore import Size, Tensor, TypedStorage, UntypedStorage, device, dtype, layout, memory_format
from stridecore.storage import CLASS_NAMES


class Global:
    """A module and a name in it, for the reader to look up."""

    __slots__ = ("module", "name")

    def __init__(self, module, name):
        self.module, self.name = module, name


class Call:
    """function(*args), for the reader to call; `function` is a Global."""

    __slots__ = ("args", "function")

    def __init__(self, function, *args):
        self.function, self.args = function, args


class Persistent:
    """A tuple for the reader's persistent_load."""

    __slots__ = ("fields",)

    def __init__(self, *fields):
        self.fields = fields


READERS = ("stridecore.checkpoint.composites", "stridecore.checkpoint.lazy", "stridecore.checkpoint.stubs")
ATOMS = frozenset((type(None), bool, int, float, str))  # of these a tuple is written twice rather than remembered
ENCODE = Global("_codecs", "encode")
LAYOUT = Global("torch.serialization", "_get_layout")
IN_TORCH = {
    **{cls: Global("torch", cls.__name__) for cls in (Tensor, Size, device, dtype)},
    **{getattr(stridecore, name): Global("torch", name) for name in CLASS_NAMES.values()},
    **{cls: Global("torch.storage", cls.__name__) for cls in (TypedStorage, UntypedStorage)},
}  # our classes, by the names that files know them by


class Pickler:
    """Pickler(tensors, protocol).dumps(obj) → bytes.

    `tensors.tensor(t)`, `tensors.storage(s)` and, for what the readers make besides, `tensors.composite(c)` give what
    to write for those: Calls, Persistents and plain values.
    `reductions` remembers what objects reduced to, so that a second pass over the same object sees the same parts.
    """

    def __init__(self, tensors, protocol=2, reductions=None):
        self.tensors = tensors
        self.protocol = protocol
        self.reductions = {} if reductions is None else reductions
        self.out = bytearray(b"\x80" + bytes([protocol]))
        self.memo = {}  # id → number in the reader's memo
        self.names = {}  # str, or Global and its (module, name) → number; a Global lives as long as its pickler
        self.count = 0
        self.alive = []  # what ids in the memo belong to

    def dumps(self, obj):
        self.save(obj)
        return bytes(self.out + b".")

    # ---- the memo -------------------------------------------------------------------------------------------

    def put(self):
        """Remember the object on the reader's stack; its number."""
        number = self.count
        self.count += 1
        self.out += b"q" + bytes([number]) if number < 256 else b"r" + struct.pack("<I", number)
        return number

    def get(self, number):
        self.out += b"h" + bytes([number]) if number < 256 else b"j" + struct.pack("<I", number)

    def remember(self, obj):
        self.memo[id(obj)] = self.put()
        self.alive.append(obj)

    # ---- by type --------------------------------------------------------------------------------------------

    def save(self, obj):
        kind = type(obj)
        write = WRITERS.get(kind)
        if write is not None:
            write(self, obj)
            return
        number = self.memo.get(id(obj))
        if number is not None:
            self.get(number)
        elif isinstance(obj, Tensor):
            self.save(self.tensors.tensor(obj))
            self.remember(obj)
        elif isinstance(obj, UntypedStorage | TypedStorage):
            self.save(self.tensors.storage(obj))
        elif isinstance(obj, type):
            self.save_by_name(obj)
        elif kind.__module__ in READERS and (made := self.tensors.composite(obj)) is not None:
            self.save(made)
            self.remember(obj)
        else:
            self.save_reduced(obj)

    def save_none(self, obj):
        self.out += b"N"

    def save_bool(self, obj):
        self.out += b"\x88" if obj else b"\x89"

    def save_int(self, obj):
        if 0 <= obj < 256:
            self.out += b"K" + bytes([obj])
        elif 0 <= obj < 65536:
            self.out += b"M" + struct.pack("<H", obj)
        elif -(2**31) <= obj < 2**31:
            self.out += b"J" + struct.pack("<i", obj)
        else:
            data = obj.to_bytes(obj.bit_length() // 8 + 1, "little", signed=True)
            if obj < 0 and len(data) > 1 and data[-1] == 0xFF and data[-2] & 0x80:
                data = data[:-1]
            self.out += b"\x8a" + bytes([len(data)]) if len(data) < 256 else b"\x8b" + struct.pack("<i", len(data))
            self.out += data

    def save_float(self, obj):
        self.out += b"G" + struct.pack(">d", obj)

    def save_str(self, obj):
        number = self.names.get(obj)
        if number is not None:
            self.get(number)
            return
        data = obj.encode("utf-8", "surrogatepass")
        if len(data) >= 2**32:
            raise PicklingError(f"save: a str of {len(data)} bytes is too long; the limit is 4 GiB")
        self.out += b"X" + struct.pack("<I", len(data)) + data
        self.names[obj] = self.put()

    def save_bytes(self, obj):
        if self.protocol < 3:
            self.save(Call(ENCODE, obj.decode("latin1"), "latin1"))
        elif len(obj) < 256:
            self.out += b"C" + bytes([len(obj)]) + obj
        elif len(obj) < 2**32:
            self.out += b"B" + struct.pack("<I", len(obj)) + obj
        else:
            raise PicklingError(f"save: bytes of length {len(obj)} are too long; the limit is 4 GiB. Use a tensor")

    def save_bytearray(self, obj):
        self.shared(obj, lambda: self.save(Call(Global(self.builtins(), "bytearray"), bytes(obj))))

    def save_complex(self, obj):
        self.save(Call(Global(self.builtins(), "complex"), obj.real, obj.imag))

    def builtins(self):
        return "__builtin__" if self.protocol < 3 else "builtins"

    def shared(self, obj, write):
        """Write a mutable object, or the reference to where it was written before."""
        number = self.memo.get(id(obj))
        if number is not None:
            self.get(number)
            return
        write()
        self.remember(obj)

    def save_tuple(self, obj):
        if not obj:
            self.out += b")"
            return
        number = self.memo.get(id(obj))
        if number is not None:
            self.get(number)
            return
        if len(obj) > 3:
            self.out += b"("
        for item in obj:
            self.save(item)
        number = self.memo.get(id(obj))
        if number is not None:  # the tuple contains itself: what was written refers to it
            self.out += b"1" if len(obj) > 3 else b"0" * len(obj)
            self.get(number)
            return
        self.out += (b"\x85", b"\x86", b"\x87")[len(obj) - 1] if len(obj) <= 3 else b"t"
        for item in obj:
            if type(item) not in ATOMS:
                self.remember(obj)
                break

    def save_list(self, obj):
        number = self.memo.get(id(obj))
        if number is not None:
            self.get(number)
            return
        self.out += b"]"
        self.remember(obj)
        self.append_all(obj)

    def append_all(self, items):
        mark = len(self.out)
        self.out += b"("
        for item in items:
            self.save(item)
        if len(self.out) == mark + 1:
            del self.out[mark:]
        else:
            self.out += b"e"

    def save_dict(self, obj):
        number = self.memo.get(id(obj))
        if number is not None:
            self.get(number)
            return
        self.out += b"}"
        self.remember(obj)
        self.set_all(obj.items())

    def set_all(self, pairs):
        mark = len(self.out)
        self.out += b"("
        for key, value in pairs:
            self.save(key)
            self.save(value)
        if len(self.out) == mark + 1:
            del self.out[mark:]
        else:
            self.out += b"u"

    def save_set(self, obj):
        name = Global(self.builtins(), type(obj).__name__)
        items = sorted(obj, key=lambda item: (type(item).__name__, repr(item)))
        self.shared(obj, lambda: self.save(Call(name, items)))

    # ---- names ----------------------------------------------------------------------------------------------

    def save_global(self, obj):
        number = self.names.get(obj)  # the same Global as before, which is quick, or an equal one
        if number is None:
            number = self.names.get((obj.module, obj.name))
        if number is not None:
            self.get(number)
            return
        self.out += b"c" + obj.module.encode() + b"\n" + obj.name.encode() + b"\n"
        self.names[obj] = self.names[obj.module, obj.name] = self.put()

    def save_by_name(self, obj, name=None):
        """A class or function, as the module and name that Python finds it by."""
        if isinstance(obj, type) and obj in IN_TORCH:
            self.save_global(IN_TORCH[obj])
            return
        name = name or getattr(obj, "__qualname__", None) or obj.__name__
        module = getattr(obj, "__module__", None)
        if module is None:
            module = "builtins" if getattr(builtins, name, None) is obj else whichmodule(obj, name)
        if obj is type(None) or obj is type(NotImplemented) or obj is type(...):
            value = None if obj is type(None) else NotImplemented if obj is type(NotImplemented) else ...
            self.save(Call(Global(self.builtins(), "type"), value))
            return
        try:
            __import__(module)
            found = functools.reduce(getattr, name.split("."), sys.modules[module])
        except (ImportError, KeyError, AttributeError):
            found = None
        if found is not obj:
            raise PicklingError(f"save: can't save {obj!r}: it is not found as {module}.{name}")
        parent, _, last = name.rpartition(".")
        if parent:
            owner = functools.reduce(getattr, parent.split("."), sys.modules[module])
            self.save(Call(Global(self.builtins(), "getattr"), owner, last))
            return
        if self.protocol < 3:
            module, name = _compat_pickle.REVERSE_NAME_MAPPING.get((module, name), (module, name))
            module = _compat_pickle.REVERSE_IMPORT_MAPPING.get(module, module)
        self.save_global(Global(module, name))

    def save_call(self, obj):
        self.save_global(obj.function)
        self.raw_tuple(obj.args)
        self.out += b"R"

    def save_persistent(self, obj):
        self.raw_tuple(obj.fields)
        self.out += b"Q"

    def raw_tuple(self, items):
        """A tuple that nothing refers to again."""
        if not items:
            self.out += b")"
            return
        if len(items) > 3:
            self.out += b"("
        for item in items:
            self.save(item)
        self.out += (b"\x85", b"\x86", b"\x87")[len(items) - 1] if len(items) <= 3 else b"t"

    def save_size(self, obj):
        self.save(Call(Global("torch", "Size"), tuple(obj)))

    def save_dtype(self, obj):
        self.save_global(Global("torch", obj.name))

    def save_device(self, obj):
        self.save(Call(Global("torch", "device"), str(obj)))

    def save_layout(self, obj):
        self.save(Call(LAYOUT, "torch." + repr(obj).rpartition(".")[2]))

    def save_memory_format(self, obj):
        self.save_global(Global("torch", repr(obj).rpartition(".")[2]))

    # ---- everything else: as pickle reduces it --------------------------------------------------------------

    def save_reduced(self, obj):
        reduced = self.reductions.get(id(obj))
        if reduced is None:
            by_type = copyreg.dispatch_table.get(type(obj))
            reduced = by_type(obj) if by_type else obj.__reduce_ex__(min(self.protocol, 4))  # 5: buffers out of band
            if not isinstance(reduced, str):
                if not isinstance(reduced, tuple) or not 2 <= len(reduced) <= 6:
                    raise PicklingError(
                        f"save: {type(obj).__name__}.__reduce_ex__ must give a str or a tuple of 2 to "
                        f"6 items, gave {reduced!r}"
                    )
                reduced = (*reduced, *[None] * (6 - len(reduced)))
                reduced = (
                    *reduced[:3],
                    *(list(part) if part is not None else None for part in reduced[3:5]),
                    reduced[5],
                    obj,
                )
            self.reductions[id(obj)] = reduced
        if isinstance(reduced, str):
            self.save_by_name(obj, reduced)
            return
        function, args, state, items, pairs, setter, _ = reduced
        if getattr(function, "__name__", "") == "__newobj__":
            self.save(args[0])
            self.raw_tuple(args[1:])
            self.out += b"\x81"
        else:
            if getattr(function, "__name__", "") == "__newobj_ex__":
                cls, positional, named = args
                function, args = functools.partial(cls.__new__, cls, *positional, **named), ()
            self.save(function)
            self.raw_tuple(args)
            self.out += b"R"
        if id(obj) in self.memo:  # its arguments contain it
            self.out += b"0"
            self.get(self.memo[id(obj)])
            return
        self.remember(obj)
        if items is not None:
            self.append_all(items)
        if pairs is not None:
            self.set_all(pairs)
        if state is not None and setter is None:
            self.save(state)
            self.out += b"b"
        elif state is not None:
            self.save(setter)
            self.save(obj)
            self.save(state)
            self.out += b"\x86R0"


WRITERS = {
    type(None): Pickler.save_none,
    bool: Pickler.save_bool,
    int: Pickler.save_int,
    float: Pickler.save_float,
    complex: Pickler.save_complex,
    str: Pickler.save_str,
    bytes: Pickler.save_bytes,
    bytearray: Pickler.save_bytearray,
    tuple: Pickler.save_tuple,
    list: Pickler.save_list,
    dict: Pickler.save_dict,
    set: Pickler.save_set,
    frozenset: Pickler.save_set,
    Size: Pickler.save_size,
    dtype: Pickler.save_dtype,
    device: Pickler.save_device,
    layout: Pickler.save_layout,
    memory_format: Pickler.save_memory_format,
    Global: Pickler.save_global,
    Call: Pickler.save_call,
    Persistent: Pickler.save_persistent,
    FunctionType: Pickler.save_by_name,
    BuiltinFunctionType: Pickler.save_reduced,
}
