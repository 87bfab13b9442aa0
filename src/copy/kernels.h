/* What the kernels of a copy offer to run.c and copy.c. Steps are in bytes; addresses need no alignment. */
#ifndef STRIDECORE_COPY_KERNELS_H
#define STRIDECORE_COPY_KERNELS_H

#include "plan.h"

/* A kernel along one dim: move n items of `item` bytes, dst_step and src_step bytes apart. */
typedef void (*sc_line_kernel)(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n, int64_t item);

/* A kernel across two dims: item (i, j) lies at i * dst_rows + j * dst_cols and at i * src_rows + j * src_cols. */
typedef void (*sc_tile_kernel)(char *dst, int64_t dst_rows, int64_t dst_cols, const char *src, int64_t src_rows,
                               int64_t src_cols, int64_t rows, int64_t cols, int64_t item);

/* block.c: one contiguous run; the operands don't overlap. */
void sc_copy_block(char *dst, const char *src, int64_t nbytes);

/* strided.c: the kernel for any steps, by item size. */
sc_line_kernel sc_strided_kernel(int64_t item);

/* fill.c: the item at src to n places, item bytes apart (src_step is ignored). */
void sc_fill_line(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n, int64_t item);

/* transpose_plain.c: tiles for caches and any steps, by item size. */
sc_tile_kernel sc_transpose_plain(int64_t item);

/* transpose.c: the plan by sweeps; false, with nothing done, if there are none for it. */
bool sc_run_sweeps(const sc_plan *plan, bool stream);

/* Destinations from this size up are written past the cache. */
#define SC_STREAM_NBYTES ((int64_t)4 << 20)

/* inplace.c: copies within one buffer, where the operands have the same steps (shift) or swapped ones (square). */
bool sc_plan_is_shift(const sc_plan *plan);
void sc_plan_run_shift(sc_plan *plan);
bool sc_plan_is_square(const sc_plan *plan);
void sc_plan_run_square(const sc_plan *plan);

/* ---- walk: all indices of some outer dims, the last one fastest ----------------------------- */

typedef struct sc_walk {
    int ndim;
    char *dst;
    const char *src;
    sc_plan_dim dims[SC_MAX_NDIM];
    int64_t index[SC_MAX_NDIM];
} sc_walk;

/* Start at index `start` (row-major) of the plan's dims without the last one and without `across` (if >= 0). */
void sc_walk_start(sc_walk *walk, const sc_plan *plan, int across, int64_t start);

/* The number of indices. */
int64_t sc_walk_count(const sc_walk *walk);

/* To the next index; after the last one back to the first. */
static inline void sc_walk_next(sc_walk *walk) {
    for (int d = walk->ndim - 1; d >= 0; d--) {
        const sc_plan_dim *dim = &walk->dims[d];
        if (++walk->index[d] < dim->size) {
            walk->dst += dim->dst;
            walk->src += dim->src;
            return;
        }
        walk->index[d] = 0;
        walk->dst -= dim->dst * (dim->size - 1);
        walk->src -= dim->src * (dim->size - 1);
    }
}

#endif
