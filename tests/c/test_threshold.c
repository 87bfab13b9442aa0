/* The threshold of streaming: how it follows from times, and when it is measured. */
#include <pthread.h>

#include "check.h"
#include "copy/threshold.h"
#include "cpu.h"

#define MIB ((int64_t)1 << 20)

/* A machine on which streaming pays from a size on, and on which some timings fail. */
typedef struct machine {
    int64_t pays_from, fails_at;
    int asked;
} machine;

static bool time_on(int64_t nbytes, int64_t *plain, int64_t *streamed, void *context) {
    machine *m = context;
    m->asked++;
    *plain = nbytes;
    *streamed = nbytes >= m->pays_from ? nbytes / 2 : nbytes;
    return nbytes != m->fails_at;
}

static void *ask(void *result) {
    *(bool *)result = sc_is_streamed(6 * MIB);
    return NULL;
}

int main(void) {
    static const struct {
        machine machine;
        int64_t threshold;
        int asked;
    } cases[] = {
        {{0, 0, 0}, 4 * MIB, 1},
        {{4 * MIB + 1, 0, 0}, 8 * MIB, 2},
        {{16 * MIB, 0, 0}, 16 * MIB, 3},
        {{INT64_MAX, 0, 0}, 32 * MIB, 3},
        {{INT64_MAX, 8 * MIB, 0}, 4 * MIB, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        machine m = cases[i].machine;
        CHECK(sc_find_threshold(time_on, &m) == cases[i].threshold);
        CHECK(m.asked == cases[i].asked);
    }

    sc_set_stream_nbytes(5000);
    CHECK(sc_stream_nbytes() == 5000 && sc_is_streamed(5000) && !sc_is_streamed(4999));
    sc_set_stream_nbytes(0);
    CHECK(sc_is_streamed(0));

    for (int level = 0; level < SC_NUM_CPU_LEVELS; level++) {
        if (sc_set_cpu_level(sc_cpu_level_name((sc_cpu_level)level)) != SC_CPU_OK) continue;
        sc_set_stream_nbytes(-1);
        CHECK(!sc_is_streamed(4 * MIB - 1) && sc_is_streamed(32 * MIB) && sc_stream_nbytes() == -1);
        pthread_t threads[4];
        bool answers[4];
        for (int k = 0; k < 4; k++) CHECK(pthread_create(&threads[k], NULL, ask, &answers[k]) == 0);
        for (int k = 0; k < 4; k++) CHECK(pthread_join(threads[k], NULL) == 0);
        int64_t threshold = sc_stream_nbytes();
        CHECK(threshold == 4 * MIB || threshold == 8 * MIB || threshold == 16 * MIB || threshold == 32 * MIB);
        CHECK(sc_is_streamed(threshold) && !sc_is_streamed(threshold - 1) && sc_stream_nbytes() == threshold);
        if (level == SC_CPU_PLAIN) CHECK(threshold == 4 * MIB);
    }
    return 0;
}
