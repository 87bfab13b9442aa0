/* Conversions between element types. */
#include "stridecore.h"

#include <string.h>

void sc_convert_item(sc_dtype dst_dtype, void *dst, sc_dtype src_dtype, const void *src) {
    if (dst_dtype == src_dtype) {
        memcpy(dst, src, (size_t)sc_itemsize(dst_dtype));
        return;
    }
    double value = 0;
    switch (src_dtype) {
    case SC_FLOAT32: { float v; memcpy(&v, src, 4); value = v; break; }
    case SC_FLOAT64: memcpy(&value, src, 8); break;
    case SC_INT64: { int64_t v; memcpy(&v, src, 8); value = (double)v; break; }
    default: break;
    }
    switch (dst_dtype) {
    case SC_FLOAT32: { float v = (float)value; memcpy(dst, &v, 4); break; }
    case SC_FLOAT64: memcpy(dst, &value, 8); break;
    case SC_INT64: { int64_t v = (int64_t)value; memcpy(dst, &v, 8); break; }
    default: break;
    }
}
