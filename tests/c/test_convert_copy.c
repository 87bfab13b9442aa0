/* Copies that convert, at each CPU level, through the cache and past it: runs, rows, planes, sweeps and strided sources
 * of random layouts, against one element after the other; nothing else may change. */
#include "convert.h"
#include "copy/kernels.h"
#include "cpu.h"
#include "layouts.h"

static const int64_t SIZES[] = {1,  2,  3,  4,  5,  7,  8,   9,   15,  16,  17, 31,
                                32, 33, 63, 64, 65, 127, 129, 255, 256, 257, 300};
#define NUM_SIZES ((int64_t)(sizeof SIZES / sizeof *SIZES))

static void oracle(char *expected, const layout *dst, const sc_operand *to, const char *from, const layout *src,
                   const sc_operand *source) {
    int64_t index[8] = {0}, at = dst->start, read = src->start;
    for (int64_t left = layout_numel(dst); left > 0; left--) {
        sc_convert_row(to->dtype, expected + at, 0, source->dtype, from + read, 0, 1, to->bits ^ source->bits);
        for (int d = dst->ndim - 1; d >= 0; d--) {
            at += dst->strides[d], read += src->strides[d];
            if (++index[d] < dst->sizes[d]) break;
            at -= dst->strides[d] * dst->sizes[d], read -= src->strides[d] * dst->sizes[d];
            index[d] = 0;
        }
    }
}

static void check_converting(layout *dst, sc_dtype dst_dtype, layout *src, sc_dtype src_dtype, rng *r) {
    fill_layout(dst, r);
    fill_layout(src, r);
    char *expected = malloc((size_t)dst->buffer_nbytes);
    CHECK(expected);
    memcpy(expected, dst->buffer, (size_t)dst->buffer_nbytes);
    sc_operand to = operand(dst, dst_dtype), from = operand(src, src_dtype);
    to.bits = rng_below(r, 4) ? 0 : (uint32_t)rng_below(r, 4);
    from.bits = rng_below(r, 4) ? 0 : (uint32_t)rng_below(r, 4);
    oracle(expected, dst, &to, src->buffer, src, &from);
    CHECK(sc_copy(dst->ndim, dst->sizes, &to, &from) == SC_OK);
    if (memcmp(dst->buffer, expected, (size_t)dst->buffer_nbytes) != 0) {
        int64_t at = 0;
        while (dst->buffer[at] == expected[at]) at++;
        for (int d = 0; d < dst->ndim; d++)
            fprintf(stderr, "size %lld dst %lld src %lld\n", (long long)dst->sizes[d], (long long)dst->strides[d],
                    (long long)src->strides[d]);
        CHECK(false, "dtype %d from %d bits %u level %s: byte %lld of the destination", dst_dtype, src_dtype,
              to.bits ^ from.bits, sc_cpu_level_name(sc_get_cpu_level()), (long long)(at - dst->start));
    }
    free(expected);
    free(dst->buffer);
    free(src->buffer);
}

static void check_sizes(int ndim, const int64_t *sizes, const int *dst_order, const int *src_order, const int *src_gaps,
                        rng *r) {
    static const int dense[] = {1, 1, 1, 1, 1, 1, 1, 1};
    sc_dtype dst_dtype = (sc_dtype)rng_below(r, SC_NUM_DTYPES), src_dtype = (sc_dtype)rng_below(r, SC_NUM_DTYPES);
    bool aligned = rng_below(r, 2);
    layout dst, src;
    make_layout(&dst, ndim, sizes, dst_order, dense, sc_itemsize(dst_dtype), aligned ? 0 : (int)rng_below(r, 64));
    make_layout(&src, ndim, sizes, src_order, src_gaps ? src_gaps : dense, sc_itemsize(src_dtype),
                aligned ? 0 : (int)rng_below(r, 64));
    check_converting(&dst, dst_dtype, &src, src_dtype, r);
}

static void test_runs(rng *r) {
    static const int64_t sizes[] = {1, 63, 64, 65, 255, 256, 257, 1000, 65535, 65536, 65537, 140001};
    static const int order[] = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int k = 0; k < 6; k++) check_sizes(1, &sizes[i], order, order, NULL, r);
}

static void test_transposes(rng *r) {
    static const int straight[] = {0, 1}, crossed[] = {1, 0};
    for (int k = 0; k < 300; k++) {
        int64_t rows = SIZES[rng_below(r, NUM_SIZES)], cols = 1 + rng_below(r, 60000 / rows);
        if (rng_below(r, 2)) cols = SIZES[rng_below(r, NUM_SIZES)];
        int64_t sizes[] = {rows, cols};
        if (rng_below(r, 2)) sizes[0] = cols, sizes[1] = rows;
        int gaps[] = {1, rng_below(r, 4) ? 1 : 2};
        check_sizes(2, sizes, straight, crossed, gaps, r);
    }
}

static void test_any_layout(rng *r) {
    static const int factorial[] = {1, 1, 2, 6, 24};
    static const int choice[] = {2, 3, -1, -2, 0};
    for (int k = 0; k < 300; k++) {
        int ndim = 1 + (int)rng_below(r, 4), dst_order[8], src_order[8], gaps[8];
        int64_t sizes[8], left = 30000;
        for (int d = 0; d < ndim; d++) {
            do sizes[d] = SIZES[rng_below(r, NUM_SIZES)];
            while (sizes[d] > left);
            left /= sizes[d];
            gaps[d] = rng_below(r, 3) ? 1 : choice[rng_below(r, 5)];
        }
        permutation(ndim, (int)rng_below(r, factorial[ndim]), dst_order);
        permutation(ndim, (int)rng_below(r, factorial[ndim]), src_order);
        check_sizes(ndim, sizes, dst_order, src_order, gaps, r);
    }
}

int main(void) {
    rng r = {77};
    for (int level = 0; level < SC_NUM_CPU_LEVELS; level++) {
        if (sc_set_cpu_level(sc_cpu_level_name((sc_cpu_level)level)) != SC_CPU_OK) continue;
        for (int streamed = 0; streamed < 2; streamed++) {
            sc_set_stream_nbytes(streamed ? 0 : INT64_MAX);
            test_runs(&r);
            test_transposes(&r);
            test_any_layout(&r);
        }
    }
    sc_set_stream_nbytes(-1);
    sc_set_cpu_level(NULL);
    return 0;
}
