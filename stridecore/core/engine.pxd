# The C engine as Cython sees it. Layout arithmetic is inline, from the headers; what has state or weight
# is linked into the module `engine` alone and reached through the functions at the end.
from libc.stdint cimport int64_t, uint32_t, uint64_t, uintptr_t


ctypedef void (*release_fn)(void *context) noexcept


cdef extern from "binary.h" nogil:
    ctypedef enum sc_binary_op:
        SC_ADD
        SC_SUB
        SC_MUL
        SC_DIV
        SC_MAX
        SC_MIN
        SC_ABS
        SC_SQRT
        SC_AND
        SC_OR
        SC_XOR
        SC_EQ
        SC_NE
        SC_LT
        SC_LE
        SC_GT
        SC_GE

    enum:
        SC_BINARY_LEFT
        SC_BINARY_RIGHT
        SC_BINARY_OUT

    ctypedef enum sc_binary_form:
        SC_ROWS
        SC_RIGHT
        SC_LEFT

    ctypedef void sc_binary_kernel(void *out, const void *a, const void *b, int64_t n) noexcept nogil


cdef extern from "stridecore.h" nogil:
    enum:
        SC_MAX_NDIM
        SC_INLINE_NDIM
        SC_CONJ
        SC_NEG

    ctypedef enum sc_dtype:
        SC_BOOL
        SC_UINT8
        SC_INT8
        SC_INT16
        SC_INT32
        SC_INT64
        SC_UINT16
        SC_UINT32
        SC_UINT64
        SC_FLOAT16
        SC_BFLOAT16
        SC_FLOAT32
        SC_FLOAT64
        SC_COMPLEX32
        SC_COMPLEX64
        SC_COMPLEX128
        SC_FLOAT8_E4M3FN
        SC_FLOAT8_E5M2
        SC_FLOAT8_E4M3FNUZ
        SC_FLOAT8_E5M2FNUZ
        SC_FLOAT8_E8M0FNU
        SC_NUM_DTYPES

    ctypedef enum sc_status:
        SC_OK
        SC_ENOMEM
        SC_EOVERFLOW
        SC_ESELF

    ctypedef struct sc_block:
        char *data
        int64_t nbytes

    ctypedef struct sc_operand:
        char *data
        const int64_t *byte_strides
        sc_dtype dtype
        uint32_t bits

    ctypedef struct sc_view_conflict:
        int64_t outer
        int64_t inner
        int64_t needed

    ctypedef struct sc_sizes_strides:
        int64_t ndim

    int64_t sc_itemsize(sc_dtype dtype)
    bint sc_is_complex(sc_dtype dtype)
    bint sc_is_floating_point(sc_dtype dtype)
    bint sc_is_float8(sc_dtype dtype)
    bint sc_is_integral(sc_dtype dtype)
    bint sc_is_signed(sc_dtype dtype)
    sc_dtype sc_to_real(sc_dtype dtype)

    bint sc_mul(int64_t a, int64_t b, int64_t *out)
    bint sc_add(int64_t a, int64_t b, int64_t *out)
    bint sc_sub(int64_t a, int64_t b, int64_t *out)
    bint sc_muladd(int64_t a, int64_t b, int64_t *out)

    int64_t *sc_ss_sizes(sc_sizes_strides *ss)
    int64_t *sc_ss_strides(sc_sizes_strides *ss)
    void sc_ss_init(sc_sizes_strides *ss)
    void sc_ss_free(sc_sizes_strides *ss)
    bint sc_ss_set_ndim(sc_sizes_strides *ss, int64_t ndim)

    bint sc_numel(int64_t ndim, const int64_t *sizes, int64_t *numel)
    bint sc_contiguous_strides(int64_t ndim, const int64_t *sizes, int64_t *strides)
    bint sc_is_contiguous(int64_t ndim, const int64_t *sizes, const int64_t *strides)
    bint sc_channels_last_strides(int64_t ndim, const int64_t *sizes, int64_t *strides)
    bint sc_is_channels_last(int64_t ndim, const int64_t *sizes, const int64_t *strides)
    bint sc_is_non_overlapping_and_dense(int64_t ndim, const int64_t *sizes, const int64_t *strides)
    void sc_stride_order(int64_t ndim, const int64_t *sizes, const int64_t *strides, int64_t *order)
    bint sc_view_strides(int64_t ndim, const int64_t *sizes, const int64_t *strides, int64_t new_ndim,
                         const int64_t *new_sizes, int64_t *new_strides, sc_view_conflict *conflict)
    bint sc_preserve_strides(int64_t ndim, const int64_t *sizes, const int64_t *strides, int64_t *fresh)
    uint64_t sc_magnitude(int64_t value)
    bint sc_reach(int64_t ndim, const int64_t *sizes, const int64_t *strides, int64_t *lowest, int64_t *highest)
    bint sc_offset_of(int64_t ndim, const int64_t *strides, int64_t storage_offset, const int64_t *index,
                      int64_t *offset)


