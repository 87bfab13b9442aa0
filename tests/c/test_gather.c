/* src/gather.h: loops over random layouts against offsets computed one by one; guard bytes; bad indices; masks. All of
 * it at every CPU level, straight and past the cache, alone and by threads. */
#include "check.h"
#include "copy/kernels.h"
#include "cpu.h"
#include "gather.h"
#include "parallel.h"

enum { GUARD = 64, MAX_DIMS = 4 };

typedef struct guarded {
    char *all, *data;
    int64_t nbytes;
} guarded;

static guarded guarded_at(int64_t nbytes, int64_t shift) {
    guarded g = {malloc((size_t)(nbytes + 3 * GUARD + shift)), NULL, nbytes};
    CHECK(g.all, "malloc");
    memset(g.all, 0xA5, (size_t)(nbytes + 3 * GUARD + shift));
    g.data = g.all + GUARD + (-(intptr_t)g.all & (GUARD - 1)) + shift;
    return g;
}

/* Most of them on a line, some anywhere, so that kernels for either are met. */
static guarded guarded_new(int64_t nbytes) {
    static int64_t turn;
    turn++;
    return guarded_at(nbytes, turn % 3 ? 0 : turn % 64);
}

static void guarded_free(guarded *g) {
    for (int64_t i = 0; i < GUARD; i++) {
        CHECK(g->data[i - GUARD] == (char)0xA5, "byte %lld before", (long long)i);
        CHECK(g->data[g->nbytes + i] == (char)0xA5, "byte %lld after", (long long)i);
    }
    free(g->all);
}

/* One random loop: an indexed operand of `dims` dims, some of them addressed by index tensors over the first loop
 * dims, the others walked. Any operand may be reversed or permuted. */
typedef struct example {
    int64_t ndim, sizes[MAX_DIMS + 1], numel, item;
    int64_t plain_strides[MAX_DIMS + 1], indexed_strides[MAX_DIMS + 1], index_strides[MAX_DIMS][MAX_DIMS + 1];
    guarded plain, indexed, index_memory[MAX_DIMS];
    char *plain_data, *indexed_data;
    sc_index indices[MAX_DIMS];
    sc_indexed_loop loop;
} example;

/* Dense strides in a random order of the dims, each with a random sign; returns the offset of index 0. */
static int64_t random_strides(rng *r, int64_t ndim, const int64_t *sizes, int64_t item, int64_t *strides) {
    int64_t order[MAX_DIMS + 1], extent = item, offset = 0;
    for (int64_t d = 0; d < ndim; d++) order[d] = d;
    for (int64_t d = ndim - 1; d > 0; d--) {
        int64_t other = rng_below(r, d + 1), dim = order[d];
        order[d] = order[other], order[other] = dim;
    }
    if (rng_below(r, 2))
        for (int64_t d = 0; d < ndim; d++) order[d] = ndim - 1 - d;
    for (int64_t i = 0; i < ndim; i++) {
        int64_t d = order[i];
        strides[d] = extent;
        extent *= sizes[d] > 0 ? sizes[d] : 1;
        if (rng_below(r, 5) == 0) {
            offset += (sizes[d] > 0 ? sizes[d] - 1 : 0) * strides[d];
            strides[d] = -strides[d];
        }
    }
    return offset;
}

static int64_t product(int64_t ndim, const int64_t *sizes) {
    int64_t numel = 1;
    for (int64_t d = 0; d < ndim; d++) numel *= sizes[d];
    return numel;
}

