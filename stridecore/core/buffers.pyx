"""The buffer protocol, both ways, without copies: `memoryview(x)`, `frombuffer`, and tensors over any exporter.

An export pins the storage against resizing and holds its block until it is released; sizes and strides are a
snapshot, so later in-place changes of the tensor's layout don't reach it.

A tensor over borrowed memory gets a storage that spans what it reaches, lowest to highest byte:

    bytes of the owner   ......|==========|....      strides (-2,), sizes (5,)
                               ^         ^
                   storage starts       element 0: storage_offset 8
"""
cimport cython
from cpython.buffer cimport *
from cpython.mem cimport PyMem_Malloc, PyMem_Free
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_DECREF
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcpy

from stridecore.core cimport engine
from stridecore.core.args cimport as_dtype, as_int
from stridecore.core.dtype cimport dtype_of
from stridecore.core.engine cimport *
from stridecore.core.size cimport tuple_from
from stridecore.core.storage cimport (FIXED, LENT, READONLY, HeldBlock, StorageImpl, hold_block, storage_wrap,
                                     storage_wrap_as)
from stridecore.core.tensor_impl cimport *


cdef char NOTHING = 0    # what an export of no elements points to

# How a buffer spells each dtype, in the order of the codes; None where it can't.
cdef tuple FORMATS = (
    b"?", b"B", b"b", b"h", b"i", b"l" if sizeof(long) == 8 else b"q", b"H", b"I",
    b"L" if sizeof(long) == 8 else b"Q", b"e", None, b"f", b"d", None, b"Zf", b"Zd", None, None, None, None, None,
)


# ---- out ----------------------------------------------------------------------------------------------------

# What a Py_buffer that was given out refers to.
cdef struct Export:
    PyObject *storage
    sc_block *block
    Py_ssize_t layout[1]    # shape, then strides


cdef void export_layout(TensorImpl t, Py_ssize_t *shape, Py_ssize_t *byte_strides) noexcept:
    cdef int64_t *sizes = sizes_of(t)
    cdef int64_t *strides = strides_of(t)
    cdef int64_t itemsize = itemsize_of(t)
    cdef int64_t d, step, following = itemsize
    for d in range(t._ss.ndim - 1, -1, -1):
        shape[d] = <Py_ssize_t>sizes[d]
        if t._numel == 0 or sizes[d] == 1:
            byte_strides[d] = <Py_ssize_t>following
        else:
            byte_strides[d] = <Py_ssize_t>(strides[d] * itemsize)
        step = -byte_strides[d] if byte_strides[d] < 0 else byte_strides[d]
        if step == 0 or sizes[d] > 1 and not sc_mul(step, sizes[d], &step):
            step = following
        following = step


cdef bint export_readonly(TensorImpl t) noexcept:
    cdef int64_t byte_strides[SC_MAX_NDIM]
    if t._storage.flags & READONLY:
        return True
    if t._numel == 0 or is_contiguous(t):
        return False
    byte_strides_of(t, byte_strides)
    return engine.self_overlaps(t._ss.ndim, sizes_of(t), byte_strides, itemsize_of(t))


cdef int refuse_export(TensorImpl t) except -1:
    if t._bits:
        raise BufferError("a buffer can't say that its values are to be "
                          f"{'conjugated' if t._bits & SC_CONJ else 'negated'}; use .resolve_conj().resolve_neg()")
    raise BufferError(f"a buffer can't hold {dtype_of(<sc_dtype>t._dtype)!r}: use .to(...) another dtype, or .view(...) "
                      "for the bits")


cdef bint layout_is_contiguous(int64_t ndim, const int64_t *sizes, const int64_t *strides, bint first_fastest) noexcept:
    """Row-major, or column-major if first_fastest. Strides of dims that can't matter are ignored."""
    cdef int64_t i, d, expected = 1
    for d in range(ndim):
        if sizes[d] == 0:
            return True
    for i in range(ndim):
        d = i if first_fastest else ndim - 1 - i
        if sizes[d] != 1:
            if strides[d] != expected:
                return False
            expected *= sizes[d]
    return True


