"""The bytes of a file by offset, for the readers: small pieces as bytes, data as storages, read or mapped.

Nothing is believed: every range is compared with the length of the file as it was opened, and a file that gives fewer
bytes than it had is refused. Whatever decides how a file is understood is read into memory of our own before it is
looked at, so a file that somebody changes meanwhile can't say one thing to a check and another to its user.

A mapping is private: what is written to a mapped storage stays in memory. The file has to stay as long as it is: when
another process truncates it, the system ends a program (SIGBUS) that touches what was cut off.
"""

import io
import mmap
import os

import stridecore
from stridecore.checkpoint.errors import CheckpointError

__all__ = ["Source"]

# Where a mapping may start: what any dtype's elements need.
ALIGNMENT = 16
# Linux: don't reserve swap for a private mapping; Python names the flag only since 3.13.
NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000 if os.uname().sysname == "Linux" else 0) if os.name == "posix" else 0

PREAD = hasattr(os, "pread")


class Source:
    """Source(f, mapped): the bytes of a path or a binary file object from its present position on.

    `name` is what messages call it, `size` its length. Use as a context manager: a file that was opened here is closed.
    """

    def __init__(self, f, mapped=False):
        self._mapping = None
        self._owned = None
        if isinstance(f, str | bytes | os.PathLike):
            self.name = os.fsdecode(f)
            self._owned = self._file = open(f, "rb", buffering=0)  # noqa: SIM115
            self._base = 0
        else:
            for method in ("read", "seek", "tell"):
                if not hasattr(f, method):
                    raise AttributeError(
                        f"load: {type(f).__name__!r} object has no {method!r}: a checkpoint is a path or a binary file "
                        "object that can seek; put the bytes into io.BytesIO first"
                    )
            self.name = _name_of(f)
            self._file = f
            self._base = f.tell()
        # Only of these it is certain that the descriptor's bytes are what read() gives.
        self._descriptor = self._file.fileno() if _is_plain(self._file) else None
        self.size = self._file.seek(0, os.SEEK_END) - self._base
        self._file.seek(self._base)
        if mapped and self._descriptor is not None and self.size > 0:
            self._map()

    def _map(self):
        length = self._base + self.size
        try:
            if os.name == "posix":
                flags, access = mmap.MAP_PRIVATE | NORESERVE, mmap.PROT_READ | mmap.PROT_WRITE
                self._mapping = mmap.mmap(self._descriptor, length, flags=flags, prot=access)
            else:
                self._mapping = mmap.mmap(self._descriptor, length, access=mmap.ACCESS_COPY)
        except (OSError, ValueError):  # no address space, a file system that can't: then it is read
            self._mapping = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        """Close the file if it was opened here. Mapped storages stay, and what is mapped can still be read."""
        if self._owned is not None:
            self._descriptor = None  # whose number may be another file's soon
            self._owned.close()

    def _is_closed(self):
        return self._owned is not None and self._owned.closed

    def __del__(self):
        if getattr(self, "_owned", None) is not None:
            self._owned.close()

    def seek(self, offset):
        """Leave a file object of the caller's at this offset, for what follows in it."""
        if self._owned is None:
            self._file.seek(self._base + offset)

    def error(self, message, record=None):
        """The CheckpointError to raise: it names the file and, if given, the record."""
        return CheckpointError(message, self.name, record)

    def _refuse(self, offset, nbytes, what):
        raise self.error(f"{what} would be bytes {offset} to {offset + nbytes} of a file of {self.size}")

    def read(self, offset, nbytes, what):
        """The bytes of a range, in memory of our own; `what` names them in messages."""
        if not 0 <= offset <= offset + nbytes <= self.size:
            self._refuse(offset, nbytes, what)
        if self._is_closed():
            data = self._mapped(offset, nbytes)
        elif self._descriptor is not None and PREAD:
            data = os.pread(self._descriptor, nbytes, self._base + offset)
            while 0 < len(data) < nbytes:
                more = os.pread(self._descriptor, nbytes - len(data), self._base + offset + len(data))
                if not more:
                    break
                data += more
        else:
            self._file.seek(self._base + offset)
            data = self._file.read(nbytes)
            while 0 < len(data) < nbytes:
                more = self._file.read(nbytes - len(data))
                if not more:
                    break
                data += more
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(f"load: read() of the file gives {type(data).__name__}, not bytes: open it in mode 'rb'")
        if len(data) != nbytes:
            raise self.error(f"{what}: the file ended after {len(data)} of {nbytes} bytes")
        return data if type(data) is bytes else bytes(data)

    def _mapped(self, offset, nbytes):
        """A copy of bytes of the mapping, after the file was closed."""
        if self._mapping is None:
            raise ValueError(f"{self.name}: the file was closed before this was loaded, and it is not mapped")
        return self._mapping[self._base + offset : self._base + offset + nbytes]

    def peek(self, offset, nbytes, what):
        """The same for a few bytes, as quickly as possible: a read costs less than the fault of a new page."""
        if PREAD and self._descriptor is not None and 0 <= offset <= offset + nbytes <= self.size:
            data = os.pread(self._descriptor, nbytes, self._base + offset)
            if len(data) == nbytes:
                return data
        return self.read(offset, nbytes, what)

    def storage(self, offset, nbytes, what, alignment=ALIGNMENT):
        """An UntypedStorage of a range: over the mapping where there is one and the offset is aligned, else read."""
        if not 0 <= offset <= offset + nbytes <= self.size:
            self._refuse(offset, nbytes, what)
        if nbytes and self._mapping is not None and (self._base + offset) % alignment == 0:
            over = stridecore.frombuffer(
                self._mapping, dtype=stridecore.uint8, count=nbytes, offset=self._base + offset
            )
            return over.untyped_storage()
        made = self.new_storage(nbytes, what)
        if nbytes:
            with memoryview(made) as memory:
                self._read_into(offset, memory, what)
        return made

    def new_storage(self, nbytes, what):
        """A storage of unspecified bytes; CheckpointError if there is no memory for it."""
        try:
            return stridecore.UntypedStorage(nbytes)
        except (MemoryError, RuntimeError) as error:
            raise self.error(f"{what}: there is no memory for its {nbytes} bytes") from error

    def _read_into(self, offset, memory, what):
        done, nbytes = 0, len(memory)
        if self._is_closed():
            memory[:] = self._mapped(offset, nbytes)
            return
        if self._descriptor is not None and hasattr(os, "preadv"):
            while done < nbytes:
                count = os.preadv(self._descriptor, [memory[done:]], self._base + offset + done)
                if count == 0:
                    raise self.error(f"{what}: the file ended after {done} of {nbytes} bytes")
                done += count
            return
        self._file.seek(self._base + offset)
        while done < nbytes:
            piece = self._file.read(min(nbytes - done, 1 << 24))
            if not piece:
                raise self.error(f"{what}: the file ended after {done} of {nbytes} bytes")
            memory[done : done + len(piece)] = piece
            done += len(piece)


def _is_plain(file):
    if type(file) is io.BufferedReader:
        file = file.raw
    return type(file) is io.FileIO


def _name_of(file):
    name = getattr(file, "name", None)
    return os.fsdecode(name) if isinstance(name, str | bytes) else f"<{type(file).__name__}>"
