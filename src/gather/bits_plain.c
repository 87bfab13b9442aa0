/* Masks as words of bits, and what is done by them: the specification. */
#include "bits.h"

#include <string.h>

#include "cpu.h"

static void bits(const char *mask, int64_t n, uint64_t *words) {
    for (int64_t i = 0; i < n; i += 64) {
        uint64_t word = 0;
        for (int64_t k = 0; k < 64 && i + k < n; k++) word |= (uint64_t)(mask[i + k] != 0) << k;
        *words++ = word;
    }
}

static int64_t count(const char *mask, int64_t n) {
    int64_t counted = 0;
    for (int64_t i = 0; i < n; i++) counted += mask[i] != 0;
    return counted;
}

static int64_t places(int64_t *dst, const uint64_t *words, int64_t n_words, int64_t first) {
    int64_t *to = dst;
    int at;
    for (int64_t i = 0; i < n_words; i++, first += 64) SC_EACH_BIT(words[i], at) *to++ = first + at;
    return to - dst;
}

#define BY_SIZE(SIZE)                                                                                   \
    static int64_t compress_##SIZE(char *dst, const char *src, const uint64_t *words, int64_t n_words) { \
        char *to = dst;                                                                                 \
        int at;                                                                                         \
        for (int64_t i = 0; i < n_words; i++, src += 64 * SIZE) {                                       \
            if (words[i] == UINT64_MAX) {                                                               \
                memcpy(to, src, 64 * SIZE);                                                             \
                to += 64 * SIZE;                                                                        \
                continue;                                                                               \
            }                                                                                           \
            SC_EACH_BIT(words[i], at) {                                                                 \
                memcpy(to, src + at * SIZE, SIZE);                                                      \
                to += SIZE;                                                                             \
            }                                                                                           \
        }                                                                                               \
        return (to - dst) / SIZE;                                                                       \
    }                                                                                                   \
    static void fill_##SIZE(char *dst, const char *item, const uint64_t *words, int64_t n) {            \
        char value[SIZE];                                                                               \
        int at;                                                                                         \
        memcpy(value, item, SIZE);                                                                      \
        for (int64_t i = 0; i < n; i += 64, dst += 64 * SIZE) {                                         \
            uint64_t word = *words++;                                                                   \
            if (word == UINT64_MAX)                                                                     \
                for (at = 0; at < 64; at++) memcpy(dst + at * SIZE, value, SIZE);                       \
            else                                                                                        \
                SC_EACH_BIT(word, at) memcpy(dst + at * SIZE, value, SIZE);                             \
        }                                                                                               \
    }                                                                                                   \
    static void choose_##SIZE(char *dst, const char *mask, const char *a, int64_t a_step, const char *b, \
                              int64_t b_step, int64_t n, bool stream) {                                 \
        (void)stream;                                                                                   \
        for (int64_t i = 0; i < n; i++)                                                                 \
            memcpy(dst + i * SIZE, mask[i] ? a + i * a_step : b + i * b_step, SIZE);                    \
    }

BY_SIZE(1)
BY_SIZE(2)
BY_SIZE(4)
BY_SIZE(8)
BY_SIZE(16)

#define EACH(NAME) {NAME##_1, NAME##_2, NAME##_4, NAME##_8, NAME##_16}

void sc_fill_bits_plain(sc_kernels *kernels) {
    kernels->gather.bits = bits;
    kernels->gather.count = count;
    kernels->gather.places = places;
    memcpy(kernels->gather.compress, (sc_compress_kernel[])EACH(compress), sizeof kernels->gather.compress);
    memcpy(kernels->gather.fill, (sc_mask_fill_kernel[])EACH(fill), sizeof kernels->gather.fill);
    memcpy(kernels->gather.choose, (sc_choose_kernel[])EACH(choose), sizeof kernels->gather.choose);
}
