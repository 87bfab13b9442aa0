/* Running the plan of an indexed loop: chunk after chunk, straight or past the cache, on one thread or on several. */
#include <stdlib.h>
#include <string.h>

#include "copy/kernels.h"
#include "copy/stream.h"
#include "loop.h"
#include "parallel.h"
#include "rows.h"

/* Offsets are computed for CHUNK places at a time, and for some more that are only asked for in advance. Results
 * that are streamed are put together in STAGE bytes first. */
enum { CHUNK = 480, AHEAD = SC_ROWS_AHEAD, STAGE = 4096, MOST_SPAN = 1 << 20, MOST_TABLE = 1 << 22 };

typedef struct runner {
    const sc_loop_plan *plan;
    const sc_loop_work *work;
    const sc_kernels *kernels;
    bool in_rows;        /* the dim after the chunk dim is the last one and a run on both sides */
    int64_t place_nbytes; /* that plain gets for a place of the chunk dim, if they follow each other; else 0 */
    bool staged, picks; /* picks: items that follow each other, by one index tensor that is a run and nothing else */
    int64_t span;        /* bytes of the indexed operand that a pass reads all over, so that the next pass's are worth
                            asking for in order; else 0 */
    int32_t *table;      /* picks: the offsets of all indices of a pass, where many passes use the same; else NULL */
    sc_lane lane;
    _Alignas(64) char stage[STAGE];
} runner;

/* What a pass over the chunk dim reads: small enough for the second-level cache, and not much less than all of it. */
static int64_t span_of(const sc_loop_plan *plan, const sc_loop_work *work) {
    int64_t d = plan->chunk_dim, span;
    if (!work->reads || plan->n_indices != 1 || d != plan->ndim - 1 || d == 0 || plan->indexed_steps[d] != 0) return 0;
    if (plan->indices->byte_step != plan->item || !sc_mul(plan->indices->size, plan->item, &span)) return 0;
    return span <= MOST_SPAN && plan->sizes[d] >= span / 64 ? span : 0;
}

static void runner_make(runner *r, const sc_loop_plan *plan, const sc_loop_work *work, bool stream) {
    int64_t d = plan->chunk_dim;
    r->plan = plan, r->work = work, r->kernels = sc_kernels_now();
    r->in_rows = work->rows && d == plan->ndim - 2 && plan->plain_steps[d + 1] == plan->item &&
                 plan->indexed_steps[d + 1] == plan->item;
    r->place_nbytes = 0;
    if (d == plan->ndim - 1 && plan->plain_steps[d] == plan->item) r->place_nbytes = plan->item;
    if (r->in_rows && plan->plain_steps[d] == plan->sizes[d + 1] * plan->item)
        r->place_nbytes = plan->sizes[d + 1] * plan->item;
    if (r->place_nbytes == 0) r->in_rows = false;
    r->span = span_of(plan, work);
    r->picks = work->reads && d == plan->ndim - 1 && r->place_nbytes > 0 && plan->n_indices == 1 &&
               plan->indexed_steps[d] == 0 && plan->index_steps[0][d] == (plan->indices->is_int32 ? 4 : 8);
    r->staged = stream && work->reads && r->place_nbytes > 0 && r->place_nbytes <= STAGE &&
                plan->sizes[d] >= STAGE / r->place_nbytes;
}

static void run_inner(const runner *r, int64_t d, char *plain, char *indexed) {
    const sc_loop_plan *plan = r->plan;
    if (d == plan->ndim - 1) {
        r->work->line(plain, plan->plain_steps[d], indexed, plan->indexed_steps[d], plan->sizes[d], plan->item);
        return;
    }
    for (int64_t i = 0; i < plan->sizes[d]; i++)
        run_inner(r, d + 1, plain + i * plan->plain_steps[d], indexed + i * plan->indexed_steps[d]);
}

/* n places whose offsets are known, into plain. */
static void run_places(const runner *r, sc_rows_kernel rows, char *plain, char *indexed, const int64_t *offsets,
                       int64_t n, int64_t known) {
    const sc_loop_plan *plan = r->plan;
    int64_t d = plan->chunk_dim, step = r->place_nbytes ? r->place_nbytes : plan->plain_steps[d];
    if (r->in_rows) rows(plain, indexed, offsets, n, known, r->place_nbytes);
    else if (d == plan->ndim - 1) r->work->items(plain, step, indexed, offsets, n, plan->item);
    else
        for (int64_t i = 0; i < n; i++) {
            if (i + 4 < known) __builtin_prefetch(indexed + offsets[i + 4]);
            run_inner(r, d + 1, plain + i * step, indexed + offsets[i]);
        }
}

/* The same past the cache, where plain is a run. */
static void stream_places(runner *r, char *plain, char *indexed, const int64_t *offsets, int64_t n, int64_t known) {
    if (r->in_rows && (((uintptr_t)plain | (uintptr_t)r->place_nbytes) & 31) == 0) {
        r->kernels->gather.stream_rows(plain, indexed, offsets, n, known, r->place_nbytes);
        return;
    }
    int64_t at_once = STAGE / r->place_nbytes;
    for (int64_t i = 0; i < n; i += at_once) {
        int64_t now = n - i < at_once ? n - i : at_once;
        run_places(r, r->work->rows, r->stage, indexed, offsets + i, now, known - i);
        sc_lane_put(&r->lane, r->kernels, r->stage, now * r->place_nbytes);
    }
}

