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

cdef extern from "range.h" nogil:
    void sc_arange(sc_dtype dtype, void *out, int64_t n, double start, double step, int64_t int_start,
                   int64_t int_step)
    void sc_linspace(sc_dtype dtype, void *out, int64_t n, const void *start, const void *end)
    void sc_logspace(sc_dtype dtype, void *out, int64_t n, const void *start, const void *end, double base)


cdef extern from "binary.h" nogil:
    sc_binary_kernel *sc_binary_kernel_of(sc_binary_op op, sc_dtype dtype, sc_binary_form form)
    void sc_binary_row(sc_binary_op op, sc_dtype dtype, sc_binary_form form, bint apart, char *out, const char *a,
                       const char *b, int64_t n)
    int sc_binary_loop(sc_binary_op op, sc_dtype dtype, int64_t ndim, const int64_t *sizes, char *out,
                       const int64_t *out_strides, const char *a, const int64_t *a_strides, const char *b,
                       const int64_t *b_strides)


cdef extern from "gather.h" nogil:
    bint sc_check_indices(int64_t ndim, const int64_t *sizes, int64_t n_indices, const sc_index *indices,
                          sc_bad_index *bad)
    bint sc_gather(const sc_indexed_loop *loop, sc_bad_index *bad)
    bint sc_scatter(const sc_indexed_loop *loop, sc_bad_index *bad)
    bint sc_scatter_reduce(const sc_indexed_loop *loop, sc_dtype dtype, sc_reduction op, sc_bad_index *bad)
    void sc_divide_by_counts(int64_t ndim, const int64_t *sizes, sc_dtype dtype, char *dst,
                             const int64_t *dst_strides, const char *counts, const int64_t *count_strides)
    int64_t sc_mask_count(int64_t ndim, const int64_t *sizes, const char *mask, const int64_t *mask_strides)
    int64_t sc_mask_compress(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, int64_t capacity,
                             const char *src, const int64_t *src_strides, const char *mask,
                             const int64_t *mask_strides)
    int64_t sc_mask_expand(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, const int64_t *dst_strides,
                           const char *src, int64_t src_step, int64_t available, const char *mask,
                           const int64_t *mask_strides)
    int64_t sc_mask_places(int64_t ndim, const int64_t *sizes, const char *mask, const int64_t *mask_strides,
                           int64_t *coordinates, int64_t place_step, int64_t dim_step, int64_t capacity)
    void sc_mask_choose(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, const int64_t *dst_strides,
                        const char *mask, const int64_t *mask_strides, const char *a, const int64_t *a_strides,
                        const char *b, const int64_t *b_strides)


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


cdef void arange_values(sc_dtype dtype, void *out, int64_t n, double start, double step, int64_t int_start,
                        int64_t int_step) noexcept nogil:
    sc_arange(dtype, out, n, start, step, int_start, int_step)


cdef void linspace_values(sc_dtype dtype, void *out, int64_t n, const void *start, const void *end) noexcept nogil:
    sc_linspace(dtype, out, n, start, end)


cdef void logspace_values(sc_dtype dtype, void *out, int64_t n, const void *start, const void *end,
                          double base) noexcept nogil:
    sc_logspace(dtype, out, n, start, end, base)


cdef sc_binary_kernel *binary_kernel(int op, sc_dtype dtype, int form) noexcept nogil:
    return sc_binary_kernel_of(<sc_binary_op>op, dtype, <sc_binary_form>form)


cdef void binary_row(int op, sc_dtype dtype, int form, bint apart, char *out, const char *a, const char *b,
                     int64_t n) noexcept nogil:
    sc_binary_row(<sc_binary_op>op, dtype, <sc_binary_form>form, apart, out, a, b, n)


cdef int binary_loop(int op, sc_dtype dtype, int64_t ndim, const int64_t *sizes, char *out, const int64_t *out_strides,
                     const char *a, const int64_t *a_strides, const char *b, const int64_t *b_strides) noexcept nogil:
    return sc_binary_loop(<sc_binary_op>op, dtype, ndim, sizes, out, out_strides, a, a_strides, b, b_strides)


cdef bint check_indices(int64_t ndim, const int64_t *sizes, int64_t n_indices, const sc_index *indices,
                        sc_bad_index *bad) noexcept nogil:
    return sc_check_indices(ndim, sizes, n_indices, indices, bad)


cdef bint run_gather(const sc_indexed_loop *loop, sc_bad_index *bad) noexcept nogil:
    return sc_gather(loop, bad)


cdef bint run_scatter(const sc_indexed_loop *loop, sc_bad_index *bad) noexcept nogil:
    return sc_scatter(loop, bad)


cdef bint run_scatter_reduce(const sc_indexed_loop *loop, sc_dtype dtype, sc_reduction op,
                         sc_bad_index *bad) noexcept nogil:
    return sc_scatter_reduce(loop, dtype, op, bad)


