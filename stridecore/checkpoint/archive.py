"""Zip archives: their records by name, read with every number compared with the file.

    +--------------+------+--------------+------+ ... +---------------------+--------------------+
    | local header | data | local header | data |     | central directory   | [zip64] end record |
    +--------------+------+--------------+------+ ... +---------------------+--------------------+

The end record leads to the directory, the directory to the local headers, a local header to its data. The directory
must end where the end records begin; no two entries may have one name or share a byte; names are plain relative
paths; a local header must say what the directory says. Only stored and deflated records are known. Checksums are not
compared: torch may write archives without them.
"""

import re
import struct
import zlib

from stridecore.checkpoint import limits

__all__ = ["Archive", "is_zip"]

END = struct.Struct("<4s4H2IH")
END64 = struct.Struct("<4sQ2H2I4Q")
LOCATOR64 = struct.Struct("<4sIQI")
CENTRAL = struct.Struct("<4s6H3I5H2I")
LOCAL = struct.Struct("<4s5H3I2H")

STORED, DEFLATED = 0, 8
ENCRYPTED, SIZES_FOLLOW, UTF8 = 0x1, 0x8, 0x800
MAX16, MAX32 = 0xFFFF, 0xFFFFFFFF
CHUNK = 1 << 20
# Names that need no other look: relative, no part empty, "." or "..".
PLAIN = re.compile(rb"(?:\.?[A-Za-z0-9_-][A-Za-z0-9_.-]{0,255}/){1,8}\.?[A-Za-z0-9_-][A-Za-z0-9_.-]{0,255}")


def is_zip(start):
    """Whether a file that starts with these bytes is a zip archive with a record."""
    return start[:4] == b"PK\x03\x04"


class Record:
    """Where a record is: `header` and `end` bound its bytes in the file, `packed` of them are data."""

    __slots__ = ("end", "header", "method", "name", "packed", "raw_name", "size")


