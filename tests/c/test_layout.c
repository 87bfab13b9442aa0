/* Layout arithmetic: literal cases. Random ones are compared with torch from tests/test_engine.py. */
#include "layout.h"

#include "check.h"

#define SAME(array, ...)                                                       \
    do {                                                                       \
        int64_t want_[] = {__VA_ARGS__};                                       \
        for (size_t i_ = 0; i_ < sizeof want_ / sizeof *want_; i_++)           \
            CHECK((array)[i_] == want_[i_], "[%d] is %lld", (int)i_, (long long)(array)[i_]); \
    } while (0)
#define DIMS(...) (int64_t[]){__VA_ARGS__}

static void test_channels_last(void) {
    int64_t strides[5];
    CHECK(sc_channels_last_strides(4, DIMS(2, 3, 4, 5), strides));
    SAME(strides, 60, 1, 15, 3);
    CHECK(sc_channels_last_strides(5, DIMS(2, 3, 4, 5, 6), strides));
    SAME(strides, 360, 1, 90, 18, 3);
    CHECK(sc_channels_last_strides(4, DIMS(2, 0, 4, 5), strides));
    SAME(strides, 0, 1, 0, 0);
    CHECK(!sc_channels_last_strides(3, DIMS(2, 3, 4), strides));
    CHECK(!sc_channels_last_strides(4, DIMS(2, (int64_t)1 << 40, (int64_t)1 << 40, 1), strides), "overflow");

    CHECK(sc_is_channels_last(4, DIMS(2, 3, 4, 5), DIMS(60, 1, 15, 3)));
    CHECK(!sc_is_channels_last(4, DIMS(2, 3, 4, 5), DIMS(60, 20, 5, 1)));
    CHECK(sc_is_channels_last(4, DIMS(2, 1, 4, 5), DIMS(20, 20, 5, 1)), "one channel: both");
    CHECK(!sc_is_channels_last(4, DIMS(0, 3, 4, 5), DIMS(60, 20, 5, 1)), "empty is not excused");
    CHECK(!sc_is_channels_last(3, DIMS(3, 4, 5), DIMS(1, 15, 3)));
}

static void test_non_overlapping_and_dense(void) {
    CHECK(sc_is_non_overlapping_and_dense(2, DIMS(2, 3), DIMS(1, 2)), "transposed");
    CHECK(sc_is_non_overlapping_and_dense(3, DIMS(2, 1, 3), DIMS(3, 99, 1)), "size 1 is ignored");
    CHECK(sc_is_non_overlapping_and_dense(2, DIMS(0, 3), DIMS(7, 7)), "empty");
    CHECK(sc_is_non_overlapping_and_dense(0, NULL, NULL), "0-dim");
    CHECK(!sc_is_non_overlapping_and_dense(2, DIMS(2, 3), DIMS(4, 1)), "gap");
    CHECK(!sc_is_non_overlapping_and_dense(2, DIMS(2, 3), DIMS(0, 1)), "expanded");
    CHECK(!sc_is_non_overlapping_and_dense(1, DIMS(3), DIMS(-1)), "reversed");
}

static void test_preserve_strides(void) {
    int64_t strides[3];
    CHECK(sc_preserve_strides(3, DIMS(4, 3, 2), DIMS(0, 1, 3), strides));
    SAME(strides, 6, 1, 3);
    CHECK(sc_preserve_strides(2, DIMS(4, 3), DIMS(5, 2), strides));
    SAME(strides, 3, 1);
    CHECK(sc_preserve_strides(2, DIMS(2, 3), DIMS(1, 2), strides));
    SAME(strides, 1, 2);
    CHECK(sc_preserve_strides(2, DIMS(2, 3), DIMS(-1, -2), strides));
    SAME(strides, 1, 2);
}

static void test_view_strides(void) {
    int64_t strides[3];
    sc_view_conflict conflict;
    CHECK(sc_view_strides(3, DIMS(2, 4, 3), DIMS(24, 3, 1), 2, DIMS(2, 12), strides, &conflict));
    SAME(strides, 24, 1);
    CHECK(!sc_view_strides(3, DIMS(2, 4, 3), DIMS(12, 1, 4), 2, DIMS(2, 12), strides, &conflict));
    CHECK(conflict.outer == 1 && conflict.inner == 2 && conflict.needed == 12);
    CHECK(sc_view_strides(2, DIMS(3, 2), DIMS(1, 3), 3, DIMS(3, 1, 2), strides, &conflict));
    SAME(strides, 1, 6, 3);
    CHECK(sc_view_strides(2, DIMS(3, 2), DIMS(1, 3), 3, DIMS(3, 2, 1), strides, &conflict));
    SAME(strides, 1, 3, 3);
    CHECK(sc_view_strides(0, NULL, NULL, 2, DIMS(1, 1), strides, &conflict));
    SAME(strides, 1, 1);
    CHECK(sc_view_strides(2, DIMS(0, 3), DIMS(5, 7), 2, DIMS(0, 3), strides, &conflict));
    SAME(strides, 5, 7);
    CHECK(sc_view_strides(2, DIMS(0, 3), DIMS(5, 7), 2, DIMS(3, 0), strides, &conflict));
    SAME(strides, 1, 1);
    CHECK(!sc_view_strides(2, DIMS(2, 1), DIMS(INT64_MAX, INT64_MAX), 2, DIMS(1, 2), strides, &conflict));
    CHECK(conflict.outer == -1, "overflow");
}

static void test_coalesce(void) {
    int64_t sizes[] = {2, 1, 4, 3}, a[] = {12, 7, 3, 1}, b[] = {24, 0, 6, 2};
    CHECK(sc_coalesce(4, sizes, 2, (int64_t *[]){a, b}) == 1);
    CHECK(sizes[0] == 24 && a[0] == 1 && b[0] == 2);
    int64_t sizes2[] = {2, 4, 3}, a2[] = {12, 3, 1}, b2[] = {24, 3, 1};
    CHECK(sc_coalesce(3, sizes2, 2, (int64_t *[]){a2, b2}) == 2);
    SAME(sizes2, 2, 12);
    SAME(a2, 12, 1);
    SAME(b2, 24, 1);
    int64_t ones[] = {1, 1}, any[] = {5, 6};
    CHECK(sc_coalesce(2, ones, 1, (int64_t *[]){any}) == 0);
}

int main(void) {
    test_channels_last();
    test_non_overlapping_and_dense();
    test_preserve_strides();
    test_view_strides();
    test_coalesce();
    return 0;
}
