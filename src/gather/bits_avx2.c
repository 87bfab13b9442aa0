/* Masks as words of bits, and what is done by them, with AVX2.
 *
 * Eight bits of a word choose from eight items by a table of the places of set bits:
 *
 *     bits 10010110   places 1 2 4 7 . . . .   a permutation brings those items to the front; all eight are stored,
 *                                              and the next eight start behind the four that count
 */
#include "bits.h"
#include "cpu.h"

#if defined(__x86_64__) || defined(_M_X64)

#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx2,bmi,popcnt")))
#define INLINE static inline __attribute__((always_inline)) TARGET

static uint8_t set_bits[256][8]; /* written when the registry is filled, never again */

static void fill_set_bits(void) {
    for (int byte = 0; byte < 256; byte++)
        for (int bit = 0, k = 0; bit < 8; bit++)
            if (byte >> bit & 1) set_bits[byte][k++] = (uint8_t)bit;
}

INLINE __m256i load(const char *from) { return _mm256_loadu_si256((const __m256i *)from); }
INLINE void store(char *to, __m256i value) { _mm256_storeu_si256((__m256i *)to, value); }

/* ---- bytes to bits ------------------------------------------------------------------------- */

INLINE uint64_t half_word(const char *mask) {
    return (uint32_t)~_mm256_movemask_epi8(_mm256_cmpeq_epi8(load(mask), _mm256_setzero_si256()));
}

TARGET static void bits(const char *mask, int64_t n, uint64_t *words) {
    char last[64] = {0};
    for (; n > 0; n -= 64, mask += 64) {
        if (n < 64) mask = memcpy(last, mask, (size_t)n);
        *words++ = half_word(mask) | half_word(mask + 32) << 32;
    }
}

/* Bytes count zeros, and are summed before they can overflow. */
TARGET static int64_t count(const char *mask, int64_t n) {
    __m256i zero = _mm256_setzero_si256(), sums = zero;
    int64_t i = 0, zeros;
    while (i + 64 <= n) {
        __m256i low = zero, high = zero;
        for (int k = 0; k < 255 && i + 64 <= n; k++, i += 64) {
            _mm_prefetch(mask + i + 2048, _MM_HINT_T0);
            low = _mm256_sub_epi8(low, _mm256_cmpeq_epi8(load(mask + i), zero));
            high = _mm256_sub_epi8(high, _mm256_cmpeq_epi8(load(mask + i + 32), zero));
        }
        sums = _mm256_add_epi64(sums, _mm256_add_epi64(_mm256_sad_epu8(low, zero), _mm256_sad_epu8(high, zero)));
    }
    zeros = _mm256_extract_epi64(sums, 0) + _mm256_extract_epi64(sums, 1) + _mm256_extract_epi64(sums, 2) +
            _mm256_extract_epi64(sums, 3);
    for (; i < n; i++) zeros += mask[i] == 0;
    return n - zeros;
}

/* Few bits: a block's words have two each at most, taken together. */
INLINE bool are_few(const uint64_t *words, int64_t n_words) {
    int64_t set = 0;
    for (int64_t i = 0; i < n_words; i++) set += _mm_popcnt_u64(words[i]);
    return set <= 2 * n_words;
}

/* ---- places -------------------------------------------------------------------------------- */

/* Four places for each word, of which those of its bits count: no branch to be guessed wrong. */
TARGET static int64_t few_places(int64_t *dst, const uint64_t *words, int64_t n_words, int64_t first) {
    int64_t *to = dst;
    int at;
    for (int64_t i = 0; i < n_words; i++, first += 64) {
        uint64_t word = words[i];
        int64_t set = _mm_popcnt_u64(word);
        if (set > 4) {
            SC_EACH_BIT(word, at) *to++ = first + at;
            continue;
        }
        for (int k = 0; k < 4; k++, word = _blsr_u64(word)) to[k] = first + (int64_t)_tzcnt_u64(word);
        to += set;
    }
    return to - dst;
}

