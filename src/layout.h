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

/* The dims of (N, C, H, W) and (N, C, D, H, W) from the innermost outwards when channels lie last. */
static inline const int8_t *sc_channels_last_order(int64_t ndim) {
    static const int8_t order_4d[] = {1, 3, 2, 0}, order_5d[] = {1, 4, 3, 2, 0};
    return ndim == 4 ? order_4d : ndim == 5 ? order_5d : NULL;
}

/* Strides of a fresh (N, C, H, W) or (N, C, D, H, W) layout whose channels lie last: (2, 3, 4, 5) gives
 * (60, 1, 15, 3). Size-0 dims multiply as 0, as in torch. False on overflow and when ndim is neither 4 nor 5. */
static inline bool sc_channels_last_strides(int64_t ndim, const int64_t *sizes, int64_t *strides) {
    const int8_t *order = sc_channels_last_order(ndim);
    if (!order) return false;
    int64_t product = 1;
    for (int64_t i = 0; i < ndim; i++) {
        strides[order[i]] = product;
        if (!sc_mul(product, sizes[order[i]], &product)) return false;
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

/* True iff ndim is 4 (channels_last) or 5 (channels_last_3d) and the elements lie in N, (D,) H, W, C order without
 * gaps; size-1 dims are ignored. Unlike sc_is_contiguous an empty layout is not excused: its strides must be those
 * that sc_channels_last_strides gives, as in torch. */
static inline bool sc_is_channels_last(int64_t ndim, const int64_t *sizes, const int64_t *strides) {
    const int8_t *order = sc_channels_last_order(ndim);
    if (!order) return false;
    int64_t expected = 1;
    for (int64_t i = 0; i < ndim; i++) {
        int64_t d = order[i];
        if (sizes[d] == 1) continue;
        if (strides[d] != expected || !sc_mul(expected, sizes[d], &expected)) return false;
    }
    return true;
}

/* True iff the elements fill a piece of memory without gaps or overlaps, in some order of the dims with positive
 * strides; size-1 dims are ignored, empty is dense. Any permutation of a contiguous layout is. */
static inline bool sc_is_non_overlapping_and_dense(int64_t ndim, const int64_t *sizes, const int64_t *strides) {
    if (ndim > SC_MAX_NDIM) return false;
    int64_t order[SC_MAX_NDIM], count = 0;
    for (int64_t d = 0; d < ndim; d++) {
        if (sizes[d] == 0) return true;
        if (sizes[d] == 1) continue;
        int64_t i = count++;
        for (; i > 0 && strides[order[i - 1]] > strides[d]; i--) order[i] = order[i - 1];
        order[i] = d;
    }
    int64_t expected = 1;
    for (int64_t i = 0; i < count; i++) {
        if (strides[order[i]] != expected) return false;
        /* The size of the outermost dim can't make the layout less dense, so a product too large doesn't either. */
        if (!sc_mul(expected, sizes[order[i]], &expected)) return i == count - 1;
    }
    return true;
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

/* ---- derived layouts -------------------------------------------------------------------- */

static inline uint64_t sc_magnitude(int64_t value) { return value < 0 ? 0 - (uint64_t)value : (uint64_t)value; }

/* The dims from the innermost in memory outwards, in the order of torch's elementwise results: dims move inwards past
 * dims of larger |stride| (of equal stride: of larger size), looking past dims of stride 0 that decide nothing.
 * sizes (2, 3, 4), strides (1, 8, 2) give (0, 2, 1). Requires ndim <= SC_MAX_NDIM. */
static inline void sc_stride_order(int64_t ndim, const int64_t *sizes, const int64_t *strides, int64_t *order) {
    for (int64_t i = 0; i < ndim; i++) {
        order[i] = ndim - 1 - i;
        for (int64_t j = i - 1, at = i; j >= 0; j--) {
            int64_t inner = order[j], dim = order[at];
            uint64_t a = sc_magnitude(strides[inner]), b = sc_magnitude(strides[dim]);
            if (a == 0 || b == 0) continue;
            if (a < b) break;
            if (a == b && sizes[inner] <= sizes[dim]) continue;
            order[j] = dim, order[at] = inner;
            at = j;
        }
    }
}

/* Strides of a fresh tensor that keeps the layout of an old one (torch.preserve_format): the strides themselves when
 * non-overlapping and dense, otherwise dense strides with the dims in the same order (see sc_stride_order).
 *
 *     sizes (4, 3, 2), strides (0, 1, 3)  ->  (6, 1, 3)       a transposed (2, 3), expanded
 *     sizes (4, 3),    strides (5, 2)     ->  (3, 1)          every second column */
static inline bool sc_preserve_strides(int64_t ndim, const int64_t *sizes, const int64_t *strides, int64_t *fresh) {
    if (sc_is_non_overlapping_and_dense(ndim, sizes, strides)) {
        for (int64_t d = 0; d < ndim; d++) /* a negative one, of a size-1 dim, can be anything positive */
            fresh[d] = strides[d] == INT64_MIN ? INT64_MAX : strides[d] < 0 ? -strides[d] : strides[d];
        return true;
    }
    int64_t order[SC_MAX_NDIM];
    sc_stride_order(ndim, sizes, strides, order);
    int64_t product = 1;
    for (int64_t i = 0; i < ndim; i++) {
        fresh[order[i]] = product;
        if (!sc_mul(product, sizes[order[i]] > 1 ? sizes[order[i]] : 1, &product)) return false;
    }
    return true;
}

/* Why a layout can't be viewed with other sizes: the new sizes want dims outer and inner as one, but the stride of
 * outer is not `needed` (which is the extent of the dims from inner on that do merge). All -1 after an overflow. */
typedef struct sc_view_conflict {
    int64_t outer, inner, needed;
} sc_view_conflict;

/* Strides that show the elements with new_sizes, in the same row-major order and without a copy.
 *
 * The old dims are cut into chunks that could be merged into one dim; each chunk must be the product of some new
 * dims, which then split its stride between them.
 *
 *     (2, 4, 3) strides (24, 3, 1)   chunks [2] [4 3]      -> (2, 12): strides (24, 1)      (8, 3): conflict 0, 1
 *     (2, 4, 3) strides (12, 1, 4)   chunks [2] [4] [3]    -> (2, 12): conflict of dims 1 and 2, needed 12
 *
 * Size-1 old dims belong to the chunk on their right whatever their strides. With no elements the strides are the old
 * ones for the old sizes and contiguous ones for any other.
 * False with *conflict filled when there are none. Requires equal numel, which fits; new_strides may be written on
 * either result. */
static inline bool sc_view_strides(int64_t ndim, const int64_t *sizes, const int64_t *strides, int64_t new_ndim,
                                   const int64_t *new_sizes, int64_t *new_strides, sc_view_conflict *conflict) {
    *conflict = (sc_view_conflict){-1, -1, -1};
    int64_t numel;
    if (!sc_numel(ndim, sizes, &numel)) return false;
    if (numel == 0) {
        if (ndim != new_ndim || memcmp(sizes, new_sizes, (size_t)ndim * sizeof(int64_t)) != 0)
            return sc_contiguous_strides(new_ndim, new_sizes, new_strides);
        memcpy(new_strides, strides, (size_t)ndim * sizeof(int64_t));
        return true;
    }
    int64_t next = new_ndim - 1; /* the innermost new dim without a stride yet */
    for (int64_t d = ndim - 1; d >= 0;) {
        int64_t base = strides[d], chunk_numel = 1, extent = 0;
        bool extent_fits;
        do {
            chunk_numel *= sizes[d--];
            extent_fits = sc_mul(chunk_numel, base, &extent);
        } while (d >= 0 && (sizes[d] == 1 || (extent_fits && strides[d] == extent)));

        int64_t new_numel = 1;
        for (; next >= 0 && (new_numel < chunk_numel || new_sizes[next] == 1); next--) {
            if (!sc_mul(new_numel, base, &new_strides[next])) return false;
            new_numel *= new_sizes[next];
        }
        if (new_numel != chunk_numel) {
            if (extent_fits) *conflict = (sc_view_conflict){d, d + 1, extent};
            return false;
        }
    }
    for (; next >= 0; next--) new_strides[next] = 1; /* only from 0-dim: every new size is 1 */
    return true;
}

/* Merge neighbouring dims that every one of the `operands` stride arrays walks as one, and drop size-1 dims; sizes
 * and strides are rewritten in place and the new number of dims is returned. Row-major order of the elements stays.
 *
 *     sizes (2, 1, 4, 3), strides (12, 7, 3, 1) and (24, 0, 6, 2)  ->  (24,), (1,) and (2,)
 *     sizes (2, 4, 3),    strides (12, 3, 1) and (24, 3, 1)        ->  (2, 12), (12, 1) and (24, 1)
 *
 * Requires sizes >= 1 whose product fits. */
static inline int64_t sc_coalesce(int64_t ndim, int64_t *sizes, int operands, int64_t *const *strides) {
    int64_t count = 0;
    for (int64_t d = 0; d < ndim; d++) {
        if (sizes[d] == 1) continue;
        bool merges = count > 0;
        for (int k = 0; merges && k < operands; k++) {
            int64_t extent;
            merges = sc_mul(strides[k][d], sizes[d], &extent) && strides[k][count - 1] == extent;
        }
        int64_t to = merges ? count - 1 : count++;
        sizes[to] = merges ? sizes[to] * sizes[d] : sizes[d];
        for (int k = 0; k < operands; k++) strides[k][to] = strides[k][d];
    }
    return count;
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
