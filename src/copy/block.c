/* Contiguous to contiguous. */
#include "kernels.h"

#include <string.h>

void sc_copy_block(char *dst, const char *src, int64_t nbytes) { memcpy(dst, src, (size_t)nbytes); }
