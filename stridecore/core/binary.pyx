"""Operations of two operands by the engine's rows: the short way and the broad way. None is the answer for the rest,
which the face computes with NumPy.

Short: both operands have one dtype, or one is a number of a kind that keeps it, and both lie in memory in one order
without gaps, so that the elements can be taken as they lie.

    (3, 4) contiguous + (3, 4) contiguous      one row of 12
    (3, 4).t() * 2                             one row of 12, and the result has the strides (1, 4) too

Broad: whatever broadcasts, of bools, integers and floats. Operands of another dtype, and those whose elements do not
lie side by side where the result's do, are copied first; float16, bfloat16 and float8 are computed in float32 and
rounded once, small integers in int32 and wrapped.

    (3, 4) + (4,)                              three rows of 4
    (3, 4) float32 + (3, 4) int64              the integers as float32, then one row of 12
"""
from cpython.bool cimport PyBool_Check
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_CheckExact
from libc.stdint cimport int64_t, uintptr_t

from stridecore.core cimport engine
from stridecore.core.args cimport PyLong_AsLongLongAndOverflow
from stridecore.core.copy cimport converted, copy_into
from stridecore.core.dtype cimport default_dtype, dtype_of
from stridecore.core.elementwise cimport result_like
from stridecore.core.engine cimport *
from stridecore.core.memory_format cimport PRESERVE
from stridecore.core.promotion cimport can_hold, result_dtype
from stridecore.core.tensor_impl cimport *
from stridecore.core.views cimport expanded

# The operations, for the face.
ADD, SUB, MUL, DIV, AND, OR, XOR = SC_ADD, SC_SUB, SC_MUL, SC_DIV, SC_AND, SC_OR, SC_XOR
MAX, MIN, ABS, SQRT = SC_MAX, SC_MIN, SC_ABS, SC_SQRT
EQ, NE, LT, LE, GT, GE = SC_EQ, SC_NE, SC_LT, SC_LE, SC_GT, SC_GE

# Below this many elements a loop costs less than letting go of the GIL and taking it again.
cdef enum:
    GIL_NUMEL = 8192


# ---- the short way ------------------------------------------------------------------------------------------

cdef inline bint same_sizes(TensorImpl a, TensorImpl b) noexcept:
    cdef int64_t d
    if a._ss.ndim != b._ss.ndim:
        return False
    for d in range(a._ss.ndim):
        if sizes_of(a)[d] != sizes_of(b)[d]:
            return False
    return True


cdef inline bint same_order(TensorImpl a, TensorImpl b) noexcept:
    """True iff two tensors of the same sizes have the same strides, but for dims of size 1."""
    cdef int64_t d
    for d in range(a._ss.ndim):
        if strides_of(a)[d] != strides_of(b)[d] and sizes_of(a)[d] != 1:
            return False
    return True


cdef inline bint is_dense(TensorImpl t) noexcept:
    return is_contiguous(t) or sc_is_non_overlapping_and_dense(t._ss.ndim, sizes_of(t), strides_of(t))


cdef inline bint has_plain_strides(TensorImpl t) noexcept:
    """True iff the strides, also those of size-1 dims, are a fresh tensor's."""
    cdef int64_t expected = 1, d = t._ss.ndim - 1
    while d >= 0:
        if strides_of(t)[d] != expected:
            return False
        expected *= sizes_of(t)[d]
        d -= 1
    return t._numel != 0


cdef inline bint is_apart(const char *a, int64_t a_nbytes, const char *b, int64_t b_nbytes) noexcept:
    return <uintptr_t>a + a_nbytes <= <uintptr_t>b or <uintptr_t>b + b_nbytes <= <uintptr_t>a


