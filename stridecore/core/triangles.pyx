"""Triangles: zero what lies above or below a diagonal of the matrices in the last two dims.

Row i of all matrices of a batch is one fill of the engine, so the fills are as many as a matrix has rows.

    diagonal = 0, keep the lower part:   row 0  x 0 0 0
                                         row 1  x x 0 0      zeros from column i + diagonal + 1 on
                                         row 2  x x x 0
"""
from libc.stdint cimport int64_t

from stridecore.core cimport engine
from stridecore.core.copy cimport copy_into, raise_status
from stridecore.core.engine cimport *
from stridecore.core.index_loop cimport refuse_self_overlap
from stridecore.core.tensor_impl cimport *


cdef inline void row_bounds(int64_t i, int64_t diagonal, bint keep_lower, int64_t columns, int64_t *start,
                            int64_t *stop) noexcept nogil:
    """The columns of row i that are to be zero; start >= stop if there are none."""
    start[0] = max(i + diagonal + 1, 0) if keep_lower else 0
    stop[0] = columns if keep_lower else min(i + diagonal, columns)


def write_triangle(TensorImpl t not None, TensorImpl source, int64_t diagonal, bint keep_lower, str function):
    """Zero the elements of t above the diagonal (keep_lower) or below it; the others are copied from `source`, of the
    same size and dtype and on other memory, unless that is None. Requires at least 2 dims.

    From rows that lie in order only what is kept is copied. Other layouts are copied as a whole, which the engine does
    best, and zeroed then.
    """
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t from_strides[SC_MAX_NDIM]
    cdef int64_t ndim = t._ss.ndim, d, i, rows, columns, start = 0, stop = 0
    cdef bint by_row
    cdef char zero[16]
    cdef char *data
    cdef char *from_data = NULL
    cdef sc_operand to, kept
    cdef sc_block *block
    cdef sc_block *from_block = NULL
    cdef sc_status status = SC_OK
    check_writable(t, function)
    refuse_self_overlap(t, function)
    if t._numel == 0:
        return
    by_row = source is not None and strides_of(source)[ndim - 1] == 1 and sizes_of(t)[ndim - 1] * itemsize_of(t) >= 256
    if source is not None and not by_row:
        copy_into(t, source, function)
    for i in range(16):
        zero[i] = 0
    byte_strides_of(t, strides)
    for d in range(ndim):
        sizes[d] = sizes_of(t)[d]
    rows, columns = sizes[ndim - 2], sizes[ndim - 1]
    diagonal = min(max(diagonal, -rows), columns)    # from here on everything fits
    sizes[ndim - 2] = 1
    to.byte_strides, to.dtype, to.bits = strides, <sc_dtype>t._dtype, t._bits    # zero is zero under any bits
    block, data = t._storage.block, data_of(t)
    engine.block_retain(block)
    if by_row:
        check_reach(source, function)
        byte_strides_of(source, from_strides)
        kept.byte_strides, kept.dtype, kept.bits = from_strides, <sc_dtype>source._dtype, source._bits
        from_block, from_data = source._storage.block, data_of(source)
        engine.block_retain(from_block)
    with nogil:
        for i in range(rows):
            row_bounds(i, diagonal, keep_lower, columns, &start, &stop)
            if start < stop:
                sizes[ndim - 1] = stop - start
                to.data = data + i * strides[ndim - 2] + start * strides[ndim - 1]
                status = engine.fill(ndim, sizes, &to, zero)
            if by_row and status == SC_OK:
                if keep_lower:
                    start, stop = 0, min(start, columns)
                else:
                    start, stop = max(stop, 0), columns
                sizes[ndim - 1] = stop - start
                if start < stop:
                    to.data = data + i * strides[ndim - 2] + start * strides[ndim - 1]
                    kept.data = from_data + i * from_strides[ndim - 2] + start * from_strides[ndim - 1]
                    status = engine.copy(ndim, sizes, &to, &kept)
            if status != SC_OK:
                break
    engine.block_release(block)
    if by_row:
        engine.block_release(from_block)
    if status != SC_OK:
        raise_status(status, t, function)
