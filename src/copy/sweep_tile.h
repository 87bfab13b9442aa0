/* The body of a sweep, included once for each item size and CPU level with these macros:
 *
 *     NAME(x)          the name x with a suffix of its own
 *     ITEM             bytes of an item
 *     MICRO_ROWS/COLS  destination rows and items along them of NAME(micro), which transposes in registers
 *     TILE_ROWS/COLS   the same of a tile
 *     PREFETCH_ROWS    how many source rows ahead lines are asked for
 *
 * (all of which are undefined again at the end) and these, which stay:
 *
 *     TARGET           the target attribute of the CPU level
 *     LINE_STORE(d, s), LINE_STREAM(d, s)   64 bytes to an aligned address, by way of the cache or past it
 *
 * Tiles go to a buffer, whose rows hold what the destination rows hold, shifted so that the lines of both agree:
 *
 *     buffer row  [slack | carry    | tile                        ]
 *     destination        ^ line     ^ row + j * ITEM               whole lines leave, the rest is the next carry
 *
 * The pitch is an odd number of lines, so that a column of the buffer spreads over the sets of the cache.
 */

#define TILE_BYTES (TILE_COLS * ITEM)
#define PITCH ((TILE_BYTES / 64 + 2) % 2 ? TILE_BYTES + 128 : TILE_BYTES + 192)
#define DIRECT_ROWS (64 / ITEM > MICRO_ROWS ? 64 / ITEM : MICRO_ROWS)
#define ROW_LINES (TILE_ROWS * ITEM / 64)
#define PREFETCHES (MICRO_COLS * ROW_LINES / (TILE_ROWS / MICRO_ROWS))

/* Fill the buffer's columns [0, cols) from source rows; rows >= MICRO_ROWS. Blocks at the ends overlap their
 * neighbours instead of being cut: they write the same values again. */
static inline __attribute__((always_inline)) TARGET void NAME(fill_tile)(char *const *buffer, const char *src,
                                                                         const int64_t *src_rows, int64_t rows,
                                                                         int64_t cols, bool whole,
                                                                         bool prefetch) {
    for (int64_t j = 0; j < cols; j += MICRO_COLS) {
        int64_t at = whole || j + MICRO_COLS <= cols ? j : cols - MICRO_COLS;
        for (int64_t i = 0; i < rows; i += MICRO_ROWS) {
            int64_t from = whole || i + MICRO_ROWS <= rows ? i : rows - MICRO_ROWS;
            /* This block's share of the source lines of rows to come. */
            for (int k = 0; prefetch && k < PREFETCHES; k++) {
                int64_t line = i / MICRO_ROWS * PREFETCHES + k;
                __builtin_prefetch(src + src_rows[at + PREFETCH_ROWS + line / ROW_LINES] + 64 * (line % ROW_LINES));
            }
            NAME(micro)(buffer + from, at * ITEM, src + from * ITEM, src_rows + at);
        }
    }
}

TARGET static void NAME(gather)(char *const *rows, const char *src, const int64_t *src_rows, int64_t ni, int64_t cols) {
    if (ni == TILE_ROWS && cols == TILE_COLS) NAME(fill_tile)(rows, src, src_rows, TILE_ROWS, TILE_COLS, true, true);
    else NAME(fill_tile)(rows, src, src_rows, ni, cols, false, true);
}

/* Into the destination itself: for small ones, whose lines stay in the cache until they are whole. A line of each
 * source row at a time, so that few lines of the destination are open. */
TARGET static void NAME(run_direct)(const sc_sweep *sweep) {
    char *rows[TILE_ROWS];
    const int64_t ni = sweep->ni;
    for (int64_t i = 0; i < ni; i++) rows[i] = sweep->dst + sweep->dst_rows[i];
    for (int64_t j = 0; j < sweep->nj; j += TILE_COLS) {
        int64_t left = sweep->nj - j, cols = left < TILE_COLS ? left : TILE_COLS;
        /* A rest too short for the kernel starts earlier, and does some columns again. */
        int64_t back = cols < MICRO_COLS ? MICRO_COLS - cols : 0;
        const char *src = sweep->src;
        const int64_t *src_rows = sweep->src_rows + (j - back);
        if (sweep->src_repeat) {
            src += (j - back) / TILE_COLS * sweep->src_repeat;
            src_rows = sweep->src_rows + (j - back) % TILE_COLS;
        }
        for (int64_t i = 0; back && i < ni; i++) rows[i] -= back * ITEM;
        for (int64_t i = 0; i < ni; i += DIRECT_ROWS) {
            int64_t from = ni - i < MICRO_ROWS ? ni - MICRO_ROWS : i;
            if (ni - i >= DIRECT_ROWS && cols == TILE_COLS)
                NAME(fill_tile)(rows + i, src + i * ITEM, src_rows, DIRECT_ROWS, TILE_COLS, true, false);
            else
                NAME(fill_tile)(rows + from, src + from * ITEM, src_rows, ni - from < DIRECT_ROWS ? ni - from : DIRECT_ROWS,
                                cols + back, false, false);
        }
        for (int64_t i = 0; i < ni; i++) rows[i] += (cols + back) * ITEM;
    }
}