cdef bint number_item(object value, sc_dtype dtype, void *item) noexcept:
    """Write a Python number that leaves results in `dtype` as one of its items; false for any other."""
    cdef int overflow = 0
    cdef int64_t i64
    cdef double f64
    if PyLong_CheckExact(value):
        i64 = PyLong_AsLongLongAndOverflow(value, &overflow)
        if overflow:
            return False
        engine.convert_item(dtype, item, SC_INT64, &i64)
        return True
    if PyFloat_CheckExact(value) and sc_is_floating_point(dtype):
        f64 = PyFloat_AS_DOUBLE(value)
        engine.convert_item(dtype, item, SC_FLOAT64, &f64)
        return True
    return False


cdef int run(int op, sc_dtype dtype, int form, sc_binary_kernel *kernel, TensorImpl result, TensorImpl a,
             TensorImpl b, const char *left, const char *right) except -1:
    """kernel(result, left, right); the operands that are tensors are a and b (b may be a)."""
    cdef sc_block *blocks[3]
    cdef int64_t n = result._numel
    cdef char *out = data_of(result)
    cdef bint apart = out != left and out != right
    if n < GIL_NUMEL:
        kernel(out, left, right, n)
        return 0
    blocks[0], blocks[1], blocks[2] = result._storage.block, a._storage.block, b._storage.block
    engine.block_retain(blocks[0])
    engine.block_retain(blocks[1])
    engine.block_retain(blocks[2])
    with nogil:
        engine.binary_row(op, dtype, form, apart, out, left, right, n)
    engine.block_release(blocks[0])
    engine.block_release(blocks[1])
    engine.block_release(blocks[2])
    return 0


cdef object short_way(int op, object left, object right, object out):
    """The result of the operation, or None if the way is not straight."""
    cdef TensorImpl a, b, result
    cdef sc_dtype dtype, produced
    cdef int form = SC_ROWS
    cdef int64_t itemsize, nbytes
    cdef sc_binary_kernel *kernel
    cdef char item[16]
    cdef const char *p
    cdef const char *q
    cdef bint plain = False
    if isinstance(left, TensorImpl):
        a = <TensorImpl>left
        if isinstance(right, TensorImpl):
            b = <TensorImpl>right
            if a._dtype != b._dtype or not same_sizes(a, b):
                if a._dtype != b._dtype or b._ss.ndim != 0 or a._ss.ndim == 0:
                    return None
                form = SC_RIGHT
        else:
            b, form = a, SC_RIGHT
    elif isinstance(right, TensorImpl):
        a, b, form = <TensorImpl>right, <TensorImpl>right, SC_LEFT
    else:
        return None
    dtype = <sc_dtype>a._dtype
    kernel = engine.binary_kernel(op, dtype, form)
    if kernel == NULL or a._bits or b._bits or a._numel == 0:
        return None
    itemsize = sc_itemsize(dtype)
    check_reach(a, "operator")
    p = data_of(a)
    q = p
    if form == SC_ROWS:
        check_reach(b, "operator")
        q = data_of(b)
        if is_contiguous(a) and is_contiguous(b):
            plain = True
        elif not same_order(a, b) or not is_dense(a):
            return None
    elif not is_dense(a):
        return None
    elif b is not a or form == SC_RIGHT and isinstance(right, TensorImpl):
        check_reach(b, "operator")
        q = data_of(b)
        plain = has_plain_strides(a)
    elif dtype == SC_BOOL or not number_item(left if form == SC_LEFT else right, dtype, item):
        return None
    elif form == SC_LEFT:
        p = item
        plain = has_plain_strides(a)
    else:
        q = item
        plain = has_plain_strides(a)
    if (<uintptr_t>p | <uintptr_t>q) & <uintptr_t>(itemsize - 1):
        return None
    produced = SC_BOOL if op >= SC_EQ else dtype
    if out is None:
        if plain:
            result = typed_as(tensor_new(produced, a._ss.ndim, sizes_of(a), False), a)
        else:
            result = result_like("operator", [a] if b is a else [a, b], dtype_of(produced))
            if not same_order(result, a):
                return None
    else:
        result = out
        if result._dtype != produced or result._bits or not same_sizes(result, a) or not same_order(result, a):
            return None
        check_writable(result, "operator")
        nbytes = a._numel * itemsize
        if <uintptr_t>data_of(result) & <uintptr_t>(sc_itemsize(produced) - 1):
            return None
        for t in (a, b):
            if not ((data_of(<TensorImpl>t) == data_of(result) and produced == dtype and form == SC_ROWS)
                    or is_apart(data_of(result), result._numel * sc_itemsize(produced), data_of(<TensorImpl>t), nbytes)
                    or t is result and produced == dtype):
                return None
    run(op, dtype, form, kernel, result, a, b, p, q)
    return result


