/* Sweeps with AVX2: blocks of 32 x 16, 16 x 8, 8 x 8, 4 x 4 and 2 x 4 items of 1, 2, 4, 8 and 16 bytes, transposed in
 * registers.
 *
 * A block's source rows are loaded half a register at a time, row j and row j + n/2 into the two halves of one, so
 * that unpacks within halves are all it takes. For 4 bytes:
 *
 *     rows 0, 4     a0 a1 a2 a3 | e0 e1 e2 e3        unpack   a0 b0 a1 b1 | e0 f0 e1 f1
 *     rows 1, 5     b0 b1 b2 b3 | f0 f1 f2 f3        twice    a0 b0 c0 d0 | e0 f0 g0 h0   column 0 of eight rows
 */
#include "cpu.h"

#if defined(__x86_64__) || defined(_M_X64)

#include <immintrin.h>
#include <string.h>

#include "sweep.h"

#define TARGET __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline)) TARGET

#define LINE_STREAM(d, s)                                                                                   \
    do {                                                                                                    \
        __m256i low_ = _mm256_load_si256((const __m256i *)(s)), high_ = _mm256_load_si256((const __m256i *)((s) + 32)); \
        _mm256_stream_si256((__m256i *)(d), low_);                                                          \
        _mm256_stream_si256((__m256i *)((d) + 32), high_);                                                  \
    } while (0)
#define LINE_STORE(d, s)                                                                                    \
    do {                                                                                                    \
        __m256i low_ = _mm256_load_si256((const __m256i *)(s)), high_ = _mm256_load_si256((const __m256i *)((s) + 32)); \
        _mm256_store_si256((__m256i *)(d), low_);                                                           \
        _mm256_store_si256((__m256i *)((d) + 32), high_);                                                   \
    } while (0)

/* Half a register from each of two places. */
INLINE __m256i load_halves(const char *low, const char *high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)low)),
                                   _mm_loadu_si128((const __m128i *)high), 1);
}

INLINE void store(char *to, __m256i value) { _mm256_storeu_si256((__m256i *)to, value); }

/* ---- 1 byte: 32 source rows of 16 ------------------------------------------------------------------ */

INLINE void micro_1(char *const *to, int64_t col, const char *src, const int64_t *rows) {
    __m256i a[16], b[16];
    for (int k = 0; k < 16; k++) a[k] = load_halves(src + rows[k], src + rows[k + 16]);
    for (int k = 0; k < 8; k++) {
        b[2 * k] = _mm256_unpacklo_epi8(a[k], a[k + 8]);
        b[2 * k + 1] = _mm256_unpackhi_epi8(a[k], a[k + 8]);
    }
    for (int k = 0; k < 8; k++) {
        a[2 * k] = _mm256_unpacklo_epi8(b[k], b[k + 8]);
        a[2 * k + 1] = _mm256_unpackhi_epi8(b[k], b[k + 8]);
    }
    for (int k = 0; k < 8; k++) {
        b[2 * k] = _mm256_unpacklo_epi8(a[k], a[k + 8]);
        b[2 * k + 1] = _mm256_unpackhi_epi8(a[k], a[k + 8]);
    }
    for (int k = 0; k < 8; k++) {
        store(to[2 * k] + col, _mm256_unpacklo_epi8(b[k], b[k + 8]));
        store(to[2 * k + 1] + col, _mm256_unpackhi_epi8(b[k], b[k + 8]));
    }
}

/* ---- 2 bytes: 16 source rows of 8 ------------------------------------------------------------------- */

INLINE void micro_2(char *const *to, int64_t col, const char *src, const int64_t *rows) {
    __m256i a[8], b[8];
    for (int k = 0; k < 8; k++) a[k] = load_halves(src + rows[k], src + rows[k + 8]);
    for (int k = 0; k < 4; k++) {
        b[2 * k] = _mm256_unpacklo_epi16(a[k], a[k + 4]);
        b[2 * k + 1] = _mm256_unpackhi_epi16(a[k], a[k + 4]);
    }
    for (int k = 0; k < 4; k++) {
        a[2 * k] = _mm256_unpacklo_epi16(b[k], b[k + 4]);
        a[2 * k + 1] = _mm256_unpackhi_epi16(b[k], b[k + 4]);
    }
    for (int k = 0; k < 4; k++) {
        store(to[2 * k] + col, _mm256_unpacklo_epi16(a[k], a[k + 4]));
        store(to[2 * k + 1] + col, _mm256_unpackhi_epi16(a[k], a[k + 4]));
    }
}

