/* Gather and scatter: elements addressed by indices that lie in memory, and by masks.
 *
 * Everything is one loop over `sizes` in row-major order with two operands:
 *
 *     plain      lies at strides, like an operand of a copy
 *     indexed    lies at strides too, plus, for each index tensor, index * byte_step
 *
 *     y = x[i, :, j]    x of size (5, 3, 7) float32, i and j of size (2,); y of size (2, 3)
 *
 *     sizes            (2, 3)
 *     plain    y       strides (12, 4)
 *     indexed  x       strides (0, 28)        0 along the dim that i and j replace
 *     indices  i       strides (8, 0)         size 5, byte_step 84
 *              j       strides (8, 0)         size 7, byte_step 4
 *
 * gather(dim), scatter(dim), index_select and index_add are the same with one index tensor. An index is read once,
 * checked and used: what another thread writes into it meanwhile can give an error, never a stray access.
 * Offsets are wide: sizes, strides and every reachable address have been checked by the caller.
 */
#ifndef STRIDECORE_GATHER_H
#define STRIDECORE_GATHER_H

#include "stridecore.h"

typedef struct sc_index {
    const char *data;            /* the index at loop index (0, ..., 0) */
    const int64_t *byte_strides; /* one per dim of the loop, any sign; 0 along dims that it does not depend on */
    int64_t size;                /* of the dim that it addresses */
    int64_t byte_step;           /* between neighbours of that dim in the indexed operand; any sign */
    bool is_int32;               /* int32 indices, otherwise int64 */
    bool wraps;                  /* [-size, size) is valid, otherwise [0, size) */
} sc_index;

typedef struct sc_indexed_loop {
    int64_t ndim;
    const int64_t *sizes;
    int64_t item;                   /* bytes of an element: 1, 2, 4, 8 or 16 */
    char *plain;                    /* at loop index (0, ..., 0) */
    const int64_t *plain_strides;   /* in bytes, any sign */
    char *indexed;                  /* at loop index (0, ..., 0) and with every index 0 */
    const int64_t *indexed_strides; /* in bytes, any sign */
    int64_t n_indices;              /* 0 <= n_indices <= SC_MAX_NDIM */
    const sc_index *indices;
} sc_indexed_loop;

/* Where a check failed: the number of the index tensor and the value that it holds. */
typedef struct sc_bad_index {
    int64_t which, value;
} sc_bad_index;

/* True iff every index is valid; otherwise *bad is the first of the first index tensor that has one. */
bool sc_check_indices(int64_t ndim, const int64_t *sizes, int64_t n_indices, const sc_index *indices,
                      sc_bad_index *bad);

/* plain = indexed. False, with *bad, at an invalid index; plain may have been written in part then. The operands
 * don't overlap, nor does plain overlap itself. */
bool sc_gather(const sc_indexed_loop *loop, sc_bad_index *bad);

/* indexed = plain; of several values for one place the last in row-major order stays. plain may have strides of 0.
 * Run sc_check_indices first: at an invalid index this stops midway. */
bool sc_scatter(const sc_indexed_loop *loop, sc_bad_index *bad);

typedef enum sc_reduction { SC_SUM = 0, SC_PROD, SC_AMAX, SC_AMIN, SC_NUM_REDUCTIONS } sc_reduction;

/* indexed = indexed op plain, both of this dtype, value after value in row-major order. Integers wrap, the sum of
 * bools is `or` and their product `and`, NaN wins amax and amin; reduced floats are computed as float32 and rounded at
 * each step. Complex has no amax and amin: such a call does nothing. Otherwise as sc_scatter. */
bool sc_scatter_reduce(const sc_indexed_loop *loop, sc_dtype dtype, sc_reduction op, sc_bad_index *bad);

/* dst = dst / count for every element whose count is above 1, counts being int64; integers round down. */
void sc_divide_by_counts(int64_t ndim, const int64_t *sizes, sc_dtype dtype, char *dst, const int64_t *dst_strides,
                         const char *counts, const int64_t *count_strides);

/* ---- masks: bytes of which 0 is false, at any strides --------------------------------------- */

int64_t sc_mask_count(int64_t ndim, const int64_t *sizes, const char *mask, const int64_t *mask_strides);

/* The items of src where the mask is true, packed into dst in row-major order; at most `capacity` of them, and how
 * many is returned. */
int64_t sc_mask_compress(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, int64_t capacity,
                         const char *src, const int64_t *src_strides, const char *mask, const int64_t *mask_strides);

/* The reverse: items of src, src_step apart, to the places of dst where the mask is true, in row-major order. Stops
 * when `available` have been used; returns how many were. src_step may be 0: all places get one item. */
int64_t sc_mask_expand(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, const int64_t *dst_strides,
                       const char *src, int64_t src_step, int64_t available, const char *mask,
                       const int64_t *mask_strides);

/* The coordinates of the true places in row-major order: number k along dim d to coordinates[k * place_step +
 * d * dim_step] (steps in elements). At most `capacity` places; returns how many. */
int64_t sc_mask_places(int64_t ndim, const int64_t *sizes, const char *mask, const int64_t *mask_strides,
                       int64_t *coordinates, int64_t place_step, int64_t dim_step, int64_t capacity);

/* dst = mask ? a : b, item by item. */
void sc_mask_choose(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, const int64_t *dst_strides,
                    const char *mask, const int64_t *mask_strides, const char *a, const int64_t *a_strides,
                    const char *b, const int64_t *b_strides);

#endif
