"""`StorageBytes`: what UntypedStorage does with its bytes: reading, writing, copying, resizing, exporting them."""
cimport cython
from cpython.bool cimport PyBool_Check
from cpython.buffer cimport PyBuffer_FillInfo
from cpython.long cimport PyLong_Check
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memmove, memset

from stridecore.core cimport engine
from stridecore.core.engine cimport *
from stridecore.core.storage cimport *
from stridecore.core.storage_faces cimport TypedStorageImpl


cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object, int *) except? -1

# From this many bytes on, copies and fills let go of the GIL.
cdef enum:
    GIL_NBYTES = 65536

cdef char NOTHING = 0    # what an export of no bytes points to


cdef bint is_scalar_index(object value):
    """True for an int and for NumPy's int scalars, which have an index but no items."""
    return PyLong_Check(value) or (hasattr(value, "__index__") and not hasattr(value, "__len__"))


cdef int64_t index_of(object value) except? -1:
    cdef int beyond = 0
    cdef int64_t number = PyLong_AsLongLongAndOverflow(value.__index__(), &beyond)
    if beyond:
        raise ValueError(f"Overflow when unpacking long long: {value} does not fit in 64 bits")
    return number


cdef uint8_t as_byte(object value, str refusal) except? 255:
    """The low 8 bits of an int."""
    cdef int beyond = 0
    if not PyLong_Check(value):
        raise RuntimeError(f"{refusal} {type(value).__name__}")
    cdef int64_t number = PyLong_AsLongLongAndOverflow(value, &beyond)
    if beyond:
        raise ValueError(f"Overflow when unpacking long long: {value} does not fit in 64 bits")
    return <uint8_t>number


cdef tuple slice_bounds(StorageImpl storage, object index):
    """(start, stop) of a slice with step 1, 0 <= start <= stop <= nbytes."""
    cdef int64_t nbytes = storage._nbytes
    start, stop, step = index.indices(nbytes)
    if storage._nbytes != nbytes:    # the bounds' own __index__ can do that
        raise RuntimeError(f"the storage was resized from {nbytes} to {storage._nbytes} bytes by its index")
    if step != 1:
        raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
    return start, max(start, stop)


cdef int copy_bytes(sc_block *to, sc_block *source, int64_t nbytes) except -1:
    """The blocks may overlap (slices of one storage)."""
    if nbytes < GIL_NBYTES:
        if nbytes:
            memmove(to.data, source.data, <size_t>nbytes)
        return 0
    engine.block_retain(to)
    engine.block_retain(source)
    with nogil:
        memmove(to.data, source.data, <size_t>nbytes)
    engine.block_release(to)
    engine.block_release(source)
    return 0


cdef inline int storage_writable(StorageImpl storage, str function) except -1:
    if storage.flags & READONLY:
        refuse_readonly(function)
    return 0


