/* Ranges for any CPU: the specification. */
#define LEVEL plain
#include "range/rows.h"