# ---- the broad way ------------------------------------------------------------------------------------------

cdef sc_dtype wider(int op, sc_dtype dtype) noexcept:
    """The dtype to compute in: one that has a kernel for the operation, if any has."""
    if sc_is_float8(dtype) or dtype == SC_FLOAT16 or dtype == SC_BFLOAT16:
        return SC_FLOAT32
    if engine.binary_kernel(op, dtype, SC_ROWS) == NULL:
        if dtype == SC_INT8 or dtype == SC_INT16 or dtype == SC_UINT16:
            return SC_INT32
        if dtype == SC_UINT32:
            return SC_INT64
    return dtype


cdef bint is_bool(object value) except -1:
    return PyBool_Check(value) or isinstance(value, TensorImpl) and (<TensorImpl>value)._dtype == SC_BOOL


cdef bint is_exact_operand(object value) except -1:
    return (isinstance(value, TensorImpl) or PyFloat_CheckExact(value) or PyLong_CheckExact(value)
            or PyBool_Check(value))


cdef object met(object value, sc_dtype dtype, sc_dtype inside, bint precise):
    """An operand as torch takes it into an operation that meets in `dtype`.

    A tensor is rounded to it where more digits are computed, and laid out as its copy where it has gaps, which decides
    the result's strides. A number that does not count as more `precise` is rounded, too.
    """
    cdef TensorImpl t
    if not isinstance(value, TensorImpl):
        if precise or inside == dtype:
            return value
        return as_operand(value, dtype)
    t = <TensorImpl>value
    if t._dtype == dtype or inside == dtype and is_dense(t) or precise and t._numel == 1:
        return t
    return converted(t, dtype, PRESERVE)


cdef TensorImpl as_operand(object value, sc_dtype dtype):
    """A tensor or a number as a tensor of this dtype without lazy bits; None for a number that has no place there."""
    cdef TensorImpl t
    cdef int64_t none = 0
    if isinstance(value, TensorImpl):
        t = <TensorImpl>value
        return t if t._dtype == dtype and not t._bits else converted(t, dtype, PRESERVE)
    t = tensor_new(dtype, 0, &none, False)
    return t if number_item(int(value) if PyBool_Check(value) else value, dtype, data_of(t)) else None


cdef bint fits_beside(TensorImpl out, TensorImpl t) noexcept:
    """True iff writing out as t is read does no harm: they lie apart, or element by element in the same places."""
    cdef int64_t low = 0, high = 0, out_low = 0, out_high = 0
    sc_reach(t._ss.ndim, sizes_of(t), strides_of(t), &low, &high)
    sc_reach(out._ss.ndim, sizes_of(out), strides_of(out), &out_low, &out_high)
    if is_apart(data_of(out) + out_low * itemsize_of(out), (out_high - out_low + 1) * itemsize_of(out),
                data_of(t) + low * itemsize_of(t), (high - low + 1) * itemsize_of(t)):
        return True
    return (data_of(out) == data_of(t) and itemsize_of(out) == itemsize_of(t) and same_sizes(out, t)
            and same_order(out, t))


cdef inline bint is_aligned(TensorImpl t) noexcept:
    return not (<uintptr_t>data_of(t) & <uintptr_t>(itemsize_of(t) - 1))


cdef int broadcast_strides(TensorImpl t, TensorImpl result, int64_t *strides) except -1:
    cdef int64_t d, lead = result._ss.ndim - t._ss.ndim
    for d in range(result._ss.ndim):
        strides[d] = 0 if d < lead or sizes_of(t)[d - lead] == 1 else strides_of(t)[d - lead]
    return 0


