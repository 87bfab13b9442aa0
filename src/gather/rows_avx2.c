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

typedef struct checks {
    __m256i last, wraps, steps, wrong; /* the sign bits of `wrong` tell of invalid ones */
} checks;

INLINE checks checks_of(const sc_index *index) {
    return (checks){_mm256_set1_epi64x(index->size - 1), _mm256_set1_epi64x(index->wraps ? index->size : 0),
                    _mm256_set1_epi64x(index->byte_step), _mm256_setzero_si256()};
}

INLINE __m256i wrapped(const checks *c, __m256i at) {
    return _mm256_add_epi64(at, _mm256_and_si256(_mm256_cmpgt_epi64(_mm256_setzero_si256(), at), c->wraps));
}

INLINE bool any_wrong(const checks *c) { return _mm256_movemask_pd(_mm256_castsi256_pd(c->wrong)) != 0; }

/* Vectors are for sizes and steps that fit in 32 bits: a valid index does so too, and one instruction multiplies. */
INLINE bool is_narrow(const sc_index *index) {
    return index->size <= INT32_MAX && index->byte_step <= INT32_MAX && index->byte_step >= INT32_MIN;
}

/* One index by itself; false if it is invalid. */
INLINE bool one_index(const sc_index *index, const char *data, int64_t i, int64_t *at) {
    int32_t narrow;
    if (index->is_int32) memcpy(&narrow, data + i * 4, 4), *at = narrow;
    else memcpy(at, data + i * 8, 8);
    if (index->wraps && *at < 0) *at += index->size;
    return *at >= 0 && *at < index->size;
}

INLINE bool add_offsets(const sc_index *index, const char *data, int64_t n, int64_t *offsets, bool is_int32) {
    checks c = checks_of(index);
    bool bad = false;
    int64_t i = 0, end = is_narrow(index) ? n - 3 : 0, at;
    for (; i < end; i += 4) {
        __m256i four = wrapped(&c, four_indices(data, i, is_int32)), *to = (__m256i *)(offsets + i);
        c.wrong = _mm256_or_si256(c.wrong, _mm256_or_si256(four, _mm256_sub_epi64(c.last, four)));
        _mm256_storeu_si256(to, _mm256_add_epi64(_mm256_loadu_si256(to), _mm256_mul_epi32(four, c.steps)));
    }
    for (; i < n; i++) {
        bad |= !one_index(index, data, i, &at);
        offsets[i] = (int64_t)((uint64_t)offsets[i] + (uint64_t)at * (uint64_t)index->byte_step);
    }
    return !bad && !any_wrong(&c);
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

/* Lines of a row to come are asked for one by one, between the lines that are written: all at once they would keep the
 * stores waiting. Many lines are asked into the second-level cache only. */
INLINE void stream_all(char *packed, const char *spread, const int64_t *offsets, int64_t n, int64_t known,
                       int64_t nbytes, bool is_long) {
    int64_t ahead = sc_rows_ahead(nbytes);
    for (int64_t i = 0; i < n; i++) {
        const char *src = spread + offsets[i], *next = i + ahead < known ? spread + offsets[i + ahead] : src;
        char *dst = packed + i * nbytes;
        int64_t at = 0;
        for (; at + 64 <= nbytes; at += 64) {
            if (is_long) _mm_prefetch(next + at, _MM_HINT_T1);
            else _mm_prefetch(next + at, _MM_HINT_T0);
            __m256i low = _mm256_loadu_si256((const __m256i *)(src + at));
            __m256i high = _mm256_loadu_si256((const __m256i *)(src + at + 32));
            _mm256_stream_si256((__m256i *)(dst + at), low);
            _mm256_stream_si256((__m256i *)(dst + at + 32), high);
        }
        _mm_prefetch(next + nbytes - 1, _MM_HINT_T0);
        if (at < nbytes)
            _mm256_stream_si256((__m256i *)(dst + at), _mm256_loadu_si256((const __m256i *)(src + at)));
    }
}

TARGET static void stream_rows(char *packed, char *spread, const int64_t *offsets, int64_t n, int64_t known,
                               int64_t nbytes) {
    if (nbytes > 512) stream_all(packed, spread, offsets, n, known, nbytes, true);
    else stream_all(packed, spread, offsets, n, known, nbytes, false);
}

/* ---- items --------------------------------------------------------------------------------- */

/* Gathers keep more loads under way than the same loads one by one: measured, half the time from the second-level
 * cache. Those of 1 and 2 bytes would read past their items. */
TARGET static void take_4(char *packed, const char *spread, const int64_t *offsets, int64_t n) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m128i low = _mm256_i64gather_epi32((const int *)(const void *)spread,
                                             _mm256_loadu_si256((const __m256i *)(offsets + i)), 1);
        __m128i high = _mm256_i64gather_epi32((const int *)(const void *)spread,
                                              _mm256_loadu_si256((const __m256i *)(offsets + i + 4)), 1);
        _mm_storeu_si128((__m128i *)(packed + i * 4), low);
        _mm_storeu_si128((__m128i *)(packed + i * 4 + 16), high);
    }
    for (; i < n; i++) memcpy(packed + i * 4, spread + offsets[i], 4);
}

