/* Writes by masks: unpacking, filling and choosing. */
#include <string.h>

#include "bits.h"
#include "copy/kernels.h"
#include "mask_walk.h"
#include "parallel.h"

/* ---- unpacking and filling ----------------------------------------------------------------- */

enum { MAX_PARTS = 64 };

typedef struct unpacking {
    const sc_mask_shape *shape; /* mask, dst */
    int64_t item, parts, step, available;
    const char *src;
    int64_t counts[MAX_PARTS]; /* of the parts' true places, then the items before each part */
    int64_t used[MAX_PARTS];
} unpacking;

static void start_part(sc_mask_walk *walk, const unpacking *u, int64_t part) {
    sc_mask_walk_start(walk, u->shape, sc_mask_part_begin(u->shape->numel, u->parts, part),
                       sc_mask_part_begin(u->shape->numel, u->parts, part + 1));
}

static void count_part(int64_t part, void *context) {
    unpacking *u = context;
    int64_t count = 0;
    sc_mask_walk walk;
    start_part(&walk, u, part);
    while (sc_mask_walk_next(&walk)) {
        uint64_t words[SC_MASK_WORDS];
        sc_mask_words(&walk, words);
        for (int64_t i = 0; i < (walk.n + 63) / 64; i++) count += __builtin_popcountll(words[i]);
    }
    u->counts[part] = count;
}

/* At most `left` items, `step` apart, to the places of n words; returns how many. */
#define EXPAND(SIZE)                                                                                          \
    static int64_t expand_##SIZE(char *dst, int64_t dst_step, const char *src, int64_t step, int64_t left,    \
                                 const uint64_t *words, int64_t n_words) {                                    \
        int64_t used = 0;                                                                                     \
        int at;                                                                                               \
        for (int64_t i = 0; i < n_words; i++, dst += 64 * dst_step) {                                         \
            uint64_t word = words[i];                                                                         \
            if (left - used < 64)                                                                             \
                while (__builtin_popcountll(word) > left - used) word &= ~(UINT64_C(1) << (63 - __builtin_clzll(word))); \
            if (word == UINT64_MAX && dst_step == SIZE && step == SIZE) {                                     \
                memcpy(dst, src + used * SIZE, 64 * SIZE);                                                    \
                used += 64;                                                                                   \
            } else {                                                                                          \
                SC_EACH_BIT(word, at) memcpy(dst + at * dst_step, src + used++ * step, SIZE);                 \
            }                                                                                                 \
        }                                                                                                     \
        return used;                                                                                          \
    }

EXPAND(1)
EXPAND(2)
EXPAND(4)
EXPAND(8)
EXPAND(16)

typedef int64_t (*expand_fn)(char *dst, int64_t dst_step, const char *src, int64_t step, int64_t left,
                             const uint64_t *words, int64_t n_words);

static const expand_fn expanders[5] = {expand_1, expand_2, expand_4, expand_8, expand_16};

static void unpack_part(int64_t part, void *context) {
    unpacking *u = context;
    int64_t before = u->parts > 1 ? u->counts[part] : 0, left = u->available - before, used = 0;
    int64_t dst_step = u->shape->step[1];
    int code = sc_item_code(u->item);
    sc_mask_fill_kernel fill = sc_kernels_now()->gather.fill[code];
    bool fills = u->step == 0 && dst_step == u->item && left >= u->shape->numel;
    sc_mask_walk walk;
    start_part(&walk, u, part);
    while (used < left && sc_mask_walk_next(&walk)) {
        uint64_t words[SC_MASK_WORDS];
        int64_t n_words = (walk.n + 63) / 64;
        sc_mask_words(&walk, words);
        if (fills) {
            fill(walk.block[1], u->src, words, walk.n);
            for (int64_t i = 0; i < n_words; i++) used += __builtin_popcountll(words[i]);
        } else {
            used += expanders[code](walk.block[1], dst_step, u->src + (before + used) * u->step, u->step, left - used,
                                    words, n_words);
        }
    }
    u->used[part] = used;
}

