"""A zip file of stored records, planned before a byte is written: where each one starts depends on lengths alone.

    | local header, name, padding to 64 | bytes | … | central directory | end |

So the bytes of a large record go out of the tensor's own memory by one write, while a thread computes the checksums
(zlib lets go of the GIL) that the headers, which come last, contain. Into a stream that can't seek, headers go first.
Padding is an extra field called "FB", as in PyTorch's files; records and files past 4 GiB get zip64 fields.
"""

import os
import struct
import zlib

ALIGNMENT = 64
LIMIT = 0xFFFFFFFF  # what 32-bit fields can't say
DATE = 0x0021  # 1 January 1980: files don't tell when they were written
CHUNK = 1 << 20  # what is checksummed and written while it is in the cache
BACKGROUND = 8 << 20  # from here on a thread for the checksums pays


class Entry:
    """One record: its name, its bytes, where its header and its bytes start, and its checksum once that is known."""

    __slots__ = ("crc", "data", "extra", "header", "name", "nbytes", "start")

    def __init__(self, name, data, header):
        self.name, self.data, self.header = name.encode(), data, header
        self.nbytes = len(data)
        self.crc = None
        zip64 = struct.pack("<HHQQ", 1, 16, self.nbytes, self.nbytes) if self.nbytes >= LIMIT else b""
        before = header + 30 + len(self.name) + len(zip64) + 4
        padding = -before % ALIGNMENT
        self.extra = zip64 + b"FB" + struct.pack("<H", padding) + b"Z" * padding
        self.start = before + padding

    @property
    def end(self):
        return self.start + self.nbytes

    def checksum(self):
        crc = 0
        for start in range(0, self.nbytes, CHUNK):
            crc = zlib.crc32(self.data[start : start + CHUNK], crc)
        self.crc = crc

    def local_header(self):
        size = min(self.nbytes, LIMIT)
        fields = (0x04034B50, 45 if size == LIMIT else 20, 0, 0, 0, DATE, self.crc, size, size)
        return struct.pack("<I5H3I2H", *fields, len(self.name), len(self.extra)) + self.name + self.extra

    def central_header(self):
        size, header = min(self.nbytes, LIMIT), min(self.header, LIMIT)
        wide = [self.nbytes] * 2 if size == LIMIT else []
        wide += [self.header] if header == LIMIT else []
        extra = struct.pack(f"<HH{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
        version = 45 if wide else 20
        fields = (0x02014B50, version, version, 0, 0, 0, DATE, self.crc, size, size, len(self.name), len(extra))
        return struct.pack("<I6H3I5H2I", *fields, 0, 0, 0, 0, header) + self.name + extra


def plan(records):
    """Entries for (name, buffer) pairs: where everything goes."""
    entries = []
    at = 0
    for name, data in records:
        entries.append(Entry(name, memoryview(data).cast("B"), at))
        at = entries[-1].end
    return entries


def directory(entries):
    """The central directory and the end records."""
    headers = b"".join(entry.central_header() for entry in entries)
    count, size, at = len(entries), len(headers), entries[-1].end if entries else 0
    end = b""
    if count >= 0xFFFF or at >= LIMIT or size >= LIMIT:
        end += struct.pack("<IQ2H2I4Q", 0x06064B50, 44, 45, 45, 0, 0, count, count, size, at)
        end += struct.pack("<IIQI", 0x07064B50, 0, at + size, 1)
    count, size, at = min(count, 0xFFFF), min(size, LIMIT), min(at, LIMIT)
    return headers + end + struct.pack("<I4H2IH", 0x06054B50, 0, 0, count, count, size, at, 0)


def write_to_descriptor(entries, descriptor, report=None):
    """Write the archive to an empty file, given by its descriptor, which can seek.

    `report(nbytes)` is called after each record with its length.
    """
    large = [entry for entry in entries if entry.nbytes >= CHUNK]
    thread = None
    if sum(entry.nbytes for entry in large) >= BACKGROUND:
        import threading

        failures = []
        thread = threading.Thread(target=checksum_all, args=(large, failures), name="stridecore.save")
        thread.start()
    try:
        for entry in entries:
            if entry.nbytes >= CHUNK:
                write_at(descriptor, entry.start, entry.data)
                if thread is None:
                    entry.checksum()
            if report:
                report(entry.nbytes)
    finally:
        if thread is not None:
            thread.join()
    if thread is not None and failures:
        raise failures[0]
    pending, at = bytearray(), 0  # headers and small records that touch, in one write
    for entry in entries:
        if entry.crc is None:
            entry.checksum()
        if not pending:
            at = entry.header
        pending += entry.local_header()
        if entry.nbytes < CHUNK:
            pending += entry.data
        if entry.nbytes >= CHUNK or len(pending) >= CHUNK:
            write_at(descriptor, at, pending)
            pending = bytearray()
    end = entries[-1].end if entries else 0
    write_at(descriptor, at if pending else end, pending + directory(entries))


def checksum_all(entries, failures):
    try:
        for entry in entries:
            entry.checksum()
    except BaseException as error:
        failures.append(error)


def write_at(descriptor, position, data):
    """All of `data` at this position of the file: a write may take less than it is given."""
    data = memoryview(data)
    while len(data):
        if hasattr(os, "pwrite"):
            written = os.pwrite(descriptor, data, position)
        else:
            os.lseek(descriptor, position, os.SEEK_SET)
            written = os.write(descriptor, data[: 1 << 30])
        position += written
        data = data[written:]


def write_to_stream(entries, write):
    """Write the archive front to back with write(bytes)."""
    for entry in entries:
        entry.checksum()
        write(entry.local_header())
        if entry.nbytes:
            write(entry.data)
    write(directory(entries))
