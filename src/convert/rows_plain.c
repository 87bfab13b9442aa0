/* Conversion rows for any CPU: the specification. */
#define LEVEL plain
#include "convert/rows.h"
