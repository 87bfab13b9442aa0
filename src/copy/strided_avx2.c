/* Every second, third or fourth item, and items in reverse, into a run: with AVX2, 32 bytes of result a step.
 *
 *     every third of 4 bytes   v0 = [0  1  2  3  4  5  6  7]   v1 = [8 (9) ...]  v2 = [16 17 (18) ...]
 *     blended                       [0  9 18  3 12 21  6 15]   every wanted item is at another place: two blends
 *     permuted                      [0  3  6  9 12 15 18 21]
 *
 * A step reads whole vectors up to the next wanted item, which must therefore exist: the last ones are moved singly.
 */
#include "cpu.h"

#if defined(__x86_64__) || defined(_M_X64)

#include <immintrin.h>
#include <string.h>

#include "kernels.h"

#define TARGET __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline)) TARGET

enum { AHEAD = 1024 }; /* bytes of source that are asked for before their turn */

INLINE __m256i load(const char *from) { return _mm256_loadu_si256((const __m256i *)from); }
INLINE void store(char *to, __m256i value) { _mm256_storeu_si256((__m256i *)to, value); }

/* ---- steps: 32 bytes from STEP * 32 ------------------------------------------------------------------------ */

#define FIX_LANES 0xD8 /* quarters 0 2 1 3: undo what packing two registers half by half has mixed */

INLINE __m256i second_1(const char *s) {
    const __m256i low = _mm256_set1_epi16(0xFF);
    __m256i packed = _mm256_packus_epi16(_mm256_and_si256(load(s), low), _mm256_and_si256(load(s + 32), low));
    return _mm256_permute4x64_epi64(packed, FIX_LANES);
}

INLINE __m256i second_2(const char *s) {
    const __m256i low = _mm256_set1_epi32(0xFFFF);
    __m256i packed = _mm256_packus_epi32(_mm256_and_si256(load(s), low), _mm256_and_si256(load(s + 32), low));
    return _mm256_permute4x64_epi64(packed, FIX_LANES);
}

/* Even or odd halves of the 64-bit parts of two registers, in order. */
INLINE __m256i even_words(__m256i a, __m256i b) {
    __m256 mixed = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), FIX_LANES);
}

INLINE __m256i second_4(const char *s) { return even_words(load(s), load(s + 32)); }

INLINE __m256i second_8(const char *s) {
    return _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(load(s), load(s + 32)), FIX_LANES);
}

INLINE __m256i second_16(const char *s) { return _mm256_permute2x128_si256(load(s), load(s + 32), 0x20); }

/* Put byte k at place[k] - 1 of the same half or of the other one; 0 where it comes from the other table. */
INLINE __m256i permute_bytes(__m256i value, __m256i same, __m256i other) {
    __m256i swapped = _mm256_permute4x64_epi64(value, 0x4E);
    return _mm256_or_si256(_mm256_shuffle_epi8(value, same), _mm256_shuffle_epi8(swapped, other));
}

/* Tables for every third byte or 16-bit item: result byte k is blended byte (3 * item + rest) % 32. */
#define PLACE(k, size) ((3 * ((k) / (size)) * (size) + (k) % (size)) % 32)
#define SAME(k, size) (PLACE(k, size) / 16 == (k) / 16 ? PLACE(k, size) % 16 : -1)
#define OTHER(k, size) (PLACE(k, size) / 16 != (k) / 16 ? PLACE(k, size) % 16 : -1)
#define EIGHT(F, k, size) F(k, size), F(k + 1, size), F(k + 2, size), F(k + 3, size), F(k + 4, size), F(k + 5, size), \
                          F(k + 6, size), F(k + 7, size)
#define ALL(F, size) _mm256_setr_epi8(EIGHT(F, 0, size), EIGHT(F, 8, size), EIGHT(F, 16, size), EIGHT(F, 24, size))
/* Which bytes of the second and of the third register are multiples of three items. */
#define MID(k, size) ((32 + (k)) / (size) % 3 == 0 ? -1 : 0)
#define LAST(k, size) ((64 + (k)) / (size) % 3 == 0 ? -1 : 0)

