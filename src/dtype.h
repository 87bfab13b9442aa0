/* Element types: their codes, sizes and categories.
 *
 * The codes are internal and dense from 0, so that tables can be indexed by them;
 * nothing outside the process ever sees them (files name types by name).
 */
#ifndef STRIDECORE_DTYPE_H
#define STRIDECORE_DTYPE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum sc_dtype {
    SC_BOOL = 0,
    SC_UINT8,
    SC_INT8,
    SC_INT16,
    SC_INT32,
    SC_INT64,
    SC_UINT16,
    SC_UINT32,
    SC_UINT64,
    SC_FLOAT16,
    SC_BFLOAT16,
    SC_FLOAT32,
    SC_FLOAT64,
    SC_COMPLEX32,
    SC_COMPLEX64,
    SC_COMPLEX128,
    SC_FLOAT8_E4M3FN,
    SC_FLOAT8_E5M2,
    SC_FLOAT8_E4M3FNUZ,
    SC_FLOAT8_E5M2FNUZ,
    SC_FLOAT8_E8M0FNU,
    SC_NUM_DTYPES
} sc_dtype;

/* Bytes of one element: 1, 2, 4, 8 or 16. */
static inline int64_t sc_itemsize(sc_dtype dtype) {
    static const uint8_t sizes[SC_NUM_DTYPES] = {1, 1, 1, 2, 4, 8, 2, 4, 8, 2, 2, 4, 8, 4, 8, 16, 1, 1, 1, 1, 1};
    return sizes[dtype];
}

static inline bool sc_is_complex(sc_dtype dtype) { return dtype >= SC_COMPLEX32 && dtype <= SC_COMPLEX128; }
static inline bool sc_is_float8(sc_dtype dtype) { return dtype >= SC_FLOAT8_E4M3FN; }
static inline bool sc_is_floating_point(sc_dtype dtype) {
    return (dtype >= SC_FLOAT16 && dtype <= SC_FLOAT64) || sc_is_float8(dtype);
}
static inline bool sc_is_integral(sc_dtype dtype) { return dtype >= SC_UINT8 && dtype <= SC_UINT64; }
static inline bool sc_is_signed(sc_dtype dtype) {
    return !(dtype <= SC_UINT8 || (dtype >= SC_UINT16 && dtype <= SC_UINT64) || dtype == SC_FLOAT8_E8M0FNU);
}

/* The real dtype of the halves of a complex dtype; other dtypes map to themselves. */
static inline sc_dtype sc_to_real(sc_dtype dtype) {
    switch (dtype) {
    case SC_COMPLEX32: return SC_FLOAT16;
    case SC_COMPLEX64: return SC_FLOAT32;
    case SC_COMPLEX128: return SC_FLOAT64;
    default: return dtype;
    }
}

#endif
