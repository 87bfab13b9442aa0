"""DLPack, both ways, without copies: `x.__dlpack__()`, `from_dlpack(y)`.

A capsule holds a struct that names memory, dtype, sizes and strides, and a deleter. Who takes the struct out renames
the capsule ("used_…") and calls the deleter once; if nobody does, the capsule's destructor calls it.

    export   capsule ──> Exported { struct, sizes, strides } ──> storage, pinned, and its block
    import   storage ──> block ──> Imported ──> the producer's struct, whose deleter runs when the block goes

Nothing in a struct is believed before it is checked; what can't be checked is that the memory is there.
"""
cimport cython
from cpython.object cimport PyObject
from cpython.pycapsule cimport (PyCapsule_CheckExact, PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New,
                                PyCapsule_SetName)
from cpython.ref cimport Py_INCREF, Py_DECREF
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport free, malloc

from stridecore.core cimport engine
from stridecore.core.buffers cimport export_layout, export_readonly, tensor_over_memory
from stridecore.core.copy cimport converted
from stridecore.core.device cimport check_device
from stridecore.core.dtype cimport dtype_of
from stridecore.core.engine cimport *
from stridecore.core.memory_format cimport PRESERVE
from stridecore.core.ndarray cimport is_ndarray
from stridecore.core.storage cimport READONLY, StorageImpl
from stridecore.core.tensor_impl cimport *


cdef extern from "Python.h":
    int Py_IsInitialized() nogil


cdef extern from "../stridecore/core/dlpack.h" nogil:
    enum:
        DLPACK_MAJOR
        DLPACK_MINOR
        DLPACK_CPU
        DLPACK_READ_ONLY
        DLPACK_COPIED

    ctypedef struct dlpack_dtype:
        uint8_t code
        uint8_t bits
        uint16_t lanes

    ctypedef struct dlpack_device:
        int32_t device_type
        int32_t device_id

    ctypedef struct dlpack_tensor:
        void *data
        dlpack_device device
        int32_t ndim
        dlpack_dtype dtype
        int64_t *shape
        int64_t *strides
        uint64_t byte_offset

    ctypedef struct dlpack_legacy:
        dlpack_tensor tensor
        void *context
        void (*deleter)(dlpack_legacy *) noexcept

    ctypedef struct dlpack_version:
        uint32_t major
        uint32_t minor

    ctypedef struct dlpack_versioned:
        dlpack_version version
        void *context
        void (*deleter)(dlpack_versioned *) noexcept
        uint64_t flags
        dlpack_tensor tensor


cdef const char *LEGACY = "dltensor"
cdef const char *USED_LEGACY = "used_dltensor"
cdef const char *VERSIONED = "dltensor_versioned"
cdef const char *USED_VERSIONED = "used_dltensor_versioned"

# DLPack's type codes and bits, in the order of the dtype codes.
cdef uint8_t[SC_NUM_DTYPES][2] TYPES = [
    [6, 8], [1, 8], [0, 8], [0, 16], [0, 32], [0, 64], [1, 16], [1, 32], [1, 64], [2, 16], [4, 16], [2, 32], [2, 64],
    [5, 32], [5, 64], [5, 128], [10, 8], [12, 8], [11, 8], [13, 8], [14, 8],
]


# ---- out ----------------------------------------------------------------------------------------------------

# What a struct that was given out refers to. One of the two structs is used.
cdef struct Exported:
    dlpack_legacy legacy
    dlpack_versioned versioned
    PyObject *storage
    sc_block *block
    int64_t layout[1]    # sizes, then strides


cdef void let_go(Exported *exported) noexcept nogil:
    """The consumer may call this from any thread, with or without the GIL."""
    if not Py_IsInitialized():
        return    # the interpreter has gone, and its objects
    with gil:
        (<StorageImpl>exported.storage).pins -= 1
        engine.block_release(exported.block)
        Py_DECREF(<object>exported.storage)
    free(exported)


cdef void delete_legacy(dlpack_legacy *managed) noexcept nogil:
    let_go(<Exported *>managed.context)


cdef void delete_versioned(dlpack_versioned *managed) noexcept nogil:
    let_go(<Exported *>managed.context)


cdef void destroy_legacy(object capsule) noexcept:
    if PyCapsule_IsValid(capsule, LEGACY):
        delete_legacy(<dlpack_legacy *>PyCapsule_GetPointer(capsule, LEGACY))


