/* Reads and writes through an indexed loop, item by item or in rows. */
#include <string.h>

#include "copy/kernels.h"
#include "loop.h"

/* Constant sizes become single moves. */
#define BY_ITEM(MOVE)                          \
    switch (item) {                            \
    case 1: MOVE(1) break;                     \
    case 2: MOVE(2) break;                     \
    case 4: MOVE(4) break;                     \
    case 8: MOVE(8) break;                     \
    default: MOVE(16) break;                   \
    }

static void gather_items(char *plain, int64_t plain_step, char *indexed, const int64_t *offsets, int64_t n,
                         int64_t item) {
    if (plain_step == item) {
        sc_kernels_now()->gather.take[sc_item_code(item)](plain, indexed, offsets, n);
        return;
    }
#define MOVE(SIZE) \
    for (int64_t i = 0; i < n; i++) memcpy(plain + i * plain_step, indexed + offsets[i], SIZE);
    BY_ITEM(MOVE)
#undef MOVE
}

static void scatter_items(char *plain, int64_t plain_step, char *indexed, const int64_t *offsets, int64_t n,
                          int64_t item) {
#define MOVE(SIZE) \
    for (int64_t i = 0; i < n; i++) memcpy(indexed + offsets[i], plain + i * plain_step, SIZE);
    BY_ITEM(MOVE)
#undef MOVE
}

static void move_line(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n, int64_t item) {
    if (dst_step == item && src_step == item) memcpy(dst, src, (size_t)(n * item));
    else sc_strided_kernel(item, dst_step, src_step)(dst, dst_step, src, src_step, n, item);
}

static void gather_line(char *plain, int64_t plain_step, char *indexed, int64_t indexed_step, int64_t n,
                        int64_t item) {
    move_line(plain, plain_step, indexed, indexed_step, n, item);
}

static void scatter_line(char *plain, int64_t plain_step, char *indexed, int64_t indexed_step, int64_t n,
                         int64_t item) {
    move_line(indexed, indexed_step, plain, plain_step, n, item);
}

bool sc_gather(const sc_indexed_loop *loop, sc_bad_index *bad) {
    sc_loop_work work = {gather_items, gather_line, sc_kernels_now()->gather.gather_rows, true};
    sc_loop_plan plan;
    sc_loop_plan_make(&plan, loop, true);
    return sc_loop_run(&plan, &work, bad);
}

bool sc_scatter(const sc_indexed_loop *loop, sc_bad_index *bad) {
    sc_loop_work work = {scatter_items, scatter_line, sc_kernels_now()->gather.scatter_rows, false};
    sc_loop_plan plan;
    sc_loop_plan_make(&plan, loop, true);
    return sc_loop_run(&plan, &work, bad);
}
