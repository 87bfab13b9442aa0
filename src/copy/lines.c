/* Plans that are one loop along the destination's last dim, over all outer dims: rows, fills, strided sources,
 * conversions.
 *
 * Small ones run line by line into the destination. Large ones with a contiguous last dim are streamed: the kernel
 * fills a stage of a few KiB in the first-level cache and whole lines of it go past the cache; runs that need no
 * kernel go there directly. Several lanes, far apart in the destination, take turns, because one stream of reads does
 * not keep the memory busy.
 *
 *     destination   |lane 0 ......|lane 1 ......|lane 2 ......|lane 3 ......|
 *     turns           1  5  9       2  6          3  7          4  8           each a stage long
 */
#include <string.h>

#include "kernels.h"
#include "stream.h"

enum {
    LANES = 8,
    TURN = 256,       /* bytes of the destination that a lane writes before the next one's turn */
    STAGE = 1024,     /* the same by way of the stage */
    FILL_TURN = 16384, /* the same where the stage is used again and again */
    LONG_ROW = 2048, AHEAD_ROWS = 8, /* of bands: the longest row, the rows of a lane that are asked for ahead */
    AHEAD = 1024,     /* bytes of the source that a lane asks for before their turn, in later rows where rows are short */
    BAND_LANES = 16, BAND_ROWS = 16,
    FAR = 128, PIECE = 64 /* items FAR bytes apart have a line each, which is asked for PIECE items ahead */
};

typedef struct lane {
    sc_lane out;
    sc_walk walk;
    int64_t at, left; /* item in the row; items to do */
    int64_t inside;   /* bytes beyond `at` that are done, for runs */
} lane;

static void run_kernel(const sc_lines *lines, char *dst, int64_t dst_step, const char *src, int64_t n) {
    const sc_plan_dim *last = &lines->plan->dims[lines->plan->ndim - 1];
    if (lines->plan->converts) sc_convert_run(&lines->converter, dst, dst_step, src, last->src, n);
    else lines->kernel(dst, dst_step, src, last->src, n, lines->plan->dst_item);
}

static void copy_line(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n, int64_t item) {
    (void)dst_step, (void)src_step;
    memcpy(dst, src, (size_t)(n * item));
}

/* True iff each row of the destination begins where the one before ends. */
static bool rows_are_joined(const sc_plan *plan) {
    int64_t extent = plan->dst_item;
    for (int d = plan->ndim - 1; d >= 0; d--) {
        if (plan->dims[d].dst != extent) return false;
        extent *= plan->dims[d].size;
    }
    return true;
}

/* True iff no item of the destination lies across the border of two cache lines. */
static bool items_keep_to_lines(const sc_plan *plan) {
    if (64 % plan->dst_item || (uintptr_t)plan->dst % (uintptr_t)plan->dst_item) return false;
    for (int d = 0; d < plan->ndim; d++)
        if (plan->dims[d].dst % plan->dst_item) return false;
    return true;
}

void sc_lines_prepare(sc_lines *lines, const sc_plan *plan) {
    const sc_plan_dim *last = &plan->dims[plan->ndim - 1];
    lines->plan = plan;
    lines->rows = 1;
    for (int d = 0; d < plan->ndim - 1; d++) lines->rows *= plan->dims[d].size;
    const bool runs = last->src == plan->src_item && last->dst == plan->dst_item;
    lines->direct = runs && !plan->converts;
    lines->converts_runs = runs && plan->converts;
    lines->joined = rows_are_joined(plan);
    /* Where a line is read for each item, lanes only disturb the loads, and what is written is little beside them. */
    lines->streamable = last->dst == plan->dst_item && sc_magnitude(last->src) < 2 * FAR;
    lines->rows_ahead = AHEAD / (last->size * plan->src_item);
    lines->rest_ahead = AHEAD % (last->size * plan->src_item);
    if (plan->converts) lines->converter = sc_converter_for(plan->dst_dtype, plan->src_dtype, plan->bits);
    else if (lines->direct) lines->kernel = copy_line;
    else if (last->src == 0 && last->dst == plan->dst_item) lines->kernel = sc_fill_line;
    else lines->kernel = sc_strided_kernel(plan->dst_item, last->dst, last->src);
    const bool strided = !plan->converts && !lines->direct && last->dst == plan->dst_item;
    lines->streamer = strided && items_keep_to_lines(plan) ? sc_strided_streamer(plan->dst_item, last->src) : NULL;
}

/* Some neighbours in a row. */
typedef struct piece {
    sc_walk walk;
    int64_t at, n, left; /* the first one, how many; items from it on */
} piece;

