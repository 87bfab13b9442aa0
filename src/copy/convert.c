/* Conversions on the way: of one run, and of the tiles of a sweep.
 *
 * Values are converted in the first-level cache, a few hundred at a time, and whole lines leave past it where the
 * destination is large:
 *
 *     run      source --convert--> stage --> destination             four places far apart take turns
 *     sweep    source --transpose in registers--> tile --convert--> stage --> destination rows
 *
 *     tile of a sweep, at most 256 columns       row i   [j0 j1 j2 ...       ]   as the source's type
 *     destination row i at column j0                     [j0  j1  j2  ...            ]
 */
#include <string.h>

#include "kernels.h"
#include "stream.h"

/* ---- one run ------------------------------------------------------------------------------------ */

enum {
    PLACES = 4,
    APART = 16384, /* items from a place to the next */
    AHEAD = 1024   /* bytes of the source that are asked for ahead of their turn */
};

int64_t sc_convert_turn(const sc_plan *plan) {
    return plan->dst_item >= 8 || plan->src_item >= 8 ? 64 : 256;
}

static void stream_turn(const sc_converter *converter, const sc_kernels *kernels, char *dst, int64_t dst_item,
                        const char *src, int64_t src_item, int64_t n) {
    _Alignas(64) char stage[64 * 16];
    for (int64_t k = 0; k < n * src_item; k += 64) __builtin_prefetch(src + AHEAD + k);
    sc_convert_run(converter, stage, dst_item, src, src_item, n);
    kernels->stream_lines(dst, stage, n * dst_item / 64);
}

void sc_convert_block(const sc_plan *plan, char *dst, const char *src, int64_t n, bool stream) {
    const int64_t dst_item = plan->dst_item, src_item = plan->src_item;
    const sc_converter converter = sc_converter_for(plan->dst_dtype, plan->src_dtype, plan->bits);
    const int64_t misaligned = (int64_t)((uintptr_t)dst & 63);
    if (stream && misaligned % dst_item == 0) {
        const sc_kernels *kernels = sc_kernels_now();
        const int64_t turn = sc_convert_turn(plan);
        int64_t head = (64 - misaligned) / dst_item % 64;
        if (head > n) head = n;
        sc_convert_run(&converter, dst, dst_item, src, src_item, head);
        dst += head * dst_item, src += head * src_item, n -= head;
        for (; n >= PLACES * APART; n -= PLACES * APART) {
            for (int64_t i = 0; i < APART; i += turn)
                for (int64_t k = i; k < PLACES * APART; k += APART)
                    stream_turn(&converter, kernels, dst + k * dst_item, dst_item, src + k * src_item, src_item, turn);
            dst += PLACES * APART * dst_item, src += PLACES * APART * src_item;
        }
        for (; n >= turn; n -= turn, dst += turn * dst_item, src += turn * src_item)
            stream_turn(&converter, kernels, dst, dst_item, src, src_item, turn);
        kernels->fence();
    }
    sc_convert_run(&converter, dst, dst_item, src, src_item, n);
}

/* ---- a sweep ------------------------------------------------------------------------------------ */

enum {
    TILE_COLS = 256,        /* at most: as many as keep a tile below TILE_NBYTES */
    TILE_NBYTES = 64 << 10,
    MAX_ROWS = 256
};

/* Source rows from j on: the table repeats, or goes on. */
static const int64_t *rows_from(const sc_sweep *sweep, int64_t tile_cols, int64_t j, const char **src) {
    *src = sweep->src;
    if (!sweep->src_repeat) return sweep->src_rows + j;
    *src += j / tile_cols * sweep->src_repeat;
    return sweep->src_rows + j % tile_cols;
}

/* Fill the tile's rows with columns [j, j + cols). Fewer than the kernel takes at once: it starts earlier, in the
 * slack before the rows. */
static void fill_tile(const sc_sweep *sweep, const sc_sweeper *sweeper, char *const *rows, int64_t item, int64_t j,
                      int64_t cols) {
    char *shifted[MAX_ROWS];
    const char *src;
    for (int64_t done = 0; done < cols;) {
        int64_t n = cols - done < sweeper->tile_cols ? cols - done : sweeper->tile_cols;
        int64_t back = n < sweeper->micro_cols ? sweeper->micro_cols - n : 0;
        for (int64_t i = 0; i < sweep->ni; i++) shifted[i] = rows[i] + (done - back) * item;
        const int64_t *src_rows = rows_from(sweep, sweeper->tile_cols, j + done - back, &src);
        sweeper->gather(shifted, src, src_rows, sweep->ni, n + back);
        done += n;
    }
}

void sc_convert_sweep(const sc_sweep *sweep, const sc_sweeper *sweeper, const sc_converter *converter) {
    const int64_t src_item = sc_itemsize((sc_dtype)converter->src_dtype);
    const int64_t dst_item = sc_itemsize((sc_dtype)converter->dst_dtype);
    const sc_kernels *kernels = sc_kernels_now();
    int64_t tile_cols = TILE_NBYTES / (sweeper->tile_rows * src_item) / sweeper->tile_cols * sweeper->tile_cols;
    if (tile_cols > TILE_COLS) tile_cols = TILE_COLS;
    const int64_t pitch = tile_cols * src_item + 64; /* an odd number of lines */
    _Alignas(64) char tile[512 + TILE_NBYTES + MAX_ROWS * 64], stage[TILE_COLS * 16];
    char *rows[MAX_ROWS];
    sc_lane lanes[MAX_ROWS];
    for (int64_t i = 0; i < sweep->ni; i++) {
        rows[i] = tile + 512 + i * pitch;
        if (sweep->stream) sc_lane_start(&lanes[i], sweep->dst + sweep->dst_rows[i]);
    }
    for (int64_t j = 0; j < sweep->nj; j += tile_cols) {
        int64_t cols = sweep->nj - j < tile_cols ? sweep->nj - j : tile_cols;
        fill_tile(sweep, sweeper, rows, src_item, j, cols);
        for (int64_t i = 0; i < sweep->ni; i++) {
            if (sweep->stream) {
                sc_convert_run(converter, stage, dst_item, rows[i], src_item, cols);
                sc_lane_put(&lanes[i], kernels, stage, cols * dst_item);
            } else {
                char *to = sweep->dst + sweep->dst_rows[i] + j * dst_item;
                sc_convert_run(converter, to, dst_item, rows[i], src_item, cols);
            }
        }
    }
    for (int64_t i = 0; sweep->stream && i < sweep->ni; i++) sc_lane_finish(&lanes[i]);
}
