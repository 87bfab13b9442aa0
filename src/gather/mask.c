/* Reads by masks: counting, packing and finding what is true. */
#include <string.h>

#include "copy/kernels.h"
#include "copy/stream.h"
#include "mask_walk.h"
#include "parallel.h"

/* Most parts that a mask is cut into. */
enum { MAX_PARTS = 64 };

static int64_t parts_of(int64_t numel, int64_t nbytes) {
    int64_t parts = sc_mask_parts(numel, nbytes);
    return parts < MAX_PARTS ? parts : MAX_PARTS;
}

/* ---- counting ------------------------------------------------------------------------------ */

typedef struct counting {
    const sc_mask_shape *shape;
    int64_t parts, counts[MAX_PARTS];
} counting;

static void count_part(int64_t part, void *context) {
    counting *c = context;
    const sc_mask_shape *shape = c->shape;
    int64_t begin = sc_mask_part_begin(shape->numel, c->parts, part), count = 0;
    int64_t end = sc_mask_part_begin(shape->numel, c->parts, part + 1);
    const sc_kernels *kernels = sc_kernels_now();
    sc_mask_walk walk;
    if (shape->ndim == 0 && (shape->step[0] == 1 || shape->n == 1)) {
        c->counts[part] = kernels->gather.count(shape->data[0] + begin, end - begin);
        return;
    }
    sc_mask_walk_start(&walk, shape, begin, end);
    while (sc_mask_walk_next(&walk)) {
        char room[SC_MASK_BLOCK];
        int64_t step = shape->step[0];
        if (step == 0) count += *walk.block[0] ? walk.n : 0;
        else count += kernels->gather.count(sc_mask_run(walk.block[0], step, walk.n, 1, room), walk.n);
    }
    c->counts[part] = count;
}

/* The true places of each part, in the order of the parts; returns how many there are in all. */
static int64_t count_all(counting *c) {
    int64_t total = 0;
    sc_parallel_for(c->parts, count_part, c);
    for (int64_t part = 0; part < c->parts; part++) total += c->counts[part];
    return total;
}

int64_t sc_mask_count(int64_t ndim, const int64_t *sizes, const char *mask, const int64_t *mask_strides) {
    char *data[] = {(char *)(uintptr_t)mask};
    const int64_t *strides[] = {mask_strides};
    sc_mask_shape shape;
    counting c = {.shape = &shape};
    if (!sc_mask_shape_make(&shape, ndim, sizes, 1, data, strides, 0)) return 0;
    c.parts = parts_of(shape.numel, shape.numel);
    return count_all(&c);
}

/* ---- output in parts ----------------------------------------------------------------------- */

/* A result that comes in pieces. A part of it begins where those before it end: how much those give was counted
 * before. A mask that changes meanwhile gives too little or too much: what is too much is dropped. */
typedef struct sink {
    char *to;
    int64_t left; /* bytes */
    const sc_kernels *kernels;
    bool stream;
    sc_lane lane;
} sink;

static void sink_start(sink *s, char *to, int64_t nbytes, bool stream) {
    s->to = to, s->left = nbytes, s->kernels = sc_kernels_now(), s->stream = stream;
    if (stream) sc_lane_start(&s->lane, to);
}

static void sink_put(sink *s, const char *bytes, int64_t nbytes) {
    if (nbytes > s->left) nbytes = s->left;
    if (s->stream) sc_lane_put(&s->lane, s->kernels, bytes, nbytes);
    else memcpy(s->to, bytes, (size_t)nbytes);
    s->to += nbytes, s->left -= nbytes;
}

/* Returns the bytes that are still missing. */
static int64_t sink_finish(sink *s) {
    if (s->stream) {
        sc_lane_finish(&s->lane);
        s->kernels->fence();
    }
    return s->left;
}

/* ---- packing ------------------------------------------------------------------------------- */

typedef struct packing {
    counting counted;
    int64_t item, used[MAX_PARTS], limits[MAX_PARTS]; /* of each part: items written, and at most to be written */
    char *dst;
    bool stream;
} packing;

/* Blocks of short rows are put together first: a block of their own for each would cost more than the work. */
static int64_t fill_block(sc_mask_walk *walk, int64_t item, char *mask, char *src) {
    const sc_mask_shape *shape = walk->shape;
    int64_t n = 0;
    do {
        sc_strided_kernel(1, 1, shape->step[0])(mask + n, 1, walk->block[0], shape->step[0], walk->n, 1);
        sc_strided_kernel(item, item, shape->step[1])(src + n * item, item, walk->block[1], shape->step[1], walk->n,
                                                      item);
        n += walk->n;
    } while (n + shape->n <= SC_MASK_BLOCK && sc_mask_walk_next(walk));
    return n;
}