@cython.no_gc
cdef class StorageBytes(StorageImpl):
    """A storage as bytes."""

    def __getitem__(self, index):
        cdef int64_t place, start, stop
        if isinstance(index, slice):
            start, stop = slice_bounds(self, index)
            return storage_slice(self, start, stop - start)
        if PyBool_Check(index) or not is_scalar_index(index):
            raise TypeError(f"can't index a stridecore.UntypedStorage with {type(index).__name__}; "
                            "use an int or a slice")
        place = index_of(index)
        if place < 0:
            place += self._nbytes
        if not 0 <= place < self._nbytes:
            raise IndexError(f"index {index} out of range for storage of size {self._nbytes}")
        return (<uint8_t *>self.block.data)[place]

    def __setitem__(self, index, value):
        cdef int64_t place, start, stop
        cdef uint8_t byte
        if not isinstance(index, slice) and (PyBool_Check(index) or not is_scalar_index(index)):
            raise RuntimeError(f"can't index a stridecore.UntypedStorage with {type(index).__name__}; "
                               "use an int or a slice")
        byte = as_byte(value, "can only set storage content with a int types, but got")
        if isinstance(index, slice):
            start, stop = slice_bounds(self, index)
            storage_writable(self, "UntypedStorage.__setitem__")
            memset(self.block.data + start, byte, <size_t>(stop - start))
            return
        place = index_of(index)
        if not 0 <= place < self._nbytes:    # negative ones too: torch's rule for writes
            raise RuntimeError(f"UntypedStorage: index {index} is out of bounds for a write; "
                               f"the range is [0, {self._nbytes - 1}]")
        storage_writable(self, "UntypedStorage.__setitem__")
        self.block.data[place] = <char>byte

    def __delitem__(self, index):
        raise TypeError("a storage's bytes can't be deleted; use resize_ to change its length")

    def fill_(self, value):
        """Set every byte to the low 8 bits of the int `value`; returns self.

        >>> import stridecore as sc
        >>> sc.UntypedStorage(3).fill_(258).tolist()
        [2, 2, 2]
        """
        cdef uint8_t byte = as_byte(value, "fill_ expects int, but got")
        storage_writable(self, "fill_")
        cdef sc_block *block = self.block
        cdef int64_t nbytes = self._nbytes
        if nbytes < GIL_NBYTES:
            memset(block.data, byte, <size_t>nbytes)
        else:
            engine.block_retain(block)
            with nogil:
                memset(block.data, byte, <size_t>nbytes)
            engine.block_release(block)
        return self

    def copy_(self, src, non_blocking=None):
        """Copy the bytes of another storage of the same number of bytes into this one; returns self.

        RuntimeError if the lengths differ.
        """
        cdef StorageImpl source
        if isinstance(src, TypedStorageImpl):
            source = (<TypedStorageImpl>src).storage
        elif isinstance(src, StorageImpl):
            source = src
        else:
            raise TypeError(f"copy_(): argument 'src' (position 1) must be a storage, not {type(src).__name__}")
        if source._nbytes != self._nbytes:
            raise RuntimeError(f"copy_: size does not match, self was {self._nbytes} bytes but src was "
                               f"{source._nbytes} bytes")
        storage_writable(self, "copy_")
        copy_bytes(self.block, source.block, self._nbytes)
        return self

    def clone(self):
        """A copy of the storage with memory of its own.

        >>> import stridecore as sc
        >>> s = sc.UntypedStorage([1, 2])
        >>> s.clone().tolist(), s.clone() is s
        ([1, 2], False)
        """
        cdef StorageImpl copy = storage_new_as(type(self), self._nbytes)
        copy_bytes(copy.block, self.block, self._nbytes)
        return copy

    def resize_(self, nbytes, /):
        """Give the storage `nbytes` bytes, keeping the first ones; new ones have unspecified values. Returns self.

        RuntimeError if it is not resizable. Tensors that reach further than a shrunken storage can't be read any
        more until it grows again.

        >>> import stridecore as sc
        >>> sc.UntypedStorage([1, 2, 3]).resize_(2).tolist()
        [1, 2]
        """
        if PyBool_Check(nbytes) or not is_scalar_index(nbytes):
            raise RuntimeError(f"resize_ expects an int, but got {type(nbytes).__name__}")
        storage_resize(self, index_of(nbytes))
        return self

    def _byteswap(self, element_size):
        """Reverse the order of the bytes in every piece of `element_size` bytes."""
        cdef int64_t size = element_size, start, i
        cdef uint8_t *item
        if size < 1 or self._nbytes % size:
            raise RuntimeError(f"byteswap: the length of data, {self._nbytes} bytes, is not a multiple of {size}")
        storage_writable(self, "byteswap")
        for start in range(0, self._nbytes, size):
            item = <uint8_t *>self.block.data + start
            for i in range(size // 2):
                item[i], item[size - 1 - i] = item[size - 1 - i], item[i]

    # ---- the buffer protocol: bytes, pinned against resizing while a view of them is out ---------------------

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.block.data if self._nbytes else &NOTHING, self._nbytes,
                          (self.flags & READONLY) != 0, flags)
        self.pins += 1

    def __releasebuffer__(self, Py_buffer *view):
        self.pins -= 1


def untyped(cls, nbytes):
    """A new storage of `nbytes` bytes with unspecified values, of type `cls`, a subclass of StorageImpl."""
    cdef int64_t length = index_of(nbytes)
    if length < 0:
        raise RuntimeError(f"UntypedStorage: the number of bytes must be at least 0, got {nbytes}")
    return storage_new_as(cls, length)
