/* One value from one element type to another: the rules that every row follows.
 *
 * Bit patterns in, bit patterns out where a float may be NaN, subnormal or reduced: nothing here depends on the
 * rounding or flush-to-zero state of the thread except the ordinary int <-> float and float <-> double conversions.
 * Written without branches, as selects, so that loops over them vectorise.
 */
#ifndef STRIDECORE_CONVERT_SCALAR_H
#define STRIDECORE_CONVERT_SCALAR_H

#include <stdint.h>
#include <string.h>

/* a if the condition holds, else b, in a form that no compiler turns into a branch. */
static inline uint32_t sc_select(int condition, uint32_t a, uint32_t b) {
    uint32_t mask = 0 - (uint32_t)condition;
    return (a & mask) | (b & ~mask);
}

static inline float sc_f32_of_bits(uint32_t bits) { float v; memcpy(&v, &bits, 4); return v; }
static inline uint32_t sc_bits_of_f32(float v) { uint32_t bits; memcpy(&bits, &v, 4); return bits; }
static inline uint64_t sc_bits_of_f64(double v) { uint64_t bits; memcpy(&bits, &v, 8); return bits; }

/* ---- float -> integer: truncation; out of range and NaN give the minimum ------------------ */

/* The value is replaced before the conversion, which is then defined for all inputs and the same on every CPU. */
static inline int32_t sc_i32_of_f32(float v) {
    return (int32_t)(v >= -2147483648.0f && v < 2147483648.0f ? v : -2147483648.0f);
}
static inline int32_t sc_i32_of_f64(double v) {
    return (int32_t)(v > -2147483649.0 && v < 2147483648.0 ? v : -2147483648.0);
}
static inline int64_t sc_i64_of_f32(float v) {
    return (int64_t)(v >= -9223372036854775808.0f && v < 9223372036854775808.0f ? v : -9223372036854775808.0f);
}
static inline int64_t sc_i64_of_f64(double v) {
    return (int64_t)(v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? v : -9223372036854775808.0);
}
/* [2**63, 2**64) is exact, at and above 2**64 is 0, everything else goes by way of int64. */
static inline uint64_t sc_u64_of_f64(double v) {
    const double half = 9223372036854775808.0;
    uint64_t top = v >= half ? UINT64_C(1) << 63 : 0;
    return (uint64_t)sc_i64_of_f64(v >= half ? v - half : v) ^ top;
}
static inline uint64_t sc_u64_of_f32(float v) { return sc_u64_of_f64(v); }

/* ---- float32 <-> reduced floats ------------------------------------------------------------
 *
 * A small float of E exponent bits, M mantissa bits and this bias is, without its sign and shifted to float32's
 * place, a float32 whose exponent is short of 127 - bias:
 *
 *     float16  0 01111 1000000000            1.5, bias 15
 *     << 13    0 00001111 10000000...        exponent 15
 *     += 112<<23  01111111 10000000...       1.5 as float32
 *
 * Subnormals (exponent 0) get one more and then lose the implicit one by a subtraction, which is exact. Backwards,
 * rounding to nearest even is an integer addition below the last kept bit; for results that are subnormal the
 * float adder does it: adding a power of two whose last mantissa bit is worth the result's last bit. */

static inline uint32_t sc_expand_small(uint32_t magnitude, int mantissa_bits, int bias) {
    uint32_t shifted = magnitude << (23 - mantissa_bits);
    uint32_t normal = shifted + ((uint32_t)(127 - bias) << 23);
    uint32_t smallest_normal = (uint32_t)(128 - bias) << 23;
    uint32_t subnormal = sc_bits_of_f32(sc_f32_of_bits(normal + (1u << 23)) - sc_f32_of_bits(smallest_normal));
    return sc_select(shifted < (1u << 23), subnormal, normal);
}

/* Not for NaN. The result may exceed the type's largest magnitude: the caller saturates. */
static inline uint32_t sc_shrink_f32(uint32_t magnitude, int mantissa_bits, int bias) {
    int dropped = 23 - mantissa_bits;
    uint32_t odd = (magnitude >> dropped) & 1;
    uint32_t normal = (magnitude - ((uint32_t)(127 - bias) << 23) + (1u << (dropped - 1)) - 1 + odd) >> dropped;
    uint32_t adder = (uint32_t)(127 - bias + dropped + 1) << 23;
    uint32_t subnormal = sc_bits_of_f32(sc_f32_of_bits(magnitude) + sc_f32_of_bits(adder)) - adder;
    return sc_select(magnitude < ((uint32_t)(128 - bias) << 23), subnormal, normal);
}

static inline uint32_t sc_sign_of(uint32_t bits) { return bits & 0x80000000u; }
static inline uint32_t sc_magnitude_of(uint32_t bits) { return bits & 0x7fffffffu; }