/* The same where both sides have pitches: `rows` destination rows, at least MICRO_ROWS. */
static inline __attribute__((always_inline)) TARGET void NAME(small_blocks)(char *dst, int64_t dst_pitch, const char *src,
                                                                            int64_t src_pitch, int64_t rows) {
    int64_t src_rows[MICRO_COLS];
    for (int k = 0; k < MICRO_COLS; k++) src_rows[k] = k * src_pitch;
    for (int64_t i = 0; i < rows; i += MICRO_ROWS) {
        int64_t from = i + MICRO_ROWS <= rows ? i : rows - MICRO_ROWS;
        char *to[MICRO_ROWS];
        for (int k = 0; k < MICRO_ROWS; k++) to[k] = dst + (from + k) * dst_pitch;
        NAME(micro)(to, 0, src + from * ITEM, src_rows);
    }
}

TARGET static void NAME(small)(char *dst, int64_t dst_pitch, const char *src, int64_t src_pitch, int64_t ni, int64_t nj) {
    for (int64_t i = 0; i < ni; i += DIRECT_ROWS) {
        int64_t rows = ni - i < DIRECT_ROWS ? ni - i : DIRECT_ROWS, from = rows < MICRO_ROWS ? ni - MICRO_ROWS : i;
        char *to = dst + from * dst_pitch;
        const char *at = src + from * ITEM;
        int64_t j = 0;
        if (rows == DIRECT_ROWS)
            for (; j + MICRO_COLS <= nj; j += MICRO_COLS, to += MICRO_COLS * ITEM, at += MICRO_COLS * src_pitch)
                NAME(small_blocks)(to, dst_pitch, at, src_pitch, DIRECT_ROWS);
        for (; j < nj; j += MICRO_COLS, to += MICRO_COLS * ITEM, at += MICRO_COLS * src_pitch) {
            int64_t back = j + MICRO_COLS <= nj ? 0 : j + MICRO_COLS - nj; /* columns that are done again */
            NAME(small_blocks)(to - back * ITEM, dst_pitch, at - back * src_pitch, src_pitch, i + rows - from);
        }
    }
}

TARGET static void NAME(run)(const sc_sweep *sweep) {
    if (sweep->direct) {
        NAME(run_direct)(sweep);
        return;
    }
    _Alignas(64) char memory[64 + TILE_ROWS * PITCH + 64];
    char *rows[TILE_ROWS];    /* where the tile's first item goes: the slack and the carry lie before */
    uint8_t carry[TILE_ROWS]; /* bytes since the last line */
    const int64_t ni = sweep->ni;
    for (int64_t i = 0; i < ni; i++) {
        carry[i] = (uint8_t)((uintptr_t)(sweep->dst + sweep->dst_rows[i]) & 63);
        rows[i] = memory + 64 + i * PITCH + carry[i];
    }
    int64_t start = 0; /* bytes done of each destination row */
    bool head = true;
    for (int64_t j = 0; j < sweep->nj; j += TILE_COLS) {
        int64_t cols = sweep->nj - j < TILE_COLS ? sweep->nj - j : TILE_COLS;
        const char *src = sweep->src;
        const int64_t *src_rows = sweep->src_rows;
        if (sweep->src_repeat) src += j / TILE_COLS * sweep->src_repeat;
        else src_rows += j;
        if (ni == TILE_ROWS && cols == TILE_COLS) {
            NAME(fill_tile)(rows, src, src_rows, TILE_ROWS, TILE_COLS, true, true);
        } else if (cols >= MICRO_COLS) {
            NAME(fill_tile)(rows, src, src_rows, ni, cols, false, true);
        } else { /* start some columns earlier: in the slack, or over a carry that is already right */
            int64_t back = MICRO_COLS - cols;
            int64_t shifted[MICRO_COLS];
            for (int64_t k = 0; k < MICRO_COLS; k++)
                shifted[k] = sweep->src_repeat && k < back
                                 ? src_rows[TILE_COLS - back + k] - sweep->src_repeat
                                 : src_rows[k - back];
            for (int64_t i = 0; i < ni; i += MICRO_ROWS) {
                int64_t from = i + MICRO_ROWS <= ni ? i : ni - MICRO_ROWS;
                NAME(micro)(rows + from, -back * ITEM, src + from * ITEM, shifted);
            }
        }
        /* Whole lines leave. */
        for (int64_t i = 0; i < ni; i++) {
            char *to = sweep->dst + sweep->dst_rows[i] + start - carry[i]; /* on a line */
            char *from = rows[i] - carry[i];
            int64_t nbytes = cols * ITEM + carry[i], done = 0;
            if (head && carry[i]) {
                done = nbytes < 64 ? nbytes : 64;
                memcpy(to + carry[i], from + carry[i], (size_t)(done - carry[i]));
            }
            if (sweep->stream) {
                if (cols == TILE_COLS && done == 0) {
                    for (int k = 0; k < TILE_BYTES / 64; k++) LINE_STREAM(to + 64 * k, from + 64 * k);
                    done = TILE_BYTES;
                } else {
                    for (; done + 64 <= nbytes; done += 64) LINE_STREAM(to + done, from + done);
                }
            } else {
                for (; done + 64 <= nbytes; done += 64) LINE_STORE(to + done, from + done);
            }
            if (cols < TILE_COLS || j + TILE_COLS >= sweep->nj) {
                memcpy(to + done, from + done, (size_t)(nbytes - done));
            } else if (nbytes > done) { /* the part of a line waits for the next tile */
                LINE_STORE(from, from + TILE_BYTES);
            }
        }
        head = false;
        start += cols * ITEM;
    }
}

#undef TILE_BYTES
#undef PITCH
#undef ROW_LINES
#undef DIRECT_ROWS
#undef PREFETCHES
#undef NAME
#undef ITEM
#undef MICRO_ROWS
#undef MICRO_COLS
#undef TILE_ROWS
#undef TILE_COLS
#undef PREFETCH_ROWS
