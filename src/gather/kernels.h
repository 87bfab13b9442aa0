/* The kernels of gather, scatter and masks that differ from CPU level to CPU level (a part of the registry, cpu.h).
 *
 * Masks are worked on 64 bytes at a time, as words whose bit i says whether byte i is true:
 *
 *     mask    01 00 00 01 ff 00 ...        word   ...010011001
 *
 * A word of zeros is passed over, one of ones is a plain copy, and only words that are mixed are looked at by bit.
 */
#ifndef STRIDECORE_GATHER_KERNELS_H
#define STRIDECORE_GATHER_KERNELS_H

#include "gather.h"

enum {
    SC_MASK_BLOCK = 512,                   /* most items that a call on words takes: as many words as a line holds */
    SC_MASK_WORDS = SC_MASK_BLOCK / 64,
    SC_MASK_SLACK = 64                     /* bytes past the result that compress and places may write */
};

/* The offsets of n neighbouring indices, index * byte_step, added to `offsets`. False if one of them is invalid; the
 * offsets are then worthless. */
typedef bool (*sc_offsets_kernel)(const sc_index *index, const char *data, int64_t n, int64_t *offsets);

/* n rows of nbytes: behind each other in `packed`, at offsets in `spread`; the kernel's name says which way they go.
 * Offsets are known for `known` >= n rows, so that what comes next can be asked for. */
typedef void (*sc_rows_kernel)(char *packed, char *spread, const int64_t *offsets, int64_t n, int64_t known,
                               int64_t nbytes);

/* n items from where the offsets point, packed; and the same by short offsets. */
typedef void (*sc_take_kernel)(char *packed, const char *spread, const int64_t *offsets, int64_t n);
typedef void (*sc_take_short_kernel)(char *packed, const char *spread, const int32_t *offsets, int64_t n);

/* The same straight from n neighbouring indices, each checked before it is used: reading them and fetching items overlap.
 * False if one is invalid; `packed` then has something else for it. Requires index->size > 0. */
typedef bool (*sc_pick_kernel)(char *packed, const char *spread, const sc_index *index, const char *data, int64_t n);

/* The words of n mask bytes, the last one filled up with zeros. */
typedef void (*sc_bits_kernel)(const char *mask, int64_t n, uint64_t *words);

/* Items of a run where bits are set, packed; returns how many. May write SC_MASK_SLACK bytes too many. */
typedef int64_t (*sc_compress_kernel)(char *dst, const char *src, const uint64_t *words, int64_t n_words);

/* first + the number of each bit that is set; returns how many. May write SC_MASK_SLACK bytes too many. */
typedef int64_t (*sc_places_kernel)(int64_t *dst, const uint64_t *words, int64_t n_words, int64_t first);

/* One item to the places of a run of n where bits are set; others are not written. */
typedef void (*sc_mask_fill_kernel)(char *dst, const char *item, const uint64_t *words, int64_t n);

/* Items of runs, or one item for all if the step is 0: dst = mask ? a : b. */
typedef void (*sc_choose_kernel)(char *dst, const char *mask, const char *a, int64_t a_step, const char *b,
                                 int64_t b_step, int64_t n, bool stream);

typedef struct sc_gather_kernels {
    sc_offsets_kernel offsets;
    sc_rows_kernel gather_rows, stream_rows, scatter_rows; /* stream_rows: past the cache, lines and rows of 32 bytes */
    sc_take_kernel take[5]; /* by item code, as the tables below */
    sc_take_short_kernel take_short[5];
    sc_pick_kernel pick[5];
    sc_bits_kernel bits;
    int64_t (*count)(const char *mask, int64_t n);
    sc_places_kernel places;
    sc_compress_kernel compress[5];
    sc_mask_fill_kernel fill[5];
    sc_choose_kernel choose[5];
} sc_gather_kernels;

#endif
