/* Making and printing copy plans; plan.h tells the passes. */
#include "plan.h"

#include <stdarg.h>
#include <stdio.h>

/* Same-sized dtypes whose conversion leaves the bytes as they are. */
static bool same_bytes(sc_dtype dst, sc_dtype src) {
    if (dst == src) return true;
    switch (src) {
    case SC_UINT8: return dst == SC_INT8;
    case SC_INT8: return dst == SC_UINT8;
    case SC_UINT16: return dst == SC_INT16;
    case SC_INT16: return dst == SC_UINT16;
    case SC_UINT32: return dst == SC_INT32;
    case SC_INT32: return dst == SC_UINT32;
    case SC_UINT64: return dst == SC_INT64;
    case SC_INT64: return dst == SC_UINT64;
    default: return false;
    }
}

/* The bits that change a value on its way: a conjugated source in a conjugated destination is a plain copy, and
 * conj means nothing unless the destination is complex. */
static uint32_t effective_bits(const sc_operand *dst, const sc_operand *src) {
    uint32_t bits = dst->bits ^ src->bits;
    return sc_is_complex(dst->dtype) ? bits : bits & ~(uint32_t)SC_CONJ;
}

/* Take the operands over and drop dims of size 1; ndim 0 and kind EMPTY when there is no element. */
void sc_plan_load(sc_plan *plan, int64_t ndim, const int64_t *sizes, const sc_operand *dst, const sc_operand *src) {
    plan->kind = SC_KIND_BLOCK;
    plan->across = -1;
    plan->dst = dst->data;
    plan->src = src->data;
    plan->dst_dtype = dst->dtype;
    plan->src_dtype = src->dtype;
    plan->dst_item = sc_itemsize(dst->dtype);
    plan->src_item = sc_itemsize(src->dtype);
    plan->bits = effective_bits(dst, src);
    plan->converts = plan->bits != 0 || !same_bytes(dst->dtype, src->dtype);
    int count = 0;
    for (int64_t d = 0; d < ndim; d++) {
        if (sizes[d] == 1) continue;
        if (sizes[d] == 0) {
            plan->kind = SC_KIND_EMPTY;
            plan->ndim = 0;
            return;
        }
        plan->dims[count++] = (sc_plan_dim){sizes[d], dst->byte_strides[d], src->byte_strides[d]};
    }
    plan->ndim = count;
}

static void flip_dim(sc_plan *plan, sc_plan_dim *dim) {
    plan->dst += (dim->size - 1) * dim->dst;
    plan->src += (dim->size - 1) * dim->src;
    dim->dst = -dim->dst;
    dim->src = -dim->src;
}

void sc_plan_flip(sc_plan *plan) {
    for (int d = 0; d < plan->ndim; d++) {
        sc_plan_dim *dim = &plan->dims[d];
        if (dim->dst < 0 || (dim->dst == 0 && dim->src < 0)) flip_dim(plan, dim);
    }
}

/* Insertion sort: dims come nearly sorted. Equal dst steps (only in destinations that overlap themselves) are told
 * apart by the source. */
void sc_plan_sort(sc_plan *plan) {
    for (int d = 1; d < plan->ndim; d++) {
        sc_plan_dim dim = plan->dims[d];
        int at = d;
        for (; at > 0; at--) {
            const sc_plan_dim *before = &plan->dims[at - 1];
            if (before->dst > dim.dst) break;
            if (before->dst == dim.dst && sc_magnitude(before->src) >= sc_magnitude(dim.src)) break;
            plan->dims[at] = *before;
        }
        plan->dims[at] = dim;
    }
}

void sc_plan_merge(sc_plan *plan) {
    int count = 0;
    for (int d = 0; d < plan->ndim; d++) {
        const sc_plan_dim dim = plan->dims[d];
        sc_plan_dim *outer = &plan->dims[count > 0 ? count - 1 : 0];
        int64_t dst_extent, src_extent;
        if (count > 0 && sc_mul(dim.size, dim.dst, &dst_extent) && sc_mul(dim.size, dim.src, &src_extent) &&
            outer->dst == dst_extent && outer->src == src_extent)
            *outer = (sc_plan_dim){outer->size * dim.size, dim.dst, dim.src};
        else
            plan->dims[count++] = dim;
    }
    plan->ndim = count;
}

/* A short innermost run that is the same in both operands becomes one item: the pixels of an image, complex pairs,
 * the last dim of (n, m, 2). Runs of 2, 4, 8 and 16 bytes are then as fast as dtypes of that size. */
