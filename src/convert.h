/* Conversions between element types, a row at a time.
 *
 * What one value becomes is said in convert/scalar.h and by sc_convert_item in stridecore.h. Rows come from the
 * registry's table [dst][src] (cpu.h), whose entries exist for the pairs of bool, integers, float32 and float64, and
 * for float32 <-> the reduced floats; every other pair is made of those here:
 *
 *     float16 -> int8       float16 -> float32 (a chunk in L1) -> int8
 *     complex64 -> int32    float32 -> int32 over the real parts, at the complex stride
 *     int64 -> complex64    int64 -> float32 into the real parts, zeros into the imaginary ones
 *     complex128 -> complex32  float64 -> float32 -> float16 over both parts
 *
 * All intermediate steps are exact but the one by way of float32, which torch takes too.
 */
#ifndef STRIDECORE_CONVERT_H
#define STRIDECORE_CONVERT_H

#include "stridecore.h"

/* dst[i * dst_byte_stride] = convert(src[i * src_byte_stride]) for 0 <= i < n. Any strides, any alignment.
 * The rows don't overlap, unless they are the same row and element sizes are equal. */
typedef void sc_convert_fn(char *dst, int64_t dst_byte_stride, const char *src, int64_t src_byte_stride, int64_t n);

/* How to convert rows of one pair of types: found once, run many times. A value; holds nothing. */
typedef struct sc_converter {
    sc_convert_fn *first, *second; /* second is NULL, or takes the float32 that first has made */
    uint32_t bits;                 /* what is left to apply to the destination */
    uint8_t dst_dtype, src_dtype;
    uint8_t shape;                 /* how complex parts pair up; private to convert.c */
} sc_converter;

/* bits: SC_CONJ | SC_NEG of both operands, xor-ed. They apply to the converted value (for integers, negation wraps;
 * bool and float8_e8m0fnu have no negation and stay). */
sc_converter sc_converter_for(sc_dtype dst_dtype, sc_dtype src_dtype, uint32_t bits);

void sc_convert_run(const sc_converter *converter, char *dst, int64_t dst_byte_stride, const char *src,
                    int64_t src_byte_stride, int64_t n);

/* Both in one call. */
void sc_convert_row(sc_dtype dst_dtype, char *dst, int64_t dst_byte_stride, sc_dtype src_dtype, const char *src,
                    int64_t src_byte_stride, int64_t n, uint32_t bits);

/* Conjugate and negate in place n elements at a stride. */
void sc_apply_bits(sc_dtype dtype, char *data, int64_t byte_stride, int64_t n, uint32_t bits);

#endif
