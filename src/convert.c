/* Conversions between element types: composing rows out of those of the registry. */
#include "convert.h"

#include <string.h>

#include "cpu.h"

/* Elements of a chunk: its intermediate float32 and both operands stay in the first-level cache. */
enum { CHUNK = 512 };

/* ---- copies of one size ---------------------------------------------------------------------- */

#define COPY(SIZE)                                                                                                  \
    static void copy_##SIZE(char *dst, int64_t dst_byte_stride, const char *src, int64_t src_byte_stride,           \
                            int64_t n) {                                                                            \
        if (dst_byte_stride == SIZE && src_byte_stride == SIZE) {                                                   \
            memmove(dst, src, (size_t)n * SIZE);                                                                    \
            return;                                                                                                 \
        }                                                                                                           \
        for (int64_t i = 0; i < n; i++, dst += dst_byte_stride, src += src_byte_stride) memmove(dst, src, SIZE);    \
    }
COPY(1) COPY(2) COPY(4) COPY(8) COPY(16)

static sc_convert_fn *copy_of(int64_t itemsize) {
    switch (itemsize) {
    case 1: return copy_1;
    case 2: return copy_2;
    case 4: return copy_4;
    case 8: return copy_8;
    default: return copy_16;
    }
}

/* ---- complex: nonzero if one of the parts is --------------------------------------------------- */

#define TRUTH_OF_COMPLEX(PART)                                                                        \
    static void truth_of_complex_##PART(char *dst, int64_t dst_byte_stride, const char *src,                        \
                                        int64_t src_byte_stride, int64_t n) {                                       \
        for (int64_t i = 0; i < n; i++, dst += dst_byte_stride, src += src_byte_stride) {                           \
            PART part[2];                                                                                           \
            memcpy(part, src, sizeof part);                                                                         \
            *dst = (PART)((part[0] | part[1]) << 1) != 0; /* all but the signs */                                   \
        }                                                                                                           \
    }
TRUTH_OF_COMPLEX(uint16_t) TRUTH_OF_COMPLEX(uint32_t) TRUTH_OF_COMPLEX(uint64_t)

/* ---- choosing ---------------------------------------------------------------------------------- */

enum {
    DIRECT,       /* element by element */
    FROM_COMPLEX, /* the real parts only; they are where the elements are */
    TO_COMPLEX,   /* with imaginary parts of zero */
    BOTH_PARTS    /* complex to complex */
};

/* The one or two rows from one real type to another. */
static void choose_rows(sc_converter *converter, sc_dtype dst, sc_dtype src) {
    sc_convert_fn *const(*table)[SC_NUM_DTYPES] = sc_kernels_now()->convert;
    bool both_integers = sc_is_integral(dst) && sc_is_integral(src);
    if (dst == src || (both_integers && sc_itemsize(dst) == sc_itemsize(src))) {
        converter->first = copy_of(sc_itemsize(dst));
    } else if (table[dst][src]) {
        converter->first = table[dst][src];
    } else {
        converter->first = table[SC_FLOAT32][src];
        converter->second = table[dst][SC_FLOAT32];
    }
}

sc_converter sc_converter_for(sc_dtype dst_dtype, sc_dtype src_dtype, uint32_t bits) {
    sc_converter converter = {.bits = bits, .dst_dtype = (uint8_t)dst_dtype, .src_dtype = (uint8_t)src_dtype};
    if (!sc_is_complex(dst_dtype)) converter.bits &= ~(uint32_t)SC_CONJ;
    if (dst_dtype == SC_BOOL || dst_dtype == SC_FLOAT8_E8M0FNU) converter.bits = 0;

    if (dst_dtype == src_dtype) {
        converter.first = copy_of(sc_itemsize(dst_dtype));
    } else if (dst_dtype == SC_BOOL && sc_is_complex(src_dtype)) {
        converter.first = src_dtype == SC_COMPLEX32   ? truth_of_complex_uint16_t
                          : src_dtype == SC_COMPLEX64 ? truth_of_complex_uint32_t
                                                      : truth_of_complex_uint64_t;
    } else {
        choose_rows(&converter, sc_to_real(dst_dtype), sc_to_real(src_dtype));
        if (sc_is_complex(dst_dtype)) converter.shape = sc_is_complex(src_dtype) ? BOTH_PARTS : TO_COMPLEX;
        else if (sc_is_complex(src_dtype)) converter.shape = FROM_COMPLEX;
    }
    return converter;
}