cdef bint spreads_into(TensorImpl small, TensorImpl large) noexcept:
    """True iff `small` broadcasts to the sizes of `large`."""
    cdef int64_t d, lead = large._ss.ndim - small._ss.ndim
    if lead < 0:
        return False
    for d in range(small._ss.ndim):
        if sizes_of(small)[d] != 1 and sizes_of(small)[d] != sizes_of(large)[d + lead]:
            return False
    return True


cdef int loop(int op, sc_dtype dtype, TensorImpl result, TensorImpl a, TensorImpl b) except -1:
    """result = a op b, broadcast; returns what is in the way (SC_BINARY_*), 0 when it is done."""
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t strides[3][SC_MAX_NDIM]
    cdef sc_block *blocks[3]
    cdef int64_t d, ndim = result._ss.ndim
    # Looked at right before the loop: copies of operands let other threads run, which may resize and reshape.
    check_writable(result, "operator")
    check_reach(a, "operator")
    check_reach(b, "operator")
    if not spreads_into(a, result) or not spreads_into(b, result):
        raise RuntimeError("operator: an operand's sizes were changed while it was read")
    cdef char *out = data_of(result)
    cdef const char *p = data_of(a)
    cdef const char *q = data_of(b)
    cdef int in_the_way
    for d in range(ndim):
        sizes[d] = sizes_of(result)[d]
        strides[0][d] = strides_of(result)[d]
    broadcast_strides(a, result, strides[1])
    broadcast_strides(b, result, strides[2])
    if result._numel < GIL_NUMEL:
        return engine.binary_loop(op, dtype, ndim, sizes, out, strides[0], p, strides[1], q, strides[2])
    blocks[0], blocks[1], blocks[2] = result._storage.block, a._storage.block, b._storage.block
    for d in range(3):
        engine.block_retain(blocks[d])
    with nogil:
        in_the_way = engine.binary_loop(op, dtype, ndim, sizes, out, strides[0], p, strides[1], q, strides[2])
    for d in range(3):
        engine.block_release(blocks[d])
    return in_the_way


cdef TensorImpl laid_out_as(TensorImpl t, TensorImpl result):
    """A copy of t, broadcast, in the order of the result's elements."""
    cdef TensorImpl copy = tensor_new_strided(<sc_dtype>t._dtype, result._ss.ndim, sizes_of(result),
                                              strides_of(result))
    copy_into(copy, t, "operator")
    return copy


cdef bint is_solid(TensorImpl t) noexcept:
    """True iff the strides are a fresh tensor's and no size is 1: the order of the dims is beyond doubt."""
    cdef int64_t d
    for d in range(t._ss.ndim):
        if sizes_of(t)[d] == 1:
            return False
    return has_plain_strides(t)


cdef object row_by_row(int op, object left, object right):
    """The broad way for two tensors of one dtype, of which one, in row-major order, has the result's sizes."""
    cdef TensorImpl a, b, large, result
    if not isinstance(left, TensorImpl) or not isinstance(right, TensorImpl):
        return None
    a, b = <TensorImpl>left, <TensorImpl>right
    if a._dtype != b._dtype or a._bits or b._bits or engine.binary_kernel(op, <sc_dtype>a._dtype, SC_ROWS) == NULL:
        return None
    if a._dtype == SC_BOOL and op == SC_SUB or not is_contiguous(a) or not is_contiguous(b):
        return None
    if a._ss.ndim >= b._ss.ndim and spreads_into(b, a):
        large = a
    elif spreads_into(a, b):
        large = b
    else:
        return None
    if not is_solid(large):
        return None
    check_reach(a, "operator")
    check_reach(b, "operator")
    if not is_aligned(a) or not is_aligned(b):
        return None
    result = tensor_new(SC_BOOL if op >= SC_EQ else <sc_dtype>a._dtype, large._ss.ndim, sizes_of(large), False)
    return None if loop(op, <sc_dtype>a._dtype, result, a, b) else typed_as(result, a)


