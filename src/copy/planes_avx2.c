/* Merging 2, 3, 4 and 8 planes and splitting into 3, 4 and 8, with AVX2.
 *
 * Powers of two: with the number of a byte written as bits [register][place], interleaving register k with register
 * k + half rotates those bits by one. Merging c planes takes log2(c) such rounds, splitting as many as there are bits
 * in the place of an item:
 *
 *     four planes of four   aaaa bbbb cccc dddd  ->  acac acac bdbd bdbd  ->  abcd abcd abcd abcd
 *
 * Three: each half register of the result takes some bytes of each of three, chosen by a table and put together.
 */
#include "cpu.h"

#if defined(__x86_64__) || defined(_M_X64)

#include <immintrin.h>
#include <string.h>

#include "kernels.h"

#define TARGET __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline)) TARGET

enum { AHEAD = 512 }; /* bytes of each plane that are asked for before their turn */

INLINE __m256i load(const char *from) { return _mm256_loadu_si256((const __m256i *)from); }
INLINE void store(char *to, __m256i value) { _mm256_storeu_si256((__m256i *)to, value); }

/* Two halves of 16 bytes. */
INLINE __m256i load_halves(const char *low, const char *high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)low)),
                                   _mm_loadu_si128((const __m128i *)high), 1);
}

/* `rounds` rotations of the registers' items. */
#define DEFINE_ROTATE(SIZE, LOW, HIGH)                                                                \
    INLINE void rotate_##SIZE(__m256i *a, const int count, const int rounds) {                        \
        for (int round = 0; round < rounds; round++) {                                                \
            __m256i b[8];                                                                             \
            for (int k = 0; k < count / 2; k++) {                                                     \
                b[2 * k] = LOW(a[k], a[k + count / 2]);                                               \
                b[2 * k + 1] = HIGH(a[k], a[k + count / 2]);                                          \
            }                                                                                         \
            for (int k = 0; k < count; k++) a[k] = b[k];                                              \
        }                                                                                             \
    }
DEFINE_ROTATE(1, _mm256_unpacklo_epi8, _mm256_unpackhi_epi8)
DEFINE_ROTATE(2, _mm256_unpacklo_epi16, _mm256_unpackhi_epi16)
DEFINE_ROTATE(4, _mm256_unpacklo_epi32, _mm256_unpackhi_epi32)
DEFINE_ROTATE(8, _mm256_unpacklo_epi64, _mm256_unpackhi_epi64)
INLINE void rotate_16(__m256i *a, const int count, const int rounds) { (void)a, (void)count, (void)rounds; }

/* 32 bytes of the result: by way of the cache, or past it to an address on a multiple of 32. */
INLINE void put(char *to, __m256i value, const bool stream) {
    if (stream) _mm256_stream_si256((__m256i *)to, value);
    else store(to, value);
}

/* The low halves of all registers in order, then the high ones. */
INLINE void put_halves(char *to, const __m256i *a, const int count, const bool stream) {
    for (int k = 0; k < count; k += 2) {
        put(to + 16 * k, _mm256_permute2x128_si256(a[k], a[k + 1], 0x20), stream);
        put(to + 16 * (k + count), _mm256_permute2x128_si256(a[k], a[k + 1], 0x31), stream);
    }
}

#define DEFINE_MERGE_LOOP(SIZE, PARTS, STEP)                                                                         \
    TARGET static void merge##PARTS##_##SIZE(char *dst, const char *src, int64_t plane, int64_t n, bool stream) {    \
        int64_t i = 0;                                                                                               \
        if (stream)                                                                                                  \
            for (; i + 32 / SIZE <= n; i += 32 / SIZE) STEP(SIZE, PARTS, true)                                       \
        else                                                                                                         \
            for (; i + 32 / SIZE <= n; i += 32 / SIZE) STEP(SIZE, PARTS, false)                                      \
        for (; i < n; i++)                                                                                           \
            for (int k = 0; k < PARTS; k++)                                                                          \
                memcpy(dst + (i * PARTS + k) * SIZE, src + k * plane + i * SIZE, SIZE);                              \
    }

