/* Copies inside one buffer that need no temporary.
 *
 * A shift: the operands have the same steps, so the source is the destination moved by a distance. Taken in the
 * order of addresses, towards the source, no element is overwritten before it was read:
 *
 *     x[1:] = x[:-1]     . a b c d      the destination lies above its source: last element first
 *
 * A square: x.copy_(x.t()), also for a batch. Two tiles mirrored at the diagonal are exchanged through a buffer.
 */
#include "kernels.h"

#include <string.h>

bool sc_plan_is_shift(const sc_plan *plan) {
    if (plan->converts || !sc_plan_dst_is_nested(plan)) return false;
    for (int d = 0; d < plan->ndim; d++)
        if (plan->dims[d].dst != plan->dims[d].src) return false;
    return true;
}

#define DEFINE_SHIFT(TYPE)                                                                            \
    static void shift_##TYPE(char *dst, const char *src, int64_t step, int64_t n) {                    \
        for (int64_t i = 0; i < n; i++) {                                                              \
            TYPE item;                                                                                 \
            memcpy(&item, src + i * step, sizeof item);                                                \
            memcpy(dst + i * step, &item, sizeof item);                                                \
        }                                                                                              \
    }
DEFINE_SHIFT(uint8_t)
DEFINE_SHIFT(uint16_t)
DEFINE_SHIFT(uint32_t)
DEFINE_SHIFT(uint64_t)

static void shift_line(char *dst, const char *src, int64_t step, int64_t n, int64_t item) {
    if (step == item || -step == item) { /* one run */
        int64_t start = step < 0 ? (n - 1) * step : 0;
        memmove(dst + start, src + start, (size_t)(n * item));
        return;
    }
    switch (item) {
    case 1: shift_uint8_t(dst, src, step, n); return;
    case 2: shift_uint16_t(dst, src, step, n); return;
    case 4: shift_uint32_t(dst, src, step, n); return;
    case 8: shift_uint64_t(dst, src, step, n); return;
    default:
        for (int64_t i = 0; i < n; i++) memmove(dst + i * step, src + i * step, (size_t)item);
    }
}

void sc_plan_run_shift(sc_plan *plan) {
    if (plan->dst == plan->src) return;
    if ((uintptr_t)plan->dst > (uintptr_t)plan->src)
        for (int d = 0; d < plan->ndim; d++) { /* from the last element down */
            sc_plan_dim *dim = &plan->dims[d];
            plan->dst += (dim->size - 1) * dim->dst;
            plan->src += (dim->size - 1) * dim->src;
            dim->dst = dim->src = -dim->dst;
        }
    if (plan->ndim == 0) {
        memmove(plan->dst, plan->src, (size_t)plan->dst_item);
        return;
    }
    const sc_plan_dim *last = &plan->dims[plan->ndim - 1];
    sc_walk walk;
    sc_walk_start(&walk, plan, -1, 0);
    for (int64_t left = sc_walk_count(&walk); left > 0; left--) {
        shift_line(walk.dst, walk.src, last->dst, last->size, plan->dst_item);
        sc_walk_next(&walk);
    }
}

bool sc_plan_is_square(const sc_plan *plan) {
    if (plan->kind != SC_KIND_TRANSPOSE || plan->converts || plan->dst != plan->src) return false;
    if (!sc_plan_dst_is_nested(plan)) return false;
    const sc_plan_dim *rows = &plan->dims[plan->across], *cols = &plan->dims[plan->ndim - 1];
    if (rows->size != cols->size || rows->dst != cols->src || rows->src != cols->dst) return false;
    for (int d = 0; d < plan->ndim - 1; d++)
        if (d != plan->across && plan->dims[d].dst != plan->dims[d].src) return false;
    return true;
}

#define SWAP_BYTES 16384 /* of the tile that is held while its mirror image is written over it */

void sc_plan_run_square(const sc_plan *plan) {
    const int64_t item = plan->dst_item, edge = item <= 16 ? 32 : 16;
    const int64_t n = plan->dims[plan->across].size;
    const int64_t down = plan->dims[plan->across].dst, right = plan->dims[plan->ndim - 1].dst;
    sc_tile_kernel kernel = sc_transpose_plain(item);
    char held[SWAP_BYTES]; /* one tile, row by row */
    sc_walk walk;
    sc_walk_start(&walk, plan, plan->across, 0);
    for (int64_t left = sc_walk_count(&walk); left > 0; left--, sc_walk_next(&walk))
        for (int64_t i = 0; i < n; i += edge)
            for (int64_t j = i; j < n; j += edge) {
                int64_t rows = n - i < edge ? n - i : edge, cols = n - j < edge ? n - j : edge;
                char *upper = walk.dst + i * down + j * right, *lower = walk.dst + j * down + i * right;
                kernel(held, cols * item, item, upper, down, right, rows, cols, item);
                if (i != j) kernel(upper, down, right, lower, right, down, rows, cols, item);
                kernel(lower, down, right, held, item, cols * item, cols, rows, item);
            }
}
