/* Plans and walks of indexed loops: see loop.h. */
#include "loop.h"

/* Indices whose offsets are computed at a time: a stack array that stays in L1. */
enum { CHUNK = 512 };

static uint64_t magnitude(int64_t value) { return sc_magnitude(value); }

static bool depends(const sc_indexed_loop *loop, int64_t d) {
    for (int64_t k = 0; k < loop->n_indices; k++)
        if (loop->indices[k].byte_strides[d] != 0) return true;
    return false;
}

/* Sort dims by |step of the indexed operand|, largest first, those that compare equal in their order. */
static void sort_free(const sc_indexed_loop *loop, int64_t n, int64_t *dims) {
    for (int64_t i = 1; i < n; i++) {
        int64_t dim = dims[i], j = i;
        for (; j > 0 && magnitude(loop->indexed_strides[dims[j - 1]]) < magnitude(loop->indexed_strides[dim]); j--)
            dims[j] = dims[j - 1];
        dims[j] = dim;
    }
}

static void take_dim(sc_loop_plan *plan, const sc_indexed_loop *loop, int64_t d, bool first_of_group) {
    int64_t size = loop->sizes[d], last = plan->ndim - 1;
    bool merges = !first_of_group && plan->plain_steps[last] == size * loop->plain_strides[d] &&
                  plan->indexed_steps[last] == size * loop->indexed_strides[d];
    for (int64_t k = 0; merges && k < loop->n_indices; k++)
        merges = plan->index_steps[k][last] == size * loop->indices[k].byte_strides[d];
    int64_t to = merges ? last : plan->ndim++;
    plan->sizes[to] = merges ? plan->sizes[to] * size : size;
    plan->plain_steps[to] = loop->plain_strides[d];
    plan->indexed_steps[to] = loop->indexed_strides[d];
    for (int64_t k = 0; k < loop->n_indices; k++) plan->index_steps[k][to] = loop->indices[k].byte_strides[d];
}

void sc_loop_plan_make(sc_loop_plan *plan, const sc_indexed_loop *loop) {
    int64_t outer[SC_MAX_NDIM], kept[SC_MAX_NDIM], inner[SC_MAX_NDIM], n_outer = 0, n_kept = 0, n_inner = 0;
    uint64_t least = UINT64_MAX;
    plan->empty = false;
    for (int64_t k = 0; k < loop->n_indices; k++) {
        uint64_t step = magnitude(loop->indices[k].byte_step);
        if (step < least) least = step;
    }
    for (int64_t d = 0; d < loop->ndim; d++) {
        if (loop->sizes[d] == 0) {
            plan->empty = true;
            return;
        }
        if (loop->sizes[d] == 1) continue;
        if (loop->indexed_strides[d] == 0 || depends(loop, d))
            kept[n_kept++] = d;
        else if (magnitude(loop->indexed_strides[d]) < least)
            inner[n_inner++] = d;
        else
            outer[n_outer++] = d;
    }
    sort_free(loop, n_outer, outer);
    sort_free(loop, n_inner, inner);
    plan->item = loop->item;
    plan->plain = loop->plain, plan->indexed = loop->indexed;
    plan->n_indices = loop->n_indices, plan->indices = loop->indices;
    plan->ndim = 0;
    for (int64_t i = 0; i < n_outer; i++) take_dim(plan, loop, outer[i], i == 0);
    for (int64_t i = 0; i < n_kept; i++) take_dim(plan, loop, kept[i], i == 0);
    if (n_kept == 0) { /* one index for all: a dim of size 1 holds its place */
        int64_t d = plan->ndim++;
        plan->sizes[d] = 1, plan->plain_steps[d] = plan->indexed_steps[d] = 0;
        for (int64_t k = 0; k < loop->n_indices; k++) plan->index_steps[k][d] = 0;
    }
    plan->chunk_dim = plan->ndim - 1;
    for (int64_t i = 0; i < n_inner; i++) take_dim(plan, loop, inner[i], i == 0);
}

/* The valid range is tested without a branch an item: the compiler vectorises the loops. */
#define ADD_OFFSETS(T)                                                                     \
    T read;                                                                                \
    for (int64_t i = 0; i < n; i++) {                                                      \
        memcpy(&read, data + i * step, sizeof read);                                       \
        int64_t at = read;                                                                 \
        at += (at >> 63) & wrap;                                                           \
        bad |= (uint64_t)at >= (uint64_t)size;                                             \
        offsets[i] = (int64_t)((uint64_t)offsets[i] + (uint64_t)at * (uint64_t)byte_step); \
    }                                                                                      \
    if (!bad) return n;                                                                    \
    for (int64_t i = 0; i < n; i++) {                                                      \
        memcpy(&read, data + i * step, sizeof read);                                       \
        int64_t at = read;                                                                 \
        at += (at >> 63) & wrap;                                                           \
        *value = read;                                                                     \
        if ((uint64_t)at >= (uint64_t)size) return i;                                      \
    }                                                                                      \
    return 0; /* it was invalid a moment ago */