/* Ask for what the next pass reads, as far as this one has come. */
static void ask_for_next(const runner *r, const char *next, int64_t *asked, int64_t done) {
    if (!r->span || !next) return;
    int64_t end = (int64_t)((double)r->span / (double)r->plan->sizes[r->plan->chunk_dim] * (double)done);
    for (; *asked < end; *asked += 64) __builtin_prefetch(next + *asked, 0, 2);
}

/* The number of the first invalid index of a pass over the chunk dim, and its value. */
static void find_invalid(const sc_loop_plan *plan, const char *data, sc_bad_index *bad) {
    int64_t offsets[CHUNK] = {0}, d = plan->chunk_dim, step = plan->index_steps[0][d], size = plan->sizes[d];
    bad->which = 0;
    for (int64_t start = 0; start < size; start += CHUNK) {
        int64_t n = size - start < CHUNK ? size - start : CHUNK;
        if (sc_add_offsets(plan->indices, data + start * step, step, n, offsets, &bad->value) < n) return;
    }
}

/* Indices that are the same for many passes are read and checked once: a table of their offsets, which all passes take.
 * NULL where it does not pay or memory is short; *valid says whether all indices are. */
static int32_t *table_of(const runner *r, bool *valid, sc_bad_index *bad) {
    const sc_loop_plan *plan = r->plan;
    const sc_index *index = plan->indices;
    int64_t d = plan->chunk_dim, size = plan->sizes[d], passes = 1, reach, offsets[CHUNK];
    int32_t *table;
    *valid = true;
    if (!r->picks || size < CHUNK || size > MOST_TABLE) return NULL;
    for (int64_t i = 0; i < d; i++) {
        if (plan->index_steps[0][i] != 0) return NULL;
        passes *= plan->sizes[i];
    }
    if (passes < 4 || !sc_mul(index->size, index->byte_step, &reach) || reach > INT32_MAX || reach < INT32_MIN)
        return NULL;
    table = malloc((size_t)size * sizeof *table);
    for (int64_t start = 0, n; table && *valid && start < size; start += n) {
        n = size - start < CHUNK ? size - start : CHUNK;
        memset(offsets, 0, sizeof offsets);
        *valid = sc_add_offsets(index, index->data + start * (index->is_int32 ? 4 : 8), plan->index_steps[0][d], n,
                                offsets, &bad->value) == n;
        for (int64_t i = 0; i < n; i++) table[start + i] = (int32_t)offsets[i];
    }
    bad->which = 0;
    return table;
}

/* One pass over the chunk dim where items follow each other, and so do the indices. */
static bool run_picks(runner *r, char *plain, char *indexed, const char *next, const char *data, sc_bad_index *bad) {
    const sc_loop_plan *plan = r->plan;
    int64_t item = plan->item, size = plan->sizes[plan->chunk_dim], width = plan->indices->is_int32 ? 4 : 8, asked = 0;
    bool valid = plan->indices->size > 0;
    sc_pick_kernel pick = r->kernels->gather.pick[sc_item_code(item)];
    if (r->staged) sc_lane_start(&r->lane, plain);
    for (int64_t start = 0, n; valid && start < size; start += n) {
        n = size - start < STAGE / item ? size - start : STAGE / item;
        char *to = r->staged ? r->stage : plain + start * item;
        if (r->table) r->kernels->gather.take_short[sc_item_code(item)](to, indexed, r->table + start, n);
        else valid = pick(to, indexed, plan->indices, data + start * width, n);
        if (r->staged) sc_lane_put(&r->lane, r->kernels, r->stage, n * item);
        ask_for_next(r, next, &asked, start + n);
    }
    if (r->staged) sc_lane_finish(&r->lane);
    if (!valid) find_invalid(plan, data, bad);
    return valid;
}

/* One pass over the chunk dim. Offsets of the next places are kept from chunk to chunk:
 *
 *     [ places that are run now | AHEAD ]      [ AHEAD, moved to the front | computed next ... ]
 *
 * Meanwhile the next pass's span, which begins at `next`, is asked for. */
