/* The passes that make a plan, one by one, and what they print. */
#include "copy/plan.h"

#include "check.h"

#define DIMS(...) (int64_t[]){__VA_ARGS__}

static char memory[1 << 16], other[1 << 16];

static sc_plan plan;

static void load(int64_t ndim, const int64_t *sizes, sc_dtype dtype, const int64_t *dst, const int64_t *src) {
    sc_operand to = {memory + 4096, dst, dtype, 0}, from = {other + 4096, src, dtype, 0};
    sc_plan_load(&plan, ndim, sizes, &to, &from);
}

static const char *make(int64_t ndim, const int64_t *sizes, sc_dtype dtype, const int64_t *dst, const int64_t *src) {
    static char text[200];
    sc_operand to = {memory + 4096, dst, dtype, 0}, from = {other + 4096, src, dtype, 0};
    sc_plan_make(&plan, ndim, sizes, &to, &from);
    sc_plan_print(&plan, text, sizeof text);
    return text;
}

#define PRINTS(text, ...)                                                       \
    do {                                                                        \
        const char *got_ = make(__VA_ARGS__);                                   \
        CHECK(strcmp(got_, text) == 0, "it is %s", got_);                       \
    } while (0)

static void test_load_drops_size_one(void) {
    load(3, DIMS(2, 1, 3), SC_FLOAT32, DIMS(12, 99, 4), DIMS(4, 77, 8));
    CHECK(plan.ndim == 2 && plan.dims[0].size == 2 && plan.dims[1].size == 3 && plan.dims[1].src == 8);
    load(3, DIMS(2, 0, 3), SC_FLOAT32, DIMS(12, 99, 4), DIMS(4, 77, 8));
    CHECK(plan.kind == SC_KIND_EMPTY);
}

static void test_flip_starts_at_the_other_end(void) {
    load(1, DIMS(5), SC_FLOAT32, DIMS(-4), DIMS(8));
    sc_plan_flip(&plan);
    CHECK(plan.dims[0].dst == 4 && plan.dims[0].src == -8);
    CHECK(plan.dst == memory + 4096 - 16 && plan.src == other + 4096 + 32);
}

static void test_sort_by_destination(void) {
    load(3, DIMS(2, 3, 4), SC_FLOAT32, DIMS(4, 8, 24), DIMS(48, 16, 4));
    sc_plan_sort(&plan);
    CHECK(plan.dims[0].dst == 24 && plan.dims[1].dst == 8 && plan.dims[2].dst == 4);
    CHECK(plan.dims[0].size == 4 && plan.dims[2].size == 2);
}

static void test_merge(void) {
    load(3, DIMS(2, 4, 3), SC_FLOAT32, DIMS(48, 12, 4), DIMS(96, 12, 4));
    sc_plan_merge(&plan);
    CHECK(plan.ndim == 2 && plan.dims[0].size == 2 && plan.dims[1].size == 12 && plan.dims[1].src == 4);
}

static void test_widen(void) {
    load(2, DIMS(5, 2), SC_FLOAT32, DIMS(8, 4), DIMS(24, 4));
    sc_plan_widen(&plan);
    CHECK(plan.ndim == 1 && plan.dst_item == 8 && plan.src_item == 8);
}

static void test_kinds(void) {
    PRINTS("block 4 [6] dst (4) src (4)", 2, DIMS(2, 3), SC_FLOAT32, DIMS(12, 4), DIMS(12, 4));
    PRINTS("block 4 [6] dst (4) src (4)", 2, DIMS(2, 3), SC_FLOAT32, DIMS(4, 8), DIMS(4, 8));
    PRINTS("block 4 [] dst () src ()", 2, DIMS(1, 1), SC_FLOAT32, DIMS(7, 9), DIMS(1, 2));
    PRINTS("empty 4", 2, DIMS(0, 3), SC_FLOAT32, DIMS(12, 4), DIMS(12, 4));
    PRINTS("rows 4 [2 x 30] dst (120, 4) src (200, 4)", 2, DIMS(2, 30), SC_FLOAT32, DIMS(120, 4), DIMS(200, 4));
    PRINTS("fill 4 [3 x 4] dst (16, 4) src (4, 0)", 2, DIMS(3, 4), SC_FLOAT32, DIMS(16, 4), DIMS(4, 0));
    PRINTS("transpose 4 [6 x 4] dst (16, 4) src (4, 24) across 0", 3, DIMS(2, 3, 4), SC_FLOAT32, DIMS(48, 16, 4),
           DIMS(12, 4, 24));
    PRINTS("strided 4 [6] dst (4) src (8)", 2, DIMS(2, 3), SC_FLOAT32, DIMS(12, 4), DIMS(24, 8));
    PRINTS("strided 4 [6] dst (4) src (-4)", 2, DIMS(2, 3), SC_FLOAT32, DIMS(12, 4), DIMS(-12, -4));
    PRINTS("transpose 4 [3 x 2] dst (8, 4) src (4, 12) across 0", 3, DIMS(2, 3, 4), SC_UINT8, DIMS(4, 8, 1),
           DIMS(12, 4, 1));
    CHECK(sc_plan_nbytes(&plan) == 24);
}

static void test_print_fits(void) {
    char text[8];
    make(2, DIMS(2, 30), SC_FLOAT32, DIMS(120, 4), DIMS(200, 4));
    sc_plan_print(&plan, text, sizeof text);
    CHECK(strcmp(text, "rows 4 ") == 0, "it is %s", text);
}

int main(void) {
    test_load_drops_size_one();
    test_flip_starts_at_the_other_end();
    test_sort_by_destination();
    test_merge();
    test_widen();
    test_kinds();
    test_print_fits();
    return 0;
}
