/* Operations of two rows of numbers, element by element: the short way for the commonest dtypes.
 *
 *     a  [ 1.  2.  3. ]          a  [ 1.  2.  3. ]          a  2.
 *     b  [ 4.  5.  6. ]  rows    b  2.             right    b  [ 1.  2.  3. ]  left
 *
 * Integers wrap; floats are IEEE's, rounded once; comparisons give bytes 0 and 1; bools add as "or" and multiply as
 * "and"; of two numbers of which one is NaN, NaN is the larger and the smaller one. The absolute value and the square
 * root are of a alone, whatever b is. Everything else (other dtypes, functions, layouts) is NumPy's work.
 */
#ifndef STRIDECORE_BINARY_H
#define STRIDECORE_BINARY_H

#include "stridecore.h"

typedef enum sc_binary_op {
    SC_ADD, SC_SUB, SC_MUL, SC_DIV, SC_MAX, SC_MIN, SC_ABS, SC_SQRT, SC_AND, SC_OR, SC_XOR,
    SC_EQ, SC_NE, SC_LT, SC_LE, SC_GT, SC_GE, /* from SC_EQ on the results are bools */
    SC_NUM_BINARY_OPS
} sc_binary_op;

/* Which operand is one item for the whole row. */
typedef enum sc_binary_form { SC_ROWS, SC_RIGHT, SC_LEFT, SC_NUM_BINARY_FORMS } sc_binary_form;

/* out[i] = a[i] op b[i] for 0 <= i < n, all aligned to their items. out may be a or b, but not overlap them else. */
typedef void sc_binary_kernel(void *out, const void *a, const void *b, int64_t n);

/* The kernel for operands of this dtype, NULL if there is none. */
sc_binary_kernel *sc_binary_kernel_of(sc_binary_op op, sc_dtype dtype, sc_binary_form form);

/* The row of n by the operation's kernel, which there must be. A long one that is `apart`, sharing no memory with a and
 * b, goes past the cache. */
void sc_binary_row(sc_binary_op op, sc_dtype dtype, sc_binary_form form, bool apart, char *out, const char *a,
                   const char *b, int64_t n);

/* What sc_binary_loop can't take as it lies. */
enum { SC_BINARY_LEFT = 1, SC_BINARY_RIGHT = 2, SC_BINARY_OUT = 4 };

/* out[index] = a[index] op b[index] for every index below sizes; strides count elements, 0 where an operand is
 * broadcast. Dims are taken in the order of out's strides and merged where they can be:
 *
 *     out (4, 3)   strides  3  1      a (4, 3) strides 3 1,  b (3,) broadcast: 0 1      four rows of 3
 *                           3  1      a (4, 3) strides 3 1,  b (4, 3) strides 3 1       one row of 12
 *
 * The innermost dim must have stride 1 in out and 1 or 0 in the operands, not 0 in both (a few elements may lie
 * anyhow); where it has not, nothing is done and the parts that are in the way are returned (SC_BINARY_*), else 0. There
 * must be a kernel for the dtype. out shares no memory with an operand, or starts with it and has its elements in the
 * same places. */
int sc_binary_loop(sc_binary_op op, sc_dtype dtype, int64_t ndim, const int64_t *sizes, char *out,
                   const int64_t *out_strides, const char *a, const int64_t *a_strides, const char *b,
                   const int64_t *b_strides);

#endif
