/* Whole lines by ordinary stores: the specification of the streaming ones. */
#include <string.h>

#include "cpu.h"

static void stream_lines(char *dst, const char *src, int64_t lines) { memcpy(dst, src, (size_t)(lines * 64)); }

static void stream_block(char *dst, const char *src, int64_t nbytes) { memcpy(dst, src, (size_t)nbytes); }

static void fence(void) {}

void sc_fill_stream_plain(sc_kernels *kernels) {
    kernels->stream_lines = stream_lines;
    kernels->stream_block = stream_block;
    kernels->fence = fence;
}
