/* Loops over the set bits of a word (private to src/gather). */
#ifndef STRIDECORE_GATHER_BITS_H
#define STRIDECORE_GATHER_BITS_H

#include "gather/kernels.h"

#define SC_EACH_BIT(WORD, AT) \
    for (uint64_t bits_ = (WORD); bits_ && (AT = __builtin_ctzll(bits_), true); bits_ &= bits_ - 1)

#endif
