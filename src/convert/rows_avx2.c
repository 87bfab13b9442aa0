/* Conversion rows for CPUs with AVX2 and F16C: the plain loops compiled for them, and by hand what the compiler does
 * not find. The latter take blocks of a contiguous row and leave the rest, and blocks with values out of their range,
 * to the plain loops. */
#if defined(__x86_64__) || defined(_M_X64)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,f16c,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC optimize("no-trapping-math")
#pragma GCC target("avx2,f16c,bmi,bmi2")
#endif
#include <immintrin.h>

#include "cpu.h"

static void fill_more(sc_convert_fn *(*table)[SC_NUM_DTYPES]);
#define FILL_MORE fill_more(table);
#define LEVEL avx2
#include "convert/rows.h"

/* A row in blocks of N: `block` moves one from `from` to `to`, or sets done to false and leaves it. */
#define BLOCK_ROW(D, S, N, block)                                                                                   \
    static void D##_from_##S##_blocks(char *dst, int64_t dst_byte_stride, const char *src, int64_t src_byte_stride, \
                                      int64_t n) {                                                                  \
        int64_t i = 0;                                                                                              \
        if (dst_byte_stride == (int64_t)sizeof(any_##D) && src_byte_stride == (int64_t)sizeof(any_##S)) {           \
            for (; i + N <= n; i += N) {                                                                            \
                any_##D *to = (any_##D *)dst + i;                                                                   \
                const any_##S *from = (const any_##S *)src + i;                                                     \
                if (!(block)) D##_from_##S((char *)to, sizeof *to, (const char *)from, sizeof *from, N);            \
            }                                                                                                       \
        }                                                                                                           \
        if (i < n)                                                                                                  \
            D##_from_##S(dst + i * dst_byte_stride, dst_byte_stride, src + i * src_byte_stride, src_byte_stride,    \
                         n - i);                                                                                    \
    }

/* ---- float16 ------------------------------------------------------------------------------------ */

static inline bool f32_from_f16_8(any_b32 *to, const any_f16 *from) {
    _mm256_storeu_ps((float *)to, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from)));
    return true;
}
static inline bool f16_from_f32_8(any_f16 *to, const any_b32 *from) {
    __m256 values = _mm256_loadu_ps((const float *)from);
    _mm_storeu_si128((__m128i *)to, _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
    return true;
}
static inline bool f32_from_e5m2_8(any_b32 *to, const any_e5m2 *from) { /* the upper byte of a float16 */
    __m128i codes = _mm_loadl_epi64((const __m128i *)from);
    _mm256_storeu_ps((float *)to, _mm256_cvtph_ps(_mm_unpacklo_epi8(_mm_setzero_si128(), codes)));
    return true;
}
BLOCK_ROW(b32, f16, 8, f32_from_f16_8(to, from))
BLOCK_ROW(b32, e5m2, 8, f32_from_e5m2_8(to, from))
BLOCK_ROW(f16, b32, 8, f16_from_f32_8(to, from))

/* ---- int64 -> floats ------------------------------------------------------------------------------
 *
 * x = high * 2**32 + low. Put under exponents that make their last bits worth 2**16 and 1, both halves are doubles
 * with an excess that one subtraction takes away; the sum is rounded once. */

static inline __m256d f64_of_i64(__m256i x) {
    const __m256d excess_of_high = _mm256_set1_pd(442721857769029238784.0); /* 3 * 2**67 */
    const __m256d both_excesses = _mm256_set1_pd(442726361368656609280.0);  /* 3 * 2**67 + 2**52 */
    const __m256d excess_of_low = _mm256_set1_pd(4503599627370496.0);       /* 2**52 */
    __m256i high = _mm256_blend_epi16(_mm256_srai_epi32(x, 16), _mm256_setzero_si256(), 0x33);
    high = _mm256_add_epi64(high, _mm256_castpd_si256(excess_of_high));
    __m256i low = _mm256_blend_epi16(x, _mm256_castpd_si256(excess_of_low), 0x88);
    return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), both_excesses), _mm256_castsi256_pd(low));
}

