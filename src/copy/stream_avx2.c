/* Streaming stores with AVX2.
 *
 * One stream of reads does not fill the memory's queues: a block is copied as eight streams, 64 KiB apart, four
 * lines of each in turn. */
#include "cpu.h"

#if defined(__x86_64__) || defined(_M_X64)

#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline)) TARGET

enum { STREAMS = 8, APART = 1 << 16, TURN = 256, PREFETCH = 512 };

INLINE void stream_line(char *dst, const char *src) {
    __m256i low = _mm256_loadu_si256((const __m256i *)src), high = _mm256_loadu_si256((const __m256i *)(src + 32));
    _mm256_stream_si256((__m256i *)dst, low);
    _mm256_stream_si256((__m256i *)(dst + 32), high);
}

TARGET static void stream_lines(char *dst, const char *src, int64_t lines) {
    for (; lines >= 4; lines -= 4, dst += 256, src += 256) {
        stream_line(dst, src);
        stream_line(dst + 64, src + 64);
        stream_line(dst + 128, src + 128);
        stream_line(dst + 192, src + 192);
    }
    for (; lines > 0; lines--, dst += 64, src += 64) stream_line(dst, src);
}

TARGET static void stream_block(char *dst, const char *src, int64_t nbytes) {
    int64_t head = -(int64_t)(uintptr_t)dst & 63;
    if (head > nbytes) head = nbytes;
    memcpy(dst, src, (size_t)head);
    dst += head, src += head, nbytes -= head;
    for (; nbytes >= STREAMS * APART; nbytes -= STREAMS * APART, dst += STREAMS * APART, src += STREAMS * APART)
        for (int64_t i = 0; i < APART; i += TURN)
            for (int64_t k = i; k < STREAMS * APART; k += APART)
                for (int64_t at = k; at < k + TURN; at += 64) {
                    _mm_prefetch(src + at + PREFETCH, _MM_HINT_T0);
                    stream_line(dst + at, src + at);
                }
    stream_lines(dst, src, nbytes >> 6);
    memcpy(dst + (nbytes & ~(int64_t)63), src + (nbytes & ~(int64_t)63), (size_t)(nbytes & 63));
}

static void fence(void) { _mm_sfence(); }

void sc_fill_stream_avx2(sc_kernels *kernels) {
    kernels->stream_lines = stream_lines;
    kernels->stream_block = stream_block;
    kernels->fence = fence;
}

#endif
