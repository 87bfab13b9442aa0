/* Mappings from the system, and the cache of freed ones.
 *
 *     reserved  |......|======================|....|     nbytes + 2 MiB of address space
 *                      ^ 2 MiB boundary: data      the ends are given back at once
 *
 * The cache is a short list, oldest first; a mapping serves a request that needs at least seven eighths of it. Large
 * mappings in the cache are marked as free to reclaim, so a system short of memory takes their pages before anybody
 * is killed for them; the newest 64 MiB are not yet, as marking a mapping and writing it again costs a tenth of what
 * is computed into it. The lock is held for list work only; a fork waits for it.
 *
 *     oldest | marked  marked | warm  warm  warm | newest
 */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "memory/mapping.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "checked.h"
#include "stridecore.h"

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

enum { MAX_CACHED = 64, WARM_BYTES = 64 << 20 };

/* All under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sc_mapping cached[MAX_CACHED];
static sc_memory_stats stats = {.cache_limit = SC_DEFAULT_CACHE_BYTES};

static void lock_for_fork(void) { pthread_mutex_lock(&lock); }
static void unlock_after_fork(void) { pthread_mutex_unlock(&lock); }
__attribute__((constructor)) static void watch_forks(void) {
    pthread_atfork(lock_for_fork, unlock_after_fork, unlock_after_fork);
}

/* ---- from and to the system ------------------------------------------------------------------------ */