static void example_make(example *e, rng *r) {
    static const int64_t items[] = {1, 2, 4, 8, 16}, lengths[] = {0, 1, 2, 3, 5, 17, 600, 1100};
    int64_t n_indices = rng_below(r, 3), n_walked = rng_below(r, 3), index_ndim = n_indices ? rng_below(r, 3) : 0;
    int64_t x_sizes[MAX_DIMS], x_strides[MAX_DIMS], x_ndim = n_indices + n_walked;
    e->item = items[rng_below(r, 5)];
    e->ndim = index_ndim + n_walked;
    for (int64_t d = 0; d < e->ndim; d++) e->sizes[d] = d == 0 ? lengths[rng_below(r, 8)] : 1 + rng_below(r, 4);
    if (n_walked && rng_below(r, 4) == 0) e->sizes[e->ndim - 1] = 1 << rng_below(r, 9);
    for (int64_t d = 0; d < n_indices; d++) x_sizes[d] = 1 + rng_below(r, 6);
    for (int64_t d = 0; d < n_walked; d++) x_sizes[n_indices + d] = e->sizes[index_ndim + d];
    e->numel = product(e->ndim, e->sizes);

    e->plain = guarded_new(e->numel * e->item);
    e->plain_data = e->plain.data + random_strides(r, e->ndim, e->sizes, e->item, e->plain_strides);
    e->indexed = guarded_new(product(x_ndim, x_sizes) * e->item);
    e->indexed_data = e->indexed.data + random_strides(r, x_ndim, x_sizes, e->item, x_strides);
    rng_fill(r, e->plain.data, (size_t)e->plain.nbytes);
    rng_fill(r, e->indexed.data, (size_t)e->indexed.nbytes);
    for (int64_t d = 0; d < index_ndim; d++) e->indexed_strides[d] = 0;
    for (int64_t d = 0; d < n_walked; d++) e->indexed_strides[index_ndim + d] = x_strides[n_indices + d];
    for (int64_t k = 0; k < n_indices; k++) {
        sc_index *index = &e->indices[k];
        bool narrow = rng_below(r, 2);
        int64_t width = narrow ? 4 : 8, count = product(index_ndim, e->sizes);
        for (int64_t d = 0; d < e->ndim; d++) e->index_strides[k][d] = 0;
        e->index_memory[k] = guarded_new(count * width);
        int64_t offset = random_strides(r, index_ndim, e->sizes, width, e->index_strides[k]);
        *index = (sc_index){e->index_memory[k].data + offset, e->index_strides[k], x_sizes[k], x_strides[k], narrow,
                            rng_below(r, 2)};
        for (int64_t i = 0; i < count; i++) {
            int64_t value = rng_below(r, x_sizes[k]) - (index->wraps && rng_below(r, 2) ? x_sizes[k] : 0);
            int32_t value32 = (int32_t)value;
            memcpy(e->index_memory[k].data + i * width, narrow ? (void *)&value32 : (void *)&value, (size_t)width);
        }
    }
    e->loop = (sc_indexed_loop){e->ndim, e->sizes, e->item, e->plain_data, e->plain_strides, e->indexed_data,
                                e->indexed_strides, n_indices, e->indices};
}

static void example_free(example *e) {
    guarded_free(&e->plain);
    guarded_free(&e->indexed);
    for (int64_t k = 0; k < e->loop.n_indices; k++) guarded_free(&e->index_memory[k]);
}

/* The addresses of both sides at the loop index with this row-major number. */
static void addresses(const example *e, int64_t number, char **plain, char **indexed) {
    int64_t at[MAX_DIMS + 1];
    *plain = e->plain_data, *indexed = e->indexed_data;
    for (int64_t d = e->ndim - 1; d >= 0; d--) at[d] = number % e->sizes[d], number /= e->sizes[d];
    for (int64_t d = 0; d < e->ndim; d++)
        *plain += at[d] * e->plain_strides[d], *indexed += at[d] * e->indexed_strides[d];
    for (int64_t k = 0; k < e->loop.n_indices; k++) {
        const sc_index *index = &e->indices[k];
        const char *from = index->data;
        int64_t value;
        int32_t value32;
        for (int64_t d = 0; d < e->ndim; d++) from += at[d] * index->byte_strides[d];
        memcpy(index->is_int32 ? (void *)&value32 : (void *)&value, from, index->is_int32 ? 4 : 8);
        if (index->is_int32) value = value32;
        *indexed += (value < 0 ? value + index->size : value) * index->byte_step;
    }
}