static void piece_start(piece *p, const sc_plan *plan, int64_t begin, int64_t end, int64_t most) {
    const int64_t size = plan->dims[plan->ndim - 1].size;
    sc_walk_start(&p->walk, plan, -1, begin / size);
    p->at = begin % size;
    p->left = end - begin;
    p->n = size - p->at < most ? size - p->at : most;
    if (p->n > p->left) p->n = p->left;
}

static inline void piece_next(piece *p, int64_t size, int64_t most) {
    p->left -= p->n;
    p->at += p->n;
    if (p->at == size) {
        p->at = 0;
        sc_walk_next(&p->walk);
    }
    p->n = size - p->at < most ? size - p->at : most;
    if (p->n > p->left) p->n = p->left;
}

/* Stores to diagonals and columns: each line is asked for before its turn, since few stores can wait for theirs. Loads
 * keep as many lines under way by themselves: measured, asking for those ahead gains nothing. */
static void run_far_apart(const sc_lines *lines, int64_t begin, int64_t end) {
    const sc_plan *plan = lines->plan;
    const sc_plan_dim last = plan->dims[plan->ndim - 1];
    piece now, next;
    piece_start(&now, plan, begin, end, PIECE);
    piece_start(&next, plan, begin, end, PIECE);
    for (piece_next(&next, last.size, PIECE); now.left > 0; piece_next(&now, last.size, PIECE)) {
        char *dst = next.walk.dst + next.at * last.dst;
        for (int64_t i = 0; i < next.n; i++) __builtin_prefetch(dst + i * last.dst, 1);
        run_kernel(lines, now.walk.dst + now.at * last.dst, last.dst, now.walk.src + now.at * last.src, now.n);
        if (next.left > 0) piece_next(&next, last.size, PIECE);
    }
}

void sc_lines_run(const sc_lines *lines, int64_t begin, int64_t end) {
    const sc_plan *plan = lines->plan;
    const sc_plan_dim *last = &plan->dims[plan->ndim - 1];
    if (sc_magnitude(last->dst) >= FAR) {
        run_far_apart(lines, begin, end);
        return;
    }
    sc_walk walk;
    sc_walk_start(&walk, plan, -1, begin / last->size);
    int64_t at = begin % last->size;
    for (int64_t left = end - begin; left > 0;) {
        int64_t n = last->size - at < left ? last->size - at : left;
        run_kernel(lines, walk.dst + at * last->dst, last->dst, walk.src + at * last->src, n);
        left -= n;
        at = 0;
        sc_walk_next(&walk);
    }
}

static void lane_start(lane *lane, const sc_lines *lines, int64_t begin, int64_t end) {
    const sc_plan *plan = lines->plan;
    const sc_plan_dim *last = &plan->dims[plan->ndim - 1];
    sc_walk_start(&lane->walk, plan, -1, begin / last->size);
    lane->at = begin % last->size;
    lane->left = end - begin;
    lane->inside = 0;
    sc_lane_start(&lane->out, lane->walk.dst + lane->at * last->dst);
}

/* What the lane will read AHEAD bytes later, if rows are runs of the source and follow each other by the same step. */
static inline const char *bytes_ahead(const lane *lane, const sc_lines *lines, const char *src) {
    if (lane->walk.ndim == 0) return src + AHEAD;
    const int64_t item = lines->plan->src_item, row = lines->plan->dims[lines->plan->ndim - 1].size * item;
    int64_t rows = lines->rows_ahead, rest = lines->rest_ahead;
    if (lane->at * item + lane->inside + rest >= row) rows++, rest -= row;
    return src + rows * lane->walk.dims[lane->walk.ndim - 1].src + rest;
}

/* n items of the row are done. */
static void lane_advance(lane *lane, const sc_lines *lines, int64_t n) {
    lane->left -= n;
    lane->at += n;
    if (lane->at < lines->plan->dims[lines->plan->ndim - 1].size) return;
    lane->at = 0;
    sc_walk_next(&lane->walk);
    if (lines->joined || lane->left == 0) return;
    sc_lane_finish(&lane->out);
    sc_lane_start(&lane->out, lane->walk.dst);
}

/* One turn without a stage: whole lines by the streamer, what is less than a line by the kernel. */
static void lane_turn_lines(lane *lane, const sc_lines *lines, const sc_kernels *kernels) {
    const sc_plan *plan = lines->plan;
    const sc_plan_dim *last = &plan->dims[plan->ndim - 1];
    const int64_t item = plan->dst_item;
    for (int64_t budget = TURN; budget > 0 && lane->left > 0;) {
        const char *src = lane->walk.src + lane->at * last->src;
        int64_t n = last->size - lane->at < lane->left ? last->size - lane->at : lane->left;
        int64_t waiting = lane->out.skip + lane->out.fill, whole = (n - 1) * item / 64;
        if (waiting == 0 && whole) {
            if (whole > budget / 64) whole = budget < 64 ? 1 : budget / 64;
            lines->streamer(lane->out.to, src, whole);
            lane->out.to += whole * 64;
            n = whole * 64 / item;
        } else {
            if (n > (64 - waiting) / item) n = (64 - waiting) / item;
            lines->kernel(lane->out.line + waiting, item, src, last->src, n, item);
            sc_lane_grow(&lane->out, kernels, n * item);
        }
        budget -= n * item;
        lane_advance(lane, lines, n);
    }
}

