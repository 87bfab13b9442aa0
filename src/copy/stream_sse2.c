/* Streaming stores with SSE2; stream_avx2.c tells why a block is copied as eight streams. */
#include "cpu.h"

#if defined(__x86_64__) || defined(_M_X64)

#include <emmintrin.h>
#include <string.h>

enum { STREAMS = 8, APART = 1 << 16, TURN = 256, PREFETCH = 512 };

static inline void stream_line(char *dst, const char *src) {
    for (int k = 0; k < 64; k += 16)
        _mm_stream_si128((__m128i *)(dst + k), _mm_loadu_si128((const __m128i *)(src + k)));
}

static void stream_lines(char *dst, const char *src, int64_t lines) {
    for (; lines > 0; lines--, dst += 64, src += 64) stream_line(dst, src);
}

static void stream_block(char *dst, const char *src, int64_t nbytes) {
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

void sc_fill_stream_sse2(sc_kernels *kernels) {
    kernels->stream_lines = stream_lines;
    kernels->stream_block = stream_block;
    kernels->fence = fence;
}

#endif
