/* Running a plan: by the executor that its kind asks for. */
#include "kernels.h"

#include <string.h>

#include "parallel.h"

/* Bytes: rows up to these lengths are filled by a loop, longer ones by a call each, which can stream. */
enum { SHORT_FILL = 16384, SHORT_STREAMED_FILL = 256 };

static void run_lines(const sc_plan *plan, bool stream) {
    sc_lines lines;
    sc_lines_prepare(&lines, plan);
    int64_t items = lines.rows * plan->dims[plan->ndim - 1].size;
    int across = stream ? sc_lines_band(&lines) : -1;
    if (across >= 0) sc_lines_stream_bands(&lines, across, 0, sc_lines_band_count(&lines, across));
    else if (stream && lines.streamable) sc_lines_stream(&lines, 0, items);
    else sc_lines_run(&lines, 0, items);
}

/* Fills of short rows; false, with nothing done, for other plans. */
static bool run_short_fills(const sc_plan *plan, bool stream) {
    if (plan->kind != SC_KIND_FILL || plan->converts || plan->ndim < 2) return false;
    const sc_plan_dim *last = &plan->dims[plan->ndim - 1], *rows = &plan->dims[plan->ndim - 2];
    if (last->size * plan->dst_item > (stream ? SHORT_STREAMED_FILL : SHORT_FILL)) return false;
    sc_walk walk;
    sc_walk_start(&walk, plan, plan->ndim - 2, 0);
    for (int64_t left = sc_walk_count(&walk); left > 0; left--) {
        if (!sc_fill_short_rows(walk.dst, rows->dst, walk.src, rows->src, rows->size, last->size, plan->dst_item))
            return false; /* which the item size decides, before the first row */
        sc_walk_next(&walk);
    }
    return true;
}

static void run_item(const sc_plan *plan) {
    if (plan->converts)
        sc_convert_row(plan->dst_dtype, plan->dst, 0, plan->src_dtype, plan->src, 0, 1, plan->bits);
    else
        memmove(plan->dst, plan->src, (size_t)plan->dst_item);
}

static void run_alone(const sc_plan *plan, bool stream) {
    if (plan->kind == SC_KIND_BLOCK) {
        if (plan->converts) sc_convert_block(plan, plan->dst, plan->src, plan->dims[0].size, stream);
        else sc_copy_block(plan->dst, plan->src, sc_plan_nbytes(plan), stream);
        return;
    }
    if (plan->kind == SC_KIND_TRANSPOSE) {
        if (sc_run_planes(plan, stream) || sc_run_sweeps(plan, stream)) return;
        if (!plan->converts) {
            sc_run_tiles(plan, stream);
            return;
        }
    }
    if (!run_short_fills(plan, stream)) run_lines(plan, stream);
}

/* ---- threads ------------------------------------------------------------------------------------ */

/* A copy is cut along one dim into parts, which are plans as well. */
typedef struct parts {
    const sc_plan *plan;
    int dim;
    int64_t count, first, rest; /* parts of `rest` items, the first one of `first` more, the last one of what is left */
    bool stream;
} parts;

/* True iff tiles of a transpose run along the dim. */
static bool is_of_tiles(const sc_plan *plan, int d) {
    return plan->kind == SC_KIND_TRANSPOSE && (d == plan->ndim - 1 || d == plan->across);
}

/* The dim to cut: the longest of those that are far from both unit-stride axes, so that tiles stay whole; failing that
 * the farthest one along which no tile runs; failing that the longest of all, outer ones first. */
static int dim_to_cut(const sc_plan *plan, int64_t threads) {
    enum { FAR = 512 }; /* bytes */
    int far = -1, farthest = -1, longest = 0;
    uint64_t farthest_step = 0;
    for (int d = 0; d < plan->ndim; d++) {
        const sc_plan_dim *dim = &plan->dims[d];
        uint64_t dst = sc_magnitude(dim->dst), src = sc_magnitude(dim->src), nearer = dst < src ? dst : src;
        if (dim->size > plan->dims[longest].size) longest = d;
        if (nearer >= FAR && (far < 0 || dim->size > plan->dims[far].size)) far = d;
        if (!is_of_tiles(plan, d) && dim->size >= threads && nearer > farthest_step) farthest = d, farthest_step = nearer;
    }
    if (far >= 0 && plan->dims[far].size >= threads) return far;
    return plan->kind == SC_KIND_TRANSPOSE && farthest >= 0 && plan->dims[longest].size < 64 * threads ? farthest : longest;
}

static void run_part(int64_t task, void *context) {
    const parts *p = context;
    sc_plan plan = *p->plan;
    sc_plan_dim *dim = &plan.dims[p->dim];
    int64_t begin = task == 0 ? 0 : p->first + task * p->rest;
    int64_t end = task == p->count - 1 ? dim->size : p->first + (task + 1) * p->rest;
    plan.dst += begin * dim->dst;
    plan.src += begin * dim->src;
    dim->size = end - begin;
    run_alone(&plan, p->stream);
}

static bool run_in_parts(const sc_plan *plan, int64_t nbytes, bool stream) {
    int64_t threads = sc_get_num_threads();
    if (threads < 2 || nbytes < sc_thread_nbytes()) return false;
    parts p = {.plan = plan, .dim = dim_to_cut(plan, threads), .stream = stream};
    const sc_plan_dim *dim = &plan->dims[p.dim];
    int64_t least = sc_thread_nbytes() / 8 + 1, count = nbytes / least; /* bytes of a part */
    if (count > 4 * threads) count = 4 * threads;
    const int64_t shortest = is_of_tiles(plan, p.dim) && dim->size >= 64 ? 32 : 1; /* shorter ones are no tiles */
    if (count > dim->size / shortest) count = dim->size / shortest;
    if (count < 2) return false;
    /* Parts of whole tiles and lines, where they are long enough to care. */
    int64_t unit = dim->size / count >= 1024 ? 256 : dim->size / count >= 256 ? 64 : 1;
    p.rest = dim->size / count / unit * unit;
    p.count = count;
    if (unit > 1 && dim->dst == plan->dst_item) {
        int64_t before = (int64_t)(-(uintptr_t)plan->dst & 63);
        if (before % plan->dst_item == 0) p.first = before / plan->dst_item;
        if (p.first + count * p.rest > dim->size) p.rest -= unit;
    }
    sc_parallel_for(p.count, run_part, &p);
    return true;
}

void sc_plan_run(const sc_plan *plan) {
    if (plan->kind == SC_KIND_EMPTY) return;
    if (plan->ndim == 0) {
        run_item(plan);
        return;
    }
    int64_t nbytes = sc_plan_nbytes(plan);
    bool stream = sc_is_streamed(nbytes);
    if (!run_in_parts(plan, nbytes, stream)) run_alone(plan, stream);
}