cdef void divide_by_counts(int64_t ndim, const int64_t *sizes, sc_dtype dtype, char *dst, const int64_t *dst_strides,
                           const char *counts, const int64_t *count_strides) noexcept nogil:
    sc_divide_by_counts(ndim, sizes, dtype, dst, dst_strides, counts, count_strides)


cdef int64_t mask_count(int64_t ndim, const int64_t *sizes, const char *mask,
                        const int64_t *mask_strides) noexcept nogil:
    return sc_mask_count(ndim, sizes, mask, mask_strides)


cdef int64_t mask_compress(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, int64_t capacity,
                           const char *src, const int64_t *src_strides, const char *mask,
                           const int64_t *mask_strides) noexcept nogil:
    return sc_mask_compress(ndim, sizes, item, dst, capacity, src, src_strides, mask, mask_strides)


cdef int64_t mask_expand(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, const int64_t *dst_strides,
                         const char *src, int64_t src_step, int64_t available, const char *mask,
                         const int64_t *mask_strides) noexcept nogil:
    return sc_mask_expand(ndim, sizes, item, dst, dst_strides, src, src_step, available, mask, mask_strides)


cdef int64_t mask_places(int64_t ndim, const int64_t *sizes, const char *mask, const int64_t *mask_strides,
                         int64_t *coordinates, int64_t place_step, int64_t dim_step, int64_t capacity) noexcept nogil:
    return sc_mask_places(ndim, sizes, mask, mask_strides, coordinates, place_step, dim_step, capacity)


cdef void mask_choose(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, const int64_t *dst_strides,
                      const char *mask, const int64_t *mask_strides, const char *a, const int64_t *a_strides,
                      const char *b, const int64_t *b_strides) noexcept nogil:
    sc_mask_choose(ndim, sizes, item, dst, dst_strides, mask, mask_strides, a, a_strides, b, b_strides)


# ---- settings and statistics, for stridecore/config.py -------------------------------------------------------

cdef extern from "stridecore.h" nogil:
    ctypedef struct sc_memory_stats:
        int64_t mapped_blocks, mapped_bytes, cached_blocks, cached_bytes, cache_limit, cache_hits, cache_misses

    void sc_set_cache_limit(int64_t nbytes)
    int64_t sc_empty_cache()
    sc_memory_stats sc_get_memory_stats()

cdef extern from "parallel.h" nogil:
    enum:
        SC_MAX_THREADS
    int sc_get_num_threads()
    void sc_set_num_threads(int n)

cdef extern from "copy/threshold.h" nogil:
    int64_t sc_stream_nbytes()
    void sc_set_stream_nbytes(int64_t nbytes)

cdef extern from "cpu.h" nogil:
    ctypedef enum sc_cpu_level:
        SC_NUM_CPU_LEVELS
    ctypedef enum sc_cpu_status:
        SC_CPU_OK
        SC_CPU_UNKNOWN
        SC_CPU_UNSUPPORTED
    sc_cpu_status sc_set_cpu_level(const char *name)
    sc_cpu_level sc_get_cpu_level()
    bint sc_cpu_supports(sc_cpu_level level)
    const char *sc_cpu_level_name(sc_cpu_level level)


def num_threads():
    """Threads that a large copy may use, the caller's included."""
    return sc_get_num_threads()


def set_num_threads(n):
    """Let large copies use n threads; the caller has checked that n is an int and at least 1."""
    sc_set_num_threads(min(n, <int>SC_MAX_THREADS))


def cpu_level():
    """The name of the CPU level whose kernels run."""
    return sc_cpu_level_name(sc_get_cpu_level()).decode()


def cpu_levels():
    """The names of the CPU levels that this CPU supports, plainest first."""
    cdef int level
    return [sc_cpu_level_name(<sc_cpu_level>level).decode() for level in range(SC_NUM_CPU_LEVELS)
            if sc_cpu_supports(<sc_cpu_level>level)]


def set_cpu_level(str name):
    """Use the kernels of the named level from now on, '' for the best one; ValueError for one that there isn't."""
    cdef bytes encoded = name.encode()
    if b"\0" in encoded or sc_set_cpu_level(encoded) != SC_CPU_OK:
        raise ValueError(f"unknown or unsupported CPU level {name!r}; this CPU has {', '.join(cpu_levels())}")


def stream_nbytes():
    """From how many bytes on results are written past the cache; None as long as nothing needed to know."""
    cdef int64_t nbytes = sc_stream_nbytes()
    return None if nbytes < 0 else nbytes


def set_stream_nbytes(int64_t nbytes):
    """Write results from nbytes on past the cache; negative: from where it was measured to pay."""
    sc_set_stream_nbytes(nbytes)


def set_cache_limit(int64_t nbytes):
    """Keep at most nbytes of freed large blocks for reuse."""
    sc_set_cache_limit(nbytes)


def empty_cache():
    """Give the kept blocks back to the system; returns their bytes."""
    return sc_empty_cache()


def memory_stats():
    """The engine's counters of large blocks."""
    return sc_get_memory_stats()
