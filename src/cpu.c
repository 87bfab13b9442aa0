/* The registry of kernels: which CPU levels there are, and which table is in use. */
#include "cpu.h"

#include <string.h>

#if defined(__x86_64__) || defined(_M_X64)
#define SC_X86_64 1
#elif defined(__aarch64__) || defined(_M_ARM64)
#define SC_AARCH64 1
#endif

/* Every filler: F(level, name) calls sc_fill_<name>(sc_kernels *). Levels in order. */
#define FILLERS_PLAIN(F)                                                                                      \
    F(SC_CPU_PLAIN, convert_plain) F(SC_CPU_PLAIN, stream_plain) F(SC_CPU_PLAIN, range_plain)                 \
    F(SC_CPU_PLAIN, rows_plain) F(SC_CPU_PLAIN, bits_plain) F(SC_CPU_PLAIN, binary_plain)
#ifdef SC_X86_64
#define FILLERS_SIMD(F)                                                                                       \
    F(SC_CPU_SSE2, transpose_sse2) F(SC_CPU_SSE2, stream_sse2) F(SC_CPU_SSE2, bits_sse2)                      \
    F(SC_CPU_AVX2, convert_avx2) F(SC_CPU_AVX2, transpose_avx2) F(SC_CPU_AVX2, stream_avx2)                   \
    F(SC_CPU_AVX2, strided_avx2) F(SC_CPU_AVX2, planes_avx2) F(SC_CPU_AVX2, range_avx2)                     \
    F(SC_CPU_AVX2, rows_avx2) F(SC_CPU_AVX2, bits_avx2) F(SC_CPU_AVX2, choose_avx2)                      \
    F(SC_CPU_AVX2, binary_avx2)
#elif defined(SC_AARCH64)
#define FILLERS_SIMD(F) F(SC_CPU_NEON, transpose_neon)
#else
#define FILLERS_SIMD(F)
#endif
#define FILLERS(F) FILLERS_PLAIN(F) FILLERS_SIMD(F)

#define DECLARE(level, name) void sc_fill_##name(sc_kernels *kernels);
FILLERS(DECLARE)

static const struct filler {
    sc_cpu_level level;
    void (*fill)(sc_kernels *kernels);
} fillers[] = {
#define ENTRY(level, name) {level, sc_fill_##name},
    FILLERS(ENTRY)
};

static const char *const level_names[SC_NUM_CPU_LEVELS] = {"plain", "sse2", "avx2", "neon"};

/* Filled when the library is loaded, so that no call needs a lock or a check. */
static sc_kernels tables[SC_NUM_CPU_LEVELS];
static const sc_kernels *current; /* read and written atomically */

bool sc_cpu_supports(sc_cpu_level level) {
    switch (level) {
    case SC_CPU_PLAIN: return true;
#ifdef SC_X86_64
    case SC_CPU_SSE2: return true;
    case SC_CPU_AVX2:
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
               __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#endif
#ifdef SC_AARCH64
    case SC_CPU_NEON: return true;
#endif
    default: return false;
    }
}

static sc_cpu_level best_level(void) {
    sc_cpu_level best = SC_CPU_PLAIN;
    for (int level = 0; level < SC_NUM_CPU_LEVELS; level++)
        if (sc_cpu_supports((sc_cpu_level)level)) best = (sc_cpu_level)level;
    return best;
}

__attribute__((constructor)) static void fill_tables(void) {
    for (int level = 0; level < SC_NUM_CPU_LEVELS; level++) {
        if (!sc_cpu_supports((sc_cpu_level)level)) continue;
        for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++)
            if (fillers[i].level <= (sc_cpu_level)level) fillers[i].fill(&tables[level]);
    }
    current = &tables[best_level()];
}

const sc_kernels *sc_kernels_now(void) { return __atomic_load_n(&current, __ATOMIC_RELAXED); }

const sc_kernels *sc_kernels_of(sc_cpu_level level) {
    return sc_cpu_supports(level) ? &tables[level] : NULL;
}

sc_cpu_status sc_set_cpu_level(const char *name) {
    sc_cpu_level level = best_level();
    if (name && *name) {
        int i = 0;
        while (i < SC_NUM_CPU_LEVELS && strcmp(name, level_names[i]) != 0) i++;
        if (i == SC_NUM_CPU_LEVELS) return SC_CPU_UNKNOWN;
        level = (sc_cpu_level)i;
        if (!sc_cpu_supports(level)) return SC_CPU_UNSUPPORTED;
    }
    __atomic_store_n(&current, &tables[level], __ATOMIC_RELAXED);
    return SC_CPU_OK;
}

sc_cpu_level sc_get_cpu_level(void) { return (sc_cpu_level)(sc_kernels_now() - tables); }

const char *sc_cpu_level_name(sc_cpu_level level) { return level_names[level]; }
