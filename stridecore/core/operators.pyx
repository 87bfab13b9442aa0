"""Operators: `x + y`, `2 * x`, `x == y`, `x += y`.

The short way, `straight`: both operands have one dtype, or one is a number of a kind that keeps it, and both lie in
memory in one order without gaps, so that the elements can be taken as they lie and one loop of the engine does it.

    (3, 4) contiguous + (3, 4) contiguous      one row of 12
    (3, 4).t() * 2                             one row of 12, and the result has the strides (1, 4) too
    (3, 4) + (4,)                              not straight: NumPy, by the functions of the face

Everything else goes to the face's functions (`add`, `mul`, ...), which the face registers as they are loaded late.
What is no tensor, number or array is left to Python: NotImplemented.
"""
cimport cython
from cpython.bool cimport PyBool_Check
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uintptr_t

from stridecore.core cimport engine
from stridecore.core.args cimport PyLong_AsLongLongAndOverflow
from stridecore.core.dtype cimport dtype_of
from stridecore.core.elementwise cimport result_like
from stridecore.core.engine cimport *
from stridecore.core.ndarray cimport is_ndarray, tensor_over_ndarray
from stridecore.core.scalars cimport plain_number
from stridecore.core.tensor_impl cimport *

# The operations of `straight`, for the face.
ADD, SUB, MUL, DIV, AND, OR, XOR = SC_ADD, SC_SUB, SC_MUL, SC_DIV, SC_AND, SC_OR, SC_XOR
EQ, NE, LT, LE, GT, GE = SC_EQ, SC_NE, SC_LT, SC_LE, SC_GT, SC_GE

# Below this many elements a loop costs less than letting go of the GIL and taking it again.
cdef enum:
    GIL_NUMEL = 8192

cdef object find_function = None    # finds the face's function of a name
cdef dict functions = {}


def register(find):
    """`find(name)` gives the face's function `name`: add, mul, eq ... (the face does, at import)."""
    global find_function
    find_function = find


cdef object function_named(str name):
    function = functions.get(name)
    if function is None:
        function = functions[name] = find_function(name)
    return function


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


cdef int run(sc_binary_kernel *kernel, TensorImpl result, TensorImpl a, TensorImpl b, const void *left,
             const void *right) except -1:
    """kernel(result, left, right); the operands that are tensors are a and b (b may be a)."""
    cdef sc_block *blocks[3]
    cdef int64_t n = result._numel
    cdef void *out = data_of(result)
    if n < GIL_NUMEL:
        kernel(out, left, right, n)
        return 0
    blocks[0], blocks[1], blocks[2] = result._storage.block, a._storage.block, b._storage.block
    engine.block_retain(blocks[0])
    engine.block_retain(blocks[1])
    engine.block_retain(blocks[2])
    with nogil:
        kernel(out, left, right, n)
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
    run(kernel, result, a, b, p, q)
    return result


def straight(int op, left, right, out=None):
    """The operation's result, in `out` if that is given, by the short way; None if there is none for these operands."""
    if op < 0 or op > SC_GE or not (out is None or isinstance(out, TensorImpl)):
        return None
    return short_way(op, left, right, out)


# ---- operators ----------------------------------------------------------------------------------------------

cdef object operand(object value):
    """A tensor or number as it is, an array as a tensor over it, None for anything else."""
    if isinstance(value, TensorImpl):
        return value
    if is_ndarray(value):
        return tensor_over_ndarray(value, "operator")
    return None if plain_number(value) is None else value


cdef object long_way(str name, object left, object right):
    left, right = operand(left), operand(right)
    if left is None or right is None:
        return NotImplemented
    return function_named(name)(left, right)


cdef object operate(int op, str name, object left, object right):
    result = short_way(op, left, right, None)
    return long_way(name, left, right) if result is None else result


cdef object in_place(int op, str name, object left, object right):
    result = short_way(op, left, right, left) if op >= 0 else None
    if result is not None:
        return result
    right = operand(right)
    return NotImplemented if right is None else function_named(name)(left, right, out=left)


cdef inline bint is_two(object exponent, TensorImpl base) noexcept:
    """True for an exponent for which base ** exponent is base * base."""
    if PyLong_CheckExact(exponent):
        return exponent == 2 and base._dtype != SC_BOOL
    return PyFloat_CheckExact(exponent) and PyFloat_AS_DOUBLE(exponent) == 2.0 and (
        base._dtype == SC_FLOAT32 or base._dtype == SC_FLOAT64)


cdef int none = -1