cdef void destroy_versioned(object capsule) noexcept:
    if PyCapsule_IsValid(capsule, VERSIONED):
        delete_versioned(<dlpack_versioned *>PyCapsule_GetPointer(capsule, VERSIONED))


cdef bint goes_backwards(TensorImpl t) noexcept:
    cdef int64_t d
    if t._numel:
        for d in range(t._ss.ndim):
            if strides_of(t)[d] < 0 and sizes_of(t)[d] > 1:
                return True
    return False


cdef object export_capsule(TensorImpl t, bint versioned, bint copied):
    cdef int64_t ndim = t._ss.ndim
    cdef int64_t itemsize = itemsize_of(t)
    cdef bint readonly = versioned and export_readonly(t)
    cdef int64_t d
    cdef Exported *exported
    cdef dlpack_tensor *tensor
    cdef Py_ssize_t sizes[SC_MAX_NDIM]
    cdef Py_ssize_t byte_strides[SC_MAX_NDIM]
    if t._storage.flags & READONLY and not versioned:
        raise BufferError("the tensor is read-only, which capsules without a version can't say: pass "
                          "max_version=(1, 0), or .clone() it")
    check_reach(t, "__dlpack__")
    exported = <Exported *>malloc(sizeof(Exported) + 2 * <size_t>ndim * sizeof(int64_t))
    if exported == NULL:
        raise MemoryError
    if versioned:
        exported.versioned.version.major = DLPACK_MAJOR
        exported.versioned.version.minor = DLPACK_MINOR
        exported.versioned.context = exported
        exported.versioned.deleter = delete_versioned
        exported.versioned.flags = (DLPACK_READ_ONLY if readonly else 0) | (DLPACK_COPIED if copied else 0)
        tensor = &exported.versioned.tensor
    else:
        exported.legacy.context = exported
        exported.legacy.deleter = delete_legacy
        tensor = &exported.legacy.tensor
    export_layout(t, sizes, byte_strides)
    for d in range(ndim):
        exported.layout[d] = sizes[d]
        exported.layout[ndim + d] = byte_strides[d] // itemsize
    tensor.data = data_of(t) if t._numel else NULL
    tensor.device.device_type = DLPACK_CPU
    tensor.device.device_id = 0
    tensor.ndim = <int32_t>ndim
    tensor.dtype.code = TYPES[t._dtype][0]
    tensor.dtype.bits = TYPES[t._dtype][1]
    tensor.dtype.lanes = 1
    tensor.shape = exported.layout
    tensor.strides = exported.layout + ndim
    tensor.byte_offset = 0
    exported.storage = <PyObject *>t._storage
    exported.block = t._storage.block
    Py_INCREF(t._storage)
    engine.block_retain(exported.block)
    t._storage.pins += 1
    try:
        if versioned:
            return PyCapsule_New(&exported.versioned, VERSIONED, destroy_versioned)
        return PyCapsule_New(&exported.legacy, LEGACY, destroy_legacy)
    except BaseException:
        let_go(exported)
        raise


cdef tuple CPU_DEVICE = (DLPACK_CPU, 0)


@cython.boundscheck(True)
cdef object first_of(object pair):
    """pair[0], which may not be there: an IndexError or TypeError."""
    return pair[0]