/* NaNs keep their sign and the top of their payload and become quiet, as the hardware's conversion does. */
static inline uint32_t sc_f32_of_f16(uint16_t half) {
    uint32_t magnitude = half & 0x7fffu;
    uint32_t finite = sc_expand_small(magnitude, 10, 15);
    uint32_t special = 0x7f800000u | magnitude << 13 | (magnitude > 0x7c00u ? 0x00400000u : 0);
    return (uint32_t)(half & 0x8000u) << 16 | (magnitude < 0x7c00u ? finite : special);
}
static inline uint16_t sc_f16_of_f32(uint32_t bits) {
    uint32_t magnitude = sc_magnitude_of(bits);
    uint32_t finite = sc_shrink_f32(magnitude, 10, 15);
    uint32_t nan = 0x7e00u | (magnitude >> 13 & 0x3ffu);
    uint32_t clamped = finite > 0x7c00u ? 0x7c00u : finite;
    return (uint16_t)(sc_sign_of(bits) >> 16 | (magnitude > 0x7f800000u ? nan : clamped));
}

static inline uint32_t sc_f32_of_bf16(uint16_t brain) { return (uint32_t)brain << 16; }
static inline uint16_t sc_bf16_of_f32(uint32_t bits) {
    uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
    return (uint16_t)(sc_magnitude_of(bits) > 0x7f800000u ? 0x7fc0u : rounded);
}

static inline uint32_t sc_f32_of_e5m2(uint8_t code) { return sc_f32_of_f16((uint16_t)(code << 8)); }
static inline uint8_t sc_e5m2_of_f32(uint32_t bits) {
    uint32_t magnitude = sc_magnitude_of(bits);
    uint32_t rounded = sc_shrink_f32(magnitude, 2, 15);
    uint32_t clamped = rounded > 0x7c ? 0x7c : rounded;
    return (uint8_t)(sc_sign_of(bits) >> 24 | (magnitude > 0x7f800000u ? 0x7f : clamped));
}

/* No infinity: magnitudes above 448 saturate, infinity too. */
static inline uint32_t sc_f32_of_e4m3fn(uint8_t code) {
    uint32_t magnitude = code & 0x7fu;
    uint32_t finite = sc_expand_small(magnitude, 3, 7);
    return (uint32_t)(code & 0x80u) << 24 | (magnitude == 0x7f ? 0x7ff00000u : finite);
}
static inline uint8_t sc_e4m3fn_of_f32(uint32_t bits) {
    uint32_t magnitude = sc_magnitude_of(bits);
    uint32_t rounded = sc_shrink_f32(magnitude, 3, 7);
    uint32_t clamped = rounded > 0x7e ? 0x7e : rounded;
    return (uint8_t)(sc_sign_of(bits) >> 24 | (magnitude > 0x7f800000u ? 0x7f : clamped));
}

/* The fnuz types have one zero and one NaN, code 0x80; what overflows is NaN. */
static inline uint32_t sc_f32_of_fnuz(uint8_t code, int mantissa_bits, int bias) {
    uint32_t finite = sc_expand_small(code & 0x7fu, mantissa_bits, bias) | (uint32_t)(code & 0x80u) << 24;
    return code == 0x80 ? 0x7fc00000u : finite;
}
static inline uint8_t sc_fnuz_of_f32(uint32_t bits, int mantissa_bits, int bias) {
    uint32_t rounded = sc_shrink_f32(sc_magnitude_of(bits), mantissa_bits, bias);
    uint32_t negative = rounded ? sc_sign_of(bits) >> 24 : 0;
    return (uint8_t)(rounded > 0x7f ? 0x80 : negative | rounded); /* NaN and infinity round to above 0x7f */
}
static inline uint32_t sc_f32_of_e4m3fnuz(uint8_t code) { return sc_f32_of_fnuz(code, 3, 8); }
static inline uint8_t sc_e4m3fnuz_of_f32(uint32_t bits) { return sc_fnuz_of_f32(bits, 3, 8); }
static inline uint32_t sc_f32_of_e5m2fnuz(uint8_t code) { return sc_f32_of_fnuz(code, 2, 16); }
static inline uint8_t sc_e5m2fnuz_of_f32(uint32_t bits) { return sc_fnuz_of_f32(bits, 2, 16); }

/* A bare exponent: 2**(code - 127), 0xff NaN, no zero and no sign. Rounded up from 1.5 * 2**k on, but not at the
 * smallest subnormal tie; the sign is dropped, and 0 becomes 2**-127. */
static inline uint32_t sc_f32_of_e8m0fnu(uint8_t code) {
    return code == 0 ? 0x00400000u : code == 0xff ? 0x7fc00000u : (uint32_t)code << 23;
}
static inline uint8_t sc_e8m0fnu_of_f32(uint32_t bits) {
    uint32_t magnitude = sc_magnitude_of(bits);
    uint32_t exponent = magnitude >> 23, fraction = magnitude & 0x7fffffu;
    uint32_t up = fraction > 0x400000u || (fraction == 0x400000u && exponent > 0);
    return (uint8_t)(exponent == 0xff ? 0xff : exponent + up);
}

#endif
