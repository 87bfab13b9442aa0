"""Operators: `x + y`, `2 * x`, `x == y`, `x += y`.

binary.pyx computes most of them; what it leaves goes to the face's functions (`add`, `mul`, ...), which the face
registers as they are loaded late. What is no tensor, number or array is left to Python: NotImplemented.
"""
cimport cython
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject

from stridecore.core.binary cimport computed, short_way
from stridecore.core.dtype cimport dtype_of
from stridecore.core.engine cimport *
from stridecore.core.ndarray cimport is_ndarray, tensor_over_ndarray
from stridecore.core.scalars cimport plain_number
from stridecore.core.tensor_impl cimport *

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
    result = computed(op, left, right, None, name)
    return long_way(name, left, right) if result is None else result


cdef object in_place(int op, str name, object left, object right):
    result = computed(op, left, right, left, name) if op >= 0 else None
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
