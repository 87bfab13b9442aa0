/* Conversion rows for any CPU: the specification. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math") /* lets loops with selects between floats vectorise; nobody reads the flags */
#endif
#define LEVEL plain
#include "convert/rows.h"