@cython.no_gc
cdef class TensorDlpack(TensorNdarray):
    """The DLPack protocol's methods."""

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A DLPack capsule of the tensor, for another library's from_dlpack; made for consumers, not for users.

        No copy is made, unless `copy=True` or a stride is negative, which some consumers can't bear (BufferError with
        `copy=False`). With `max_version` (1, 0) or later the capsule is a versioned one, whose flags say whether the
        memory is read-only and whether it is a copy; otherwise a read-only tensor is a BufferError. Lazily
        conjugated or negated tensors are a BufferError too. While the consumer has the memory the storage can't be
        resized.
        """
        cdef bint versioned = False
        cdef TensorImpl source = self
        if self._bits:
            raise BufferError("Can't export tensors with the conjugate or negative bit set; use .resolve_conj() or "
                              ".resolve_neg()")
        if stream is not None and stream != -1:
            if not isinstance(stream, int):
                raise TypeError(f"__dlpack__: stream must be int or None, not {type(stream).__name__}")
            raise AssertionError(f"__dlpack__: stream should be None on cpu, got {stream}")
        if dl_device is not None:
            if not isinstance(dl_device, tuple) or len(dl_device) != 2:
                raise TypeError(f"__dlpack__: dl_device must be a tuple (device type, device index), got {dl_device!r}")
            if dl_device != CPU_DEVICE:
                raise BufferError(f"__dlpack__: the tensor is in the CPU's memory, device (1, 0), and can't be moved to "
                                  f"{tuple(map(int, dl_device))}")
        if max_version is not None:
            versioned = first_of(max_version) >= 1
        if copy:
            source = converted(self, <sc_dtype>self._dtype, PRESERVE)
        elif goes_backwards(self):
            if copy is not None:
                raise BufferError(f"__dlpack__: the strides {self.strides()} are not all positive, which many consumers "
                                  "can't bear; leave out copy=False for a copy")
            source = converted(self, <sc_dtype>self._dtype, PRESERVE)
        return export_capsule(source, versioned, source is not self)

    def __dlpack_device__(self):
        """(1, 0): DLPack's name for the CPU's memory."""
        return CPU_DEVICE


# ---- in -----------------------------------------------------------------------------------------------------

@cython.no_gc
@cython.final
@cython.freelist(16)
cdef class Imported:
    """Calls a producer's deleter when the storage over its memory goes."""
    cdef dlpack_legacy *legacy
    cdef dlpack_versioned *versioned

    def __dealloc__(self):
        if self.legacy != NULL and self.legacy.deleter != NULL:
            self.legacy.deleter(self.legacy)
        if self.versioned != NULL and self.versioned.deleter != NULL:
            self.versioned.deleter(self.versioned)


cdef int dtype_of_type(dlpack_dtype dtype, str function) except -1:
    cdef int code
    if dtype.lanes == 1:
        for code in range(<int>SC_NUM_DTYPES):
            if TYPES[code][0] == dtype.code and TYPES[code][1] == dtype.bits:
                return code
    raise BufferError(f"{function}: there is no dtype for DLPack's type code {dtype.code} with {dtype.bits} bits and "
                      f"{dtype.lanes} lanes")


cdef TensorImpl import_tensor(dlpack_tensor *tensor, object owner, bint readonly, str function):
    """A tensor over what the struct describes, kept alive by `owner`; nothing in it is trusted."""
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t d, ndim = tensor.ndim, numel = 0, lowest = 0, highest = 0, first, last
    cdef sc_dtype dtype
    if tensor.device.device_type != DLPACK_CPU:
        raise BufferError(f"{function}: the memory is on a device of DLPack's type {tensor.device.device_type}, not the "
                          "CPU's (1); copy it to the CPU first")
    if ndim < 0 or ndim > SC_MAX_NDIM:
        raise BufferError(f"{function}: the capsule says {ndim} dims; at most {SC_MAX_NDIM} are supported")
    if ndim and tensor.shape == NULL:
        raise BufferError(f"{function}: the capsule says {ndim} dims but gives no sizes")
    dtype = <sc_dtype>dtype_of_type(tensor.dtype, function)
    for d in range(ndim):
        if tensor.shape[d] < 0:
            raise BufferError(f"{function}: the capsule says a negative size, {tensor.shape[d]}")
    if tensor.strides != NULL:
        for d in range(ndim):
            strides[d] = tensor.strides[d]
    elif not sc_contiguous_strides(ndim, tensor.shape, strides):
        raise BufferError(f"{function}: the capsule's sizes overflow 64 bits")
    if not sc_numel(ndim, tensor.shape, &numel):
        raise BufferError(f"{function}: the capsule's sizes overflow 64 bits")
    if numel:
        # The lowest and the highest byte must be addresses.
        if (tensor.data == NULL or tensor.byte_offset > <uint64_t>0x7fffffffffffffff
                or <uint64_t><uintptr_t>tensor.data > <uint64_t>0x7fffffffffffffff
                or not sc_reach(ndim, tensor.shape, strides, &lowest, &highest)
                or not sc_mul(lowest, sc_itemsize(dtype), &first)
                or not sc_add(highest, 1, &last) or not sc_mul(last, sc_itemsize(dtype), &last)
                or not sc_add(first, <int64_t>tensor.byte_offset, &first)
                or not sc_add(last, <int64_t>tensor.byte_offset, &last)
                or not sc_add(first, <int64_t><uintptr_t>tensor.data, &first) or first <= 0
                or not sc_add(last, <int64_t><uintptr_t>tensor.data, &last)):
            raise BufferError(f"{function}: the capsule's data, byte_offset, sizes and strides reach beyond memory")
    return tensor_over_memory(<char *>tensor.data + tensor.byte_offset if numel else NULL, dtype, ndim, tensor.shape,
                              strides, owner, readonly, function)


