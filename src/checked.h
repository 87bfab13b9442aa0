/* Overflow-checked int64 arithmetic.
 *
 * All size, stride, offset and byte arithmetic of the project goes through these
 * functions. Each returns true when the exact result fits in an int64 and was
 * stored in *out; on false *out is unspecified.
 */
#ifndef STRIDECORE_CHECKED_H
#define STRIDECORE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)

static inline bool sc_mul(int64_t a, int64_t b, int64_t *out) { return !__builtin_mul_overflow(a, b, out); }
static inline bool sc_add(int64_t a, int64_t b, int64_t *out) { return !__builtin_add_overflow(a, b, out); }
static inline bool sc_sub(int64_t a, int64_t b, int64_t *out) { return !__builtin_sub_overflow(a, b, out); }

#else

static inline bool sc_add(int64_t a, int64_t b, int64_t *out) {
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
    *out = a + b;
    return true;
}

static inline bool sc_sub(int64_t a, int64_t b, int64_t *out) {
    if (b > 0 ? a < INT64_MIN + b : a > INT64_MAX + b) return false;
    *out = a - b;
    return true;
}

static inline bool sc_mul(int64_t a, int64_t b, int64_t *out) {
    if (a > 0 ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a)
              : (b > 0 ? a < INT64_MIN / b : a != 0 && b < INT64_MAX / a)) return false;
    *out = a * b;
    return true;
}

#endif

/* *out += a * b, checked at both steps. */
static inline bool sc_muladd(int64_t a, int64_t b, int64_t *out) {
    int64_t product;
    return sc_mul(a, b, &product) && sc_add(*out, product, out);
}

#endif
