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
DEFINE_STRIDED(48)
DEFINE_STRIDED(64)

static void strided_any(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n, int64_t item) {
    for (int64_t i = 0; i < n; i++) memcpy(dst + i * dst_step, src + i * src_step, (size_t)item);
}

sc_line_kernel sc_strided_kernel(int64_t item) {
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
    case 48: return strided_48;
    case 64: return strided_64;
    default: return strided_any;
    }
}
