/* dst = mask ? a : b with AVX2, a line of result a step. */
#include "cpu.h"

#if defined(__x86_64__) || defined(_M_X64)

#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline)) TARGET

enum { AHEAD = 1024 };

INLINE __m256i load(const char *from) { return _mm256_loadu_si256((const __m256i *)from); }

/* The mask bytes of 32 bytes of items, all ones where they are 0. */
INLINE __m256i is_false_1(const char *mask) { return _mm256_cmpeq_epi8(load(mask), _mm256_setzero_si256()); }

INLINE __m256i is_false_2(const char *mask) {
    return _mm256_cvtepi8_epi16(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)mask), _mm_setzero_si128()));
}

INLINE __m256i is_false_4(const char *mask) {
    return _mm256_cvtepi8_epi32(_mm_cmpeq_epi8(_mm_loadl_epi64((const __m128i *)mask), _mm_setzero_si128()));
}

INLINE __m256i is_false_8(const char *mask) {
    int32_t four;
    memcpy(&four, mask, 4);
    return _mm256_cvtepi8_epi64(_mm_cmpeq_epi8(_mm_cvtsi32_si128(four), _mm_setzero_si128()));
}

INLINE __m256i is_false_16(const char *mask) {
    return _mm256_setr_epi64x(-(mask[0] == 0), -(mask[0] == 0), -(mask[1] == 0), -(mask[1] == 0));
}

/* An operand of one item as 32 bytes of it. */
INLINE const char *spread(char *room, const char *item, int64_t size) {
    for (int64_t at = 0; at < 32; at += size) memcpy(room + at, item, (size_t)size);
    return room;
}

/* 32 bytes of the result, for items from the i-th on. */
#define PUT(SIZE, i)                                                                                              \
    chosen = _mm256_blendv_epi8(load(yes + (i) * a_step), load(no + (i) * b_step), is_false_##SIZE(mask + (i)));  \
    if (stream) _mm256_stream_si256((__m256i *)(dst + (i) * SIZE), chosen);                                       \
    else _mm256_storeu_si256((__m256i *)(dst + (i) * SIZE), chosen);

#define CHOOSE(SIZE)                                                                                              \
    TARGET static void choose_##SIZE(char *dst, const char *mask, const char *a, int64_t a_step, const char *b,   \
                                     int64_t b_step, int64_t n, bool stream) {                                    \
        char ones[2][32];                                                                                         \
        int64_t i = 0;                                                                                            \
        __m256i chosen;                                                                                           \
        if (stream)                                                                                               \
            for (; i < n && ((uintptr_t)(dst + i * SIZE) & 63) != 0; i++)                                         \
                memcpy(dst + i * SIZE, mask[i] ? a + i * a_step : b + i * b_step, SIZE);                          \
        const char *yes = a_step ? a : spread(ones[0], a, SIZE), *no = b_step ? b : spread(ones[1], b, SIZE);     \
        for (; i <= n - 64 / SIZE; i += 64 / SIZE) {                                                              \
            _mm_prefetch(yes + i * a_step + AHEAD, _MM_HINT_T0);                                                  \
            _mm_prefetch(no + i * b_step + AHEAD, _MM_HINT_T0);                                                   \
            PUT(SIZE, i)                                                                                          \
            PUT(SIZE, i + 32 / SIZE)                                                                              \
        }                                                                                                         \
        for (; i <= n - 32 / SIZE; i += 32 / SIZE) {                                                              \
            PUT(SIZE, i)                                                                                          \
        }                                                                                                         \
        for (; i < n; i++) memcpy(dst + i * SIZE, mask[i] ? a + i * a_step : b + i * b_step, SIZE);               \
    }

CHOOSE(1)
CHOOSE(2)
CHOOSE(4)
CHOOSE(8)
CHOOSE(16)

void sc_fill_choose_avx2(sc_kernels *kernels) {
    kernels->gather.choose[0] = choose_1;
    kernels->gather.choose[1] = choose_2;
    kernels->gather.choose[2] = choose_4;
    kernels->gather.choose[3] = choose_8;
    kernels->gather.choose[4] = choose_16;
}

#endif
