/* Layouts for the copy tests: a permutation, a gap and a sign for each dim, in a buffer with room around it. */
#ifndef STRIDECORE_TESTS_LAYOUTS_H
#define STRIDECORE_TESTS_LAYOUTS_H

#include "check.h"
#include "stridecore.h"

#define GUARD 96 /* bytes around the reach of a layout */

typedef struct layout {
    int ndim;
    int64_t sizes[8], strides[8]; /* in bytes */
    char *buffer;                 /* made by make_layout */
    int64_t buffer_nbytes, start; /* of the first element */
} layout;

static const sc_dtype ITEM_DTYPES[] = {SC_UINT8, SC_INT16, SC_FLOAT32, SC_INT64, SC_COMPLEX128};

/* dims order[ndim-1] innermost; gaps[d] = k spreads dim d to k times its extent, negative turns it, 0 expands it. */
static void make_layout(layout *l, int ndim, const int64_t *sizes, const int *order, const int *gaps, int64_t itemsize,
                        int misalign) {
    int64_t step = itemsize, lowest, highest;
    l->ndim = ndim;
    for (int i = ndim - 1; i >= 0; i--) {
        int d = order[i], gap = gaps[d] < 0 ? -gaps[d] : gaps[d];
        l->sizes[d] = sizes[d];
        step *= gap > 1 ? gap : 1;
        l->strides[d] = gaps[d] == 0 ? 0 : gaps[d] < 0 ? -step : step;
        if (gaps[d] != 0) step *= sizes[d] > 1 ? sizes[d] : 1;
    }
    CHECK(sc_reach(ndim, l->sizes, l->strides, &lowest, &highest));
    l->start = GUARD - lowest;
    l->buffer_nbytes = highest - lowest + itemsize + 2 * GUARD + misalign;
    l->buffer = malloc((size_t)l->buffer_nbytes);
    CHECK(l->buffer);
    l->start += misalign;
}

static void fill_layout(layout *l, rng *r) { rng_fill(r, l->buffer, (size_t)l->buffer_nbytes); }

static sc_operand operand(const layout *l, sc_dtype dtype) {
    return (sc_operand){l->buffer + l->start, l->strides, dtype, 0};
}

static int64_t layout_numel(const layout *l) {
    int64_t numel = 1;
    for (int d = 0; d < l->ndim; d++) numel *= l->sizes[d];
    return numel;
}

/* The oracle: element by element into `expected` (an image of the destination's buffer), from `from` (an image of the
 * source's). */
static void expect_copy(char *expected, const layout *dst, const char *from, const layout *src, int64_t itemsize) {
    int64_t index[8] = {0}, to = dst->start, at = src->start;
    for (int64_t left = layout_numel(dst); left > 0; left--) {
        memcpy(expected + to, from + at, (size_t)itemsize);
        for (int d = dst->ndim - 1; d >= 0; d--) {
            to += dst->strides[d], at += src->strides[d];
            if (++index[d] < dst->sizes[d]) break;
            to -= dst->strides[d] * dst->sizes[d], at -= src->strides[d] * dst->sizes[d];
            index[d] = 0;
        }
    }
}

static void describe(const layout *l, const char *name) {
    fprintf(stderr, "%s: sizes (", name);
    for (int d = 0; d < l->ndim; d++) fprintf(stderr, "%lld ", (long long)l->sizes[d]);
    fprintf(stderr, ") byte strides (");
    for (int d = 0; d < l->ndim; d++) fprintf(stderr, "%lld ", (long long)l->strides[d]);
    fprintf(stderr, ")\n");
}

/* Copy between two fresh buffers and compare the whole of both with the oracle, guard bytes included. */
static inline void check_copy(int ndim, const int64_t *sizes, const int *dst_order, const int *dst_gaps, int dst_misalign,
                       const int *src_order, const int *src_gaps, int src_misalign, int item_code, rng *r) {
    sc_dtype dtype = ITEM_DTYPES[item_code];
    int64_t itemsize = sc_itemsize(dtype);
    layout dst, src;
    make_layout(&dst, ndim, sizes, dst_order, dst_gaps, itemsize, dst_misalign);
    make_layout(&src, ndim, sizes, src_order, src_gaps, itemsize, src_misalign);
    fill_layout(&dst, r);
    fill_layout(&src, r);
    char *expected = malloc((size_t)dst.buffer_nbytes), *before = malloc((size_t)src.buffer_nbytes);
    memcpy(expected, dst.buffer, (size_t)dst.buffer_nbytes);
    memcpy(before, src.buffer, (size_t)src.buffer_nbytes);
    expect_copy(expected, &dst, before, &src, itemsize);
    sc_operand to = operand(&dst, dtype), from = operand(&src, dtype);
    sc_status status = sc_copy(ndim, dst.sizes, &to, &from);
    if (status != SC_OK || memcmp(expected, dst.buffer, (size_t)dst.buffer_nbytes) ||
        memcmp(before, src.buffer, (size_t)src.buffer_nbytes)) {
        describe(&dst, "dst");
        describe(&src, "src");
        int64_t at = 0;
        while (at < dst.buffer_nbytes && expected[at] == dst.buffer[at]) at++;
        CHECK(0, "status %d, item size %d, misaligned %d and %d, first wrong byte %lld of %lld", status, (int)itemsize,
              dst_misalign, src_misalign, (long long)(at - dst.start), (long long)dst.buffer_nbytes);
    }
    free(expected), free(before), free(dst.buffer), free(src.buffer);
}

/* The k-th permutation of n numbers (k < n!). */
static inline void permutation(int n, int k, int *order) {
    int left[8];
    for (int i = 0; i < n; i++) left[i] = i;
    for (int i = n; i > 0; i--) {
        int pick = k % i;
        k /= i;
        order[n - i] = left[pick];
        memmove(left + pick, left + pick + 1, (size_t)(i - pick - 1) * sizeof(int));
    }
}

#endif
