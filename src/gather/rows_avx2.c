/* Offsets of indices, and rows at offsets, with AVX2. */
#include "cpu.h"

#if defined(__x86_64__) || defined(_M_X64)

#include <immintrin.h>
#include <string.h>

#include "rows.h"

#define TARGET __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline)) TARGET

/* ---- offsets ------------------------------------------------------------------------------- */

INLINE __m256i four_indices(const char *data, int64_t i, bool is_int32) {
    if (is_int32) return _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)(data + i * 4)));
    return _mm256_loadu_si256((const __m256i *)(data + i * 8));
}

/* Four at a time for sizes and steps that fit in 32 bits: a valid index does so too, and one instruction multiplies. */
INLINE bool add_offsets(const sc_index *index, const char *data, int64_t n, int64_t *offsets, bool is_int32) {
    int64_t size = index->size, wrap = index->wraps ? size : 0, step = index->byte_step;
    __m256i zero = _mm256_setzero_si256(), last = _mm256_set1_epi64x(size - 1), wraps = _mm256_set1_epi64x(wrap);
    __m256i steps = _mm256_set1_epi64x(step), wrong = zero;
    bool bad = false;
    int64_t i = 0, narrow_end = size <= INT32_MAX && step <= INT32_MAX && step >= INT32_MIN ? n - 3 : 0;
    for (; i < narrow_end; i += 4) {
        __m256i at = four_indices(data, i, is_int32), *to = (__m256i *)(offsets + i);
        at = _mm256_add_epi64(at, _mm256_and_si256(_mm256_cmpgt_epi64(zero, at), wraps));
        wrong = _mm256_or_si256(wrong, _mm256_or_si256(at, _mm256_sub_epi64(last, at))); /* the sign bits tell */
        _mm256_storeu_si256(to, _mm256_add_epi64(_mm256_loadu_si256(to), _mm256_mul_epi32(at, steps)));
    }
    for (; i < n; i++) {
        int32_t narrow;
        int64_t at;
        if (is_int32) memcpy(&narrow, data + i * 4, 4), at = narrow;
        else memcpy(&at, data + i * 8, 8);
        at += (at >> 63) & wrap;
        bad |= (uint64_t)at >= (uint64_t)size;
        offsets[i] = (int64_t)((uint64_t)offsets[i] + (uint64_t)at * (uint64_t)step);
    }
    return !bad && _mm256_movemask_pd(_mm256_castsi256_pd(wrong)) == 0;
}

TARGET static bool offsets_avx2(const sc_index *index, const char *data, int64_t n, int64_t *offsets) {
    if (index->is_int32) return add_offsets(index, data, n, offsets, true);
    return add_offsets(index, data, n, offsets, false);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* 32 bytes a step, the last ones once more where they overlap. */
INLINE void copy_row(char *dst, const char *src, int64_t nbytes) {
    int64_t at = 0;
    if (nbytes < 32) {
        memcpy(dst, src, (size_t)nbytes);
        return;
    }
    for (; at + 32 <= nbytes; at += 32)
        _mm256_storeu_si256((__m256i *)(dst + at), _mm256_loadu_si256((const __m256i *)(src + at)));
    if (at < nbytes)
        _mm256_storeu_si256((__m256i *)(dst + nbytes - 32), _mm256_loadu_si256((const __m256i *)(src + nbytes - 32)));
}

TARGET static void gather_rows(char *packed, char *spread, const int64_t *offsets, int64_t n, int64_t known,
                               int64_t nbytes) {
    int64_t ahead = sc_rows_ahead(nbytes);
    for (int64_t i = 0; i < n; i++) {
        if (i + ahead < known) sc_prefetch_row(spread + offsets[i + ahead], nbytes);
        copy_row(packed + i * nbytes, spread + offsets[i], nbytes);
    }
}

TARGET static void scatter_rows(char *packed, char *spread, const int64_t *offsets, int64_t n, int64_t known,
                                int64_t nbytes) {
    int64_t ahead = sc_rows_ahead(nbytes);
    for (int64_t i = 0; i < n; i++) {
        if (i + ahead < known) sc_prefetch_row(spread + offsets[i + ahead], nbytes);
        copy_row(spread + offsets[i], packed + i * nbytes, nbytes);
    }
}

TARGET static void stream_rows(char *packed, char *spread, const int64_t *offsets, int64_t n, int64_t known,
                               int64_t nbytes) {
    int64_t ahead = sc_rows_ahead(nbytes);
    for (int64_t i = 0; i < n; i++) {
        const char *src = spread + offsets[i];
        char *dst = packed + i * nbytes;
        if (i + ahead < known) sc_prefetch_row(spread + offsets[i + ahead], nbytes);
        for (int64_t at = 0; at < nbytes; at += 32)
            _mm256_stream_si256((__m256i *)(dst + at), _mm256_loadu_si256((const __m256i *)(src + at)));
    }
}

void sc_fill_rows_avx2(sc_kernels *kernels) {
    kernels->gather.offsets = offsets_avx2;
    kernels->gather.gather_rows = gather_rows;
    kernels->gather.stream_rows = stream_rows;
    kernels->gather.scatter_rows = scatter_rows;
}

#endif