@cython.no_gc
cdef class TensorBuffers(TensorIndexing):
    """The buffer protocol."""

    def __getbuffer__(self, Py_buffer *view, int flags):
        cdef int64_t ndim = self._ss.ndim
        cdef int64_t *sizes = sizes_of(self)
        cdef int64_t *strides = strides_of(self)
        cdef bint readonly = export_readonly(self)
        cdef bint rows = is_contiguous(self)
        cdef bint columns
        cdef Export *export
        view.obj = None
        format = FORMATS[self._dtype]
        if format is None or self._bits:
            refuse_export(self)
        if flags & PyBUF_WRITABLE and readonly:
            raise BufferError("the tensor is read-only" if self._storage.flags & READONLY else
                              "the tensor reaches one place in memory by two indices, so its buffer is read-only; "
                              "use .clone() for a writable one")
        if not rows:
            columns = layout_is_contiguous(ndim, sizes, strides, True)
            if (flags & PyBUF_STRIDES != PyBUF_STRIDES or flags & PyBUF_C_CONTIGUOUS == PyBUF_C_CONTIGUOUS
                    or not columns and (flags & PyBUF_F_CONTIGUOUS == PyBUF_F_CONTIGUOUS
                                        or flags & PyBUF_ANY_CONTIGUOUS == PyBUF_ANY_CONTIGUOUS)):
                raise BufferError(f"the tensor is not contiguous (size {tuple(self.sizes())}, stride "
                                  f"{self.strides()}) and a contiguous buffer was asked for; use .contiguous()")
        elif (flags & PyBUF_F_CONTIGUOUS == PyBUF_F_CONTIGUOUS
                and not layout_is_contiguous(ndim, sizes, strides, True)):
            raise BufferError(f"the tensor of size {tuple(self.sizes())} is in row-major order and a column-major "
                              "buffer was asked for")
        check_reach(self, "buffer")
        export = <Export *>PyMem_Malloc(sizeof(Export) + 2 * <size_t>ndim * sizeof(Py_ssize_t))
        if export == NULL:
            raise MemoryError
        export_layout(self, export.layout, export.layout + ndim)
        export.storage = <PyObject *>self._storage
        Py_INCREF(self._storage)
        export.block = self._storage.block
        engine.block_retain(export.block)
        self._storage.pins += 1
        view.buf = data_of(self) if self._numel else &NOTHING
        view.obj = self
        view.len = <Py_ssize_t>(self._numel * itemsize_of(self))
        view.itemsize = <Py_ssize_t>itemsize_of(self)
        view.readonly = readonly
        view.ndim = <int>ndim
        view.format = <char *><const char *>format if flags & PyBUF_FORMAT else NULL
        view.shape = export.layout if flags & PyBUF_ND else NULL
        view.strides = export.layout + ndim if flags & PyBUF_STRIDES == PyBUF_STRIDES else NULL
        view.suboffsets = NULL
        view.internal = export

    def __releasebuffer__(self, Py_buffer *view):
        cdef Export *export = <Export *>view.internal
        (<StorageImpl>export.storage).pins -= 1
        engine.block_release(export.block)
        Py_DECREF(<object>export.storage)
        PyMem_Free(export)


# ---- in -----------------------------------------------------------------------------------------------------

cdef TensorImpl tensor_over_memory(void *data, sc_dtype dtype, int64_t ndim, const int64_t *sizes,
                                   const int64_t *strides, object owner, bint readonly, str function):
    """A tensor over memory that `owner` keeps alive, whose element (0, ..., 0) is at `data`; strides in elements."""
    cdef int64_t numel = 0, lowest = 0, highest = 0, nbytes = 0
    cdef int64_t itemsize = sc_itemsize(dtype)
    if ndim > SC_MAX_NDIM:
        raise ValueError(f"{function}: {ndim} dims; at most {SC_MAX_NDIM} are supported")
    check_sizes(ndim, sizes, function)
    if not sc_numel(ndim, sizes, &numel):
        raise ValueError(f"{function}: sizes {list(tuple_from(ndim, sizes))} overflow 64 bits")
    if numel:
        if (not sc_reach(ndim, sizes, strides, &lowest, &highest) or not sc_sub(highest, lowest, &nbytes)
                or not sc_add(nbytes, 1, &nbytes) or not sc_mul(nbytes, itemsize, &nbytes) or data == NULL):
            raise ValueError(f"{function}: sizes {list(tuple_from(ndim, sizes))} and strides "
                             f"{list(tuple_from(ndim, strides))} reach beyond memory")
    cdef StorageImpl storage = storage_wrap(<char *>data + lowest * itemsize, nbytes, owner,
                                            FIXED | (READONLY if readonly else 0))
    return tensor_over(storage, dtype, -lowest, ndim, sizes, strides, function)


@cython.no_gc
@cython.final
cdef class HeldBuffer:
    """Keeps an exporter's buffer until the storage over it goes."""
    cdef Py_buffer view
    cdef bint held

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.view)


cdef HeldBuffer hold_buffer(object source, int flags):
    cdef HeldBuffer held = HeldBuffer.__new__(HeldBuffer)
    PyObject_GetBuffer(source, &held.view, flags)
    held.held = True
    return held