void sc_plan_widen(sc_plan *plan) {
    if (plan->converts || plan->ndim < 2) return;
    const sc_plan_dim *last = &plan->dims[plan->ndim - 1];
    if (last->dst != plan->dst_item || last->src != plan->src_item) return;
    if (last->size > SC_MAX_ITEM / plan->dst_item) return;
    plan->dst_item = plan->src_item = last->size * plan->dst_item;
    plan->ndim--;
}

void sc_plan_choose(sc_plan *plan) {
    if (plan->kind == SC_KIND_EMPTY) return;
    if (plan->ndim == 0) {
        plan->kind = SC_KIND_BLOCK;
        return;
    }
    const sc_plan_dim *last = &plan->dims[plan->ndim - 1];
    bool dst_runs = last->dst == plan->dst_item;
    if (dst_runs && last->src == plan->src_item) {
        plan->kind = plan->ndim == 1 ? SC_KIND_BLOCK : SC_KIND_ROWS;
        return;
    }
    if (dst_runs && last->src == 0) {
        plan->kind = SC_KIND_FILL;
        return;
    }
    int across = plan->ndim - 1; /* the dim along which the source moves least */
    for (int d = plan->ndim - 2; d >= 0; d--) {
        uint64_t step = sc_magnitude(plan->dims[d].src);
        if (step != 0 && step < sc_magnitude(plan->dims[across].src)) across = d;
    }
    plan->kind = across == plan->ndim - 1 ? SC_KIND_STRIDED : SC_KIND_TRANSPOSE;
    plan->across = (int8_t)across;
    if (plan->kind == SC_KIND_TRANSPOSE && plan->dims[across].src < 0) flip_dim(plan, &plan->dims[across]);
}

void sc_plan_make(sc_plan *plan, int64_t ndim, const int64_t *sizes, const sc_operand *dst, const sc_operand *src) {
    sc_plan_load(plan, ndim, sizes, dst, src);
    sc_plan_flip(plan);
    sc_plan_sort(plan);
    sc_plan_merge(plan);
    sc_plan_widen(plan);
    sc_plan_choose(plan);
}

int64_t sc_plan_nbytes(const sc_plan *plan) {
    if (plan->kind == SC_KIND_EMPTY) return 0;
    int64_t nbytes = plan->dst_item;
    for (int d = 0; d < plan->ndim; d++) nbytes *= plan->dims[d].size;
    return nbytes;
}

bool sc_plan_dst_is_nested(const sc_plan *plan) {
    int64_t extent = plan->dst_item; /* bytes from the first one to the end of the last */
    for (int d = plan->ndim - 1; d >= 0; d--) {
        const sc_plan_dim *dim = &plan->dims[d];
        if (dim->dst < extent) return false;
        if (!sc_muladd(dim->size - 1, dim->dst, &extent)) return false;
    }
    return true;
}

/* ---- printing ----------------------------------------------------------------------------- */

typedef struct printer {
    char *text;
    size_t room;
} printer;

static void print(printer *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to->text, to->room, format, arguments);
    va_end(arguments);
    size_t used = length < 0 ? 0 : (size_t)length < to->room ? (size_t)length : to->room - 1;
    to->text += used;
    to->room -= used;
}

void sc_plan_print(const sc_plan *plan, char *text, size_t size) {
    static const char *const kinds[SC_NUM_KINDS] = {"empty", "block", "rows", "fill", "transpose", "strided"};
    if (size == 0) return;
    printer to = {text, size};
    *text = 0;
    print(&to, "%s %lld", kinds[plan->kind], (long long)plan->dst_item);
    if (plan->converts) print(&to, " from %lld", (long long)plan->src_item);
    if (plan->kind == SC_KIND_EMPTY) return;
    print(&to, " [");
    for (int d = 0; d < plan->ndim; d++) print(&to, d ? " x %lld" : "%lld", (long long)plan->dims[d].size);
    print(&to, "] dst (");
    for (int d = 0; d < plan->ndim; d++) print(&to, d ? ", %lld" : "%lld", (long long)plan->dims[d].dst);
    print(&to, ") src (");
    for (int d = 0; d < plan->ndim; d++) print(&to, d ? ", %lld" : "%lld", (long long)plan->dims[d].src);
    print(&to, ")");
    if (plan->kind == SC_KIND_TRANSPOSE) print(&to, " across %d", plan->across);
}
