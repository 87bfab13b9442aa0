/* A few planes to items of a few parts and back: images, complex pairs, (n, 8) transposed.
 *
 *     split    src  rgbrgbrgbrgb...   dst  rrrr... gggg... bbbb...
 *     merge    src  rrrr... gggg... bbbb...   dst  rgbrgbrgbrgb...
 *
 * The kernel fills a stage in the first-level cache from some hundred items; conversions run there; then whole lines
 * leave. To keep the memory busy, several places far apart take turns.
 */
#include <string.h>

#include "kernels.h"
#include "stream.h"

enum { MAX_PARTS = 16, PART_STAGE = 512, PART_TURN = 128, MERGE_STAGE = 4096, SPLIT_PLACES = 4, MERGE_PLACES = 2 };

static int parts_code(int64_t parts) { return parts == 2 ? 0 : parts == 3 ? 1 : parts == 4 ? 2 : parts == 8 ? 3 : -1; }

/* A split or merge of n items along one dim, apart from outer dims. */
typedef struct planes {
    const sc_plan *plan;
    bool merges;
    int64_t parts, n;
    int64_t src_plane, dst_plane; /* bytes between planes */
    sc_split_kernel split;
    sc_merge_kernel merge;
    sc_line_kernel line; /* for numbers of parts without a kernel: part by part */
    sc_converter converter;
} planes;

static void split_items(const planes *p, char *const *dst, const char *src, int64_t n) {
    int64_t item = p->plan->src_item;
    if (p->split) p->split(dst, src, n);
    else
        for (int64_t k = 0; k < p->parts; k++)
            p->line(dst[k], item, src + k * item, p->parts * item, n, item);
}

static void merge_items(const planes *p, char *dst, const char *src, int64_t n, bool stream) {
    int64_t item = p->plan->src_item;
    if (p->merge) p->merge(dst, src, p->src_plane, n, stream);
    else
        for (int64_t k = 0; k < p->parts; k++)
            p->line(dst + k * item, p->parts * item, src + k * p->src_plane, item, n, item);
}

static bool prepare(planes *p, const sc_plan *plan) {
    const sc_plan_dim *rows = &plan->dims[plan->across], *cols = &plan->dims[plan->ndim - 1];
    if (cols->dst != plan->dst_item || rows->src != plan->src_item) return false;
    p->plan = plan;
    p->split = NULL, p->merge = NULL;
    int code = sc_item_code(plan->src_item);
    const sc_kernels *kernels = sc_kernels_now();
    if (rows->size <= MAX_PARTS && cols->src == rows->size * plan->src_item) {
        p->merges = false;
        p->parts = rows->size, p->n = cols->size;
        p->dst_plane = rows->dst;
        if (code >= 0 && parts_code(p->parts) >= 0) p->split = kernels->split[code][parts_code(p->parts)];
        p->line = sc_strided_kernel(plan->src_item, plan->src_item, p->parts * plan->src_item);
    } else if (cols->size <= MAX_PARTS && rows->dst == cols->size * plan->dst_item) {
        p->merges = true;
        p->parts = cols->size, p->n = rows->size;
        p->src_plane = cols->src;
        if (code >= 0 && parts_code(p->parts) >= 0) p->merge = kernels->merge[code][parts_code(p->parts)];
        p->line = sc_strided_kernel(plan->src_item, p->parts * plan->src_item, plan->src_item);
    } else {
        return false;
    }
    if (plan->converts) p->converter = sc_converter_for(plan->dst_dtype, plan->src_dtype, plan->bits);
    return true;
}

/* A plane on its way: what the kernel has made and memory has not. */
typedef struct part_stage {
    char *to;       /* a line of the destination, where bytes[0] goes */
    int skip, fill; /* bytes at the front that are not ours (first line only); bytes in all */
    _Alignas(64) char bytes[64 + PART_STAGE + 64];
} part_stage;

static inline void stage_start(part_stage *stage, char *to) {
    stage->skip = stage->fill = (int)((uintptr_t)to & 63);
    stage->to = to - stage->skip;
}

/* nbytes more lie at bytes + fill: let the whole lines go. */
static inline void stage_grow(part_stage *stage, const sc_kernels *kernels, int64_t nbytes) {
    int64_t total = stage->fill + nbytes, lines = total / 64;
    stage->fill = (int)(total % 64);
    if (lines == 0) return;
    int64_t first = 0;
    if (stage->skip) {
        memcpy(stage->to + stage->skip, stage->bytes + stage->skip, (size_t)(64 - stage->skip));
        stage->skip = 0;
        first = 1;
    }
    kernels->stream_lines(stage->to + first * 64, stage->bytes + first * 64, lines - first);
    stage->to += lines * 64;
    if (stage->fill) memcpy(stage->bytes, stage->bytes + lines * 64, 64);
}

static inline void stage_finish(part_stage *stage) {
    memcpy(stage->to + stage->skip, stage->bytes + stage->skip, (size_t)(stage->fill - stage->skip));
}