cdef int dtype_of_format(const char *format, Py_ssize_t itemsize, str function) except -1:
    """The dtype of PEP 3118's one-letter formats (and Zf, Zd), of this size, in native byte order."""
    cdef const char *letter = format
    cdef bint little = engine_is_little_endian()
    cdef bint swapped = False
    if format == NULL:
        letter = "B"
    if letter[0] in b"@=^<>!":
        swapped = letter[0] == c"<" and not little or letter[0] in b">!" and little
        letter += 1
    cdef int code = -1
    cdef int width = 0
    while width <= 4 and itemsize >> (width + 1):
        width += 1
    if itemsize == 1 << width and width <= 4:
        if letter[0] == c"Z" and letter[1] != 0 and letter[2] == 0:
            if letter[1] == c"f" and itemsize == 8:
                code = SC_COMPLEX64
            elif letter[1] == c"d" and itemsize == 16:
                code = SC_COMPLEX128
        elif letter[0] != 0 and letter[1] == 0:
            if letter[0] == c"?" and width == 0:
                code = SC_BOOL
            elif letter[0] in b"bhilqn" and width <= 3:
                code = (SC_INT8, SC_INT16, SC_INT32, SC_INT64)[width]
            elif letter[0] in b"BHILQN" and width <= 3:
                code = (SC_UINT8, SC_UINT16, SC_UINT32, SC_UINT64)[width]
            elif letter[0] == c"e" and width == 1:
                code = SC_FLOAT16
            elif letter[0] == c"f" and width == 2:
                code = SC_FLOAT32
            elif letter[0] == c"d" and width == 3:
                code = SC_FLOAT64
    if code < 0:
        raise TypeError(f"{function}: can't make a tensor of a buffer with format "
                        f"{(<bytes>letter).decode('utf-8', 'backslashreplace')!r} and itemsize {itemsize}; supported are bools, ints, floats "
                        "and complex numbers of the machine's sizes")
    if swapped and itemsize > 1:
        raise ValueError(f"{function}: the buffer's byte order is not the machine's; make a copy in native order")
    return code


cdef bint engine_is_little_endian() noexcept:
    cdef int one = 1
    return (<char *>&one)[0] == 1


cdef TensorImpl tensor_over_buffer(object source, str function):
    """A tensor over the memory of any exporter, of its dtype, sizes and strides; read-only if the export is."""
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t d, ndim, nbytes
    cdef HeldBuffer held = hold_buffer(source, PyBUF_FULL_RO)
    cdef Py_buffer *view = &held.view
    cdef sc_dtype dtype = <sc_dtype>dtype_of_format(view.format, view.itemsize, function)
    ndim = view.ndim
    if ndim < 0 or ndim > SC_MAX_NDIM:
        raise ValueError(f"{function}: the buffer has {ndim} dims; at most {SC_MAX_NDIM} are supported")
    if view.suboffsets != NULL:
        for d in range(ndim):
            if view.suboffsets[d] >= 0:
                raise ValueError(f"{function}: the buffer is indirect (it has suboffsets), a tensor's memory can't be")
    if view.shape == NULL and ndim:
        ndim = 1
        sizes[0] = view.len // view.itemsize
    else:
        for d in range(ndim):
            sizes[d] = view.shape[d]
    if view.strides == NULL:
        if not sc_contiguous_strides(ndim, sizes, strides):
            raise ValueError(f"{function}: the buffer's sizes overflow 64 bits")
    else:
        for d in range(ndim):
            strides[d] = as_elements(view.strides[d], view.itemsize, sizes[d], function)
    if not sc_numel(ndim, sizes, &nbytes) or not sc_mul(nbytes, view.itemsize, &nbytes) or nbytes != view.len:
        raise ValueError(f"{function}: the buffer says that {list(tuple_from(ndim, sizes))} elements of "
                         f"{view.itemsize} bytes are {view.len} bytes")
    return tensor_over_memory(view.buf, dtype, ndim, sizes, strides, held, view.readonly, function)