class Archive:
    """Archive(source): the records of a zip archive, by name. CheckpointError for what is no sound archive."""

    def __init__(self, source):
        self.source = source
        count, nbytes, offset = self._find_directory()
        self.records = self._read_directory(source.read(offset, nbytes, "the central directory"), count, offset)

    def __contains__(self, name):
        return name in self.records

    def __iter__(self):
        return iter(self.records)

    # ---- the directory ------------------------------------------------------------------------------------------

    def _find_directory(self):
        """(entries, bytes, offset) of the central directory."""
        source = self.source
        length = min(source.size, END.size + MAX16)
        start = source.size - length
        tail = source.read(start, length, "the end of the archive")
        at = len(tail)
        while True:
            at = tail.rfind(b"PK\x05\x06", 0, at)
            if at < 0:
                raise source.error("a zip archive without an end record: it is truncated")
            if at + END.size <= len(tail):
                end = END.unpack_from(tail, at)
                if at + END.size + end[7] == len(tail):
                    break
            at += 3  # a comment may contain the mark: look further to the left
        _, disk, first_disk, here, count, nbytes, offset, _ = end
        position = start + at
        small = (disk, first_disk, here, count, nbytes, offset)
        # torch writes the zip64 record always, needed or not; then both must say the same.
        if tail[max(at - LOCATOR64.size, 0) : at][:4] == b"PK\x06\x07" or MAX16 in small[:4] or MAX32 in small[4:]:
            disk, first_disk, here, count, nbytes, offset, position = large = self._find_directory64(position)
            for told, true in zip(small, large, strict=False):
                if told != true and told not in (MAX16, MAX32):
                    raise source.error(f"its two end records disagree: {told} and {true}")
        if disk or first_disk or here != count:
            raise source.error("an archive of several parts; only whole ones can be read")
        if offset + nbytes != position:
            raise source.error(
                f"the central directory is said to be bytes {offset} to {offset + nbytes}, but its end record is at "
                f"{position}"
            )
        if nbytes > limits.DIRECTORY_BYTES:
            raise source.error(f"a central directory of {nbytes} bytes; the limit is {limits.DIRECTORY_BYTES}")
        if count > limits.ARCHIVE_ENTRIES or count * CENTRAL.size > nbytes:
            raise source.error(
                f"{count} entries in a central directory of {nbytes} bytes; the limit is {limits.ARCHIVE_ENTRIES}"
            )
        return count, nbytes, offset

    def _find_directory64(self, end):
        source = self.source
        if end < LOCATOR64.size + END64.size:
            raise source.error("the end record refers to a zip64 record that is not there")
        mark, disk, position, disks = LOCATOR64.unpack(
            source.read(end - LOCATOR64.size, LOCATOR64.size, "the zip64 locator")
        )
        if mark != b"PK\x06\x07" or disk or disks > 1 or position > end - LOCATOR64.size - END64.size:
            raise source.error("the zip64 locator is damaged")
        fields = END64.unpack(source.read(position, END64.size, "the zip64 end record"))
        if fields[0] != b"PK\x06\x06" or position + 12 + fields[1] != end - LOCATOR64.size:
            raise source.error("the zip64 end record is damaged")
        return (*fields[4:], position)

    def _read_directory(self, data, count, directory):
        """The records by name, in the order of the directory, with `end` set from the next one in the file."""
        source, records, at, unpack, size = self.source, {}, 0, CENTRAL.unpack_from, len(data)
        for _ in range(count):
            if at + 46 > size:
                raise source.error("the central directory ends in the middle of an entry")
            entry = unpack(data, at)
            mark, _, _, flags, method, _, _, _, packed, unpacked, n_name, n_extra, n_comment, disk, _, _, header = entry
            stop = at + 46 + n_name + n_extra + n_comment
            if mark != b"PK\x01\x02" or stop > size:
                raise source.error(f"entry {len(records)} of the central directory is damaged")
            raw_name = data[at + 46 : at + 46 + n_name]
            name = raw_name.decode() if PLAIN.fullmatch(raw_name) else self._name(raw_name, flags)
            if MAX32 in (packed, unpacked, header):
                extra = data[at + 46 + n_name : at + 46 + n_name + n_extra]
                unpacked, packed, header = self._sizes64(extra, name, unpacked, packed, header)
            at = stop
            if name in records:
                raise source.error("the archive has two records of this name", name)
            if disk or flags & ENCRYPTED or (method != STORED and method != DEFLATED):
                raise source.error(
                    "it is encrypted" if flags & ENCRYPTED else f"compression method {method} is not known", name
                )
            if method == STORED and packed != unpacked:
                raise source.error(f"it is stored, but {packed} bytes are said to be {unpacked}", name)
            if method == DEFLATED and unpacked > packed * limits.INFLATE_RATIO:
                raise source.error(
                    f"{packed} bytes are said to inflate to {unpacked}, more than {limits.INFLATE_RATIO} times as many",
                    name,
                )
            record = records[name] = Record()
            record.name, record.raw_name, record.header, record.method = name, raw_name, header, method
            record.packed, record.size = packed, unpacked
        if at != size:
            raise source.error(f"the central directory has {size - at} bytes after its last entry")
        self._check_overlaps(records, directory)
        return records

    def _name(self, raw, flags):
        """The name of a record: a relative path without '..'."""
        if not 0 < len(raw) <= limits.NAME_BYTES:
            raise self.source.error(f"a record's name has {len(raw)} bytes; 1 to {limits.NAME_BYTES} are allowed")
        try:
            name = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            if flags & UTF8:
                raise self.source.error(f"the record's name {raw!r} is not UTF-8") from error
            name = raw.decode("cp437")
        parts = name.removesuffix("/").split("/")
        if "" in parts or ".." in parts or "." in parts or "\\" in name or "\0" in name or parts[0][1:2] == ":":
            raise self.source.error("it is no plain relative path", name)
        return name

    def _sizes64(self, extra, name, unpacked, packed, header):
        """The three numbers, with those that did not fit 32 bits taken from the zip64 extra field."""
        at = 0
        while at + 4 <= len(extra):
            kind, length = struct.unpack_from("<2H", extra, at)
            body = extra[at + 4 : at + 4 + length]
            at += 4 + length
            if kind == 1:
                numbers = []
                for number in (unpacked, packed, header):
                    if number == MAX32:
                        if len(body) < 8:
                            raise self.source.error("its zip64 field is too short", name)
                        number, body = int.from_bytes(body[:8], "little"), body[8:]
                    numbers.append(number)
                return numbers
        raise self.source.error("its sizes need a zip64 field, which is not there", name)

    def _check_overlaps(self, records, directory):
        """No record's bytes, as the directory tells them, may reach into the next one's or the directory."""
        ordered = sorted(records.values(), key=lambda record: record.header)
        for record, following in zip(ordered, [*ordered[1:], None], strict=True):
            record.end = directory if following is None else following.header
            if record.header + 30 + len(record.raw_name) + record.packed > record.end:
                raise self.source.error(
                    f"it reaches from byte {record.header} over {record.end}, where "
                    + ("the central directory" if following is None else repr(following.name))
                    + " starts",
                    record.name,
                )

    # ---- records ------------------------------------------------------------------------------------------------

    def record(self, name):
        """The Record of this name; CheckpointError if there is none."""
        try:
            return self.records[name]
        except KeyError:
            raise self.source.error("the archive has no such record", name) from None

    def data_offset(self, record):
        """Where the data of a record starts, after its local header, which must agree with the directory."""
        source, n_raw = self.source, len(record.raw_name)
        header = source.peek(record.header, 30 + n_raw, "a record's header")
        mark, _, flags, method, _, _, _, packed, unpacked, n_name, n_extra = LOCAL.unpack_from(header)
        if mark != b"PK\x03\x04":
            raise source.error(f"there is no header at byte {record.header}, where it should start", record.name)
        if n_name != n_raw or header[30:] != record.raw_name or method != record.method or flags & ENCRYPTED:
            raise source.error("its header disagrees with the central directory", record.name)
        if packed != record.packed or unpacked != record.size:
            unsaid = (MAX32, 0) if flags & SIZES_FOLLOW else (MAX32,)
            if (packed != record.packed and packed not in unsaid) or (
                unpacked != record.size and unpacked not in unsaid
            ):
                raise source.error(
                    f"its header says {packed} bytes for {unpacked}, the central directory {record.packed} for "
                    f"{record.size}",
                    record.name,
                )
        offset = record.header + 30 + n_name + n_extra
        if offset + record.packed > record.end:
            raise source.error(f"its {record.packed} bytes would reach over byte {record.end}", record.name)
        return offset

    def read(self, name, limit):
        """The bytes of a record of up to `limit` bytes."""
        record = self.record(name)
        if record.size > limit:
            raise self.source.error(f"it has {record.size} bytes; the limit is {limit}", name)
        offset = self.data_offset(record)
        if record.method == STORED:
            return self.source.read(offset, record.packed, f"record {name!r}")
        return b"".join(self._inflated(record, offset))

    def storage(self, record):
        """An UntypedStorage of a record's bytes; mapped if the source is, and if it can be."""
        name, nbytes = record.name, record.size
        offset = self.data_offset(record)
        if record.method == STORED:
            return self.source.storage(offset, nbytes, f"record {name!r}")
        made = self.source.new_storage(nbytes, f"record {name!r}")
        done = 0
        with memoryview(made) as memory:
            for piece in self._inflated(record, offset):
                memory[done : done + len(piece)] = piece
                done += len(piece)
        return made

    def _inflated(self, record, offset):
        """The pieces of a deflated record: in all exactly record.size bytes, or CheckpointError."""
        inflate = zlib.decompressobj(-15)
        left, at, end = record.size, offset, offset + record.packed
        pending, piece = b"", b""
        try:
            while not inflate.eof:
                if not pending and at < end:
                    pending = self.source.read(at, min(CHUNK, end - at), f"record {record.name!r}")
                    at += len(pending)
                piece = inflate.decompress(pending, min(CHUNK, left) + 1)
                pending = inflate.unconsumed_tail
                left -= len(piece)
                if left < 0:
                    raise self.source.error(f"it inflates to more than its {record.size} bytes", record.name)
                yield piece
                if not pending and not piece and at == end:
                    break  # nothing more to put in, and nothing came out
        except zlib.error as error:
            raise self.source.error(f"its compressed data is damaged ({error})", record.name) from error
        if left or not inflate.eof or pending or inflate.unused_data or at != end:
            raise self.source.error(
                f"its compressed data gives {record.size - left} bytes and should give {record.size}", record.name
            )
