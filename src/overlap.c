/* Do two layouts, or two indices of one layout, reach the same byte? */
#include "stridecore.h"

bool sc_self_overlaps(int64_t ndim, const int64_t *sizes, const int64_t *byte_strides, int64_t itemsize) {
    (void)itemsize;
    for (int64_t d = 0; d < ndim; d++)
        if (sizes[d] == 0) return false;
    for (int64_t d = 0; d < ndim; d++)
        if (sizes[d] > 1 && byte_strides[d] == 0) return true;
    return false;
}

bool sc_overlaps(const char *a, int64_t a_ndim, const int64_t *a_sizes, const int64_t *a_byte_strides,
                 int64_t a_itemsize, const char *b, int64_t b_ndim, const int64_t *b_sizes,
                 const int64_t *b_byte_strides, int64_t b_itemsize) {
    (void)a; (void)a_ndim; (void)a_sizes; (void)a_byte_strides; (void)a_itemsize;
    (void)b; (void)b_ndim; (void)b_sizes; (void)b_byte_strides; (void)b_itemsize;
    return true;
}
