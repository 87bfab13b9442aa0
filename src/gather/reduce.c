/* Scatter that combines: a table of kernels by reduction and dtype. */
#include "loop.h"
#include "rows.h"

#include <string.h>

/* The three kernels of one reduction and type. LOAD and STORE move a value of type T at any address, OP combines the
 * old value a and the new value b; two runs of T are a loop of their own, for vectors. */
#define COMBINE(T, LOAD, STORE, OP, INDEXED, PLAIN) \
    {                                               \
        T a, b;                                     \
        LOAD(a, INDEXED);                           \
        LOAD(b, PLAIN);                             \
        a = (T)(OP);                                \
        STORE(INDEXED, a);                          \
    }

#define KERNELS(NAME, T, LOAD, STORE, OP)                                                                     \
    static void NAME##_items(char *plain, int64_t plain_step, char *indexed, const int64_t *offsets, int64_t n, \
                             int64_t item) {                                                                  \
        (void)item;                                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                                     \
            if (i + ITEMS_AHEAD < n) __builtin_prefetch(indexed + offsets[i + ITEMS_AHEAD], 1);               \
            COMBINE(T, LOAD, STORE, OP, indexed + offsets[i], plain + i * plain_step)                         \
        }                                                                                                     \
    }                                                                                                         \
    static void NAME##_line(char *plain, int64_t plain_step, char *indexed, int64_t indexed_step, int64_t n,  \
                            int64_t item) {                                                                   \
        if (plain_step == (int64_t)sizeof(T) && indexed_step == (int64_t)sizeof(T) && item == (int64_t)sizeof(T)) \
            for (int64_t i = 0; i < n; i++)                                                                   \
                COMBINE(T, LOAD, STORE, OP, indexed + i * (int64_t)sizeof(T), plain + i * (int64_t)sizeof(T)) \
        else                                                                                                  \
            for (int64_t i = 0; i < n; i++)                                                                   \
                COMBINE(T, LOAD, STORE, OP, indexed + i * indexed_step, plain + i * plain_step)               \
    }                                                                                                         \
    static void NAME##_rows(char *packed, char *spread, const int64_t *offsets, int64_t n, int64_t known,     \
                            int64_t nbytes) {                                                                 \
        int64_t item = ITEM_##LOAD(T), ahead = sc_rows_ahead(nbytes);                                         \
        for (int64_t i = 0; i < n; i++) {                                                                     \
            if (i + ahead < known) sc_prefetch_row(spread + offsets[i + ahead], nbytes);                      \
            NAME##_line(packed + i * nbytes, item, spread + offsets[i], item, nbytes / item, item);           \
        }                                                                                                     \
    }

enum { ITEMS_AHEAD = 16 };

#define COPY_IN(to, from) memcpy(&to, from, sizeof to)
#define ITEM_COPY_IN(T) (int64_t)sizeof(T)
#define COPY_OUT(to, from) memcpy(to, &from, sizeof from)

#define MAX_OP a > b ? a : b
#define MIN_OP a < b ? a : b
#define MAX_NAN_OP (a > b || a != a) ? a : b
#define MIN_NAN_OP (a < b || a != a) ? a : b

