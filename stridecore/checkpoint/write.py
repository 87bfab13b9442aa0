"""`save`: tensors and what holds them, into files that PyTorch opens.

The object is pickled first, then the places of all records are planned, then everything is written, to a temporary file
that takes the name of the old one when it is complete. The same object gives the same bytes.
"""

import os
import pickle
import secrets
import stat
import struct
import sys

from stridecore.checkpoint import zip_writer
from stridecore.checkpoint.pickler import Pickler
from stridecore.checkpoint.storages import Storages

__all__ = ["save"]

LEGACY_MAGIC = 0x1950A86A20F9469CFC6C
LEGACY_VERSION = 1001


def save(obj, f, pickle_module=None, pickle_protocol=2, use_zip=True, compact=False):
    """See stridecore.save."""
    if pickle_module is not None and pickle_module is not pickle:
        raise ValueError(f"save: pickle_module can only be pickle, not {pickle_module!r}: the pickle is written here")
    if isinstance(pickle_protocol, bool) or not hasattr(pickle_protocol, "__index__"):
        raise TypeError(f"save: pickle_protocol must be an int, not {type(pickle_protocol).__name__}")
    if not 2 <= pickle_protocol <= 5:
        raise ValueError(f"save: pickle_protocol must be 2 to 5, got {pickle_protocol}")
    path = as_path(f)
    storages = Storages(legacy=not use_zip)
    data = pickled(obj, storages, pickle_protocol, compact)
    storages.warn(compact)
    if use_zip:
        entries = zip_writer.plan(archive(data, storages.records))
        if path is not None:
            replace_file(
                path,
                lambda descriptor: zip_writer.write_to_descriptor(entries, descriptor),
                lambda write: zip_writer.write_to_stream(entries, write),
            )
        else:
            into_stream(f, lambda write: zip_writer.write_to_stream(entries, write))
    else:

        def write_all(write):
            for piece in legacy(data, storages.records, pickle_protocol):
                write(piece)

        if path is not None:
            replace_file(path, lambda descriptor: write_all(lambda piece: write_more(descriptor, piece)), write_all)
        else:
            into_stream(f, write_all)


def as_path(f):
    """The path that `f` is, or None for an object with a write method; AttributeError for what is neither."""
    if isinstance(f, str | bytes | os.PathLike):
        return os.fspath(f)
    if not hasattr(f, "write"):
        raise AttributeError(
            "save: expected 'f' to be string, path, or a file-like object with a 'write' attribute, got "
            f"{type(f).__name__}"
        )
    return None


def pickled(obj, storages, protocol, compact):
    """The pickle of `obj`; `storages` knows then which records go with it."""
    first = Pickler(storages, protocol)
    data = first.dumps(obj)
    if storages.plan(compact):
        storages.begin()
        data = Pickler(storages, protocol, first.reductions).dumps(obj)
    return data


def archive(data, records):
    """(name, bytes) of all records of the zip format, in torch's order."""
    yield "archive/data.pkl", data
    yield "archive/.format_version", b"1"
    yield "archive/.storage_alignment", str(zip_writer.ALIGNMENT).encode()
    yield "archive/byteorder", sys.byteorder.encode()
    for record in records:
        yield f"archive/data/{record.key}", record.memory()
    yield "archive/version", b"3\n"


def legacy(data, records, protocol):
    """The pieces of the older format: pickles one after another, then each storage with its length before it."""
    sizes = {"short": 2, "int": 4, "long": 4}
    system = {"protocol_version": LEGACY_VERSION, "little_endian": sys.byteorder == "little", "type_sizes": sizes}
    for value in (LEGACY_MAGIC, LEGACY_VERSION, system):
        yield pickle.dumps(value, protocol)
    yield data
    yield pickle.dumps([record.key for record in records], protocol)
    for record in records:
        yield struct.pack("<q", record.nbytes // (record.dtype.itemsize if record.is_typed() else 1))
        yield record.memory()


# ---- where it goes ------------------------------------------------------------------------------------------


def replace_file(path, write_to_descriptor, write_to_stream):
    """Write a temporary file in the same folder and give it the name `path`: a reader sees the old file or the new one.

    What is no regular file (a pipe, a device) is written to as it is. A symbolic link stays one.
    """
    path = os.path.realpath(path)
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and not stat.S_ISREG(mode):
        with open(path, "wb", buffering=0) as stream:
            write_to_stream(lambda data: write_more(stream.fileno(), data))
        return
    folder, name = os.path.split(path)
    random = f".{secrets.token_hex(8)}.tmp"
    temporary = os.path.join(
        folder, b"." + name[:200] + random.encode() if isinstance(name, bytes) else "." + name[:200] + random
    )
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(temporary, flags, 0o666)
    except OSError as error:  # of the name that the caller knows
        raise OSError(error.errno, error.strerror, path) from None
    try:
        try:
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(descriptor, stat.S_IMODE(mode))
            write_to_descriptor(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_more(descriptor, data):
    data = memoryview(data)
    while len(data):
        data = data[os.write(descriptor, data[: 1 << 30]) :]


def into_stream(f, write_all):
    """Write to a file object; if that fails halfway and it can seek, what was written is cut off again."""
    start = None
    try:
        if f.seekable():
            start = f.tell()
    except (AttributeError, OSError):
        pass

    def write(data):
        written = f.write(data)
        while written is not None and written != len(data):  # an unbuffered file may take less
            if type(written) is not int or not 0 < written < len(data):
                raise OSError(f"save: write() of the file returned {written!r} for {len(data)} bytes")
            data = memoryview(data)[written:]
            written = f.write(data)

    try:
        write_all(write)
    except BaseException:
        if start is not None:
            try:
                f.seek(start)
                f.truncate()
            except (AttributeError, OSError, ValueError):
                pass
        raise
