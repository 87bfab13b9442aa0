"""The oldest format: a tar archive of four members, before protocol 1001.

    sys_info    a pickle about the machine
    pickle      the object; the persistent ids in it are keys of tensors and storages
    storages    a pickled count; for each a pickled (key, location, class), a count of elements and the elements; then
                the pickled list of views: (key, key of the storage it is part of, offset, count)
    tensors     a pickled count; for each a pickled (key, key of its storage, class), the number of dims in 8 bytes,
                sizes, strides and offset in 8 bytes each

Numbers are little-endian.
"""

import struct
from functools import partial

from stridecore.checkpoint import limits
from stridecore.checkpoint.errors import CheckpointError
from stridecore.checkpoint.known import TORCH
from stridecore.checkpoint.rebuild import StorageType
from stridecore.checkpoint.stubs import Global
from stridecore.checkpoint.unpickle import Machine, Truncated

__all__ = ["is_tar", "load_tar"]

BLOCK = 512
WINDOW = 4096  # of the small pickles between the storages
MEMBERS = ("sys_info", "pickle", "storages", "tensors")


def is_tar(start):
    """Whether the first block of 512 bytes is the header of a tar member: its checksum is right."""
    if len(start) < BLOCK:
        return False
    told = _octal(start[148:156])
    return told is not None and told == sum(start[:BLOCK]) - sum(start[148:156]) + 8 * 32


def _octal(field):
    digits = field.split(b"\0")[0].strip()
    return int(digits, 8) if digits and not digits.strip(b"01234567") else None


def load_tar(source, builder, unknown):
    """The object in the archive."""
    return _Tar(source, builder, unknown).load()


