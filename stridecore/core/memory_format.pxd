# How the elements of a new tensor are laid out.


cdef enum:
    PRESERVE = 0
    CONTIGUOUS_FORMAT = 1
    CHANNELS_LAST = 2
    CHANNELS_LAST_3D = 3


cdef class memory_format:
    cdef readonly str name
    cdef int code


cdef class layout:
    cdef readonly str name


cdef memory_format preserve_format, contiguous_format, channels_last, channels_last_3d
cdef layout strided, sparse_coo

cdef int as_memory_format(object value, int default, str function) except -1
