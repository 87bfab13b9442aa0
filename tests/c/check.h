/* What the C tests share: checks that report where they failed, a small random generator, guarded buffers. */
#ifndef STRIDECORE_TESTS_CHECK_H
#define STRIDECORE_TESTS_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stop the program with the place and a formatted reason unless the condition holds. */
#define CHECK(condition, ...)                                                  \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: %s failed:", __FILE__, __LINE__, #condition); \
            fprintf(stderr, " " __VA_ARGS__);                                  \
            fprintf(stderr, "\n");                                             \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

/* xorshift64*: reproducible on every platform. */
typedef struct rng { uint64_t state; } rng;

static inline uint64_t rng_next(rng *r) {
    r->state ^= r->state >> 12, r->state ^= r->state << 25, r->state ^= r->state >> 27;
    return r->state * 0x2545F4914F6CDD1Dull;
}

/* A number in [0, n). */
static inline int64_t rng_below(rng *r, int64_t n) { return (int64_t)((rng_next(r) >> 33) % (uint64_t)n); }

static inline void rng_fill(rng *r, void *data, size_t nbytes) {
    unsigned char *bytes = data;
    for (size_t i = 0; i < nbytes; i += 8) {
        uint64_t word = rng_next(r);
        memcpy(bytes + i, &word, nbytes - i < 8 ? nbytes - i : 8);
    }
}

#endif