class _Tar:
    def __init__(self, source, builder, unknown):
        self.source = source
        self.builder = builder
        self.unknown = unknown
        self.objects = {}

    def load(self):
        """The object."""
        self.members = self._find_members()
        for name in MEMBERS[1:]:
            if name not in self.members:
                raise self.source.error(f"a tar archive without a member {name!r}: it is not one of torch's")
        try:
            self._read_storages()
            self._read_tensors()
            start, nbytes = self.members["pickle"]
            if nbytes > limits.PICKLE_BYTES:
                raise CheckpointError(f"a pickle of {nbytes} bytes; the limit is {limits.PICKLE_BYTES}")
            return self._machine(self._persistent).run(self.source.read(start, nbytes, "the pickle"))[0]
        except CheckpointError as error:
            if error.file is not None:
                raise
            raise self.source.error(error.message) from error.__cause__

    def _find_members(self):
        """{name: (offset, bytes)} of the plain members of the known names."""
        at, found = 0, {}
        for _ in range(limits.ARCHIVE_ENTRIES):
            if at + BLOCK > self.source.size:
                break
            header = self.source.read(at, BLOCK, "a tar header")
            if not header.strip(b"\0"):
                break
            size = _octal(header[124:136])
            if not is_tar(header) or size is None or size > self.source.size - at - BLOCK:
                raise self.source.error(f"the tar header at byte {at} is damaged")
            name = header[:100].split(b"\0")[0].decode("latin-1").removeprefix("./")
            if name in MEMBERS and header[156:157] in (b"0", b"\0"):
                if name in found:
                    raise self.source.error("the archive has two members of this name", name)
                found[name] = at + BLOCK, size
            at += BLOCK + (size + BLOCK - 1) // BLOCK * BLOCK
        return found

    def _machine(self, persistent=None):
        return Machine(TORCH, self.builder, persistent, self.unknown)

    def _pickle(self, at, end):
        """(the value of a pickle at this offset of the file, where it ends)."""
        window = WINDOW
        while True:
            length = min(window, end - at)
            try:
                value, used = self._machine().run(self.source.read(at, length, "a pickle"))
                return value, at + used
            except Truncated:
                if length == end - at or window > limits.PICKLE_BYTES:
                    raise
                window *= 4

    def _counted(self, name):
        start, nbytes = self.members[name]
        count, at = self._pickle(start, start + nbytes)
        if type(count) is not int or not 0 <= count <= limits.TENSORS:
            raise CheckpointError(f"the member {name!r} does not begin with a count")
        return count, at, start + nbytes

    def _remember(self, key, value):
        if type(key) is not int and type(key) is not str:
            raise CheckpointError(f"a key of type {type(key).__name__}")
        if str(key) in self.objects:
            raise CheckpointError(f"two objects have the key {str(key)[:40]!r}")
        self.objects[str(key)] = value

    def _object(self, key, kind):
        found = self.objects.get(str(key)) if type(key) in (int, str) else None
        if type(found) is not kind:
            shown = repr(str(key)[:40]) if type(key) in (int, str) else type(key).__name__
            raise CheckpointError(f"there is no {kind.__name__.strip('_').lower()} with the key {shown}")
        return found

    def _read_storages(self):
        count, at, end = self._counted("storages")
        for _ in range(count):
            described, at = self._pickle(at, end)
            if type(described) is not tuple or len(described) != 3 or type(described[2]) is not StorageType:
                raise CheckpointError("a storage is described by a key, a location and a class")
            key, location, kind = described
            if type(location) is not str or type(key) not in (int, str):
                raise CheckpointError("a storage's key is a number, its location a string")
            self._within(at + 8, end)
            n = int.from_bytes(self.source.read(at, 8, "a storage's length"), "little")
            nbytes = n * kind.dtype.itemsize
            self._within(at + 8 + nbytes, end)
            read = partial(self.source.storage, at + 8, nbytes, f"storage {str(key)[:40]}")
            made = self.builder.storage(f"storages/{key}", nbytes, location, read)
            self._remember(key, _Storage(made, kind))
            at += 8 + nbytes
        views, _ = self._pickle(at, end)
        for view in views if type(views) is list else [views]:
            if type(view) is not tuple or len(view) != 4 or type(view[2]) is not int or type(view[3]) is not int:
                raise CheckpointError("a view of a storage has two keys, an offset and a count")
            root = self._object(view[1], _Storage)
            start, nbytes = (n * root.kind.dtype.itemsize for n in view[2:])
            if start < 0 or nbytes < 0 or start + nbytes > root.storage.nbytes():
                raise CheckpointError(f"a view of {view[3]} elements from {view[2]} on is not inside its storage")
            self._remember(view[0], _Storage(self.builder.part(root.storage, start, nbytes), root.kind))

    def _within(self, at, end):
        if at > end:
            raise CheckpointError(f"a member ends at byte {end}, but what it has would reach to {at}")

    def _read_tensors(self):
        count, at, end = self._counted("tensors")
        for _ in range(count):
            described, at = self._pickle(at, end)
            if type(described) is not tuple or len(described) != 3:
                raise CheckpointError("a tensor is described by a key, the key of its storage, and a class")
            storage = self._object(described[1], _Storage)
            self._within(at + 8, end)
            (ndim,) = struct.unpack("<i4x", self.source.read(at, 8, "a tensor's number of dims"))
            if not 0 <= ndim <= limits.DIMS:
                raise CheckpointError(f"a tensor of {ndim} dims; at most {limits.DIMS} are possible")
            length = 8 * (2 * ndim + 1)
            self._within(at + 8 + length, end)
            numbers = struct.unpack(f"<{2 * ndim + 1}q", self.source.read(at + 8, length, "a tensor's sizes"))
            at += 8 + length
            made = self.builder.tensor(
                storage.storage, storage.kind.dtype, numbers[-1], numbers[:ndim], numbers[ndim:-1]
            )
            self._remember(described[0], made)

    def _persistent(self, pid):
        if type(pid) is tuple:  # a module's class, with its source
            if len(pid) != 3 or type(pid[0]) is not Global:
                raise CheckpointError("a persistent id is neither a key nor the class of a module")
            return pid[0]
        found = self.objects.get(str(pid)) if type(pid) in (int, str) else None
        if found is None:
            shown = repr(str(pid)[:40]) if type(pid) in (int, str) else type(pid).__name__
            raise CheckpointError(f"there is no object with the key {shown}")
        return self.builder.typed(found.storage, found.kind) if type(found) is _Storage else found


class _Storage:
    __slots__ = ("kind", "storage")

    def __init__(self, storage, kind):
        self.storage = storage
        self.kind = kind
