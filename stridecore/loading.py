"""`load`: the door to stridecore.checkpoint.reading, which is loaded at the first call."""

__all__ = ["load"]


def load(f, map_location=None, pickle_module=None, *, weights_only=True, mmap=None, unknown="stub", encoding="utf-8"):
    """The object that torch.save put into a file: zip and older formats, TorchScript archives, safetensors.

    `f` is a path or a binary file object that can seek. Tensors have the saved sizes, strides, offsets, conj bits and
    shared storages; parameters and buffers are tensors, quantised, sparse and nested tensors objects with their parts,
    numbers, strings, containers, NumPy values what they were. Of a TorchScript archive the tensors and attributes are
    given by name, the constants of its code as "CONSTANTS.c0" and so on. All tensors are in the CPU's memory, wherever
    they were; `map_location` may be a device of the CPU, a dict, or a function (storage, location) -> storage or None.

    Nothing that a file says is run and nothing that it names is imported. Objects of other classes become inert stubs
    with `module`, `name`, `args`, `state`; with unknown="error" such files are refused. `weights_only=False` makes no
    difference: there is no mode that runs code. What can't be read is a stridecore.checkpoint.CheckpointError, a kind
    of pickle.UnpicklingError.

    `encoding` is that of the strings in files that Python 2 wrote: "utf-8", "ascii", "latin-1", or "bytes", which
    leaves them bytes; strings that it does not fit stay bytes as well.

    With mmap=True the bytes of stored records are mapped instead of read, where they are aligned and `f` is a path or a
    plain file. Writes to such tensors stay in memory. The memory is the file's: if another process truncates it, the
    system ends a program that touches what was cut off (SIGBUS); replacing the file by renaming is safe.

    >>> import io
    >>> import stridecore as sc
    >>> sc.load(io.BytesIO(b"no checkpoint"))
    Traceback (most recent call last):
    stridecore.checkpoint.CheckpointError: <BytesIO>: no checkpoint that is known: neither torch's zip or older \
formats, nor TorchScript, nor safetensors; it starts with b'no checkpoint'
    """
    from stridecore.checkpoint.reading import load as read

    return read(
        f, map_location, pickle_module, weights_only=weights_only, mmap=mmap, unknown=unknown, encoding=encoding
    )
