/* The loops of binary.h, written once and compiled for each CPU level.
 *
 * A file defines LEVEL and, where it wants them, target options, and includes this. Integers of one size share the
 * loops in which their sign makes no difference; of a pair like < and >, one is the other with its operands changed
 * over. All levels give the same bytes.
 */
#include <math.h>

#include "cpu.h"

#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif

/* Two rows, and a row with one value on the right: name_rows, name_right. */
#define ROWS_AND_RIGHT(name, in, to, expression)                                                 \
    static void name##_rows(void *out, const void *left, const void *right, int64_t n) {         \
        to *o = out;                                                                             \
        const in *p = left, *q = right;                                                          \
        INDEPENDENT for (int64_t i = 0; i < n; i++) {                                            \
            in a = p[i], b = q[i];                                                               \
            o[i] = (to)(expression);                                                             \
        }                                                                                        \
    }                                                                                            \
    static void name##_right(void *out, const void *left, const void *right, int64_t n) {        \
        to *o = out;                                                                             \
        const in *p = left, b = *(const in *)right;                                              \
        INDEPENDENT for (int64_t i = 0; i < n; i++) {                                            \
            in a = p[i];                                                                         \
            o[i] = (to)(expression);                                                             \
        }                                                                                        \
    }

/* Those, and one value on the left: name_left. */
#define LOOPS(name, in, to, expression)                                                          \
    ROWS_AND_RIGHT(name, in, to, expression)                                                     \
    static void name##_left(void *out, const void *left, const void *right, int64_t n) {         \
        to *o = out;                                                                             \
        const in a = *(const in *)left, *q = right;                                              \
        INDEPENDENT for (int64_t i = 0; i < n; i++) {                                            \
            in b = q[i];                                                                         \
            o[i] = (to)(expression);                                                             \
        }                                                                                        \
    }

/* The same where a op b is b op a: the left form is the right one. */
#define LOOPS_EITHER_WAY(name, in, to, expression)                                               \
    ROWS_AND_RIGHT(name, in, to, expression)                                                     \
    static void name##_left(void *out, const void *left, const void *right, int64_t n) {         \
        name##_right(out, right, left, n);                                                       \
    }

/* op with its operands changed over. */
#define CHANGED_OVER(name, other)                                                                \
    static void name##_rows(void *out, const void *left, const void *right, int64_t n) {        \
        other##_rows(out, right, left, n);                                                       \
    }                                                                                            \
    static void name##_right(void *out, const void *left, const void *right, int64_t n) {       \
        other##_left(out, right, left, n);                                                       \
    }                                                                                            \
    static void name##_left(void *out, const void *left, const void *right, int64_t n) {        \
        other##_right(out, right, left, n);                                                      \
    }