INLINE __m256i third_1(const char *s) {
    __m256i blended = _mm256_blendv_epi8(load(s), load(s + 32), ALL(MID, 1));
    blended = _mm256_blendv_epi8(blended, load(s + 64), ALL(LAST, 1));
    return permute_bytes(blended, ALL(SAME, 1), ALL(OTHER, 1));
}

INLINE __m256i third_2(const char *s) {
    __m256i blended = _mm256_blendv_epi8(load(s), load(s + 32), ALL(MID, 2));
    blended = _mm256_blendv_epi8(blended, load(s + 64), ALL(LAST, 2));
    return permute_bytes(blended, ALL(SAME, 2), ALL(OTHER, 2));
}

INLINE __m256i third_4(const char *s) {
    __m256i blended = _mm256_blend_epi32(load(s), load(s + 32), 0x92);
    blended = _mm256_blend_epi32(blended, load(s + 64), 0x24);
    return _mm256_permutevar8x32_epi32(blended, _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5));
}

INLINE __m256i third_8(const char *s) {
    __m256i blended = _mm256_blend_epi32(load(s), load(s + 32), 0x30);
    blended = _mm256_blend_epi32(blended, load(s + 64), 0x0C);
    return _mm256_permute4x64_epi64(blended, 0x6C);
}

INLINE __m256i third_16(const char *s) { return _mm256_permute2x128_si256(load(s), load(s + 32), 0x30); }

INLINE __m256i fourth_1(const char *s) {
    const __m256i low = _mm256_set1_epi32(0xFF);
    __m256i a = _mm256_packus_epi32(_mm256_and_si256(load(s), low), _mm256_and_si256(load(s + 32), low));
    __m256i b = _mm256_packus_epi32(_mm256_and_si256(load(s + 64), low), _mm256_and_si256(load(s + 96), low));
    return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(a, b), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

INLINE __m256i fourth_2(const char *s) {
    const __m256i low = _mm256_set1_epi32(0xFFFF);
    __m256i a = _mm256_and_si256(even_words(load(s), load(s + 32)), low);
    __m256i b = _mm256_and_si256(even_words(load(s + 64), load(s + 96)), low);
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), FIX_LANES);
}

