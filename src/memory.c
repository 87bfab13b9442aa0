/* Blocks: counted pieces of memory. */
#include "stridecore.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64

static void release_own(sc_block *block) { free(block); }

sc_block *sc_block_new(int64_t nbytes, bool zeroed) {
    int64_t total;
    if (!sc_add(nbytes, 2 * ALIGNMENT, &total)) return NULL;
    sc_block *block = zeroed ? calloc(1, (size_t)total) : malloc((size_t)total);
    if (!block) return NULL;
    uintptr_t end = (uintptr_t)block + sizeof(sc_block);
    block->refs = 1;
    block->data = (char *)((end + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
    block->nbytes = nbytes;
    block->release = release_own;
    block->context = NULL;
    return block;
}

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

void sc_block_retain(sc_block *block) { __atomic_add_fetch(&block->refs, 1, __ATOMIC_RELAXED); }

void sc_block_release(sc_block *block) {
    if (__atomic_sub_fetch(&block->refs, 1, __ATOMIC_ACQ_REL) == 0) block->release(block);
}