#define ARITHMETIC(type, ctype)                                                                  \
    LOOPS_EITHER_WAY(add_##type, ctype, ctype, a + b)                                            \
    LOOPS(sub_##type, ctype, ctype, a - b)                                                       \
    LOOPS_EITHER_WAY(mul_##type, ctype, ctype, a *b)

#define EXTREMA(type, ctype)                                                                     \
    LOOPS(max_##type, ctype, ctype, a > b ? a : b)                                               \
    LOOPS(min_##type, ctype, ctype, a < b ? a : b)

/* A comparison with NaN is false, so b stays; where a is NaN, it is put there. */
#define FLOAT_EXTREMA(type)                                                                      \
    LOOPS(max_##type, type, type, a != a ? a : a > b ? a : b)                                    \
    LOOPS(min_##type, type, type, a != a ? a : a < b ? a : b)

/* Of a alone: in rows and with one value on the right. Nobody has a row on the right only. */
#define ALONE(name, in, to, expression)                                                          \
    static void name##_rows(void *out, const void *left, const void *right, int64_t n) {         \
        to *o = out;                                                                             \
        const in *p = left;                                                                      \
        (void)right;                                                                             \
        INDEPENDENT for (int64_t i = 0; i < n; i++) {                                            \
            in a = p[i];                                                                         \
            o[i] = (to)(expression);                                                             \
        }                                                                                        \
    }

#define EQUALITY(type, ctype)                                                                    \
    LOOPS_EITHER_WAY(eq_##type, ctype, uint8_t, a == b)                                          \
    LOOPS_EITHER_WAY(ne_##type, ctype, uint8_t, a != b)

#define ORDER(type, ctype)                                                                       \
    LOOPS(lt_##type, ctype, uint8_t, a < b)                                                      \
    LOOPS(le_##type, ctype, uint8_t, a <= b)                                                     \
    CHANGED_OVER(gt_##type, lt_##type)                                                           \
    CHANGED_OVER(ge_##type, le_##type)

#define BITS(type, ctype)                                                                        \
    LOOPS_EITHER_WAY(and_##type, ctype, ctype, a &b)                                             \
    LOOPS_EITHER_WAY(or_##type, ctype, ctype, a | b)                                             \
    LOOPS_EITHER_WAY(xor_##type, ctype, ctype, a ^ b)

ARITHMETIC(float, float)
ARITHMETIC(double, double)
ARITHMETIC(8, uint8_t)
ARITHMETIC(32, uint32_t)
ARITHMETIC(64, uint64_t)
LOOPS(div_float, float, float, a / b)
LOOPS(div_double, double, double, a / b)
FLOAT_EXTREMA(float)
FLOAT_EXTREMA(double)
EXTREMA(u8, uint8_t)
EXTREMA(i32, int32_t)
EXTREMA(i64, int64_t)
ALONE(abs_float, float, float, fabsf(a))
ALONE(abs_double, double, double, fabs(a))
ALONE(abs_i32, int32_t, int32_t, a < 0 ? 0 - (uint32_t)a : (uint32_t)a)
ALONE(abs_i64, int64_t, int64_t, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)
ALONE(sqrt_float, float, float, sqrtf(a))
ALONE(sqrt_double, double, double, sqrt(a))
EQUALITY(float, float)
EQUALITY(double, double)
EQUALITY(8, uint8_t)
EQUALITY(32, uint32_t)
EQUALITY(64, uint64_t)
ORDER(float, float)
ORDER(double, double)
ORDER(u8, uint8_t)
ORDER(i32, int32_t)
ORDER(i64, int64_t)
BITS(8, uint8_t)
BITS(32, uint32_t)
BITS(64, uint64_t)

/* Bools are read as "not 0", whatever byte they are. */
LOOPS_EITHER_WAY(and_bool, uint8_t, uint8_t, (a != 0) & (b != 0))
LOOPS_EITHER_WAY(or_bool, uint8_t, uint8_t, (a | b) != 0)
LOOPS_EITHER_WAY(eq_bool, uint8_t, uint8_t, (a != 0) == (b != 0))
LOOPS_EITHER_WAY(ne_bool, uint8_t, uint8_t, (a != 0) != (b != 0))

#define SET(op, dtype, name)                               \
    kernels->binary[op][dtype][SC_ROWS] = name##_rows;     \
    kernels->binary[op][dtype][SC_RIGHT] = name##_right;   \
    kernels->binary[op][dtype][SC_LEFT] = name##_left;

#define SET_ARITHMETIC(dtype, type)      \
    SET(SC_ADD, dtype, add_##type)       \
    SET(SC_SUB, dtype, sub_##type)       \
    SET(SC_MUL, dtype, mul_##type)

#define SET_ALONE(op, dtype, name)                         \
    kernels->binary[op][dtype][SC_ROWS] = name##_rows;     \
    kernels->binary[op][dtype][SC_RIGHT] = name##_rows;

#define SET_EXTREMA(dtype, type)         \
    SET(SC_MAX, dtype, max_##type)       \
    SET(SC_MIN, dtype, min_##type)

#define SET_EQUALITY(dtype, type)        \
    SET(SC_EQ, dtype, eq_##type)         \
    SET(SC_NE, dtype, ne_##type)

#define SET_ORDER(dtype, type)           \
    SET(SC_LT, dtype, lt_##type)         \
    SET(SC_LE, dtype, le_##type)         \
    SET(SC_GT, dtype, gt_##type)         \
    SET(SC_GE, dtype, ge_##type)

#define SET_BITS(dtype, type)            \
    SET(SC_AND, dtype, and_##type)       \
    SET(SC_OR, dtype, or_##type)         \
    SET(SC_XOR, dtype, xor_##type)

#define SET_INTEGER(dtype, type)         \
    SET_ARITHMETIC(dtype, type)          \
    SET_EQUALITY(dtype, type)            \
    SET_BITS(dtype, type)

#define FILLER_OF(level) sc_fill_binary_##level
#define FILLER(level) FILLER_OF(level)
void FILLER(LEVEL)(sc_kernels *kernels);
void FILLER(LEVEL)(sc_kernels *kernels) {
    SET_ARITHMETIC(SC_FLOAT32, float)
    SET_ARITHMETIC(SC_FLOAT64, double)
    SET(SC_DIV, SC_FLOAT32, div_float)
    SET(SC_DIV, SC_FLOAT64, div_double)
    SET_EQUALITY(SC_FLOAT32, float)
    SET_EQUALITY(SC_FLOAT64, double)
    SET_ORDER(SC_FLOAT32, float)
    SET_ORDER(SC_FLOAT64, double)
    SET_INTEGER(SC_UINT8, 8)
    SET_INTEGER(SC_INT8, 8)
    SET_INTEGER(SC_INT32, 32)
    SET_INTEGER(SC_UINT32, 32)
    SET_INTEGER(SC_INT64, 64)
    SET_INTEGER(SC_UINT64, 64)
    SET_ORDER(SC_UINT8, u8)
    SET_ORDER(SC_INT32, i32)
    SET_ORDER(SC_INT64, i64)
    SET_EXTREMA(SC_FLOAT32, float)
    SET_EXTREMA(SC_FLOAT64, double)
    SET_EXTREMA(SC_UINT8, u8)
    SET_EXTREMA(SC_INT32, i32)
    SET_EXTREMA(SC_INT64, i64)
    SET_ALONE(SC_ABS, SC_FLOAT32, abs_float)
    SET_ALONE(SC_ABS, SC_FLOAT64, abs_double)
    SET_ALONE(SC_ABS, SC_INT32, abs_i32)
    SET_ALONE(SC_ABS, SC_INT64, abs_i64)
    SET_ALONE(SC_SQRT, SC_FLOAT32, sqrt_float)
    SET_ALONE(SC_SQRT, SC_FLOAT64, sqrt_double)
    SET(SC_MAX, SC_BOOL, or_bool)
    SET(SC_MIN, SC_BOOL, and_bool)
    SET(SC_ADD, SC_BOOL, or_bool)
    SET(SC_MUL, SC_BOOL, and_bool)
    SET(SC_AND, SC_BOOL, and_bool)
    SET(SC_OR, SC_BOOL, or_bool)
    SET(SC_XOR, SC_BOOL, ne_bool)
    SET_EQUALITY(SC_BOOL, bool)
}