cdef extern from "gather.h" nogil:
    ctypedef struct sc_index:
        const char *data
        const int64_t *byte_strides
        int64_t size
        int64_t byte_step
        bint is_int32
        bint wraps

    ctypedef struct sc_indexed_loop:
        int64_t ndim
        const int64_t *sizes
        int64_t item
        char *plain
        const int64_t *plain_strides
        char *indexed
        const int64_t *indexed_strides
        int64_t n_indices
        const sc_index *indices

    ctypedef struct sc_bad_index:
        int64_t which
        int64_t value

    ctypedef enum sc_reduction:
        SC_SUM
        SC_PROD
        SC_AMAX
        SC_AMIN


cdef extern from "result.h" nogil:
    bint sc_result_strides(int64_t ndim, const int64_t *sizes, int operands, const int64_t *const *strides,
                           int64_t *fresh)


cdef sc_block *block_new(int64_t nbytes, bint zeroed) noexcept nogil
cdef sc_block *block_wrap(void *data, int64_t nbytes, release_fn on_release, void *context) noexcept nogil
cdef void block_retain(sc_block *block) noexcept nogil
cdef void block_release(sc_block *block) noexcept nogil
cdef sc_status copy(int64_t ndim, const int64_t *sizes, const sc_operand *dst, const sc_operand *src) noexcept nogil
cdef sc_status fill(int64_t ndim, const int64_t *sizes, const sc_operand *dst, const void *item) noexcept nogil
cdef bint self_overlaps(int64_t ndim, const int64_t *sizes, const int64_t *byte_strides,
                        int64_t itemsize) noexcept nogil
cdef bint overlaps(const char *a, int64_t a_ndim, const int64_t *a_sizes, const int64_t *a_byte_strides,
                   int64_t a_itemsize, const char *b, int64_t b_ndim, const int64_t *b_sizes,
                   const int64_t *b_byte_strides, int64_t b_itemsize) noexcept nogil
cdef void convert_item(sc_dtype dst_dtype, void *dst, sc_dtype src_dtype, const void *src) noexcept nogil
cdef void arange_values(sc_dtype dtype, void *out, int64_t n, double start, double step, int64_t int_start,
                        int64_t int_step) noexcept nogil
cdef void linspace_values(sc_dtype dtype, void *out, int64_t n, const void *start, const void *end) noexcept nogil
cdef void logspace_values(sc_dtype dtype, void *out, int64_t n, const void *start, const void *end,
                          double base) noexcept nogil

# Rows of two operands: binary.h. NULL where there is no kernel.
cdef sc_binary_kernel *binary_kernel(int op, sc_dtype dtype, int form) noexcept nogil
# A row past the cache where it is long and apart from the operands.
cdef void binary_row(int op, sc_dtype dtype, int form, bint apart, char *out, const char *a, const char *b,
                     int64_t n) noexcept nogil
cdef int binary_loop(int op, sc_dtype dtype, int64_t ndim, const int64_t *sizes, char *out, const int64_t *out_strides,
                     const char *a, const int64_t *a_strides, const char *b, const int64_t *b_strides) noexcept nogil

# Gather, scatter and masks: gather.h.
cdef bint check_indices(int64_t ndim, const int64_t *sizes, int64_t n_indices, const sc_index *indices,
                        sc_bad_index *bad) noexcept nogil
cdef bint run_gather(const sc_indexed_loop *loop, sc_bad_index *bad) noexcept nogil
cdef bint run_scatter(const sc_indexed_loop *loop, sc_bad_index *bad) noexcept nogil
cdef bint run_scatter_reduce(const sc_indexed_loop *loop, sc_dtype dtype, sc_reduction op, sc_bad_index *bad) noexcept nogil
cdef void divide_by_counts(int64_t ndim, const int64_t *sizes, sc_dtype dtype, char *dst, const int64_t *dst_strides,
                           const char *counts, const int64_t *count_strides) noexcept nogil
cdef int64_t mask_count(int64_t ndim, const int64_t *sizes, const char *mask,
                        const int64_t *mask_strides) noexcept nogil
cdef int64_t mask_compress(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, int64_t capacity,
                           const char *src, const int64_t *src_strides, const char *mask,
                           const int64_t *mask_strides) noexcept nogil
cdef int64_t mask_expand(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, const int64_t *dst_strides,
                         const char *src, int64_t src_step, int64_t available, const char *mask,
                         const int64_t *mask_strides) noexcept nogil
cdef int64_t mask_places(int64_t ndim, const int64_t *sizes, const char *mask, const int64_t *mask_strides,
                         int64_t *coordinates, int64_t place_step, int64_t dim_step, int64_t capacity) noexcept nogil
cdef void mask_choose(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, const int64_t *dst_strides,
                      const char *mask, const int64_t *mask_strides, const char *a, const int64_t *a_strides,
                      const char *b, const int64_t *b_strides) noexcept nogil