static bool run_chunks(runner *r, char *plain, char *indexed, const char *next, const char *const *index_data,
                       sc_bad_index *bad) {
    const sc_loop_plan *plan = r->plan;
    int64_t offsets[CHUNK + AHEAD], d = plan->chunk_dim, size = plan->sizes[d];
    int64_t plain_step = plan->plain_steps[d], indexed_step = plan->indexed_steps[d], held = 0, computed = 0, asked = 0;
    if (r->picks) return run_picks(r, plain, indexed, next, index_data[0], bad);
    if (r->staged) sc_lane_start(&r->lane, plain);
    while (computed < size || held > 0) {
        int64_t n = CHUNK + AHEAD - held;
        if (n > size - computed) n = size - computed;
        for (int64_t i = 0; i < n; i++) offsets[held + i] = (computed + i) * indexed_step;
        for (int64_t k = 0; k < plan->n_indices; k++) {
            int64_t step = plan->index_steps[k][d];
            if (sc_add_offsets(&plan->indices[k], index_data[k] + computed * step, step, n, offsets + held,
                               &bad->value) < n) {
                bad->which = k;
                return false;
            }
        }
        computed += n, held += n;
        int64_t now = computed == size ? held : held - AHEAD;
        char *to = plain + (computed - held) * plain_step;
        if (r->staged) stream_places(r, to, indexed, offsets, now, held);
        else run_places(r, r->work->rows, to, indexed, offsets, now, held);
        ask_for_next(r, next, &asked, computed);
        held -= now;
        if (held) memmove(offsets, offsets + now, (size_t)held * sizeof *offsets);
    }
    if (r->staged) sc_lane_finish(&r->lane);
    return true;
}

static bool run_alone(const sc_loop_plan *plan, const sc_loop_work *work, bool stream, sc_bad_index *bad) {
    const char *index_data[SC_MAX_NDIM];
    int64_t at[SC_MAX_NDIM + 1];
    char *plain = plan->plain, *indexed = plan->indexed;
    runner r;
    bool valid;
    runner_make(&r, plan, work, stream);
    r.table = table_of(&r, &valid, bad);
    for (int64_t k = 0; k < plan->n_indices; k++) index_data[k] = plan->indices[k].data;
    for (int64_t d = 0; d < plan->chunk_dim; d++) at[d] = 0;
    while (valid) {
        int64_t d = plan->chunk_dim - 1;
        bool last = d < 0 || at[d] + 1 == plan->sizes[d];
        valid = run_chunks(&r, plain, indexed, last ? NULL : indexed + plan->indexed_steps[d], index_data, bad);
        for (; d >= 0; d--) {
            bool ends = ++at[d] == plan->sizes[d];
            int64_t steps = ends ? 1 - plan->sizes[d] : 1;
            plain += steps * plan->plain_steps[d];
            indexed += steps * plan->indexed_steps[d];
            for (int64_t k = 0; k < plan->n_indices; k++) index_data[k] += steps * plan->index_steps[k][d];
            if (!ends) break;
            at[d] = 0;
        }
        if (d < 0) break;
    }
    if (r.staged) r.kernels->fence();
    free(r.table);
    return valid;
}

/* ---- threads ------------------------------------------------------------------------------- */

/* A plan is cut along one dim into parts, which are plans as well. */
typedef struct parts {
    const sc_loop_plan *plan;
    const sc_loop_work *work;
    int64_t dim, count;
    bool stream, invalid; /* invalid is written atomically */
} parts;

static void run_part(int64_t task, void *context) {
    parts *p = context;
    sc_loop_plan part;
    sc_index indices[SC_MAX_NDIM];
    sc_bad_index bad;
    int64_t size = p->plan->sizes[p->dim], begin = size / p->count * task, end = begin + size / p->count;
    if (task == p->count - 1) end = size;
    sc_loop_plan_part(&part, indices, p->plan, p->dim, begin, end);
    if (!run_alone(&part, p->work, p->stream, &bad)) __atomic_store_n(&p->invalid, true, __ATOMIC_RELAXED);
}

/* The dim to cut. Reads may be cut anywhere, but not rows; writes along free dims, whose iterations touch different
 * elements: each part then sees all indices in their order. */
static int64_t dim_to_cut(const sc_loop_plan *plan, const sc_loop_work *work, int64_t threads) {
    int64_t longest = -1;
    for (int64_t d = 0; d < plan->ndim; d++) {
        bool may = work->reads ? d <= plan->chunk_dim : d < plan->n_outer || d > plan->chunk_dim;
        if (!may || plan->sizes[d] < 2 * threads) continue;
        if (longest < 0 || plan->sizes[d] > 4 * plan->sizes[longest]) longest = d;
    }
    return longest;
}

bool sc_loop_run(const sc_loop_plan *plan, const sc_loop_work *work, sc_bad_index *bad) {
    if (plan->empty) return true;
    int64_t nbytes = plan->item, threads;
    for (int64_t d = 0; d < plan->ndim; d++)
        if (!sc_mul(nbytes, plan->sizes[d], &nbytes)) nbytes = INT64_MAX;
    bool stream = sc_is_streamed(nbytes);
    if (nbytes < sc_thread_nbytes() || (threads = sc_get_num_threads()) < 2)
        return run_alone(plan, work, stream, bad);
    parts p = {plan, work, dim_to_cut(plan, work, threads), 4 * threads, stream, false};
    if (p.dim < 0) return run_alone(plan, work, stream, bad);
    if (p.count > plan->sizes[p.dim]) p.count = plan->sizes[p.dim];
    if (!work->reads && p.dim > plan->chunk_dim) p.count = threads; /* every part reads all indices */
    sc_parallel_for(p.count, run_part, &p);
    return !p.invalid || run_alone(plan, work, stream, bad); /* which finds the first invalid one */
}
