/* The odometer over the outer dims of a plan. */
#include "kernels.h"

void sc_walk_start(sc_walk *walk, const sc_plan *plan, int across, int64_t start) {
    walk->ndim = 0;
    walk->dst = plan->dst;
    walk->src = plan->src;
    for (int d = 0; d < plan->ndim - 1; d++)
        if (d != across) walk->dims[walk->ndim++] = plan->dims[d];
    for (int d = walk->ndim - 1; d >= 0; d--) {
        const sc_plan_dim *dim = &walk->dims[d];
        walk->index[d] = start ? start % dim->size : 0;
        start /= dim->size;
        walk->dst += walk->index[d] * dim->dst;
        walk->src += walk->index[d] * dim->src;
    }
}

int64_t sc_walk_count(const sc_walk *walk) {
    int64_t count = 1;
    for (int d = 0; d < walk->ndim; d++) count *= walk->dims[d].size;
    return count;
}
