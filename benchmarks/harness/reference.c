/* Reference loops for the benchmarks: memcpy many times over, a streaming copy, and its two halves alone.
 *
 * They tell what the memory can do, whoever asks: a copy that neither reads nor writes faster than
 * these is at the machine's limit. Compiled on the fly; without a C compiler the benchmarks do
 * without them.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* libc's memcpy `times` times in a row: a copy of a few KiB costs less than one call from Python. */
void bench_memcpy(char *dst, const char *src, size_t n, long times)
{
    for (long i = 0; i < times; i++) {
        memcpy(dst, src, n);
        __asm__ volatile("" : : "r"(dst), "r"(src) : "memory");
    }
}

#if defined(__SSE2__)
#include <emmintrin.h>

enum { AHEAD = 512, APART = 65536, STREAMS = 4 };

static void stream_line(char *dst, const char *src)
{
    _mm_prefetch(src + AHEAD, _MM_HINT_T0);
    __m128i a = _mm_load_si128((const __m128i *)src), b = _mm_load_si128((const __m128i *)(src + 16));
    __m128i c = _mm_load_si128((const __m128i *)(src + 32)), d = _mm_load_si128((const __m128i *)(src + 48));
    _mm_stream_si128((__m128i *)dst, a);
    _mm_stream_si128((__m128i *)(dst + 16), b);
    _mm_stream_si128((__m128i *)(dst + 32), c);
    _mm_stream_si128((__m128i *)(dst + 48), d);
}

/* dst[0, n) = src[0, n) with non-temporal stores, a line from each of four regions in turn: one stream of reads is
 * not the limit. Requires 64-byte aligned addresses. */
void bench_stream(char *dst, const char *src, size_t n)
{
    size_t at = 0;
    for (; at + STREAMS * APART <= n; at += STREAMS * APART)
        for (size_t line = 0; line < APART; line += 64)
            for (size_t region = 0; region < STREAMS; region++)
                stream_line(dst + at + region * APART + line, src + at + region * APART + line);
    for (; at + 64 <= n; at += 64)
        stream_line(dst + at, src + at);
    _mm_sfence();
    memcpy(dst + at, src + at, n - at);
}

/* Only the loads of a copy; the result keeps the compiler from dropping them. */
int bench_load(const char *src, size_t n)
{
    __m128i sum = _mm_setzero_si128();
    for (size_t i = 0; i + 64 <= n; i += 64) {
        _mm_prefetch(src + i + 1024, _MM_HINT_T0);
        for (int k = 0; k < 64; k += 16)
            sum = _mm_xor_si128(sum, _mm_load_si128((const __m128i *)(src + i + k)));
    }
    return _mm_cvtsi128_si32(sum);
}

/* Only the stores of a streaming copy. */
void bench_store(char *dst, size_t n)
{
    __m128i zero = _mm_setzero_si128();
    for (size_t i = 0; i + 64 <= n; i += 64)
        for (int k = 0; k < 64; k += 16)
            _mm_stream_si128((__m128i *)(dst + i + k), zero);
    _mm_sfence();
}
#endif
