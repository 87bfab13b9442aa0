/* Running a transpose: the dims are cut into two groups and an outer rest, and the groups into sweeps.
 *
 * The group of columns holds the destination's last dim and, while it is short, the dims that continue its run in
 * memory; the group of rows the same for the source. With both groups a few hundred bytes long, reads and writes come
 * in whole cache lines however many dims there are:
 *
 *     all axes of (16, 16, 16, 16, 16, 16) reversed     rows: dims 5, 4 of the result    columns: dims 1, 0
 *                                                       outer: dims 3, 2                 256 x 256 items a time
 */
#include <string.h>

#include "cpu.h"
#include "kernels.h"

#define DIRECT_NBYTES (1 << 20)
#define MAX_GROUP 1024 /* items in a group of more than one dim, for which offsets are tabulated */

typedef struct group {
    int ndim;
    int dims[SC_MAX_NDIM]; /* of the plan, innermost first */
    int64_t size;
} group;

typedef struct job {
    const sc_plan *plan;
    const sc_sweeper *sweeper;
    sc_converter converter; /* if the plan converts */
    group rows, cols;
    int64_t strips; /* per outer index */
    bool stream, direct;
    int outer_ndim;
    sc_plan_dim outer[SC_MAX_NDIM];
    int64_t dst_rows[MAX_GROUP + 1], src_rows[MAX_GROUP + SC_SWEEP_AHEAD];
} job;

/* Add the dim that continues the group's run in the destination (or the source) unless the other group has it. */
static bool grow(group *g, const group *other, const sc_plan *plan, bool in_dst) {
    int64_t extent = g->size * (in_dst ? plan->dst_item : plan->src_item);
    for (int d = 0; d < plan->ndim; d++) {
        if ((in_dst ? plan->dims[d].dst : plan->dims[d].src) != extent) continue;
        for (int k = 0; k < other->ndim; k++)
            if (other->dims[k] == d) return false;
        for (int k = 0; k < g->ndim; k++)
            if (g->dims[k] == d) return false;
        if (g->size * plan->dims[d].size > MAX_GROUP) return false;
        g->dims[g->ndim++] = d;
        g->size *= plan->dims[d].size;
        return true;
    }
    return false;
}

static void make_groups(job *job) {
    const sc_plan *plan = job->plan;
    job->cols = (group){1, {plan->ndim - 1}, plan->dims[plan->ndim - 1].size};
    job->rows = (group){1, {plan->across}, plan->dims[plan->across].size};
    bool more_cols = true, more_rows = true;
    while (more_cols || more_rows) {
        more_cols = more_cols && job->cols.size < job->sweeper->tile_cols && grow(&job->cols, &job->rows, plan, true);
        more_rows = more_rows && job->rows.size < job->sweeper->tile_rows && grow(&job->rows, &job->cols, plan, false);
    }
    job->outer_ndim = 0;
    for (int d = 0; d < plan->ndim; d++) {
        bool used = false;
        for (int k = 0; k < job->cols.ndim; k++) used = used || job->cols.dims[k] == d;
        for (int k = 0; k < job->rows.ndim; k++) used = used || job->rows.dims[k] == d;
        if (!used) job->outer[job->outer_ndim++] = plan->dims[d];
    }
}

/* offsets[k] of the group's first `count` items in the other operand. */
static void tabulate(const group *g, const sc_plan *plan, bool in_dst, int64_t count, int64_t *offsets) {
    if (g->ndim == 1) {
        const int64_t step = in_dst ? plan->dims[g->dims[0]].dst : plan->dims[g->dims[0]].src;
        for (int64_t k = 0; k < count; k++) offsets[k] = k * step;
        return;
    }
    int64_t index[SC_MAX_NDIM], at = 0;
    for (int n = 0; n < g->ndim; n++) index[n] = 0;
    for (int64_t k = 0; k < count; k++) {
        offsets[k] = at;
        for (int n = 0; n < g->ndim; n++) {
            const sc_plan_dim *dim = &plan->dims[g->dims[n]];
            int64_t step = in_dst ? dim->dst : dim->src;
            at += step;
            if (++index[n] < dim->size) break;
            at -= step * dim->size;
            index[n] = 0;
        }
    }
}

/* Destination rows are cut into strips of tile_rows; a rest too short for the kernel takes some from the strip before. */
static int64_t strip_start(const job *job, int64_t strip) {
    int64_t full = job->sweeper->tile_rows, start = strip * full, n = job->rows.size;
    if (start >= n) return n;
    if (strip > 0 && n - start < job->sweeper->micro_rows) return n - job->sweeper->micro_rows;
    return start;
}