cdef int64_t as_elements(int64_t byte_stride, int64_t itemsize, int64_t size, str function) except? -1:
    """A byte stride in elements; ValueError if that is not a whole number and matters."""
    if byte_stride % itemsize:
        if size <= 1:
            return 1
        raise ValueError(f"{function}: a stride of {byte_stride} bytes is not a multiple of the itemsize, {itemsize}; "
                         "make a copy first")
    return byte_stride // itemsize


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A 1-dim tensor of `dtype` over the memory of `buffer`, an object with the buffer protocol; no copy is made.

    It has `count` elements from the byte `offset` on; with a negative `count` as many as there are. The tensor
    keeps the object alive and, if the object is read-only, refuses writes.

    ValueError if the buffer is too short or what is left is not a multiple of the itemsize; RuntimeError if the
    object's memory is not contiguous.

    >>> import stridecore as sc
    >>> data = bytearray(b"\\x01\\x00\\x02\\x00")
    >>> x = sc.frombuffer(data, dtype=sc.int16)
    >>> x
    tensor([1, 2], dtype=stridecore.int16)
    >>> data[0] = 5
    >>> x[0].item()
    5
    """
    cdef HeldBuffer held
    cdef sc_dtype code = as_dtype(dtype, SC_NUM_DTYPES, "frombuffer")
    cdef int64_t wanted = as_int(count, "frombuffer", "count")
    cdef int64_t start = as_int(offset, "frombuffer", "offset")
    cdef int64_t itemsize, length, stride = 1
    if code == SC_NUM_DTYPES:
        raise TypeError("frombuffer: argument 'dtype' must be a stridecore.dtype, not None")
    if requires_grad:
        raise NotImplementedError("frombuffer: stridecore computes no gradients; leave out requires_grad")
    if not PyObject_CheckBuffer(buffer):
        raise ValueError(f"frombuffer: {type(buffer).__name__} does not implement Python buffer protocol")
    try:
        held = hold_buffer(buffer, PyBUF_SIMPLE)
    except (BufferError, ValueError) as error:    # NumPy raises the latter
        raise RuntimeError(f"frombuffer: could not retrieve buffer from object: {error}") from None
    itemsize = sc_itemsize(code)
    length = held.view.len
    if length <= 0 or wanted == 0:
        raise ValueError(f"frombuffer: both buffer length ({length}) and count ({wanted}) must not be 0")
    if not 0 <= start < length:
        raise ValueError(f"frombuffer: offset ({start} bytes) must be non-negative and no greater than buffer length "
                         f"({length} bytes) minus 1")
    if wanted < 0:
        if (length - start) % itemsize:
            raise ValueError(f"frombuffer: buffer length ({length - start} bytes) after offset ({start} bytes) must be "
                             f"a multiple of element size ({itemsize})")
        wanted = (length - start) // itemsize
    elif wanted > (length - start) // itemsize:
        raise ValueError(f"frombuffer: requested buffer length ({wanted} * {itemsize} bytes) after offset ({start} "
                         f"bytes) must not be greater than actual buffer length ({length} bytes)")
    return tensor_over_memory(<char *>held.view.buf + start, code, 1, &wanted, &stride, held, held.view.readonly,
                              "frombuffer")


def storage_over(cls, source):
    """A storage of type `cls`, UntypedStorage or a subclass, over the bytes of a contiguous buffer, without a copy.

    It is read-only if the buffer is. Over a bytearray it can be resized, which gives it memory of its own.
    """
    cdef HeldBuffer held = hold_buffer(source, PyBUF_SIMPLE)
    cdef uint32_t flags = 0 if type(source) is bytearray else FIXED
    return storage_wrap_as(cls, held.view.buf, held.view.len, held, flags | (READONLY if held.view.readonly else 0))


def move_storage(StorageImpl storage not None, target):
    """Copy a storage's bytes to the start of a writable buffer, which is its memory from now on.

    It can't be resized any more. Arrays and buffers that were handed out keep the old memory, as long as the storage
    lives, and no longer see what is written.
    """
    cdef HeldBuffer held = hold_buffer(target, PyBUF_WRITABLE)
    cdef StorageImpl made
    cdef sc_block *old = storage.block
    cdef HeldBlock kept = hold_block(old)
    cdef int64_t nbytes = storage._nbytes
    cdef void *data = held.view.buf
    if held.view.len < nbytes:
        raise ValueError(f"move_storage: {held.view.len} bytes have no room for a storage of {nbytes}")
    if nbytes:
        with nogil:
            memcpy(data, old.data, <size_t>nbytes)
    if storage.block != old or storage._nbytes != nbytes:
        raise RuntimeError("share_memory_: the storage was resized meanwhile")
    if not (storage.flags & (FIXED | LENT) or storage.pins):
        kept = None
    made = storage_wrap(data, nbytes, (held, kept), 0)
    storage.block, made.block = made.block, storage.block    # `made` goes, with its reference to the old block
    storage.flags |= FIXED


def from_buffer_protocol(source):
    """A tensor over the memory of any object with the buffer protocol, of its dtype, sizes and strides.

    No copy is made; a read-only buffer gives a read-only tensor. TypeError for formats that are no dtype,
    ValueError for a foreign byte order or strides that are not a whole number of elements.
    """
    if not PyObject_CheckBuffer(source):
        raise TypeError(f"expected an object with the buffer protocol, got {type(source).__name__}")
    return tensor_over_buffer(source, "from_buffer_protocol")
