/* The rows of the registry's conversion table, written once and compiled for each CPU level.
 *
 * A file defines LEVEL (the suffix of the filler's name) and, where it wants them, target options, and includes this.
 * Each row has a loop for contiguous operands, which the compiler vectorises, and one for any strides. The plain
 * build of these loops is the specification of every other.
 */
#include "cpu.h"
#include "convert/scalar.h"

/* Elements at any address. */
typedef uint8_t any_u8;
typedef int8_t any_i8;
#define UNALIGNED(type, name) typedef type name __attribute__((aligned(1), may_alias))
UNALIGNED(uint16_t, any_u16);
UNALIGNED(int16_t, any_i16);
UNALIGNED(uint32_t, any_u32);
UNALIGNED(int32_t, any_i32);
UNALIGNED(uint64_t, any_u64);
UNALIGNED(int64_t, any_i64);
UNALIGNED(float, any_f32);
UNALIGNED(double, any_f64);

/* A row D <- S: `expression` makes an element of type any_D of v, an element of type any_S. */
#define ROW(D, S, expression)                                                                                       \
    static void D##_from_##S(char *dst, int64_t dst_byte_stride, const char *src, int64_t src_byte_stride,          \
                             int64_t n) {                                                                           \
        if (dst_byte_stride == (int64_t)sizeof(any_##D) && src_byte_stride == (int64_t)sizeof(any_##S)) {           \
            any_##D *restrict to = (any_##D *)dst;                                                                  \
            const any_##S *restrict from = (const any_##S *)src;                                                    \
            for (int64_t i = 0; i < n; i++) {                                                                       \
                any_##S v = from[i];                                                                                \
                to[i] = (any_##D)(expression);                                                                      \
            }                                                                                                       \
        } else {                                                                                                    \
            for (int64_t i = 0; i < n; i++, dst += dst_byte_stride, src += src_byte_stride) {                       \
                any_##S v = *(const any_##S *)src;                                                                  \
                *(any_##D *)dst = (any_##D)(expression);                                                            \
            }                                                                                                       \
        }                                                                                                           \
    }

/* Integers: only sizes and the source's sign matter. A bool may hold any byte: nonzero is 1. */
#define ROWS_OF_WIDENING(S) ROW(u16, S, v) ROW(u32, S, v) ROW(u64, S, v)
ROWS_OF_WIDENING(u8) ROWS_OF_WIDENING(i8)
ROW(u8, u16, v) ROW(u32, u16, v) ROW(u64, u16, v) ROW(u32, i16, v) ROW(u64, i16, v)
ROW(u8, u32, v) ROW(u16, u32, v) ROW(u64, u32, v) ROW(u64, i32, v)
ROW(u8, u64, v) ROW(u16, u64, v) ROW(u32, u64, v)

typedef uint8_t any_truth;
ROW(truth, u8, v != 0) ROW(truth, u16, v != 0) ROW(truth, u32, v != 0) ROW(truth, u64, v != 0)
ROW(u16, truth, v != 0) ROW(u32, truth, v != 0) ROW(u64, truth, v != 0)
ROW(f32, truth, v != 0) ROW(f64, truth, v != 0)

/* Integers to floats: one rounding, to nearest even. */
ROW(f32, u8, v) ROW(f32, i8, v) ROW(f32, u16, v) ROW(f32, i16, v)
ROW(f32, u32, v) ROW(f32, i32, v) ROW(f32, u64, v) ROW(f32, i64, v)
ROW(f64, u8, v) ROW(f64, i8, v) ROW(f64, u16, v) ROW(f64, i16, v)
ROW(f64, u32, v) ROW(f64, i32, v) ROW(f64, u64, v) ROW(f64, i64, v)

/* Floats to integers: by way of int32 to what is narrower, but float64 -> uint8 by way of int64, as torch has it. */
ROW(u8, f32, sc_i32_of_f32(v)) ROW(u16, f32, sc_i32_of_f32(v)) ROW(i32, f32, sc_i32_of_f32(v))
ROW(u32, f32, sc_i64_of_f32(v)) ROW(i64, f32, sc_i64_of_f32(v)) ROW(u64, f32, sc_u64_of_f32(v))
ROW(u8, f64, sc_i64_of_f64(v)) ROW(i8, f64, sc_i32_of_f64(v)) ROW(u16, f64, sc_i32_of_f64(v))
ROW(i32, f64, sc_i32_of_f64(v))
ROW(u32, f64, sc_i64_of_f64(v)) ROW(i64, f64, sc_i64_of_f64(v)) ROW(u64, f64, sc_u64_of_f64(v))
ROW(truth, f32, sc_magnitude_of(sc_bits_of_f32(v)) != 0) ROW(truth, f64, sc_bits_of_f64(v) << 1 != 0)

ROW(f32, f64, v) ROW(f64, f32, v)

/* float32 <-> reduced floats, as bit patterns. */
typedef any_u32 any_b32;
typedef any_u16 any_f16, any_bf16;
typedef uint8_t any_e4m3fn, any_e5m2, any_e4m3fnuz, any_e5m2fnuz, any_e8m0fnu;
#define ROWS_OF_REDUCED(T) ROW(b32, T, sc_f32_of_##T(v)) ROW(T, b32, sc_##T##_of_f32(v))
#define EACH_REDUCED(X)                                                                                             \
    X(FLOAT16, f16) X(BFLOAT16, bf16) X(FLOAT8_E4M3FN, e4m3fn) X(FLOAT8_E5M2, e5m2)                                 \
    X(FLOAT8_E4M3FNUZ, e4m3fnuz) X(FLOAT8_E5M2FNUZ, e5m2fnuz) X(FLOAT8_E8M0FNU, e8m0fnu)
#define ROWS_OF(NAME, T) ROWS_OF_REDUCED(T)
EACH_REDUCED(ROWS_OF)

#define FILLER(level) FILLER_NAME(level)
#define FILLER_NAME(level) sc_fill_convert_##level
void FILLER(LEVEL)(sc_kernels *kernels);

void FILLER(LEVEL)(sc_kernels *kernels) {
    sc_convert_fn *(*table)[SC_NUM_DTYPES] = kernels->convert;
#define SET(D, S, row) table[SC_##D][SC_##S] = row;
#define SET_BOTH_SIGNS(SIZE, S, row) SET(UINT##SIZE, S, row) SET(INT##SIZE, S, row)
#define SET_FROM_BOTH_SIGNS(D, SIZE, row) SET(D, UINT##SIZE, row) SET(D, INT##SIZE, row)
    SET_BOTH_SIGNS(16, UINT8, u16_from_u8) SET_BOTH_SIGNS(32, UINT8, u32_from_u8) SET_BOTH_SIGNS(64, UINT8, u64_from_u8)
    SET_BOTH_SIGNS(16, INT8, u16_from_i8) SET_BOTH_SIGNS(32, INT8, u32_from_i8) SET_BOTH_SIGNS(64, INT8, u64_from_i8)
    SET_BOTH_SIGNS(32, UINT16, u32_from_u16) SET_BOTH_SIGNS(64, UINT16, u64_from_u16)
    SET_BOTH_SIGNS(32, INT16, u32_from_i16) SET_BOTH_SIGNS(64, INT16, u64_from_i16)
    SET_BOTH_SIGNS(64, UINT32, u64_from_u32) SET_BOTH_SIGNS(64, INT32, u64_from_i32)
#define SET_NARROWING(TO, FROM)                                                                                     \
    SET_BOTH_SIGNS(TO, UINT##FROM, u##TO##_from_u##FROM) SET_BOTH_SIGNS(TO, INT##FROM, u##TO##_from_u##FROM)
    SET_NARROWING(8, 16) SET_NARROWING(8, 32) SET_NARROWING(8, 64)
    SET_NARROWING(16, 32) SET_NARROWING(16, 64) SET_NARROWING(32, 64)

    SET_FROM_BOTH_SIGNS(BOOL, 8, truth_from_u8) SET_FROM_BOTH_SIGNS(BOOL, 16, truth_from_u16)
    SET_FROM_BOTH_SIGNS(BOOL, 32, truth_from_u32) SET_FROM_BOTH_SIGNS(BOOL, 64, truth_from_u64)
    SET(BOOL, FLOAT32, truth_from_f32) SET(BOOL, FLOAT64, truth_from_f64)
    SET_BOTH_SIGNS(8, BOOL, truth_from_u8) SET_BOTH_SIGNS(16, BOOL, u16_from_truth)
    SET_BOTH_SIGNS(32, BOOL, u32_from_truth) SET_BOTH_SIGNS(64, BOOL, u64_from_truth)
    SET(FLOAT32, BOOL, f32_from_truth) SET(FLOAT64, BOOL, f64_from_truth)

#define SET_TO_FLOATS(S, s) SET(FLOAT32, S, f32_from_##s) SET(FLOAT64, S, f64_from_##s)
    SET_TO_FLOATS(UINT8, u8) SET_TO_FLOATS(INT8, i8) SET_TO_FLOATS(UINT16, u16) SET_TO_FLOATS(INT16, i16)
    SET_TO_FLOATS(UINT32, u32) SET_TO_FLOATS(INT32, i32) SET_TO_FLOATS(UINT64, u64) SET_TO_FLOATS(INT64, i64)

    SET_BOTH_SIGNS(8, FLOAT32, u8_from_f32) SET(UINT8, FLOAT64, u8_from_f64) SET(INT8, FLOAT64, i8_from_f64)
    SET_BOTH_SIGNS(16, FLOAT32, u16_from_f32) SET_BOTH_SIGNS(16, FLOAT64, u16_from_f64)
#define SET_FROM_FLOATS(D, d) SET(D, FLOAT32, d##_from_f32) SET(D, FLOAT64, d##_from_f64)
    SET_FROM_FLOATS(INT32, i32) SET_FROM_FLOATS(UINT32, u32) SET_FROM_FLOATS(INT64, i64) SET_FROM_FLOATS(UINT64, u64)

    SET(FLOAT32, FLOAT64, f32_from_f64) SET(FLOAT64, FLOAT32, f64_from_f32)
#define SET_REDUCED(NAME, T) SET(FLOAT32, NAME, b32_from_##T) SET(NAME, FLOAT32, T##_from_b32)
    EACH_REDUCED(SET_REDUCED)
#ifdef FILL_MORE
    FILL_MORE
#endif
}
