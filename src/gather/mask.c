/* Masks: counting, packing, unpacking and choosing by bytes that are true or false. */
#include "gather.h"

#include <string.h>

enum { MAX_OPERANDS = 4 };

/* A walk along the rows of up to four operands, whose last dim the callers loop over. */
typedef struct walk {
    int operands;
    int64_t ndim, n; /* outer dims; length of a row */
    int64_t sizes[SC_MAX_NDIM], at[SC_MAX_NDIM];
    int64_t steps[MAX_OPERANDS][SC_MAX_NDIM]; /* of the outer dims */
    int64_t step[MAX_OPERANDS];               /* along a row */
    char *data[MAX_OPERANDS];
} walk;

/* False when there is nothing to walk over. */
static bool start(walk *w, int64_t ndim, const int64_t *sizes, int operands, char *const *data,
                  const int64_t *const *strides) {
    int64_t *steps[MAX_OPERANDS];
    for (int64_t d = 0; d < ndim; d++) {
        if (sizes[d] == 0) return false;
        w->sizes[d] = sizes[d];
        for (int k = 0; k < operands; k++) w->steps[k][d] = strides[k][d];
    }
    for (int k = 0; k < operands; k++) steps[k] = w->steps[k], w->data[k] = data[k];
    w->operands = operands;
    ndim = sc_coalesce(ndim, w->sizes, operands, steps);
    w->n = ndim > 0 ? w->sizes[ndim - 1] : 1;
    for (int k = 0; k < operands; k++) w->step[k] = ndim > 0 ? w->steps[k][ndim - 1] : 0;
    w->ndim = ndim > 0 ? ndim - 1 : 0;
    memset(w->at, 0, (size_t)w->ndim * sizeof w->at[0]);
    return true;
}

/* To the next row; false after the last. */
static bool next(walk *w) {
    for (int64_t d = w->ndim - 1; d >= 0; d--) {
        bool ends = ++w->at[d] == w->sizes[d];
        for (int k = 0; k < w->operands; k++) w->data[k] += (ends ? 1 - w->sizes[d] : 1) * w->steps[k][d];
        if (!ends) return true;
        w->at[d] = 0;
    }
    return false;
}

int64_t sc_mask_count(int64_t ndim, const int64_t *sizes, const char *mask, const int64_t *mask_strides) {
    char *data[] = {(char *)(uintptr_t)mask};
    const int64_t *strides[] = {mask_strides};
    int64_t count = 0;
    walk w;
    if (!start(&w, ndim, sizes, 1, data, strides)) return 0;
    do {
        const char *row = w.data[0];
        int64_t step = w.step[0];
        if (step == 1)
            for (int64_t i = 0; i < w.n; i++) count += row[i] != 0;
        else
            for (int64_t i = 0; i < w.n; i++) count += row[i * step] != 0;
    } while (next(&w));
    return count;
}

#define BY_ITEM(MOVE)                          \
    switch (item) {                            \
    case 1: MOVE(1) break;                     \
    case 2: MOVE(2) break;                     \
    case 4: MOVE(4) break;                     \
    case 8: MOVE(8) break;                     \
    default: MOVE(16) break;                   \
    }

int64_t sc_mask_compress(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, int64_t capacity,
                         const char *src, const int64_t *src_strides, const char *mask, const int64_t *mask_strides) {
    char *data[] = {(char *)(uintptr_t)mask, (char *)(uintptr_t)src};
    const int64_t *strides[] = {mask_strides, src_strides};
    int64_t used = 0;
    walk w;
    if (!start(&w, ndim, sizes, 2, data, strides)) return 0;
    do {
        const char *keep = w.data[0], *from = w.data[1];
        int64_t keep_step = w.step[0], from_step = w.step[1], n = w.n;
#define MOVE(SIZE)                                                                   \
    for (int64_t i = 0; i < n; i++)                                                  \
        if (keep[i * keep_step] && used < capacity)                                  \
            memcpy(dst + used++ * SIZE, from + i * from_step, SIZE);
        BY_ITEM(MOVE)
#undef MOVE
    } while (next(&w));
    return used;
}

int64_t sc_mask_expand(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, const int64_t *dst_strides,
                       const char *src, int64_t src_step, int64_t available, const char *mask,
                       const int64_t *mask_strides) {
    char *data[] = {(char *)(uintptr_t)mask, dst};
    const int64_t *strides[] = {mask_strides, dst_strides};
    int64_t used = 0;
    walk w;
    if (!start(&w, ndim, sizes, 2, data, strides)) return 0;
    do {
        const char *keep = w.data[0];
        char *to = w.data[1];
        int64_t keep_step = w.step[0], to_step = w.step[1], n = w.n;
#define MOVE(SIZE)                                                                   \
    for (int64_t i = 0; i < n; i++)                                                  \
        if (keep[i * keep_step] && used < available)                                 \
            memcpy(to + i * to_step, src + used++ * src_step, SIZE);
        BY_ITEM(MOVE)
#undef MOVE
    } while (next(&w));
    return used;
}

int64_t sc_mask_places(int64_t ndim, const int64_t *sizes, const char *mask, const int64_t *mask_strides,
                       int64_t *coordinates, int64_t place_step, int64_t dim_step, int64_t capacity) {
    int64_t at[SC_MAX_NDIM] = {0}, used = 0;
    for (int64_t d = 0; d < ndim; d++)
        if (sizes[d] == 0) return 0;
    if (ndim == 0) return *mask != 0 && capacity > 0;
    int64_t last = ndim - 1, step = mask_strides[last];
    for (;;) {
        for (int64_t i = 0; i < sizes[last]; i++) {
            if (!mask[i * step] || used == capacity) continue;
            int64_t *place = coordinates + used++ * place_step;
            for (int64_t d = 0; d < last; d++) place[d * dim_step] = at[d];
            place[last * dim_step] = i;
        }
        int64_t d = last - 1;
        for (; d >= 0; d--) {
            bool ends = ++at[d] == sizes[d];
            mask += (ends ? 1 - sizes[d] : 1) * mask_strides[d];
            if (!ends) break;
            at[d] = 0;
        }
        if (d < 0) return used;
    }
}

void sc_mask_choose(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, const int64_t *dst_strides,
                    const char *mask, const int64_t *mask_strides, const char *a, const int64_t *a_strides,
                    const char *b, const int64_t *b_strides) {
    char *data[] = {(char *)(uintptr_t)mask, dst, (char *)(uintptr_t)a, (char *)(uintptr_t)b};
    const int64_t *strides[] = {mask_strides, dst_strides, a_strides, b_strides};
    walk w;
    if (!start(&w, ndim, sizes, 4, data, strides)) return;
    do {
        const char *keep = w.data[0], *yes = w.data[2], *no = w.data[3];
        char *to = w.data[1];
        int64_t keep_step = w.step[0], to_step = w.step[1], yes_step = w.step[2], no_step = w.step[3], n = w.n;
#define MOVE(SIZE)                                                                               \
    for (int64_t i = 0; i < n; i++)                                                              \
        memcpy(to + i * to_step, keep[i * keep_step] ? yes + i * yes_step : no + i * no_step, SIZE);
        BY_ITEM(MOVE)
#undef MOVE
    } while (next(&w));
}
