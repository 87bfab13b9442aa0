"""The tensors of a checkpoint as lines of a table, and as values for JSON."""

__all__ = ["as_table", "as_values", "printable"]

COLUMNS = ("name", "dtype", "shape", "stride", "storage", "offset", "bytes")
RIGHT = (5, 6)  # columns of numbers
WIDEST = 60  # of the first column, at most


def as_values(checkpoint):
    """A dict of plain values: about the file, and one dict a tensor."""
    tensors = [
        {
            "name": name,
            "dtype": tensor.dtype.name,
            "shape": list(tensor.shape),
            "stride": list(tensor.stride()),
            "storage_offset": tensor.storage_offset(),
            "conj": tensor.is_conj(),
            "neg": tensor.is_neg(),
            "nbytes": tensor.nbytes,
            "storage": tensor.storage.key,
            "storage_nbytes": tensor.storage.nbytes(),
            "location": tensor.storage.location,
        }
        for name, tensor in checkpoint.items()
    ]
    return {
        "file": checkpoint.name,
        "format": checkpoint.format,
        "metadata": checkpoint.metadata,
        "tensors": tensors,
        "numel": sum(tensor.numel() for tensor in checkpoint.values()),
        "storage_nbytes": _storage_bytes(checkpoint),
    }


def as_table(checkpoint):
    """The lines of the table, and a sum below it."""
    rows = [COLUMNS, *(_row(name, tensor) for name, tensor in checkpoint.items())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    widths[0] = min(widths[0], WIDEST)
    for row in rows:
        cells = (
            cell.rjust(width) if column in RIGHT else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
    count = sum(tensor.numel() for tensor in checkpoint.values())
    storages = len({id(tensor.storage) for tensor in checkpoint.values()})
    yield (
        f"{len(checkpoint)} tensors of {count:,} elements on {storages} storages of "
        f"{_readable(_storage_bytes(checkpoint))}, {checkpoint.format}"
    )
    for key, value in (checkpoint.metadata or {}).items():
        yield f"{printable(key)}: {printable(value)}"


def _row(name, tensor):
    strides, step = [], 1
    for n in reversed(tensor.shape):
        strides.append(step)
        step *= n or 1
    contiguous = tensor.stride() == tuple(reversed(strides))
    bits = ("*" if tensor.is_conj() else "") + ("-" if tensor.is_neg() else "")
    return (
        printable(name),
        tensor.dtype.name + bits,
        "x".join(map(str, tensor.shape)) or "scalar",
        "" if contiguous else ",".join(map(str, tensor.stride())),
        printable(tensor.storage.key),
        str(tensor.storage_offset()),
        f"{tensor.nbytes:,}",
    )


def _storage_bytes(checkpoint):
    return sum({id(tensor.storage): tensor.storage.nbytes() for tensor in checkpoint.values()}.values())


def _readable(nbytes):
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if nbytes < 1024 or unit == "GiB":
            return f"{nbytes:,} {unit}" if unit == "bytes" else f"{nbytes:,.1f} {unit}"
        nbytes /= 1024
    return None


def printable(text):
    """Text of a file for a terminal: control characters are shown as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
