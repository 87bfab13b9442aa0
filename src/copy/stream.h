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

/* Begin to write at any address. */
static inline void sc_lane_start(sc_lane *lane, char *to) {
    lane->skip = (int)((uintptr_t)to & 63);
    lane->to = to - lane->skip;
    lane->fill = 0;
}

/* Write what waits; the lane may then be started again. */
static inline void sc_lane_finish(sc_lane *lane) {
    if (lane->fill) memcpy(lane->to + lane->skip, lane->line + lane->skip, (size_t)lane->fill);
    lane->fill = 0;
}

/* nbytes more wait in lane->line, which has room for them. */
static inline void sc_lane_grow(sc_lane *lane, const sc_kernels *kernels, int64_t nbytes) {
    lane->fill += (int)nbytes;
    if (lane->skip + lane->fill < 64) return;
    if (lane->skip) memcpy(lane->to + lane->skip, lane->line + lane->skip, (size_t)lane->fill);
    else kernels->stream_lines(lane->to, lane->line, 1);
    lane->to += 64;
    lane->fill = lane->skip = 0;
}

static inline void sc_lane_put(sc_lane *lane, const sc_kernels *kernels, const char *bytes, int64_t nbytes) {
    int begin = lane->skip + lane->fill;
    if (begin) {
        int64_t room = 64 - begin, part = nbytes < room ? nbytes : room;
        memcpy(lane->line + begin, bytes, (size_t)part);
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
    if (lane->fill) memcpy(lane->line, bytes + (lines << 6), (size_t)lane->fill);
}

#endif