int64_t sc_add_offsets(const sc_index *index, const char *data, int64_t step, int64_t n, int64_t *offsets,
                       int64_t *value) {
    int64_t size = index->size, wrap = index->wraps ? size : 0, byte_step = index->byte_step;
    bool bad = false;
    if (index->is_int32) {
        ADD_OFFSETS(int32_t)
    }
    ADD_OFFSETS(int64_t)
}

static void run_inner(const sc_loop_plan *plan, int64_t d, char *plain, char *indexed, sc_line_fn line) {
    if (d == plan->ndim - 1) {
        line(plain, plan->plain_steps[d], indexed, plan->indexed_steps[d], plan->sizes[d], plan->item);
        return;
    }
    for (int64_t i = 0; i < plan->sizes[d]; i++)
        run_inner(plan, d + 1, plain + i * plan->plain_steps[d], indexed + i * plan->indexed_steps[d], line);
}

/* One pass over the chunk dim. */
static bool run_chunks(const sc_loop_plan *plan, char *plain, char *indexed, const char *const *index_data,
                       sc_items_fn items, sc_line_fn line, sc_bad_index *bad) {
    int64_t offsets[CHUNK], d = plan->chunk_dim, size = plan->sizes[d];
    int64_t plain_step = plan->plain_steps[d], indexed_step = plan->indexed_steps[d];
    for (int64_t start = 0; start < size; start += CHUNK) {
        int64_t n = size - start < CHUNK ? size - start : CHUNK;
        for (int64_t i = 0; i < n; i++) offsets[i] = (start + i) * indexed_step;
        for (int64_t k = 0; k < plan->n_indices; k++) {
            int64_t step = plan->index_steps[k][d];
            if (sc_add_offsets(&plan->indices[k], index_data[k] + start * step, step, n, offsets, &bad->value) < n) {
                bad->which = k;
                return false;
            }
        }
        char *to = plain + start * plain_step;
        if (d == plan->ndim - 1) {
            items(to, plain_step, indexed, offsets, n, plan->item);
            continue;
        }
        for (int64_t i = 0; i < n; i++) run_inner(plan, d + 1, to + i * plain_step, indexed + offsets[i], line);
    }
    return true;
}

bool sc_loop_run(const sc_loop_plan *plan, sc_items_fn items, sc_line_fn line, sc_bad_index *bad) {
    const char *index_data[SC_MAX_NDIM];
    int64_t at[SC_MAX_NDIM + 1];
    char *plain = plan->plain, *indexed = plan->indexed;
    if (plan->empty) return true;
    for (int64_t k = 0; k < plan->n_indices; k++) index_data[k] = plan->indices[k].data;
    for (int64_t d = 0; d < plan->chunk_dim; d++) at[d] = 0;
    for (;;) {
        if (!run_chunks(plan, plain, indexed, index_data, items, line, bad)) return false;
        int64_t d = plan->chunk_dim - 1;
        for (; d >= 0; d--) {
            bool ends = ++at[d] == plan->sizes[d];
            int64_t steps = ends ? 1 - plan->sizes[d] : 1;
            plain += steps * plan->plain_steps[d];
            indexed += steps * plan->indexed_steps[d];
            for (int64_t k = 0; k < plan->n_indices; k++) index_data[k] += steps * plan->index_steps[k][d];
            if (!ends) break;
            at[d] = 0;
        }
        if (d < 0) return true;
    }
}

/* ---- checking ------------------------------------------------------------------------------ */

static bool check_index(int64_t ndim, const int64_t *sizes, const sc_index *index, const char *data,
                        sc_bad_index *bad) {
    while (ndim > 0 && index->byte_strides[ndim - 1] == 0) ndim--; /* it does not depend on these */
    if (ndim == 0) {
        int64_t offset = 0;
        return sc_add_offsets(index, data, 0, 1, &offset, &bad->value) == 1;
    }
    int64_t dims[SC_MAX_NDIM], at[SC_MAX_NDIM], n_dims = 0, last = ndim - 1, offsets[CHUNK];
    for (int64_t d = 0; d < last; d++)
        if (index->byte_strides[d] != 0) dims[n_dims] = d, at[n_dims++] = 0;
    for (;;) {
        for (int64_t start = 0; start < sizes[last]; start += CHUNK) {
            int64_t n = sizes[last] - start < CHUNK ? sizes[last] - start : CHUNK, step = index->byte_strides[last];
            memset(offsets, 0, sizeof offsets);
            if (sc_add_offsets(index, data + start * step, step, n, offsets, &bad->value) < n) return false;
        }
        int64_t i = n_dims - 1;
        for (; i >= 0; i--) {
            int64_t d = dims[i];
            bool ends = ++at[i] == sizes[d];
            data += (ends ? 1 - sizes[d] : 1) * index->byte_strides[d];
            if (!ends) break;
            at[i] = 0;
        }
        if (i < 0) return true;
    }
}

bool sc_check_indices(int64_t ndim, const int64_t *sizes, int64_t n_indices, const sc_index *indices,
                      sc_bad_index *bad) {
    for (int64_t d = 0; d < ndim; d++)
        if (sizes[d] == 0) return true;
    for (int64_t k = 0; k < n_indices; k++) {
        bad->which = k;
        if (!check_index(ndim, sizes, &indices[k], indices[k].data, bad)) return false;
    }
    return true;
}
