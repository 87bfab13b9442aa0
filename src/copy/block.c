/* Contiguous to contiguous. */
#include "kernels.h"

#include <string.h>

#include "cpu.h"

/* Waking a thread costs tens of microseconds: a copy in the cache of a MiB takes as long. */
#define THREAD_NBYTES ((int64_t)2 << 20)

static int64_t thread_nbytes = THREAD_NBYTES; /* read and written atomically */

int64_t sc_thread_nbytes(void) { return __atomic_load_n(&thread_nbytes, __ATOMIC_RELAXED); }

void sc_set_thread_nbytes(int64_t nbytes) {
    __atomic_store_n(&thread_nbytes, nbytes < 0 ? THREAD_NBYTES : nbytes, __ATOMIC_RELAXED);
}

void sc_copy_block(char *dst, const char *src, int64_t nbytes, bool stream) {
    if (!stream) {
        memcpy(dst, src, (size_t)nbytes);
        return;
    }
    const sc_kernels *kernels = sc_kernels_now();
    kernels->stream_block(dst, src, nbytes);
    kernels->fence();
}