/* ---- 4 bytes: 8 source rows of 8 --------------------------------------------------------------------- */

INLINE void micro_4_half(char *const *to, int64_t col, const char *src, const int64_t *rows) {
    __m256i a = load_halves(src + rows[0], src + rows[4]), b = load_halves(src + rows[1], src + rows[5]);
    __m256i c = load_halves(src + rows[2], src + rows[6]), d = load_halves(src + rows[3], src + rows[7]);
    __m256i ac_low = _mm256_unpacklo_epi32(a, c), ac_high = _mm256_unpackhi_epi32(a, c);
    __m256i bd_low = _mm256_unpacklo_epi32(b, d), bd_high = _mm256_unpackhi_epi32(b, d);
    store(to[0] + col, _mm256_unpacklo_epi32(ac_low, bd_low));
    store(to[1] + col, _mm256_unpackhi_epi32(ac_low, bd_low));
    store(to[2] + col, _mm256_unpacklo_epi32(ac_high, bd_high));
    store(to[3] + col, _mm256_unpackhi_epi32(ac_high, bd_high));
}

INLINE void micro_4(char *const *to, int64_t col, const char *src, const int64_t *rows) {
    micro_4_half(to, col, src, rows);
    micro_4_half(to + 4, col, src + 16, rows);
}

/* ---- 8 bytes: 4 source rows of 4 ---------------------------------------------------------------------- */

INLINE void micro_8(char *const *to, int64_t col, const char *src, const int64_t *rows) {
    for (int k = 0; k < 2; k++, src += 16) {
        __m256i a = load_halves(src + rows[0], src + rows[2]), b = load_halves(src + rows[1], src + rows[3]);
        store(to[2 * k] + col, _mm256_unpacklo_epi64(a, b));
        store(to[2 * k + 1] + col, _mm256_unpackhi_epi64(a, b));
    }
}

/* ---- 16 bytes: 2 source rows of 4 ---------------------------------------------------------------------- */

INLINE void micro_16(char *const *to, int64_t col, const char *src, const int64_t *rows) {
    for (int k = 0; k < 4; k++, src += 16) store(to[k] + col, load_halves(src + rows[0], src + rows[1]));
}

/* ---- the sweeps ------------------------------------------------------------------------------------------
 *
 * The tiles are those that were fastest over 64 MiB: 512 bytes or more of a source row where a destination row gets 128
 * or 256, because segments that are read cost more than segments that are streamed. For bytes it is the other way round,
 * since a block needs 32 source rows. */

#define NAME(x) x##_1
#define ITEM 1
#define MICRO_ROWS 16
#define MICRO_COLS 32
#define TILE_ROWS 128
#define TILE_COLS 256
#define PREFETCH_ROWS 64
#include "sweep_tile.h"

#define NAME(x) x##_2
#define ITEM 2
#define MICRO_ROWS 8
#define MICRO_COLS 16
#define TILE_ROWS 128
#define TILE_COLS 64
#define PREFETCH_ROWS 16
#include "sweep_tile.h"

#define NAME(x) x##_4
#define ITEM 4
#define MICRO_ROWS 8
#define MICRO_COLS 8
#define TILE_ROWS 128
#define TILE_COLS 32
#define PREFETCH_ROWS 16
#include "sweep_tile.h"

#define NAME(x) x##_8
#define ITEM 8
#define MICRO_ROWS 4
#define MICRO_COLS 4
#define TILE_ROWS 64
#define TILE_COLS 32
#define PREFETCH_ROWS 8
#include "sweep_tile.h"

#define NAME(x) x##_16
#define ITEM 16
#define MICRO_ROWS 4
#define MICRO_COLS 2
#define TILE_ROWS 64
#define TILE_COLS 16
#define PREFETCH_ROWS 4
#include "sweep_tile.h"

void sc_fill_transpose_avx2(sc_kernels *kernels) {
    kernels->sweepers[0] = (sc_sweeper){run_1, 128, 256, 16, 32, gather_1, small_1};
    kernels->sweepers[1] = (sc_sweeper){run_2, 128, 64, 8, 16, gather_2, small_2};
    kernels->sweepers[2] = (sc_sweeper){run_4, 128, 32, 8, 8, gather_4, small_4};
    kernels->sweepers[3] = (sc_sweeper){run_8, 64, 32, 4, 4, gather_8, small_8};
    kernels->sweepers[4] = (sc_sweeper){run_16, 64, 16, 4, 2, gather_16, small_16};
}

#endif
