/* What the kernels of a copy offer to run.c and copy.c. Steps are in bytes; addresses need no alignment. */
#ifndef STRIDECORE_COPY_KERNELS_H
#define STRIDECORE_COPY_KERNELS_H

#include "cpu.h"
#include "plan.h"
#include "threshold.h"

/* A kernel across two dims: item (i, j) lies at i * dst_rows + j * dst_cols and at i * src_rows + j * src_cols. */
typedef void (*sc_tile_kernel)(char *dst, int64_t dst_rows, int64_t dst_cols, const char *src, int64_t src_rows,
                               int64_t src_cols, int64_t rows, int64_t cols, int64_t item);

/* 0 ... 4 for items of 1, 2, 4, 8 and 16 bytes, otherwise -1: the index of the registry's tables. */
static inline int sc_item_code(int64_t item) {
    switch (item) {
    case 1: return 0;
    case 2: return 1;
    case 4: return 2;
    case 8: return 3;
    case 16: return 4;
    default: return -1;
    }
}

/* block.c: one contiguous run; the operands don't overlap. */
void sc_copy_block(char *dst, const char *src, int64_t nbytes, bool stream);

/* strided.c: the kernel for an item size and steps. */
sc_line_kernel sc_strided_kernel(int64_t item, int64_t dst_step, int64_t src_step);

/* The same past the cache into a run, NULL if there is none: see cpu.h. */
sc_line_streamer sc_strided_streamer(int64_t item, int64_t src_step);

/* lines.c: plans that are a loop along the last dim, cut anywhere: items are numbered row by row. */
typedef struct sc_lines {
    const sc_plan *plan;
    int64_t rows;
    int64_t rows_ahead, rest_ahead; /* how far prefetches look ahead: whole rows, bytes more */
    bool direct, joined, streamable; /* rows are runs of both operands; follow each other in dst; are runs of dst */
    bool converts_runs; /* rows are runs of both operands, converted */
    sc_line_kernel kernel;
    sc_line_streamer streamer; /* whole lines of the kernel's result, if it can and items don't straddle lines */
    sc_converter converter; /* instead of the kernel if the plan converts */
} sc_lines;

void sc_lines_prepare(sc_lines *lines, const sc_plan *plan);
void sc_lines_run(const sc_lines *lines, int64_t begin, int64_t end);
void sc_lines_stream(const sc_lines *lines, int64_t begin, int64_t end); /* requires streamable */

/* Streaming by bands, for rows whose source is interleaved: the dim across which a band goes or -1, the number of bands
 * and some of them. */
int sc_lines_band(const sc_lines *lines);
int64_t sc_lines_band_count(const sc_lines *lines, int across);
void sc_lines_stream_bands(const sc_lines *lines, int across, int64_t begin, int64_t end);

/* fill.c: the item at src to n places, item bytes apart (src_step is ignored). */
void sc_fill_line(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n, int64_t item);

/* The same for many short rows: row i has the item at src + i * src_step n times. False, with nothing done, for items
 * other than 1, 2, 4, 8 and 16 bytes. */
bool sc_fill_short_rows(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t rows, int64_t n,
                        int64_t item);

/* transpose_plain.c: tiles for caches and any steps, by item size. */
sc_tile_kernel sc_transpose_plain(int64_t item);

/* tiles.c: any transpose that does not convert. */
void sc_run_tiles(const sc_plan *plan, bool stream);

/* planes.c: a transpose with a few parts on one side; false, with nothing done, if it is none. */
bool sc_run_planes(const sc_plan *plan, bool stream);

/* convert.c: n items of a run to a run, as the plan converts them; and a sweep of a plan that converts, whose source
 * items the sweeper moves. Lines past the cache need a fence, which only the former sets. */
int64_t sc_convert_turn(const sc_plan *plan); /* items at a time: whole lines, at most 1 KiB of each side */
void sc_convert_block(const sc_plan *plan, char *dst, const char *src, int64_t n, bool stream);
void sc_convert_sweep(const sc_sweep *sweep, const sc_sweeper *sweeper, const sc_converter *converter);

/* transpose.c: the plan by sweeps; false, with nothing done, if there are none for it. */
bool sc_run_sweeps(const sc_plan *plan, bool stream);

/* block.c: copies from this size up are shared between threads. For tests; negative for the
 * default. */
int64_t sc_thread_nbytes(void);
void sc_set_thread_nbytes(int64_t nbytes);

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
