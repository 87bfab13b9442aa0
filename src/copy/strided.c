/* One dim with any steps, forwards or backwards, on one side or on both. */
#include "kernels.h"

#include <string.h>

#define DEFINE_STRIDED(SIZE)                                                                                        \
    static void strided_##SIZE(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n,           \
                               int64_t item) {                                                                      \
        (void)item;                                                                                                 \
        for (int64_t i = 0; i < n; i++) memcpy(dst + i * dst_step, src + i * src_step, SIZE);                       \
    }

DEFINE_STRIDED(1)
DEFINE_STRIDED(2)
DEFINE_STRIDED(3)
DEFINE_STRIDED(4)
DEFINE_STRIDED(6)
DEFINE_STRIDED(8)
DEFINE_STRIDED(12)
DEFINE_STRIDED(16)
DEFINE_STRIDED(24)
DEFINE_STRIDED(32)

static void strided_any(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n, int64_t item) {
    for (int64_t i = 0; i < n; i++) memcpy(dst + i * dst_step, src + i * src_step, (size_t)item);
}

sc_line_kernel sc_strided_kernel(int64_t item, int64_t dst_step, int64_t src_step) {
    int code = sc_item_code(item);
    if (code >= 0 && dst_step == item) {
        const sc_line_kernel *kernels = sc_kernels_now()->strided[code];
        sc_line_kernel kernel = NULL;
        if (src_step == 2 * item) kernel = kernels[SC_STEP_SECOND];
        else if (src_step == 3 * item) kernel = kernels[SC_STEP_THIRD];
        else if (src_step == 4 * item) kernel = kernels[SC_STEP_FOURTH];
        else if (src_step == -item) kernel = kernels[SC_STEP_REVERSED];
        if (kernel) return kernel;
    }
    switch (item) {
    case 1: return strided_1;
    case 2: return strided_2;
    case 3: return strided_3;
    case 4: return strided_4;
    case 6: return strided_6;
    case 8: return strided_8;
    case 12: return strided_12;
    case 16: return strided_16;
    case 24: return strided_24;
    case 32: return strided_32;
    default: return strided_any;
    }
}
