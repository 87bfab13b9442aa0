"""`TensorImpl`: a storage seen through sizes, strides and a storage offset.

    element (i, j) lies at  storage_offset + i*strides[0] + j*strides[1]   (in elements of the storage)

Invariant: with numel > 0, every reachable element lay inside the storage when the tensor was made. A storage can
shrink later, so every door to data calls check_reach (or check_writable) before it touches memory.

A tensor is one Python object: TensorImpl has the fields, its subclasses (one a subject: views, copies, indexing,
exchange) add methods and no fields, and the registered Python class `Tensor` ends the chain. Instances of
`Tensor` itself come from a pool; a user's subclass is allocated by Python.
"""
cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from stridecore.core.args cimport as_int
from stridecore.core.dtype cimport dtype, dtype_of
from stridecore.core.size cimport size_from, tuple_from
from stridecore.core.storage cimport storage_new


cdef extern from "Python.h":
    ctypedef object (*newfunc)(PyTypeObject *, object, void *)
    ctypedef struct PyTypeObject:
        newfunc tp_new
        void *tp_vectorcall
    PyTypeObject *Py_TYPE(object)
    ctypedef struct PyMethodDef:
        pass
    ctypedef struct PyGetSetDef:
        pass
    ctypedef struct PyMethodDescrObject:
        PyMethodDef *d_method
    ctypedef struct PyGetSetDescrObject:
        PyGetSetDef *d_getset
    object PyDescr_NewMethod(PyTypeObject *, PyMethodDef *)
    object PyDescr_NewGetSet(PyTypeObject *, PyGetSetDef *)


cdef extern from *:
    """
    #include "../stridecore/core/object_pool.h"
    static sc_pool tensor_pool;
    /* Objects in the pool have stale fields: these set and read them without counting references. */
    #define SC_STORAGE(t) ((PyObject *)(t)->_storage)
    #define SC_ROOT(t) ((PyObject *)(t)->_root)
    #define SC_WEAKREFS(t) ((t)->__weakref__)
    #define SC_SET_REFS(t, storage, root) \
        (Py_INCREF(storage), Py_INCREF(root), (t)->_storage = (void *)(storage), (t)->_root = (void *)(root))
    """
    ctypedef void (*destructor)(PyObject *) noexcept
    ctypedef struct sc_pool:
        int count
    sc_pool tensor_pool
    object sc_pool_take(sc_pool *pool)
    bint sc_pool_accepts(sc_pool *pool, PyObject *self)
    void sc_pool_give(sc_pool *pool, PyObject *self)
    void sc_pool_free_generic(sc_pool *pool, PyObject *self)
    int sc_pool_install(sc_pool *pool, PyTypeObject *type, PyTypeObject *base, destructor dealloc)
    object sc_new_quietly(newfunc make, PyTypeObject *type, PyObject *no_args)
    PyObject *SC_STORAGE(TensorImpl t)
    PyObject *SC_ROOT(TensorImpl t)
    void *SC_WEAKREFS(TensorImpl t)
    void SC_SET_REFS(TensorImpl t, PyObject *storage, PyObject *root)
    void Py_DECREF(PyObject *)

cdef tuple NO_ARGS = ()
cdef newfunc make_tensor
cdef PyTypeObject *tensor_type


@cython.no_gc
cdef class TensorImpl:
    """A storage seen through sizes, strides and an offset (c10's TensorImpl)."""

    def __dealloc__(self):
        sc_ss_free(&self._ss)

    def sizes(self):
        """The sizes, as a Size.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).sizes()
        stridecore.Size([2, 3])
        """
        return size_from(self._ss.ndim, sizes_of(self))

    def strides(self):
        """The strides in elements, as a plain tuple."""
        return tuple_from(self._ss.ndim, strides_of(self))

    def storage_offset(self):
        """The first element's place in the storage, in elements.

        >>> import stridecore as sc
        >>> sc.arange(6)[2:].storage_offset()
        2
        """
        return self._storage_offset

    def numel(self):
        """The number of elements: the product of the sizes.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).numel()
        6
        """
        return self._numel

    def data_ptr(self):
        """The address of the first element; 0 for a tensor without elements.

        >>> import stridecore as sc
        >>> x = sc.arange(6)
        >>> x[2:].data_ptr() - x.data_ptr()
        16
        """
        return <size_t>data_of(self) if self._numel else 0

    def offset_of(self, *index):
        """storage_offset + sum of index * stride: where the element at `index` lies in the storage, in elements.

        Takes one int a dim, each in [0, size); IndexError otherwise.

        >>> import stridecore as sc
        >>> sc.arange(12).view(3, 4)[:, 1::2].offset_of(2, 1)
        11
        """
        cdef int64_t place[SC_MAX_NDIM]
        cdef int64_t offset = 0
        cdef int64_t d
        if len(index) != self._ss.ndim:
            raise IndexError(f"offset_of: got {len(index)} indices for a tensor of {self._ss.ndim} dims")
        for d in range(self._ss.ndim):
            place[d] = as_int(index[d], "offset_of", "index")
        if not offset_of(self, place, &offset):
            raise IndexError(f"offset_of: index {index} is out of range for size {tuple(self.sizes())}")
        return offset