/* ---- running ----------------------------------------------------------------------------------- */

/* n <= CHUNK when there are two rows. */
static void run_rows(const sc_converter *converter, char *dst, int64_t dst_byte_stride, const char *src,
                     int64_t src_byte_stride, int64_t n) {
    if (!converter->second) {
        converter->first(dst, dst_byte_stride, src, src_byte_stride, n);
        return;
    }
    float between[CHUNK];
    converter->first((char *)between, sizeof(float), src, src_byte_stride, n);
    converter->second(dst, dst_byte_stride, (const char *)between, sizeof(float), n);
}

/* The real parts of n complex numbers in a run, and n real numbers as complex ones at a stride. */
#define PARTS(SIZE, WORD)                                                                                           \
    static void real_parts_##SIZE(char *restrict dst, const char *restrict src, int64_t n) {                        \
        for (int64_t i = 0; i < n; i++) memcpy(dst + i * SIZE, src + i * 2 * SIZE, SIZE);                           \
    }                                                                                                               \
    static inline void put_with_zero_##SIZE(char *dst, const char *src) {                                           \
        WORD both[2] = {0, 0};                                                                                      \
        memcpy(both, src, SIZE);                                                                                    \
        memcpy(dst, both, sizeof both);                                                                             \
    }                                                                                                               \
    static void with_zeros_##SIZE(char *restrict dst, int64_t dst_byte_stride, const char *restrict src,            \
                                  int64_t n) {                                                                      \
        if (dst_byte_stride == 2 * SIZE)                                                                            \
            for (int64_t i = 0; i < n; i++) put_with_zero_##SIZE(dst + i * 2 * SIZE, src + i * SIZE);               \
        else                                                                                                        \
            for (int64_t i = 0; i < n; i++) put_with_zero_##SIZE(dst + i * dst_byte_stride, src + i * SIZE);        \
    }
PARTS(2, uint16_t) PARTS(4, uint32_t) PARTS(8, uint64_t)

/* Complex to real: gather the real parts first, so that the rows see a run. */
static void run_from_complex(const sc_converter *converter, char *dst, int64_t dst_byte_stride, const char *src,
                             int64_t n) {
    uint64_t parts[CHUNK];
    int64_t part = sc_itemsize((sc_dtype)converter->src_dtype) / 2;
    switch (part) {
    case 2: real_parts_2((char *)parts, src, n); break;
    case 4: real_parts_4((char *)parts, src, n); break;
    default: real_parts_8((char *)parts, src, n); break;
    }
    run_rows(converter, dst, dst_byte_stride, (const char *)parts, part, n);
}

static void run_to_complex(const sc_converter *converter, char *dst, int64_t dst_byte_stride, const char *src,
                           int64_t src_byte_stride, int64_t n) {
    uint64_t parts[CHUNK];
    int64_t part = sc_itemsize((sc_dtype)converter->dst_dtype) / 2;
    run_rows(converter, (char *)parts, part, src, src_byte_stride, n);
    switch (part) {
    case 2: with_zeros_2(dst, dst_byte_stride, (const char *)parts, n); break;
    case 4: with_zeros_4(dst, dst_byte_stride, (const char *)parts, n); break;
    default: with_zeros_8(dst, dst_byte_stride, (const char *)parts, n); break;
    }
}

