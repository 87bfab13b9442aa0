"""`load`, and which format a file has: told from its content, never from its name."""

import stridecore
from stridecore.checkpoint.archive import Archive, is_zip
from stridecore.checkpoint.container import Container
from stridecore.checkpoint.known import TORCH
from stridecore.checkpoint.legacy import Legacy, is_legacy
from stridecore.checkpoint.rebuild import EagerBuilder
from stridecore.checkpoint.source import Source

__all__ = ["load"]


def read(source, builder, unknown):
    """(the object in a source, the name of its format)."""
    start = source.read(0, min(source.size, 512), "the start")
    if is_zip(start):
        archive = Archive(source)
        container = Container(archive, TORCH)
        return container.load(builder, unknown), "torch zip"
    if is_legacy(start):
        legacy = Legacy(source, unknown)
        value = legacy.load(builder)
        source.seek(legacy.end)
        return value, "torch legacy"
    if is_safetensors(start, source.size):
        raise source.error("safetensors files can't be read yet")
    if source.size == 0:
        raise source.error("the file is empty")
    raise source.error(
        "no checkpoint that is known: neither torch's zip or older formats, nor TorchScript, nor safetensors; it "
        f"starts with {start[:16]!r}"
    )


def is_safetensors(start, size):
    """Whether the first eight bytes are the length of a JSON object that follows."""
    return len(start) > 8 and int.from_bytes(start[:8], "little") <= size - 8 and start[8:9] == b"{"


def load(f, map_location=None, pickle_module=None, *, weights_only=True, mmap=None, unknown="stub"):
    """stridecore.load."""
    check_options(pickle_module, weights_only, unknown)
    with Source(f, mapped=bool(mmap)) as source:
        return read(source, EagerBuilder(restorer(map_location)), unknown)[0]


def check_options(pickle_module, weights_only, unknown):
    if pickle_module is not None and (weights_only or getattr(pickle_module, "__name__", "") != "pickle"):
        raise RuntimeError(
            "load: can not load with a pickle_module: files are read by an interpreter that runs no code; leave it out"
        )
    if unknown not in ("stub", "error"):
        raise ValueError(f"load: unknown={unknown!r}; it is 'stub' or 'error'")


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
