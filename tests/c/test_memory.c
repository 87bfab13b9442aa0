/* Blocks: alignment, clearing, counting, the cache of freed mappings, failure, threads and fork. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "stridecore.h"

enum { MIB = 1 << 20 };

static bool all_zero(const sc_block *block) {
    for (int64_t i = 0; i < block->nbytes; i++)
        if (block->data[i]) return false;
    return true;
}

static void test_alignment_and_contents(void) {
    const int64_t sizes[] = {0, 1, 63, 64, 65, 900, 1024, 4096, 65536, 65537, MIB / 2 - 1, MIB / 2, MIB, 4 * MIB - 1,
                             4 * MIB, 4 * MIB + 1, 9 * MIB};
    for (size_t limit = 0; limit < 2; limit++) {
        sc_set_cache_limit(limit ? SC_DEFAULT_CACHE_BYTES : 0);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            for (int round = 0; round < 3; round++) { /* later rounds meet the memory that the first made dirty */
                sc_block *dirty = sc_block_new(sizes[i], false);
                CHECK(dirty && dirty->nbytes == sizes[i] && dirty->refs == 1);
                uintptr_t alignment = sizes[i] >= 4 * MIB ? 2 * MIB : 64;
                CHECK((uintptr_t)dirty->data % alignment == 0, "%p for %ld bytes", (void *)dirty->data, (long)sizes[i]);
                memset(dirty->data, 0xEE, (size_t)sizes[i]);
                sc_block_release(dirty);
                sc_block *zeroed = sc_block_new(sizes[i], true);
                CHECK(zeroed && all_zero(zeroed), "%ld bytes", (long)sizes[i]);
                memset(zeroed->data, 0xEE, (size_t)sizes[i]);
                sc_block_release(zeroed);
            }
        }
    }
    sc_empty_cache();
}

static void test_counting(void) {
    sc_block *block = sc_block_new(100, true);
    sc_block_retain(block);
    CHECK(block->refs == 2);
    sc_block_release(block);
    CHECK(block->refs == 1 && all_zero(block));
    sc_block_release(block);
}

static void count_release(void *context) { ++*(int *)context; }

static void test_wrapped_memory_is_released_once(void) {
    int released = 0;
    char memory[8];
    sc_block *block = sc_block_wrap(memory, 8, count_release, &released);
    CHECK(block && block->data == memory && block->nbytes == 8);
    sc_block_retain(block);
    sc_block_release(block);
    CHECK(released == 0);
    sc_block_release(block);
    CHECK(released == 1);
}

static void test_freed_mappings_are_reused_within_the_limit(void) {
    sc_empty_cache();
    sc_set_cache_limit(20 * MIB);
    sc_memory_stats before = sc_get_memory_stats();
    CHECK(before.cached_blocks == 0 && before.cached_bytes == 0 && before.mapped_blocks == 0);

    sc_block *block = sc_block_new(8 * MIB, false);
    char *data = block->data;
    sc_block_release(block);
    CHECK(sc_get_memory_stats().cached_bytes == 8 * MIB);
    block = sc_block_new(7 * MIB + MIB / 2, false); /* fits with little waste */
    CHECK(block->data == data && sc_get_memory_stats().cache_hits == before.cache_hits + 1);
    CHECK(sc_get_memory_stats().mapped_bytes == 8 * MIB && sc_get_memory_stats().cached_bytes == 0);
    sc_block_release(block);

    block = sc_block_new(5 * MIB, false); /* would waste more than an eighth */
    CHECK(block->data != data);
    sc_block *zeroed = sc_block_new(8 * MIB, true); /* large and zeroed: fresh */
    CHECK(zeroed->data != data && all_zero(zeroed));
    sc_block_release(zeroed);
    CHECK(sc_get_memory_stats().cached_bytes == 16 * MIB);
    sc_block_release(block); /* 21 MiB is over the limit: the oldest goes */
    CHECK(sc_get_memory_stats().cached_bytes == 13 * MIB && sc_get_memory_stats().cached_blocks == 2);

    block = sc_block_new(21 * MIB, false); /* more than the limit: never kept */
    sc_block_release(block);
    CHECK(sc_get_memory_stats().cached_bytes == 13 * MIB);
    sc_set_cache_limit(8 * MIB);
    CHECK(sc_get_memory_stats().cached_bytes == 5 * MIB);
    CHECK(sc_empty_cache() == 5 * MIB && sc_empty_cache() == 0);
    for (int i = 0; i < 200; i++) { /* the list is short */
        sc_block *blocks[3];
        for (int j = 0; j < 3; j++) blocks[j] = sc_block_new(MIB / 2 + (i * 3 + j) * 4096 % MIB, false);
        for (int j = 0; j < 3; j++) sc_block_release(blocks[j]);
        sc_memory_stats now = sc_get_memory_stats();
        CHECK(now.cached_bytes <= 8 * MIB && now.mapped_blocks == 0 && now.mapped_bytes == 0);
    }
    sc_set_cache_limit(0);
    CHECK(sc_get_memory_stats().cached_bytes == 0);
    sc_block_release(sc_block_new(8 * MIB, false));
    CHECK(sc_get_memory_stats().cached_bytes == 0);
    sc_set_cache_limit(SC_DEFAULT_CACHE_BYTES);
}

