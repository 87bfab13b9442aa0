/* One item to many places. */
#include "kernels.h"

#include <string.h>

enum { SHORT = 4096 }; /* bytes: doubling what is there costs more than a loop */

/* A row is written by 16 bytes of the item over and over, its rest by 8, 4, 2 and 1 of them: each of those is a whole
 * number of items, or less than one item is left. */
static inline void fill_short_rows(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t rows,
                                   int64_t nbytes, int64_t item) {
    for (int64_t i = 0; i < rows; i++, dst += dst_step, src += src_step) {
        char pattern[16];
        for (int64_t at = 0; at < 16; at += item) memcpy(pattern + at, src, (size_t)item);
        char *to = dst;
        int64_t left = nbytes;
        for (; left >= 16; left -= 16, to += 16) memcpy(to, pattern, 16);
        if (left & 8) memcpy(to, pattern, 8), to += 8;
        if (left & 4) memcpy(to, pattern, 4), to += 4;
        if (left & 2) memcpy(to, pattern, 2), to += 2;
        if (left & 1) *to = pattern[0];
    }
}

bool sc_fill_short_rows(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t rows, int64_t n,
                        int64_t item) {
    switch (item) { /* constants, so that each gets a loop of its own */
    case 1: fill_short_rows(dst, dst_step, src, src_step, rows, n, 1); return true;
    case 2: fill_short_rows(dst, dst_step, src, src_step, rows, 2 * n, 2); return true;
    case 4: fill_short_rows(dst, dst_step, src, src_step, rows, 4 * n, 4); return true;
    case 8: fill_short_rows(dst, dst_step, src, src_step, rows, 8 * n, 8); return true;
    case 16: fill_short_rows(dst, dst_step, src, src_step, rows, 16 * n, 16); return true;
    default: return false;
    }
}

void sc_fill_line(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n, int64_t item) {
    (void)dst_step, (void)src_step;
    if (n * item <= 64) { /* cheaper than finding out what would be fast */
        sc_strided_kernel(item, item, 0)(dst, item, src, 0, n, item);
        return;
    }
    if (item > 1 && n * item <= SHORT && sc_fill_short_rows(dst, 0, src, 0, 1, n, item)) return;
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
