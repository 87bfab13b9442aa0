/* Every kernel, forced in turn: each CPU level, through the cache and past it, alone and by threads, over random layouts with sizes around
 * those of tiles and vectors, must write what the element-by-element oracle writes and nothing else. */
#include "copy/kernels.h"
#include "cpu.h"
#include "layouts.h"
#include "parallel.h"

static const int64_t SIZES[] = {1,  2,  3,  4,  5,  7,  8,   9,   15,  16,  17,  24,  31,  32,  33,
                                48, 63, 64, 65, 96, 127, 128, 129, 200, 255, 256, 257, 300, 520, 1100};
#define NUM_SIZES ((int64_t)(sizeof SIZES / sizeof *SIZES))
#define MAX_NUMEL 200000

static int64_t pick_size(rng *r, int64_t limit) {
    for (;;) {
        int64_t size = rng_below(r, 6) ? SIZES[rng_below(r, NUM_SIZES)] : 1 + rng_below(r, 300);
        if (size <= limit) return size;
    }
}

/* One random copy: the kinds come up by the way orders and gaps are drawn. */
static void random_copy(rng *r) {
    int ndim = 1 + (int)rng_below(r, 5), dst_order[8], src_order[8], dst_gaps[8], src_gaps[8];
    int64_t sizes[8], left = rng_below(r, 3) ? 20000 : MAX_NUMEL;
    static const int factorial[] = {1, 1, 2, 6, 24, 120};
    for (int d = 0; d < ndim; d++) dst_gaps[d] = src_gaps[d] = 1, sizes[d] = 1;
    for (int k = 0, d = (int)rng_below(r, ndim); k < ndim; k++, d = (d + 1) % ndim) {
        sizes[d] = pick_size(r, left);
        left /= sizes[d];
    }
    permutation(ndim, rng_below(r, 2) ? 0 : (int)rng_below(r, factorial[ndim]), dst_order);
    permutation(ndim, (int)rng_below(r, factorial[ndim]), src_order);
    static const int dst_choice[] = {2, -1, -2, 3}, src_choice[] = {2, 3, 4, -1, -2, 0, 7};
    for (int d = 0; d < ndim; d++) {
        if (rng_below(r, 8) == 0) dst_gaps[d] = dst_choice[rng_below(r, 4)];
        if (rng_below(r, 4) == 0) src_gaps[d] = src_choice[rng_below(r, 7)];
    }
    int item = (int)rng_below(r, 5), aligned = rng_below(r, 3) == 0;
    int dst_misalign = aligned ? 0 : (int)rng_below(r, 64), src_misalign = aligned ? 0 : (int)rng_below(r, 64);
    check_copy(ndim, sizes, dst_order, dst_gaps, dst_misalign, src_order, src_gaps, src_misalign, item, r);
}

/* Two dims exchanged, with pitches: every size of a sweep's rest. */
static void transpose_copy(rng *r) {
    int64_t rows = pick_size(r, 1100), cols = pick_size(r, MAX_NUMEL / rows), sizes[] = {rows, cols};
    int dst_order[] = {0, 1}, src_order[] = {1, 0}, dst_gaps[] = {1, 1}, src_gaps[] = {1, 1};
    if (rng_below(r, 4) == 0) src_gaps[1] = 2;
    if (rng_below(r, 4) == 0) dst_gaps[0] = rng_below(r, 2) ? 2 : -1;
    check_copy(2, sizes, dst_order, dst_gaps, (int)rng_below(r, 64), src_order, src_gaps, (int)rng_below(r, 64),
               (int)rng_below(r, 5), r);
}

/* The same of items of 2, 3, 5, 6 ... times as many bytes, which move as one. */
static void wide_transpose_copy(rng *r) {
    static const int64_t widths[] = {2, 3, 5, 6, 7};
    int64_t rows = pick_size(r, 520), cols = pick_size(r, 30000 / rows), sizes[] = {rows, cols, widths[rng_below(r, 5)]};
    int dst_order[] = {0, 1, 2}, src_order[] = {1, 0, 2}, dst_gaps[] = {1, 1, 1}, src_gaps[] = {1, 1, 1};
    if (rng_below(r, 4) == 0) src_gaps[1] = rng_below(r, 2) ? 2 : -1;
    if (rng_below(r, 4) == 0) dst_gaps[0] = rng_below(r, 2) ? 2 : -1;
    check_copy(3, sizes, dst_order, dst_gaps, (int)rng_below(r, 64), src_order, src_gaps, (int)rng_below(r, 64),
               (int)rng_below(r, 4), r);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 150;
    for (int level = 0; level < SC_NUM_CPU_LEVELS; level++) {
        const char *name = sc_cpu_level_name((sc_cpu_level)level);
        sc_cpu_status status = sc_set_cpu_level(name);
        CHECK(status == (sc_cpu_supports((sc_cpu_level)level) ? SC_CPU_OK : SC_CPU_UNSUPPORTED));
        if (status != SC_CPU_OK) continue;
        CHECK(sc_get_cpu_level() == (sc_cpu_level)level);
        for (int mode = 0; mode < 4; mode++) {
            int streamed = mode & 1, threads = mode & 2 ? 3 : 1;
            sc_set_stream_nbytes(streamed ? 0 : INT64_MAX);
            sc_set_num_threads(threads);
            sc_set_thread_nbytes(0);
            rng r = {99}; /* the same copies at every level */
            for (int round = 0; round < rounds; round++) {
                random_copy(&r);
                transpose_copy(&r);
                wide_transpose_copy(&r);
            }
            printf("%s%s, %d threads: %d copies\n", name, streamed ? " streamed" : "", threads, 3 * rounds);
        }
    }
    return 0;
}
