/* Sweeps with vectors of 16 bytes, in the compiler's own vector types, for the levels that have no wider ones. The file
 * that includes this defines TARGET, LINE_STORE and LINE_STREAM.
 *
 * A square of n x n items in n registers is transposed by log2(n) rounds, each of which interleaves register k with
 * register k + n/2:
 *
 *     a0 a1 a2 a3   b0 b1 b2 b3   c0 ...   d0 ...     a0 c0 a1 c1   a2 c2 a3 c3   b0 d0 ...     a0 b0 c0 d0   ...
 */
#include <string.h>

#include "sweep.h"

#define INLINE static inline __attribute__((always_inline)) TARGET

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint16_t halves8 __attribute__((vector_size(16)));
typedef uint32_t words4 __attribute__((vector_size(16)));
typedef uint64_t longs2 __attribute__((vector_size(16)));

#define LOW_1(a, b) __builtin_shuffle(a, b, (bytes16){0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23})
#define HIGH_1(a, b) __builtin_shuffle(a, b, (bytes16){8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31})
#define LOW_2(a, b) __builtin_shuffle(a, b, (halves8){0, 8, 1, 9, 2, 10, 3, 11})
#define HIGH_2(a, b) __builtin_shuffle(a, b, (halves8){4, 12, 5, 13, 6, 14, 7, 15})
#define LOW_4(a, b) __builtin_shuffle(a, b, (words4){0, 4, 1, 5})
#define HIGH_4(a, b) __builtin_shuffle(a, b, (words4){2, 6, 3, 7})
#define LOW_8(a, b) __builtin_shuffle(a, b, (longs2){0, 2})
#define HIGH_8(a, b) __builtin_shuffle(a, b, (longs2){1, 3})

#define DEFINE_MICRO(SIZE, VECTOR, ROUNDS)                                                              \
    INLINE void micro_##SIZE(char *const *to, int64_t col, const char *src, const int64_t *rows) {      \
        enum { N = 16 / SIZE };                                                                         \
        VECTOR a[N], b[N];                                                                              \
        for (int k = 0; k < N; k++) memcpy(&a[k], src + rows[k], 16);                                   \
        for (int round = 0; round < ROUNDS; round++) {                                                  \
            for (int k = 0; k < N / 2; k++) {                                                           \
                b[2 * k] = LOW_##SIZE(a[k], a[k + N / 2]);                                              \
                b[2 * k + 1] = HIGH_##SIZE(a[k], a[k + N / 2]);                                         \
            }                                                                                           \
            for (int k = 0; k < N; k++) a[k] = b[k];                                                    \
        }                                                                                               \
        for (int k = 0; k < N; k++) memcpy(to[k] + col, &a[k], 16);                                     \
    }
DEFINE_MICRO(1, bytes16, 4)
DEFINE_MICRO(2, halves8, 3)
DEFINE_MICRO(4, words4, 2)
DEFINE_MICRO(8, longs2, 1)

INLINE void micro_16(char *const *to, int64_t col, const char *src, const int64_t *rows) {
    for (int k = 0; k < 4; k++) {
        memcpy(to[k] + col, src + rows[0] + 16 * k, 16);
        memcpy(to[k] + col + 16, src + rows[1] + 16 * k, 16);
    }
}

#define NAME(x) x##_1
#define ITEM 1
#define MICRO_ROWS 16
#define MICRO_COLS 16
#define TILE_ROWS 256
#define TILE_COLS 256
#define PREFETCH_ROWS 32
#include "sweep_tile.h"

#define NAME(x) x##_2
#define ITEM 2
#define MICRO_ROWS 8
#define MICRO_COLS 8
#define TILE_ROWS 128
#define TILE_COLS 128
#define PREFETCH_ROWS 16
#include "sweep_tile.h"

#define NAME(x) x##_4
#define ITEM 4
#define MICRO_ROWS 4
#define MICRO_COLS 4
#define TILE_ROWS 64
#define TILE_COLS 64
#define PREFETCH_ROWS 16
#include "sweep_tile.h"

#define NAME(x) x##_8
#define ITEM 8
#define MICRO_ROWS 2
#define MICRO_COLS 2
#define TILE_ROWS 32
#define TILE_COLS 32
#define PREFETCH_ROWS 16
#include "sweep_tile.h"

#define NAME(x) x##_16
#define ITEM 16
#define MICRO_ROWS 4
#define MICRO_COLS 2
#define TILE_ROWS 16
#define TILE_COLS 32
#define PREFETCH_ROWS 16
#include "sweep_tile.h"

static void fill_sweepers(sc_kernels *kernels) {
    kernels->sweepers[0] = (sc_sweeper){run_1, 256, 256, 16, 16, gather_1, small_1};
    kernels->sweepers[1] = (sc_sweeper){run_2, 128, 128, 8, 8, gather_2, small_2};
    kernels->sweepers[2] = (sc_sweeper){run_4, 64, 64, 4, 4, gather_4, small_4};
    kernels->sweepers[3] = (sc_sweeper){run_8, 32, 32, 2, 2, gather_8, small_8};
    kernels->sweepers[4] = (sc_sweeper){run_16, 16, 32, 4, 2, gather_16, small_16};
}
