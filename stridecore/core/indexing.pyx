"""Indexing: `x[...]` and `x[...] = value` with ints, slices, None and Ellipsis are views.

One walk over the key with a cursor on the source's dims:

    x of size (3, 1, 4, 5), x[1, ..., None, ::2]

    1       select   source dim 0 is gone, offset += 1*stride[0]
    ...     copies   source dims 1 and 2
    None    inserts  a dim of size 1; its stride is size*stride of the source dim that comes next
    ::2     slices   source dim 3

Whatever holds indices in a tensor, list, array or bool goes to advanced.pyx, which builds on this module and so
registers its two functions here (use_for_gathers), loaded at the first such key.
"""
cimport cython
from cpython.bool cimport PyBool_Check
from cpython.long cimport PyLong_CheckExact, PyLong_Check
from cpython.object cimport PyObject
from cpython.slice cimport PySlice_Check
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_Check, PyTuple_GET_SIZE, PyTuple_GET_ITEM
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from stridecore.core cimport engine
from stridecore.core.copy cimport copy_into, fill_with
from stridecore.core.dtype cimport dtype_of
from stridecore.core.engine cimport *
from stridecore.core.scalars cimport ASSIGN, plain_number, write_item
from stridecore.core.tensor_impl cimport *


cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object, int *) except? -1
    ctypedef struct PySliceObject:
        PyObject *start
        PyObject *stop
        PyObject *step
    int PySlice_Unpack(object, Py_ssize_t *, Py_ssize_t *, Py_ssize_t *) except -1
    Py_ssize_t PySlice_AdjustIndices(Py_ssize_t length, Py_ssize_t *start, Py_ssize_t *stop, Py_ssize_t step)


cdef gather_get get_gathered = NULL
cdef gather_set set_gathered = NULL


cdef void use_for_gathers(gather_get get, gather_set set) noexcept:
    global get_gathered, set_gathered
    get_gathered, set_gathered = get, set


cdef inline int load_gathers() except -1:
    if get_gathered == NULL:
        import stridecore.core.advanced
    return 0


cdef int kind_of_part(object part) except -1:
    return kind_of(part)


cdef inline int kind_of(object part) except -1:
    if PyLong_CheckExact(part):
        return INT
    if PySlice_Check(part):
        return SLICE
    if part is None:
        return NEW_AXIS
    if part is Ellipsis:
        return ELLIPSIS
    return rare_kind(part)


cdef int rare_kind(object part) except -1:
    cdef TensorImpl t
    if PyBool_Check(part):
        return GATHER_PART
    if PyLong_Check(part):
        return INT
    if isinstance(part, TensorImpl):
        t = <TensorImpl>part
        if t._ss.ndim == 0 and sc_is_integral(<sc_dtype>t._dtype) and t._dtype != SC_UINT8:
            return INT
        return GATHER_PART
    if isinstance(part, (list, range, tuple)):
        return GATHER_PART
    if isinstance(part, (str, bytes)):
        raise TypeError(f"index: invalid data type '{type(part).__name__}'")
    if hasattr(part, "__index__") and not hasattr(part, "__len__") \
            and getattr(getattr(part, "dtype", None), "kind", "") != "b":
        return INT    # NumPy's ints and others
    if hasattr(part, "ndim") and hasattr(part, "dtype"):
        if part.ndim == 0 and part.dtype.kind in "iu" and part.dtype.itemsize * (part.dtype.kind == "u") != 1:
            return INT
        if hasattr(part, "__setitem__"):
            return GATHER_PART
    if hasattr(part, "__array__") or hasattr(part, "__getitem__") and hasattr(part, "__len__") \
            and not hasattr(part, "keys"):
        return GATHER_PART
    raise IndexError("index: only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
                     f"indices (got {type(part).__name__})")


cdef inline bint is_inert(PyObject *bound):
    return bound == <PyObject *>None or PyLong_CheckExact(<object>bound)


cdef inline bint runs_code(object part):
    """True if reading this part may run Python code (`__index__`), which may change the tensor that is indexed."""
    cdef PySliceObject *bounds
    if PySlice_Check(part):
        bounds = <PySliceObject *>part
        return not (is_inert(bounds.start) and is_inert(bounds.stop) and is_inert(bounds.step))
    return not (PyLong_CheckExact(part) or part is None or part is Ellipsis)


cdef inline int64_t as_index(object part) except? -1:
    """An int of a key; ValueError past 64 bits."""
    cdef int beyond = 0
    cdef int64_t index = PyLong_AsLongLongAndOverflow(part if PyLong_Check(part) else part.__index__(), &beyond)
    if beyond:
        raise ValueError(f"index: Overflow when unpacking long long: {part} does not fit in 64 bits")
    return index


