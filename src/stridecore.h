/* The engine's interface: blocks of memory and strided copies.
 *
 * C11 without Python. It knows addresses, item sizes, sizes and *byte* strides. Nothing
 * here prints or aborts; failure is a return code and leaves the outputs untouched.
 * All functions may be called from any thread.
 */
#ifndef STRIDECORE_H
#define STRIDECORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checked.h"
#include "dtype.h"
#include "layout.h"

typedef enum sc_status {
    SC_OK = 0,
    SC_ENOMEM,     /* memory ran out; nothing was written */
    SC_EOVERFLOW,  /* a size, stride, offset or byte count does not fit in an int64 */
    SC_ESELF       /* more than one index of the destination refers to one memory location */
} sc_status;

/* ---- memory.c: blocks ------------------------------------------------------------------
 *
 * A block is a counted piece of memory. Its fields don't change during its life: whoever
 * holds a reference may use [data, data + nbytes) without a lock. Storages swap blocks,
 * they never move one.
 */
typedef struct sc_block sc_block;
struct sc_block {
    int64_t refs; /* changed atomically, by sc_block_retain and sc_block_release only */
    char *data;   /* 64-byte aligned when made by sc_block_new; may be NULL when nbytes is 0 */
    int64_t nbytes;
    void (*release)(sc_block *block); /* frees the memory and the block; called once, by the last release */
    void *context;                    /* for release: the owner of wrapped memory */
};

/* A new block with one reference; zeroed if asked, otherwise of unspecified content. NULL when memory runs out.
 * Requires nbytes >= 0. Blocks of at least 4 MiB are aligned to 2 MiB with huge pages advised (Linux). */
sc_block *sc_block_new(int64_t nbytes, bool zeroed);

/* A block over somebody else's memory. on_release(context) is called once when the last reference goes. */
sc_block *sc_block_wrap(void *data, int64_t nbytes, void (*on_release)(void *context), void *context);

void sc_block_retain(sc_block *block);
void sc_block_release(sc_block *block);

/* Freed blocks of at least 512 KiB are kept for reuse, up to a limit in bytes, the oldest going first. None of at
 * least 4 MiB is reused for a zeroed block, and all are given back to the system when an allocation fails. */
enum { SC_DEFAULT_CACHE_BYTES = 256 << 20 };

void sc_set_cache_limit(int64_t nbytes); /* 0: keep nothing. What exceeds the new limit is freed at once. */
int64_t sc_empty_cache(void);            /* Free what is kept; returns its bytes. */

typedef struct sc_memory_stats {
    int64_t mapped_blocks, mapped_bytes; /* in use, mapped from the system rather than malloc-ed */
    int64_t cached_blocks, cached_bytes; /* freed and kept */
    int64_t cache_limit;
    int64_t cache_hits, cache_misses;    /* mapped blocks so far: from the cache, and fresh */
} sc_memory_stats;

sc_memory_stats sc_get_memory_stats(void);

/* ---- copy ------------------------------------------------------------------------------ */

/* Lazy transformations of the values that an operand's bytes stand for. */
enum { SC_CONJ = 1, SC_NEG = 2 };

typedef struct sc_operand {
    char *data;                  /* address of the element at index (0, ..., 0) */
    const int64_t *byte_strides; /* one per dim, in bytes; any sign, 0 allowed */
    sc_dtype dtype;
    uint32_t bits; /* SC_CONJ | SC_NEG */
} sc_operand;

/* dst[index] = convert(src[index]) for every index, as if src had been read completely before the first write.
 *
 * The operands may overlap in any way (a temporary is made only where needed). A destination that reaches one
 * location by two indices is SC_ESELF, unless `sizes` has no more than one element. Conversions follow
 * sc_convert_item. The caller has checked that both operands stay inside memory that it keeps alive; numel and
 * every offset fit in an int64.
 * Requires 0 <= ndim <= SC_MAX_NDIM and sizes >= 0. */
sc_status sc_copy(int64_t ndim, const int64_t *sizes, const sc_operand *dst, const sc_operand *src);

/* dst[index] = the one element at item (of dst's dtype and bits) for every index; a destination that overlaps
 * itself is allowed. */
sc_status sc_fill(int64_t ndim, const int64_t *sizes, const sc_operand *dst, const void *item);

/* ---- overlap.c -------------------------------------------------------------------------- */

/* True iff two different indices of the layout reach one byte. Exact within a work limit; past it an address
 * bitmap settles it, and where that can't be had the answer is true. Never slow, whatever the strides. */
bool sc_self_overlaps(int64_t ndim, const int64_t *sizes, const int64_t *byte_strides, int64_t itemsize);

/* True iff some byte is reached by both layouts (each with its own sizes). Exact within a work limit; past it true. */
bool sc_overlaps(const char *a, int64_t a_ndim, const int64_t *a_sizes, const int64_t *a_byte_strides,
                 int64_t a_itemsize, const char *b, int64_t b_ndim, const int64_t *b_sizes,
                 const int64_t *b_byte_strides, int64_t b_itemsize);

/* ---- convert.c -------------------------------------------------------------------------- */

/* Convert one element: *dst = (dst_dtype)*src, unaligned addresses allowed. The reference for every vectorised
 * conversion; float -> integer is defined for all values, NaN and infinities included, and the same on every CPU:
 * to int8/int16/uint8/uint16 by way of int32 (wrapping; float64 -> uint8 by way of int64), to int32 and int64 out of
 * range and NaN give the minimum, to uint32 by way of int64, to uint64 likewise but [2**63, 2**64) is exact and what
 * is above gives 0. Reduced floats go by way of float32. Complex -> real drops the imaginary part; anything nonzero,
 * NaN too, is bool true. Rows of elements: convert.h. */
void sc_convert_item(sc_dtype dst_dtype, void *dst, sc_dtype src_dtype, const void *src);

#endif
