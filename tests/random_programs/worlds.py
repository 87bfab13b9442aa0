"""A world runs the lines of a program in one library and tells what can be seen of them.

After each line a world gives a record: the outcome (an exception type, or the result) and the state (the metadata of
every tensor met so far and the bytes of every storage). Two libraries agree on a program if their records do. Tensors
and storages are told apart by number, in the order in which they came up, so "returns self", "has that base" and
"shares that storage" are compared as well.
"""

import ctypes
import functools
import pickle
import warnings
from dataclasses import dataclass

import numpy

FIELDS = """dtype size stride offset contiguous channels_last channels_last_3d conj neg is_view base storage
    address""".split()
READABLE = 64  # elements: larger tensors are not read value by value


@dataclass(frozen=True)
class Line:
    text: str
    op: str = ""
    torch_text: str = None  # what torch runs, where DESIGN wants another result than torch gives: see generate.py
    grows: bool = False  # it can add bytes of unknown value to a storage

    @property
    def name(self):
        head, _, _ = self.text.partition(" = ")
        return head if head.isidentifier() else None


@functools.lru_cache(maxsize=4096)
def compiled(text):
    return compile(text, "<program>", "exec")


def plain(name):
    return str(name).rsplit(".", 1)[-1]


class World:
    def __init__(self, lib):
        self.lib = lib
        self.reference = hasattr(lib, "ops")  # torch, or something made of it
        self.env = {"lib": lib, "np": numpy, "pickle": pickle}
        self.tensors, self.storages = [], []
        self.error = self.last = None
        self._tensor_number, self._storage_number = {}, {}
        self.formats = [lib.contiguous_format, lib.channels_last, lib.channels_last_3d]

    # --- running

    def evaluate(self, expression):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return eval(compile(expression, "<expression>", "eval"), self.env)

    def run(self, line):
        """Run one line: (outcome, state)."""
        known = {i: s.nbytes() for i, s in enumerate(self.storages)} if line.grows else None
        text = line.torch_text if self.reference and line.torch_text else line.text
        before = len(self.tensors)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(compiled(text), self.env)
            except Exception as error:
                outcome = ("raises", type(error).__name__)
                self.error = error
            else:
                self.error = None
                result = self.describe(self.env[line.name]) if line.name else None
                outcome = ("gives", result)
            # Bases and storages of the new tensors get their numbers here. A failed resize_ corrupts torch's tensor:
            # what is expected is that nothing changed.
            corrupt = self.reference and self.error and line.grows
            state = self.last if corrupt else self.state(known if self.error is None else None)
            self.last = state
            values = None if line.grows else [self.values(t) for t in self.tensors[before:]]
        return outcome, state, values

    # --- telling

    def describe(self, thing):
        if isinstance(thing, self.lib.Tensor):
            return ("tensor", self.number(thing))
        if isinstance(thing, tuple | list):
            return (type(thing).__name__, tuple(self.describe(t) for t in thing))
        if isinstance(thing, bool | int | float | complex | None | str):
            return (type(thing).__name__, repr(thing))
        return (type(thing).__name__, plain(thing))

    def number(self, tensor):
        """The number of a tensor, a new one when it was not met before."""
        number = self._tensor_number.get(id(tensor))
        if number is None:
            number = self._tensor_number[id(tensor)] = len(self.tensors)
            self.tensors.append(tensor)
        return number

    def storage_number(self, storage):
        number = self._storage_number.get(id(storage))
        if number is None:
            number = self._storage_number[id(storage)] = len(self.storages)
            self.storages.append(storage)
        return number

    def metadata(self, x):
        storage = x.untyped_storage()
        base = x._base
        address = x.data_ptr() and x.data_ptr() - storage.data_ptr()
        return (
            plain(x.dtype),
            tuple(x.size()),
            x.stride(),
            x.storage_offset(),
            *[x.is_contiguous(memory_format=f) for f in self.formats],
            x.is_conj(),
            x.is_neg(),
            x._is_view(),
            None if base is None else self.number(base),
            self.storage_number(storage),
            address,
        )

    def state(self, known=None):
        metadata = []
        for x in self.tensors:  # grows while it runs: a base is a tensor too
            metadata.append(self.metadata(x))
        return metadata, [self.bytes(i, s, known) for i, s in enumerate(self.storages)]

    def bytes(self, i, storage, known):
        nbytes = storage.nbytes()
        count = nbytes if known is None else min(known.get(i, 0), nbytes)
        return nbytes, ctypes.string_at(storage.data_ptr(), count) if count else b""

    def values(self, x):
        """The elements, read through the public door."""
        if max((x.numel(), *x.shape)) > READABLE or not honest(self.lib, x):
            return None
        printed = repr(x).replace("stridecore.", "torch.") if self._tensor_number[id(x)] % 5 == 0 else None
        return repr(x.tolist()), printed


def honest(lib, x):
    """False for a bool tensor over bytes other than 0 and 1: nothing is promised for those."""
    if x.dtype != lib.bool or not x.numel():
        return True
    return all(b <= 1 for b in ctypes.string_at(x.untyped_storage().data_ptr(), x.untyped_storage().nbytes()))


@dataclass
class Difference:
    at: int  # the line
    what: str  # what differs, in a word: failures are sorted by it
    detail: str


def compare(i, line, expected, got, names=()):
    """The first difference between the records of two worlds after one line, or None."""
    for what, a, b in zip(("outcome", "state", "values"), expected, got, strict=True):
        if a == b:
            continue
        if what == "outcome":
            return Difference(i, f"{a[0]} {a[1] if a[0] == 'raises' else ''} / {b[0]}", f"torch {a}, stridecore {b}")
        if what == "values":
            return Difference(i, "values", f"torch {a}\nstridecore {b}")
        return _compare_states(i, a, b)
    return None


def _compare_states(i, expected, got):
    (tensors, storages), (my_tensors, my_storages) = expected, got
    if len(tensors) != len(my_tensors):
        return Difference(i, "number of tensors", f"torch {len(tensors)}, stridecore {len(my_tensors)}")
    for number, (a, b) in enumerate(zip(tensors, my_tensors, strict=True)):
        for field, u, v in zip(FIELDS, a, b, strict=True):
            if u != v:
                all_of = [dict(zip(FIELDS, record, strict=True)) for record in (a, b)]
                both = "\n  torch      {}\n  stridecore {}".format(*all_of)
                return Difference(i, field, f"tensor {number}: {field}: torch {u}, stridecore {v}{both}")
    if len(storages) != len(my_storages):
        return Difference(i, "number of storages", f"torch {len(storages)}, stridecore {len(my_storages)}")
    for number, (a, b) in enumerate(zip(storages, my_storages, strict=True)):
        if a != b:
            what = "nbytes" if a[0] != b[0] else "bytes"
            both = f"\n  torch      {a[0]} {a[1].hex()}\n  stridecore {b[0]} {b[1].hex()}"
            return Difference(i, what, f"storage {number}:{both}")
    return None


def check(lines, reference, subject):
    """Run a whole program in both libraries; the first difference, or None."""
    one, two = World(reference), World(subject)
    for i, line in enumerate(lines):
        difference = compare(i, line, one.run(line), two.run(line))
        if difference:
            return difference
    return None
