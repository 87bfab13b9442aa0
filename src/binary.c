/* Operations of two rows: which kernel a dtype gets. */
#include "binary.h"

#include "cpu.h"

sc_binary_kernel *sc_binary_kernel_of(sc_binary_op op, sc_dtype dtype, sc_binary_form form) {
    return sc_kernels_now()->binary[op][dtype][form];
}
