/* Prefetching of rows that are addressed by offsets, for the kernels on them. */
#ifndef STRIDECORE_GATHER_ROWS_H
#define STRIDECORE_GATHER_ROWS_H

#include "gather/kernels.h"

/* How many rows before their turn to ask for them (measured), at most SC_ROWS_AHEAD. */
enum { SC_ROWS_AHEAD = 32, SC_PREFETCH_BYTES = 4096 };

static inline int64_t sc_rows_ahead(int64_t nbytes) {
    int64_t rows = nbytes <= 64 ? 32 : nbytes <= 512 ? 16 : nbytes <= 1024 ? 8 : 4;
    return rows < SC_ROWS_AHEAD ? rows : SC_ROWS_AHEAD;
}

static inline void sc_prefetch_row(const char *row, int64_t nbytes) {
    if (nbytes > SC_PREFETCH_BYTES) nbytes = SC_PREFETCH_BYTES; /* the rest is a run like any other */
    for (int64_t at = 0; at < nbytes; at += 64) __builtin_prefetch(row + at);
    __builtin_prefetch(row + nbytes - 1);
}

#endif
