"""`load`, and which format a file has: told from its content, never from its name."""

from functools import partial

import stridecore
from stridecore.checkpoint.archive import Archive, is_zip
from stridecore.checkpoint.container import Container
from stridecore.checkpoint.known import TORCH
from stridecore.checkpoint.legacy import Legacy, is_legacy
from stridecore.checkpoint.rebuild import Carried, EagerBuilder
from stridecore.checkpoint.source import Source
from stridecore.checkpoint.tar import is_tar, load_tar
from stridecore.checkpoint.torchscript import is_script, load_script

__all__ = ["Found", "load", "read"]


class Found:
    """What a file holds: the `value`, the name of its `format`, and the `metadata` that safetensors files have."""

    __slots__ = ("format", "metadata", "value")

    def __init__(self, value, format, metadata=None):
        self.value = value
        self.format = format
        self.metadata = metadata


def read(source, builder, unknown):
    """The Found of a source."""
    start = source.read(0, min(source.size, 512), "the start")
    if is_zip(start):
        container = Container(Archive(source), TORCH)
        if is_script(container):
            return Found(load_script(container, builder, unknown), "TorchScript")
        return Found(container.load(builder, unknown), "torch zip")
    if is_legacy(start):
        legacy = Legacy(source, unknown)
        value = legacy.load(builder)
        source.seek(legacy.end)
        return Found(value, "torch legacy")
    if is_safetensors(start, source.size):
        return _safetensors(source, builder)
    if is_tar(start):
        return Found(load_tar(source, builder, unknown), "torch tar")
    if source.size == 0:
        raise source.error("the file is empty")
    raise source.error(
        "no checkpoint that is known: neither torch's zip or older formats, nor TorchScript, nor safetensors; it "
        f"starts with {start[:16]!r}"
    )


def _safetensors(source, builder):
    from stridecore.checkpoint import safetensors

    metadata, entries = safetensors.read_header(source)
    tensors = {}
    for name, entry in entries.items():
        if entry.dtype not in safetensors.DTYPES:
            raise source.error(f"there is no dtype for {entry.dtype}", name)
        dtype = getattr(stridecore, safetensors.DTYPES[entry.dtype])
        read = partial(source.storage, entry.first, entry.nbytes, f"tensor {name!r}", dtype.itemsize)
        strides, step = [], 1
        for n in reversed(entry.shape):
            strides.append(step)
            step *= n or 1
        storage = builder.storage(name, entry.nbytes, "cpu", read)
        tensors[name] = builder.tensor(storage, dtype, 0, tuple(entry.shape), tuple(reversed(strides)))
    return Found(tensors, "safetensors", metadata)


def is_safetensors(start, size):
    """Whether the first eight bytes are the length of a JSON object that follows."""
    return len(start) > 8 and int.from_bytes(start[:8], "little") <= size - 8 and start[8:9] == b"{"


def load(f, map_location=None, pickle_module=None, *, weights_only=True, mmap=None, unknown="stub", encoding="utf-8"):
    """stridecore.load."""
    check_options(pickle_module, weights_only, unknown)
    builder = EagerBuilder(restorer(map_location))
    builder.encoding = encoding_of(encoding)
    with Source(f, mapped=bool(mmap)) as source:
        try:
            return read(source, builder, unknown).value
        except Carried as carried:
            raise carried.error from None


def check_options(pickle_module, weights_only, unknown):
    if pickle_module is not None and (weights_only or getattr(pickle_module, "__name__", "") != "pickle"):
        raise RuntimeError(
            "load: can not load with a pickle_module: files are read by an interpreter that runs no code; leave it out"
        )
    if unknown not in ("stub", "error"):
        raise ValueError(f"load: unknown={unknown!r}; it is 'stub' or 'error'")


ENCODINGS = ("utf-8", "ascii", "latin-1", "bytes")


def encoding_of(name):
    """The one of ENCODINGS that a name stands for."""
    plain = name.lower().replace("-", "").replace("_", "") if isinstance(name, str) else None
    for known in (*ENCODINGS, "iso8859-1"):
        if plain == known.replace("-", ""):
            return known
    raise ValueError(f"load: encoding={name!r}; strings of Python 2 are read as {', '.join(map(repr, ENCODINGS))}")


def restorer(map_location):
    """The function (storage, location) -> storage of a map_location; None if storages stay as they are."""
    if map_location is None:
        return None
    if isinstance(map_location, dict):

        def by_location(storage, location):
            if location in map_location:
                stridecore.device(map_location[location])
            return storage

        return by_location
    if callable(map_location):

        def by_function(storage, location):
            made = map_location(storage, location)
            if made is None:
                return storage
            made = made.untyped() if isinstance(made, stridecore.TypedStorage) else made
            if not isinstance(made, stridecore.UntypedStorage) or made.nbytes() != storage.nbytes():
                raise TypeError(
                    "load: map_location must return a storage of as many bytes as it was given, or None, not "
                    f"{type(made).__name__}"
                )
            return made

        return by_function
    stridecore.device(map_location)  # raises for all but the CPU
    return None
