"""Keys of `x[...]` that hold index tensors, lists, arrays, masks or bools.

A key is cut in two: what ints, slices, None and Ellipsis say is a view as always, with `:` standing for each dim that
is indexed and None for each lone bool; the index tensors then apply to dims of that view.

    x of size (2, 3, 4, 5), x[1, ..., None, [0, 2]]   ->   view x[1, ..., None, :] of size (3, 4, 1, 5), dim 3 by [0, 2]
    x[mask, 1:], mask of size (2, 3)                  ->   view x[:, :, 1:], dims 0 and 1 by the places of the mask
"""
cimport cython
from cpython.bool cimport PyBool_Check
from cpython.float cimport PyFloat_Check
from cpython.list cimport PyList_CheckExact, PyList_GET_SIZE, PyList_GET_ITEM
from cpython.long cimport PyLong_CheckExact
from cpython.sequence cimport PySequence_Check
from cpython.slice cimport PySlice_Check
from cpython.tuple cimport PyTuple_Check, PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport int64_t

from stridecore.core cimport engine
from stridecore.core.arrays cimport is_array, is_array_scalar
from stridecore.core.copy cimport converted
from stridecore.core.indexing cimport *
from stridecore.core.memory_format cimport CONTIGUOUS_FORMAT, PRESERVE
from stridecore.core.nested cimport INFER, from_data
from stridecore.core.parts cimport selected
from stridecore.core.tensor_impl cimport *
from stridecore.core.views cimport unsqueezed

# Sequences of this length and more are never read as tuples.
cdef enum:
    LONG_SEQUENCE = 32

# More parts than a key can use.
cdef enum:
    MAX_PARTS = 256

# Masks of at least this size are counted and searched without the GIL.
cdef enum:
    GIL_NUMEL = 16384

cdef object ALL = slice(None)


# ---- one index ----------------------------------------------------------------------------------------------

cdef bint is_mask(TensorImpl t) noexcept:
    return t._dtype == SC_BOOL or t._dtype == SC_UINT8


cdef int warn_uint8() except -1:
    import warnings
    warnings.warn("indexing with dtype uint8 is deprecated, use a bool tensor instead: mask.bool()", UserWarning,
                  stacklevel=1)
    return 0


cdef TensorImpl as_index_tensor(object part):
    """A part of a key as a tensor of bool, uint8, int32 or int64; IndexError for tensors of other dtypes."""
    cdef TensorImpl t
    if isinstance(part, TensorImpl):
        t = <TensorImpl>part
        if t._dtype != SC_INT64 and t._dtype != SC_BOOL and t._dtype != SC_INT32 and t._dtype != SC_UINT8:
            raise IndexError(f"tensors used as indices must be long, int, byte or bool tensors, got {t.dtype}; "
                             "convert with .long()")
        return converted(t, <sc_dtype>t._dtype, PRESERVE) if t._bits else t
    if is_array_scalar(part):
        raise IndexError("index: only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
                         f"valid indices (got {type(part).__name__})")
    if not PySequence_Check(part):
        import numpy
        part = numpy.asarray(part)
    refuse_text(part)
    t = from_data(part, INFER)
    if t._dtype == SC_INT64 or is_mask(t):
        return t
    return from_data(part, SC_INT64)


cdef int refuse_text(object part) except -1:
    """TypeError for a list whose first item, however deep, is a string."""
    while isinstance(part, (list, tuple)) and len(part):
        part = part[0]
    if isinstance(part, (str, bytes)):
        raise TypeError(f"index: invalid data type '{type(part).__name__}'")
    return 0


cdef bint means_tuple(object key) except -1:
    """True for a sequence, not an array, that holds slices, None, Ellipsis, tensors or sequences: read as a tuple."""
    cdef Py_ssize_t i
    if PyList_CheckExact(key):
        if PyList_GET_SIZE(key) >= LONG_SEQUENCE:
            return False
        for i in range(PyList_GET_SIZE(key)):
            if not PyLong_CheckExact(<object>PyList_GET_ITEM(key, i)) and is_part(<object>PyList_GET_ITEM(key, i)):
                return True
        return False
    if isinstance(key, (TensorImpl, range)) or is_array(key) or not PySequence_Check(key):
        return False
    if len(key) >= LONG_SEQUENCE:
        return False
    for part in key:
        if is_part(part):
            return True
    return False