TARGET static int64_t places(int64_t *dst, const uint64_t *words, int64_t n_words, int64_t first) {
    int64_t *to = dst;
    if (are_few(words, n_words)) return few_places(dst, words, n_words, first);
    for (int64_t i = 0; i < n_words; i++, first += 64) {
        uint64_t word = words[i];
        for (int k = 0; k < 64; k += 8, word >>= 8) {
            int byte = (int)(word & 255);
            __m128i set = _mm_loadl_epi64((const __m128i *)set_bits[byte]);
            __m256i from = _mm256_set1_epi64x(first + k);
            store((char *)to, _mm256_add_epi64(_mm256_cvtepu8_epi64(set), from));
            store((char *)(to + 4), _mm256_add_epi64(_mm256_cvtepu8_epi64(_mm_srli_si128(set, 4)), from));
            to += _mm_popcnt_u32((unsigned)byte);
        }
    }
    return to - dst;
}

/* ---- compress ------------------------------------------------------------------------------ */

/* Each packs up to eight items by the bits of a byte. */
INLINE void pack_1(char *to, const char *from, int byte) {
    __m128i set = _mm_loadl_epi64((const __m128i *)set_bits[byte]);
    _mm_storel_epi64((__m128i *)to, _mm_shuffle_epi8(_mm_loadl_epi64((const __m128i *)from), set));
}

INLINE void pack_2(char *to, const char *from, int byte) {
    __m128i set = _mm_loadl_epi64((const __m128i *)set_bits[byte]);
    set = _mm_unpacklo_epi8(set, set); /* item i is the bytes 2 i and 2 i + 1 */
    set = _mm_add_epi8(_mm_add_epi8(set, set), _mm_set1_epi16(0x0100));
    _mm_storeu_si128((__m128i *)to, _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)from), set));
}

INLINE void pack_4(char *to, const char *from, int byte) {
    __m256i set = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)set_bits[byte]));
    store(to, _mm256_permutevar8x32_epi32(load(from), set));
}

INLINE void pack_half_8(char *to, const char *from, int half) {
    __m128i set = _mm_loadl_epi64((const __m128i *)set_bits[half]);
    __m256i pairs = _mm256_cvtepu8_epi32(_mm_unpacklo_epi8(set, set)); /* item i is the parts 2 i and 2 i + 1 */
    pairs = _mm256_add_epi32(_mm256_add_epi32(pairs, pairs), _mm256_setr_epi32(0, 1, 0, 1, 0, 1, 0, 1));
    store(to, _mm256_permutevar8x32_epi32(load(from), pairs));
}

INLINE void pack_8(char *to, const char *from, int byte) {
    pack_half_8(to, from, byte & 15);
    pack_half_8(to + 8 * _mm_popcnt_u32((unsigned)byte & 15), from + 32, byte >> 4);
}

INLINE void pack_16(char *to, const char *from, int byte) {
    for (int bit = 0; bit < 8; bit++) {
        memcpy(to, from + bit * 16, 16);
        to += (byte >> bit & 1) * 16;
    }
}

