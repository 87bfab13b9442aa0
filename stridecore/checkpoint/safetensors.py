"""The safetensors format: named tensors in one flat file, read by mapping it.

    | n: 8 bytes, little-endian | n bytes of JSON: {name: {dtype, shape, data_offsets}} | data, without holes |

Files written here: the JSON lists the names in the order of the dict; spaces after it make the data start at a multiple
of 64; tensors of large elements come first in the data, so that each is aligned to its elements.

The format knows contiguous tensors that share nothing. Reading gives every tensor a storage of its own over its part of
the mapping. Writing makes views contiguous; of tensors that share memory it needs to be told that copies will do.
"""

import json
import struct
from collections.abc import Mapping
from itertools import pairwise

import stridecore
from stridecore.checkpoint import limits
from stridecore.checkpoint.storages import stretch

__all__ = ["SafeFile", "load", "load_file", "safe_open", "save", "save_file"]

DTYPES = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "I16": "int16",
    "U16": "uint16",
    "I32": "int32",
    "U32": "uint32",
    "I64": "int64",
    "U64": "uint64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
    "C64": "complex64",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
    "F8_E4M3FNUZ": "float8_e4m3fnuz",
    "F8_E5M2FNUZ": "float8_e5m2fnuz",
    "F8_E8M0": "float8_e8m0fnu",
}  # the format's names and ours
NAMES = {ours: name for name, ours in DTYPES.items()}
PACKED_BITS = {"F4": 4, "F6_E2M3": 6, "F6_E3M2": 6}  # of the format, without a dtype here: elements smaller than a byte
ALIGNMENT = 64
METADATA = "__metadata__"


# ---- reading ------------------------------------------------------------------------------------------------


class Entry:
    """What the header says of one tensor: dtype (the format's name), shape, first byte in the file and their number."""

    __slots__ = ("dtype", "first", "nbytes", "shape")

    def __init__(self, dtype, shape, first, nbytes):
        self.dtype, self.shape, self.first, self.nbytes = dtype, shape, first, nbytes


def load_file(filename, device="cpu", *, mmap=True):
    """The tensors of a safetensors file, by name, in the order of its header.

    With `mmap` they lie in the file, mapped copy-on-write: nothing is read before it is touched, and what is written
    to them stays in memory. A program that touches a mapped tensor after another process has truncated the file is
    ended by the system. `filename` is a path or a binary file object that can seek.

    CheckpointError for what is no safetensors file, or a damaged one.

    >>> import os, tempfile, stridecore as sc
    >>> from stridecore.checkpoint import safetensors
    >>> path = os.path.join(tempfile.mkdtemp(), "a.safetensors")
    >>> safetensors.save_file({"x": sc.arange(3)}, path)
    >>> safetensors.load_file(path)
    {'x': tensor([0, 1, 2])}
    """
    with SafeFile(filename, device, mmap) as f:
        return f.get_tensors()


def load(data):
    """The tensors of a safetensors file given as bytes, by name: copies, in storages of their own.

    >>> import stridecore as sc
    >>> from stridecore.checkpoint import safetensors
    >>> safetensors.load(safetensors.save({"x": sc.ones(2)}))["x"]
    tensor([1., 1.])
    """
    import io

    return load_file(io.BytesIO(data), mmap=False)


def safe_open(filename, framework="stridecore", device="cpu", *, mmap=True):
    """A safetensors file whose tensors are made when they are asked for: a SafeFile, for use in a with statement.

    `framework` is there for programs written for safetensors' safe_open; the tensors are stridecore's.
    """
    return SafeFile(filename, device, mmap)


class SafeFile(Mapping):
    """An open safetensors file: a mapping of names to tensors, made when they are asked for.

    >>> import io, stridecore as sc
    >>> from stridecore.checkpoint import safetensors
    >>> data = safetensors.save({"x": sc.arange(6).view(2, 3)}, {"step": "7"})
    >>> with safetensors.safe_open(io.BytesIO(data)) as f:
    ...     list(f.keys()), f.metadata(), f.get_slice("x")[1:, :2]
    (['x'], {'step': '7'}, tensor([[3, 4]]))
    """

    def __init__(self, filename, device="cpu", mmap=True):
        from stridecore.checkpoint.source import Source

        stridecore.device(device)
        self._source = Source(filename, mmap)
        try:
            self._metadata, self._entries = read_header(self._source)
        except BaseException:
            self._source.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._source.close()

    def metadata(self):
        """The texts under `__metadata__`, a dict, or None."""
        return None if self._metadata is None else dict(self._metadata)

    def offset_keys(self):
        """The names in the order of the data."""
        return sorted(self._entries, key=lambda name: (self._entries[name].first, self._entries[name].nbytes))

    def entry(self, name):
        """Where a tensor is and what it is: an Entry."""
        found = self._entries.get(name)
        if found is None:
            raise KeyError(f"{self._source.name} has no tensor {name!r}")
        return found

    def get_tensor(self, name):
        """A tensor over the mapping, or read, if the file isn't mapped; KeyError for an unknown name."""
        entry = self.entry(name)
        if entry.dtype not in DTYPES:
            raise self._source.error(f"there is no dtype for {entry.dtype}, of which {name!r} is", name)
        dtype = getattr(stridecore, DTYPES[entry.dtype])
        storage = self._source.storage(entry.first, entry.nbytes, f"tensor {name!r}", alignment=dtype.itemsize)
        return stridecore.empty(0, dtype=dtype).set_(storage, 0, entry.shape)

    def get_slice(self, name):
        """A tensor to be indexed, with get_shape() and get_dtype(); only what is touched of a mapped one is read."""
        return Slice(self, name)

    def get_tensors(self):
        """All tensors by name, in the order of the header; those of a file that isn't mapped are read front to back."""
        tensors = dict.fromkeys(self._entries)
        for name in self.offset_keys():
            tensors[name] = self.get_tensor(name)
        return tensors

    __getitem__ = get_tensor

    def __contains__(self, name):
        return name in self._entries

    def __iter__(self):
        return iter(self._entries)

    def __len__(self):
        return len(self._entries)

    def __repr__(self):
        return f"<SafeFile {self._source.name!r}: {len(self)} tensors>"


