/* Operations of two rows: which kernel a dtype gets, rows past the cache, and the loop over rows. */
#include "binary.h"

#include <stdalign.h>

#include "checked.h"
#include "copy/kernels.h"
#include "cpu.h"

sc_binary_kernel *sc_binary_kernel_of(sc_binary_op op, sc_dtype dtype, sc_binary_form form) {
    return sc_kernels_now()->binary[op][dtype][form];
}

/* ---- one row ----------------------------------------------------------------------------------- */

typedef struct row_steps {
    int64_t out, a, b; /* bytes from item to item */
} row_steps;

static row_steps steps_of(sc_binary_op op, sc_dtype dtype, sc_binary_form form) {
    int64_t item = sc_itemsize(dtype);
    return (row_steps){op >= SC_EQ ? 1 : item, form == SC_LEFT ? 0 : item, form == SC_RIGHT ? 0 : item};
}

enum { LINE = 64, PIECE = 1 << 10 };

/* Do so many elements outgrow the cache? They do if the rows, out among them, would each be a long copy. */
static bool is_long(row_steps step, int64_t n) {
    int64_t rows = 1 + (step.a != 0) + (step.b != 0), nbytes;
    return !sc_mul(n, step.out + step.a + step.b, &nbytes) || sc_is_streamed(nbytes / rows);
}

/* In pieces that leave the first cache as whole lines: else a third of the traffic is lines that are read only to be
 * written over. Small pieces, so that the next one's operands are under way while lines go out. To be followed by
 * fence(). */
static void row_past_cache(sc_binary_kernel *kernel, row_steps step, char *out, const char *a, const char *b,
                           int64_t n) {
    alignas(LINE) char piece[PIECE];
    const sc_kernels *kernels = sc_kernels_now();
    int64_t m = (int64_t)(-(uintptr_t)out & (LINE - 1)) / step.out;
    if (m > n) m = n;
    kernel(out, a, b, m);
    for (;;) {
        out += m * step.out, a += m * step.a, b += m * step.b, n -= m;
        m = n * step.out < PIECE ? n * step.out / LINE * LINE / step.out : PIECE / step.out;
        if (m == 0) break;
        kernel(piece, a, b, m);
        kernels->stream_lines(out, piece, m * step.out / LINE);
    }
    kernel(out, a, b, n);
}

void sc_binary_row(sc_binary_op op, sc_dtype dtype, sc_binary_form form, bool apart, char *out, const char *a,
                   const char *b, int64_t n) {
    sc_binary_kernel *kernel = sc_binary_kernel_of(op, dtype, form);
    row_steps step = steps_of(op, dtype, form);
    if (apart && is_long(step, n)) {
        row_past_cache(kernel, step, out, a, b, n);
        sc_kernels_now()->fence();
    } else {
        kernel(out, a, b, n);
    }
}

/* ---- many rows --------------------------------------------------------------------------------- */

/* So many elements cost less one by one than a copy that lays them side by side. */
enum { FEW = 64 };

/* Rows of so many bytes go past the cache where all of them are long: of shorter ones the ends weigh too much. */
enum { LONG_ROW = 1 << 10 };

typedef struct dim {
    int64_t size, out, a, b; /* strides, in elements */
} dim;

/* The dims of size > 1, outermost first by out's strides, neighbours merged; returns how many. */
static int64_t order_dims(int64_t ndim, const int64_t *sizes, const int64_t *out, const int64_t *a, const int64_t *b,
                          dim *dims) {
    int64_t count = 0, merged = 0;
    for (int64_t d = 0; d < ndim; d++) {
        if (sizes[d] == 1) continue;
        int64_t i = count++;
        for (; i > 0 && dims[i - 1].out < out[d]; i--) dims[i] = dims[i - 1];
        dims[i] = (dim){sizes[d], out[d], a[d], b[d]};
    }
    for (int64_t i = 1; i < count; i++) {
        dim *outer = &dims[merged], inner = dims[i];
        if (outer->out == inner.out * inner.size && outer->a == inner.a * inner.size &&
            outer->b == inner.b * inner.size)
            *outer = (dim){outer->size * inner.size, inner.out, inner.a, inner.b};
        else
            dims[++merged] = inner;
    }
    return count ? merged + 1 : 0;
}

int sc_binary_loop(sc_binary_op op, sc_dtype dtype, int64_t ndim, const int64_t *sizes, char *out,
                   const int64_t *out_strides, const char *a, const int64_t *a_strides, const char *b,
                   const int64_t *b_strides) {
    dim dims[SC_MAX_NDIM];
    int64_t index[SC_MAX_NDIM] = {0};
    int64_t itemsize = sc_itemsize(dtype), out_itemsize = op >= SC_EQ ? 1 : itemsize;
    for (int64_t d = 0; d < ndim; d++)
        if (sizes[d] == 0) return 0;
    int64_t outer = order_dims(ndim, sizes, out_strides, a_strides, b_strides, dims) - 1;
    if (outer < 0) {
        sc_binary_kernel_of(op, dtype, SC_ROWS)(out, a, b, 1);
        return 0;
    }
    dim row = dims[outer];
    int in_the_way = (row.a != 0 && row.a != 1 ? SC_BINARY_LEFT : 0) | (row.b != 0 && row.b != 1 ? SC_BINARY_RIGHT : 0) |
                     (row.out != 1 ? SC_BINARY_OUT : 0);
    if (row.a == 0 && row.b == 0) in_the_way |= SC_BINARY_LEFT;
    if (in_the_way) {
        int64_t numel = 1;
        for (int64_t d = 0; d <= outer && numel <= FEW; d++)
            if (!sc_mul(numel, dims[d].size, &numel)) return in_the_way;
        if (numel > FEW || outer + 1 == SC_MAX_NDIM) return in_the_way;
        row = (dim){1, 1, 1, 1}; /* item by item */
        outer++;
    }
    sc_binary_form form = row.a == 0 ? SC_LEFT : row.b == 0 ? SC_RIGHT : SC_ROWS;
    sc_binary_kernel *kernel = sc_binary_kernel_of(op, dtype, form);
    row_steps step = steps_of(op, dtype, form);
    int64_t numel = row.size;
    for (int64_t d = 0; d < outer; d++)
        if (!sc_mul(numel, dims[d].size, &numel)) numel = INT64_MAX;
    bool past = row.size * out_itemsize >= LONG_ROW && out != a && out != b && is_long(step, numel);
    for (;;) {
        if (past)
            row_past_cache(kernel, step, out, a, b, row.size);
        else
            kernel(out, a, b, row.size);
        int64_t d = outer - 1;
        for (; d >= 0; d--) {
            out += dims[d].out * out_itemsize;
            a += dims[d].a * itemsize;
            b += dims[d].b * itemsize;
            if (++index[d] < dims[d].size) break;
            out -= dims[d].size * dims[d].out * out_itemsize;
            a -= dims[d].size * dims[d].a * itemsize;
            b -= dims[d].size * dims[d].b * itemsize;
            index[d] = 0;
        }
        if (d < 0) break;
    }
    if (past) sc_kernels_now()->fence();
    return 0;
}