/* To float32 the way is over doubles, but must round once: where a double can't hold x, its low 11 bits are replaced
 * by one bit that says whether any was set, far below what a float keeps of it. */
static inline __m256i sticky(__m256i x) {
    const __m256i low = _mm256_set1_epi64x(0x7ff);
    __m256i any = _mm256_and_si256(_mm256_add_epi64(_mm256_and_si256(x, low), low), _mm256_set1_epi64x(0x800));
    __m256i marked = _mm256_or_si256(_mm256_andnot_si256(low, x), any);
    __m256i magnitude = _mm256_xor_si256(x, _mm256_cmpgt_epi64(_mm256_setzero_si256(), x));
    __m256i large = _mm256_cmpgt_epi64(magnitude, _mm256_set1_epi64x(INT64_C(1) << 52));
    return _mm256_blendv_epi8(x, marked, large);
}

/* True iff all are in [-2**51, 2**51). */
static inline bool all_small(__m256i x, __m256i y) {
    const __m256i offset = _mm256_set1_epi64x(INT64_C(1) << 51), high = _mm256_set1_epi64x(-(INT64_C(1) << 52));
    return _mm256_testz_si256(_mm256_or_si256(_mm256_add_epi64(x, offset), _mm256_add_epi64(y, offset)), high);
}
static inline __m128 f32_of_small_i64(__m256i x) {
    const __m256d excess = _mm256_set1_pd(6755399441055744.0); /* 2**52 + 2**51: x stands in its low bits */
    __m256i sum = _mm256_add_epi64(x, _mm256_castpd_si256(excess));
    return _mm256_cvtpd_ps(_mm256_sub_pd(_mm256_castsi256_pd(sum), excess));
}

static inline bool f64_from_i64_4(any_f64 *to, const any_i64 *from) {
    _mm256_storeu_pd((double *)to, f64_of_i64(_mm256_loadu_si256((const __m256i *)from)));
    return true;
}
static inline bool f32_from_i64_8(any_f32 *to, const any_i64 *from) {
    __m256i x = _mm256_loadu_si256((const __m256i *)from), y = _mm256_loadu_si256((const __m256i *)(from + 4));
    bool small = all_small(x, y);
    __m128 low = small ? f32_of_small_i64(x) : _mm256_cvtpd_ps(f64_of_i64(sticky(x)));
    __m128 high = small ? f32_of_small_i64(y) : _mm256_cvtpd_ps(f64_of_i64(sticky(y)));
    _mm256_storeu_ps((float *)to, _mm256_set_m128(high, low));
    return true;
}
BLOCK_ROW(f64, i64, 4, f64_from_i64_4(to, from))
BLOCK_ROW(f32, i64, 8, f32_from_i64_8(to, from))

/* ---- floats -> 64-bit and 32-bit integers ------------------------------------------------------------
 *
 * An integer of less than 2**51, added to 2**52 + 2**51, stands in the low bits of the sum. */

