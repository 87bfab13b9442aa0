"""One checkpoint format into another: `python -m stridecore.checkpoint FILE --convert OUT`.

The source is mapped and each tensor copied once, from the file to the new one, so memory use stays small. The name's
suffix says what is written:

    .safetensors   all tensors by name; those that share memory are written each by itself
    .npz           the same for NumPy, bfloat16 and float8 as float32, complex32 as complex64
    .pt .pth .ckpt .bin   PyTorch's zip format: the object itself, or the tensors by name if it has unknown classes
"""

import os
import sys
import time
from pickle import PicklingError

import stridecore
from stridecore import checkpoint
from stridecore.checkpoint import safetensors, zip_writer
from stridecore.checkpoint.storages import Storages
from stridecore.checkpoint.write import archive, pickled, replace_file, write_more

__all__ = ["convert"]

PYTORCH = (".pt", ".pth", ".ckpt", ".bin")
NPZ_NAME_BYTES = 65000  # a zip record's name has at most 65535, .npy and all
IN_NUMPY = {"bfloat16": "float32", "complex32": "complex64"}  # and float8


class Progress:
    """A bar of `total` bytes on standard error; silent where that is no terminal."""

    WIDTH = 30

    def __init__(self, total, stream=None):
        self.total, self.done = max(total, 1), 0
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty()
        self.shown = 0.0

    def add(self, nbytes):
        self.done = min(self.done + nbytes, self.total)
        now = time.monotonic()
        if self.live and (now - self.shown > 0.05 or self.done == self.total):
            self.shown = now
            filled = self.WIDTH * self.done // self.total
            bar = "#" * filled + "." * (self.WIDTH - filled)
            mib = f"{self.done / 2**20:.1f}/{self.total / 2**20:.1f} MiB"
            print(f"\r[{bar}] {100 * self.done // self.total:3d}%  {mib}", end="", file=self.stream, flush=True)

    def close(self):
        if self.live and self.shown:
            print(file=self.stream, flush=True)


def convert(source, out, stream=None):
    """Convert the file `source` to `out`; returns a line that says what was written.

    ValueError for an unknown suffix, CheckpointError for a source that can't be read, TypeError for tensors that the
    new format can't hold.
    """
    suffix = os.path.splitext(os.fsdecode(out))[1].lower()
    write = {".safetensors": to_safetensors, ".npz": to_npz, **dict.fromkeys(PYTORCH, to_pytorch)}.get(suffix)
    if write is None:
        raise ValueError(f"--convert: {suffix or 'no suffix'} is none of .safetensors, .npz, {', '.join(PYTORCH)}")
    with checkpoint.open(source) as opened:
        tensors = opened.load()
        total = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
        progress = Progress(total, stream)
        try:
            note = write(opened, tensors, out, progress)
        finally:
            progress.close()
    return f"{os.fsdecode(out)}: {len(tensors)} tensors of {total} bytes{note}"


def to_safetensors(opened, tensors, out, progress):
    header, ordered = safetensors.layout(tensors, opened.metadata, "copy")

    def write_all(write):
        write(header)
        for tensor in ordered:
            data = safetensors.contiguous_bytes(tensor)
            write(data)
            progress.add(len(data))

    replace_file(out, lambda descriptor: write_all(lambda data: write_more(descriptor, data)), write_all)
    storages = {tensor.untyped_storage()._cdata for tensor in tensors.values() if tensor.numel()}
    full = sum(1 for tensor in tensors.values() if tensor.numel())
    return f"; {full - len(storages)} shared storages with others and are copies now" if len(storages) < full else ""


def to_pytorch(opened, tensors, out, progress):
    note = ""
    storages = Storages()
    try:
        data = pickled(checkpoint.load(opened.name, mmap=True), storages, 2, False)
    except PicklingError:
        note = ", by name: the object has classes that are not known here"
        storages = Storages()
        data = pickled(tensors, storages, 2, False)
    entries = zip_writer.plan(archive(data, storages.records))
    progress.total = max(sum(entry.nbytes for entry in entries), 1)
    replace_file(
        out,
        lambda descriptor: zip_writer.write_to_descriptor(entries, descriptor, progress.add),
        lambda write: zip_writer.write_to_stream(entries, write),
    )
    return note


def to_npz(opened, tensors, out, progress):
    import zipfile

    import numpy

    def write_all(file):
        with zipfile.ZipFile(file, "w") as made:
            for name, tensor in tensors.items():
                if "\0" in name or len(name.encode()) > NPZ_NAME_BYTES:
                    raise ValueError(
                        f"--convert: an .npz file can't have the name {name[:40]!r} of {len(name)} characters"
                    )
                info = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
                with made.open(info, "w", force_zip64=True) as record:
                    numpy.lib.format.write_array(record, as_array(tensor), allow_pickle=False)
                progress.add(tensor.numel() * tensor.element_size())

    def to_descriptor(descriptor):
        with os.fdopen(os.dup(descriptor), "wb") as file:
            write_all(file)

    def to_stream(write):
        import io

        file = io.BytesIO()
        write_all(file)
        write(file.getbuffer())

    replace_file(out, to_descriptor, to_stream)
    changed = sum(1 for tensor in tensors.values() if numpy_name(tensor.dtype) != tensor.dtype.name)
    return f"; {changed} in dtypes that NumPy has not are float32 or complex64 now" if changed else ""


def numpy_name(dtype):
    return "float32" if dtype.name.startswith("float8") else IN_NUMPY.get(dtype.name, dtype.name)


def as_array(tensor):
    return tensor.resolve_conj().resolve_neg().to(getattr(stridecore, numpy_name(tensor.dtype))).numpy()
