/* Masks as words of bits with SSE2. */
#include "cpu.h"

#if defined(__x86_64__) || defined(_M_X64)

#include <emmintrin.h>
#include <string.h>

static uint64_t sixteen(const char *mask) {
    __m128i is_false = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)mask), _mm_setzero_si128());
    return (uint64_t)(uint16_t)~_mm_movemask_epi8(is_false);
}

static void bits(const char *mask, int64_t n, uint64_t *words) {
    char last[64] = {0};
    for (; n > 0; n -= 64, mask += 64) {
        if (n < 64) mask = memcpy(last, mask, (size_t)n);
        *words++ = sixteen(mask) | sixteen(mask + 16) << 16 | sixteen(mask + 32) << 32 | sixteen(mask + 48) << 48;
    }
}

void sc_fill_bits_sse2(sc_kernels *kernels) { kernels->gather.bits = bits; }

#endif