cdef int out_of_bounds(int64_t index, int64_t dim, int64_t size) except -1:
    raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}; "
                     f"the range is [{-size}, {size - 1}]" if size else
                     f"index {index} is out of bounds for dimension {dim} with size 0")


cdef int too_many(TensorImpl self) except -1:
    if self._ss.ndim == 0:
        raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python to convert a 0-dim tensor to "
                         "a number")
    raise IndexError(f"too many indices for tensor of dimension {self._ss.ndim}")


# ---- the walk -----------------------------------------------------------------------------------------------

cdef struct Cursor:
    int64_t source_ndim
    int64_t *source_sizes
    int64_t *source_strides
    int64_t dim                     # the next dim of the source
    int64_t offset
    int64_t ndim                    # dims of the result so far
    int64_t sizes[SC_MAX_NDIM]
    int64_t strides[SC_MAX_NDIM]


cdef inline int64_t moved(int64_t offset, int64_t n, int64_t stride) noexcept nogil:
    """offset + n*stride. Only a tensor without elements can have strides for which this wraps, and no view of it
    reaches memory."""
    return <int64_t>(<uint64_t>offset + <uint64_t>n * <uint64_t>stride)


cdef inline int add_dim(Cursor *c, int64_t size, int64_t stride) except -1:
    if c.ndim == SC_MAX_NDIM:
        raise ValueError(f"index: the result would have more than {SC_MAX_NDIM} dims")
    c.sizes[c.ndim] = size
    c.strides[c.ndim] = stride
    c.ndim += 1
    return 0


cdef inline int select(Cursor *c, int64_t index) except -1:
    cdef int64_t size = c.source_sizes[c.dim]
    cdef int64_t place = index + size if index < 0 else index
    if place < 0 or place >= size:
        out_of_bounds(index, c.dim, size)
    c.offset = moved(c.offset, place, c.source_strides[c.dim])
    c.dim += 1
    return 0


cdef inline int64_t clamped(PyObject *bound, int64_t missing, int64_t size) except -1:
    """A slice bound of a forward slice as a place in [0, size]. Requires is_inert(bound)."""
    cdef int beyond = 0
    cdef int64_t place
    if bound == <PyObject *>None:
        return missing
    place = PyLong_AsLongLongAndOverflow(<object>bound, &beyond)
    if beyond:
        return size if beyond > 0 else 0
    if place < 0:
        place += size
        return 0 if place < 0 else place
    return size if place > size else place


