/* The layout of a fresh result of several operands, as torch's elementwise loops and advanced indexing choose it.
 *
 * Dims are sorted from the innermost in memory outwards: dims move inwards past dims along which some operand, the
 * first that tells, has a larger stride. An operand along whose dim it is broadcast (stride 0) does not tell; equal
 * strides tell by the larger size. The result is dense in that order.
 *
 *     operands of strides (1, 8, 2) and (0, 1, 4), sizes (2, 3, 4)   ->   (1, 8, 2): the second is never asked
 */
#ifndef STRIDECORE_RESULT_H
#define STRIDECORE_RESULT_H

#include "layout.h"

/* > 0 if dim `inner` belongs further out than dim `dim`, < 0 if not, 0 if no operand tells. */
static inline int sc_compare_dims(const int64_t *sizes, int operands, const int64_t *const *strides, int64_t inner,
                                  int64_t dim) {
    for (int k = 0; k < operands; k++) {
        int64_t a = strides[k][inner], b = strides[k][dim];
        if (a == 0 || b == 0) continue;
        uint64_t x = sc_magnitude(a), y = sc_magnitude(b);
        if (x != y) return x < y ? -1 : 1;
        if (sizes[inner] > sizes[dim]) return 1;
    }
    return 0;
}

/* Strides of a fresh result. Operands have strides for every dim, 0 along those that they are broadcast over. False
 * on overflow. Requires ndim <= SC_MAX_NDIM. */
static inline bool sc_result_strides(int64_t ndim, const int64_t *sizes, int operands, const int64_t *const *strides,
                                     int64_t *fresh) {
    int64_t order[SC_MAX_NDIM], product = 1;
    bool inverted = true;
    for (int64_t i = 0; i < ndim; i++) order[i] = ndim - 1 - i;
    for (int64_t i = 1; i < ndim; i++) {
        int64_t at = i;
        for (int64_t j = i - 1; j >= 0; j--) {
            int64_t dim = order[at], told = sc_compare_dims(sizes, operands, strides, order[j], dim);
            if (told < 0) break;
            if (told == 0) continue;
            order[at] = order[j], order[j] = dim;
            at = j;
        }
    }
    for (int64_t i = 0; i < ndim; i++) inverted = inverted && order[i] == ndim - 1 - i;
    if (inverted) return sc_contiguous_strides(ndim, sizes, fresh);
    for (int64_t i = 0; i < ndim; i++) {
        fresh[order[i]] = product;
        if (!sc_mul(product, sizes[order[i]], &product)) return false;
    }
    return true;
}

#endif