#define STEP_2(SIZE, PARTS, STREAM) STEP_POWER(SIZE, PARTS, 1, STREAM)
#define STEP_4(SIZE, PARTS, STREAM) STEP_POWER(SIZE, PARTS, 2, STREAM)
#define STEP_8(SIZE, PARTS, STREAM) STEP_POWER(SIZE, PARTS, 3, STREAM)
#define STEP_POWER(SIZE, PARTS, ROUNDS, STREAM)                                                                      \
    {                                                                                                                \
        __m256i a[PARTS];                                                                                            \
        for (int k = 0; k < PARTS; k++) {                                                                            \
            __builtin_prefetch(src + k * plane + i * SIZE + AHEAD);                                                  \
            a[k] = load(src + k * plane + i * SIZE);                                                                 \
        }                                                                                                            \
        rotate_##SIZE(a, PARTS, ROUNDS);                                                                             \
        put_halves(dst + i * PARTS * SIZE, a, PARTS, STREAM);                                                        \
    }
#define DEFINE_MERGES(SIZE)                                                       \
    DEFINE_MERGE_LOOP(SIZE, 2, STEP_2) DEFINE_MERGE_LOOP(SIZE, 4, STEP_4) DEFINE_MERGE_LOOP(SIZE, 8, STEP_8)
DEFINE_MERGES(1)
DEFINE_MERGES(2)
DEFINE_MERGES(4)
DEFINE_MERGES(8)
DEFINE_MERGES(16)

#define DEFINE_SPLIT(SIZE, PARTS, BITS)                                                                              \
    TARGET static void split##PARTS##_##SIZE(char *const *dst, const char *src, int64_t n) {                          \
        int64_t i = 0;                                                                                               \
        for (; i + 32 / SIZE <= n; i += 32 / SIZE) {                                                                 \
            const char *from = src + i * PARTS * SIZE;                                                               \
            __m256i a[PARTS];                                                                                        \
            for (int k = 0; k < PARTS; k++) a[k] = load_halves(from + 16 * k, from + 16 * (k + PARTS));              \
            for (int k = 0; k < PARTS * 32; k += 64) __builtin_prefetch(from + 2 * AHEAD + k);                       \
            rotate_##SIZE(a, PARTS, BITS);                                                                           \
            for (int k = 0; k < PARTS; k++) store(dst[k] + i * SIZE, a[k]);                                          \
        }                                                                                                            \
        for (; i < n; i++)                                                                                           \
            for (int k = 0; k < PARTS; k++)                                                                          \
                memcpy(dst[k] + i * SIZE, src + (i * PARTS + k) * SIZE, SIZE);                                       \
    }
DEFINE_SPLIT(1, 8, 4)
DEFINE_SPLIT(2, 8, 3)
DEFINE_SPLIT(4, 8, 2)
DEFINE_SPLIT(8, 8, 1)
DEFINE_SPLIT(1, 4, 4)
DEFINE_SPLIT(2, 4, 3)
DEFINE_SPLIT(4, 4, 2)
DEFINE_SPLIT(8, 4, 1)
DEFINE_SPLIT(16, 4, 0)
DEFINE_SPLIT(16, 8, 0)

/* ---- three planes ------------------------------------------------------------------------------------------------- */

/* Which byte of plane p (a half register of it) is byte k of half register v of the merged items, and which byte of
 * half register v is byte k of plane p; -1, a zero, where it is none. */
#define MERGED(k, v, p, size) ((16 * (v) + (k)) / (size) % 3 == (p) ? (16 * (v) + (k)) / (size) / 3 * (size) + (k) % (size) : -1)
#define PLACE(k, p, size) ((3 * ((k) / (size)) + (p)) * (size) + (k) % (size))
#define SPLIT(k, v, p, size) (PLACE(k, p, size) / 16 == (v) ? PLACE(k, p, size) % 16 : -1)
#define FOUR(F, k, v, p, size) F(k, v, p, size), F(k + 1, v, p, size), F(k + 2, v, p, size), F(k + 3, v, p, size)
#define TABLE(F, v, p, size)                                                                                         \
    _mm256_broadcastsi128_si256(_mm_setr_epi8(FOUR(F, 0, v, p, size), FOUR(F, 4, v, p, size), FOUR(F, 8, v, p, size), \
                                              FOUR(F, 12, v, p, size)))

/* The three values' bytes that the three tables choose. */
INLINE __m256i choose(const __m256i *from, __m256i first, __m256i second, __m256i third) {
    __m256i two = _mm256_or_si256(_mm256_shuffle_epi8(from[0], first), _mm256_shuffle_epi8(from[1], second));
    return _mm256_or_si256(two, _mm256_shuffle_epi8(from[2], third));
}