static void run_both_parts(const sc_converter *converter, char *dst, int64_t dst_byte_stride, const char *src,
                           int64_t src_byte_stride, int64_t n) {
    int64_t dst_part = sc_itemsize((sc_dtype)converter->dst_dtype) / 2;
    int64_t src_part = sc_itemsize((sc_dtype)converter->src_dtype) / 2;
    if (dst_byte_stride == 2 * dst_part && src_byte_stride == 2 * src_part) {
        run_rows(converter, dst, dst_part, src, src_part, 2 * n);
    } else {
        run_rows(converter, dst, dst_byte_stride, src, src_byte_stride, n);
        run_rows(converter, dst + dst_part, dst_byte_stride, src + src_part, src_byte_stride, n);
    }
}

/* n <= CHUNK / 2 */
static void run_chunk(const sc_converter *converter, char *dst, int64_t dst_byte_stride, const char *src,
                      int64_t src_byte_stride, int64_t n) {
    sc_dtype src_dtype = (sc_dtype)converter->src_dtype;
    switch (converter->shape) {
    case DIRECT: run_rows(converter, dst, dst_byte_stride, src, src_byte_stride, n); break;
    case FROM_COMPLEX:
        if (src_byte_stride == sc_itemsize(src_dtype)) run_from_complex(converter, dst, dst_byte_stride, src, n);
        else run_rows(converter, dst, dst_byte_stride, src, src_byte_stride, n);
        break;
    case TO_COMPLEX: run_to_complex(converter, dst, dst_byte_stride, src, src_byte_stride, n); break;
    default: run_both_parts(converter, dst, dst_byte_stride, src, src_byte_stride, n);
    }
    if (converter->bits) sc_apply_bits((sc_dtype)converter->dst_dtype, dst, dst_byte_stride, n, converter->bits);
}

void sc_convert_run(const sc_converter *converter, char *dst, int64_t dst_byte_stride, const char *src,
                    int64_t src_byte_stride, int64_t n) {
    if (!converter->second && !converter->shape && !converter->bits) {
        converter->first(dst, dst_byte_stride, src, src_byte_stride, n);
        return;
    }
    for (int64_t done = 0; done < n; done += CHUNK / 2) { /* half: complex rows have two parts an element */
        int64_t now = n - done < CHUNK / 2 ? n - done : CHUNK / 2;
        run_chunk(converter, dst + done * dst_byte_stride, dst_byte_stride, src + done * src_byte_stride,
                  src_byte_stride, now);
    }
}

void sc_convert_row(sc_dtype dst_dtype, char *dst, int64_t dst_byte_stride, sc_dtype src_dtype, const char *src,
                    int64_t src_byte_stride, int64_t n, uint32_t bits) {
    sc_converter converter = sc_converter_for(dst_dtype, src_dtype, bits);
    sc_convert_run(&converter, dst, dst_byte_stride, src, src_byte_stride, n);
}

void sc_convert_item(sc_dtype dst_dtype, void *dst, sc_dtype src_dtype, const void *src) {
    sc_convert_row(dst_dtype, dst, sc_itemsize(dst_dtype), src_dtype, src, sc_itemsize(src_dtype), 1, 0);
}

/* ---- conjugate and negate ---------------------------------------------------------------------- */

/* Floats: flip signs by xor with a mask; of complex numbers, of one part or both. */
#define FLIP(SIZE, WORD)                                                                                            \
    static inline void flip_one_##SIZE(char *at, WORD mask) {                                                       \
        WORD word;                                                                                                  \
        memcpy(&word, at, SIZE);                                                                                    \
        word ^= mask;                                                                                               \
        memcpy(at, &word, SIZE);                                                                                    \
    }                                                                                                               \
    static void flip_##SIZE(char *data, int64_t byte_stride, int64_t n, WORD mask) {                                \
        if (byte_stride == SIZE)                                                                                    \
            for (int64_t i = 0; i < n; i++) flip_one_##SIZE(data + i * SIZE, mask);                                 \
        else                                                                                                        \
            for (int64_t i = 0; i < n; i++) flip_one_##SIZE(data + i * byte_stride, mask);                          \
    }