cdef object refuse_new(PyTypeObject *type, object args, void *kwargs):
    raise TypeError("tensors are made by stridecore.tensor, stridecore.empty and their kin")


# A tensor without a storage must not exist, so Python's own ways to make a bare instance are closed.
make_tensor = (<PyTypeObject *>TensorImpl).tp_new
(<PyTypeObject *>TensorImpl).tp_new = <newfunc>refuse_new
(<PyTypeObject *>TensorImpl).tp_vectorcall = NULL
tensor_type = <PyTypeObject *>TensorImpl


cdef void tensor_dealloc(PyObject *self) noexcept:
    cdef PyObject *storage
    cdef PyObject *root
    if not sc_pool_accepts(&tensor_pool, self) or SC_WEAKREFS(<TensorImpl>self) != NULL:
        sc_pool_free_generic(&tensor_pool, self)
        return
    storage, root = SC_STORAGE(<TensorImpl>self), SC_ROOT(<TensorImpl>self)
    sc_ss_free(&(<TensorImpl>self)._ss)
    sc_pool_give(&tensor_pool, self)
    Py_DECREF(storage)
    Py_DECREF(root)


def register(cls):
    """Make new tensors instances of `cls`, a Python subclass with empty __slots__ (the face does, at import)."""
    global tensor_type
    if sc_pool_install(&tensor_pool, <PyTypeObject *>cls, <PyTypeObject *>TensorImpl, tensor_dealloc) != 0:
        raise TypeError("register: the type must be a subclass of TensorImpl with empty __slots__, given once")
    tensor_type = <PyTypeObject *>cls
    own_methods(cls)


cdef int own_methods(object cls) except -1:
    """Give the class descriptors of its own for the methods and properties that it inherits from the core.

    CPython checks at each call that self is an instance of the class that a descriptor belongs to. For that very class
    it is one comparison, and the interpreter's fast calls apply; for a subclass it is a search along the chain.
    """
    cdef object made
    have = set(cls.__dict__)
    for base in cls.__mro__:
        if base is object:
            continue
        for name, descriptor in list(base.__dict__.items()):
            if name in have:
                continue
            have.add(name)
            if type(descriptor) is type(TensorImpl.numel):
                made = PyDescr_NewMethod(<PyTypeObject *>cls, (<PyMethodDescrObject *>descriptor).d_method)
            elif type(descriptor) is type(dtype.itemsize):
                made = PyDescr_NewGetSet(<PyTypeObject *>cls, (<PyGetSetDescrObject *>descriptor).d_getset)
            else:
                continue
            setattr(cls, name, made)
    return 0


# ---- checking -----------------------------------------------------------------------------------------------

cdef int check_sizes(int64_t ndim, const int64_t *sizes, str function) except -1:
    """RuntimeError for a negative size."""
    cdef int64_t d
    for d in range(ndim):
        if sizes[d] < 0:
            raise RuntimeError(f"{function}: Trying to create tensor with negative dimension {sizes[d]}: "
                               f"{list(tuple_from(ndim, sizes))}")
    return 0


cdef int check_geometry(StorageImpl storage, int64_t itemsize, int64_t storage_offset, int64_t ndim,
                        const int64_t *sizes, const int64_t *strides, str function) except -1:
    """The one check of a geometry against a storage: RuntimeError unless every element lies inside it.

    Sizes and offset must not be negative; a layout without elements needs no room.
    """
    cdef int64_t lowest = 0, highest = 0, numel = 0, end = 0
    check_sizes(ndim, sizes, function)
    if storage_offset < 0:
        raise RuntimeError(f"{function}: storage_offset must be at least 0, got {storage_offset}")
    if not sc_numel(ndim, sizes, &numel):
        raise RuntimeError(f"{function}: numel: integer multiplication overflow for size "
                           f"{list(tuple_from(ndim, sizes))}")
    if numel == 0:
        return 0
    if (not sc_reach(ndim, sizes, strides, &lowest, &highest) or not sc_add(storage_offset, lowest, &lowest)
            or not sc_add(storage_offset, highest, &highest) or not sc_add(highest, 1, &end)
            or not sc_mul(end, itemsize, &end)):
        raise RuntimeError(f"{function}: Storage size calculation overflowed with sizes "
                           f"{list(tuple_from(ndim, sizes))}, strides {list(tuple_from(ndim, strides))} and "
                           f"storage_offset {storage_offset}")
    if lowest < 0:
        raise RuntimeError(f"{function}: sizes {list(tuple_from(ndim, sizes))}, strides "
                           f"{list(tuple_from(ndim, strides))} and storage_offset {storage_offset} reach element "
                           f"{lowest}, before the storage's start")
    if end > storage._nbytes:
        raise RuntimeError(f"{function}: sizes {list(tuple_from(ndim, sizes))}, strides "
                           f"{list(tuple_from(ndim, strides))}, storage_offset {storage_offset} and itemsize "
                           f"{itemsize} require {end} bytes: out of bounds for storage of size {storage._nbytes}")
    return 0


