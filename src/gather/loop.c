/* Plans of indexed loops, and checks of indices: see loop.h. */
#include "loop.h"

#include <stddef.h>
#include <string.h>

#include "cpu.h"

/* Indices that are checked at a time: a stack array that stays in L1. */
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

/* A row of 2, 4, 8 or 16 bytes, a run on both sides, becomes an item. */
static void widen(sc_loop_plan *plan) {
    int64_t d = plan->ndim - 1, item = plan->item;
    if (d == plan->chunk_dim || plan->plain_steps[d] != item || plan->indexed_steps[d] != item) return;
    if (plan->sizes[d] > 16 / item || (plan->sizes[d] & (plan->sizes[d] - 1)) != 0) return;
    plan->item *= plan->sizes[d];
    plan->ndim--;
}

void sc_loop_plan_make(sc_loop_plan *plan, const sc_indexed_loop *loop, bool widens) {
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
    plan->n_outer = plan->ndim;
    for (int64_t i = 0; i < n_kept; i++) take_dim(plan, loop, kept[i], i == 0);
    if (n_kept == 0) { /* one index for all: a dim of size 1 holds its place */
        int64_t d = plan->ndim++;
        plan->sizes[d] = 1, plan->plain_steps[d] = plan->indexed_steps[d] = 0;
        for (int64_t k = 0; k < loop->n_indices; k++) plan->index_steps[k][d] = 0;
    }
    plan->chunk_dim = plan->ndim - 1;
    for (int64_t i = 0; i < n_inner; i++) take_dim(plan, loop, inner[i], i == 0);
    if (widens) widen(plan);
}

void sc_loop_plan_part(sc_loop_plan *part, sc_index *indices, const sc_loop_plan *plan, int64_t dim, int64_t begin,
                       int64_t end) {
    memcpy(part, plan, offsetof(sc_loop_plan, index_steps));
    part->sizes[dim] = end - begin;
    part->plain += begin * plan->plain_steps[dim];
    part->indexed += begin * plan->indexed_steps[dim];
    part->indices = indices;
    for (int64_t k = 0; k < plan->n_indices; k++) {
        memcpy(part->index_steps[k], plan->index_steps[k], (size_t)plan->ndim * sizeof(int64_t));
        indices[k] = plan->indices[k];
        indices[k].data += begin * plan->index_steps[k][dim];
    }
}

/* ---- offsets ------------------------------------------------------------------------------- */

int64_t sc_add_offsets(const sc_index *index, const char *data, int64_t step, int64_t n, int64_t *offsets,
                       int64_t *value) {
    int64_t width = index->is_int32 ? 4 : 8, packed[CHUNK]; /* n <= CHUNK */
    const char *from = data;
    if (step != width && n > 1) {
        if (index->is_int32)
            for (int64_t i = 0; i < n; i++) memcpy((char *)packed + i * 4, data + i * step, 4);
        else
            for (int64_t i = 0; i < n; i++) memcpy(packed + i, data + i * step, 8);
        from = (const char *)packed;
    }
    if (sc_kernels_now()->gather.offsets(index, from, n, offsets)) return n;
    for (int64_t i = 0; i < n; i++) {
        int32_t narrow;
        int64_t at;
        if (index->is_int32) memcpy(&narrow, from + i * 4, 4), at = narrow;
        else memcpy(&at, from + i * 8, 8);
        *value = at;
        if (index->wraps && at < 0) at += index->size;
        if (at < 0 || at >= index->size) return i;
    }
    return 0; /* it was invalid a moment ago */
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
