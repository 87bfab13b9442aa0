/* Rows of two operands for CPUs with AVX2. */
#if defined(__x86_64__) || defined(_M_X64)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#define LEVEL avx2
#include "binary/rows.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
typedef int sc_not_for_this_cpu;
#endif
