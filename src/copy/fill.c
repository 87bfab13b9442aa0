/* One item to many places. */
#include "kernels.h"

#include <string.h>

void sc_fill_line(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n, int64_t item) {
    (void)dst_step, (void)src_step;
    if (n * item <= 64) { /* cheaper than finding out what would be fast */
        sc_strided_kernel(item, item, 0)(dst, item, src, 0, n, item);
        return;
    }
    bool one_byte = true; /* zero and many other values are the same byte over and over */
    for (int64_t i = 1; i < item; i++) one_byte = one_byte && src[i] == src[0];
    if (one_byte) {
        memset(dst, src[0], (size_t)(n * item));
        return;
    }
    int64_t done = n * item < item ? 0 : item, total = n * item;
    memcpy(dst, src, (size_t)done);
    /* Double what is there up to a few cache lines, then repeat that. */
    for (; done < total && done < 4096; ) {
        int64_t step = done < total - done ? done : total - done;
        memcpy(dst + done, dst, (size_t)step);
        done += step;
    }
    for (int64_t pattern = done; done < total;) {
        int64_t step = pattern < total - done ? pattern : total - done;
        memcpy(dst + done, dst, (size_t)step);
        done += step;
    }
}
