"""The C engine: the one module that links src/ and so holds its state (blocks, threads, kernel table)."""


cdef extern from "stridecore.h" nogil:
    sc_block *sc_block_new(int64_t nbytes, bint zeroed)
    sc_block *sc_block_wrap(void *data, int64_t nbytes, release_fn on_release, void *context)
    void sc_block_retain(sc_block *block)
    void sc_block_release(sc_block *block)
    sc_status sc_copy(int64_t ndim, const int64_t *sizes, const sc_operand *dst, const sc_operand *src)
    sc_status sc_fill(int64_t ndim, const int64_t *sizes, const sc_operand *dst, const void *item)
    bint sc_self_overlaps(int64_t ndim, const int64_t *sizes, const int64_t *byte_strides, int64_t itemsize)
    bint sc_overlaps(const char *a, int64_t a_ndim, const int64_t *a_sizes, const int64_t *a_byte_strides,
                     int64_t a_itemsize, const char *b, int64_t b_ndim, const int64_t *b_sizes,
                     const int64_t *b_byte_strides, int64_t b_itemsize)
    void sc_convert_item(sc_dtype dst_dtype, void *dst, sc_dtype src_dtype, const void *src)


cdef sc_block *block_new(int64_t nbytes, bint zeroed) noexcept nogil:
    return sc_block_new(nbytes, zeroed)


cdef sc_block *block_wrap(void *data, int64_t nbytes, release_fn on_release, void *context) noexcept nogil:
    return sc_block_wrap(data, nbytes, on_release, context)


cdef void block_retain(sc_block *block) noexcept nogil:
    sc_block_retain(block)


cdef void block_release(sc_block *block) noexcept nogil:
    sc_block_release(block)


cdef sc_status copy(int64_t ndim, const int64_t *sizes, const sc_operand *dst, const sc_operand *src) noexcept nogil:
    return sc_copy(ndim, sizes, dst, src)


cdef sc_status fill(int64_t ndim, const int64_t *sizes, const sc_operand *dst, const void *item) noexcept nogil:
    return sc_fill(ndim, sizes, dst, item)


cdef bint self_overlaps(int64_t ndim, const int64_t *sizes, const int64_t *byte_strides,
                        int64_t itemsize) noexcept nogil:
    return sc_self_overlaps(ndim, sizes, byte_strides, itemsize)


cdef bint overlaps(const char *a, int64_t a_ndim, const int64_t *a_sizes, const int64_t *a_byte_strides,
                   int64_t a_itemsize, const char *b, int64_t b_ndim, const int64_t *b_sizes,
                   const int64_t *b_byte_strides, int64_t b_itemsize) noexcept nogil:
    return sc_overlaps(a, a_ndim, a_sizes, a_byte_strides, a_itemsize, b, b_ndim, b_sizes, b_byte_strides, b_itemsize)


cdef void convert_item(sc_dtype dst_dtype, void *dst, sc_dtype src_dtype, const void *src) noexcept nogil:
    sc_convert_item(dst_dtype, dst, src_dtype, src)