static void test_loops(rng *r) {
    example e;
    sc_bad_index bad;
    char *plain, *indexed;
    example_make(&e, r);
    CHECK(sc_check_indices(e.ndim, e.sizes, e.loop.n_indices, e.indices, &bad), "valid indices");
    char *expected = malloc((size_t)(e.indexed.nbytes + 1));
    CHECK(expected, "malloc");
    memcpy(expected, e.indexed.data, (size_t)e.indexed.nbytes);
    CHECK(sc_gather(&e.loop, &bad), "gather");
    CHECK(memcmp(expected, e.indexed.data, (size_t)e.indexed.nbytes) == 0, "gather writes to its source");
    for (int64_t i = 0; i < e.numel; i++) {
        addresses(&e, i, &plain, &indexed);
        CHECK(memcmp(plain, indexed, (size_t)e.item) == 0, "gather, element %lld", (long long)i);
    }
    rng_fill(r, e.plain.data, (size_t)e.plain.nbytes);
    for (int64_t i = 0; i < e.numel; i++) {
        addresses(&e, i, &plain, &indexed);
        memcpy(expected + (indexed - e.indexed.data), plain, (size_t)e.item);
    }
    CHECK(sc_scatter(&e.loop, &bad), "scatter");
    CHECK(memcmp(expected, e.indexed.data, (size_t)e.indexed.nbytes) == 0, "scatter");
    if (e.item == 4) {
        for (int64_t i = 0; i < e.numel; i++) {
            uint32_t a, b;
            addresses(&e, i, &plain, &indexed);
            memcpy(&a, expected + (indexed - e.indexed.data), 4);
            memcpy(&b, plain, 4);
            a += b;
            memcpy(expected + (indexed - e.indexed.data), &a, 4);
        }
        CHECK(sc_scatter_reduce(&e.loop, SC_INT32, SC_SUM, &bad), "sum");
        CHECK(memcmp(expected, e.indexed.data, (size_t)e.indexed.nbytes) == 0, "sum");
    }
    free(expected);
    example_free(&e);
}

/* One invalid index among valid ones is found, wherever it is and however far out of range. */
static void test_bad_indices(rng *r) {
    static const int64_t far[] = {0, 1, INT32_MAX, (int64_t)1 << 40, INT64_MAX};
    example e;
    sc_bad_index bad = {-1, 0};
    example_make(&e, r);
    if (e.loop.n_indices && e.numel) {
        int64_t k = rng_below(r, e.loop.n_indices), out = far[rng_below(r, 5)];
        const sc_index *index = &e.indices[k];
        int64_t width = index->is_int32 ? 4 : 8, place = rng_below(r, e.index_memory[k].nbytes / width) * width;
        int64_t value = rng_below(r, 2) ? (out > INT64_MAX - 6 ? out : index->size + out)
                                        : (out > INT64_MAX - 6 ? -out : -1 - out - (index->wraps ? index->size : 0));
        if (index->is_int32) value = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
        int32_t value32 = (int32_t)value;
        memcpy(e.index_memory[k].data + place, index->is_int32 ? (void *)&value32 : (void *)&value, (size_t)width);
        CHECK(!sc_check_indices(e.ndim, e.sizes, e.loop.n_indices, e.indices, &bad), "a bad index passes");
        CHECK(bad.which == k && bad.value == value, "index %lld of tensor %lld", (long long)bad.value,
              (long long)bad.which);
        CHECK(!sc_gather(&e.loop, &bad) && bad.which == k && bad.value == value, "gather takes it");
        CHECK(!sc_scatter(&e.loop, &bad) && bad.which == k && bad.value == value, "scatter takes it");
    }
    example_free(&e);
}