/* Integers are added and multiplied as uint64: the low bits are right for every width, and nothing overflows. */
#define INTEGER(NAME, T)                                                              \
    KERNELS(sum_##NAME, T, COPY_IN, COPY_OUT, (uint64_t)a + (uint64_t)b)              \
    KERNELS(prod_##NAME, T, COPY_IN, COPY_OUT, (uint64_t)a * (uint64_t)b)             \
    KERNELS(amax_##NAME, T, COPY_IN, COPY_OUT, MAX_OP)                                \
    KERNELS(amin_##NAME, T, COPY_IN, COPY_OUT, MIN_OP)

#define FLOATING(NAME, T, LOAD, STORE)                                                \
    KERNELS(sum_##NAME, T, LOAD, STORE, a + b)                                        \
    KERNELS(prod_##NAME, T, LOAD, STORE, a * b)                                       \
    KERNELS(amax_##NAME, T, LOAD, STORE, MAX_NAN_OP)                                  \
    KERNELS(amin_##NAME, T, LOAD, STORE, MIN_NAN_OP)

INTEGER(uint8, uint8_t)
INTEGER(int8, int8_t)
INTEGER(int16, int16_t)
INTEGER(int32, int32_t)
INTEGER(int64, int64_t)
INTEGER(uint16, uint16_t)
INTEGER(uint32, uint32_t)
INTEGER(uint64, uint64_t)
FLOATING(float32, float, COPY_IN, COPY_OUT)
FLOATING(float64, double, COPY_IN, COPY_OUT)

#define REDUCED(NAME, CODE)                                                                               \
    static inline float load_##NAME(const char *from) {                                                   \
        float value;                                                                                      \
        sc_convert_item(SC_FLOAT32, &value, CODE, from);                                                  \
        return value;                                                                                     \
    }                                                                                                     \
    static inline void store_##NAME(char *to, float value) { sc_convert_item(CODE, to, SC_FLOAT32, &value); }

REDUCED(float16, SC_FLOAT16)
REDUCED(bfloat16, SC_BFLOAT16)
REDUCED(e4m3fn, SC_FLOAT8_E4M3FN)
REDUCED(e5m2, SC_FLOAT8_E5M2)
REDUCED(e4m3fnuz, SC_FLOAT8_E4M3FNUZ)
REDUCED(e5m2fnuz, SC_FLOAT8_E5M2FNUZ)
REDUCED(e8m0fnu, SC_FLOAT8_E8M0FNU)

#define IN_float16(to, from) to = load_float16(from)
#define ITEM_IN_float16(T) 2
#define OUT_float16(to, from) store_float16(to, from)
#define IN_bfloat16(to, from) to = load_bfloat16(from)
#define ITEM_IN_bfloat16(T) 2
#define OUT_bfloat16(to, from) store_bfloat16(to, from)
#define IN_e4m3fn(to, from) to = load_e4m3fn(from)
#define ITEM_IN_e4m3fn(T) 1
#define OUT_e4m3fn(to, from) store_e4m3fn(to, from)
#define IN_e5m2(to, from) to = load_e5m2(from)
#define ITEM_IN_e5m2(T) 1
#define OUT_e5m2(to, from) store_e5m2(to, from)
#define IN_e4m3fnuz(to, from) to = load_e4m3fnuz(from)
#define ITEM_IN_e4m3fnuz(T) 1
#define OUT_e4m3fnuz(to, from) store_e4m3fnuz(to, from)
#define IN_e5m2fnuz(to, from) to = load_e5m2fnuz(from)
#define ITEM_IN_e5m2fnuz(T) 1
#define OUT_e5m2fnuz(to, from) store_e5m2fnuz(to, from)
#define IN_e8m0fnu(to, from) to = load_e8m0fnu(from)
#define ITEM_IN_e8m0fnu(T) 1
#define OUT_e8m0fnu(to, from) store_e8m0fnu(to, from)

FLOATING(float16, float, IN_float16, OUT_float16)
FLOATING(bfloat16, float, IN_bfloat16, OUT_bfloat16)
FLOATING(e4m3fn, float, IN_e4m3fn, OUT_e4m3fn)
FLOATING(e5m2, float, IN_e5m2, OUT_e5m2)
FLOATING(e4m3fnuz, float, IN_e4m3fnuz, OUT_e4m3fnuz)
FLOATING(e5m2fnuz, float, IN_e5m2fnuz, OUT_e5m2fnuz)
FLOATING(e8m0fnu, float, IN_e8m0fnu, OUT_e8m0fnu)

/* Bools: a byte that is not 0 is true, and true is stored as 1. */
KERNELS(sum_bool, uint8_t, COPY_IN, COPY_OUT, (a | b) != 0)
KERNELS(prod_bool, uint8_t, COPY_IN, COPY_OUT, a != 0 && b != 0)

typedef struct pair32 { float re, im; } pair32;
typedef struct pair64 { double re, im; } pair64;

static inline pair32 sum_pair32(pair32 a, pair32 b) { return (pair32){a.re + b.re, a.im + b.im}; }
static inline pair64 sum_pair64(pair64 a, pair64 b) { return (pair64){a.re + b.re, a.im + b.im}; }
static inline pair32 product_pair32(pair32 a, pair32 b) {
    return (pair32){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline pair64 product_pair64(pair64 a, pair64 b) {
    return (pair64){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
#define IN_complex32(to, from) sc_convert_item(SC_COMPLEX64, &to, SC_COMPLEX32, from)
#define ITEM_IN_complex32(T) 4
#define OUT_complex32(to, from) sc_convert_item(SC_COMPLEX32, to, SC_COMPLEX64, &from)
#define COMPLEX(NAME, P, LOAD, STORE)                            \
    KERNELS(sum_##NAME, P, LOAD, STORE, sum_##P(a, b))           \
    KERNELS(prod_##NAME, P, LOAD, STORE, product_##P(a, b))

COMPLEX(complex32, pair32, IN_complex32, OUT_complex32)
COMPLEX(complex64, pair32, COPY_IN, COPY_OUT)
COMPLEX(complex128, pair64, COPY_IN, COPY_OUT)

typedef struct reducer {
    sc_items_fn items;
    sc_line_fn line;
    sc_rows_kernel rows;
} reducer;

#define ONE(OP, NAME) {OP##_##NAME##_items, OP##_##NAME##_line, OP##_##NAME##_rows}
#define FOUR(NAME) {ONE(sum, NAME), ONE(prod, NAME), ONE(amax, NAME), ONE(amin, NAME)}
#define TWO(NAME) {ONE(sum, NAME), ONE(prod, NAME), {NULL, NULL, NULL}, {NULL, NULL, NULL}}

static const reducer REDUCERS[SC_NUM_DTYPES][SC_NUM_REDUCTIONS] = {
    [SC_BOOL] = {ONE(sum, bool), ONE(prod, bool), ONE(sum, bool), ONE(prod, bool)},
    [SC_UINT8] = FOUR(uint8),
    [SC_INT8] = FOUR(int8),
    [SC_INT16] = FOUR(int16),
    [SC_INT32] = FOUR(int32),
    [SC_INT64] = FOUR(int64),
    [SC_UINT16] = FOUR(uint16),
    [SC_UINT32] = FOUR(uint32),
    [SC_UINT64] = FOUR(uint64),
    [SC_FLOAT16] = FOUR(float16),
    [SC_BFLOAT16] = FOUR(bfloat16),
    [SC_FLOAT32] = FOUR(float32),
    [SC_FLOAT64] = FOUR(float64),
    [SC_COMPLEX32] = TWO(complex32),
    [SC_COMPLEX64] = TWO(complex64),
    [SC_COMPLEX128] = TWO(complex128),
    [SC_FLOAT8_E4M3FN] = FOUR(e4m3fn),
    [SC_FLOAT8_E5M2] = FOUR(e5m2),
    [SC_FLOAT8_E4M3FNUZ] = FOUR(e4m3fnuz),
    [SC_FLOAT8_E5M2FNUZ] = FOUR(e5m2fnuz),
    [SC_FLOAT8_E8M0FNU] = FOUR(e8m0fnu),
};

bool sc_scatter_reduce(const sc_indexed_loop *loop, sc_dtype dtype, sc_reduction op, sc_bad_index *bad) {
    const reducer *kernels = &REDUCERS[dtype][op];
    sc_loop_plan plan;
    if (!kernels->items) return true;
    sc_loop_work work = {kernels->items, kernels->line, kernels->rows, false};
    sc_loop_plan_make(&plan, loop, false);
    return sc_loop_run(&plan, &work, bad);
}

/* ---- means --------------------------------------------------------------------------------- */

static void divide(sc_dtype dtype, char *item, int64_t count) {
    if (sc_is_complex(dtype)) {
        double parts[2];
        sc_convert_item(SC_COMPLEX128, parts, dtype, item);
        parts[0] /= (double)count, parts[1] /= (double)count;
        sc_convert_item(dtype, item, SC_COMPLEX128, parts);
    } else if (dtype == SC_UINT64) {
        uint64_t value;
        memcpy(&value, item, sizeof value);
        value /= (uint64_t)count;
        memcpy(item, &value, sizeof value);
    } else if (sc_is_integral(dtype) || dtype == SC_BOOL) {
        int64_t value;
        sc_convert_item(SC_INT64, &value, dtype, item);
        value = value / count - (value % count < 0);
        sc_convert_item(dtype, item, SC_INT64, &value);
    } else if (dtype == SC_FLOAT64) {
        double value;
        memcpy(&value, item, sizeof value);
        value /= (double)count;
        memcpy(item, &value, sizeof value);
    } else {
        float value;
        sc_convert_item(SC_FLOAT32, &value, dtype, item);
        value /= (float)count;
        sc_convert_item(dtype, item, SC_FLOAT32, &value);
    }
}

void sc_divide_by_counts(int64_t ndim, const int64_t *sizes, sc_dtype dtype, char *dst, const int64_t *dst_strides,
                         const char *counts, const int64_t *count_strides) {
    if (ndim == 0) {
        int64_t count;
        memcpy(&count, counts, sizeof count);
        if (count > 1) divide(dtype, dst, count);
        return;
    }
    for (int64_t i = 0; i < sizes[0]; i++)
        sc_divide_by_counts(ndim - 1, sizes + 1, dtype, dst + i * dst_strides[0], dst_strides + 1,
                            counts + i * count_strides[0], count_strides + 1);
}
