"""Loops over two tensors, one of them addressed by index tensors: what gather, scatter and advanced indexing share.

A Loop is filled in by its user: sizes, the byte strides of both sides, and index tensors one by one. `run_loop` then
hands it to the engine, once it has looked at all storages again. Operands whose layout others could change while a
copy is made without the GIL are aliases: private layouts over the same storage. Indices are read and checked in the same pass; whoever writes to memory that others see
checks them all beforehand with `check_loop`, so that nothing is written when one of them is invalid.
"""
from cpython.complex cimport PyComplex_Check
from cpython.float cimport PyFloat_Check
from cpython.long cimport PyLong_Check
from libc.stdint cimport int64_t
from libc.string cimport memset

from stridecore.core cimport engine
from stridecore.core.copy cimport converted, copy_into
from stridecore.core.dtype cimport dtype_of
from stridecore.core.memory_format cimport PRESERVE
from stridecore.core.options cimport as_out, fit_out, has_to_shrink_or_grow
from stridecore.core.options import warn_of_resize
from stridecore.core.scalars cimport plain_number, read_item
from stridecore.core.tensor_impl cimport *


# Below this many elements a loop costs less than letting go of the GIL and taking it again.
cdef enum:
    GIL_NUMEL = 2048


cdef int64_t *add_index(Loop *loop, TensorImpl indexed, int64_t dim, TensorImpl index, bint wraps,
                        str function) except NULL:
    cdef int64_t k = loop.n
    cdef sc_index *described = &loop.indices[k]
    check_reach(index, function)
    described.data = data_of(index)
    described.byte_strides = loop.index_strides[k]
    described.size = sizes_of(indexed)[dim] if indexed._ss.ndim else 1
    described.byte_step = strides_of(indexed)[dim] * itemsize_of(indexed) if indexed._ss.ndim and indexed._numel else 0
    described.is_int32 = index._dtype == SC_INT32
    described.wraps = wraps
    loop.dims[k] = dim
    memset(loop.index_strides[k], 0, loop.ndim * sizeof(int64_t))
    loop.n = k + 1
    return loop.index_strides[k]


cdef bint has_elements(Loop *loop) noexcept:
    cdef int64_t d
    for d in range(loop.ndim):
        if loop.sizes[d] == 0:
            return False
    return True


cdef int bad_index(Loop *loop, sc_bad_index *bad, object error, str function) except -1:
    cdef int64_t dim = loop.dims[bad.which], size = loop.indices[bad.which].size
    cdef int64_t lowest = -size if loop.indices[bad.which].wraps else 0
    if size == 0:
        raise error(f"{function}: index {bad.value} is out of bounds for dimension {dim} with size 0")
    raise error(f"{function}: index {bad.value} is out of bounds for dimension {dim} with size {size}; "
                f"the range is [{lowest}, {size - 1}]")


cdef int check_loop(Loop *loop, object error, str function) except -1:
    cdef sc_bad_index bad
    if not engine.check_indices(loop.ndim, loop.sizes, loop.n, loop.indices, &bad):
        bad_index(loop, &bad, error, function)
    return 0


cdef int run_loop(Loop *loop, TensorImpl plain, TensorImpl indexed, list index_tensors, int work, object error,
                  str function) except -1:
    cdef sc_indexed_loop described
    cdef sc_bad_index bad
    cdef bint done
    cdef int64_t d, numel = 1
    cdef sc_block *held[SC_MAX_NDIM + 2]
    cdef int n_held = 0, i
    cdef sc_dtype dtype = <sc_dtype>indexed._dtype
    for d in range(loop.ndim):
        numel *= loop.sizes[d]
    if numel == 0:
        return 0
    # What was copied meanwhile may have let other threads, or finalizers, shrink a storage.
    check_reach(plain, function)
    if work == GATHER:
        check_reach(indexed, function)
    else:
        check_writable(indexed, function)
    for d in range(loop.n):
        check_reach(<TensorImpl>index_tensors[d], function)
        loop.indices[d].data = data_of(<TensorImpl>index_tensors[d])
    described.ndim, described.sizes = loop.ndim, loop.sizes
    described.item = itemsize_of(indexed)
    described.plain, described.plain_strides = data_of(plain), loop.plain_strides
    described.indexed, described.indexed_strides = data_of(indexed), loop.indexed_strides
    described.n_indices, described.indices = loop.n, loop.indices
    if numel < GIL_NUMEL:
        done = run_engine(&described, work, dtype, &bad)
    else:
        # Blocks, not storages, are held: another thread may resize a storage meanwhile.
        held[0], held[1] = plain._storage.block, indexed._storage.block
        n_held = 2
        for d in range(loop.n):
            held[n_held] = (<TensorImpl>index_tensors[d])._storage.block
            n_held += 1
        for i in range(n_held):
            engine.block_retain(held[i])
        with nogil:
            done = run_engine(&described, work, dtype, &bad)
        for i in range(n_held):
            engine.block_release(held[i])
    if not done:
        bad_index(loop, &bad, error, function)
    return 0


