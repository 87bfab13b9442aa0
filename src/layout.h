/* Layout arithmetic: sizes, strides and offsets as plain values.
 *
 * Header-only and inline; no allocation but in sc_ss_*; no memory is read or written
 * but the arrays passed in. Unless a name says byte, strides and offsets count elements.
 *
 * A layout maps an index to an offset:
 *
 *     sizes (3, 2), strides (2, 1), storage_offset 4
 *     offset(i, j) = 4 + 2*i + 1*j        storage: . . . . [00 01 10 11 20 21]
 *
 * Functions returning bool return false on int64 overflow unless they say otherwise.
 */
#ifndef STRIDECORE_LAYOUT_H
#define STRIDECORE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"

/* More dims than this are refused when a tensor is made, so every function may keep its dims on the stack. */
#define SC_MAX_NDIM 64

/* ---- SizesAndStrides ------------------------------------------------------------------
 *
 *     ndim <= 5:  inl = [ size 0..4 | stride 0..4 ]      no allocation
 *     ndim >  5:  heap -> [ size 0..ndim-1 | stride 0..ndim-1 ]
 */
#define SC_INLINE_NDIM 5

typedef struct sc_sizes_strides {
    int64_t ndim;
    union {
        int64_t inl[2 * SC_INLINE_NDIM];
        int64_t *heap;
    };
} sc_sizes_strides;

static inline int64_t *sc_ss_sizes(sc_sizes_strides *ss) { return ss->ndim <= SC_INLINE_NDIM ? ss->inl : ss->heap; }

static inline int64_t *sc_ss_strides(sc_sizes_strides *ss) {
    return ss->ndim <= SC_INLINE_NDIM ? ss->inl + SC_INLINE_NDIM : ss->heap + ss->ndim;
}

/* An empty ss (zeroed memory is one). */
static inline void sc_ss_init(sc_sizes_strides *ss) { ss->ndim = 0; }

static inline void sc_ss_free(sc_sizes_strides *ss) {
    if (ss->ndim > SC_INLINE_NDIM) free(ss->heap);
    ss->ndim = 0;
}

/* Set the number of dims; the sizes and strides are then unspecified.
 * Requires 0 <= ndim <= SC_MAX_NDIM. False (and ss unchanged) when memory runs out. */
static inline bool sc_ss_set_ndim(sc_sizes_strides *ss, int64_t ndim) {
    if (ndim == ss->ndim) return true;
    int64_t *heap = NULL;
    if (ndim > SC_INLINE_NDIM) {
        heap = (int64_t *)malloc((size_t)(2 * ndim) * sizeof(int64_t));
        if (!heap) return false;
    }
    sc_ss_free(ss);
    ss->ndim = ndim;
    if (heap) ss->heap = heap;
    return true;
}

/* ---- sizes ---------------------------------------------------------------------------- */

/* Product of the sizes; 0 as soon as one of them is 0, whatever the others are. Requires sizes >= 0. */
static inline bool sc_numel(int64_t ndim, const int64_t *sizes, int64_t *numel) {
    int64_t product = 1;
    bool fits = true;
    for (int64_t d = 0; d < ndim; d++) {
        if (sizes[d] == 0) {
            *numel = 0;
            return true;
        }
        fits = fits && sc_mul(product, sizes[d], &product);
    }
    *numel = product;
    return fits;
}

/* Row-major strides: products of max(size, 1) from the right, as torch gives fresh tensors. */
static inline bool sc_contiguous_strides(int64_t ndim, const int64_t *sizes, int64_t *strides) {
    int64_t product = 1;
    for (int64_t d = ndim - 1; d >= 0; d--) {
        strides[d] = product;
        if (!sc_mul(product, sizes[d] > 1 ? sizes[d] : 1, &product)) return false;
    }
    return true;
}

/* ---- predicates ----------------------------------------------------------------------- */

/* True iff the elements lie in row-major order without gaps; size-1 dims are ignored, empty is contiguous. */
static inline bool sc_is_contiguous(int64_t ndim, const int64_t *sizes, const int64_t *strides) {
    int64_t expected = 1;
    bool contiguous = true;
    for (int64_t d = ndim - 1; d >= 0; d--) {
        if (sizes[d] == 0) return true;
        if (sizes[d] == 1) continue;
        contiguous = contiguous && strides[d] == expected;
        if (!sc_mul(expected, sizes[d], &expected)) contiguous = false;
    }
    return contiguous;
}

/* Lowest and highest reachable offset relative to the first element, both 0 when empty: *lowest <= 0 <= *highest. */
static inline bool sc_reach(int64_t ndim, const int64_t *sizes, const int64_t *strides, int64_t *lowest,
                            int64_t *highest) {
    int64_t lo = 0, hi = 0;
    bool fits = true;
    for (int64_t d = 0; d < ndim; d++) {
        if (sizes[d] == 0) {
            *lowest = *highest = 0;
            return true;
        }
        fits = fits && sc_muladd(sizes[d] - 1, strides[d], strides[d] < 0 ? &lo : &hi);
    }
    *lowest = lo;
    *highest = hi;
    return fits;
}

/* ---- index -> offset ------------------------------------------------------------------ */

/* storage_offset + sum of index[d] * strides[d]. Requires 0 <= index[d] < sizes[d], which the caller has checked. */
static inline bool sc_offset_of(int64_t ndim, const int64_t *strides, int64_t storage_offset, const int64_t *index,
                                int64_t *offset) {
    *offset = storage_offset;
    for (int64_t d = 0; d < ndim; d++)
        if (!sc_muladd(index[d], strides[d], offset)) return false;
    return true;
}

#endif
