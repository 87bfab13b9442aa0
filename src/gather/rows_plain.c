/* Offsets of indices, and rows at offsets: the specification. */
#include <string.h>

#include "cpu.h"

/* The valid range is tested without a branch an item. */
#define ADD_OFFSETS(T)                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                          \
        T read;                                                                                \
        memcpy(&read, data + i * (int64_t)sizeof read, sizeof read);                           \
        int64_t at = read;                                                                     \
        at += (at >> 63) & wrap;                                                               \
        bad |= (uint64_t)at >= (uint64_t)size;                                                 \
        offsets[i] = (int64_t)((uint64_t)offsets[i] + (uint64_t)at * (uint64_t)byte_step);     \
    }

static bool offsets_plain(const sc_index *index, const char *data, int64_t n, int64_t *offsets) {
    int64_t size = index->size, wrap = index->wraps ? size : 0, byte_step = index->byte_step;
    bool bad = false;
    if (index->is_int32) {
        ADD_OFFSETS(int32_t)
    } else {
        ADD_OFFSETS(int64_t)
    }
    return !bad;
}

static void gather_rows(char *packed, char *spread, const int64_t *offsets, int64_t n, int64_t known, int64_t nbytes) {
    (void)known;
    for (int64_t i = 0; i < n; i++) memcpy(packed + i * nbytes, spread + offsets[i], (size_t)nbytes);
}

static void scatter_rows(char *packed, char *spread, const int64_t *offsets, int64_t n, int64_t known, int64_t nbytes) {
    (void)known;
    for (int64_t i = 0; i < n; i++) memcpy(spread + offsets[i], packed + i * nbytes, (size_t)nbytes);
}

void sc_fill_rows_plain(sc_kernels *kernels) {
    kernels->gather.offsets = offsets_plain;
    kernels->gather.gather_rows = kernels->gather.stream_rows = gather_rows;
    kernels->gather.scatter_rows = scatter_rows;
}
