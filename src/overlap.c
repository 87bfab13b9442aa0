/* Do two layouts, or two indices of one layout, reach the same byte?
 *
 * Both questions are one: can  x[0]*c[0] + x[1]*c[1] + ...  with 0 <= x[k] <= top[k] and c[k] > 0 hit a target? For two
 * layouts the terms are the dims of both (those of b counted from its far end) and one term of step 1 for the bytes
 * inside the two items; for a layout with itself they are the differences of two indices.
 *
 *     a: 4 items of 4 bytes at 0, 8, 16, 24     b: the same at 4, 12, 20, 28
 *     8*x0 + 8*x1 + 1*x2 = 31 with x0, x1 <= 3 and x2 <= 6:  8*y + x2 = 31 wants x2 = 7, so they never meet
 *
 * Terms of equal steps are added up, and a term whose step is a multiple m of a smaller one's that reaches m - 1 or
 * farther joins that one: nearly every real case is then one or two terms, and the rest is searched from the largest
 * step down, pruned by what the smaller steps can still reach and by their common divisor, up to a work limit.
 */
#include "stridecore.h"

#include <stdlib.h>
#include <string.h>

#define WORK_LIMIT 20000                   /* terms looked at: well under a millisecond */
#define BITMAP_MAX_BITS ((int64_t)1 << 29) /* 64 MiB */
#define BITMAP_MAX_NUMEL ((int64_t)1 << 24)

typedef struct term {
    int64_t step, top; /* x * step for x in 0 ... top; both > 0 */
} term;

typedef struct problem {
    int count;
    term terms[2 * SC_MAX_NDIM + 2]; /* steps ascend */
    int64_t reach[2 * SC_MAX_NDIM + 3], divisor[2 * SC_MAX_NDIM + 3]; /* of the first k terms */
    int work;
} problem;

typedef enum answer { NO, YES, TOO_MUCH } answer;

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/* Add a term at its place; terms of equal step become one. False on overflow. */
static bool add_term(problem *p, int64_t step, int64_t top) {
    if (step == 0 || top == 0) return true;
    int at = 0;
    while (at < p->count && p->terms[at].step < step) at++;
    if (at < p->count && p->terms[at].step == step) return sc_add(p->terms[at].top, top, &p->terms[at].top);
    memmove(&p->terms[at + 1], &p->terms[at], (size_t)(p->count - at) * sizeof(term));
    p->terms[at] = (term){step, top};
    p->count++;
    return true;
}

/* Join terms that together reach every multiple of the smaller step; fill reach and divisor. False on overflow. */
static bool prepare(problem *p) {
    int count = 0;
    for (int k = 0; k < p->count; k++) {
        const term t = p->terms[k];
        term *before = count ? &p->terms[count - 1] : NULL;
        int64_t times = before ? t.step / before->step : 0;
        if (before && t.step % before->step == 0 && before->top >= times - 1) {
            if (!sc_muladd(times, t.top, &before->top)) return false;
        } else {
            p->terms[count++] = t;
        }
    }
    p->count = count;
    p->reach[0] = p->divisor[0] = 0;
    for (int k = 0; k < count; k++) {
        p->reach[k + 1] = p->reach[k];
        if (!sc_muladd(p->terms[k].step, p->terms[k].top, &p->reach[k + 1])) return false;
        p->divisor[k + 1] = gcd(p->terms[k].step, p->divisor[k]);
    }
    p->work = 0;
    return true;
}

/* Can the first `count` terms add up to target? */
static answer search(problem *p, int count, int64_t target) {
    if (target < 0 || target > p->reach[count]) return NO;
    if (target == 0) return YES;
    if (target % p->divisor[count] != 0) return NO;
    const term t = p->terms[count - 1];
    if (count == 1) return YES; /* a multiple of the step within its reach */
    int64_t most = target / t.step < t.top ? target / t.step : t.top;
    int64_t beyond = target - p->reach[count - 1];
    int64_t least = beyond > 0 ? (beyond - 1) / t.step + 1 : 0;
    for (int64_t x = most; x >= least; x--) {
        if (++p->work > WORK_LIMIT) return TOO_MUCH;
        answer found = search(p, count - 1, target - x * t.step);
        if (found != NO) return found;
    }
    return NO;
}

/* ---- two layouts ----------------------------------------------------------------------------- */

static bool has_no_element(int64_t ndim, const int64_t *sizes) {
    for (int64_t d = 0; d < ndim; d++)
        if (sizes[d] == 0) return true;
    return false;
}

static bool add_dims(problem *p, int64_t ndim, const int64_t *sizes, const int64_t *byte_strides) {
    for (int64_t d = 0; d < ndim; d++) {
        if (sizes[d] == 1) continue;
        if (byte_strides[d] == INT64_MIN) return false;
        if (!add_term(p, byte_strides[d] < 0 ? -byte_strides[d] : byte_strides[d], sizes[d] - 1)) return false;
    }
    return true;
}

