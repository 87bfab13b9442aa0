"""Tensors and storages of a file that are known and not yet read: what `open` gives.

They have the questions of a Tensor that its layout answers, and `load()`, which gives the tensor itself. Tensors of one
storage share it when they are loaded, for as long as one of them lives.
"""

import weakref

import stridecore

__all__ = ["LazyStorage", "LazyTensor"]


class LazyStorage:
    """The bytes under tensors of a file: `key`, `nbytes()`, `location` (the device it was saved from), `load()`."""

    __slots__ = ("_loaded", "_nbytes", "_read", "key", "location")

    def __init__(self, key, nbytes, location, read):
        self.key = key
        self.location = location
        self._nbytes = nbytes
        self._read = read
        self._loaded = None

    def nbytes(self):
        """The length in bytes."""
        return self._nbytes

    def load(self):
        """The UntypedStorage; CheckpointError if the file doesn't have its bytes."""
        loaded = self._loaded and self._loaded()
        if loaded is None:
            loaded = self._read()
            self._loaded = weakref.ref(loaded)
        return loaded

    def __repr__(self):
        return f"LazyStorage({self.key!r}, {self._nbytes} bytes)"


class LazyTensor:
    """A tensor of a file: `dtype`, `shape`, `stride()`, `storage_offset()`, `nbytes`, `storage`; `load()` reads it.

    `x[...]` loads and indexes. It never changes; what is loaded is a Tensor like others.
    """

    __slots__ = ("_bits", "_offset", "_size", "_storage", "_stride", "dtype")

    def __init__(self, storage, dtype, offset, size, stride, bits=()):
        self.dtype = dtype
        self._size = size
        self._storage = storage
        self._offset = offset
        self._stride = stride
        self._bits = bits

    @property
    def shape(self):
        """The sizes, a stridecore.Size."""
        return stridecore.Size(self._size)

    @property
    def storage(self):
        """The LazyStorage under the tensor; tensors that share it have the same one."""
        return self._storage

    @property
    def nbytes(self):
        """The bytes of its elements, whatever its storage holds besides."""
        return self.shape.numel() * self.dtype.itemsize

    @property
    def ndim(self):
        """The number of dims."""
        return len(self._size)

    def dim(self):
        """The number of dims."""
        return len(self._size)

    def size(self, dim=None):
        """The shape, or the size of one dim."""
        return self.shape if dim is None else self.shape[dim]

    def stride(self, dim=None):
        """The strides in elements, or that of one dim."""
        return self._stride if dim is None else self._stride[dim]

    def storage_offset(self):
        """The distance of the first element from the storage's start, in elements."""
        return self._offset

    def numel(self):
        """The number of elements."""
        return self.shape.numel()

    def element_size(self):
        """The bytes of one element."""
        return self.dtype.itemsize

    def is_conj(self):
        """Whether the values are to be conjugated when they are read."""
        return "conj" in self._bits

    def is_neg(self):
        """Whether the values are to be negated when they are read."""
        return "neg" in self._bits

    def load(self):
        """The Tensor, over its storage, which is read or mapped now if it isn't loaded."""
        return place(self._storage.load(), self.dtype, self._offset, self._size, self._stride, self._bits)

    def __getitem__(self, key):
        return self.load()[key]

    def __array__(self, dtype=None, copy=None):
        array = self.load().numpy()
        return array if dtype is None else array.astype(dtype)

    def __repr__(self):
        return f"LazyTensor(shape={tuple(self.shape)}, dtype={self.dtype})"


def place(storage, dtype, offset, size, stride, bits=()):
    """The Tensor over a storage; the geometry was checked against it, and is checked again by the core."""
    made = stridecore.empty(0, dtype=dtype).set_(storage, offset, size, stride)
    if bits:
        if "conj" in bits:
            made = made.conj()
        if "neg" in bits:
            made = made._neg_view()
        made = made.detach()  # as it was saved: nobody's view
    return made
