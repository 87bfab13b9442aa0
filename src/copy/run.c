/* Running a plan: the kernel that its kind asks for, over all outer dims. */
#include "kernels.h"

#include <string.h>

/* ---- conversion ----------------------------------------------------------------------------- */

static void flip_sign(char *part, sc_dtype real) {
    int64_t size = sc_itemsize(real);
    if (sc_is_floating_point(real)) {
        if (real != SC_FLOAT8_E8M0FNU) part[size - 1] = (char)(part[size - 1] ^ 0x80); /* little endian */
    } else if (real != SC_BOOL) {
        uint64_t value = 0;
        memcpy(&value, part, (size_t)size);
        value = 0 - value;
        memcpy(part, &value, (size_t)size);
    }
}

/* One item of dtype: negate, then conjugate. */
static void apply_bits(char *item, sc_dtype dtype, uint32_t bits) {
    sc_dtype real = sc_to_real(dtype);
    int64_t half = sc_itemsize(real);
    bool complex = sc_is_complex(dtype);
    if (bits & SC_NEG) flip_sign(item, real);
    if (complex && ((bits & SC_NEG) != 0) != ((bits & SC_CONJ) != 0)) flip_sign(item + half, real);
}

static void convert_line(const sc_plan *plan, char *dst, int64_t dst_step, const char *src, int64_t src_step,
                         int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        char item[16];
        sc_convert_item(plan->dst_dtype, item, plan->src_dtype, src + i * src_step);
        if (plan->bits) apply_bits(item, plan->dst_dtype, plan->bits);
        memcpy(dst + i * dst_step, item, (size_t)plan->dst_item);
    }
}

static void run_converting(const sc_plan *plan) {
    if (plan->ndim == 0) {
        convert_line(plan, plan->dst, 0, plan->src, 0, 1);
        return;
    }
    const sc_plan_dim *last = &plan->dims[plan->ndim - 1];
    sc_walk walk;
    sc_walk_start(&walk, plan, -1, 0);
    for (int64_t left = sc_walk_count(&walk); left > 0; left--) {
        convert_line(plan, walk.dst, last->dst, walk.src, last->src, last->size);
        sc_walk_next(&walk);
    }
}

/* ---- one dim --------------------------------------------------------------------------------- */

static void copy_line(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n, int64_t item) {
    (void)dst_step, (void)src_step;
    memcpy(dst, src, (size_t)(n * item));
}

static void run_lines(const sc_plan *plan, sc_line_kernel kernel) {
    const sc_plan_dim *last = &plan->dims[plan->ndim - 1];
    sc_walk walk;
    sc_walk_start(&walk, plan, -1, 0);
    for (int64_t left = sc_walk_count(&walk); left > 0; left--) {
        kernel(walk.dst, last->dst, walk.src, last->src, last->size, plan->dst_item);
        sc_walk_next(&walk);
    }
}

/* ---- two dims -------------------------------------------------------------------------------- */

static void run_transpose(const sc_plan *plan) {
    const sc_plan_dim *cols = &plan->dims[plan->ndim - 1], *rows = &plan->dims[plan->across];
    if (sc_run_sweeps(plan, sc_plan_nbytes(plan) >= SC_STREAM_NBYTES)) return;
    sc_tile_kernel kernel = sc_transpose_plain(plan->dst_item);
    sc_walk walk;
    sc_walk_start(&walk, plan, plan->across, 0);
    for (int64_t left = sc_walk_count(&walk); left > 0; left--) {
        kernel(walk.dst, rows->dst, cols->dst, walk.src, rows->src, cols->src, rows->size, cols->size, plan->dst_item);
        sc_walk_next(&walk);
    }
}

void sc_plan_run(const sc_plan *plan) {
    if (plan->kind == SC_KIND_EMPTY) return;
    if (plan->converts) {
        run_converting(plan);
        return;
    }
    switch (plan->kind) {
    case SC_KIND_BLOCK: sc_copy_block(plan->dst, plan->src, sc_plan_nbytes(plan)); break;
    case SC_KIND_ROWS: run_lines(plan, copy_line); break;
    case SC_KIND_FILL: run_lines(plan, sc_fill_line); break;
    case SC_KIND_TRANSPOSE: run_transpose(plan); break;
    case SC_KIND_STRIDED: run_lines(plan, sc_strided_kernel(plan->dst_item)); break;
    default: break;
    }
}
