"""Triangles: zero what lies above or below a diagonal of the matrices in the last two dims.

Row i of all matrices of a batch is one fill of the engine, so the fills are as many as a matrix has rows.

    diagonal = 0, keep the lower part:   row 0  x 0 0 0
                                         row 1  x x 0 0      zeros from column i + diagonal + 1 on
                                         row 2  x x x 0
"""
from libc.stdint cimport int64_t

from stridecore.core cimport engine
from stridecore.core.copy cimport raise_status
from stridecore.core.engine cimport *
from stridecore.core.index_loop cimport refuse_self_overlap
from stridecore.core.tensor_impl cimport *


def zero_outside(TensorImpl t not None, int64_t diagonal, bint keep_lower, str function):
    """Zero the elements above the diagonal (keep_lower) or below it. Requires at least 2 dims."""
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t ndim = t._ss.ndim, d, i, rows, columns, start, stop
    cdef char zero[16]
    cdef sc_operand to
    cdef sc_block *block
    cdef sc_status status = SC_OK
    check_writable(t, function)
    refuse_self_overlap(t, function)
    if t._numel == 0:
        return
    for i in range(16):
        zero[i] = 0
    byte_strides_of(t, strides)
    for d in range(ndim):
        sizes[d] = sizes_of(t)[d]
    rows, columns = sizes[ndim - 2], sizes[ndim - 1]
    diagonal = min(max(diagonal, -rows), columns)    # from here on everything fits
    sizes[ndim - 2] = 1
    to.byte_strides, to.dtype, to.bits = strides, <sc_dtype>t._dtype, 0    # zero is zero under any bits
    block = t._storage.block
    engine.block_retain(block)
    cdef char *data = data_of(t)
    with nogil:
        for i in range(rows):
            if keep_lower:
                start, stop = max(i + diagonal + 1, 0), columns
            else:
                start, stop = 0, min(i + diagonal, columns)
            if start >= stop:
                continue
            sizes[ndim - 1] = stop - start
            to.data = data + i * strides[ndim - 2] + start * strides[ndim - 1]
            status = engine.fill(ndim, sizes, &to, zero)
            if status != SC_OK:
                break
    engine.block_release(block)
    if status != SC_OK:
        raise_status(status, t, function)
