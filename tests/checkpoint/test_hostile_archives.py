"""Zip archives that lie: truncated, garbled, overlapping, inflating without end; each is refused."""

import io
import struct
import zipfile

import crafted as c
import pytest
from refusals import load, refused

from stridecore.checkpoint import CheckpointError


def parts(data):
    """(where the central directory starts, where the end record starts)."""
    end = data.rindex(b"PK\5\6")
    return struct.unpack_from("<I", data, end + 16)[0], end


def entry_at(data, name):
    """Where the central directory's entry of a name starts."""
    return data.index(name.encode(), parts(data)[0]) - 46


def patched(data, at, values):
    return data[:at] + values + data[at + len(values) :]


GOOD = c.container(c.tensor())


def test_truncated_and_extended():
    for length in range(0, len(GOOD), 7):
        with pytest.raises(CheckpointError):
            load(GOOD[:length])
    refused(GOOD + b"x", "without an end record")
    refused(GOOD + GOOD, "the central directory is said")
    refused(b"PK\3\4" + GOOD, "the central directory is said")


def test_names_that_leave_the_archive():
    for name in ("../a/data/0", "a/../../x", "/a/data.pkl", "a//b", "a/./b", "C:/x", "a\\b", "a/\0b", "a/.."):
        f = io.BytesIO()
        with zipfile.ZipFile(f, "w") as archive:
            archive.writestr("a/data.pkl", c.pickled(c.NONE))
            info = zipfile.ZipInfo("X" * len(name))
            archive.writestr(info, b"")
        data = f.getvalue().replace(b"X" * len(name), name.encode())
        refused(data, "no plain relative path")


def test_two_records_of_one_name():
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w") as archive:
        archive.writestr("a/data.pkl", c.pickled(c.number(1)))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a/data.pkl", c.pickled(c.number(2)))
    refused(f.getvalue(), "two records of this name")


def test_records_that_overlap():
    data = GOOD
    other = struct.unpack_from("<I", data, entry_at(data, "a/data.pkl") + 42)[0]
    refused(patched(data, entry_at(data, "a/data/0") + 42, struct.pack("<I", other)), "reaches from byte|disagrees")
    start = parts(data)[0]
    refused(patched(data, entry_at(data, "a/version") + 42, struct.pack("<I", start - 5)), "central directory starts")
    longer = struct.pack("<2I", 60, 60)
    refused(patched(data, entry_at(data, "a/data/0") + 20, longer), "reaches from byte|would reach|has 24 bytes")


def test_headers_that_disagree_with_the_directory():
    data = GOOD
    header = struct.unpack_from("<I", data, entry_at(data, "a/data/0") + 42)[0]
    refused(patched(data, header, b"PK\3\5"), "no header at byte")
    refused(patched(data, header + 30, b"b"), "disagrees")
    refused(patched(data, header + 8, b"\x08"), "disagrees")
    refused(patched(data, header + 6, b"\x01"), "disagrees")
    refused(patched(data, header + 18, struct.pack("<I", 23)), "its header says 23")
    refused(patched(data, header + 22, struct.pack("<I", 25)), "its header says 24 bytes for 25")
    refused(patched(data, header + 28, struct.pack("<H", 60000)), "would reach")
    refused(patched(data, header + 26, struct.pack("<H", 60000)), "disagrees")


def test_directories_that_lie():
    data = GOOD
    _, end = parts(data)
    entry = entry_at(data, "a/data/0")
    refused(patched(data, entry, b"PK\1\3"), "entry 1 of the central directory")
    refused(patched(data, entry + 10, b"\x0c"), "compression method 12")
    refused(patched(data, entry + 8, b"\x01"), "encrypted")
    refused(patched(data, entry + 24, struct.pack("<I", 25)), "24 bytes are said to be 25")
    refused(patched(data, entry + 28, struct.pack("<H", 60000)), "is damaged")
    refused(patched(data, entry + 24, b"\xff" * 4), "zip64 field")
    refused(patched(data, entry + 42, struct.pack("<I", 2**31)), "reaches from byte")
    refused(patched(data, end + 8, struct.pack("<2H", 2, 2)), "bytes after its last entry")
    refused(patched(data, end + 8, struct.pack("<2H", 4, 4)), "ends in the middle|entries in a central")
    refused(patched(data, end + 8, struct.pack("<2H", 60000, 60000)), "60000 entries")
    refused(patched(data, end + 8, struct.pack("<2H", 3, 2)), "several parts")
    refused(patched(data, end + 12, struct.pack("<I", 2**31)), "is said to be bytes")
    refused(patched(data, end + 16, struct.pack("<I", 0)), "is said to be bytes")
    refused(patched(data, end + 8, b"\xff" * 4), "zip64 record|zip64 locator")


