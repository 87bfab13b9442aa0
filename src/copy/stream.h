/* Writing a long destination past the cache, whole lines only.
 *
 * A lane is one such destination. Bytes are given to it in pieces of any length; what is less than a line waits in
 * the lane until the rest of the line comes:
 *
 *     given   [aaaaaaaaaa][bbbbbbbbbbbbbbbbbbbb][ccccccc]
 *     lines      |........|........|........|........|       the first and the last part of a line by ordinary stores
 */
#ifndef STRIDECORE_COPY_STREAM_H
#define STRIDECORE_COPY_STREAM_H

#include <string.h>

#include "cpu.h"

typedef struct sc_lane {
    char *to;   /* where the next byte goes, minus the waiting ones: on a line but at the start of a row */
    int fill;   /* bytes that wait, at line[skip ... skip + fill) */
    int skip;   /* bytes of the first line that are not this lane's */
    _Alignas(64) char line[64];
} sc_lane;

/* memcpy of at most 64 bytes, without a call: two pieces of 16, 8, 4 ... bytes, which may overlap. */
static inline void sc_copy_part(char *dst, const char *src, int64_t nbytes) {
    if (nbytes >= 32) {
        memcpy(dst, src, 32);
        memcpy(dst + nbytes - 32, src + nbytes - 32, 32);
    } else if (nbytes >= 16) {
        memcpy(dst, src, 16);
        memcpy(dst + nbytes - 16, src + nbytes - 16, 16);
    } else if (nbytes >= 8) {
        memcpy(dst, src, 8);
        memcpy(dst + nbytes - 8, src + nbytes - 8, 8);
    } else if (nbytes >= 4) {
        memcpy(dst, src, 4);
        memcpy(dst + nbytes - 4, src + nbytes - 4, 4);
    } else {
        for (int64_t k = 0; k < nbytes; k++) dst[k] = src[k];
    }
}

/* Begin to write at any address. */
static inline void sc_lane_start(sc_lane *lane, char *to) {
    lane->skip = (int)((uintptr_t)to & 63);
    lane->to = to - lane->skip;
    lane->fill = 0;
}

/* Write what waits; the lane may then be started again. */
static inline void sc_lane_finish(sc_lane *lane) {
    if (lane->fill) sc_copy_part(lane->to + lane->skip, lane->line + lane->skip, lane->fill);
    lane->fill = 0;
}

/* nbytes more wait in lane->line, which has room for them. */
static inline void sc_lane_grow(sc_lane *lane, const sc_kernels *kernels, int64_t nbytes) {
    lane->fill += (int)nbytes;
    if (lane->skip + lane->fill < 64) return;
    if (lane->skip) sc_copy_part(lane->to + lane->skip, lane->line + lane->skip, lane->fill);
    else kernels->stream_lines(lane->to, lane->line, 1);
    lane->to += 64;
    lane->fill = lane->skip = 0;
}

static inline void sc_lane_put(sc_lane *lane, const sc_kernels *kernels, const char *bytes, int64_t nbytes) {
    int begin = lane->skip + lane->fill;
    if (begin) {
        int64_t room = 64 - begin, part = nbytes < room ? nbytes : room;
        sc_copy_part(lane->line + begin, bytes, part);
        sc_lane_grow(lane, kernels, part);
        if (part < room) return;
        bytes += part, nbytes -= part;
    }
    int64_t lines = nbytes >> 6;
    if (lines) {
        kernels->stream_lines(lane->to, bytes, lines);
        lane->to += lines << 6;
    }
    lane->fill = (int)(nbytes & 63);
    if (lane->fill) sc_copy_part(lane->line, bytes + (lines << 6), lane->fill);
}

#endif