/* Integers: negate, wrapping. */
#define NEGATE(SIZE, WORD)                                                                                          \
    static void negate_##SIZE(char *data, int64_t byte_stride, int64_t n) {                                         \
        for (int64_t i = 0; i < n; i++, data += byte_stride) {                                                      \
            WORD word;                                                                                              \
            memcpy(&word, data, SIZE);                                                                              \
            word = (WORD)(0 - word);                                                                                \
            memcpy(data, &word, SIZE);                                                                              \
        }                                                                                                           \
    }
FLIP(1, uint8_t) FLIP(2, uint16_t) FLIP(4, uint32_t) FLIP(8, uint64_t)
NEGATE(1, uint8_t) NEGATE(2, uint16_t) NEGATE(4, uint32_t) NEGATE(8, uint64_t)

/* The sign of zero and of NaN can't be told: 0x00 and 0x80 stay. */
static void negate_fnuz(char *data, int64_t byte_stride, int64_t n) {
    for (int64_t i = 0; i < n; i++, data += byte_stride) {
        uint8_t code = (uint8_t)*data;
        *data = (char)(code & 0x7f ? code ^ 0x80 : code);
    }
}

static void negate_integers(int64_t itemsize, char *data, int64_t byte_stride, int64_t n) {
    switch (itemsize) {
    case 1: negate_1(data, byte_stride, n); break;
    case 2: negate_2(data, byte_stride, n); break;
    case 4: negate_4(data, byte_stride, n); break;
    default: negate_8(data, byte_stride, n); break;
    }
}

static void flip_signs(int64_t itemsize, char *data, int64_t byte_stride, int64_t n) {
    switch (itemsize) {
    case 1: flip_1(data, byte_stride, n, 0x80); break;
    case 2: flip_2(data, byte_stride, n, 0x8000); break;
    case 4: flip_4(data, byte_stride, n, 0x80000000u); break;
    default: flip_8(data, byte_stride, n, UINT64_C(1) << 63); break;
    }
}

static void flip_complex(int64_t itemsize, char *data, int64_t byte_stride, int64_t n, bool real, bool imaginary) {
    uint16_t halves[2] = {real ? 0x8000 : 0, imaginary ? 0x8000 : 0};
    uint32_t floats[2] = {real ? 0x80000000u : 0, imaginary ? 0x80000000u : 0}, mask_4;
    uint64_t mask_8;
    switch (itemsize) {
    case 4:
        memcpy(&mask_4, halves, 4);
        flip_4(data, byte_stride, n, mask_4);
        break;
    case 8:
        memcpy(&mask_8, floats, 8);
        flip_8(data, byte_stride, n, mask_8);
        break;
    default:
        if (real) flip_8(data, byte_stride, n, UINT64_C(1) << 63);
        if (imaginary) flip_8(data + 8, byte_stride, n, UINT64_C(1) << 63);
    }
}

void sc_apply_bits(sc_dtype dtype, char *data, int64_t byte_stride, int64_t n, uint32_t bits) {
    const int64_t itemsize = sc_itemsize(dtype);
    const bool negate = bits & SC_NEG;
    if (sc_is_complex(dtype)) {
        flip_complex(itemsize, data, byte_stride, n, negate, negate != ((bits & SC_CONJ) != 0));
        return;
    }
    if (!negate || dtype == SC_BOOL || dtype == SC_FLOAT8_E8M0FNU) return;
    if (dtype == SC_FLOAT8_E4M3FNUZ || dtype == SC_FLOAT8_E5M2FNUZ) negate_fnuz(data, byte_stride, n);
    else if (sc_is_floating_point(dtype)) flip_signs(itemsize, data, byte_stride, n);
    else negate_integers(itemsize, data, byte_stride, n);
}
