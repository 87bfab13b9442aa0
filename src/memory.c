/* Blocks: counted pieces of memory.
 *
 *     below 512 KiB    malloc:   |header|..pad..|data ...       data at a multiple of 64
 *     from there on    a mapping (memory/mapping.c), the header apart; on huge pages from 4 MiB
 *
 * Small blocks are what scalars and small tensors cost, so they must be cheap: malloc's own cache of each thread
 * makes and frees one in about 10 ns (which is why there is none here), and the last release needs no atomic
 * subtraction. Middle ones are mapped for the cache's sake: malloc gives freed memory back to the system as soon as
 * a few of them are free at once, and the page faults of the next ones cost ten times a copy.
 */
#include "stridecore.h"

#include <stdlib.h>
#include <string.h>

#include "memory/mapping.h"

enum {
    ALIGNMENT = 64,
    MAPPED = 512 << 10,
    CLEARED = 64 << 10 /* up to here clearing malloc's memory is faster than calloc, which bypasses its caches */
};

static void release_malloced(sc_block *block) { free(block); }

/* Once more when memory runs out, without the cache of large blocks. */
static void *malloc_or_retry(size_t nbytes, bool zeroed) {
    void *data = zeroed ? calloc(1, nbytes) : malloc(nbytes);
    if (!data && sc_empty_cache()) data = zeroed ? calloc(1, nbytes) : malloc(nbytes);
    return data;
}

static sc_block *new_malloced(int64_t nbytes, bool zeroed) {
    size_t total = (size_t)nbytes + sizeof(sc_block) + ALIGNMENT - 1;
    sc_block *block = malloc_or_retry(total, zeroed && nbytes > CLEARED);
    if (!block) return NULL;
    uintptr_t end = (uintptr_t)block + sizeof(sc_block);
    block->refs = 1;
    block->data = (char *)((end + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
    block->nbytes = nbytes;
    block->release = release_malloced;
    block->context = NULL;
    if (zeroed && nbytes <= CLEARED) memset(block->data, 0, (size_t)nbytes);
    return block;
}

typedef struct mapped_block {
    sc_block block;
    sc_mapping mapping;
} mapped_block;

static void release_mapped(sc_block *block) {
    sc_unmap(((mapped_block *)block)->mapping);
    free(block);
}

static sc_block *new_mapped(int64_t nbytes, bool zeroed) {
    mapped_block *mapped = malloc_or_retry(sizeof(mapped_block), false);
    if (!mapped) return NULL;
    mapped->mapping = sc_map(nbytes, zeroed);
    if (!mapped->mapping.data) {
        free(mapped);
        return NULL;
    }
    mapped->block = (sc_block){.refs = 1, .data = mapped->mapping.data, .nbytes = nbytes, .release = release_mapped};
    if (zeroed && !mapped->mapping.zero) memset(mapped->block.data, 0, (size_t)nbytes);
    return &mapped->block;
}

sc_block *sc_block_new(int64_t nbytes, bool zeroed) {
    bool map = nbytes >= SC_HUGE || (nbytes >= MAPPED && sc_mappings_are_cached());
    return map ? new_mapped(nbytes, zeroed) : new_malloced(nbytes, zeroed);
}

/* ---- wrapped memory ------------------------------------------------------------------------------ */

typedef struct wrapped_block {
    sc_block block;
    void (*on_release)(void *context);
} wrapped_block;

static void release_wrapped(sc_block *block) {
    wrapped_block *wrapped = (wrapped_block *)block;
    if (wrapped->on_release) wrapped->on_release(block->context);
    free(wrapped);
}

sc_block *sc_block_wrap(void *data, int64_t nbytes, void (*on_release)(void *context), void *context) {
    wrapped_block *wrapped = malloc(sizeof(wrapped_block));
    if (!wrapped) return NULL;
    wrapped->block = (sc_block){.refs = 1, .data = data, .nbytes = nbytes, .release = release_wrapped,
                                .context = context};
    wrapped->on_release = on_release;
    return &wrapped->block;
}

/* ---- counting ------------------------------------------------------------------------------------ */

void sc_block_retain(sc_block *block) { __atomic_add_fetch(&block->refs, 1, __ATOMIC_RELAXED); }

/* Who sees a count of one holds the only reference: nobody else can add one. */
void sc_block_release(sc_block *block) {
    if (__atomic_load_n(&block->refs, __ATOMIC_ACQUIRE) == 1 ||
        __atomic_sub_fetch(&block->refs, 1, __ATOMIC_ACQ_REL) == 0)
        block->release(block);
}