cdef bint is_part(object part) except -1:
    return (part is None or part is Ellipsis or PySlice_Check(part) or isinstance(part, TensorImpl)
            or not PyBool_Check(part) and not PyFloat_Check(part) and PySequence_Check(part))


cdef int warn_sequence() except -1:
    import warnings
    warnings.warn("Using a non-tuple sequence for multidimensional indexing is deprecated; use x[tuple(seq)] instead of "
                  "x[seq], or x[tensor(seq)] for an index tensor", UserWarning, stacklevel=1)
    return 0


# ---- the key ------------------------------------------------------------------------------------------------

cdef int add(IndexKey into, TensorImpl index, int64_t dim) except -1:
    if len(into.tensors) == SC_MAX_NDIM:
        raise IndexError(f"index: a key may hold at most {SC_MAX_NDIM} index tensors")
    into.dims[len(into.tensors)] = dim
    into.tensors.append(index)
    if index._dtype == SC_UINT8:
        warn_uint8()
    return 0


cdef TensorImpl index_of_bool(bint value):
    """True takes index 0 of a dim of size 1, False nothing of it."""
    cdef int64_t size = 1 if value else 0
    return tensor_new(SC_INT64, 1, &size, True)


cdef bint is_lone_bool(TensorImpl index) noexcept:
    return index._ss.ndim == 0 and is_mask(index)


cdef bint truth_of(TensorImpl t) except -1:
    check_reach(t, "index")
    return data_of(t)[0] != 0


cdef int too_many(TensorImpl self) except -1:
    raise IndexError(f"too many indices for tensor of dimension {self._ss.ndim}")


@cython.no_gc
@cython.freelist(4)
cdef class IndexKey:
    """What a key with index tensors asks for: a view, and index tensors for some of its dims."""


cdef IndexKey read_key(TensorImpl self, object key):
    cdef IndexKey into = IndexKey.__new__(IndexKey)
    cdef TensorImpl index
    into.tensors = []
    if not PyTuple_Check(key):
        if PyBool_Check(key):
            into.view = unsqueezed(self, 0)
            add(into, index_of_bool(key is True), 0)
            return into
        if means_tuple(key):
            warn_sequence()
            return read_tuple(self, tuple(key), into)
        index = as_index_tensor(key)
        if is_lone_bool(index):
            into.view = unsqueezed(self, 0)
            add(into, index_of_bool(truth_of(index)), 0)
            return into
        if self._ss.ndim == 0 or is_mask(index) and index._ss.ndim > self._ss.ndim:
            too_many(self)
        into.view = self
        add(into, index, 0)
        return into
    return read_tuple(self, <tuple>key, into)


cdef IndexKey read_tuple(TensorImpl self, tuple key, IndexKey into):
    cdef int kinds[MAX_PARTS]
    cdef list parts = list(key)
    cdef int64_t consumed = 0, skipped, source = 0, result = 0, ends, ndim = self._ss.ndim
    cdef Py_ssize_t i, d, n = PyTuple_GET_SIZE(key)
    cdef TensorImpl index
    cdef bint is_plain = True    # nothing but index tensors and masks: no view needs to be taken
    if n > MAX_PARTS:
        raise IndexError(f"index: the key has {n} parts; at most {MAX_PARTS} are supported")
    for i in range(n):
        kinds[i] = kind_of_part(<object>PyTuple_GET_ITEM(key, i))
        if kinds[i] == GATHER_PART:
            index = index_of_part(<object>PyTuple_GET_ITEM(key, i))
            parts[i] = index
            consumed += number_of_dims(index)
            is_plain = is_plain and number_of_dims(index) > 0
        else:
            consumed += kinds[i] <= SLICE
            is_plain = False
    if consumed > ndim:
        too_many(self)
    skipped = ndim - consumed
    basic = None if is_plain else []
    for i in range(n):
        if kinds[i] != GATHER_PART:
            basic.append(parts[i])
            if kinds[i] == ELLIPSIS:
                ends = min(source + skipped, ndim)
                result += ends - source
                source = ends
            else:
                source += kinds[i] != NEW_AXIS
                result += kinds[i] != INT
            continue
        index = <TensorImpl>parts[i]
        if number_of_dims(index) == 0:
            basic.append(None)
            add(into, index_of_bool(truth_of(index)), result)
            result += 1
            continue
        add(into, index, result)
        for d in range(number_of_dims(index)):
            if not is_plain:
                basic.append(ALL)
            source += 1
            result += 1
    into.view = self if is_plain else basic_view(self, tuple(basic))
    return into


