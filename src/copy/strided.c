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

/* The step's place in the registry's tables, -1 if it has none. */
static int step_code(int64_t item, int64_t src_step) {
    return src_step == 2 * item ? SC_STEP_SECOND : src_step == 3 * item ? SC_STEP_THIRD
         : src_step == 4 * item ? SC_STEP_FOURTH : src_step == -item ? SC_STEP_REVERSED : -1;
}

sc_line_streamer sc_strided_streamer(int64_t item, int64_t src_step) {
    int code = sc_item_code(item), step = step_code(item, src_step);
    return code >= 0 && step >= 0 ? sc_kernels_now()->stream_strided[code][step] : NULL;
}

sc_line_kernel sc_strided_kernel(int64_t item, int64_t dst_step, int64_t src_step) {
    int code = sc_item_code(item), step = step_code(item, src_step);
    if (code >= 0 && step >= 0 && dst_step == item && sc_kernels_now()->strided[code][step])
        return sc_kernels_now()->strided[code][step];
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
