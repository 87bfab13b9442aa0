/* A copy described before it is made.
 *
 * A plan is a value. sc_plan_make runs these passes, each of which keeps the set of (dst, src) address pairs:
 *
 *     given    sizes (2, 1, 3, 4)    dst (48, 48, 16, 4)    src (4, 9, 8, 24)      the float32 x.permute(2, ...)
 *     drop     sizes (2, 3, 4)       dst (48, 16, 4)        src (4, 8, 24)         dims of size 1
 *     flip     every dst stride >= 0                                               start at the other end
 *     sort     dst strides descend                                                 memory order of the destination
 *     merge    sizes (6, 4)          dst (16, 4)            src (4, 24)            dims that are one walk in both
 *     widen    items of 2 ... 32 bytes where the innermost dim is one run in both
 *     choose   transpose: dst runs along dim 1, src along dim 0
 *
 * Making a plan can't fail (its dims come on the stack), running it neither.
 */
#ifndef STRIDECORE_COPY_PLAN_H
#define STRIDECORE_COPY_PLAN_H

#include "stridecore.h"

/* The widest run of bytes that is treated as one item. */
#define SC_MAX_ITEM 32

typedef enum sc_kind {
    SC_KIND_EMPTY,     /* no element */
    SC_KIND_BLOCK,     /* one contiguous run */
    SC_KIND_ROWS,      /* the last dim is contiguous in both operands */
    SC_KIND_FILL,      /* the source does not move along the last dim, along which the destination is contiguous */
    SC_KIND_TRANSPOSE, /* the source moves least along another dim than the last one */
    SC_KIND_STRIDED,   /* the last dim is walked by some stride in one operand or in both */
    SC_NUM_KINDS
} sc_kind;

typedef struct sc_plan_dim {
    int64_t size, dst, src; /* steps in bytes */
} sc_plan_dim;

typedef struct sc_plan {
    sc_kind kind;
    bool converts; /* values change on the way: other dtypes or bits */
    int8_t across; /* transpose: the dim along which the source moves least; its src step is >= 0 */
    int ndim;
    int64_t dst_item, src_item; /* bytes that are moved as one; equal unless the plan converts */
    char *dst;
    const char *src;
    sc_dtype dst_dtype, src_dtype; /* for conversions only */
    uint32_t bits;
    sc_plan_dim dims[SC_MAX_NDIM]; /* outermost first */
} sc_plan;

/* Describe dst[index] = src[index]. Requirements of sc_copy. */
void sc_plan_make(sc_plan *plan, int64_t ndim, const int64_t *sizes, const sc_operand *dst, const sc_operand *src);

/* Move the bytes. The operands don't overlap, neither each other nor dst itself. */
void sc_plan_run(const sc_plan *plan);

/* Bytes that the plan writes. */
int64_t sc_plan_nbytes(const sc_plan *plan);

/* Print as one line of text, at most size bytes with the final 0: "transpose 4 [6 x 4] dst (16, 4) src (4, 24)". */
void sc_plan_print(const sc_plan *plan, char *text, size_t size);

/* True iff the destination's nested strides alone show that no two indices share a byte (dims as sorted). */
bool sc_plan_dst_is_nested(const sc_plan *plan);

/* ---- the passes, for their tests ---------------------------------------------------------- */

void sc_plan_load(sc_plan *plan, int64_t ndim, const int64_t *sizes, const sc_operand *dst, const sc_operand *src);
void sc_plan_flip(sc_plan *plan);
void sc_plan_sort(sc_plan *plan);
void sc_plan_merge(sc_plan *plan);
void sc_plan_widen(sc_plan *plan);
void sc_plan_choose(sc_plan *plan);

#endif