#define STEP_3(SIZE, PARTS, STREAM)                                                                                  \
    {                                                                                                                \
        const char *from = src + i * SIZE;                                                                           \
        const __m256i in[3] = {load(from), load(from + plane), load(from + 2 * plane)};                              \
        for (int k = 0; k < 3; k++) __builtin_prefetch(from + k * plane + AHEAD);                                    \
        __m256i a = choose(in, TABLE(MERGED, 0, 0, SIZE), TABLE(MERGED, 0, 1, SIZE), TABLE(MERGED, 0, 2, SIZE));     \
        __m256i b = choose(in, TABLE(MERGED, 1, 0, SIZE), TABLE(MERGED, 1, 1, SIZE), TABLE(MERGED, 1, 2, SIZE));     \
        __m256i c = choose(in, TABLE(MERGED, 2, 0, SIZE), TABLE(MERGED, 2, 1, SIZE), TABLE(MERGED, 2, 2, SIZE));     \
        char *to = dst + i * 3 * SIZE;                                                                               \
        put(to, _mm256_permute2x128_si256(a, b, 0x20), STREAM);                                                      \
        put(to + 32, _mm256_permute2x128_si256(c, a, 0x30), STREAM);                                                 \
        put(to + 64, _mm256_permute2x128_si256(b, c, 0x31), STREAM);                                                 \
    }
DEFINE_MERGE_LOOP(1, 3, STEP_3)
DEFINE_MERGE_LOOP(2, 3, STEP_3)
DEFINE_MERGE_LOOP(4, 3, STEP_3)
DEFINE_MERGE_LOOP(8, 3, STEP_3)
DEFINE_MERGE_LOOP(16, 3, STEP_3)

#define DEFINE_SPLIT3(SIZE)                                                                                          \
    TARGET static void split3_##SIZE(char *const *dst, const char *src, int64_t n) {                                  \
        int64_t i = 0;                                                                                               \
        for (; i + 32 / SIZE <= n; i += 32 / SIZE) {                                                                 \
            const char *from = src + i * 3 * SIZE;                                                                   \
            __builtin_prefetch(from + 2 * AHEAD);                                                                    \
            __builtin_prefetch(from + 2 * AHEAD + 48);                                                               \
            const __m256i in[3] = {load_halves(from, from + 48), load_halves(from + 16, from + 64),                  \
                                   load_halves(from + 32, from + 80)};                                               \
            store(dst[0] + i * SIZE,                                                                                 \
                  choose(in, TABLE(SPLIT, 0, 0, SIZE), TABLE(SPLIT, 1, 0, SIZE), TABLE(SPLIT, 2, 0, SIZE)));     \
            store(dst[1] + i * SIZE,                                                                                 \
                  choose(in, TABLE(SPLIT, 0, 1, SIZE), TABLE(SPLIT, 1, 1, SIZE), TABLE(SPLIT, 2, 1, SIZE)));         \
            store(dst[2] + i * SIZE,                                                                                 \
                  choose(in, TABLE(SPLIT, 0, 2, SIZE), TABLE(SPLIT, 1, 2, SIZE), TABLE(SPLIT, 2, 2, SIZE)));         \
        }                                                                                                            \
        for (; i < n; i++)                                                                                           \
            for (int k = 0; k < 3; k++) memcpy(dst[k] + i * SIZE, src + (i * 3 + k) * SIZE, SIZE);                   \
    }
DEFINE_SPLIT3(1)
DEFINE_SPLIT3(2)
DEFINE_SPLIT3(4)
DEFINE_SPLIT3(8)
DEFINE_SPLIT3(16)

void sc_fill_planes_avx2(sc_kernels *kernels) {
#define SET(code, SIZE)                          \
    kernels->merge[code][0] = merge2_##SIZE;      \
    kernels->merge[code][1] = merge3_##SIZE;      \
    kernels->merge[code][2] = merge4_##SIZE;      \
    kernels->merge[code][3] = merge8_##SIZE;      \
    kernels->split[code][1] = split3_##SIZE;      \
    kernels->split[code][2] = split4_##SIZE;      \
    kernels->split[code][3] = split8_##SIZE;
    SET(0, 1) SET(1, 2) SET(2, 4) SET(3, 8) SET(4, 16)
}

#endif