cdef int check_reach(TensorImpl t, str function) except -1:
    """Before data is touched: RuntimeError if the storage has become too small for the tensor."""
    cdef int64_t lowest = 0, highest = 0
    if t._numel == 0:
        return 0
    sc_reach(t._ss.ndim, sizes_of(t), strides_of(t), &lowest, &highest)
    if (t._storage_offset + highest + 1) * itemsize_of(t) > t._storage._nbytes:
        if t.is_sparse:    # of the subclass, which keeps its elements elsewhere
            raise NotImplementedError(f"{function}: not for sparse COO tensors; .to_dense() gives a strided tensor")
        raise RuntimeError(f"{function}: the tensor reaches element {t._storage_offset + highest} but its storage, "
                           f"resized since, has {t._storage._nbytes} bytes "
                           f"({t._storage._nbytes // itemsize_of(t)} elements)")
    return 0


# ---- making -------------------------------------------------------------------------------------------------

cdef inline TensorImpl bare(PyTypeObject *cls, StorageImpl storage, object root, uint8_t dtype, int64_t ndim):
    """A tensor whose sizes and strides are still to be set, and its numel and offset if they aren't 0."""
    cdef TensorImpl t
    cdef int64_t d
    if cls == tensor_type and tensor_pool.count:
        t = <TensorImpl>sc_pool_take(&tensor_pool)
        SC_SET_REFS(t, <PyObject *>storage, <PyObject *>root)
        t._storage_offset = 0
        t._numel = 0
        t._bits = 0
        t._cache = 0
        sc_ss_init(&t._ss)
    else:
        t = <TensorImpl>sc_new_quietly(make_tensor, cls, <PyObject *>NO_ARGS)
        t._storage = storage
        t._root = root
    t._dtype = dtype
    if ndim <= SC_INLINE_NDIM:
        t._ss.ndim = ndim
    elif ndim > SC_MAX_NDIM:
        raise ValueError(f"a tensor can't have {ndim} dims; at most {SC_MAX_NDIM} are supported")
    elif not sc_ss_set_ndim(&t._ss, ndim):
        raise MemoryError
    if cls != tensor_type:    # if the caller fails, a subclass's __del__ sees this tensor
        for d in range(ndim):
            sizes_of(t)[d] = 0
            strides_of(t)[d] = 0
    return t


cdef int set_numel(TensorImpl t, str function) except -1:
    """After sizes were set: compute numel; RuntimeError when it does not fit in 64 bits."""
    t._cache = 0
    if not sc_numel(t._ss.ndim, sizes_of(t), &t._numel):
        raise RuntimeError(f"{function}: numel: integer multiplication overflow for size {list(t.sizes())}")
    return 0


cdef int set_layout(TensorImpl t, int64_t storage_offset, int64_t ndim, const int64_t *sizes, const int64_t *strides,
                    str function) except -1:
    """Replace a tensor's layout, for in-place changes; the caller has checked it. All or nothing."""
    cdef int64_t numel = 0
    if not sc_numel(ndim, sizes, &numel):
        raise RuntimeError(f"{function}: numel: integer multiplication overflow")
    if ndim > SC_MAX_NDIM:
        raise ValueError(f"{function}: a tensor can't have {ndim} dims; at most {SC_MAX_NDIM} are supported")
    if not sc_ss_set_ndim(&t._ss, ndim):
        raise MemoryError
    put_layout(t, sizes, strides)
    t._storage_offset = storage_offset
    t._numel = numel
    t._cache = 0
    return 0


