/* sc_copy and sc_fill over small geometries, exhaustively, against an element-by-element oracle. */
#include "layouts.h"

static const int64_t SIZES[] = {0, 1, 2, 3, 7, 8, 9, 16, 17, 33};
#define NUM_SIZES ((int)(sizeof SIZES / sizeof *SIZES))

/* Gaps for one dim: contiguous, gapped, reversed, reversed and gapped, expanded (sources only). */
static const int GAPS[] = {1, 2, -1, -2, 3, 0};

static void test_one_dim(rng *r) {
    static const int order[] = {0};
    for (int s = 0; s < NUM_SIZES; s++)
        for (int d = 0; d < 5; d++)
            for (int g = 0; g < 6; g++)
                for (int item = 0; item < 5; item++)
                    for (int align = 0; align < 16; align++)
                        check_copy(1, &SIZES[s], order, &GAPS[d], align, order, &GAPS[g], (align * 7) & 15, item, r);
}

static void test_two_dims(rng *r) {
    for (int s = 0; s < NUM_SIZES * NUM_SIZES; s++) {
        int64_t sizes[] = {SIZES[s / NUM_SIZES], SIZES[s % NUM_SIZES]};
        for (int orders = 0; orders < 4; orders++)
            for (int item = 0; item < 5; item++)
                for (int g = 0; g < 36; g++) {
                    int dst_order[2], src_order[2];
                    permutation(2, orders / 2, dst_order);
                    permutation(2, orders % 2, src_order);
                    int src_gaps[] = {GAPS[g / 6], GAPS[g % 6]};
                    int dst_gaps[] = {GAPS[rng_below(r, 5)], rng_below(r, 2) ? 1 : GAPS[rng_below(r, 5)]};
                    check_copy(2, sizes, dst_order, dst_gaps, (int)rng_below(r, 16), src_order, src_gaps,
                               (int)rng_below(r, 16), item, r);
                }
    }
}

/* All pairs of permutations; gaps at random, most of them none so that dims merge. */
static void test_many_dims(rng *r, int ndim, const int64_t *choices, int num_choices, int permutations, int combinations) {
    for (int s = 0; s < combinations; s++) {
        int64_t sizes[8];
        for (int d = 0, rest = s; d < ndim; d++, rest /= num_choices) sizes[d] = choices[rest % num_choices];
        for (int orders = 0; orders < permutations * permutations; orders++) {
            int dst_order[8], src_order[8], dst_gaps[8], src_gaps[8];
            permutation(ndim, orders / permutations, dst_order);
            permutation(ndim, orders % permutations, src_order);
            for (int d = 0; d < ndim; d++) {
                dst_gaps[d] = rng_below(r, 4) ? 1 : GAPS[rng_below(r, 5)];
                src_gaps[d] = rng_below(r, 4) ? 1 : GAPS[rng_below(r, 6)];
            }
            check_copy(ndim, sizes, dst_order, dst_gaps, (int)rng_below(r, 3), src_order, src_gaps,
                       (int)rng_below(r, 3), (int)rng_below(r, 5), r);
        }
    }
}

static void test_fill(rng *r) {
    for (int round = 0; round < 4000; round++) {
        int ndim = (int)rng_below(r, 4), order[8], gaps[8], item_code = (int)rng_below(r, 5);
        int64_t sizes[8], itemsize = sc_itemsize(ITEM_DTYPES[item_code]), zeros[8] = {0};
        permutation(ndim, (int)rng_below(r, 6), order);
        for (int d = 0; d < ndim; d++) sizes[d] = SIZES[rng_below(r, NUM_SIZES)], gaps[d] = GAPS[rng_below(r, 6)];
        layout dst, src = {.ndim = ndim, .start = 0};
        make_layout(&dst, ndim, sizes, order, gaps, itemsize, (int)rng_below(r, 16));
        fill_layout(&dst, r);
        char item[16], *expected = malloc((size_t)dst.buffer_nbytes);
        if (round % 3 == 0) memset(item, 7, 16);
        else rng_fill(r, item, 16);
        memcpy(expected, dst.buffer, (size_t)dst.buffer_nbytes);
        memcpy(src.strides, zeros, sizeof zeros);
        expect_copy(expected, &dst, item, &src, itemsize);
        sc_operand to = operand(&dst, ITEM_DTYPES[item_code]);
        CHECK(sc_fill(ndim, dst.sizes, &to, item) == SC_OK);
        CHECK(!memcmp(expected, dst.buffer, (size_t)dst.buffer_nbytes), "item size %d", (int)itemsize);
        free(expected), free(dst.buffer);
    }
}

static void test_bits_and_conversion(void) {
    float z[] = {1, 2, 3, 4}, w[4], minus[4];
    int64_t strides[] = {8}, halves[] = {4}, sizes[] = {2}, four[] = {4};
    sc_operand src = {(char *)z, strides, SC_COMPLEX64, SC_CONJ}, dst = {(char *)w, strides, SC_COMPLEX64, 0};
    CHECK(sc_copy(1, sizes, &dst, &src) == SC_OK);
    CHECK(w[0] == 1 && w[1] == -2 && w[2] == 3 && w[3] == -4);
    dst.bits = SC_CONJ;
    CHECK(sc_copy(1, sizes, &dst, &src) == SC_OK);
    CHECK(w[0] == 1 && w[1] == 2 && w[2] == 3 && w[3] == 4, "both conjugated: the bytes themselves");
    sc_operand real = {(char *)z, halves, SC_FLOAT32, SC_NEG}, to = {(char *)minus, halves, SC_FLOAT32, 0};
    CHECK(sc_copy(1, four, &to, &real) == SC_OK);
    CHECK(minus[0] == -1 && minus[3] == -4);

    double wide[4];
    int64_t eights[] = {8};
    sc_operand doubles = {(char *)wide, eights, SC_FLOAT64, 0};
    real.bits = 0;
    CHECK(sc_copy(1, four, &doubles, &real) == SC_OK);
    CHECK(wide[0] == 1.0 && wide[3] == 4.0);
}

int main(void) {
    static const int64_t three[] = {0, 1, 2, 3, 8, 17}, four[] = {1, 2, 3, 9};
    rng r = {12345};
    test_one_dim(&r);
    test_two_dims(&r);
    test_many_dims(&r, 3, three, 6, 6, 216);
    test_many_dims(&r, 4, four, 4, 24, 256);
    test_fill(&r);
    test_bits_and_conversion();
    return 0;
}
