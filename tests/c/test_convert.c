/* Conversions without torch: literal values, every CPU level against the plain one, and a sum over all pairs that
 * must be the same on every kind of CPU. */
#include "check.h"
#include "convert.h"
#include "cpu.h"

enum { N = 1024 + 37, MOST = 16 };

/* Random patterns, and values around the edges of the integer types. */
static void fill(sc_dtype dtype, char *data, rng *r) {
    static const double edges[] = {0,      -0.0,   0.5,     -0.5,   1,      -1,     127.5,  128,    255,   256,  -129,
                                   32767.5, 65535,  2147483647, 2147483648.0, -2147483649.0, 4294967295.0, 4294967296.0,
                                   9007199254740993.0, 9223372036854775808.0, -9223372036854775808.0,
                                   18446744073709551616.0, 1e30, -1e30, 1e300, 65504, 65520, 448, 464, 57344, 61440};
    int64_t size = sc_itemsize(dtype), count = (int64_t)(sizeof edges / sizeof *edges);
    rng_fill(r, data, (size_t)(N * size));
    if (dtype == SC_BOOL) return;
    for (int64_t i = 0; i < N; i += 3) {
        double value = edges[rng_below(r, count)];
        value += (double)(rng_below(r, 3) - 1);
        sc_convert_item(dtype, data + i * size, SC_FLOAT64, &value);
    }
}

static uint64_t add_to_sum(uint64_t sum, const char *data, int64_t nbytes) {
    for (int64_t i = 0; i < nbytes; i++) sum = (sum ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
    return sum;
}

static void test_literal_values(void) {
    const float floats[] = {-1.7f, 300.0f, 3e9f, 65520.0f};
    uint8_t bytes[4];
    int32_t ints[4];
    uint16_t halves[4];
    sc_convert_row(SC_UINT8, (char *)bytes, 1, SC_FLOAT32, (const char *)floats, 4, 4, 0);
    CHECK(bytes[0] == 255 && bytes[1] == 44 && bytes[2] == 0);
    sc_convert_row(SC_INT32, (char *)ints, 4, SC_FLOAT32, (const char *)floats, 4, 4, 0);
    CHECK(ints[0] == -1 && ints[1] == 300 && ints[2] == INT32_MIN);
    sc_convert_row(SC_FLOAT16, (char *)halves, 2, SC_FLOAT32, (const char *)floats, 4, 4, SC_NEG);
    CHECK(halves[1] == 0xdcb0 && halves[3] == 0xfc00, "-300 and -infinity");
    int64_t large = (INT64_C(1) << 60) + (INT64_C(1) << 35) + 1;
    float once;
    sc_convert_item(SC_FLOAT32, &once, SC_INT64, &large);
    CHECK(once == 1152921504606846976.0f, "below the tie at 2**36");
    const float part[] = {1, 2};
    float complex_parts[4];
    sc_convert_row(SC_COMPLEX64, (char *)complex_parts, 8, SC_FLOAT32, (const char *)part, 4, 2, SC_CONJ);
    CHECK(complex_parts[0] == 1 && complex_parts[2] == 2 && complex_parts[1] == 0 && complex_parts[3] == 0);
    sc_convert_row(SC_COMPLEX64, (char *)complex_parts, 8, SC_COMPLEX64, (const char *)complex_parts, 8, 1, SC_NEG);
    CHECK(complex_parts[0] == -1 && complex_parts[2] == 2);
}

static void test_levels_agree_and_so_do_cpus(void) {
    static char src[N * MOST], plain[N * MOST], other[N * MOST], spread[3 * N * MOST];
    rng r = {2024};
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (int s = 0; s < SC_NUM_DTYPES; s++) {
        fill((sc_dtype)s, src, &r);
        for (int d = 0; d < SC_NUM_DTYPES; d++) {
            int64_t to = sc_itemsize((sc_dtype)d), from = sc_itemsize((sc_dtype)s);
            uint32_t bits = (uint32_t)rng_below(&r, 4);
            CHECK(sc_set_cpu_level("plain") == SC_CPU_OK);
            sc_convert_row((sc_dtype)d, plain, to, (sc_dtype)s, src, from, N, bits);
            sum = add_to_sum(sum, plain, N * to);
            for (int level = SC_CPU_SSE2; level < SC_NUM_CPU_LEVELS; level++) {
                if (!sc_cpu_supports((sc_cpu_level)level)) continue;
                CHECK(sc_set_cpu_level(sc_cpu_level_name((sc_cpu_level)level)) == SC_CPU_OK);
                memset(other, 0, sizeof other);
                sc_convert_row((sc_dtype)d, other, to, (sc_dtype)s, src, from, N, bits);
                CHECK(memcmp(plain, other, (size_t)(N * to)) == 0, "%d from %d at level %d", d, s, level);
                sc_convert_row((sc_dtype)d, spread + 1, 2 * to + 1, (sc_dtype)s, src, from, N, bits);
                for (int64_t i = 0; i < N; i++)
                    CHECK(memcmp(plain + i * to, spread + 1 + i * (2 * to + 1), (size_t)to) == 0, "%d from %d", d, s);
            }
        }
    }
    sc_set_cpu_level(NULL);
    CHECK(sum == UINT64_C(0x6b0b4577d344464c), "the sum is 0x%llx", (unsigned long long)sum);
}

static void test_unknown_and_unsupported_levels(void) {
    sc_cpu_level before = sc_get_cpu_level();
    CHECK(sc_set_cpu_level("avx9000") == SC_CPU_UNKNOWN && sc_get_cpu_level() == before);
    for (int level = 0; level < SC_NUM_CPU_LEVELS; level++) {
        bool supported = sc_cpu_supports((sc_cpu_level)level);
        CHECK((sc_kernels_of((sc_cpu_level)level) != NULL) == supported);
        CHECK(sc_set_cpu_level(sc_cpu_level_name((sc_cpu_level)level)) == (supported ? SC_CPU_OK : SC_CPU_UNSUPPORTED));
        if (supported) CHECK(sc_kernels_now() == sc_kernels_of((sc_cpu_level)level));
    }
    CHECK(sc_set_cpu_level(NULL) == SC_CPU_OK && sc_get_cpu_level() == before);
}

int main(void) {
    test_literal_values();
    test_levels_agree_and_so_do_cpus();
    test_unknown_and_unsupported_levels();
    return 0;
}