cdef TensorImpl tensor_new(sc_dtype dtype, int64_t ndim, const int64_t *sizes, bint zeroed):
    """A contiguous tensor on new memory, zeroed or of unspecified content."""
    cdef int64_t nbytes = 0, numel = 0
    cdef TensorImpl t = bare(tensor_type, None, None, dtype, ndim)
    check_sizes(ndim, sizes, "empty")
    if not sc_contiguous_strides(ndim, sizes, strides_of(t)):
        raise RuntimeError(f"empty: Stride calculation overflowed with sizes {list(tuple_from(ndim, sizes))}")
    if not sc_numel(ndim, sizes, &numel) or not sc_mul(numel, sc_itemsize(dtype), &nbytes):
        raise RuntimeError(f"empty: Storage size calculation overflowed with sizes {list(tuple_from(ndim, sizes))}")
    memcpy(sizes_of(t), sizes, ndim * sizeof(int64_t))
    t._numel = numel
    t._cache = CONTIGUOUS_KNOWN | CONTIGUOUS
    t._storage = storage_new(nbytes, zeroed)
    return t


cdef TensorImpl tensor_new_strided(sc_dtype dtype, int64_t ndim, const int64_t *sizes, const int64_t *strides):
    """A tensor of this layout, strides >= 0, on new memory of unspecified content that just fits it."""
    cdef int64_t nbytes = 0, numel = 0, lowest = 0, highest = 0, d
    check_sizes(ndim, sizes, "empty_strided")
    for d in range(ndim):
        if strides[d] < 0:
            raise RuntimeError(f"empty_strided: strides must be at least 0, got {list(tuple_from(ndim, strides))}")
    cdef TensorImpl t = bare(tensor_type, None, None, dtype, ndim)
    put_layout(t, sizes, strides)
    set_numel(t, "empty_strided")
    if t._numel:
        if (not sc_reach(ndim, sizes, strides, &lowest, &highest) or not sc_add(highest, 1, &nbytes)
                or not sc_mul(nbytes, sc_itemsize(dtype), &nbytes)):
            raise RuntimeError(f"empty_strided: Storage size calculation overflowed with sizes "
                               f"{list(tuple_from(ndim, sizes))} and strides {list(tuple_from(ndim, strides))}")
    t._storage = storage_new(nbytes, False)
    return t


cdef TensorImpl tensor_over(StorageImpl storage, sc_dtype dtype, int64_t storage_offset, int64_t ndim,
                            const int64_t *sizes, const int64_t *strides, str function):
    """A tensor, not a view, of this layout over an existing storage; the geometry is checked."""
    check_geometry(storage, sc_itemsize(dtype), storage_offset, ndim, sizes, strides, function)
    cdef TensorImpl t = bare(tensor_type, storage, None, dtype, ndim)
    put_layout(t, sizes, strides)
    t._storage_offset = storage_offset
    set_numel(t, function)
    return t


cdef TensorImpl typed_as(TensorImpl fresh, TensorImpl source):
    """`fresh`, which nobody else has seen, as an instance of the type of `source`."""
    return retyped(fresh, Py_TYPE(source))


cdef TensorImpl as_class(TensorImpl fresh, object cls, str function):
    """`fresh`, which nobody else has seen, as an instance of `cls`; TypeError if that is no class of tensors."""
    if not isinstance(cls, type) or not issubclass(cls, <object>tensor_type):
        raise TypeError(f"{function}: expected stridecore.Tensor or a subclass, got {cls!r}")
    return retyped(fresh, <PyTypeObject *>cls)


cdef TensorImpl retyped(TensorImpl fresh, PyTypeObject *cls):
    if Py_TYPE(fresh) == cls:
        return fresh
    cdef TensorImpl t = bare(cls, fresh._storage, None, fresh._dtype, fresh._ss.ndim)
    put_layout(t, sizes_of(fresh), strides_of(fresh))
    t._storage_offset = fresh._storage_offset
    t._numel = fresh._numel
    t._cache = fresh._cache
    t._bits = fresh._bits
    return t


cdef TensorImpl view_of(TensorImpl source, int64_t ndim):
    """A view of `source`, of its type, at its offset, whose `ndim` sizes and strides the caller sets.

    The caller then sets _numel, itself or by set_numel, and stays within what `source` reaches.
    """
    cdef TensorImpl view = bare(Py_TYPE(source), source._storage, source if source._root is None else source._root,
                                source._dtype, ndim)
    view._bits = source._bits
    view._storage_offset = source._storage_offset
    return view


cdef TensorImpl alias_of(TensorImpl source):
    """A view of `source` with the same layout."""
    cdef TensorImpl view = view_of(source, source._ss.ndim)
    put_layout(view, sizes_of(source), strides_of(source))
    view._numel = source._numel
    view._cache = source._cache
    return view


cdef TensorImpl scalar_view(TensorImpl source, int64_t storage_offset):
    """A 0-dim view of the element at this offset, which the caller has checked."""
    cdef TensorImpl view = bare(Py_TYPE(source), source._storage, source if source._root is None else source._root,
                                source._dtype, 0)
    view._bits = source._bits
    view._storage_offset = storage_offset
    view._numel = 1
    view._cache = CONTIGUOUS_KNOWN | CONTIGUOUS
    return view
