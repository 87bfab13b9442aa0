/* Ranges: literal values, integers that wrap, nothing written beyond the end, and every CPU level against the plain
 * one. (tests/core/test_ranges.py compares the values with torch.) */
#include <math.h>

#include "check.h"
#include "cpu.h"
#include "range.h"

enum { N = 700, GUARD = 64 };

static void test_literal_values(void) {
    float floats[20];
    sc_arange(SC_FLOAT32, floats, 20, 1.0, 0.5, 0, 0);
    for (int i = 0; i < 20; i++) CHECK(floats[i] == 1.0f + 0.5f * (float)i);
    uint8_t bytes[4];
    sc_arange(SC_UINT8, bytes, 4, 0, 0, 254, 1);
    CHECK(bytes[0] == 254 && bytes[1] == 255 && bytes[2] == 0 && bytes[3] == 1);
    int64_t ints[3];
    sc_arange(SC_INT64, ints, 3, 0, 0, INT64_MAX, INT64_MIN);
    CHECK(ints[0] == INT64_MAX && ints[1] == -1 && ints[2] == INT64_MAX);

    float from = 0, to = 1;
    sc_linspace(SC_FLOAT32, floats, 5, &from, &to);
    CHECK(floats[0] == 0 && floats[1] == 0.25f && floats[2] == 0.5f && floats[3] == 0.75f && floats[4] == 1);
    int64_t first = 0, last = 10;
    sc_linspace(SC_INT64, ints, 3, &first, &last);
    CHECK(ints[0] == 0 && ints[1] == 5 && ints[2] == 10);
    from = 0, to = 3;
    sc_logspace(SC_FLOAT32, floats, 4, &from, &to, 10);
    CHECK(floats[0] == 1 && floats[1] == 10 && floats[2] == 100 && floats[3] == 1000);
}

/* A vector's elements start from its first one as it is rounded to the type. */
static void test_vectors(void) {
    float values[16];
    double start = 0.1, step = 0.1;
    sc_arange(SC_FLOAT32, values, 16, start, step, 0, 0);
    float base = (float)fma(step, 8, start);
    for (int k = 0; k < 8; k++) CHECK(values[8 + k] == (float)fma(k, step, (double)base), "at %d", k);
    sc_arange(SC_FLOAT32, values, 15, start, step, 0, 0);
    for (int i = 0; i < 15; i++) CHECK(values[i] == (float)fma(step, i, start), "at %d", i);
}

static void run(int what, sc_dtype dtype, char *out, int64_t n, double a, double b) {
    char from[16], to[16];
    double parts[2] = {a, -b}, others[2] = {b, a};
    sc_convert_item(dtype, from, SC_COMPLEX128, parts);
    sc_convert_item(dtype, to, SC_COMPLEX128, others);
    if (what == 0) sc_arange(dtype, out, n, a, b, (int64_t)a, (int64_t)b);
    else if (what == 1) sc_linspace(dtype, out, n, from, to);
    else sc_logspace(dtype, out, n, from, to, 2.5);
}

static void test_levels_agree(void) {
    static char plain[N * 16 + GUARD], best[N * 16 + GUARD];
    rng r = {7};
    for (int round = 0; round < 2000; round++) {
        sc_dtype dtype = (sc_dtype)rng_below(&r, SC_NUM_DTYPES);
        int what = (int)rng_below(&r, sc_is_complex(dtype) ? 2 : 3);
        int64_t n = 2 + rng_below(&r, N - 1), nbytes = n * sc_itemsize(dtype);
        double a = (double)rng_below(&r, 2000001) / 1e5 - 10, b = (double)rng_below(&r, 2000001) / 1e6 - 1;
        rng_fill(&r, plain, sizeof plain);
        memcpy(best, plain, sizeof best);
        CHECK(sc_set_cpu_level("plain") == SC_CPU_OK);
        run(what, dtype, plain, n, a, b);
        CHECK(sc_set_cpu_level(NULL) == SC_CPU_OK);
        run(what, dtype, best, n, a, b);
        CHECK(memcmp(plain, best, sizeof plain) == 0, "function %d, dtype %d, n %lld, %a, %a; bytes %lld", what, dtype,
              (long long)n, a, b, (long long)nbytes);
    }
}

int main(void) {
    for (int level = 0; level < 2; level++) {
        CHECK(sc_set_cpu_level(level ? NULL : "plain") == SC_CPU_OK);
        test_literal_values();
        test_vectors();
    }
    test_levels_agree();
    return 0;
}