/* One turn of rows that are runs of both operands: from where the destination's lines permit to where they end. */
static void lane_turn_runs(lane *lane, const sc_lines *lines, const sc_kernels *kernels) {
    const sc_plan_dim *last = &lines->plan->dims[lines->plan->ndim - 1];
    const int64_t item = lines->plan->dst_item;
    for (int64_t budget = TURN; budget > 0 && lane->left > 0;) {
        const int64_t n = last->size - lane->at < lane->left ? last->size - lane->at : lane->left;
        const int64_t row = n * item - lane->inside; /* bytes left of it */
        const char *src = lane->walk.src + lane->at * item + lane->inside;
        const int64_t waiting = lane->out.skip + lane->out.fill;
        int64_t nbytes = row & ~(int64_t)63;
        if (waiting == 0 && nbytes) {
            if (nbytes > budget) nbytes = budget < 64 ? 64 : budget & ~(int64_t)63;
            const char *ahead = bytes_ahead(lane, lines, src);
            for (int64_t k = 0; k < nbytes; k += 64) __builtin_prefetch(ahead + k);
            kernels->stream_lines(lane->out.to, src, nbytes >> 6);
            lane->out.to += nbytes;
        } else {
            nbytes = row < 64 - waiting ? row : 64 - waiting;
            sc_copy_part(lane->out.line + waiting, src, nbytes);
            sc_lane_grow(&lane->out, kernels, nbytes);
        }
        budget -= nbytes;
        lane->inside += nbytes;
        if (nbytes < row) continue;
        lane->inside = 0;
        lane_advance(lane, lines, n);
    }
}

/* One turn: about a stage of bytes. */
static void lane_turn(lane *lane, const sc_lines *lines, const sc_kernels *kernels, char *stage) {
    const sc_plan *plan = lines->plan;
    const sc_plan_dim *last = &plan->dims[plan->ndim - 1];
    const int64_t item = plan->dst_item, chunk = plan->converts ? sc_convert_turn(plan) : STAGE / item;
    const bool filling = lines->kernel == sc_fill_line && !plan->converts && last->size >= chunk;
    int64_t budget = filling ? FILL_TURN / item : chunk, staged = 0;
    while (budget > 0 && lane->left > 0) {
        int64_t n = last->size - lane->at;
        if (n > lane->left) n = lane->left;
        if (n > budget) n = budget;
        const char *src = lane->walk.src + lane->at * last->src;
        if (lines->converts_runs) {
            const char *ahead = bytes_ahead(lane, lines, src);
            for (int64_t k = 0; k < n * plan->src_item; k += 64) __builtin_prefetch(ahead + k);
        }
        if (filling) {
            sc_fill_line(stage, item, src, 0, n < chunk ? n : chunk, item);
            for (int64_t done = 0; done < n; done += chunk)
                sc_lane_put(&lane->out, kernels, stage, (n - done < chunk ? n - done : chunk) * item);
        } else {
            run_kernel(lines, stage + staged * item, item, src, n);
            staged += n;
        }
        budget -= n;
        if (staged && !lines->joined && lane->at + n == last->size) {
            sc_lane_put(&lane->out, kernels, stage, staged * item);
            staged = 0;
        }
        lane_advance(lane, lines, n);
    }
    if (staged) sc_lane_put(&lane->out, kernels, stage, staged * item);
}

void sc_lines_stream(const sc_lines *lines, int64_t begin, int64_t end) {
    const sc_kernels *kernels = sc_kernels_now();
    _Alignas(64) char stage[STAGE];
    lane lanes[LANES];
    const int64_t item = lines->plan->dst_item;
    /* Lanes begin on lines where items and lines permit. */
    int64_t share = (end - begin + LANES - 1) / LANES;
    int64_t misaligned = (int64_t)((uintptr_t)lines->plan->dst & 63);
    if (64 % item == 0 && misaligned % item == 0) share = (share + 63) & ~(int64_t)63;
    int64_t shift = share % 64 == 0 && misaligned % item == 0 ? (64 - misaligned) / item % 64 : 0;
    int64_t bounds[LANES + 1];
    for (int k = 0; k <= LANES; k++) {
        bounds[k] = k == 0 ? begin : k == LANES ? end : begin + k * share + shift;
        if (bounds[k] > end) bounds[k] = end;
    }
    bool more = false;
    for (int k = 0; k < LANES; k++) {
        lanes[k].left = 0;
        if (bounds[k] < bounds[k + 1]) lane_start(&lanes[k], lines, bounds[k], bounds[k + 1]), more = true;
    }
    while (more) {
        more = false;
        for (int k = 0; k < LANES; k++) {
            if (lanes[k].left == 0) continue;
            if (lines->direct) lane_turn_runs(&lanes[k], lines, kernels);
            else if (lines->streamer) lane_turn_lines(&lanes[k], lines, kernels);
            else lane_turn(&lanes[k], lines, kernels, stage);
            if (lanes[k].left == 0) sc_lane_finish(&lanes[k].out);
            else more = true;
        }
    }
    kernels->fence();
}