static void run_strips(const job *job, int64_t begin, int64_t end) {
    const sc_plan *plan = job->plan;
    int64_t item = plan->src_item;
    const sc_plan_dim *row = &plan->dims[job->rows.dims[0]], *col = &plan->dims[job->cols.dims[0]];
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t outer = unit / job->strips, strip = unit % job->strips;
        char *dst = plan->dst;
        const char *src = plan->src;
        for (int d = job->outer_ndim - 1; d >= 0 && outer; d--) {
            int64_t index = outer % job->outer[d].size;
            outer /= job->outer[d].size;
            dst += index * job->outer[d].dst;
            src += index * job->outer[d].src;
        }
        int64_t first = strip_start(job, strip), past = strip_start(job, strip + 1);
        sc_sweep sweep = {.src = src + first * item, .src_rows = job->src_rows, .ni = past - first,
                          .nj = job->cols.size, .stream = job->stream, .direct = job->direct};
        if (job->rows.ndim == 1) {
            sweep.dst = dst + first * row->dst;
            sweep.dst_rows = job->dst_rows;
        } else {
            sweep.dst = dst;
            sweep.dst_rows = job->dst_rows + first;
        }
        sweep.src_repeat = job->cols.ndim == 1 ? job->sweeper->tile_cols * col->src : 0;
        if (plan->converts) sc_convert_sweep(&sweep, job->sweeper, &job->converter);
        else job->sweeper->run(&sweep);
    }
}

/* Measured: a destination that fits the second-level cache is best written without a buffer, unless the lines of as
 * many rows as a source line has items compete for few sets of the first-level cache (64 sets of at least 8 lines). */
static bool is_better_direct(const sc_plan *plan, int64_t nbytes) {
    const int64_t pitch = plan->dims[plan->across].dst;
    const int64_t repeats = pitch & -pitch; /* the largest power of two that divides it */
    const int64_t lines = repeats >= 4096 ? 8 : repeats > 64 ? 8 * (4096 / repeats) : 512;
    return nbytes <= DIRECT_NBYTES && lines * plan->src_item >= 64;
}

/* True iff each pair of unit-stride dims is large enough to be moved without the others. */
static bool is_of_whole_lines(const sc_plan *plan) {
    return plan->ndim == 2 || (plan->dims[plan->ndim - 1].size * plan->dst_item >= 64 &&
                               plan->dims[plan->across].size * plan->src_item >= 64);
}

static void run_small(const sc_plan *plan, const sc_sweeper *sweeper) {
    const sc_plan_dim *cols = &plan->dims[plan->ndim - 1], *rows = &plan->dims[plan->across];
    if (plan->ndim == 2) {
        sweeper->small(plan->dst, rows->dst, plan->src, cols->src, rows->size, cols->size);
        return;
    }
    sc_walk walk;
    sc_walk_start(&walk, plan, plan->across, 0);
    for (int64_t left = sc_walk_count(&walk); left > 0; left--) {
        sweeper->small(walk.dst, rows->dst, walk.src, cols->src, rows->size, cols->size);
        sc_walk_next(&walk);
    }
}

bool sc_run_sweeps(const sc_plan *plan, bool stream) {
    int code = sc_item_code(plan->src_item);
    if (code < 0) return false;
    const sc_sweeper *sweeper = &sc_kernels_now()->sweepers[code];
    if (!sweeper->run || plan->dims[plan->across].src != plan->src_item ||
        plan->dims[plan->ndim - 1].dst != plan->dst_item)
        return false;
    const bool direct = !stream && is_better_direct(plan, sc_plan_nbytes(plan));
    if (direct && !plan->converts && plan->dims[plan->across].size >= sweeper->micro_rows &&
        plan->dims[plan->ndim - 1].size >= sweeper->micro_cols && is_of_whole_lines(plan)) {
        run_small(plan, sweeper);
        return true;
    }
    job job; /* mostly tables, not set before they are needed */
    job.plan = plan, job.sweeper = sweeper, job.stream = stream, job.direct = direct;
    if (plan->converts) job.converter = sc_converter_for(plan->dst_dtype, plan->src_dtype, plan->bits);
    make_groups(&job);
    if (job.rows.size < sweeper->micro_rows || job.cols.size < sweeper->micro_cols) return false;
    job.strips = (job.rows.size + sweeper->tile_rows - 1) / sweeper->tile_rows;
    if (job.rows.size < sweeper->tile_rows || job.rows.ndim > 1)
        tabulate(&job.rows, plan, true, job.rows.size, job.dst_rows);
    else
        tabulate(&job.rows, plan, true, sweeper->tile_rows, job.dst_rows);
    int64_t table = job.cols.ndim > 1 || job.cols.size < sweeper->tile_cols ? job.cols.size : sweeper->tile_cols;
    int64_t ahead = job.cols.ndim > 1 || job.cols.size < sweeper->tile_cols ? 0 : SC_SWEEP_AHEAD;
    tabulate(&job.cols, plan, false, table + ahead, job.src_rows);
    for (; ahead < SC_SWEEP_AHEAD; ahead++) job.src_rows[table + ahead] = job.src_rows[table - 1];

    int64_t units = job.strips;
    for (int d = 0; d < job.outer_ndim; d++) units *= job.outer[d].size;
    run_strips(&job, 0, units);
    if (stream) sc_kernels_now()->fence();
    return true;
}