cdef object broad_way(int op, object left, object right, object out, str name):
    cdef sc_dtype dtype, inside, produced
    cdef TensorImpl a, b, result, target
    cdef int in_the_way
    if out is None:
        simple = row_by_row(op, left, right)
        if simple is not None:
            return simple
    if not is_exact_operand(left) or not is_exact_operand(right):
        return None
    if not isinstance(left, TensorImpl) and not isinstance(right, TensorImpl):
        return None
    if op == SC_SUB and (is_bool(left) or is_bool(right)):
        return None
    dtype = result_dtype((left, right))
    if op == SC_DIV and not sc_is_floating_point(dtype) and not sc_is_complex(dtype):
        dtype = default_dtype()
    if SC_AND <= op <= SC_XOR and sc_is_floating_point(dtype):
        return None
    inside = wider(op, dtype)
    if engine.binary_kernel(op, inside, SC_ROWS) == NULL:
        return None
    produced = SC_BOOL if op >= SC_EQ else dtype
    first = left if isinstance(left, TensorImpl) else right
    left = met(left, dtype, inside, op == SC_MUL or op == SC_DIV)
    right = met(right, dtype, inside, op == SC_MUL or op == SC_DIV)
    if left is None or right is None:
        return None
    tensors = [value for value in (left, right) if isinstance(value, TensorImpl)]
    result = result_like(name, tensors, dtype_of(SC_BOOL if op >= SC_EQ else inside)) if out is None else <TensorImpl>out
    if out is not None:
        if not can_hold(<sc_dtype>result._dtype, produced):
            return None
        check_writable(result, name)
        target = result_like(name, tensors, dtype_of(SC_BOOL))
        if not same_sizes(result, target) or not sc_is_non_overlapping_and_dense(result._ss.ndim, sizes_of(result),
                                                                                 strides_of(result)):
            return None
    a, b = as_operand(left, inside), as_operand(right, inside)
    if a is None or b is None:
        return None
    for t in (a, b):
        check_reach(<TensorImpl>t, name)
        if not is_aligned(<TensorImpl>t):
            return None
    target = result
    if out is not None and (result._dtype != (SC_BOOL if op >= SC_EQ else inside) or result._bits
                            or op < SC_EQ and inside != dtype
                            or not is_aligned(result) or not fits_beside(result, a) or not fits_beside(result, b)):
        target = result_like(name, [result], dtype_of(SC_BOOL if op >= SC_EQ else inside))
    in_the_way = loop(op, inside, target, a, b)
    if in_the_way & SC_BINARY_OUT:
        return None
    if in_the_way:
        if in_the_way & SC_BINARY_LEFT:
            a = laid_out_as(a, target)
        if in_the_way & SC_BINARY_RIGHT:
            b = laid_out_as(b, target)
        if loop(op, inside, target, a, b):
            return None
    if op < SC_EQ and inside != dtype and (out is None or target is not result):
        target = converted(target, dtype, PRESERVE)
    if out is None:
        return typed_as(target, <TensorImpl>first)
    if target is not result:
        copy_into(result, target, name)
    return result


cdef object computed(int op, object left, object right, object out, str name):
    result = short_way(op, left, right, out)
    return broad_way(op, left, right, out, name) if result is None else result


cdef tuple NAMES = ("add", "sub", "mul", "div", "maximum", "minimum", "abs", "sqrt", "bitwise_and", "bitwise_or",
                    "bitwise_xor", "eq", "ne", "lt", "le", "gt", "ge")


def straight(int op, left, right, out=None):
    """The operation's result, in `out` if that is given, by the engine; None if it has none for these operands.

    ABS and SQRT are of `left`, a tensor, alone: `right` is 0. The dtype is promoted as for all; SQRT is for floats.
    """
    if op < 0 or op > SC_GE or not (out is None or isinstance(out, TensorImpl)):
        return None
    return computed(op, left, right, out, <str>NAMES[op])
