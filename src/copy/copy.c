/* sc_copy and sc_fill: what may be done at once, what overlaps, and what needs a temporary. */
#include "kernels.h"

#include <string.h>

/* Contiguous copies up to this size go straight to memmove, without a plan. */
#define SMALL_NBYTES ((int64_t)1 << 17)

static bool disjoint(const char *a, int64_t a_nbytes, const char *b, int64_t b_nbytes) {
    return (uintptr_t)a + (uintptr_t)a_nbytes <= (uintptr_t)b || (uintptr_t)b + (uintptr_t)b_nbytes <= (uintptr_t)a;
}

/* Bytes of the elements when both operands are contiguous in row-major order, otherwise -1. */
static int64_t contiguous_nbytes(int64_t ndim, const int64_t *sizes, const int64_t *dst, const int64_t *src,
                                 int64_t itemsize) {
    int64_t expected = itemsize;
    for (int64_t d = ndim - 1; d >= 0; d--) {
        if (sizes[d] == 1) continue;
        if (dst[d] != expected || src[d] != expected) return -1;
        if (!sc_mul(expected, sizes[d], &expected)) return -1; /* only where another size is 0 */
    }
    return expected;
}

/* True iff the plan's operands may share a byte, by their lowest and highest addresses. */
static bool ranges_meet(const sc_plan *plan) {
    int64_t dst_lowest = 0, dst_highest = plan->dst_item, src_lowest = 0, src_highest = plan->src_item;
    for (int d = 0; d < plan->ndim; d++) {
        const sc_plan_dim *dim = &plan->dims[d];
        *(dim->dst < 0 ? &dst_lowest : &dst_highest) += (dim->size - 1) * dim->dst;
        *(dim->src < 0 ? &src_lowest : &src_highest) += (dim->size - 1) * dim->src;
    }
    return !disjoint(plan->dst + dst_lowest, dst_highest - dst_lowest, plan->src + src_lowest,
                     src_highest - src_lowest);
}

/* Copy the source's bytes to a temporary, in the order of the destination, and run the plan from there. */
static sc_status run_through_temporary(const sc_plan *plan) {
    sc_plan first = *plan, second = *plan;
    int64_t extent = plan->src_item;
    for (int d = plan->ndim - 1; d >= 0; d--) {
        first.dims[d].dst = second.dims[d].src = extent;
        if (!sc_mul(extent, plan->dims[d].size, &extent)) return SC_EOVERFLOW;
    }
    sc_block *temporary = sc_block_new(extent, false);
    if (!temporary) return SC_ENOMEM;
    first.dst = temporary->data;
    first.dst_item = first.src_item;
    first.converts = false;
    second.src = temporary->data;
    sc_plan *const plans[] = {&first, &second};
    for (int i = 0; i < 2; i++) {
        sc_plan_merge(plans[i]);
        sc_plan_choose(plans[i]);
        sc_plan_run(plans[i]);
    }
    sc_block_release(temporary);
    return SC_OK;
}

sc_status sc_copy(int64_t ndim, const int64_t *sizes, const sc_operand *dst, const sc_operand *src) {
    if (dst->dtype == src->dtype && dst->bits == src->bits) {
        int64_t nbytes = contiguous_nbytes(ndim, sizes, dst->byte_strides, src->byte_strides, sc_itemsize(dst->dtype));
        if (nbytes >= 0 && nbytes <= SMALL_NBYTES) {
            if (nbytes) memmove(dst->data, src->data, (size_t)nbytes);
            return SC_OK;
        }
    }
    sc_plan plan;
    sc_plan_make(&plan, ndim, sizes, dst, src);
    if (plan.kind == SC_KIND_EMPTY) return SC_OK;
    if (!sc_plan_dst_is_nested(&plan) &&
        sc_self_overlaps(ndim, sizes, dst->byte_strides, sc_itemsize(dst->dtype)))
        return SC_ESELF;
    if (ranges_meet(&plan)) {
        if (sc_plan_is_shift(&plan)) {
            sc_plan_run_shift(&plan);
            return SC_OK;
        }
        if (sc_plan_is_square(&plan)) {
            sc_plan_run_square(&plan);
            return SC_OK;
        }
        if (sc_overlaps(dst->data, ndim, sizes, dst->byte_strides, sc_itemsize(dst->dtype), src->data, ndim, sizes,
                        src->byte_strides, sc_itemsize(src->dtype)))
            return run_through_temporary(&plan);
    }
    sc_plan_run(&plan);
    return SC_OK;
}

sc_status sc_fill(int64_t ndim, const int64_t *sizes, const sc_operand *dst, const void *item) {
    char value[16];
    int64_t itemsize = sc_itemsize(dst->dtype), zeros[SC_MAX_NDIM];
    memcpy(value, item, (size_t)itemsize); /* the item may lie in the destination */
    memset(zeros, 0, (size_t)ndim * sizeof(int64_t));
    sc_operand src = {value, zeros, dst->dtype, dst->bits};
    sc_plan plan;
    sc_plan_load(&plan, ndim, sizes, dst, &src);
    int count = 0;
    for (int d = 0; d < plan.ndim; d++)
        if (plan.dims[d].dst != 0) plan.dims[count++] = plan.dims[d]; /* the same places again */
    plan.ndim = count;
    sc_plan_flip(&plan);
    sc_plan_sort(&plan);
    sc_plan_merge(&plan);
    sc_plan_choose(&plan);
    sc_plan_run(&plan);
    return SC_OK;
}
