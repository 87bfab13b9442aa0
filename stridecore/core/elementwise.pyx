"""Elementwise results: their layout, and NumPy's ufuncs over tensors' memory.

A result is laid out as torch's TensorIterator does it (where.pyx).
"""
from libc.stdint cimport int64_t

from stridecore.core.args cimport as_dtype
from stridecore.core.dtype cimport dtype_of
from stridecore.core.engine cimport *
from stridecore.core.ndarray cimport borrowed_array
from stridecore.core.tensor_impl cimport *
from stridecore.core.where cimport broadcast_sizes, result_of


cpdef TensorImpl result_like(str function, list operands, dtype):
    """A new tensor of `dtype`, of unspecified values, for the elementwise result of these tensors.

    Its sizes are the broadcast ones, its strides torch's; it is of the first operand's type.
    """
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t ndim = broadcast_sizes(operands, sizes, function)
    cdef sc_dtype code = as_dtype(dtype, SC_FLOAT32, function)
    return typed_as(result_of(function, operands, code, ndim, sizes), operands[0])


def is_dense(TensorImpl x not None):
    """True iff the elements fill their memory without gaps, each in a place of its own."""
    return is_contiguous(x) or sc_is_non_overlapping_and_dense(x._ss.ndim, sizes_of(x), strides_of(x))


def apply(str function, ufunc, tuple inputs not None, TensorImpl out not None):
    """ufunc(*inputs, out=out) over the memory of the tensors among the inputs and of `out`; returns `out`.

    All dtypes are NumPy's and no lazy bits are set; Python numbers pass as they are. The storages can't be resized
    meanwhile, and can again afterwards. RuntimeError if `out` is read-only or reaches one place by two indices.
    """
    cdef TensorImpl t
    cdef list storages = []
    cdef int64_t byte_strides[SC_MAX_NDIM]
    check_writable(out, function)
    if out._numel > 1:
        byte_strides_of(out, byte_strides)
        if self_overlaps(out._ss.ndim, sizes_of(out), byte_strides, itemsize_of(out)):
            raise RuntimeError(f"{function}: unsupported operation: more than one element of the written-to tensor "
                               "refers to a single memory location. Please clone() the tensor before performing the "
                               "operation")
    arrays = []
    try:
        for value in (*inputs, out):
            if isinstance(value, TensorImpl):
                t = <TensorImpl>value
                storages.append(t._storage)
                t._storage.pins += 1
                value = borrowed_array(t, function)
            arrays.append(value)
        target = arrays.pop()
        ufunc(*arrays, out=target, casting="unsafe")
    finally:
        for storage in storages:
            (<StorageImpl>storage).pins -= 1
    return out