static void test_failure_is_null_and_flushes_the_cache(void) {
    sc_block_release(sc_block_new(8 * MIB, false));
    CHECK(sc_get_memory_stats().cached_bytes == 8 * MIB);
    CHECK(!sc_block_new(INT64_C(1) << 60, false));
    CHECK(sc_get_memory_stats().cached_bytes == 0);
    CHECK(!sc_block_new(INT64_C(1) << 60, true));
    for (int64_t nbytes = INT64_MAX; nbytes > INT64_MAX - 3 * MIB; nbytes -= 4095) CHECK(!sc_block_new(nbytes, true));
    CHECK(sc_get_memory_stats().mapped_blocks == 0);
}

static void *churn(void *argument) {
    rng r = {(uint64_t)(uintptr_t)argument * 7919 + 1};
    sc_block *live[8] = {0};
    for (int i = 0; i < 3000; i++) {
        sc_block **slot = &live[rng_below(&r, 8)];
        if (*slot) {
            CHECK((*slot)->nbytes == 0 || (*slot)->data[0] == (*slot)->data[(*slot)->nbytes - 1]);
            sc_block_release(*slot);
        }
        *slot = sc_block_new(rng_below(&r, 3) ? rng_below(&r, 2000) : MIB / 2 + rng_below(&r, 4) * MIB / 4, false);
        if ((*slot)->nbytes) (*slot)->data[0] = (*slot)->data[(*slot)->nbytes - 1] = (char)i;
    }
    for (int i = 0; i < 8; i++)
        if (live[i]) sc_block_release(live[i]);
    return NULL;
}

static void test_threads(void) {
    pthread_t threads[4];
    for (intptr_t i = 0; i < 4; i++) pthread_create(&threads[i], NULL, churn, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    CHECK(sc_get_memory_stats().mapped_blocks == 0);
}

/* Children made while other threads are in the middle of the cache find it usable. */
static void test_fork_during_threads(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, churn, (void *)9);
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0) {
            for (int j = 0; j < 20; j++) sc_block_release(sc_block_new(MIB, false));
            sc_empty_cache();
            _exit(sc_get_memory_stats().cached_bytes == 0 ? 0 : 1);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child && status == 0, "child %d: status %d", i, status);
    }
    pthread_join(thread, NULL);
}

int main(void) {
    test_alignment_and_contents();
    test_counting();
    test_wrapped_memory_is_released_once();
    test_freed_mappings_are_reused_within_the_limit();
    test_failure_is_null_and_flushes_the_cache();
    test_threads();
    test_fork_during_threads();
    sc_empty_cache();
    return 0;
}
