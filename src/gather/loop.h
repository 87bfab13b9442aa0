/* The plan of an indexed loop: dims dropped, ordered and merged, and the walk over them (private to src/gather).
 *
 * A dim is *free* if no index depends on it and it moves the indexed operand: its iterations touch different elements,
 * so it may go anywhere. The other dims keep their order, since two of their iterations may address one element and
 * the last one has to win. Free dims that move the indexed operand less than any index goes inside, where runs of
 * them are copied as rows; those that move it more go outside.
 *
 *     outer free dims | kept dims ... , the last of them in chunks | inner free dims (a row, mostly)
 */
#ifndef STRIDECORE_GATHER_LOOP_H
#define STRIDECORE_GATHER_LOOP_H

#include "gather/kernels.h"

typedef struct sc_loop_plan {
    int64_t ndim, chunk_dim; /* dims after chunk_dim are the inner free ones */
    int64_t item, n_indices;
    int64_t n_outer; /* outer free dims: the first ones */
    bool empty;
    char *plain, *indexed;
    const sc_index *indices; /* all but their byte_strides, which are in `index` */
    int64_t sizes[SC_MAX_NDIM + 1], plain_steps[SC_MAX_NDIM + 1], indexed_steps[SC_MAX_NDIM + 1];
    int64_t index_steps[SC_MAX_NDIM][SC_MAX_NDIM + 1];
} sc_loop_plan;

/* n items at plain + i * plain_step and at indexed + offsets[i]. */
typedef void (*sc_items_fn)(char *plain, int64_t plain_step, char *indexed, const int64_t *offsets, int64_t n,
                            int64_t item);
/* A line of n items at both steps. */
typedef void (*sc_line_fn)(char *plain, int64_t plain_step, char *indexed, int64_t indexed_step, int64_t n,
                           int64_t item);

typedef struct sc_loop_work {
    sc_items_fn items;    /* where the innermost dim is indexed */
    sc_line_fn line;      /* else along it */
    sc_rows_kernel rows;  /* or NULL: lines that are runs on both sides, and follow each other in plain */
    bool reads;           /* plain is written, and no place of it twice */
} sc_loop_work;

/* Rows of 2, 4, 8 or 16 bytes may be moved as one item: for work that doesn't look into them. */
void sc_loop_plan_make(sc_loop_plan *plan, const sc_indexed_loop *loop, bool widens);

/* The part [begin, end) of a plan along one of its dims; `indices` is room for those of the plan. */
void sc_loop_plan_part(sc_loop_plan *part, sc_index *indices, const sc_loop_plan *plan, int64_t dim, int64_t begin,
                       int64_t end);

/* Run a plan, on several threads where that pays and can't change the result; past the cache if it is large. */
bool sc_loop_run(const sc_loop_plan *plan, const sc_loop_work *work, sc_bad_index *bad);

/* Byte offsets of n neighbouring indices (step bytes apart) times byte_step, added to offsets. Returns the position
 * of the first invalid one, n if there is none; *value is what it holds. */
int64_t sc_add_offsets(const sc_index *index, const char *data, int64_t step, int64_t n, int64_t *offsets,
                       int64_t *value);

#endif