cdef inline int slice_dim(Cursor *c, object part) except -1:
    """Bounds clamp as in Python; an empty slice still moves the offset by its clamped start, as in torch."""
    cdef PySliceObject *bounds = <PySliceObject *>part
    cdef Py_ssize_t start, stop, step
    cdef int64_t size = c.source_sizes[c.dim], stride = c.source_strides[c.dim]
    cdef int64_t length, stepped = 0
    cdef int beyond = 0
    if is_inert(bounds.start) and is_inert(bounds.stop) and is_inert(bounds.step):
        step = 1 if bounds.step == <PyObject *>None else \
            PyLong_AsLongLongAndOverflow(<object>bounds.step, &beyond)
        if 0 < step <= 1 << 31:
            start = clamped(bounds.start, 0, size)
            stop = clamped(bounds.stop, size, size)
            c.offset = moved(c.offset, start, stride)
            c.dim += 1
            length = stop - start if stop > start else 0
            if step == 1:
                return add_dim(c, length, stride)
            if not sc_mul(stride, step, &stepped):
                stepped = stride
            return add_dim(c, (length + step - 1) // step, stepped)
    PySlice_Unpack(part, &start, &stop, &step)
    length = PySlice_AdjustIndices(size, &start, &stop, step)
    if start > 0 and (length > 0 or step > 0):
        c.offset = moved(c.offset, start, stride)
    if not sc_mul(stride, step, &stepped):
        stepped = stride    # only ever for a dim of at most one element, whose stride moves nothing
    c.dim += 1
    return add_dim(c, length, stepped)


cdef inline int new_axis(Cursor *c) except -1:
    cdef int64_t stride = 1
    if c.dim < c.source_ndim and not sc_mul(c.source_sizes[c.dim], c.source_strides[c.dim], &stride):
        stride = c.source_strides[c.dim]
    return add_dim(c, 1, stride)


cdef inline int keep_dims(Cursor *c, int64_t end) except -1:
    while c.dim < end:
        add_dim(c, c.source_sizes[c.dim], c.source_strides[c.dim])
        c.dim += 1
    return 0


cdef int walk(Cursor *c, TensorImpl self, tuple key) except -1:
    """Apply the parts of a key; 1 when one of them asks for a gather, 0 when the cursor has the result."""
    cdef Py_ssize_t n = PyTuple_GET_SIZE(key), i
    cdef int64_t consumed = 0, skipped
    cdef int kind
    cdef bint has_ellipsis = False
    for i in range(n):
        kind = kind_of(<object>PyTuple_GET_ITEM(key, i))
        if kind == GATHER_PART:
            return 1
        if kind <= SLICE:
            consumed += 1
        elif kind == ELLIPSIS:
            has_ellipsis = True
    if consumed > c.source_ndim:
        too_many(self)
    skipped = c.source_ndim - consumed
    for i in range(n):
        part = <object>PyTuple_GET_ITEM(key, i)
        if PyLong_CheckExact(part):
            kind = INT
        else:
            kind = kind_of(part)
        if kind == NEW_AXIS:
            new_axis(c)
        elif kind == ELLIPSIS:
            keep_dims(c, min(c.dim + skipped, c.source_ndim))
        elif c.dim >= c.source_ndim:    # after a second Ellipsis that left nothing
            raise IndexError(f"index: no dim is left for index {part!r} after a second Ellipsis")
        elif kind == INT:
            select(c, as_index(part))
        elif kind == SLICE:
            slice_dim(c, part)
        else:
            raise IndexError(f"index: the {type(part).__name__} at place {i} of the key has changed while it was read")
    return keep_dims(c, c.source_ndim)


cdef inline void start_cursor(Cursor *c, TensorImpl self) noexcept:
    c.source_ndim = self._ss.ndim
    c.source_sizes = sizes_of(self)
    c.source_strides = strides_of(self)
    c.dim = 0
    c.offset = self._storage_offset
    c.ndim = 0


cdef TensorImpl finish(TensorImpl self, Cursor *c):
    """The view that a cursor describes."""
    cdef TensorImpl view
    if c.ndim == 0:
        return scalar_view(self, c.offset)
    view = view_of(self, c.ndim)
    put_layout(view, c.sizes, c.strides)
    view._storage_offset = c.offset
    set_numel(view, "index")
    return view


cdef inline TensorImpl row(TensorImpl self, int64_t index):
    """self[index]."""
    cdef int64_t ndim = self._ss.ndim
    cdef int64_t *sizes = sizes_of(self)
    cdef int64_t *strides = strides_of(self)
    cdef int64_t size, place
    cdef TensorImpl view
    if ndim == 0:
        too_many(self)
    size = sizes[0]
    place = index + size if index < 0 else index
    if place < 0 or place >= size:
        out_of_bounds(index, 0, size)
    if ndim == 1:
        return scalar_view(self, moved(self._storage_offset, place, strides[0]))
    view = view_of(self, ndim - 1)
    put_layout(view, sizes + 1, strides + 1)
    view._storage_offset = moved(self._storage_offset, place, strides[0])
    view._numel = self._numel // size
    if is_contiguous(self):
        view._cache = CONTIGUOUS_KNOWN | CONTIGUOUS
    return view


cdef TensorImpl basic_view(TensorImpl self, object key):
    cdef Cursor c
    cdef int kind
    if PyTuple_Check(key):
        for part in <tuple>key:
            if runs_code(part):
                self = alias_of(self)    # a private copy of the layout, which nobody can change under the walk
                break
        start_cursor(&c, self)
        return None if walk(&c, self, <tuple>key) else finish(self, &c)
    kind = kind_of(key)
    if kind == INT:
        return row(self, as_index(key))
    if kind == GATHER_PART:
        return None
    if kind == ELLIPSIS:
        return alias_of(self)
    if runs_code(key):
        self = alias_of(self)
    start_cursor(&c, self)
    if kind == NEW_AXIS:
        new_axis(&c)
    elif self._ss.ndim == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    else:
        slice_dim(&c, key)
    keep_dims(&c, c.source_ndim)
    return finish(self, &c)


# ---- writing ------------------------------------------------------------------------------------------------

cdef inline bint element_offset(TensorImpl self, object key, int64_t *offset) except -1:
    """For a key of as many plain ints as there are dims: the element's checked offset. False for other keys."""
    cdef Py_ssize_t n, d
    cdef int64_t index, size, place = self._storage_offset
    if not PyTuple_CheckExact(key):
        return False
    n = PyTuple_GET_SIZE(<tuple>key)
    if n != self._ss.ndim:
        return False
    for d in range(n):
        part = <object>PyTuple_GET_ITEM(<tuple>key, d)
        if not PyLong_CheckExact(part):
            return False
        index = as_index(part)
        size = sizes_of(self)[d]
        if index < 0:
            index += size
        if index < 0 or index >= size:
            out_of_bounds(as_index(part), d, size)
        place = moved(place, index, strides_of(self)[d])
    offset[0] = place
    return True


cdef TensorImpl without_leading_ones(TensorImpl value, int64_t ndim):
    """`value` less its leading size-1 dims, as long as it has more than `ndim`."""
    cdef int64_t extra = value._ss.ndim - ndim, dropped = 0
    cdef TensorImpl view
    while dropped < extra and sizes_of(value)[dropped] == 1:
        dropped += 1
    if dropped == 0:
        return value
    view = view_of(value, value._ss.ndim - dropped)
    put_layout(view, sizes_of(value) + dropped, strides_of(value) + dropped)
    view._numel = value._numel
    return view


cdef int refuse_value(TensorImpl self, object value) except -1:
    raise TypeError(f"can't assign a {type(value).__name__} to a tensor of dtype {dtype_of(<sc_dtype>self._dtype).name}; "
                    "assign a number or a tensor")


cdef inline bint is_nested(TensorImpl t) noexcept:
    """True if each dim steps over all that the dims to its right reach, so that no two indices can meet."""
    cdef int64_t d, extent = 1
    cdef int64_t *sizes = sizes_of(t)
    cdef int64_t *strides = strides_of(t)
    for d in range(t._ss.ndim - 1, -1, -1):
        if sizes[d] > 1:
            if strides[d] < extent:
                return False
            extent = strides[d] * sizes[d]
    return True


cdef int assign(TensorImpl view, object value) except -1:
    """view[...] = value."""
    cdef int64_t strides[SC_MAX_NDIM]
    if isinstance(value, TensorImpl):
        return copy_into(view, without_leading_ones(<TensorImpl>value, view._ss.ndim), "index")
    if plain_number(value) is None:
        refuse_value(view, value)
    if view._numel > 1 and not is_nested(view):
        byte_strides_of(view, strides)
        if engine.self_overlaps(view._ss.ndim, sizes_of(view), strides, itemsize_of(view)):
            raise RuntimeError(
                "index: unsupported operation: more than one element of the written-to tensor refers to a single "
                f"memory location (sizes {list(view.sizes())}, strides {list(view.strides())}). Please clone() the "
                "tensor before performing the operation, or use fill_")
    return fill_with(view, value, ASSIGN, "index")


cdef class RowIterator:
    """Iterates over the rows of a tensor, each a view."""

    cdef TensorImpl tensor
    cdef int64_t next, end

    def __iter__(self):
        return self

    def __next__(self):
        if self.next >= self.end or self.next >= sizes_of(self.tensor)[0]:
            raise StopIteration
        self.next += 1
        return row(self.tensor, self.next - 1)

    def __length_hint__(self):
        return self.end - self.next


@cython.no_gc
cdef class TensorIndexing(TensorItems):
    """Reading and writing by index."""

    def __getitem__(self, key):
        cdef TensorImpl view
        cdef int64_t offset = 0
        if PyLong_CheckExact(key):
            return row(self, as_index(key))
        if element_offset(self, key, &offset):
            return scalar_view(self, offset)
        view = basic_view(self, key)
        if view is not None:
            return view
        load_gathers()
        return get_gathered(self, key)

    def __setitem__(self, key, value):
        cdef int64_t offset = 0, itemsize
        cdef TensorImpl view
        cdef char item[16]
        if not isinstance(value, TensorImpl) and element_offset(self, key, &offset):
            if plain_number(value) is None:
                refuse_value(self, value)
            write_item(<sc_dtype>self._dtype, item, self._bits, value, ASSIGN, "index")
            # plain_number and write_item may have run Python code: look at the storage only now.
            itemsize = itemsize_of(self)
            if self._storage.flags & READONLY:
                refuse_readonly("index")
            if (offset + 1) * itemsize > self._storage._nbytes:
                check_reach(self, "index")
                raise RuntimeError("index: the tensor was changed while it was written to")
            memcpy(self._storage.block.data + offset * itemsize, item, itemsize)
            return
        view = basic_view(self, key)
        if view is None:
            load_gathers()
            set_gathered(self, key, value)
        else:
            assign(view, value)

    def __delitem__(self, key):
        raise TypeError("Tensor does not support deleting items")

    def __len__(self):
        if self._ss.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return sizes_of(self)[0]

    def __iter__(self):
        if self._ss.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        cdef RowIterator rows = RowIterator.__new__(RowIterator)
        rows.tensor = self
        rows.next = 0
        rows.end = sizes_of(self)[0]
        return rows
