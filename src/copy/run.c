/* Running a plan: by the executor that its kind asks for. */
#include "kernels.h"

#include <string.h>

#include "cpu.h"

static void run_lines(const sc_plan *plan, bool stream) {
    sc_lines lines;
    sc_lines_prepare(&lines, plan);
    int64_t items = lines.rows * plan->dims[plan->ndim - 1].size;
    int across = stream ? sc_lines_band(&lines) : -1;
    if (across >= 0) sc_lines_stream_bands(&lines, across, 0, sc_lines_band_count(&lines, across));
    else if (stream && lines.streamable) sc_lines_stream(&lines, 0, items);
    else sc_lines_run(&lines, 0, items);
}

static void run_transpose(const sc_plan *plan, bool stream) {
    const sc_plan_dim *cols = &plan->dims[plan->ndim - 1], *rows = &plan->dims[plan->across];
    if (sc_run_planes(plan, stream) || sc_run_sweeps(plan, stream)) return;
    sc_tile_kernel kernel = sc_transpose_plain(plan->dst_item);
    sc_walk walk;
    sc_walk_start(&walk, plan, plan->across, 0);
    for (int64_t left = sc_walk_count(&walk); left > 0; left--) {
        kernel(walk.dst, rows->dst, cols->dst, walk.src, rows->src, cols->src, rows->size, cols->size, plan->dst_item);
        sc_walk_next(&walk);
    }
}

static void run_item(const sc_plan *plan) {
    if (plan->converts)
        sc_convert_row(plan->dst_dtype, plan->dst, 0, plan->src_dtype, plan->src, 0, 1, plan->bits);
    else
        memmove(plan->dst, plan->src, (size_t)plan->dst_item);
}

void sc_plan_run(const sc_plan *plan) {
    if (plan->kind == SC_KIND_EMPTY) return;
    if (plan->ndim == 0) {
        run_item(plan);
        return;
    }
    int64_t nbytes = sc_plan_nbytes(plan);
    bool stream = nbytes >= sc_stream_nbytes();
    if (plan->converts && plan->kind == SC_KIND_TRANSPOSE &&
        (sc_run_planes(plan, stream) || sc_run_sweeps(plan, stream)))
        return;
    if (plan->converts || plan->kind != SC_KIND_TRANSPOSE) {
        if (plan->kind != SC_KIND_BLOCK) run_lines(plan, stream);
        else if (plan->converts) sc_convert_block(plan, plan->dst, plan->src, plan->dims[0].size, stream);
        else sc_copy_block(plan->dst, plan->src, nbytes);
    } else {
        run_transpose(plan, stream);
    }
}
