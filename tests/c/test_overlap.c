/* The overlap tests against brute force, overlapping copies against a copied-first oracle, hostile strides. */
#include "layouts.h"

#include <time.h>

#define REACH 4096

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Count how often each byte of the arena is reached. */
static void mark(unsigned char *seen, const layout *l, int64_t itemsize) {
    int64_t index[8] = {0}, at = l->start;
    for (int64_t left = layout_numel(l); left > 0; left--) {
        for (int64_t b = 0; b < itemsize; b++) seen[at + b] += seen[at + b] < 9;
        for (int d = l->ndim - 1; d >= 0; d--) {
            at += l->strides[d];
            if (++index[d] < l->sizes[d]) break;
            at -= l->strides[d] * l->sizes[d];
            index[d] = 0;
        }
    }
}

/* A random layout inside [0, REACH): no promise of any order. */
static void random_layout(layout *l, int64_t itemsize, rng *r, int aligned) {
    for (;;) {
        int64_t lowest, highest;
        l->ndim = (int)rng_below(r, 4);
        for (int d = 0; d < l->ndim; d++) {
            l->sizes[d] = rng_below(r, 12) ? 1 + rng_below(r, 6) : 0;
            l->strides[d] = (rng_below(r, 61) - 20) * (aligned ? itemsize : 1);
            if (rng_below(r, 3) == 0 && d) l->strides[d] = l->strides[d - 1] * (1 + rng_below(r, 4));
        }
        CHECK(sc_reach(l->ndim, l->sizes, l->strides, &lowest, &highest));
        int64_t room = REACH - itemsize - (highest - lowest);
        if (room < 0) continue;
        l->start = rng_below(r, room < 200 ? room + 1 : 200) - lowest;
        if (aligned) l->start = l->start / itemsize * itemsize;
        if (l->start + lowest < 0) continue;
        return;
    }
}

static void test_against_brute_force(rng *r) {
    static unsigned char arena[REACH], seen_a[REACH], seen_b[REACH];
    int yes = 0, self = 0;
    for (int round = 0; round < 100000; round++) {
        layout a, b;
        int64_t a_item = (int64_t)1 << rng_below(r, 5), b_item = rng_below(r, 3) ? a_item : (int64_t)1 << rng_below(r, 5);
        random_layout(&a, a_item, r, round % 3);
        random_layout(&b, b_item, r, round % 3);
        memset(seen_a, 0, sizeof seen_a), memset(seen_b, 0, sizeof seen_b);
        mark(seen_a, &a, a_item), mark(seen_b, &b, b_item);
        bool meet = false, twice = false;
        for (int i = 0; i < REACH; i++) meet |= seen_a[i] && seen_b[i], twice |= seen_a[i] > 1;
        bool answer = sc_overlaps((char *)arena + a.start, a.ndim, a.sizes, a.strides, a_item, (char *)arena + b.start,
                                  b.ndim, b.sizes, b.strides, b_item);
        if (answer != meet) describe(&a, "a"), describe(&b, "b");
        CHECK(answer == meet, "round %d", round);
        answer = sc_self_overlaps(a.ndim, a.sizes, a.strides, a_item);
        if (answer != twice) describe(&a, "a");
        CHECK(answer == twice, "round %d, item size %d", round, (int)a_item);
        yes += meet, self += twice;
    }
    CHECK(yes > 10000 && yes < 90000 && self > 10000 && self < 90000, "%d and %d", yes, self);
}

static void test_hostile(rng *r) {
    static char base[8];
    double start = seconds();
    for (int round = 0; round < 50; round++) {
        int64_t sizes[25], strides[25], other[25];
        for (int d = 0; d < 25; d++) {
            sizes[d] = 2 + (round & 1);
            strides[d] = ((int64_t)1 << 36) + rng_below(r, (int64_t)1 << 30) * 2 + (round % 3 == 0);
            other[d] = ((int64_t)1 << 36) + rng_below(r, (int64_t)1 << 30) * 2;
        }
        sc_self_overlaps(25, sizes, strides, 4);
        sc_overlaps(base, 25, sizes, strides, 4, base + 3, 25, sizes, other, 4);
    }
    CHECK(seconds() - start < 60, "100 answers took %g s", seconds() - start); /* a hang, not a time, is the failure */

    int64_t two[] = {INT64_MAX / 2, 3}, wide[] = {4, INT64_MAX / 2};
    CHECK(sc_self_overlaps(2, two, wide, 4), "past int64 the answer is yes");
    CHECK(sc_overlaps(base, 2, two, wide, 4, base, 2, two, wide, 4));
}