/* As few_places; an item is read for bits that are not there, too. */
#define COMPRESS(SIZE)                                                                                         \
    TARGET static int64_t compress_few_##SIZE(char *dst, const char *src, const uint64_t *words, int64_t n_words) { \
        char *to = dst;                                                                                        \
        int at;                                                                                                \
        for (int64_t i = 0; i < n_words; i++, src += 64 * SIZE) {                                              \
            uint64_t word = words[i];                                                                          \
            int64_t set = _mm_popcnt_u64(word);                                                                \
            for (int line = 0; line < SIZE; line++) _mm_prefetch(src + PREFETCH + line * 64, _MM_HINT_T0);     \
            if (set > 4) {                                                                                     \
                SC_EACH_BIT(word, at) {                                                                        \
                    memcpy(to, src + at * SIZE, SIZE);                                                         \
                    to += SIZE;                                                                                \
                }                                                                                              \
                continue;                                                                                      \
            }                                                                                                  \
            for (int k = 0; k < 4; k++, word = _blsr_u64(word))                                                \
                memcpy(to + k * SIZE, src + (_tzcnt_u64(word) & 63) * SIZE, SIZE);                             \
            to += set * SIZE;                                                                                  \
        }                                                                                                      \
        return (to - dst) / SIZE;                                                                              \
    }                                                                                                          \
    TARGET static int64_t compress_##SIZE(char *dst, const char *src, const uint64_t *words, int64_t n_words) { \
        char *to = dst;                                                                                        \
        if (are_few(words, n_words)) return compress_few_##SIZE(dst, src, words, n_words);                     \
        for (int64_t i = 0; i < n_words; i++, src += 64 * SIZE) {                                              \
            uint64_t word = words[i];                                                                          \
            for (int line = 0; line < SIZE; line++) _mm_prefetch(src + PREFETCH + line * 64, _MM_HINT_T0);     \
            if (word == UINT64_MAX) {                                                                          \
                for (int k = 0; k < 2 * SIZE; k++) store(to + 32 * k, load(src + 32 * k));                     \
                to += 64 * SIZE;                                                                               \
            } else if (word != 0) {                                                                            \
                for (int k = 0; k < 8; k++, word >>= 8) {                                                      \
                    pack_##SIZE(to, src + k * 8 * SIZE, (int)(word & 255));                                    \
                    to += _mm_popcnt_u32((unsigned)word & 255) * SIZE;                                         \
                }                                                                                              \
            }                                                                                                  \
        }                                                                                                      \
        return (to - dst) / SIZE;                                                                              \
    }

enum { PREFETCH = 2048 };

COMPRESS(1)
COMPRESS(2)
COMPRESS(4)
COMPRESS(8)
COMPRESS(16)

/* ---- fill ---------------------------------------------------------------------------------- */

/* Only places whose bit is set are written: others may be another thread's. */
INLINE void fill_some_4(char *to, __m256i value, int byte) {
    __m256i each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i chosen = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(byte), each), each);
    _mm256_maskstore_epi32((int *)(void *)to, chosen, value);
}

INLINE void fill_some_8(char *to, __m256i value, int byte) {
    __m256i each = _mm256_setr_epi64x(1, 2, 4, 8);
    __m256i low = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(byte), each), each);
    __m256i high = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(byte >> 4), each), each);
    _mm256_maskstore_epi64((long long *)(void *)to, low, value);
    _mm256_maskstore_epi64((long long *)(void *)(to + 32), high, value);
}

enum { FEW_BITS = 4 };

#define FILL(SIZE, SET)                                                                                   \
    TARGET static void fill_##SIZE(char *dst, const char *item, const uint64_t *words, int64_t n) {       \
        int##SET##_t one;                                                                                 \
        memcpy(&one, item, SIZE);                                                                         \
        __m256i value = SPREAD_##SET(one);                                                                \
        int at;                                                                                           \
        for (int64_t i = 0; i < n; i += 64, dst += 64 * SIZE) {                                           \
            uint64_t word = *words++;                                                                     \
            if (word == UINT64_MAX) {                                                                     \
                for (int k = 0; k < 2 * SIZE; k++) store(dst + 32 * k, value);                            \
            } else if (_mm_popcnt_u64(word) <= FEW_BITS) {                                             \
                SC_EACH_BIT(word, at) memcpy(dst + at * SIZE, &one, SIZE);                                \
            } else {                                                                                      \
                for (int k = 0; k < 8; k++, word >>= 8)                                                   \
                    fill_some_##SIZE(dst + k * 8 * SIZE, value, (int)(word & 255));                       \
            }                                                                                             \
        }                                                                                                 \
    }

#define SPREAD_32(one) _mm256_set1_epi32(one)
#define SPREAD_64(one) _mm256_set1_epi64x(one)

FILL(4, 32)
FILL(8, 64)

void sc_fill_bits_avx2(sc_kernels *kernels) {
    fill_set_bits();
    kernels->gather.bits = bits;
    kernels->gather.count = count;
    kernels->gather.places = places;
    kernels->gather.compress[0] = compress_1;
    kernels->gather.compress[1] = compress_2;
    kernels->gather.compress[2] = compress_4;
    kernels->gather.compress[3] = compress_8;
    kernels->gather.compress[4] = compress_16;
    kernels->gather.fill[2] = fill_4;
    kernels->gather.fill[3] = fill_8;
}

#endif
