"""Memory that other processes see: files mapped into tensors, `share_memory_()`, and the way through multiprocessing.

A storage that is shared lies in a mapping of a file: the one that the user named, or one without a name. Which storages
those are, and the file's descriptor, is kept here. multiprocessing learns how to send them when the first one is made:
the descriptor travels, and the other side maps the same file. Other storages travel as copies.

    process A:  storage ── mapping ──┐                  ┌── mapping ── storage  :process B
                                     └── pages of file ─┘
"""

import contextlib
import mmap
import os
import weakref

from stridecore.core.buffers import move_storage, storage_over

SHARED = weakref.WeakKeyDictionary()  # storage → File
BY_FILE = weakref.WeakValueDictionary()  # (device, inode) → this process's storage over it


class File:
    """What it takes to send a shared storage: an open descriptor (None for no bytes), and the file's name or None."""

    __slots__ = ("descriptor", "filename")

    def __init__(self, descriptor, filename=None):
        self.descriptor, self.filename = descriptor, filename

    def __del__(self, close=os.close):
        if self.descriptor is not None:
            close(self.descriptor)


def is_shared(storage):
    """Whether the storage lies in memory that other processes can map."""
    return storage in SHARED


def filename(storage):
    """The path of the file that a shared storage was mapped from, or None."""
    found = SHARED.get(storage)
    return found and found.filename


def register(storage, file):
    SHARED[storage] = file
    if file.descriptor is not None:
        BY_FILE[identity(file.descriptor)] = storage
    register_with_multiprocessing(type(storage))


def identity(descriptor):
    facts = os.fstat(descriptor)
    return facts.st_dev, facts.st_ino


# ---- share_memory_ ------------------------------------------------------------------------------------------


def share(storage):
    """Move a storage into shared memory, unless it is there; tensors on it follow."""
    if storage in SHARED:
        return
    nbytes = storage.nbytes()
    if nbytes == 0:
        register(storage, File(None))
        return
    file = File(nameless_file())
    try:
        os.ftruncate(file.descriptor, nbytes)
        mapping = mmap.mmap(file.descriptor, nbytes)
    except (OSError, ValueError, OverflowError) as error:
        raise RuntimeError(f"share_memory_: can't get {nbytes} bytes of shared memory: {error}") from error
    move_storage(storage, mapping)
    register(storage, file)


def nameless_file():
    """The descriptor of an empty file that no folder lists."""
    if os.name != "posix":
        raise NotImplementedError("share_memory_: only on systems with POSIX files; use from_file(shared=True) there")
    if hasattr(os, "memfd_create"):
        return os.memfd_create("stridecore", os.MFD_CLOEXEC)
    import tempfile

    with tempfile.TemporaryFile() as f:
        return os.dup(f.fileno())


# ---- from_file ----------------------------------------------------------------------------------------------


def from_file(cls, path, shared, nbytes, function):
    """A storage of class `cls` over the first `nbytes` bytes of a file; see UntypedStorage.from_file."""
    if not isinstance(path, str | bytes | os.PathLike):
        raise TypeError(f"{function}(): argument 'filename' must be str or os.PathLike, not {type(path).__name__}")
    if shared is not None and not isinstance(shared, bool):
        raise TypeError(f"{function}(): argument 'shared' must be bool, not {type(shared).__name__}")
    if not 0 <= nbytes < 2**63:
        raise RuntimeError(f"{function}: unable to mmap {nbytes} bytes from file <{os.fsdecode(path)}>")
    name = os.fsdecode(path)
    flags = (os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY) | getattr(os, "O_BINARY", 0)
    mode = "read-write" if shared else "read-only"
    try:
        file = File(os.open(path, flags | getattr(os, "O_CLOEXEC", 0), 0o600), name)
    except OSError as error:
        raise RuntimeError(
            f"{function}: unable to open file <{name}> in {mode} mode: {error.strerror} ({error.errno})"
        ) from error
    size = os.fstat(file.descriptor).st_size
    if size < nbytes and not shared:
        raise RuntimeError(
            f"{function}: file <{name}> size <{size}> is smaller than the required mapping size <{nbytes}>"
        )
    if nbytes == 0:
        storage = cls(0)
        if shared:
            register(storage, File(None, name))
        return storage
    try:
        if size < nbytes:
            os.ftruncate(file.descriptor, nbytes)
        mapping = mmap.mmap(file.descriptor, nbytes, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
    except (OSError, ValueError, OverflowError) as error:
        if size < nbytes:
            with contextlib.suppress(OSError):
                os.ftruncate(file.descriptor, size)
        raise RuntimeError(f"{function}: unable to mmap {nbytes} bytes from file <{name}>: {error}") from error
    storage = storage_over(cls, mapping)
    if shared:
        register(storage, file)
    return storage


# ---- multiprocessing ----------------------------------------------------------------------------------------


def register_with_multiprocessing(cls):
    """Tell multiprocessing's pickler how storages of class `cls` travel."""
    from multiprocessing.reduction import ForkingPickler

    ForkingPickler.register(cls, reduce_for_process)


def reduce_for_process(storage):
    """What goes to another process for a storage: the descriptor of its file, or a copy of its bytes."""
    file = SHARED.get(storage)
    if file is None or file.descriptor is None:
        from stridecore.pickling import reduce_storage

        return reduce_storage(storage, 4)
    from multiprocessing.reduction import DupFd

    return map_shared, (type(storage), DupFd(file.descriptor), storage.nbytes(), file.filename, storage.readonly)


def map_shared(cls, handle, nbytes, name, readonly):
    """The storage over a file that another process sent: one and the same if it came before and still lives."""
    file = File(handle.detach(), name)
    known = BY_FILE.get(identity(file.descriptor))
    if known is not None and type(known) is cls and known.nbytes() == nbytes:
        return known
    if os.fstat(file.descriptor).st_size < nbytes:
        raise RuntimeError(f"a shared storage of {nbytes} bytes was cut short by another process")
    access = mmap.ACCESS_READ if readonly else mmap.ACCESS_WRITE
    storage = storage_over(cls, mmap.mmap(file.descriptor, nbytes, access=access))
    register(storage, file)
    return storage
