/* Strided copies and fills. */
#include "stridecore.h"

#include <string.h>

static void copy_dim(int64_t ndim, const int64_t *sizes, const sc_operand *dst, char *to, const sc_operand *src,
                     const char *from) {
    if (ndim == 0) {
        sc_convert_item(dst->dtype, to, src->dtype, from);
        return;
    }
    for (int64_t i = 0; i < sizes[0]; i++) {
        sc_operand d = *dst, s = *src;
        d.byte_strides++, s.byte_strides++;
        copy_dim(ndim - 1, sizes + 1, &d, to + i * dst->byte_strides[0], &s, from + i * src->byte_strides[0]);
    }
}

sc_status sc_copy(int64_t ndim, const int64_t *sizes, const sc_operand *dst, const sc_operand *src) {
    copy_dim(ndim, sizes, dst, dst->data, src, src->data);
    return SC_OK;
}

sc_status sc_fill(int64_t ndim, const int64_t *sizes, const sc_operand *dst, const void *item) {
    int64_t zeros[SC_MAX_NDIM] = {0};
    sc_operand src = {(char *)item, zeros, dst->dtype, dst->bits};
    copy_dim(ndim, sizes, dst, dst->data, &src, src.data);
    return SC_OK;
}
