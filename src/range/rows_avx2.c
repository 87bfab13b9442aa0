/* Ranges for CPUs with FMA, where the library's fma() would be a call for each element. */
#if defined(__x86_64__) || defined(_M_X64)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define LEVEL avx2
#include "range/rows.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
typedef int sc_not_for_this_cpu;
#endif