static void pack_part(int64_t part, void *context) {
    packing *p = context;
    const sc_mask_shape *shape = p->counted.shape;
    int64_t item = p->item, before = 0, numel = shape->numel, parts = p->counted.parts;
    _Alignas(64) char packed[SC_MASK_BLOCK * 16 + SC_MASK_SLACK], room[SC_MASK_BLOCK * 16];
    sc_compress_kernel compress = sc_kernels_now()->gather.compress[sc_item_code(item)];
    sc_mask_walk walk;
    sink out;
    for (int64_t i = 0; i < part; i++) before += p->limits[i];
    sink_start(&out, p->dst + before * item, p->limits[part] * item, p->stream);
    sc_mask_walk_start(&walk, shape, sc_mask_part_begin(numel, parts, part),
                       sc_mask_part_begin(numel, parts, part + 1));
    bool are_short = shape->n <= SC_MASK_BLOCK / 4;
    while (out.left > 0 && sc_mask_walk_next(&walk)) {
        uint64_t words[SC_MASK_WORDS];
        const char *src;
        int64_t n = walk.n;
        if (are_short) {
            char mask[SC_MASK_BLOCK];
            src = room;
            n = fill_block(&walk, item, mask, room);
            out.kernels->gather.bits(mask, n, words);
        } else {
            sc_mask_words(&walk, words);
            src = sc_mask_run(walk.block[1], shape->step[1], n, item, room);
            if (n < SC_MASK_BLOCK && src != room) src = memcpy(room, src, (size_t)(n * item)); /* words are read whole */
        }
        int64_t found = compress(packed, src, words, (n + 63) / 64);
        sink_put(&out, packed, found * item);
    }
    p->used[part] = p->limits[part] - sink_finish(&out) / item;
}

int64_t sc_mask_compress(int64_t ndim, const int64_t *sizes, int64_t item, char *dst, int64_t capacity,
                         const char *src, const int64_t *src_strides, const char *mask, const int64_t *mask_strides) {
    char *data[] = {(char *)(uintptr_t)mask, (char *)(uintptr_t)src};
    const int64_t *strides[] = {mask_strides, src_strides};
    int64_t used = 0, left = capacity;
    sc_mask_shape shape;
    packing p = {.counted.shape = &shape, .item = item, .dst = dst, .stream = sc_is_streamed(capacity * item)};
    if (!sc_mask_shape_make(&shape, ndim, sizes, 2, data, strides, SC_MASK_ROW_MAJOR)) return 0;
    p.counted.parts = parts_of(shape.numel, shape.numel * item);
    p.limits[0] = capacity;
    if (p.counted.parts > 1) count_all(&p.counted);
    for (int64_t i = 0; i < p.counted.parts && p.counted.parts > 1; i++) {
        p.limits[i] = p.counted.counts[i] < left ? p.counted.counts[i] : left;
        left -= p.limits[i];
    }
    sc_parallel_for(p.counted.parts, pack_part, &p);
    for (int64_t i = 0; i < p.counted.parts; i++) used += p.used[i];
    return used;
}

/* ---- places -------------------------------------------------------------------------------- */

typedef struct finding {
    counting counted;
    int64_t used[MAX_PARTS], limits[MAX_PARTS]; /* as in packing */
    int64_t *to, place_step, dim_step;
} finding;

static void find_part(int64_t part, void *context) {
    finding *f = context;
    const sc_mask_shape *shape = f->counted.shape;
    int64_t numel = shape->numel, parts = f->counted.parts, before = 0, buffer[SC_MASK_BLOCK + SC_MASK_SLACK / 8];
    int64_t limit = f->limits[part], done = 0;
    const sc_kernels *kernels = sc_kernels_now();
    for (int64_t i = 0; i < part; i++) before += f->limits[i];
    int64_t *to = f->to + before * f->place_step;
    bool is_run = shape->ndim == 0 && f->place_step == 1;
    sc_mask_walk walk;
    sink out;
    sink_start(&out, (char *)to, is_run ? limit * 8 : 0, is_run && sc_is_streamed(limit * 64));
    sc_mask_walk_start(&walk, shape, sc_mask_part_begin(numel, parts, part),
                       sc_mask_part_begin(numel, parts, part + 1));
    while (done < limit && sc_mask_walk_next(&walk)) {
        uint64_t words[SC_MASK_WORDS];
        sc_mask_words(&walk, words);
        int64_t found = kernels->gather.places(buffer, words, (walk.n + 63) / 64, walk.in_row - walk.n);
        if (found > limit - done) found = limit - done;
        if (is_run) sink_put(&out, (const char *)buffer, found * 8);
        else
            for (int64_t d = 0; d <= shape->ndim; d++) {
                int64_t *place = to + done * f->place_step + d * f->dim_step;
                for (int64_t i = 0; i < found; i++)
                    place[i * f->place_step] = d == shape->ndim ? buffer[i] : walk.at[d];
            }
        done += found;
    }
    sink_finish(&out);
    f->used[part] = done;
}

int64_t sc_mask_places(int64_t ndim, const int64_t *sizes, const char *mask, const int64_t *mask_strides,
                       int64_t *coordinates, int64_t place_step, int64_t dim_step, int64_t capacity) {
    char *data[] = {(char *)(uintptr_t)mask};
    const int64_t *strides[] = {mask_strides};
    int64_t used = 0, left = capacity;
    sc_mask_shape shape;
    finding f = {.counted.shape = &shape, .to = coordinates, .place_step = place_step, .dim_step = dim_step};
    if (ndim == 0) return *mask != 0 && capacity > 0;
    if (!sc_mask_shape_make(&shape, ndim, sizes, 1, data, strides, SC_MASK_DIMS_KEPT)) return 0;
    f.counted.parts = parts_of(shape.numel, capacity * ndim * 8);
    f.limits[0] = capacity;
    if (f.counted.parts > 1) count_all(&f.counted);
    for (int64_t i = 0; i < f.counted.parts && f.counted.parts > 1; i++) {
        f.limits[i] = f.counted.counts[i] < left ? f.counted.counts[i] : left;
        left -= f.limits[i];
    }
    sc_parallel_for(f.counted.parts, find_part, &f);
    for (int64_t i = 0; i < f.counted.parts; i++) used += f.used[i];
    return used;
}
