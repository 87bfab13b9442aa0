/* Ranges of numbers: the values of arange, linspace and logspace, with torch's bits.
 *
 * How torch rounds is part of the values, and on every CPU but the oldest it fuses each multiplication and addition
 * (fma), so it is done here too, whatever the CPU. arange computes start + i*step (in double for float32 and float64,
 * in float for float16 and bfloat16) not for every i: it walks in vectors of 32 bytes, two at a time. The first
 * element of a vector is computed so and rounded to the type; the others add k*step to that. What is left over goes
 * one by one:
 *
 *     float32, n = 19:   | b0  b0+step ... b0+7*step | b8  b8+step ... b8+7*step | 16 | 17 | 18 |
 *
 * linspace counts from the start in its first half and back from the end in its second, so that it hits both.
 */
#ifndef STRIDECORE_RANGE_H
#define STRIDECORE_RANGE_H

#include "stridecore.h"

/* out[i] = start + i*step for 0 <= i < n, elements of `dtype` side by side: from the doubles for floating point and
 * complex types, from the ints, wrapping, for integers and bool. */
void sc_arange(sc_dtype dtype, void *out, int64_t n, double start, double step, int64_t int_start, int64_t int_step);

/* n evenly spaced values from *start to *end, which are of `dtype` too (integers are truncated from double).
 * Requires n >= 2. */
void sc_linspace(sc_dtype dtype, void *out, int64_t n, const void *start, const void *end);

/* base ** x for n evenly spaced x from *start to *end, computed in double, not fused; dtype is not complex.
 * Requires n >= 2. */
void sc_logspace(sc_dtype dtype, void *out, int64_t n, const void *start, const void *end, double base);

#endif
