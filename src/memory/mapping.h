/* Mappings: memory straight from the system, on huge pages where large, and a bounded cache of freed ones.
 *
 * A fresh mapping is zero and costs a page fault at the first touch of each page; a cached one has its pages already.
 * Private to the engine: memory.c is its user, and copy/threshold.c of what lies apart.
 */
#ifndef STRIDECORE_MEMORY_MAPPING_H
#define STRIDECORE_MEMORY_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

enum { SC_HUGE = 4 << 20, SC_HUGE_PAGE = 2 << 20 };

typedef struct sc_mapping {
    void *data; /* at a page; from SC_HUGE bytes on at a multiple of SC_HUGE_PAGE, with huge pages advised */
    int64_t nbytes; /* whole pages, at least what was asked for */
    bool zero;      /* true iff all bytes are known to be zero */
    bool marked;    /* in the cache: true iff the system was told that it may take the pages */
} sc_mapping;

/* data is NULL when memory runs out, after the cache was emptied. prefer_zero: from SC_HUGE bytes on, take a fresh
 * mapping, whose pages are made at first touch, rather than a cached one that would have to be cleared. */
sc_mapping sc_map(int64_t nbytes, bool prefer_zero);

/* Into the cache if the limit leaves room (older entries go first), otherwise back to the system. */
void sc_unmap(sc_mapping mapping);

/* Past the cache and its counters: for memory that the engine itself needs for a moment. */
sc_mapping sc_map_apart(int64_t nbytes);
void sc_unmap_apart(sc_mapping mapping);

/* May the cache keep anything at all? */
bool sc_mappings_are_cached(void);

#endif