@cython.no_gc
cdef class TensorOperators(TensorExchange):
    """The operators."""

    def __add__(self, other):
        return operate(SC_ADD, "add", self, other)

    def __radd__(self, other):
        return operate(SC_ADD, "add", other, self)

    def __iadd__(self, other):
        # CPython fills sq_inplace_concat of a subclass with this slot and passes NotImplemented on to the caller.
        result = in_place(SC_ADD, "add", self, other)
        return self + other if result is NotImplemented else result

    def __sub__(self, other):
        return operate(SC_SUB, "sub", self, other)

    def __rsub__(self, other):
        return operate(SC_SUB, "sub", other, self)

    def __isub__(self, other):
        return in_place(SC_SUB, "sub", self, other)

    def __mul__(self, other):
        return operate(SC_MUL, "mul", self, other)

    def __rmul__(self, other):
        return operate(SC_MUL, "mul", other, self)

    def __imul__(self, other):
        return in_place(SC_MUL, "mul", self, other)

    def __truediv__(self, other):
        return operate(SC_DIV, "div", self, other)

    def __rtruediv__(self, other):
        return operate(SC_DIV, "div", other, self)

    def __itruediv__(self, other):
        return in_place(SC_DIV, "div", self, other)

    def __floordiv__(self, other):
        return long_way("floor_divide", self, other)

    def __rfloordiv__(self, other):
        return long_way("floor_divide", other, self)

    def __ifloordiv__(self, other):
        return in_place(none, "floor_divide", self, other)

    def __mod__(self, other):
        return long_way("remainder", self, other)

    def __rmod__(self, other):
        return long_way("remainder", other, self)

    def __imod__(self, other):
        return in_place(none, "remainder", self, other)

    def __pow__(self, other, modulo):
        if modulo is not None:
            return NotImplemented
        if is_two(other, self):
            return operate(SC_MUL, "mul", self, self)
        return long_way("pow", self, other)

    def __rpow__(self, other, modulo):
        return NotImplemented if modulo is not None else long_way("pow", other, self)

    def __ipow__(self, other):
        return in_place(none, "pow", self, other)

    def __and__(self, other):
        return operate(SC_AND, "bitwise_and", self, other)

    def __rand__(self, other):
        return operate(SC_AND, "bitwise_and", other, self)

    def __iand__(self, other):
        return in_place(SC_AND, "bitwise_and", self, other)

    def __or__(self, other):
        return operate(SC_OR, "bitwise_or", self, other)

    def __ror__(self, other):
        return operate(SC_OR, "bitwise_or", other, self)

    def __ior__(self, other):
        return in_place(SC_OR, "bitwise_or", self, other)

    def __xor__(self, other):
        return operate(SC_XOR, "bitwise_xor", self, other)

    def __rxor__(self, other):
        return operate(SC_XOR, "bitwise_xor", other, self)

    def __ixor__(self, other):
        return in_place(SC_XOR, "bitwise_xor", self, other)

    def __lshift__(self, other):
        return long_way("bitwise_left_shift", self, other)

    def __rlshift__(self, other):
        return long_way("bitwise_left_shift", other, self)

    def __ilshift__(self, other):
        return in_place(none, "bitwise_left_shift", self, other)

    def __rshift__(self, other):
        return long_way("bitwise_right_shift", self, other)

    def __rrshift__(self, other):
        return long_way("bitwise_right_shift", other, self)

    def __irshift__(self, other):
        return in_place(none, "bitwise_right_shift", self, other)

    def __neg__(self):
        result = short_way(SC_SUB, -0.0 if sc_is_floating_point(<sc_dtype>self._dtype) else 0, self, None)
        return function_named("neg")(self) if result is None else result

    def __pos__(self):
        return function_named("positive")(self)

    def __abs__(self):
        return function_named("abs")(self)

    def __invert__(self):
        if sc_is_floating_point(<sc_dtype>self._dtype) or sc_is_complex(<sc_dtype>self._dtype):
            raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors, not "
                            f"{dtype_of(<sc_dtype>self._dtype)!r}")
        return function_named("bitwise_not")(self)

    def __eq__(self, other):
        return operate(SC_EQ, "eq", self, other)

    def __ne__(self, other):
        return operate(SC_NE, "ne", self, other)

    def __lt__(self, other):
        return operate(SC_LT, "lt", self, other)

    def __le__(self, other):
        return operate(SC_LE, "le", self, other)

    def __gt__(self, other):
        return operate(SC_GT, "gt", self, other)

    def __ge__(self, other):
        return operate(SC_GE, "ge", self, other)

    def __hash__(self):
        return <Py_hash_t><PyObject *>self

    def __contains__(self, element):
        return function_named("contains")(self, element)
