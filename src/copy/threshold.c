/* The threshold of streaming; threshold.h tells the rules. */
#include "threshold.h"

#include <string.h>
#include <time.h>

#include "cpu.h"
#include "memory/mapping.h"

enum { UNKNOWN = -1, IN_WORK = -2 };
enum { ROUNDS = 3 }; /* the least of so many times counts: others may use the machine meanwhile */

/* All read and written atomically: what was set, or UNKNOWN; what each level has measured. */
static int64_t given = UNKNOWN;
static int64_t measured[SC_NUM_CPU_LEVELS] = {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN};

_Static_assert(SC_NUM_CPU_LEVELS == 4, "one initial value for each level");

/* ---- measuring ----------------------------------------------------------------------------------- */

typedef struct arena {
    char *dst, *src;
    int64_t ready; /* bytes of both that have their pages */
} arena;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static bool time_copies(int64_t nbytes, int64_t *plain, int64_t *streamed, void *context) {
    arena *a = context;
    const sc_kernels *kernels = sc_kernels_now();
    memset(a->dst + a->ready, 1, (size_t)(nbytes - a->ready));
    memset(a->src + a->ready, 1, (size_t)(nbytes - a->ready));
    a->ready = nbytes;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t start = now();
        memcpy(a->dst, a->src, (size_t)nbytes);
        int64_t between = now();
        kernels->stream_block(a->dst, a->src, nbytes);
        kernels->fence();
        int64_t end = now();
        if (round == 0 || between - start < *plain) *plain = between - start;
        if (round == 0 || end - between < *streamed) *streamed = end - between;
    }
    return true;
}

int64_t sc_find_threshold(sc_copy_timer timer, void *context) {
    for (int64_t nbytes = SC_STREAM_LEAST; nbytes < SC_STREAM_MOST; nbytes *= 2) {
        int64_t plain, streamed;
        if (!timer(nbytes, &plain, &streamed, context)) return SC_STREAM_LEAST;
        if (streamed < plain - plain / 8) return nbytes;
    }
    return SC_STREAM_MOST;
}

static int64_t measure(void) {
    /* A level without streaming stores has nothing to compare. */
    if (sc_kernels_now()->stream_block == sc_kernels_of(SC_CPU_PLAIN)->stream_block) return SC_STREAM_LEAST;
    sc_mapping mapping = sc_map_apart(SC_STREAM_MOST); /* two halves, of which small machines touch little */
    if (!mapping.data) return SC_STREAM_LEAST;
    arena a = {mapping.data, (char *)mapping.data + SC_STREAM_MOST / 2, 0};
    int64_t threshold = sc_find_threshold(time_copies, &a);
    sc_unmap_apart(mapping);
    return threshold;
}

/* ---- asking -------------------------------------------------------------------------------------- */

static int64_t in_use(void) {
    int64_t nbytes = __atomic_load_n(&given, __ATOMIC_RELAXED);
    return nbytes >= 0 ? nbytes : __atomic_load_n(&measured[sc_get_cpu_level()], __ATOMIC_RELAXED);
}

static bool is_streamed_doubtful(int64_t nbytes) {
    int64_t *place = &measured[sc_get_cpu_level()], expected = UNKNOWN;
    if (!__atomic_compare_exchange_n(place, &expected, IN_WORK, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return nbytes >= (expected >= 0 ? expected : SC_STREAM_LEAST);
    int64_t threshold = measure();
    __atomic_store_n(place, threshold, __ATOMIC_RELAXED);
    return nbytes >= threshold;
}

bool sc_is_streamed(int64_t nbytes) {
    int64_t threshold = in_use();
    if (threshold >= 0) return nbytes >= threshold;
    if (nbytes < SC_STREAM_LEAST || nbytes >= SC_STREAM_MOST) return nbytes >= SC_STREAM_MOST;
    return is_streamed_doubtful(nbytes);
}

int64_t sc_stream_nbytes(void) {
    int64_t threshold = in_use();
    return threshold >= 0 ? threshold : UNKNOWN;
}

void sc_set_stream_nbytes(int64_t nbytes) {
    for (int level = 0; nbytes < 0 && level < SC_NUM_CPU_LEVELS; level++)
        __atomic_store_n(&measured[level], UNKNOWN, __ATOMIC_RELAXED);
    __atomic_store_n(&given, nbytes < 0 ? UNKNOWN : nbytes, __ATOMIC_RELAXED);
}