static void *map_pages(int64_t nbytes) {
    void *start = mmap(NULL, (size_t)nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

static void *map_huge(int64_t nbytes) {
    int64_t reserved;
    if (!sc_add(nbytes, SC_HUGE_PAGE, &reserved)) return NULL;
    char *start = map_pages(reserved);
    if (!start) return NULL;
    char *data = start + (-(uintptr_t)start & (SC_HUGE_PAGE - 1));
    if (data != start) munmap(start, (size_t)(data - start));
    char *end = start + reserved;
    if (data + nbytes != end) munmap(data + nbytes, (size_t)(end - data) - (size_t)nbytes);
#ifdef MADV_HUGEPAGE
    madvise(data, (size_t)nbytes, MADV_HUGEPAGE); /* a hint: where it fails, pages are small */
#endif
    return data;
}

static void *map(int64_t nbytes) { return nbytes < SC_HUGE ? map_pages(nbytes) : map_huge(nbytes); }

static int64_t give_back(int64_t n, const sc_mapping *mappings) {
    int64_t nbytes = 0;
    for (int64_t i = 0; i < n; i++) {
        munmap(mappings[i].data, (size_t)mappings[i].nbytes);
        nbytes += mappings[i].nbytes;
    }
    return nbytes;
}

static bool whole_pages(int64_t nbytes, int64_t *out) {
    int64_t page = sysconf(_SC_PAGESIZE);
    if (!sc_add(nbytes, page - 1, out)) return false;
    *out -= *out % page;
    return true;
}

/* ---- the cache: called with the lock held ----------------------------------------------------------- */

static sc_mapping take_cached(int64_t index) {
    sc_mapping taken = cached[index];
    memmove(&cached[index], &cached[index + 1], (size_t)(stats.cached_blocks - index - 1) * sizeof *cached);
    stats.cached_blocks--;
    stats.cached_bytes -= taken.nbytes;
    return taken;
}

/* The smallest cached mapping that holds nbytes without wasting more than an eighth of itself. */
static sc_mapping take_fitting(int64_t nbytes) {
    int64_t best = -1;
    for (int64_t i = 0; i < stats.cached_blocks; i++) {
        bool fits = cached[i].nbytes >= nbytes && nbytes >= cached[i].nbytes - cached[i].nbytes / 8;
        if (fits && (cached[i].nbytes < SC_HUGE) == (nbytes < SC_HUGE) &&
            (best < 0 || cached[i].nbytes < cached[best].nbytes))
            best = i;
    }
    return best < 0 ? (sc_mapping){NULL, 0, false, false} : take_cached(best);
}

/* Take mappings, oldest first, until at most nbytes in at most count are left. Returns how many were taken. */
static int64_t take_excess(int64_t nbytes, int64_t count, sc_mapping taken[MAX_CACHED]) {
    int64_t n = 0;
    while (stats.cached_blocks > count || stats.cached_bytes > nbytes) taken[n++] = take_cached(0);
    return n;
}

/* Keep the mapping, as the newest or behind those that are marked, and take what has to go for it: all of it, if it
 * does not fit itself. Returns how many were taken. */
static int64_t keep(sc_mapping mapping, sc_mapping taken[MAX_CACHED + 1]) {
    if (mapping.nbytes > stats.cache_limit) {
        taken[0] = mapping;
        return 1;
    }
    int64_t n = take_excess(stats.cache_limit - mapping.nbytes, MAX_CACHED - 1, taken);
    int64_t index = stats.cached_blocks;
    if (mapping.marked)
        for (index = 0; index < stats.cached_blocks && cached[index].marked;) index++;
    memmove(&cached[index + 1], &cached[index], (size_t)(stats.cached_blocks - index) * sizeof *cached);
    cached[index] = mapping;
    stats.cached_blocks++;
    stats.cached_bytes += mapping.nbytes;
    return n;
}

/* Take the mappings that are to be marked: all beyond the newest WARM_BYTES. Returns how many. */
static int64_t take_cold(sc_mapping taken[MAX_CACHED]) {
    int64_t warm = 0, n = 0;
    for (int64_t i = stats.cached_blocks - 1; i >= 0; i--) {
        warm += cached[i].nbytes;
        if (warm > WARM_BYTES && !cached[i].marked) taken[n++] = take_cached(i);
    }
    return n;
}

/* ---- what memory.c uses ------------------------------------------------------------------------------ */

sc_mapping sc_map(int64_t nbytes, bool prefer_zero) {
    sc_mapping mapping = {NULL, 0, false, false};
    int64_t rounded;
    if (!whole_pages(nbytes, &rounded)) return mapping;
    pthread_mutex_lock(&lock);
    if (!prefer_zero || rounded < SC_HUGE) mapping = take_fitting(rounded);
    if (mapping.data) stats.cache_hits++, stats.mapped_blocks++, stats.mapped_bytes += mapping.nbytes;
    pthread_mutex_unlock(&lock);
    if (mapping.data) return mapping;

    void *data = map(rounded);
    if (!data && sc_empty_cache()) data = map(rounded);
    if (!data) return mapping;
    pthread_mutex_lock(&lock);
    stats.cache_misses++, stats.mapped_blocks++, stats.mapped_bytes += rounded;
    pthread_mutex_unlock(&lock);
    return (sc_mapping){data, rounded, true, false};
}

void sc_unmap(sc_mapping mapping) {
    sc_mapping taken[MAX_CACHED + 1], cold[MAX_CACHED];
    mapping.zero = mapping.marked = false;
    pthread_mutex_lock(&lock);
    stats.mapped_blocks--, stats.mapped_bytes -= mapping.nbytes;
    int64_t n = keep(mapping, taken), n_cold = take_cold(cold);
    pthread_mutex_unlock(&lock);
    give_back(n, taken);
    while (n_cold-- > 0) { /* the oldest first */
#ifdef MADV_FREE
        if (cold[n_cold].nbytes >= SC_HUGE) madvise(cold[n_cold].data, (size_t)cold[n_cold].nbytes, MADV_FREE);
#endif
        cold[n_cold].marked = true;
        pthread_mutex_lock(&lock);
        n = keep(cold[n_cold], taken);
        pthread_mutex_unlock(&lock);
        give_back(n, taken);
    }
}

sc_mapping sc_map_apart(int64_t nbytes) {
    int64_t rounded;
    void *data = whole_pages(nbytes, &rounded) ? map(rounded) : NULL;
    return (sc_mapping){data, data ? rounded : 0, true, false};
}

void sc_unmap_apart(sc_mapping mapping) { give_back(1, &mapping); }

bool sc_mappings_are_cached(void) { return __atomic_load_n(&stats.cache_limit, __ATOMIC_RELAXED) > 0; }

/* ---- public ------------------------------------------------------------------------------------------ */

int64_t sc_empty_cache(void) {
    sc_mapping taken[MAX_CACHED];
    pthread_mutex_lock(&lock);
    int64_t n = take_excess(0, 0, taken);
    pthread_mutex_unlock(&lock);
    return give_back(n, taken);
}

void sc_set_cache_limit(int64_t nbytes) {
    sc_mapping taken[MAX_CACHED];
    pthread_mutex_lock(&lock);
    __atomic_store_n(&stats.cache_limit, nbytes > 0 ? nbytes : 0, __ATOMIC_RELAXED);
    int64_t n = take_excess(stats.cache_limit, MAX_CACHED, taken);
    pthread_mutex_unlock(&lock);
    give_back(n, taken);
}

sc_memory_stats sc_get_memory_stats(void) {
    pthread_mutex_lock(&lock);
    sc_memory_stats now = stats;
    pthread_mutex_unlock(&lock);
    return now;
}