cdef inline int64_t number_of_dims(TensorImpl index) noexcept:
    """How many dims a part of a key applies to: none for a lone bool."""
    return index._ss.ndim if is_mask(index) else 1


cdef TensorImpl index_of_part(object part):
    cdef int64_t none = 0
    cdef TensorImpl t
    if PyBool_Check(part):
        t = tensor_new(SC_BOOL, 0, &none, True)
        data_of(t)[0] = part is True
        return t
    return as_index_tensor(part)


# ---- masks --------------------------------------------------------------------------------------------------

cdef int check_mask(TensorImpl mask, TensorImpl view, int64_t dim) except -1:
    cdef int64_t d
    for d in range(mask._ss.ndim):
        if sizes_of(mask)[d] != sizes_of(view)[dim + d]:
            raise IndexError(f"The shape of the mask {list(mask.sizes())} at index {d} does not match the shape of the "
                             f"indexed tensor {list(view.sizes())} at index {dim + d}")
    return 0


cdef TensorImpl whole_mask(IndexKey key):
    cdef TensorImpl mask
    if len(key.tensors) != 1:
        return None
    mask = <TensorImpl>key.tensors[0]
    if not is_mask(mask) or mask._ss.ndim != key.view._ss.ndim:
        return None
    check_mask(mask, key.view, 0)
    return mask


cdef int64_t count_of(TensorImpl mask, str function) except -1:
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t d, count, ndim = mask._ss.ndim
    cdef const char *data
    cdef sc_block *block
    if mask._numel == 0:
        return 0
    check_reach(mask, function)
    byte_strides_of(mask, strides)
    data = data_of(mask)
    if mask._numel < GIL_NUMEL:
        return engine.mask_count(ndim, sizes_of(mask), data, strides)
    for d in range(ndim):
        sizes[d] = sizes_of(mask)[d]
    block = mask._storage.block
    engine.block_retain(block)
    with nogil:
        count = engine.mask_count(ndim, sizes, data, strides)
    engine.block_release(block)
    return count


cdef TensorImpl places_of(TensorImpl mask, str function):
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t d, ndim = mask._ss.ndim, found
    cdef int64_t count = count_of(mask, function)
    cdef int64_t[2] shape = [count, ndim]
    cdef int64_t[2] steps = [1, count]
    cdef TensorImpl places = tensor_new_strided(SC_INT64, 2, shape, steps)
    cdef int64_t *to
    cdef const char *data
    cdef sc_block *block
    if count == 0 or ndim == 0:
        return places
    byte_strides_of(mask, strides)
    for d in range(ndim):
        sizes[d] = sizes_of(mask)[d]
    data, to = data_of(mask), <int64_t *>data_of(places)
    if mask._numel < GIL_NUMEL:
        found = engine.mask_places(ndim, sizes, data, strides, to, 1, count, count)
    else:
        block = mask._storage.block
        engine.block_retain(block)
        with nogil:
            found = engine.mask_places(ndim, sizes, data, strides, to, 1, count, count)
        engine.block_release(block)
    if found != count:
        raise RuntimeError(f"{function}: the mask was changed while it was read")
    return places


cdef int expand_masks(IndexKey key) except -1:
    cdef list tensors = key.tensors, expanded = []
    cdef int64_t dims[SC_MAX_NDIM]
    cdef int64_t d, n = 0
    cdef Py_ssize_t i
    cdef bint masked = False
    cdef TensorImpl index, places
    for i in range(len(tensors)):
        masked = masked or is_mask(<TensorImpl>tensors[i])
    if not masked:
        return 0
    for i in range(len(tensors)):
        index = <TensorImpl>tensors[i]
        if not is_mask(index):
            dims[n] = key.dims[i]
            n += 1
            expanded.append(index)
            continue
        check_mask(index, key.view, key.dims[i])
        places = places_of(index, "index")
        for d in range(index._ss.ndim):
            dims[n] = key.dims[i] + d
            n += 1
            expanded.append(selected(places, 1, d, "index"))
    for i in range(n):
        key.dims[i] = dims[i]
    key.tensors = expanded
    return 0