int64_t sc_mask_expand(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, const int64_t *dst_strides,
                       const char *src, int64_t src_step, int64_t available, const char *mask,
                       const int64_t *mask_strides) {
    char *data[] = {(char *)(uintptr_t)mask, dst};
    const int64_t *strides[] = {mask_strides, dst_strides};
    int64_t before = 0, used = 0;
    sc_mask_shape shape;
    if (!sc_mask_shape_make(&shape, ndim, sizes, 2, data, strides, src_step == 0 ? 1 : SC_MASK_ROW_MAJOR)) return 0;
    unpacking u = {.shape = &shape, .item = item, .step = src_step, .available = available, .src = src};
    u.parts = sc_mask_parts(shape.numel, shape.numel * item);
    if (u.parts > MAX_PARTS) u.parts = MAX_PARTS;
    if (u.parts > 1 && src_step == 0 && available < shape.numel) u.parts = 1;
    if (u.parts > 1 && src_step != 0) {
        sc_parallel_for(u.parts, count_part, &u);
        for (int64_t i = 0; i < u.parts; i++) {
            int64_t count = u.counts[i];
            u.counts[i] = before;
            before += count;
        }
    }
    sc_parallel_for(u.parts, unpack_part, &u);
    for (int64_t i = 0; i < u.parts; i++) used += u.used[i];
    return used;
}

/* ---- choosing ------------------------------------------------------------------------------ */

typedef struct choosing {
    const sc_mask_shape *shape; /* mask, dst, a, b */
    int64_t item, parts;
    bool stream;
} choosing;

/* All operands are runs, or one item for all places. */
static bool is_straight(const sc_mask_shape *shape, int64_t item) {
    const int64_t *step = shape->step;
    return shape->ndim == 0 && step[0] == 1 && step[1] == item && (step[2] == item || step[2] == 0) &&
           (step[3] == item || step[3] == 0);
}

static void choose_part(int64_t part, void *context) {
    const choosing *c = context;
    const sc_mask_shape *shape = c->shape;
    const int64_t *step = shape->step;
    int64_t item = c->item;
    const sc_kernels *kernels = sc_kernels_now();
    sc_choose_kernel choose = kernels->gather.choose[sc_item_code(item)];
    bool stream = c->stream && step[1] == item && (uintptr_t)shape->data[1] % (uintptr_t)item == 0;
    int64_t begin = sc_mask_part_begin(shape->numel, c->parts, part);
    int64_t end = sc_mask_part_begin(shape->numel, c->parts, part + 1);
    sc_mask_walk walk;
    if (is_straight(shape, item)) {
        choose(shape->data[1] + begin * item, shape->data[0] + begin, shape->data[2] + begin * step[2], step[2],
               shape->data[3] + begin * step[3], step[3], end - begin, stream);
        begin = end;
    }
    sc_mask_walk_start(&walk, shape, begin, end);
    while (sc_mask_walk_next(&walk)) {
        char masks[SC_MASK_BLOCK], rooms[3][SC_MASK_BLOCK * 16];
        int64_t n = walk.n;
        const char *mask = masks, *a = walk.block[2], *b = walk.block[3];
        if (step[0] == 0) memset(masks, *walk.block[0], (size_t)n);
        else mask = sc_mask_run(walk.block[0], step[0], n, 1, masks);
        if (step[2] != 0) a = sc_mask_run(a, step[2], n, item, rooms[0]);
        if (step[3] != 0) b = sc_mask_run(b, step[3], n, item, rooms[1]);
        char *to = step[1] == item ? walk.block[1] : rooms[2];
        choose(to, mask, a, step[2] ? item : 0, b, step[3] ? item : 0, n, stream);
        if (to == rooms[2]) sc_strided_kernel(item, step[1], item)(walk.block[1], step[1], to, item, n, item);
    }
    if (stream) kernels->fence();
}

void sc_mask_choose(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, const int64_t *dst_strides,
                    const char *mask, const int64_t *mask_strides, const char *a, const int64_t *a_strides,
                    const char *b, const int64_t *b_strides) {
    char *data[] = {(char *)(uintptr_t)mask, dst, (char *)(uintptr_t)a, (char *)(uintptr_t)b};
    const int64_t *strides[] = {mask_strides, dst_strides, a_strides, b_strides};
    sc_mask_shape shape;
    if (!sc_mask_shape_make(&shape, ndim, sizes, 4, data, strides, 1)) return;
    choosing c = {&shape, item, sc_mask_parts(shape.numel, shape.numel * item), false};
    c.stream = sc_is_streamed(shape.numel * item);
    sc_parallel_for(c.parts, choose_part, &c);
}