class Slice:
    """A tensor of a SafeFile, made when it is indexed."""

    def __init__(self, file, name):
        self._file, self._name = file, name
        self._entry = file.entry(name)

    def get_shape(self):
        """The sizes, as a list."""
        return list(self._entry.shape)

    def get_dtype(self):
        """The format's name of the dtype, such as "F32"."""
        return self._entry.dtype

    def __getitem__(self, index):
        return self._file.get_tensor(self._name)[index]


def read_header(source):
    """(metadata or None, {name: Entry}); every number in it fits the file."""
    if source.size < 8:
        raise source.error(f"{source.size} bytes are too few for a safetensors file")
    (length,) = struct.unpack("<Q", source.read(0, 8, "the header's length"))
    if length > limits.SAFETENSORS_HEADER_BYTES:
        raise source.error(f"a header of {length} bytes; the limit is {limits.SAFETENSORS_HEADER_BYTES}", "header")
    if length > source.size - 8:
        raise source.error(f"a header of {length} bytes in a file of {source.size}", "header")
    text = source.read(8, length, "the header")
    header = parsed(source, text)
    metadata = header.pop(METADATA, None)
    if metadata is not None and not (type(metadata) is dict and all(type(value) is str for value in metadata.values())):
        raise source.error(f"{METADATA} is not a mapping of strings to strings", "header")
    if len(header) > limits.TENSORS:
        raise source.error(f"{len(header)} tensors; the limit is {limits.TENSORS}", "header")
    data = 8 + length
    entries = {name: checked(source, name, entry, data) for name, entry in header.items()}
    at = data
    for name, entry in sorted(entries.items(), key=lambda item: (item[1].first, item[1].nbytes)):
        if entry.first != at:
            raise source.error(
                f"its data begin at byte {entry.first - data}, not at {at - data}: data overlap or leave a hole", name
            )
        at += entry.nbytes
    if at != source.size:
        raise source.error(f"the tensors end at byte {at} of a file of {source.size}")
    return metadata, entries


def parsed(source, text):
    """The JSON object that the header must be."""
    if not text.startswith(b"{"):
        raise source.error("the header does not begin with {", "header")

    def pairs(items):
        made = dict(items)
        if len(made) != len(items):
            raise ValueError("a name stands twice")
        return made

    def refuse(number):
        raise ValueError(f"{number[:20]} is not a number of this format")

    def integer(number):
        return int(number) if len(number) <= 19 else refuse(number)

    try:
        header = json.loads(
            text.decode("utf-8"), object_pairs_hook=pairs, parse_int=integer, parse_float=refuse, parse_constant=refuse
        )
    except (ValueError, RecursionError) as error:
        raise source.error(f"the header is not sound JSON: {error}", "header") from None
    if type(header) is not dict:
        raise source.error("the header is not a JSON object", "header")
    return header


def checked(source, name, entry, data):
    """The Entry of what the header says of one tensor; `data` is where the data begin in the file."""
    if type(entry) is not dict or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise source.error("it must have dtype, shape and data_offsets, and nothing else", name)
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if type(dtype) is not str or not (dtype in DTYPES or dtype in PACKED_BITS):
        raise source.error(f"the format has no dtype {str(dtype)[:40]!r}", name)
    if type(shape) is not list or len(shape) > limits.DIMS or not all(type(n) is int and n >= 0 for n in shape):
        raise source.error(f"its shape is not a list of at most {limits.DIMS} sizes", name)
    if type(offsets) is not list or len(offsets) != 2 or not all(type(n) is int and n >= 0 for n in offsets):
        raise source.error("its data_offsets are not two offsets", name)
    bits = PACKED_BITS.get(dtype) or 8 * getattr(stridecore, DTYPES[dtype]).itemsize
    extent = 1
    for size in shape:
        bits *= size
        extent *= max(size, 1)  # what strides are made of, also beside a size of 0
        if extent >= 1 << 62:
            raise source.error("its sizes overflow 64 bits", name)
    first, end = offsets
    if not first <= end <= source.size - data:
        raise source.error(f"its data, bytes {first} to {end}, are not inside the file's {source.size - data}", name)
    if bits != 8 * (end - first):
        raise source.error(
            f"shape {shape} of {dtype} takes {bits / 8:g} bytes, but data_offsets give it {end - first}", name
        )
    return Entry(dtype, shape, data + first, end - first)