cdef TensorImpl tensor_of_capsule(object capsule, str function):
    """A tensor over the capsule's memory, with the storage starting at the lowest byte; the capsule is used up.

    RuntimeError if it is none or was used before, BufferError if it describes what no tensor can be; then it stays
    as it was.
    """
    cdef Imported owner = Imported.__new__(Imported)
    cdef TensorImpl t
    cdef dlpack_legacy *legacy
    cdef dlpack_versioned *versioned
    if PyCapsule_IsValid(capsule, VERSIONED):
        versioned = <dlpack_versioned *>PyCapsule_GetPointer(capsule, VERSIONED)
        if versioned.version.major != DLPACK_MAJOR:
            raise BufferError(f"{function}: the capsule has DLPack version {versioned.version.major}."
                              f"{versioned.version.minor}; {DLPACK_MAJOR}.x is understood")
        t = import_tensor(&versioned.tensor, owner, (versioned.flags & DLPACK_READ_ONLY) != 0, function)
        PyCapsule_SetName(capsule, USED_VERSIONED)
        owner.versioned = versioned
    elif PyCapsule_IsValid(capsule, LEGACY):
        legacy = <dlpack_legacy *>PyCapsule_GetPointer(capsule, LEGACY)
        t = import_tensor(&legacy.tensor, owner, False, function)
        PyCapsule_SetName(capsule, USED_LEGACY)
        owner.legacy = legacy
    else:
        raise RuntimeError(f"{function} received an invalid capsule, of type {type(capsule).__name__}. A DLPack capsule "
                           "can be used only once; was a tensor made of this one before?")
    return t


cdef tuple MAX_VERSION = (DLPACK_MAJOR, DLPACK_MINOR)


cdef object ask_for_capsule(object method, object copy, bint *copied):
    """Call a producer's __dlpack__, which may be older than its arguments; *copied: it was told of `copy`."""
    copied[0] = True
    if copy is None:
        try:
            return method(max_version=MAX_VERSION)
        except TypeError:
            return method()
    try:
        return method(max_version=MAX_VERSION, copy=copy)
    except TypeError:
        pass
    try:
        return method(copy=copy)
    except TypeError:
        copied[0] = False
    return method()


def from_dlpack(ext_tensor, *, device=None, copy=None):
    """A tensor over the memory of another library's array or tensor, an object with `__dlpack__`, or of a capsule.

    No copy is made unless `copy=True` asks for one or the producer makes one; `copy=False` forbids it. Sizes and
    strides, of any sign, are kept; the storage starts at the lowest byte. The memory lives as long as the tensor, can't
    be resized, and is read-only if the producer says so. `device` can only be the CPU.

    RuntimeError for what is no capsule or was used before; BufferError for memory on another device and for dtypes
    and layouts that no tensor has.

    >>> import numpy as np, stridecore as sc
    >>> a = np.arange(3.0)
    >>> x = sc.from_dlpack(a)
    >>> x[0] = 7
    >>> a.tolist()
    [7.0, 1.0, 2.0]
    """
    cdef bint copied = False
    cdef TensorImpl t
    if device is not None:
        check_device(device, "from_dlpack")
    if PyCapsule_CheckExact(ext_tensor) or not hasattr(ext_tensor, "__dlpack__"):
        if device is not None or copy is not None:
            raise AssertionError("from_dlpack: device and copy can't be given with a capsule")
        return tensor_of_capsule(ext_tensor, "from_dlpack")
    if not is_ndarray(ext_tensor):
        kind = first_of(ext_tensor.__dlpack_device__())
        if kind != DLPACK_CPU:
            raise BufferError(f"from_dlpack: the memory is on a device of DLPack's type {kind}, not the CPU's (1); copy "
                              "it to the CPU first")
    t = tensor_of_capsule(ask_for_capsule(ext_tensor.__dlpack__, copy, &copied), "from_dlpack")
    if copy and not copied:
        return converted(t, <sc_dtype>t._dtype, PRESERVE)
    return t


def to_dlpack(TensorImpl tensor not None):
    """A capsule of the tensor, without a version; `from_dlpack(tensor)` of the other library is the newer way.

    >>> import stridecore as sc
    >>> sc.from_dlpack(sc.to_dlpack(sc.arange(3)))
    tensor([0, 1, 2])
    """
    return tensor.__dlpack__()
