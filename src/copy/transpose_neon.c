/* Sweeps with NEON: sweep_narrow.h. AArch64 has no streaming stores that a compiler offers; whole lines written one
 * after the other are recognised by its caches. */
#include "cpu.h"

#if defined(__aarch64__) || defined(_M_ARM64)

#define TARGET
#define LINE_STORE(d, s) memcpy(d, s, 64)
#define LINE_STREAM(d, s) memcpy(d, s, 64)

#include "sweep_narrow.h"

void sc_fill_transpose_neon(sc_kernels *kernels) { fill_sweepers(kernels); }

#endif
