"""Overlap: do two tensors reach the same memory?"""
from libc.stdint cimport int64_t

from stridecore.core cimport engine
from stridecore.core.engine cimport *
from stridecore.core.metadata cimport as_tensor_arg
from stridecore.core.tensor_impl cimport *


def shares_memory(a, b):
    """True if some byte of memory belongs to an element of `a` and to one of `b`.

    Tensors on one storage need not share memory: `x[0::2]` and `x[1::2]` don't. (Whether the storage is the same is
    `a.untyped_storage() is b.untyped_storage()`.) The answer is exact, but for layouts so entangled that the search is
    cut off: they count as sharing.

    >>> import stridecore as sc
    >>> x = sc.arange(6)
    >>> sc.shares_memory(x, x[1::2]), sc.shares_memory(x[0::2], x[1::2])
    (True, False)
    """
    cdef int64_t a_strides[SC_MAX_NDIM]
    cdef int64_t b_strides[SC_MAX_NDIM]
    cdef TensorImpl s = as_tensor_arg(a, "shares_memory", "a")
    cdef TensorImpl t = as_tensor_arg(b, "shares_memory", "b")
    if s._numel == 0 or t._numel == 0:
        return False
    byte_strides_of(s, a_strides)
    byte_strides_of(t, b_strides)
    return engine.overlaps(data_of(s), s._ss.ndim, sizes_of(s), a_strides, itemsize_of(s),
                           data_of(t), t._ss.ndim, sizes_of(t), b_strides, itemsize_of(t))
