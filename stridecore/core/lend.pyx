"""Tensors' memory lent to a function of NumPy arrays, for as long as it runs."""
from stridecore.core.engine cimport *
from stridecore.core.ndarray cimport borrowed_array
from stridecore.core.tensor_impl cimport *


cdef int check_target(TensorImpl t, str function) except -1:
    """Refuse to write a read-only tensor, or one that reaches one place in memory by two indices."""
    cdef int64_t byte_strides[SC_MAX_NDIM]
    check_writable(t, function)
    if t._numel > 1:
        byte_strides_of(t, byte_strides)
        if self_overlaps(t._ss.ndim, sizes_of(t), byte_strides, itemsize_of(t)):
            raise RuntimeError(f"{function}: unsupported operation: more than one element of the written-to tensor "
                               "refers to a single memory location. Please clone() the tensor before performing the "
                               "operation")
    return 0


def lend(str function, compute, tuple inputs not None, tuple outputs not None=()):
    """compute(*arrays) over the memory of the inputs, then of the outputs; returns what it returns.

    All dtypes are NumPy's and no lazy bits are set. What `compute` returns must not refer to the arrays: the storages
    can't be resized meanwhile, and can again afterwards. RuntimeError if an output is read-only or overlaps itself.
    """
    cdef TensorImpl t
    cdef list pinned = [], arrays = []
    cdef tuple tensors = inputs + outputs
    for t in tensors:
        pinned.append(t._storage)
    for storage in pinned:    # before the arrays are made: making them can run the collector, and so any code
        (<StorageImpl>storage).pins += 1
    try:
        for t in outputs:
            check_target(t, function)
        for t in tensors:
            arrays.append(borrowed_array(t, function))
        return compute(*arrays)
    finally:
        for storage in pinned:
            (<StorageImpl>storage).pins -= 1
