/* Walks over masks: see mask_walk.h. */
#include "mask_walk.h"

#include <string.h>

#include "copy/kernels.h"
#include "parallel.h"

bool sc_mask_shape_make(sc_mask_shape *shape, int64_t ndim, const int64_t *sizes, int operands, char *const *data,
                        const int64_t *const *strides, int order) {
    int64_t *steps[SC_MASK_OPERANDS], dims[SC_MAX_NDIM];
    shape->numel = 1;
    for (int64_t d = 0; d < ndim; d++) {
        if (sizes[d] == 0) return false;
        shape->numel *= sizes[d];
        int64_t at = d;
        if (order >= 0)
            for (; at > 0 && sc_magnitude(strides[order][dims[at - 1]]) < sc_magnitude(strides[order][d]); at--)
                dims[at] = dims[at - 1];
        dims[at] = d;
    }
    for (int64_t i = 0; i < ndim; i++) {
        shape->sizes[i] = sizes[dims[i]];
        for (int k = 0; k < operands; k++) shape->steps[k][i] = strides[k][dims[i]];
    }
    for (int k = 0; k < operands; k++) steps[k] = shape->steps[k], shape->data[k] = data[k];
    shape->operands = operands;
    if (order != SC_MASK_DIMS_KEPT) ndim = sc_coalesce(ndim, shape->sizes, operands, steps);
    shape->n = ndim > 0 ? shape->sizes[ndim - 1] : 1;
    for (int k = 0; k < operands; k++) shape->step[k] = ndim > 0 ? shape->steps[k][ndim - 1] : 0;
    shape->ndim = ndim > 0 ? ndim - 1 : 0;
    return true;
}

void sc_mask_walk_start(sc_mask_walk *walk, const sc_mask_shape *shape, int64_t begin, int64_t end) {
    int64_t rest = begin / shape->n;
    walk->shape = shape;
    walk->left = end - begin;
    walk->in_row = begin % shape->n;
    walk->n = 0;
    memcpy(walk->row, shape->data, sizeof walk->row);
    for (int64_t d = shape->ndim - 1; d >= 0; d--) {
        walk->at[d] = rest % shape->sizes[d];
        rest /= shape->sizes[d];
        for (int k = 0; k < shape->operands; k++) walk->row[k] += walk->at[d] * shape->steps[k][d];
    }
}

static void next_row(sc_mask_walk *walk) {
    const sc_mask_shape *shape = walk->shape;
    walk->in_row = 0;
    for (int64_t d = shape->ndim - 1; d >= 0; d--) {
        bool ends = ++walk->at[d] == shape->sizes[d];
        for (int k = 0; k < shape->operands; k++)
            walk->row[k] += (ends ? 1 - shape->sizes[d] : 1) * shape->steps[k][d];
        if (!ends) return;
        walk->at[d] = 0;
    }
}

bool sc_mask_walk_next(sc_mask_walk *walk) {
    const sc_mask_shape *shape = walk->shape;
    if (walk->left == 0) return false;
    if (walk->in_row == shape->n) next_row(walk);
    int64_t n = shape->n - walk->in_row;
    if (n > SC_MASK_BLOCK) n = SC_MASK_BLOCK;
    if (n > walk->left) n = walk->left;
    for (int k = 0; k < shape->operands; k++) walk->block[k] = walk->row[k] + walk->in_row * shape->step[k];
    walk->n = n;
    walk->in_row += n;
    walk->left -= n;
    return true;
}

const char *sc_mask_run(const char *data, int64_t step, int64_t n, int64_t item, char *room) {
    if (step == item) return data;
    sc_strided_kernel(item, item, step)(room, item, data, step, n, item);
    return room;
}

void sc_mask_words(const sc_mask_walk *walk, uint64_t *words) {
    char room[SC_MASK_BLOCK];
    const char *mask = walk->block[0];
    int64_t step = walk->shape->step[0];
    if (step == 0) mask = memset(room, *mask, (size_t)walk->n);
    else mask = sc_mask_run(mask, step, walk->n, 1, room);
    sc_kernels_now()->gather.bits(mask, walk->n, words);
}

int64_t sc_mask_parts(int64_t numel, int64_t nbytes) {
    int64_t threads, parts;
    if (nbytes < sc_thread_nbytes() || (threads = sc_get_num_threads()) < 2) return 1;
    parts = numel / SC_MASK_BLOCK;
    return parts > 4 * threads ? 4 * threads : parts < 1 ? 1 : parts;
}

int64_t sc_mask_part_begin(int64_t numel, int64_t parts, int64_t part) {
    return part == parts ? numel : numel / parts * part / SC_MASK_BLOCK * SC_MASK_BLOCK;
}
