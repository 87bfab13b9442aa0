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

#define TAKE(SIZE)                                                                                \
    static void take_##SIZE(char *packed, const char *spread, const int64_t *offsets, int64_t n) { \
        for (int64_t i = 0; i < n; i++) memcpy(packed + i * SIZE, spread + offsets[i], SIZE);     \
    }                                                                                             \
    static void take_short_##SIZE(char *packed, const char *spread, const int32_t *offsets, int64_t n) { \
        for (int64_t i = 0; i < n; i++) memcpy(packed + i * SIZE, spread + offsets[i], SIZE);     \
    }

#define PICK_EACH(SIZE, T)                                                                        \
    for (int64_t i = 0; i < n; i++) {                                                             \
        T read;                                                                                   \
        memcpy(&read, data + i * (int64_t)sizeof read, sizeof read);                              \
        int64_t at = read;                                                                        \
        at += (at >> 63) & wrap;                                                                  \
        bool wrong = (uint64_t)at >= (uint64_t)size;                                              \
        bad |= wrong;                                                                             \
        memcpy(packed + i * SIZE, spread + (wrong ? 0 : at) * byte_step, SIZE);                   \
    }

#define PICK(SIZE)                                                                                \
    static bool pick_##SIZE(char *packed, const char *spread, const sc_index *index, const char *data, int64_t n) { \
        int64_t size = index->size, wrap = index->wraps ? size : 0, byte_step = index->byte_step; \
        bool bad = false;                                                                         \
        if (index->is_int32) {                                                                    \
            PICK_EACH(SIZE, int32_t)                                                              \
        } else {                                                                                  \
            PICK_EACH(SIZE, int64_t)                                                              \
        }                                                                                         \
        return !bad;                                                                              \
    }

PICK(1)
PICK(2)
PICK(4)
PICK(8)
PICK(16)

TAKE(1)
TAKE(2)
TAKE(4)
TAKE(8)
TAKE(16)

void sc_fill_rows_plain(sc_kernels *kernels) {
    kernels->gather.offsets = offsets_plain;
    kernels->gather.gather_rows = kernels->gather.stream_rows = gather_rows;
    kernels->gather.scatter_rows = scatter_rows;
    memcpy(kernels->gather.take, (sc_take_kernel[]){take_1, take_2, take_4, take_8, take_16},
           sizeof kernels->gather.take);
    memcpy(kernels->gather.take_short,
           (sc_take_short_kernel[]){take_short_1, take_short_2, take_short_4, take_short_8, take_short_16},
           sizeof kernels->gather.take_short);
    memcpy(kernels->gather.pick, (sc_pick_kernel[]){pick_1, pick_2, pick_4, pick_8, pick_16},
           sizeof kernels->gather.pick);
}