static inline bool i64_of_f64(__m256d v, __m256i *out) {
    const __m256d excess = _mm256_set1_pd(6755399441055744.0), limit = _mm256_set1_pd(2251799813685248.0);
    __m256d whole = _mm256_round_pd(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    __m256d magnitude = _mm256_andnot_pd(_mm256_set1_pd(-0.0), whole);
    *out = _mm256_sub_epi64(_mm256_castpd_si256(_mm256_add_pd(whole, excess)), _mm256_castpd_si256(excess));
    return _mm256_movemask_pd(_mm256_cmp_pd(magnitude, limit, _CMP_LT_OQ)) == 15; /* false for NaN */
}
static inline __m128i low_halves(__m256i x) {
    return _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
}

static inline bool i64_from_f64_4(any_i64 *to, const any_f64 *from) {
    __m256i x;
    if (!i64_of_f64(_mm256_loadu_pd((const double *)from), &x)) return false;
    _mm256_storeu_si256((__m256i *)to, x);
    return true;
}
static inline bool i64_from_f32_4(any_i64 *to, const any_f32 *from) {
    __m256i x;
    if (!i64_of_f64(_mm256_cvtps_pd(_mm_loadu_ps((const float *)from)), &x)) return false;
    _mm256_storeu_si256((__m256i *)to, x);
    return true;
}
static inline bool u32_from_f64_4(any_u32 *to, const any_f64 *from) {
    __m256i x;
    if (!i64_of_f64(_mm256_loadu_pd((const double *)from), &x)) return false;
    _mm_storeu_si128((__m128i *)to, low_halves(x));
    return true;
}
static inline bool u32_from_f32_4(any_u32 *to, const any_f32 *from) {
    __m256i x;
    if (!i64_of_f64(_mm256_cvtps_pd(_mm_loadu_ps((const float *)from)), &x)) return false;
    _mm_storeu_si128((__m128i *)to, low_halves(x));
    return true;
}
BLOCK_ROW(i64, f64, 4, i64_from_f64_4(to, from))
BLOCK_ROW(i64, f32, 4, i64_from_f32_4(to, from))
BLOCK_ROW(u64, f64, 4, i64_from_f64_4((any_i64 *)to, from))
BLOCK_ROW(u64, f32, 4, i64_from_f32_4((any_i64 *)to, from))
BLOCK_ROW(u32, f64, 4, u32_from_f64_4(to, from))
BLOCK_ROW(u32, f32, 4, u32_from_f32_4(to, from))

/* float64 -> uint8: where int32 holds the values its low byte is that of int64. */
static inline bool u8_from_f64_8(any_u8 *to, const any_f64 *from) {
    __m128i a = _mm256_cvttpd_epi32(_mm256_loadu_pd((const double *)from));
    __m128i b = _mm256_cvttpd_epi32(_mm256_loadu_pd((const double *)from + 4));
    const __m128i out_of_range = _mm_set1_epi32(INT32_MIN), low = _mm_set1_epi32(0xff);
    __m128i bad = _mm_or_si128(_mm_cmpeq_epi32(a, out_of_range), _mm_cmpeq_epi32(b, out_of_range));
    if (_mm_movemask_epi8(bad)) return false;
    __m128i words = _mm_packus_epi32(_mm_and_si128(a, low), _mm_and_si128(b, low));
    _mm_storel_epi64((__m128i *)to, _mm_packus_epi16(words, words));
    return true;
}
BLOCK_ROW(u8, f64, 8, u8_from_f64_8(to, from))

static void fill_more(sc_convert_fn *(*table)[SC_NUM_DTYPES]) {
    table[SC_FLOAT32][SC_FLOAT16] = b32_from_f16_blocks;
    table[SC_FLOAT32][SC_FLOAT8_E5M2] = b32_from_e5m2_blocks;
    table[SC_FLOAT16][SC_FLOAT32] = f16_from_b32_blocks;
    table[SC_FLOAT64][SC_INT64] = f64_from_i64_blocks;
    table[SC_FLOAT32][SC_INT64] = f32_from_i64_blocks;
    table[SC_INT64][SC_FLOAT64] = i64_from_f64_blocks;
    table[SC_INT64][SC_FLOAT32] = i64_from_f32_blocks;
    table[SC_UINT64][SC_FLOAT64] = u64_from_f64_blocks;
    table[SC_UINT64][SC_FLOAT32] = u64_from_f32_blocks;
    table[SC_UINT32][SC_FLOAT64] = u32_from_f64_blocks;
    table[SC_UINT32][SC_FLOAT32] = u32_from_f32_blocks;
    table[SC_UINT8][SC_FLOAT64] = u8_from_f64_blocks;
}
#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
typedef int sc_not_for_this_cpu;
#endif