/* Strides that defeat the search but have few elements: the bitmap answers exactly. */
static void test_literal(void) {
    int64_t four[] = {4}, eight[] = {8};
    static char x[64];
    CHECK(!sc_overlaps(x, 1, four, eight, 4, x + 4, 1, four, eight, 4), "even and odd elements");
    CHECK(sc_overlaps(x, 1, four, eight, 4, x + 3, 1, four, eight, 4));
    int64_t sizes[] = {3, 3}, window[] = {4, 4}, square[] = {12, 4}, coprime[] = {20, 12};
    CHECK(sc_self_overlaps(2, sizes, window, 4), "sliding windows");
    CHECK(!sc_self_overlaps(2, sizes, square, 4));
    CHECK(!sc_self_overlaps(2, sizes, coprime, 4), "3 * 20 = 5 * 12 is out of reach");
}

/* Copies whose operands lie in one buffer: as if the source had been copied first. */
static void test_overlapping_copies(rng *r) {
    static char arena[REACH], expected[REACH];
    int done = 0;
    for (int round = 0; round < 100000; round++) {
        int code = (int)rng_below(r, 5);
        int64_t itemsize = sc_itemsize(ITEM_DTYPES[code]);
        layout dst, src;
        random_layout(&dst, itemsize, r, round % 4);
        if (sc_self_overlaps(dst.ndim, dst.sizes, dst.strides, itemsize)) {
            sc_operand to = operand(&dst, ITEM_DTYPES[code]);
            to.data = arena + dst.start;
            sc_operand from = to;
            rng_fill(r, arena, sizeof arena);
            memcpy(expected, arena, sizeof arena);
            CHECK(sc_copy(dst.ndim, dst.sizes, &to, &from) == SC_ESELF);
            CHECK(!memcmp(arena, expected, sizeof arena), "refused, but written");
            continue;
        }
        src = dst;
        int64_t lowest, highest;
        switch (rng_below(r, 3)) {
        case 0: /* the same steps, moved */ break;
        case 1: /* the same steps, permuted or turned */
            if (src.ndim > 1 && src.sizes[0] == src.sizes[1]) {
                src.strides[0] = dst.strides[1];
                src.strides[1] = dst.strides[0];
            }
            for (int d = 0; d < src.ndim; d++)
                if (rng_below(r, 4) == 0 && src.sizes[d]) src.strides[d] = -src.strides[d];
            break;
        default:
            for (int d = 0; d < src.ndim; d++) src.strides[d] = (rng_below(r, 21) - 6) * itemsize;
        }
        CHECK(sc_reach(src.ndim, src.sizes, src.strides, &lowest, &highest));
        src.start = dst.start + (rng_below(r, 4) ? rng_below(r, 21) - 10 : 0) * (rng_below(r, 4) ? itemsize : 1);
        if (src.start + lowest < 0 || src.start + highest + itemsize > REACH) continue;
        rng_fill(r, arena, sizeof arena);
        memcpy(expected, arena, sizeof arena);
        expect_copy(expected, &dst, arena, &src, itemsize); /* reads the arena, writes its image */
        sc_operand to = {arena + dst.start, dst.strides, ITEM_DTYPES[code], 0};
        sc_operand from = {arena + src.start, src.strides, ITEM_DTYPES[code], 0};
        sc_status status = sc_copy(dst.ndim, dst.sizes, &to, &from);
        if (status != SC_OK || memcmp(arena, expected, sizeof arena)) describe(&dst, "dst"), describe(&src, "src");
        CHECK(status == SC_OK && !memcmp(arena, expected, sizeof arena), "round %d, distance %d, item size %d", round,
              (int)(src.start - dst.start), (int)itemsize);
        done++;
    }
    CHECK(done > 20000, "only %d copies", done);
}

static void test_square_in_place(rng *r) {
    static const int64_t edges[] = {1, 2, 15, 16, 17, 32, 33, 65, 100};
    for (int code = 0; code < 5; code++)
        for (size_t e = 0; e < sizeof edges / sizeof *edges; e++) {
            int64_t n = edges[e], item = sc_itemsize(ITEM_DTYPES[code]), batch = 3, pitch = (n + 1) * item;
            size_t nbytes = (size_t)(batch * n * pitch);
            char *x = malloc(nbytes), *expected = malloc(nbytes);
            rng_fill(r, x, nbytes);
            memcpy(expected, x, nbytes);
            layout dst = {.ndim = 3, .sizes = {batch, n, n}, .strides = {n * pitch, pitch, item}};
            layout src = {.ndim = 3, .sizes = {batch, n, n}, .strides = {n * pitch, item, pitch}};
            expect_copy(expected, &dst, x, &src, item);
            sc_operand to = {x, dst.strides, ITEM_DTYPES[code], 0}, from = {x, src.strides, ITEM_DTYPES[code], 0};
            CHECK(sc_copy(3, dst.sizes, &to, &from) == SC_OK);
            CHECK(!memcmp(x, expected, nbytes), "edge %d, item size %d", (int)n, (int)item);
            free(x), free(expected);
        }
}

int main(void) {
    rng r = {777};
    test_literal();
    test_against_brute_force(&r);
    test_hostile(&r);
    test_overlapping_copies(&r);
    test_square_in_place(&r);
    return 0;
}
