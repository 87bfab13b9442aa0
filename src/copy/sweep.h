/* A sweep: some destination rows, written from end to end out of many source rows.
 *
 *     source rows j                          destination rows i
 *     j0  . . [i0 i1 ... i7] . .             i0  [j0 j1 j2 ...           ] ->
 *     j1  . . [i0 i1 ... i7] . .             i1  [j0 j1 j2 ...           ] ->
 *     ...                                    ...
 *
 * Rows lie where tables of byte offsets say, so that one sweep serves two dims with pitches and many dims merged into
 * two groups alike. Item (i, j) goes from src + src_rows[j] + i * item to dst + dst_rows[i] + j * item.
 */
#ifndef STRIDECORE_COPY_SWEEP_H
#define STRIDECORE_COPY_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sc_sweep {
    char *dst;
    const char *src;
    const int64_t *dst_rows; /* ni entries */
    const int64_t *src_rows; /* nj entries, or tile_cols of them if they repeat; and SC_SWEEP_AHEAD valid ones more */
    int64_t src_repeat;      /* bytes from a tile of source rows to the next if the table repeats, else 0 */
    int64_t ni, nj;          /* micro_rows <= ni <= tile_rows, micro_cols <= nj */
    bool stream;             /* whole lines bypass the cache */
    bool direct;             /* no buffer: for destinations that stay in the cache; not with stream */
} sc_sweep;

#define SC_SWEEP_AHEAD 96 /* entries of src_rows past the last that may be read, for prefetches */

/* The sweep of one item size at one CPU level. run is NULL where there is none. */
typedef struct sc_sweeper {
    void (*run)(const sc_sweep *sweep);
    int16_t tile_rows, tile_cols;   /* destination rows of a full sweep, items along them a tile */
    int16_t micro_rows, micro_cols; /* the least ni and nj */
    /* The first half of a sweep: columns [0, cols) of ni rows to where `rows` say. micro_rows <= ni <= tile_rows,
     * micro_cols <= cols <= tile_cols; src_rows as in sc_sweep. */
    void (*gather)(char *const *rows, const char *src, const int64_t *src_rows, int64_t ni, int64_t cols);
    /* ni x nj items from src + j * src_pitch + i * item to dst + i * dst_pitch + j * item, through the cache and without
     * tables: for what is so small that setting up a sweep shows. micro_rows <= ni, micro_cols <= nj. */
    void (*small)(char *dst, int64_t dst_pitch, const char *src, int64_t src_pitch, int64_t ni, int64_t nj);
} sc_sweeper;

#endif