# ---- writing ------------------------------------------------------------------------------------------------


def save_file(tensors, filename, metadata=None, *, shared="error"):
    """Write a dict of tensors by name to a safetensors file; `metadata` is a dict of strings, or None.

    The file is complete or not there, as with stridecore.save; `filename` may be an object with `write` too. Views are
    written as contiguous tensors, lazy bits are resolved. Tensors that share memory would not share it after loading,
    so they are a RuntimeError; with `shared="copy"` each is written by itself.

    TypeError for dtypes that the format has not (complex32, complex128) and for what is no tensor.
    """
    from stridecore.checkpoint.write import as_path, into_stream, replace_file, write_more

    path = as_path(filename)
    header, ordered = layout(tensors, metadata, shared)

    def write_all(write):
        write(header)
        for tensor in ordered:
            write(contiguous_bytes(tensor))

    if path is None:
        into_stream(filename, write_all)
    else:
        replace_file(path, lambda descriptor: write_all(lambda data: write_more(descriptor, data)), write_all)


def save(tensors, metadata=None, *, shared="error"):
    """What save_file writes, as bytes."""
    import io

    f = io.BytesIO()
    save_file(tensors, f, metadata, shared=shared)
    return f.getvalue()


def layout(tensors, metadata, shared):
    """(the header's bytes, the tensors in the order of the data)."""
    if shared not in ("error", "copy"):
        raise ValueError(f'save_file: shared must be "error" or "copy", got {shared!r}')
    if not isinstance(tensors, Mapping):
        raise ValueError(f"save_file: expected a dict of [str, stridecore.Tensor] but received {type(tensors)}")
    header = {}
    if metadata is not None:
        if not all(type(text) is str for pair in metadata.items() for text in pair):
            raise TypeError("save_file: metadata must be a dict of strings to strings")
        header[METADATA] = dict(metadata)
    for name, tensor in tensors.items():
        if not isinstance(name, str):
            raise TypeError(f"save_file: names must be str, got {name!r}")
        if name == METADATA:
            raise ValueError(f"save_file: {METADATA!r} can't be the name of a tensor")
        if not isinstance(tensor, stridecore.Tensor):
            raise TypeError(f"save_file: {name!r} is no stridecore.Tensor but {type(tensor).__name__}")
        if tensor.dtype.name not in NAMES:
            raise TypeError(f"save_file: {name!r} has dtype {tensor.dtype}, which safetensors has not")
    if shared == "error":
        refuse_sharing(tensors)
    order = sorted(tensors, key=lambda name: -tensors[name].element_size())  # stable: otherwise as they come
    at = 0
    offsets = {}
    for name in order:
        end = at + tensors[name].numel() * tensors[name].element_size()
        offsets[name] = [at, end]
        at = end
    for name, tensor in tensors.items():
        header[name] = {"dtype": NAMES[tensor.dtype.name], "shape": list(tensor.shape), "data_offsets": offsets[name]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    if len(text) > limits.SAFETENSORS_HEADER_BYTES:
        raise ValueError(
            f"save_file: the header takes {len(text)} bytes; the format's limit is {limits.SAFETENSORS_HEADER_BYTES}"
        )
    return struct.pack("<Q", len(text)) + text, [tensors[name] for name in order]


def refuse_sharing(tensors):
    """RuntimeError if stretches of two tensors overlap in one storage."""
    by_storage = {}
    for name, tensor in tensors.items():
        if tensor.numel():
            by_storage.setdefault(tensor.untyped_storage()._cdata, []).append((*stretch(tensor), name))
    for stretches in by_storage.values():
        stretches.sort()
        for (_, end, name), (first, _, other) in pairwise(stretches):
            if first < end:
                raise RuntimeError(
                    f"save_file: {name!r} and {other!r} share memory and would not after loading; pass "
                    'shared="copy" to write each by itself, leave one out, or use stridecore.save'
                )


def contiguous_bytes(tensor):
    """The elements in order, as bytes: of the tensor's own memory where they lie so."""
    tensor = tensor.resolve_conj().resolve_neg().contiguous()
    first, end = stretch(tensor)
    memory = memoryview(tensor.untyped_storage())
    return memory[first : first + tensor.numel() * tensor.element_size()] if end > first else b""
