"""The format before zip (protocol 1001): five pickles one after the other, then the bytes of the storages.

    magic number | protocol 1001 | about the machine | the object | keys of the storages
    then, for each key in this order, the count of elements in 8 bytes and the elements; little-endian

What the first four pickles are does not say where the storages are, so they are run twice: first to learn the storages'
keys and lengths, which with the list of keys gives the places, then to build the object.
"""

from functools import partial

from stridecore.checkpoint import limits
from stridecore.checkpoint.container import described
from stridecore.checkpoint.errors import CheckpointError
from stridecore.checkpoint.known import TORCH
from stridecore.checkpoint.rebuild import LazyBuilder
from stridecore.checkpoint.unpickle import Machine, Truncated

__all__ = ["Legacy"]

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001
FIRST_WINDOW = 1 << 20


def is_legacy(start):
    """Whether a file that starts with these bytes begins with the magic number's pickle."""
    digits = MAGIC_NUMBER.to_bytes(10, "little")
    return (start[:1] == b"\x80" and digits in start[:32]) or str(MAGIC_NUMBER).encode() in start[:32]


class Legacy:
    """Legacy(source, unknown): the object in a file of protocol 1001."""

    def __init__(self, source, unknown):
        self.source = source
        self.unknown = unknown

    def load(self, builder):
        """The object."""
        self.places = {}
        self.sizes = {}
        window = FIRST_WINDOW
        while True:
            # The pickles' length isn't said: take more of the file until they fit.
            content = self.source.read(0, min(window, self.source.size), "the pickles")
            try:
                start, end, keys = self._scout(content)
                break
            except Truncated as error:
                if len(content) == self.source.size:
                    raise self.source.error(error.message) from None
                if window >= limits.PICKLE_BYTES:
                    raise self.source.error(f"its pickles have more than {limits.PICKLE_BYTES} bytes") from None
                window *= 4
            except CheckpointError as error:
                raise self._located(error) from error.__cause__
        self._find_places(keys, end)
        try:
            value, _ = self._machine(builder).run(content, start)
        except CheckpointError as error:
            raise self._located(error) from error.__cause__
        return value

    def _located(self, error):
        return error if error.file is not None else self.source.error(error.message)

    def _scout(self, content):
        """(where the object's pickle starts, where the last pickle ends, the keys)."""
        machine = Machine(TORCH, LazyBuilder(), None, self.unknown)
        magic, at = machine.run(content)
        if type(magic) is not int or magic != MAGIC_NUMBER:
            raise CheckpointError("the magic number of torch's files is not there")
        protocol, at = machine.run(content, at)
        if type(protocol) is not int or protocol != PROTOCOL_VERSION:
            raise CheckpointError(
                f"protocol {protocol if type(protocol) is int else None}; only {PROTOCOL_VERSION} is known"
            )
        _, start = machine.run(content, at)
        self.sizes = {}
        _, at = self._machine(LazyBuilder()).run(content, start)
        keys, end = machine.run(content, at)
        return start, end, keys

    def _machine(self, builder):
        return Machine(TORCH, builder, partial(self._persistent, builder), self.unknown)

    def _find_places(self, keys, at):
        """The offset of every storage's bytes, each with its count in front of it."""
        if type(keys) is not list or not all(type(key) is str for key in keys) or len(set(keys)) != len(keys):
            raise self.source.error("the keys of the storages are not a list of different strings")
        if set(keys) != set(self.sizes):
            raise self.source.error(
                f"the object uses {len(self.sizes)} storages, and {len(set(keys) & set(self.sizes))} of them are among "
                f"the {len(keys)} in the file"
            )
        for key in keys:
            nbytes, itemsize = self.sizes[key]
            count = int.from_bytes(self.source.read(at, 8, f"the length of storage {key!r}"), "little")
            if count * itemsize != nbytes:
                raise self.source.error(
                    f"the pickle gives it {nbytes} bytes, and its data have {count} elements of {itemsize} bytes",
                    key,
                )
            self.places[key] = at + 8
            at += 8 + nbytes
            if at > self.source.size:
                raise self.source.error(f"its {nbytes} bytes reach over the file's end", key)
        self.end = at

    def _persistent(self, builder, pid):
        if type(pid) is tuple and len(pid) == 4 and type(pid[0]) in (str, bytes) and pid[0] in ("module", b"module"):
            return pid[1]  # the class of a module, with its source
        kind, key, location, nbytes = described(pid, 6)
        self.sizes.setdefault(key, (nbytes, kind.dtype.itemsize))
        read = partial(self._read, key, nbytes)
        made = builder.storage(key, nbytes, location, read)
        if pid[5] is not None:
            made = self._part(builder, made, kind.dtype.itemsize, pid[5])
        return builder.typed(made, kind)

    def _part(self, builder, root, itemsize, view):
        """(key, offset, count): a storage that is part of another one, as very old versions had them."""
        if type(view) is not tuple or len(view) != 3 or type(view[0]) not in (str, bytes):
            raise CheckpointError("a view of a storage has a key, an offset and a count")
        _, offset, count = view
        if type(offset) is not int or type(count) is not int or offset < 0 or count < 0:
            raise CheckpointError("the offset and count of a view of a storage are not negative")
        start, nbytes = offset * itemsize, count * itemsize
        if start + nbytes > root.nbytes():
            raise CheckpointError(
                f"a view of a storage's bytes {start} to {start + nbytes}, of which there are {root.nbytes()}"
            )
        key = ("part", view[0])
        made = builder.storages.get(key)
        if made is None:
            made = builder.storages[key] = builder.part(root, start, nbytes)
        if made.nbytes() != nbytes:
            raise CheckpointError(f"the view {view[0][:80]!r} of a storage has two lengths")
        return made

    def _read(self, key, nbytes):
        return self.source.storage(self.places[key], nbytes, f"storage {key!r}")