/* ---- rows whose source is interleaved ------------------------------------------------------------------------ */

/* The outer dim along which the source of rows moves least, if that is not the one along which the destination does:
 *
 *     (B, S, H, D) -> (B, H, S, D)      a destination that takes a row of every H-th place of the source
 *
 * Then one lane for each of some H, and a few rows of S for each lane in turn, read the source as it lies. */
int sc_lines_band(const sc_lines *lines) {
    const sc_plan *plan = lines->plan;
    if ((!lines->direct && !lines->converts_runs) || plan->ndim < 3) return -1;
    int best = plan->ndim - 2;
    for (int d = plan->ndim - 3; d >= 0; d--) {
        uint64_t step = sc_magnitude(plan->dims[d].src);
        if (step != 0 && step < sc_magnitude(plan->dims[best].src)) best = d;
    }
    return best == plan->ndim - 2 || plan->dims[plan->ndim - 1].size * plan->dst_item > LONG_ROW ? -1 : best;
}

/* Units are bands: (outer index, group of BAND_LANES of the dim `across`). */
int64_t sc_lines_band_count(const sc_lines *lines, int across) {
    const sc_plan *plan = lines->plan;
    int64_t groups = (plan->dims[across].size + BAND_LANES - 1) / BAND_LANES;
    return lines->rows / plan->dims[across].size / plan->dims[plan->ndim - 2].size * groups;
}

static void run_band(const sc_lines *lines, const sc_plan_dim *across, char *dst, const char *src, int64_t first,
                     int64_t count, const sc_kernels *kernels) {
    const sc_plan *plan = lines->plan;
    const sc_plan_dim *down = &plan->dims[plan->ndim - 2];
    const int64_t n = plan->dims[plan->ndim - 1].size, nbytes = n * plan->dst_item, src_nbytes = n * plan->src_item;
    const bool joined = down->dst == nbytes;
    _Alignas(64) char stage[LONG_ROW]; /* for a converted row */
    sc_lane lanes[BAND_LANES];
    for (int64_t k = 0; k < count; k++) sc_lane_start(&lanes[k], dst + (first + k) * across->dst);
    for (int64_t row = 0; row < down->size; row += BAND_ROWS) {
        int64_t past = row + BAND_ROWS < down->size ? row + BAND_ROWS : down->size;
        for (int64_t k = 0; k < count; k++) {
            const char *from = src + (first + k) * across->src;
            for (int64_t r = row; r < past; r++) {
                for (int64_t b = 0; b < src_nbytes; b += 64)
                    __builtin_prefetch(from + (r + AHEAD_ROWS) * down->src + b);
                if (!joined) {
                    sc_lane_finish(&lanes[k]);
                    sc_lane_start(&lanes[k], dst + (first + k) * across->dst + r * down->dst);
                }
                const char *row_bytes = from + r * down->src;
                if (plan->converts) {
                    run_kernel(lines, stage, plan->dst_item, row_bytes, n);
                    row_bytes = stage;
                }
                sc_lane_put(&lanes[k], kernels, row_bytes, nbytes);
            }
        }
    }
    for (int64_t k = 0; k < count; k++) sc_lane_finish(&lanes[k]);
}

void sc_lines_stream_bands(const sc_lines *lines, int across, int64_t begin, int64_t end) {
    const sc_kernels *kernels = sc_kernels_now();
    const sc_plan *plan = lines->plan;
    const sc_plan_dim *dim = &plan->dims[across];
    int64_t groups = (dim->size + BAND_LANES - 1) / BAND_LANES;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t outer = unit / groups, first = unit % groups * BAND_LANES;
        char *dst = plan->dst;
        const char *src = plan->src;
        for (int d = plan->ndim - 3; d >= 0; d--) {
            if (d == across) continue;
            dst += outer % plan->dims[d].size * plan->dims[d].dst;
            src += outer % plan->dims[d].size * plan->dims[d].src;
            outer /= plan->dims[d].size;
        }
        run_band(lines, dim, dst, src, first, dim->size - first < BAND_LANES ? dim->size - first : BAND_LANES, kernels);
    }
    kernels->fence();
}
