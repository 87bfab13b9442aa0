/* Rows of two operands for any CPU: the specification. */
#define LEVEL plain
#include "binary/rows.h"
