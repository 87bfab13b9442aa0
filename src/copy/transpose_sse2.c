/* Sweeps with SSE2: sweep_narrow.h with its streaming stores. */
#include "cpu.h"

#if defined(__x86_64__) || defined(_M_X64)

#include <emmintrin.h>

#define TARGET
#define LINE_STORE(d, s) memcpy(d, s, 64)
#define LINE_STREAM(d, s)                                                                               \
    do {                                                                                                \
        for (int k_ = 0; k_ < 64; k_ += 16)                                                             \
            _mm_stream_si128((__m128i *)((d) + k_), _mm_load_si128((const __m128i *)((s) + k_)));       \
    } while (0)

#include "sweep_narrow.h"

void sc_fill_transpose_sse2(sc_kernels *kernels) { fill_sweepers(kernels); }

#endif
