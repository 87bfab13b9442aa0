from libc.stdint cimport int64_t

cdef tuple size_from(int64_t ndim, const int64_t *sizes)
cdef tuple tuple_from(int64_t n, const int64_t *values)
cdef list list_from(int64_t n, const int64_t *values)
