/* The registry of kernels: one table of function pointers per CPU level.
 *
 * A level's table is filled plainest first: by the plain fillers, then by those of each higher level up to its own,
 * so an entry is the best kernel that the level may use. Tables are filled once and never change; the level in use
 * is one pointer. Work in progress keeps the table it started with.
 *
 * To add a kernel: a field in sc_kernels and an assignment in a filler; to add a filler: a line in cpu.c's FILLERS.
 * A kernel of any level must give the same bytes as the plain one.
 */
#ifndef STRIDECORE_CPU_H
#define STRIDECORE_CPU_H

#include "binary.h"
#include "convert.h"
#include "copy/sweep.h"
#include "gather/kernels.h"

/* In the order in which tables are filled. Of one CPU, only plain and either sse2, avx2 or neon exist. */
typedef enum sc_cpu_level {
    SC_CPU_PLAIN = 0,
    SC_CPU_SSE2, /* every x86-64 */
    SC_CPU_AVX2, /* AVX2, FMA, F16C, BMI1, BMI2, POPCNT */
    SC_CPU_NEON, /* every AArch64 */
    SC_NUM_CPU_LEVELS
} sc_cpu_level;

/* A kernel along one dim: move n items of `item` bytes, dst_step and src_step bytes apart, from and to any address. */
typedef void (*sc_line_kernel)(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n, int64_t item);

/* Write `lines` cache lines past the cache, out of a source that the kernel knows how to step through. */
typedef void (*sc_line_streamer)(char *dst, const char *src, int64_t lines);

/* n items of 2, 3, 4 or 8 parts out of as many planes, src_plane bytes apart; and the reverse, to planes anywhere. With stream, which
 * wants a dst on a multiple of 32, the result goes past the cache. */
typedef void (*sc_merge_kernel)(char *dst, const char *src, int64_t src_plane, int64_t n, bool stream);
typedef void (*sc_split_kernel)(char *const *dst, const char *src, int64_t n);

/* Steps of a source, in items, for which there are kernels of their own when the destination is a run. */
enum { SC_STEP_SECOND, SC_STEP_THIRD, SC_STEP_FOURTH, SC_STEP_REVERSED, SC_NUM_STEPS };

typedef struct sc_kernels {
    /* src/convert/: NULL for pairs that convert.c composes of others. */
    sc_convert_fn *convert[SC_NUM_DTYPES][SC_NUM_DTYPES];
    /* src/copy/transpose_*.c: for items of 1, 2, 4, 8 and 16 bytes; none in the plain table. */
    sc_sweeper sweepers[5];
    /* src/copy/strided_*.c: for items of 1, 2, 4, 8 and 16 bytes; none in the plain table. */
    sc_line_kernel strided[5][SC_NUM_STEPS];
    /* The same past the cache: whole lines to an address on a multiple of 64. For steps above 1 the source must hold
     * one wanted item more. NULL where it is staged instead. */
    sc_line_streamer stream_strided[5][SC_NUM_STEPS];
    /* src/copy/planes_*.c: by item code and 2, 3, 4, 8 parts; NULL where a loop over the parts does as well. */
    sc_merge_kernel merge[5][4];
    sc_split_kernel split[5][4];
    /* src/copy/stream_*.c: copies past the cache, to be followed by fence() before others may read. Lines go to
     * 64-byte aligned addresses, from any. */
    void (*stream_lines)(char *dst, const char *src, int64_t lines);
    void (*stream_block)(char *dst, const char *src, int64_t nbytes);
    void (*fence)(void);
    /* src/gather/: see gather/kernels.h. */
    sc_gather_kernels gather;
    /* src/range/: see range.h. */
    void (*arange_int64)(int64_t *out, int64_t n, uint64_t start, uint64_t step); /* wrapping */
    void (*arange_float)(float *out, int64_t n, double start, double step);
    void (*arange_double)(double *out, int64_t n, double start, double step);
    void (*linspace_float)(float *out, int64_t n, float start, float end);
    void (*linspace_double)(double *out, int64_t n, double start, double end);
    /* src/binary/: NULL for what NumPy computes. */
    sc_binary_kernel *binary[SC_NUM_BINARY_OPS][SC_NUM_DTYPES][SC_NUM_BINARY_FORMS];
} sc_kernels;

/* The table in use. Never NULL; valid for ever. */
const sc_kernels *sc_kernels_now(void);

/* The table of one level, NULL if this CPU can't run it. */
const sc_kernels *sc_kernels_of(sc_cpu_level level);

typedef enum sc_cpu_status { SC_CPU_OK = 0, SC_CPU_UNKNOWN, SC_CPU_UNSUPPORTED } sc_cpu_status;

/* Use the named level ("plain", "sse2", "avx2", "neon") from now on; NULL or "" for the best one. On failure, which
 * says whether the name is unknown or only not for this CPU, nothing changes. */
sc_cpu_status sc_set_cpu_level(const char *name);

sc_cpu_level sc_get_cpu_level(void);
bool sc_cpu_supports(sc_cpu_level level);
const char *sc_cpu_level_name(sc_cpu_level level);

#endif