def test_zip64():
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w") as archive:
        for name, content in (("a/data.pkl", c.pickled(c.tensor())), ("a/data/0", bytes(24))):
            with archive.open(name, "w", force_zip64=True) as record:
                record.write(content)
    assert load(f.getvalue()).sum().item() == 0
    # as torch writes it: a zip64 end record although the plain one says everything
    data = GOOD
    start, end = parts(data)
    record = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, 3, 3, end - start, start)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, end, 1)
    both = data[:end] + record + locator + data[end:]
    assert load(both).sum().item() == 15
    refused(patched(both, end + 24, struct.pack("<Q", 2**62)), "several parts|disagree")
    refused(patched(both, end + 48, struct.pack("<Q", 2**62)), "is said to be|disagree")
    refused(patched(both, end + 4, struct.pack("<Q", 45)), "zip64 end record is damaged")
    refused(patched(both, end + 56 + 8, struct.pack("<Q", 2**63)), "zip64 locator is damaged")


def test_archives_without_what_they_need():
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w") as archive:
        archive.writestr("a/other", b"")
    refused(f.getvalue(), "no such record")
    refused(c.container(c.tensor(), {}), "no such record")
    refused(c.container(c.tensor(), order=b"middle"), "byte order")
    refused(c.container(c.NONE + b"." + c.NONE), "follow the pickle")


def test_deflated_records_that_lie():
    value = c.tensor((1 << 20,), (1,), of=c.storage(numel=1 << 20))
    good = c.container(value, {"0": bytes(4 << 20)}, deflated=True)
    assert load(good).numel() == 1 << 20
    at = entry_at(good, "a/data/0")
    header = struct.unpack_from("<I", good, at + 42)[0]

    def claiming(data, size):
        return patched(patched(data, at + 24, struct.pack("<I", size)), header + 22, struct.pack("<I", size))

    refused(claiming(good, 1 << 20), "the record 1048576")
    small = c.container(c.tensor(of=c.storage(numel=24, kind="ByteStorage")), {"0": bytes(4 << 20)}, deflated=True)
    refused(small, "its storage has 24 bytes")
    # A record that says 96 bytes and inflates to 4 MiB is refused as it inflates.
    small = c.container(c.tensor((24,), (1,), of=c.storage(numel=24)), {"0": bytes(4 << 20)}, deflated=True)
    at = entry_at(small, "a/data/0")
    header = struct.unpack_from("<I", small, at + 42)[0]
    refused(claiming(small, 96), "inflates to more than its 96 bytes")
    refused(claiming(small, 2**32 - 2), "more than 1100 times")


def test_damaged_compressed_data():
    noise = bytes(i * i % 251 for i in range(4000))
    data = c.container(c.tensor((1000,), (1,), of=c.storage(numel=1000)), {"0": noise}, deflated=True)
    at = entry_at(data, "a/data/0")
    header = struct.unpack_from("<I", data, at + 42)[0]
    start = header + 30 + sum(struct.unpack_from("<2H", data, header + 26))
    refused(patched(data, start, b"\xff" * 8), "compressed data")
    refused(patched(data, start + 40, b"\0" * 40), "compressed data|inflates")


def test_big_endian_records_of_odd_lengths():
    v3 = c.tensor_without_class("uint16", 3, 23)
    refused(c.container(v3, {"0": bytes(23)}, order=b"big"), "no whole elements")
