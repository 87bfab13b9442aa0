/* The plain transpose: 16 x 16 items at a time, so that every cache line of the two operands that the tile touches is
 * still there when its next item is moved. It takes any steps and is the specification of the others. */
#include "kernels.h"

#include <string.h>

#define TILE 16

#define DEFINE_TRANSPOSE(NAME, SIZE)                                                                                \
    static void transpose_##NAME(char *dst, int64_t dst_rows, int64_t dst_cols, const char *src, int64_t src_rows,  \
                                 int64_t src_cols, int64_t rows, int64_t cols, int64_t item) {                      \
        (void)item;                                                                                                 \
        for (int64_t i0 = 0; i0 < rows; i0 += TILE) {                                                               \
            int64_t i1 = i0 + TILE < rows ? i0 + TILE : rows;                                                       \
            for (int64_t j0 = 0; j0 < cols; j0 += TILE) {                                                           \
                int64_t j1 = j0 + TILE < cols ? j0 + TILE : cols;                                                   \
                for (int64_t i = i0; i < i1; i++)                                                                   \
                    for (int64_t j = j0; j < j1; j++)                                                               \
                        memcpy(dst + i * dst_rows + j * dst_cols, src + i * src_rows + j * src_cols, (size_t)SIZE); \
            }                                                                                                       \
        }                                                                                                           \
    }

DEFINE_TRANSPOSE(1, 1)
DEFINE_TRANSPOSE(2, 2)
DEFINE_TRANSPOSE(3, 3)
DEFINE_TRANSPOSE(4, 4)
DEFINE_TRANSPOSE(6, 6)
DEFINE_TRANSPOSE(8, 8)
DEFINE_TRANSPOSE(12, 12)
DEFINE_TRANSPOSE(16, 16)
DEFINE_TRANSPOSE(any, item)

sc_tile_kernel sc_transpose_plain(int64_t item) {
    switch (item) {
    case 1: return transpose_1;
    case 2: return transpose_2;
    case 3: return transpose_3;
    case 4: return transpose_4;
    case 6: return transpose_6;
    case 8: return transpose_8;
    case 12: return transpose_12;
    case 16: return transpose_16;
    default: return transpose_any;
    }
}