TARGET static void take_8(char *packed, const char *spread, const int64_t *offsets, int64_t n) {
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        _mm256_storeu_si256((__m256i *)(packed + i * 8),
                            _mm256_i64gather_epi64((const long long *)(const void *)spread,
                                                   _mm256_loadu_si256((const __m256i *)(offsets + i)), 1));
    for (; i < n; i++) memcpy(packed + i * 8, spread + offsets[i], 8);
}

TARGET static void take_short_4(char *packed, const char *spread, const int32_t *offsets, int64_t n) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_si256((__m256i *)(packed + i * 4),
                            _mm256_i32gather_epi32((const int *)(const void *)spread,
                                                   _mm256_loadu_si256((const __m256i *)(offsets + i)), 1));
    for (; i < n; i++) memcpy(packed + i * 4, spread + offsets[i], 4);
}

TARGET static void take_short_8(char *packed, const char *spread, const int32_t *offsets, int64_t n) {
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        _mm256_storeu_si256((__m256i *)(packed + i * 8),
                            _mm256_i32gather_epi64((const long long *)(const void *)spread,
                                                   _mm_loadu_si128((const __m128i *)(offsets + i)), 1));
    for (; i < n; i++) memcpy(packed + i * 8, spread + offsets[i], 8);
}

enum { INDEX_AHEAD = 2048 };

/* The offsets of four indices, 0 for an invalid one. */
INLINE __m256i four_offsets(checks *c, const char *data, int64_t i, bool is_int32) {
    __m256i at = wrapped(c, four_indices(data, i, is_int32)), zero = _mm256_setzero_si256();
    __m256i wrong = _mm256_or_si256(at, _mm256_sub_epi64(c->last, at));
    c->wrong = _mm256_or_si256(c->wrong, wrong);
    return _mm256_mul_epi32(_mm256_andnot_si256(_mm256_cmpgt_epi64(zero, wrong), at), c->steps);
}

INLINE void pick_four_4(char *to, const char *spread, __m256i offsets) {
    _mm_storeu_si128((__m128i *)to, _mm256_i64gather_epi32((const int *)(const void *)spread, offsets, 1));
}

INLINE void pick_four_8(char *to, const char *spread, __m256i offsets) {
    _mm256_storeu_si256((__m256i *)to, _mm256_i64gather_epi64((const long long *)(const void *)spread, offsets, 1));
}

/* The index is asked for across the pages that hardware stops at: measured, an eighth of the time. */
#define PICK_ALL(SIZE, IS_INT32)                                                                                \
    for (; i < end; i += 8) {                                                                                   \
        _mm_prefetch(data + i * (IS_INT32 ? 4 : 8) + INDEX_AHEAD, _MM_HINT_T0);                                 \
        pick_four_##SIZE(packed + i * SIZE, spread, four_offsets(&c, data, i, IS_INT32));                       \
        pick_four_##SIZE(packed + (i + 4) * SIZE, spread, four_offsets(&c, data, i + 4, IS_INT32));             \
    }

#define PICK(SIZE)                                                                                              \
    TARGET static bool pick_##SIZE(char *packed, const char *spread, const sc_index *index, const char *data,   \
                                   int64_t n) {                                                                 \
        checks c = checks_of(index);                                                                            \
        bool bad = false;                                                                                       \
        int64_t i = 0, end = is_narrow(index) ? n - 7 : 0;                                                      \
        if (index->is_int32) {                                                                                  \
            PICK_ALL(SIZE, true)                                                                                \
        } else {                                                                                                \
            PICK_ALL(SIZE, false)                                                                               \
        }                                                                                                       \
        for (int64_t at; i < n; i++) {                                                                          \
            bool valid = one_index(index, data, i, &at);                                                        \
            bad |= !valid;                                                                                      \
            memcpy(packed + i * SIZE, spread + (valid ? at : 0) * index->byte_step, SIZE);                      \
        }                                                                                                       \
        return !bad && !any_wrong(&c);                                                                          \
    }

PICK(4)
PICK(8)

void sc_fill_rows_avx2(sc_kernels *kernels) {
    kernels->gather.offsets = offsets_avx2;
    kernels->gather.gather_rows = gather_rows;
    kernels->gather.stream_rows = stream_rows;
    kernels->gather.scatter_rows = scatter_rows;
    kernels->gather.take[2] = take_4;
    kernels->gather.take[3] = take_8;
    kernels->gather.take_short[2] = take_short_4;
    kernels->gather.take_short[3] = take_short_8;
    kernels->gather.pick[2] = pick_4;
    kernels->gather.pick[3] = pick_8;
}

#endif
