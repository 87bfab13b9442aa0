/* The loops of range.c that are worth a CPU level, written once and compiled for each.
 *
 * A file defines LEVEL (the suffix of the filler's name) and, where it wants them, target options, and includes this.
 * fma() is exact whether the CPU has it or not, so all levels give the same bytes.
 */
#include <math.h>

#include "cpu.h"

static void arange_int64(int64_t *out, int64_t n, uint64_t start, uint64_t step) {
    for (int64_t i = 0; i < n; i++, start += step) out[i] = (int64_t)start;
}

static void arange_float(float *out, int64_t n, double start, double step) {
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int64_t half = i; half < i + 16; half += 8) {
            double base = (float)fma(step, (double)half, start);
            for (int k = 0; k < 8; k++) out[half + k] = (float)fma((double)k, step, base);
        }
    for (; i < n; i++) out[i] = (float)fma(step, (double)i, start);
}

static void arange_double(double *out, int64_t n, double start, double step) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int64_t half = i; half < i + 8; half += 4) {
            double base = fma(step, (double)half, start);
            for (int k = 0; k < 4; k++) out[half + k] = fma((double)k, step, base);
        }
    for (; i < n; i++) out[i] = fma(step, (double)i, start);
}

/* The sign of the product is the count's, not the step's: a NaN keeps its own. */
static void linspace_float(float *out, int64_t n, float start, float end) {
    float step = (end - start) / (float)(n - 1);
    for (int64_t i = 0; i < n / 2; i++) out[i] = fmaf(step, (float)i, start);
    for (int64_t i = n / 2; i < n; i++) out[i] = fmaf(step, -(float)(n - 1 - i), end);
}

static void linspace_double(double *out, int64_t n, double start, double end) {
    double step = (end - start) / (double)(n - 1);
    for (int64_t i = 0; i < n / 2; i++) out[i] = fma(step, (double)i, start);
    for (int64_t i = n / 2; i < n; i++) out[i] = fma(step, -(double)(n - 1 - i), end);
}

#define FILLER_OF(level) sc_fill_range_##level
#define FILLER(level) FILLER_OF(level)
void FILLER(LEVEL)(sc_kernels *kernels);
void FILLER(LEVEL)(sc_kernels *kernels) {
    kernels->arange_int64 = arange_int64;
    kernels->arange_float = arange_float;
    kernels->arange_double = arange_double;
    kernels->linspace_float = linspace_float;
    kernels->linspace_double = linspace_double;
}
