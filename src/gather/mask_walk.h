/* A walk over part of a mask and of what lies beside it, block by block (private to src/gather).
 *
 * Dims are merged where they can be; what is left are rows. A block is at most SC_MASK_BLOCK neighbours of a row.
 * Elements are numbered in row-major order, so that a walk can be cut anywhere for threads:
 *
 *     rows of 700     [0 .. 511][512 .. 699] [700 .. 1211][1212 .. 1399] ...      a walk of [600, 1300) takes
 *                                [600 .. 699] [700 .. 1211][1212 .. 1299]
 */
#ifndef STRIDECORE_GATHER_MASK_WALK_H
#define STRIDECORE_GATHER_MASK_WALK_H

#include "gather/kernels.h"

enum { SC_MASK_OPERANDS = 4 };

/* What is walked over. */
typedef struct sc_mask_shape {
    int operands;
    int64_t numel, ndim, n; /* outer dims; length of a row */
    int64_t sizes[SC_MAX_NDIM];
    int64_t steps[SC_MASK_OPERANDS][SC_MAX_NDIM]; /* of the outer dims */
    int64_t step[SC_MASK_OPERANDS];               /* along a row */
    char *data[SC_MASK_OPERANDS];
} sc_mask_shape;

typedef struct sc_mask_walk {
    const sc_mask_shape *shape;
    int64_t at[SC_MAX_NDIM], in_row, left; /* the place of the next block; elements from it on */
    char *row[SC_MASK_OPERANDS];
    int64_t n; /* the block: its length and where it begins */
    char *block[SC_MASK_OPERANDS];
} sc_mask_walk;

/* Which order a walk takes, and whether it may merge dims. */
enum { SC_MASK_DIMS_KEPT = -2, SC_MASK_ROW_MAJOR = -1 };

/* False when there is nothing to walk over. `order` is one of the above, or the number of an operand whose memory
 * gives the order. */
bool sc_mask_shape_make(sc_mask_shape *shape, int64_t ndim, const int64_t *sizes, int operands, char *const *data,
                        const int64_t *const *strides, int order);

void sc_mask_walk_start(sc_mask_walk *walk, const sc_mask_shape *shape, int64_t begin, int64_t end);

/* To the next block; false after the last. */
bool sc_mask_walk_next(sc_mask_walk *walk);

/* n neighbours of an operand as a run: where they are if they are one, else copied to room. */
const char *sc_mask_run(const char *data, int64_t step, int64_t n, int64_t item, char *room);

/* The words of a block's mask, which is operand 0. */
void sc_mask_words(const sc_mask_walk *walk, uint64_t *words);

/* Parts into which numel elements of all in all nbytes are cut for threads: 1 where these don't pay. */
int64_t sc_mask_parts(int64_t numel, int64_t nbytes);

/* Part `part` of `parts` begins here. */
int64_t sc_mask_part_begin(int64_t numel, int64_t parts, int64_t part);

#endif