static void test_masks(rng *r) {
    static const int64_t items[] = {1, 2, 4, 8, 16};
    int64_t ndim = rng_below(r, 4), sizes[MAX_DIMS], strides[MAX_DIMS], mask_strides[MAX_DIMS], counted = 0, at[MAX_DIMS];
    int64_t item = items[rng_below(r, 5)];
    for (int64_t d = 0; d < ndim; d++) sizes[d] = rng_below(r, 8) ? 1 + rng_below(r, 70) % (d ? 6 : 70) : 0;
    if (ndim && rng_below(r, 3) == 0) sizes[ndim - 1] = 1 + rng_below(r, ndim == 1 ? 5000 : 700);
    int64_t numel = product(ndim, sizes);
    guarded src = guarded_new(numel * item), mask = guarded_new(numel), copy = guarded_new(numel * item);
    char *data = src.data + random_strides(r, ndim, sizes, item, strides);
    char *keep = mask.data + random_strides(r, ndim, sizes, 1, mask_strides);
    rng_fill(r, src.data, (size_t)src.nbytes);
    static const int64_t rarity[] = {1, 2, 3, 10, 100}; /* of what is true: everything, half, ...; or runs of it */
    int64_t rare = rarity[rng_below(r, 5)], run = rng_below(r, 3) ? 1 : 1 + rng_below(r, 200);
    for (int64_t i = 0; i < numel; i++)
        mask.data[i] = i % run ? mask.data[i - 1] : (char)(rng_below(r, rare) ? 0 : 1 + rng_below(r, 255));
    for (int64_t i = 0; i < numel; i++) counted += mask.data[i] != 0;
    CHECK(sc_mask_count(ndim, sizes, keep, mask_strides) == counted, "count");

    guarded packed = guarded_new(counted * item), places = guarded_at(counted * ndim * 8, 0);
    CHECK(sc_mask_compress(ndim, sizes, item, packed.data, counted, data, strides, keep, mask_strides) == counted,
          "compress");
    int64_t *coordinates = (int64_t *)(void *)places.data;
    CHECK(sc_mask_places(ndim, sizes, keep, mask_strides, coordinates, 1, counted, counted) == counted, "places");
    for (int64_t number = 0, used = 0; number < numel; number++) {
        int64_t left = number;
        const char *from = data, *flag = keep;
        for (int64_t d = ndim - 1; d >= 0; d--) at[d] = left % sizes[d], left /= sizes[d];
        for (int64_t d = 0; d < ndim; d++) from += at[d] * strides[d], flag += at[d] * mask_strides[d];
        if (!*flag) continue;
        CHECK(memcmp(packed.data + used * item, from, (size_t)item) == 0, "compress, item %lld", (long long)used);
        for (int64_t d = 0; d < ndim; d++) CHECK(coordinates[d * counted + used] == at[d], "place");
        used++;
    }
    if (counted) CHECK(sc_mask_compress(ndim, sizes, item, packed.data, counted - 1, data, strides, keep,
                                        mask_strides) == counted - 1, "no more than the capacity");

    /* What was packed goes back to where it comes from; the rest is untouched. */
    memcpy(copy.data, src.data, (size_t)src.nbytes);
    sc_mask_compress(ndim, sizes, item, packed.data, counted, data, strides, keep, mask_strides);
    CHECK(sc_mask_expand(ndim, sizes, item, data, strides, packed.data, item, counted, keep, mask_strides) == counted,
          "expand");
    CHECK(memcmp(copy.data, src.data, (size_t)src.nbytes) == 0, "expand");
    int64_t zero[MAX_DIMS] = {0};
    char one[16];
    rng_fill(r, one, 16);
    sc_mask_choose(ndim, sizes, item, copy.data + (data - src.data), strides, keep, mask_strides, one, zero, data,
                   strides);
    sc_mask_expand(ndim, sizes, item, data, strides, one, 0, counted, keep, mask_strides);
    CHECK(memcmp(copy.data, src.data, (size_t)src.nbytes) == 0, "choose and fill");
    guarded_free(&src), guarded_free(&mask), guarded_free(&copy), guarded_free(&packed), guarded_free(&places);
}

static void test_means(void) {
    int32_t values[] = {7, -7, 5, -1};
    int64_t counts[] = {2, 2, 1, 3}, sizes[] = {4}, steps[] = {4}, count_steps[] = {8};
    sc_divide_by_counts(1, sizes, SC_INT32, (char *)values, steps, (const char *)counts, count_steps);
    CHECK(values[0] == 3 && values[1] == -4 && values[2] == 5 && values[3] == -1, "integers round down");
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 300;
    for (int level = 0; level < SC_NUM_CPU_LEVELS; level++) {
        const char *name = sc_cpu_level_name((sc_cpu_level)level);
        if (sc_set_cpu_level(name) != SC_CPU_OK) continue;
        CHECK(sc_get_cpu_level() == (sc_cpu_level)level, "%s was not set", name);
        for (int mode = 0; mode < 4; mode++) {
            int streamed = mode & 1, threads = mode & 2 ? 3 : 1;
            sc_set_stream_nbytes(streamed ? 0 : INT64_MAX);
            sc_set_num_threads(threads);
            sc_set_thread_nbytes(0);
            rng r = {20}; /* the same at every level */
            for (int i = 0; i < rounds; i++) {
                test_loops(&r);
                test_bad_indices(&r);
                test_masks(&r);
            }
            printf("%s%s, %d threads: %d loops\n", name, streamed ? " streamed" : "", threads, rounds);
        }
    }
    test_means();
    return 0;
}
