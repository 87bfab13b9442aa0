cdef class device:
    cdef readonly str type
    cdef readonly object index


cdef device CPU

cdef int check_device(object value, str function) except -1