cdef inline bint run_engine(const sc_indexed_loop *described, int work, sc_dtype dtype,
                            sc_bad_index *bad) noexcept nogil:
    if work == GATHER:
        return engine.run_gather(described, bad)
    if work == SCATTER:
        return engine.run_scatter(described, bad)
    return engine.run_scatter_reduce(described, dtype, <sc_reduction>work, bad)


# ---- memory -------------------------------------------------------------------------------------------------

cdef bint may_share(TensorImpl a, TensorImpl b) noexcept:
    cdef int64_t a_lowest = 0, a_highest = 0, b_lowest = 0, b_highest = 0
    cdef int64_t a_item = itemsize_of(a), b_item = itemsize_of(b)
    cdef size_t a_data, b_data
    if a._numel == 0 or b._numel == 0:
        return False
    sc_reach(a._ss.ndim, sizes_of(a), strides_of(a), &a_lowest, &a_highest)
    sc_reach(b._ss.ndim, sizes_of(b), strides_of(b), &b_lowest, &b_highest)
    a_data, b_data = <size_t>data_of(a), <size_t>data_of(b)
    return not (a_data + <size_t>((a_highest + 1) * a_item) <= b_data + <size_t>(b_lowest * b_item)
                or b_data + <size_t>((b_highest + 1) * b_item) <= a_data + <size_t>(a_lowest * a_item))


cdef int refuse_self_overlap(TensorImpl t, str function) except -1:
    cdef int64_t strides[SC_MAX_NDIM]
    if t._numel <= 1 or is_contiguous(t):
        return 0
    byte_strides_of(t, strides)
    if engine.self_overlaps(t._ss.ndim, sizes_of(t), strides, itemsize_of(t)):
        raise RuntimeError(f"{function}: unsupported operation: more than one element of the written-to tensor refers "
                           f"to a single memory location (sizes {list(t.sizes())}, strides {list(t.strides())}). "
                           "Please clone() the tensor before performing the operation")
    return 0


# ---- results ------------------------------------------------------------------------------------------------

cdef TensorImpl resolved(TensorImpl result):
    if not result._bits:
        return result
    return converted(result, <sc_dtype>result._dtype, PRESERVE)


cdef TensorImpl delivered(TensorImpl result, object out, str function):
    cdef TensorImpl to
    cdef bint resized
    if out is None:
        return result
    to = as_out(out, None, function)
    if to._dtype != result._dtype:
        raise RuntimeError(f"{function}: Expected out tensor to have dtype {dtype_of(<sc_dtype>result._dtype)!r}, but "
                           f"got {dtype_of(<sc_dtype>to._dtype)!r} instead")
    resized = has_to_shrink_or_grow(to, result._ss.ndim, sizes_of(result))
    fit_out(to, result._ss.ndim, sizes_of(result), function)
    copy_into(to, result, function)
    if resized:
        warn_of_resize(function, to.sizes())
    return to


# ---- arguments ----------------------------------------------------------------------------------------------

cdef TensorImpl tensor_arg(object value, str function, str name):
    if not isinstance(value, TensorImpl):
        raise TypeError(f"{function}: argument '{name}' must be Tensor, not {type(value).__name__}")
    return <TensorImpl>value


cdef TensorImpl index_arg(object value, object error, str function):
    cdef TensorImpl index = tensor_arg(value, function, "index")
    if index._dtype != SC_INT64 and index._dtype != SC_INT32:
        raise error(f"{function}: expected dtype int32 or int64 for index, got {dtype_of(<sc_dtype>index._dtype).name}")
    return index


cdef object number_arg(object value, str function, str name):
    """A Python number, or None for anything else."""
    if PyFloat_Check(value) or PyLong_Check(value) or PyComplex_Check(value):
        return value
    return plain_number(value)


cdef object fill_number(object value, str function, str name):
    """The number that a number or a 0-dim tensor says."""
    cdef TensorImpl t
    if isinstance(value, TensorImpl):
        t = <TensorImpl>value
        if t._ss.ndim != 0:
            raise RuntimeError(f"{function}: only supports a 0-dimensional value tensor, but got tensor with "
                               f"{t._ss.ndim} dimension(s)")
        check_reach(t, function)
        return read_item(<sc_dtype>t._dtype, data_of(t), t._bits)
    number = number_arg(value, function, name)
    if number is None:
        raise TypeError(f"{function}: argument '{name}' must be a number, not {type(value).__name__}")
    return number