INLINE __m256i fourth_4(const char *s) {
    __m256i a = _mm256_unpacklo_epi32(load(s), load(s + 32)), b = _mm256_unpacklo_epi32(load(s + 64), load(s + 96));
    return _mm256_permutevar8x32_epi32(_mm256_unpacklo_epi64(a, b), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

INLINE __m256i fourth_8(const char *s) {
    __m256i a = _mm256_unpacklo_epi64(load(s), load(s + 32)), b = _mm256_unpacklo_epi64(load(s + 64), load(s + 96));
    return _mm256_permute2x128_si256(a, b, 0x20);
}

INLINE __m256i fourth_16(const char *s) { return _mm256_permute2x128_si256(load(s), load(s + 64), 0x20); }

/* ---- loops ---------------------------------------------------------------------------------------------------- */

#define DEFINE(NAME, STEP, SIZE)                                                                                      \
    TARGET static void NAME##_line_##SIZE(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n, \
                                          int64_t item) {                                                             \
        (void)dst_step, (void)src_step, (void)item;                                                                   \
        int64_t i = 0;                                                                                                \
        for (; i + 32 / SIZE < n; i += 32 / SIZE) {                                                                   \
            const char *from = src + i * SIZE * STEP;                                                                 \
            for (int k = 0; k < STEP * 32; k += 64) __builtin_prefetch(from + AHEAD + k);                             \
            store(dst + i * SIZE, NAME##_##SIZE(from));                                                               \
        }                                                                                                             \
        for (; i < n; i++) memcpy(dst + i * SIZE, src + i * SIZE * STEP, SIZE);                                       \
    }                                                                                                                 \
    TARGET static void NAME##_stream_##SIZE(char *dst, const char *src, int64_t lines) {                             \
        for (; lines > 0; lines--, dst += 64, src += 64 * STEP) {                                                     \
            for (int k = 0; k < STEP * 64; k += 64) __builtin_prefetch(src + AHEAD + k);                              \
            __m256i low = NAME##_##SIZE(src), high = NAME##_##SIZE(src + 32 * STEP);                                  \
            _mm256_stream_si256((__m256i *)dst, low);                                                                 \
            _mm256_stream_si256((__m256i *)(dst + 32), high);                                                         \
        }                                                                                                             \
    }
#define DEFINE_STEPS(SIZE) DEFINE(second, 2, SIZE) DEFINE(third, 3, SIZE) DEFINE(fourth, 4, SIZE)
DEFINE_STEPS(1)
DEFINE_STEPS(2)
DEFINE_STEPS(4)
DEFINE_STEPS(8)
DEFINE_STEPS(16)

#define BACK(k, size) (15 - (k) % 16 / (size) * (size) - (size) + 1 + (k) % (size))

/* 32 bytes of items that end with the one at s, the last one first. */
#define DEFINE_REVERSED(SIZE)                                                                                         \
    INLINE __m256i reversed_##SIZE(const char *s) {                                                                   \
        __m256i value = _mm256_shuffle_epi8(load(s - 32 + SIZE), ALL(BACK, SIZE));                                    \
        return _mm256_permute4x64_epi64(value, 0x4E);                                                                 \
    }                                                                                                                 \
    TARGET static void reversed_line_##SIZE(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n, \
                                            int64_t item) {                                                           \
        (void)dst_step, (void)src_step, (void)item;                                                                   \
        int64_t i = 0;                                                                                                \
        for (; i + 32 / SIZE <= n; i += 32 / SIZE) {                                                                  \
            __builtin_prefetch(src - i * SIZE - AHEAD);                                                               \
            store(dst + i * SIZE, reversed_##SIZE(src - i * SIZE));                                                   \
        }                                                                                                             \
        for (; i < n; i++) memcpy(dst + i * SIZE, src - i * SIZE, SIZE);                                              \
    }                                                                                                                 \
    TARGET static void reversed_stream_##SIZE(char *dst, const char *src, int64_t lines) {                           \
        for (; lines > 0; lines--, dst += 64, src -= 64) {                                                            \
            __builtin_prefetch(src - AHEAD);                                                                          \
            __m256i low = reversed_##SIZE(src), high = reversed_##SIZE(src - 32);                                     \
            _mm256_stream_si256((__m256i *)dst, low);                                                                 \
            _mm256_stream_si256((__m256i *)(dst + 32), high);                                                         \
        }                                                                                                             \
    }
DEFINE_REVERSED(1)
DEFINE_REVERSED(2)
DEFINE_REVERSED(4)
DEFINE_REVERSED(8)
DEFINE_REVERSED(16)

void sc_fill_strided_avx2(sc_kernels *kernels) {
#define SET(code, SIZE)                                           \
    kernels->strided[code][SC_STEP_SECOND] = second_line_##SIZE;   \
    kernels->strided[code][SC_STEP_THIRD] = third_line_##SIZE;     \
    kernels->strided[code][SC_STEP_FOURTH] = fourth_line_##SIZE;   \
    kernels->strided[code][SC_STEP_REVERSED] = reversed_line_##SIZE; \
    kernels->stream_strided[code][SC_STEP_SECOND] = second_stream_##SIZE; \
    kernels->stream_strided[code][SC_STEP_THIRD] = third_stream_##SIZE; \
    kernels->stream_strided[code][SC_STEP_FOURTH] = fourth_stream_##SIZE; \
    kernels->stream_strided[code][SC_STEP_REVERSED] = reversed_stream_##SIZE;
    SET(0, 1) SET(1, 2) SET(2, 4) SET(3, 8) SET(4, 16)
}

#endif
