/* From which size on a destination is written past the cache: measured once, when it first matters.
 *
 *     bytes      ... 4 MiB        8 MiB        16 MiB       32 MiB ...
 *                plain | doubtful: streamed from the first of these on at which streaming takes clearly less | streamed
 *
 * Below 4 MiB whoever reads the result next would wait longer than streaming has saved, even where the copy itself
 * gains from 2 MiB on; from 32 MiB on nobody has been seen to lose. What is measured has no influence on results.
 */
#ifndef STRIDECORE_COPY_THRESHOLD_H
#define STRIDECORE_COPY_THRESHOLD_H

#include <stdbool.h>
#include <stdint.h>

enum { SC_STREAM_LEAST = 4 << 20, SC_STREAM_MOST = 32 << 20 };

/* Is a destination of so many bytes written past the cache? The first doubtful size takes a few ms: it is measured
 * then, for each CPU level once, by one thread; others go by SC_STREAM_LEAST meanwhile. */
bool sc_is_streamed(int64_t nbytes);

/* The threshold in bytes, -1 as long as nobody needed it. */
int64_t sc_stream_nbytes(void);

/* Set it; 0: whatever can be is streamed. Negative: measure it, again. */
void sc_set_stream_nbytes(int64_t nbytes);

/* How the threshold follows from times. timer gives the nanoseconds that a copy of nbytes, SC_STREAM_MOST / 2 at most,
 * takes plain and streamed, or false if it can't. */
typedef bool (*sc_copy_timer)(int64_t nbytes, int64_t *plain, int64_t *streamed, void *context);
int64_t sc_find_threshold(sc_copy_timer timer, void *context);

#endif