bool sc_overlaps(const char *a, int64_t a_ndim, const int64_t *a_sizes, const int64_t *a_byte_strides,
                 int64_t a_itemsize, const char *b, int64_t b_ndim, const int64_t *b_sizes,
                 const int64_t *b_byte_strides, int64_t b_itemsize) {
    if (has_no_element(a_ndim, a_sizes) || has_no_element(b_ndim, b_sizes)) return false;
    int64_t a_lowest, a_highest, b_lowest, b_highest;
    if (!sc_reach(a_ndim, a_sizes, a_byte_strides, &a_lowest, &a_highest)) return true;
    if (!sc_reach(b_ndim, b_sizes, b_byte_strides, &b_lowest, &b_highest)) return true;

    /* From the lowest byte of a to the highest item of b: a's offset and b's way down from there must add up to it,
     * give or take the bytes inside the items. */
    int64_t distance = (int64_t)((uintptr_t)b - (uintptr_t)a);
    if (!sc_add(distance, b_highest, &distance) || !sc_sub(distance, a_lowest, &distance)) return true;
    if (distance <= -b_itemsize) return false;

    problem p = {0};
    int64_t target;
    if (!sc_add(distance, b_itemsize - 1, &target)) return true;
    if (!add_term(&p, 1, a_itemsize + b_itemsize - 2) || !add_dims(&p, a_ndim, a_sizes, a_byte_strides) ||
        !add_dims(&p, b_ndim, b_sizes, b_byte_strides) || !prepare(&p))
        return true;
    return search(&p, p.count, target) != NO;
}

/* ---- a layout with itself ---------------------------------------------------------------------- */

/* Mark every element in a bitmap of the whole reach, in units of the steps' common divisor (which is at least the item
 * size; otherwise bytes are marked one by one). */
static bool bitmap_overlaps(int64_t count, const int64_t *sizes, const int64_t *steps, int64_t itemsize,
                            int64_t reach) {
    int64_t unit = 0, numel = 1;
    for (int64_t d = 0; d < count; d++) {
        unit = gcd(steps[d], unit);
        if (!sc_mul(numel, sizes[d], &numel) || numel > BITMAP_MAX_NUMEL) return true;
    }
    int64_t width = itemsize;
    if (unit >= itemsize) width = 1;
    else unit = 1;
    int64_t bits = reach / unit + width;
    if (bits > BITMAP_MAX_BITS) return true;
    unsigned char *seen = calloc(1, (size_t)(bits / 8 + 1));
    if (!seen) return true;
    int64_t index[SC_MAX_NDIM] = {0}, at = 0;
    bool overlaps = false;
    for (int64_t left = numel; left > 0 && !overlaps; left--) {
        for (int64_t bit = at / unit; bit < at / unit + width; bit++) {
            overlaps = overlaps || (seen[bit >> 3] >> (bit & 7) & 1);
            seen[bit >> 3] = (unsigned char)(seen[bit >> 3] | 1 << (bit & 7));
        }
        for (int64_t d = 0; d < count; d++) {
            at += steps[d];
            if (++index[d] < sizes[d]) break;
            at -= steps[d] * sizes[d];
            index[d] = 0;
        }
    }
    free(seen);
    return overlaps;
}

/* Is there a difference of two indices, its first nonzero part (from the largest step down) positive, whose distance
 * is less than the item size? With y[k] = x[k] + top[k] every part runs from 0 to 2*top[k]. */
static answer search_differences(int count, const int64_t *sizes, const int64_t *steps, int64_t itemsize) {
    int work = 0;
    for (int first = count - 1; first >= 0; first--) {
        /* The parts above `first` are 0, x[first] is 1 or more: 1 + y with y in 0 ... size - 2. */
        problem p = {0};
        int64_t lowest = 0;
        if (!add_term(&p, 1, 2 * (itemsize - 1))) return TOO_MUCH;
        if (!add_term(&p, steps[first], sizes[first] - 2)) return TOO_MUCH;
        for (int k = 0; k < first; k++) {
            if (!add_term(&p, steps[k], 2 * (sizes[k] - 1)) || !sc_muladd(sizes[k] - 1, steps[k], &lowest))
                return TOO_MUCH;
        }
        /* steps[first] * (1 + y) + sum(steps * (y - top)) + byte - (itemsize - 1) = 0 */
        int64_t target;
        if (!sc_sub(lowest + itemsize - 1, steps[first], &target) || !prepare(&p)) return TOO_MUCH;
        p.work = work;
        answer found = search(&p, p.count, target);
        if (found != NO) return found;
        work = p.work;
    }
    return NO;
}

bool sc_self_overlaps(int64_t ndim, const int64_t *sizes, const int64_t *byte_strides, int64_t itemsize) {
    if (has_no_element(ndim, sizes)) return false;
    int64_t order_sizes[SC_MAX_NDIM], steps[SC_MAX_NDIM]; /* steps ascend */
    int count = 0;
    for (int64_t d = 0; d < ndim; d++) {
        if (sizes[d] == 1) continue;
        if (byte_strides[d] == 0 || byte_strides[d] == INT64_MIN) return true;
        int64_t step = byte_strides[d] < 0 ? -byte_strides[d] : byte_strides[d];
        int at = count++;
        for (; at > 0 && steps[at - 1] > step; at--) steps[at] = steps[at - 1], order_sizes[at] = order_sizes[at - 1];
        steps[at] = step, order_sizes[at] = sizes[d];
    }
    int64_t reach = 0, numel = 1, nbytes;
    bool nested = true;
    for (int k = 0; k < count; k++) {
        nested = nested && steps[k] >= reach + itemsize;
        if (!sc_muladd(order_sizes[k] - 1, steps[k], &reach) || reach > INT64_MAX - itemsize) return true;
        if (!sc_mul(numel, order_sizes[k], &numel)) return true;
    }
    if (nested) return false;
    if (!sc_mul(numel, itemsize, &nbytes) || nbytes > reach + itemsize) return true; /* more items than room */
    answer found = search_differences(count, order_sizes, steps, itemsize);
    if (found != TOO_MUCH) return found == YES;
    return bitmap_overlaps(count, order_sizes, steps, itemsize, reach);
}
