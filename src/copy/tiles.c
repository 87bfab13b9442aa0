/* Transposes of items for which there is no sweep: 3, 6, 12, 24 bytes and other widths, as pixels and short vectors
 * have, and destinations that are no runs.
 *
 * Where the destination is large and its rows are runs, a tile is made in the first-level cache and its rows leave past
 * the cache, a lane each:
 *
 *     source rows j   [i0 i1 ... i31]        stage   i0 [j0 j1 j2 ...]  -> lane of destination row i0
 *                                                    i1 [j0 j1 j2 ...]  -> lane of destination row i1
 */
#include <string.h>

#include "kernels.h"
#include "stream.h"

enum { TILE_ROWS = 32, TILE_NBYTES = 384, AHEAD_COLS = 16 };

static void stream_strip(const sc_plan *plan, sc_tile_kernel kernel, const sc_kernels *kernels, char *dst,
                         const char *src, int64_t rows) {
    const sc_plan_dim *down = &plan->dims[plan->across], *right = &plan->dims[plan->ndim - 1];
    const int64_t item = plan->dst_item, most = TILE_NBYTES / item, pitch = TILE_NBYTES + 64;
    _Alignas(64) char stage[TILE_ROWS * (TILE_NBYTES + 64)];
    sc_lane lanes[TILE_ROWS];
    for (int64_t i = 0; i < rows; i++) sc_lane_start(&lanes[i], dst + i * down->dst);
    for (int64_t j = 0; j < right->size; j += most) {
        int64_t cols = right->size - j < most ? right->size - j : most;
        const char *from = src + j * right->src;
        for (int64_t k = 0; k < cols; k++)
            for (int64_t b = 0; b < rows * item; b += 64) __builtin_prefetch(from + (k + AHEAD_COLS) * right->src + b);
        kernel(stage, pitch, item, from, down->src, right->src, rows, cols, item);
        for (int64_t i = 0; i < rows; i++) sc_lane_put(&lanes[i], kernels, stage + i * pitch, cols * item);
    }
    for (int64_t i = 0; i < rows; i++) sc_lane_finish(&lanes[i]);
}

void sc_run_tiles(const sc_plan *plan, bool stream) {
    const sc_plan_dim *cols = &plan->dims[plan->ndim - 1], *rows = &plan->dims[plan->across];
    const sc_tile_kernel kernel = sc_transpose_plain(plan->dst_item);
    const sc_kernels *kernels = sc_kernels_now();
    stream = stream && cols->dst == plan->dst_item && rows->src == plan->src_item && cols->size * plan->dst_item >= 256;
    sc_walk walk;
    sc_walk_start(&walk, plan, plan->across, 0);
    for (int64_t left = sc_walk_count(&walk); left > 0; left--) {
        if (stream) {
            for (int64_t i = 0; i < rows->size; i += TILE_ROWS)
                stream_strip(plan, kernel, kernels, walk.dst + i * rows->dst, walk.src + i * rows->src,
                             rows->size - i < TILE_ROWS ? rows->size - i : TILE_ROWS);
        } else {
            kernel(walk.dst, rows->dst, cols->dst, walk.src, rows->src, cols->src, rows->size, cols->size,
                   plan->dst_item);
        }
        sc_walk_next(&walk);
    }
    if (stream) kernels->fence();
}
