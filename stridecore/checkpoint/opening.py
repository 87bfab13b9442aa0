"""`open`: the tensors of a checkpoint by name, known at once and read when they are asked for."""

from collections.abc import Mapping

import stridecore
from stridecore.checkpoint.composites import MetaTensor, NestedTensor, QuantizedTensor, SparseTensor
from stridecore.checkpoint.lazy import LazyStorage, LazyTensor
from stridecore.checkpoint.nesting import DICTS
from stridecore.checkpoint.reading import read
from stridecore.checkpoint.rebuild import LazyBuilder
from stridecore.checkpoint.source import Source
from stridecore.checkpoint.stubs import Stub

__all__ = ["Checkpoint", "open"]

COMPOSITES = (QuantizedTensor, SparseTensor, NestedTensor, MetaTensor)
MODULE_PARTS = ("_parameters", "_buffers", "_modules")


class Checkpoint(Mapping):
    """The tensors of a file by name: a mapping of str to LazyTensor.

    Names are the path to a tensor: keys, positions and attributes, joined by dots; a module's parameters have the names
    that its state_dict would give. `object` is the whole object, with LazyTensors in it; `format` says how the file is
    written, `metadata` what a safetensors file tells about itself. `load()` reads all tensors. The file stays open
    until `close()`, or the end of a `with`, or as long as a tensor that isn't loaded refers to it.
    """

    __module__ = "stridecore.checkpoint"

    def __init__(self, source, unknown="stub"):
        self._source = source
        self.name = source.name
        self.nbytes_of_file = source.size
        found = read(source, LazyBuilder(), unknown)
        self.object = found.value
        self.format = found.format
        self.metadata = found.metadata
        self._tensors = named_tensors(found.value)

    def __getitem__(self, name):
        return self._tensors[name]

    def __iter__(self):
        return iter(self._tensors)

    def __len__(self):
        return len(self._tensors)

    def load(self):
        """A dict of all tensors by name. Those that share a storage in the file share it here."""
        kept = [tensor.storage.load() for tensor in self._tensors.values()]
        loaded = {name: tensor.load() for name, tensor in self._tensors.items()}
        del kept
        return loaded

    def close(self):
        """Close the file; what is loaded stays, and mapped tensors can still be loaded."""
        self._source.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __repr__(self):
        return f"<Checkpoint {self.name!r}: {self.format}, {len(self)} tensors>"


def open(f, *, mmap=True, unknown="stub"):
    """A Checkpoint of a file: its tensors by name, with dtype, shape, stride and storage, before any data is read.

    `f` and `unknown` are those of stridecore.load. With `mmap` (the default) loading a tensor maps it where it is
    stored and aligned; its data is read when it is touched, and changes stay in memory: that of this Checkpoint, so a
    tensor that is loaded from it again shows them. See load for what happens to mapped tensors when another process
    truncates the file.

    >>> import io
    >>> import stridecore as sc
    >>> from stridecore import checkpoint
    >>> f = io.BytesIO()
    >>> sc.save({"model": {"w": sc.arange(6).view(2, 3).t()}}, f)
    >>> _ = f.seek(0)
    >>> with checkpoint.open(f) as opened:
    ...     opened["model.w"], opened["model.w"].stride(), opened["model.w"].load()
    (LazyTensor(shape=(3, 2), dtype=stridecore.int64), (1, 3), tensor([[0, 3],
            [1, 4],
            [2, 5]]))
    """
    source = Source(f, mapped=mmap)
    try:
        return Checkpoint(source, unknown)
    except BaseException:
        source.close()
        raise


def named_tensors(root):
    """{name: LazyTensor} of all tensors in an object; a container that is reached twice is listed once."""
    named, seen = {}, set()
    pending = [("", root)]
    while pending:
        name, value = pending.pop()
        if type(value) is LazyTensor or isinstance(value, stridecore.Tensor):
            value = value if type(value) is LazyTensor else _as_lazy(value)
            name = name or "tensor"
            unique, n = name, 1
            while unique in named:
                n += 1
                unique = f"{name}#{n}"
            named[unique] = value
        elif id(value) not in seen:
            parts = _parts(value)
            if parts:
                seen.add(id(value))
                prefix = f"{name}." if name else ""
                pending += [(prefix + str(key) if key != "" else name, part) for key, part in reversed(parts)]
    return named


def _parts(value):
    """[(key, value)] of what a container has; the key "" stands for the container's own name."""
    kind = type(value)
    if kind in DICTS:
        return [(key if isinstance(key, str | int) else repr(key)[:80], part) for key, part in value.items()]
    if kind is list or kind is tuple:
        return list(enumerate(value))
    if kind is QuantizedTensor:
        return [("" if key == "int_repr" else key, part) for key, part in value.parts().items()]
    if kind in COMPOSITES:
        return list(value.parts().items())
    if kind is Stub:
        parts = [("" if key in MODULE_PARTS else key, part) for key, part in value.attributes.items()]
        if not parts and value.state is not None:
            parts = [("state", value.state)]
        rest = (("args", value.args), ("kwargs", value.kwargs), ("items", value.items), ("entries", value.entries))
        return parts + [(key, part) for key, part in rest if part]
    return []


def _as_lazy(tensor):
    storage = tensor.untyped_storage()
    lazy = LazyStorage("", storage.nbytes(), "cpu", lambda: storage)
    return LazyTensor(lazy, tensor.dtype, tensor.storage_offset(), tuple(tensor.size()), tensor.stride())