static void run_split(const planes *p, const sc_kernels *kernels, char *dst, const char *src, bool stream) {
    const sc_plan *plan = p->plan;
    const int64_t src_item = plan->src_item, dst_item = plan->dst_item;
    char *to[MAX_PARTS];
    if (!stream && !plan->converts) {
        for (int64_t part = 0; part < p->parts; part++) to[part] = dst + part * p->dst_plane;
        split_items(p, to, src, p->n);
        return;
    }
    part_stage stages[SPLIT_PLACES][MAX_PARTS];
    _Alignas(64) char raw[MAX_PARTS][PART_STAGE]; /* before a conversion */
    int64_t chunk = (plan->converts ? PART_STAGE : PART_TURN) / (dst_item > src_item ? dst_item : src_item);
    int64_t places = p->n >= SPLIT_PLACES * 64 * chunk ? SPLIT_PLACES : 1, share = p->n / places / 64 * 64;
    int64_t at[SPLIT_PLACES], past[SPLIT_PLACES];
    for (int64_t k = 0; k < places; k++) {
        at[k] = k * share, past[k] = k == places - 1 ? p->n : (k + 1) * share;
        for (int64_t part = 0; part < p->parts; part++)
            stage_start(&stages[k][part], dst + part * p->dst_plane + at[k] * dst_item);
    }
    for (bool more = true; more;) {
        more = false;
        for (int64_t k = 0; k < places; k++) {
            int64_t n = past[k] - at[k] < chunk ? past[k] - at[k] : chunk;
            if (n <= 0) continue;
            part_stage *stage = stages[k];
            for (int64_t part = 0; part < p->parts; part++)
                to[part] = plan->converts ? raw[part] : stage[part].bytes + stage[part].fill;
            split_items(p, to, src + at[k] * p->parts * src_item, n);
            at[k] += n;
            more = more || at[k] < past[k];
            for (int64_t part = 0; part < p->parts; part++) {
                if (plan->converts)
                    sc_convert_run(&p->converter, stage[part].bytes + stage[part].fill, dst_item, raw[part], src_item, n);
                stage_grow(&stage[part], kernels, n * dst_item);
            }
        }
    }
    for (int64_t k = 0; k < places; k++)
        for (int64_t part = 0; part < p->parts; part++) stage_finish(&stages[k][part]);
}

/* How many items come before a place on a multiple of 32; -1 if there is none. */
static int64_t items_before_aligned(const char *dst, int64_t nbytes) {
    for (int64_t k = 0; k < 32; k++)
        if (((uintptr_t)dst + (uintptr_t)(k * nbytes)) % 32 == 0) return k;
    return -1;
}

/* Streaming without a stage: the kernel itself writes past the cache. */
static void run_merge_direct(const planes *p, char *dst, const char *src, int64_t head) {
    const int64_t item = p->plan->src_item, whole = p->parts * item, chunk = 4096 / item;
    if (head > p->n) head = p->n;
    merge_items(p, dst, src, head, false);
    int64_t n = p->n - head, share = n / MERGE_PLACES / 64 * 64;
    dst += head * whole, src += head * item;
    for (int64_t at = 0; at < share; at += chunk)
        for (int64_t k = 0; k < MERGE_PLACES; k++) {
            int64_t start = k * share + at;
            merge_items(p, dst + start * whole, src + start * item, share - at < chunk ? share - at : chunk, true);
        }
    int64_t done = MERGE_PLACES * share;
    merge_items(p, dst + done * whole, src + done * item, n - done, true);
}

static void run_merge(const planes *p, const sc_kernels *kernels, char *dst, const char *src, bool stream) {
    const sc_plan *plan = p->plan;
    const int64_t src_item = plan->src_item, dst_item = plan->dst_item;
    if (!stream && !plan->converts) {
        merge_items(p, dst, src, p->n, false);
        return;
    }
    int64_t head = p->merge && !plan->converts ? items_before_aligned(dst, p->parts * dst_item) : -1;
    if (head >= 0) {
        run_merge_direct(p, dst, src, head);
        return;
    }
    _Alignas(64) char stage[MERGE_STAGE], converted[MERGE_STAGE];
    sc_lane lanes[MERGE_PLACES];
    int64_t chunk = (int64_t)sizeof stage / (p->parts * (dst_item > src_item ? dst_item : src_item));
    int64_t places = p->n >= MERGE_PLACES * 8 * chunk ? MERGE_PLACES : 1, share = p->n / places / 64 * 64;
    int64_t at[MERGE_PLACES], past[MERGE_PLACES];
    for (int64_t k = 0; k < places; k++) {
        at[k] = k * share, past[k] = k == places - 1 ? p->n : (k + 1) * share;
        sc_lane_start(&lanes[k], dst + at[k] * p->parts * dst_item);
    }
    for (bool more = true; more;) {
        more = false;
        for (int64_t k = 0; k < places; k++) {
            int64_t n = past[k] - at[k] < chunk ? past[k] - at[k] : chunk;
            if (n <= 0) continue;
            merge_items(p, stage, src + at[k] * src_item, n, false);
            at[k] += n;
            more = more || at[k] < past[k];
            const char *bytes = stage;
            if (plan->converts) {
                sc_convert_run(&p->converter, converted, dst_item, stage, src_item, n * p->parts);
                bytes = converted;
            }
            sc_lane_put(&lanes[k], kernels, bytes, n * p->parts * dst_item);
        }
    }
    for (int64_t k = 0; k < places; k++) sc_lane_finish(&lanes[k]);
}

bool sc_run_planes(const sc_plan *plan, bool stream) {
    planes p;
    if (!prepare(&p, plan)) return false;
    const sc_kernels *kernels = sc_kernels_now();
    sc_walk walk;
    sc_walk_start(&walk, plan, plan->across, 0);
    for (int64_t left = sc_walk_count(&walk); left > 0; left--) {
        if (p.merges) run_merge(&p, kernels, walk.dst, walk.src, stream);
        else run_split(&p, kernels, walk.dst, walk.src, stream);
        sc_walk_next(&walk);
    }
    if (stream) kernels->fence();
    return true;
}
