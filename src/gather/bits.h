/* Loops over the set bits of a word (private to src/gather). */
#ifndef STRIDECORE_GATHER_BITS_H
#define STRIDECORE_GATHER_BITS_H

#include "gather/kernels.h"

/* Words with up to this many bits are dealt with bit by bit, fuller ones eight items at a time. */
enum { SC_FEW_BITS = 4 };

#define SC_EACH_BIT(WORD, AT) \
    for (uint64_t bits_ = (WORD); bits_ && (AT = __builtin_ctzll(bits_), true); bits_ &= bits_ - 1)

#endif
