/* Values of ranges: which computation a type gets. */
#include "range.h"

#include <math.h>

#include "convert.h"
#include "cpu.h"

/* Values of an intermediate type that are converted together; a multiple of arange's steps. */
enum { CHUNK = 256 };

/* ---- arange ------------------------------------------------------------------------------------ */

static float round_to(sc_dtype dtype, float value) {
    char item[2];
    sc_convert_item(dtype, item, SC_FLOAT32, &value);
    sc_convert_item(SC_FLOAT32, &value, dtype, item);
    return value;
}

/* Element i of the float16 or bfloat16 (or float8) range, before it is rounded. torch fuses everywhere but in the
 * additions within a bfloat16 vector. */
static float arange_narrow(sc_dtype dtype, int64_t i, int64_t whole, float start, float step) {
    if (i >= whole) return fmaf(step, (float)i, start);
    float base = round_to(dtype, fmaf(step, (float)(i & ~INT64_C(15)), start)), k = (float)(i & 15);
    return dtype == SC_FLOAT16 ? fmaf(k, step, base) : base + k * step;
}

void sc_arange(sc_dtype dtype, void *out, int64_t n, double start, double step, int64_t int_start, int64_t int_step) {
    int64_t itemsize = sc_itemsize(dtype), whole = n & ~INT64_C(31);
    int64_t ints[CHUNK];
    double doubles[CHUNK];
    float floats[CHUNK];
    switch (dtype) {
    case SC_INT64: sc_kernels_now()->arange_int64(out, n, (uint64_t)int_start, (uint64_t)int_step); return;
    case SC_FLOAT32: sc_kernels_now()->arange_float(out, n, start, step); return;
    case SC_FLOAT64: sc_kernels_now()->arange_double(out, n, start, step); return;
    default: break;
    }
    for (int64_t first = 0; first < n; first += CHUNK) {
        int64_t count = n - first < CHUNK ? n - first : CHUNK;
        char *dst = (char *)out + first * itemsize;
        if (sc_is_complex(dtype)) {
            for (int64_t i = 0; i < count; i++) doubles[i] = fma(step, (double)(first + i), start);
            sc_convert_row(dtype, dst, itemsize, SC_FLOAT64, (char *)doubles, 8, count, 0);
        } else if (sc_is_floating_point(dtype)) {
            for (int64_t i = 0; i < count; i++)
                floats[i] = arange_narrow(dtype, first + i, whole, (float)start, (float)step);
            sc_convert_row(dtype, dst, itemsize, SC_FLOAT32, (char *)floats, 4, count, 0);
        } else {
            uint64_t from = (uint64_t)int_start + (uint64_t)first * (uint64_t)int_step;
            sc_kernels_now()->arange_int64(ints, count, from, (uint64_t)int_step);
            sc_convert_row(dtype, dst, itemsize, SC_INT64, (char *)ints, 8, count, 0);
        }
    }
}

/* ---- linspace ---------------------------------------------------------------------------------- */

/* float16 and bfloat16 (and float8): each operation rounds to the type. */
static float linspace_narrow(sc_dtype dtype, int64_t i, int64_t n, float start, float end, float step) {
    if (i < n / 2) return start + round_to(dtype, step * round_to(dtype, (float)i));
    return end - round_to(dtype, step * round_to(dtype, (float)(n - 1 - i)));
}

void sc_linspace(sc_dtype dtype, void *out, int64_t n, const void *start, const void *end) {
    int64_t itemsize = sc_itemsize(dtype);
    double first[2], last[2];
    sc_convert_item(SC_COMPLEX128, first, dtype, start);
    sc_convert_item(SC_COMPLEX128, last, dtype, end);
    if (dtype == SC_FLOAT32) {
        sc_kernels_now()->linspace_float(out, n, (float)first[0], (float)last[0]);
    } else if (dtype == SC_FLOAT64) {
        sc_kernels_now()->linspace_double(out, n, first[0], last[0]);
    } else if (sc_is_floating_point(dtype)) {
        float from = (float)first[0], to = (float)last[0];
        float step = round_to(dtype, round_to(dtype, to - from) / round_to(dtype, (float)(n - 1)));
        for (int64_t i = 0; i < n; i++) {
            float value = linspace_narrow(dtype, i, n, from, to, step);
            sc_convert_item(dtype, (char *)out + i * itemsize, SC_FLOAT32, &value);
        }
    } else {
        bool in_float = dtype == SC_COMPLEX32 || dtype == SC_COMPLEX64;
        double steps[2], values[2];
        for (int part = 0; part < 2; part++)
            steps[part] = in_float ? ((float)last[part] - (float)first[part]) / (float)(n - 1)
                                   : (last[part] - first[part]) / (double)(n - 1);
        for (int64_t i = 0; i < n; i++) {
            double count = (double)(i < n / 2 ? i : i - (n - 1));
            for (int part = 0; part < 2; part++) {
                double from = i < n / 2 ? first[part] : last[part];
                values[part] = in_float ? fmaf((float)steps[part], (float)count, (float)from)
                                        : fma(steps[part], count, from);
            }
            sc_convert_item(dtype, (char *)out + i * itemsize, sc_is_complex(dtype) ? SC_COMPLEX128 : SC_FLOAT64,
                            values);
        }
    }
}

/* ---- logspace ---------------------------------------------------------------------------------- */

void sc_logspace(sc_dtype dtype, void *out, int64_t n, const void *start, const void *end, double base) {
    int64_t itemsize = sc_itemsize(dtype);
    double first, last, span;
    sc_convert_item(SC_FLOAT64, &first, dtype, start);
    sc_convert_item(SC_FLOAT64, &last, dtype, end);
    span = last - first;
    if (sc_is_floating_point(dtype)) { /* the difference is one of the type */
        char item[8];
        sc_convert_item(dtype, item, SC_FLOAT64, &span);
        sc_convert_item(SC_FLOAT64, &span, dtype, item);
    }
    double step = span / (double)(n - 1);
    for (int64_t i = 0; i < n; i++) {
        double exponent = i < n / 2 ? first + step * (double)i : last - step * (double)(n - 1 - i);
        double value = pow(base, exponent);
        sc_convert_item(dtype, (char *)out + i * itemsize, SC_FLOAT64, &value);
    }
}
