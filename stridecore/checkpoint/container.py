"""torch's zip format: a pickle, and a record of raw bytes for every storage that it refers to.

archive/data.pkl        the pickle; ('storage', torch.FloatStorage, '0', 'cpu', 24) is the persistent id of a storage
archive/data/0          the 24 * 4 bytes of it
archive/byteorder       "little" or "big"; little where it is missing
archive/version         of no interest: nothing has depended on it so far
"""

from functools import partial

from stridecore.checkpoint import limits
from stridecore.checkpoint.errors import CheckpointError
from stridecore.checkpoint.rebuild import ScoutingBuilder, StorageType
from stridecore.checkpoint.unpickle import Machine

__all__ = ["Container"]


class Container:
    """Container(archive, known): the objects in a zip archive of torch's."""

    def __init__(self, archive, known):
        self.archive = archive
        self.known = known
        if not archive.records:
            raise archive.source.error("the archive is empty")
        self.root = next(iter(archive)).partition("/")[0]
        self.big_endian = self._byte_order() == b"big"
        self.dtypes = {}

    def _byte_order(self):
        name = f"{self.root}/byteorder"
        if name not in self.archive:
            return b"little"
        order = self.archive.read(name, limits.SMALL_RECORD_BYTES)
        if order not in (b"little", b"big"):
            raise self.archive.source.error(f"the byte order {order[:40]!r} is not known", name)
        return order

    def __contains__(self, name):
        return f"{self.root}/{name}" in self.archive

    def load(self, builder, unknown, pickle="data.pkl", data="data"):
        """The value of a pickle in the archive, with its storages in the folder `data`."""
        name = f"{self.root}/{pickle}"
        content = self.archive.read(name, limits.PICKLE_BYTES)
        if self.big_endian:
            # The dtype of an UntypedStorage is told by its tensors only, so they are looked at first.
            scout = ScoutingBuilder()
            self._run(content, name, scout, unknown, data)
            self.dtypes = scout.dtypes
        return self._run(content, name, builder, unknown, data)

    def _run(self, content, name, builder, unknown, data):
        machine = Machine(self.known, builder, partial(self._persistent, builder, f"{self.root}/{data}/"), unknown)
        try:
            value, end = machine.run(content)
        except CheckpointError as error:
            if error.file is not None:
                raise
            raise self.archive.source.error(error.message, name) from error.__cause__
        if end != len(content):
            raise self.archive.source.error(f"{len(content) - end} bytes follow the pickle", name)
        return value

    def _persistent(self, builder, folder, pid):
        """A storage, as its persistent id describes it, after its record's length has been compared with it."""
        kind, key, location, nbytes = described(pid, 5)
        name = folder + key
        record = self.archive.records.get(name) or self.archive.record(name)
        if record.size != nbytes:
            raise self.archive.source.error(f"its storage has {nbytes} bytes, the record {record.size}", name)
        made = builder.storage(name, nbytes, location, partial(self._read, record, kind.dtype))
        return builder.typed(made, kind)

    def _read(self, record, dtype):
        made = self.archive.storage(record)
        if self.big_endian:
            dtype = self.dtypes.get(record.name, dtype)
            if record.size % dtype.itemsize:
                raise self.archive.source.error(f"{record.size} bytes are no whole elements of {dtype}", record.name)
            if dtype.itemsize > 1 and record.size:
                made.byteswap(dtype)
        return made


def described(pid, length):
    """(StorageType, key, location, bytes) of a persistent id ('storage', type, key, location, count, …)."""
    if (
        type(pid) is not tuple
        or len(pid) != length
        or type(pid[0]) not in (str, bytes)
        or (pid[0] not in ("storage", b"storage"))
    ):
        raise CheckpointError("a persistent id is not that of a storage")
    kind, key, location, count = pid[1:5]
    if type(key) is bytes:
        key = key.decode("latin-1")
    if type(kind) is not StorageType or type(key) is not str or type(count) is not int:
        raise CheckpointError("the persistent id of a storage has a class, a key, a location and a count")
    itemsize = kind.dtype.itemsize
    if not 0 <= count < 2**63 // itemsize:
        raise CheckpointError(f"storage {key[:80]!r} has {count} elements")
    if type(location) is not str:
        if type(location) is not bytes:
            raise CheckpointError(f"storage {key[:80]!r} is on the device {type(location).__name__}")
        location = location.decode("latin-1")
    return kind, key, location, count * itemsize
