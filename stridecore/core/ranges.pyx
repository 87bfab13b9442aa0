"""Ranges of numbers: arange, linspace and logspace. Their values, torch's to the bit, are the engine's (src/range.h);
here are their arguments.
"""
from cpython.complex cimport PyComplex_Check
from cpython.float cimport PyFloat_AsDouble, PyFloat_Check
from cpython.long cimport PyLong_Check, PyLong_CheckExact
from libc.math cimport ceil, isfinite, isinf, pow
from libc.stdint cimport INT64_MAX, int64_t, uint64_t

from stridecore.core cimport engine
from stridecore.core.args cimport as_dtype, as_int
from stridecore.core.copy cimport copy_into
from stridecore.core.dtype cimport default_complex_dtype, default_dtype, dtype_of
from stridecore.core.engine cimport *
from stridecore.core.options cimport *
from stridecore.core.scalars cimport FILL, read_item, write_item
from stridecore.core.tensor_impl cimport *


cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object, int *) except? -1

# Below this many elements a loop costs less than letting go of the GIL and taking it again.
cdef enum:
    GIL_NUMEL = 4096


# ---- arange ------------------------------------------------------------------------------------------------

cdef int64_t as_int64(object number, str function, str name) except? -1:
    """A number as int64, floats truncated; RuntimeError if it does not fit."""
    cdef int64_t value = 0
    write_item(SC_INT64, <char *>&value, 0, number, FILL, function)
    return value


cdef double as_double(object number, str function, str name) except? -1:
    if PyComplex_Check(number):
        raise RuntimeError(f"{function}: {name} {number} cannot be converted to type float64 without overflow")
    return PyFloat_AsDouble(number)


cdef int64_t count_ints(int64_t start, int64_t end, int64_t step, str function) except -1:
    """How many of start, start + step, ... come before end; the signs agree."""
    cdef uint64_t distance, stride
    if step == 0:
        raise ValueError(f"{function}: step must be nonzero: it is truncated to an int for int64")
    if step > 0:
        distance, stride = <uint64_t>end - <uint64_t>start, <uint64_t>step
    else:
        distance, stride = <uint64_t>start - <uint64_t>end, -<uint64_t>step
    if distance == 0 or step > 0 and end < start or step < 0 and end > start:
        return 0
    distance = (distance - 1) // stride + 1
    if distance > <uint64_t>INT64_MAX:
        raise RuntimeError(f"{function}: invalid size, possible overflow: from {start} to {end} in steps of {step}")
    return <int64_t>distance


cdef int64_t count_floats(double start, double end, double step, str function) except -1:
    cdef double count = ceil((end - start) / step)
    if not 0 <= count < 9223372036854775808.0:
        raise RuntimeError(f"{function}: invalid size, possible overflow: from {start} to {end} in steps of {step}")
    return <int64_t>count


cdef int check_bounds(double start, double end, double step, str function) except -1:
    if not (step > 0 or step < 0):
        raise RuntimeError(f"{function}: step must be nonzero, got {step}")
    if not isfinite(start) or not isfinite(end):
        raise RuntimeError(f"{function}: unsupported range: {start} -> {end}")
    if step > 0 and end < start or step < 0 and end > start:
        raise RuntimeError(f"{function}: upper bound and lower bound inconsistent with step sign: from {start} to "
                           f"{end} in steps of {step}")
    return 0


cdef TensorImpl fresh_for(TensorImpl out, sc_dtype dtype, int64_t n, str function):
    """A new tensor for n values: 1-dim, or of the sizes of `out` if it has n elements."""
    if out is not None and out._numel == n:
        return tensor_new(dtype, out._ss.ndim, sizes_of(out), False)
    return tensor_new(dtype, 1, &n, False)


cdef TensorImpl deliver(TensorImpl fresh, TensorImpl out, str function):
    """The values, in `out` if there is one."""
    if out is None:
        return fresh
    fit_out(out, fresh._ss.ndim, sizes_of(fresh), function)
    copy_into(out, fresh, function)
    return out


cdef void warn_resized(TensorImpl out, int64_t n):
    import warnings
    warnings.warn(f"The number of elements in the out tensor of shape {list(out.sizes())} is {out._numel} which does "
                  f"not match the computed number of elements {n}: it is resized to ({n},)", UserWarning, stacklevel=2)


cdef TensorImpl arange_of(object start, object end, object step, object out, object dtype):
    cdef double first, last, by
    cdef int64_t n, int_first = 0, int_by = 0
    cdef TensorImpl target = None, fresh
    cdef sc_dtype code
    cdef bint ints
    start = as_number(start, "arange", "start")
    end = as_number(end, "arange", "end")
    step = as_number(step, "arange", "step")
    ints = PyLong_Check(start) and PyLong_Check(end) and PyLong_Check(step)
    code = as_dtype(dtype, SC_INT64 if ints else default_dtype(), "arange")
    if out is not None:
        target = as_out(out, dtype, "arange")
        code = <sc_dtype>target._dtype
    first, last, by = as_double(start, "arange", "start"), as_double(end, "arange", "end"), \
        as_double(step, "arange", "step")
    check_bounds(first, last, by, "arange")
    if sc_is_integral(code) or code == SC_BOOL:
        int_first, int_by = as_int64(start, "arange", "start"), as_int64(step, "arange", "step")
    elif sc_itemsize(code) < 4 and (isinf(<float>first) or isinf(<float>by)):
        raise RuntimeError(f"arange: start {first} or step {by} cannot be converted to type float without overflow")
    if code == SC_INT64:
        n = count_ints(int_first, as_int64(end, "arange", "end"), int_by, "arange")
    else:
        n = count_floats(first, last, by, "arange")
    if target is not None and target._numel != n and target._numel:
        warn_resized(target, n)
    fresh = fresh_for(target, code, n, "arange")
    if n < GIL_NUMEL:
        engine.arange_values(code, fresh._storage.block.data, n, first, by, int_first, int_by)
    else:
        with nogil:    # nobody else has seen the tensor
            engine.arange_values(code, fresh._storage.block.data, n, first, by, int_first, int_by)
    return deliver(fresh, target, "arange")


def arange(first=UNSET, second=UNSET, third=UNSET, /, *, start=UNSET, end=UNSET, step=UNSET, out=None, dtype=None,
           layout=None, device=None, pin_memory=False, requires_grad=False):
    """arange(end), arange(start, end) or arange(start, end, step): the numbers start, start + step, ... before end.

    The dtype is int64 if all of them are ints, otherwise the default dtype. RuntimeError for a step of 0, one that
    leads away from end, or bounds that are not finite.

    >>> import stridecore as sc
    >>> sc.arange(5), sc.arange(1, 2, 0.5)
    (tensor([0, 1, 2, 3, 4]), tensor([1.0000, 1.5000]))
    """
    cdef int64_t count = 0
    cdef int beyond = 0
    cdef TensorImpl t
    check_options(layout, device, pin_memory, requires_grad, "arange")
    if second is UNSET and first is not UNSET and end is UNSET:
        if start is not UNSET or step is not UNSET:
            raise TypeError("arange: with start or step as keywords, give end as one too: arange(1, end=5, step=2)")
        if PyLong_CheckExact(first) and out is None and dtype is None:
            count = PyLong_AsLongLongAndOverflow(first, &beyond)
            if 0 <= count < GIL_NUMEL and not beyond:
                t = tensor_new(SC_INT64, 1, &count, False)
                engine.arange_values(SC_INT64, t._storage.block.data, count, 0, 1, 0, 1)
                return t
        return arange_of(0, first, 1, out, dtype)
    if first is not UNSET:
        if start is not UNSET:
            raise TypeError("arange: start was given twice")
        start = first
    if second is not UNSET:
        if end is not UNSET:
            raise TypeError("arange: end was given twice")
        end = second
    if third is not UNSET:
        if step is not UNSET:
            raise TypeError("arange: step was given twice")
        step = third
    if end is UNSET:
        raise TypeError("arange() missing 1 required positional argument: 'end'")
    if start is UNSET:
        if step is not UNSET:
            raise TypeError("arange: step needs start as well: arange(start, end, step)")
        start = 0
    return arange_of(start, end, 1 if step is UNSET else step, out, dtype)


# ---- linspace and logspace ----------------------------------------------------------------------------------

cdef object as_point(object value, str function, str name):
    """A start or end: a number, or a 0-dim tensor of one."""
    if isinstance(value, TensorImpl) and (<TensorImpl>value)._ss.ndim:
        raise RuntimeError(f"{function} only supports 0-dimensional start and end tensors, but got {name} with "
                           f"{(<TensorImpl>value)._ss.ndim} dimension(s)")
    return as_number(value, function, name)


cdef TensorImpl spaced(object start, object end, object steps, object base, object out, object dtype, str function):
    """linspace, and logspace where there is a base."""
    cdef sc_dtype code, natural = default_dtype()
    cdef TensorImpl target = None, fresh
    cdef char first[16]
    cdef char last[16]
    cdef char *data
    cdef double power = 0
    cdef int64_t n
    start, end = as_point(start, function, "start"), as_point(end, function, "end")
    n = as_int(steps, function, "steps")
    if n < 0:
        raise RuntimeError(f"{function}: number of steps must be non-negative, got {n}")
    if PyComplex_Check(start) or PyComplex_Check(end):
        natural = default_complex_dtype()
    code = as_dtype(dtype, natural, function)
    if out is not None:
        target = as_out(out, dtype, function)
        code = <sc_dtype>target._dtype
    if sc_is_complex(natural) and not sc_is_complex(code):
        raise RuntimeError(f"{function}(): inferred dtype {dtype_of(natural)!r} can't be safely cast to passed dtype "
                           f"{dtype_of(code)!r}")
    write_item(code, first, 0, start, FILL, function)
    write_item(code, last, 0, end, FILL, function)
    fresh = fresh_for(target, code, n, function)
    data = fresh._storage.block.data
    if n == 1:
        if base is not None:
            start = pow_item(base, start, code)
        write_item(code, data, 0, start, FILL, function)
    elif n > 1 and base is None:
        with nogil:    # nobody else has seen the tensor
            engine.linspace_values(code, data, n, first, last)
    elif n > 1 and sc_is_complex(code):
        complex_logspace(code, data, n, first, last, base)
    elif n > 1:
        power = as_double(base, function, "base")
        with nogil:
            engine.logspace_values(code, data, n, first, last, power)
    return deliver(fresh, target, function)


cdef object pow_item(object base, object exponent, sc_dtype code):
    """base ** exponent for the one value of logspace(steps=1)."""
    if sc_is_complex(code):
        return base ** exponent
    return pow(as_double(base, "logspace", "base"), as_double(exponent, "logspace", "start"))


cdef int complex_logspace(sc_dtype code, char *data, int64_t n, const char *start, const char *end,
                          object base) except -1:
    """Complex powers, by Python: within an ulp or two of torch's."""
    cdef int64_t i
    first, last = read_item(code, start, 0), read_item(code, end, 0)
    step = (last - first) / (n - 1)
    for i in range(n):
        write_item(code, data + i * sc_itemsize(code), 0,
                   base ** (first + step * i if i < n // 2 else last - step * (n - 1 - i)), FILL, "logspace")
    return 0


def linspace(start, end, steps, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
             requires_grad=False):
    """`steps` evenly spaced numbers from start to end, both included, of the default dtype or the one given.

    start and end are numbers or 0-dim tensors. RuntimeError for negative steps.

    >>> import stridecore as sc
    >>> sc.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    check_options(layout, device, pin_memory, requires_grad, "linspace")
    return spaced(start, end, steps, None, out, dtype, "linspace")


def logspace(start, end, steps, base=10.0, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
             requires_grad=False):
    """`steps` numbers from base ** start to base ** end, whose exponents are evenly spaced.

    >>> import stridecore as sc
    >>> sc.logspace(0, 2, 3), sc.logspace(0, 3, 4, base=2)
    (tensor([  1.,  10., 100.]), tensor([1., 2., 4., 8.]))
    """
    check_options(layout, device, pin_memory, requires_grad, "logspace")
    base = as_number(base, "logspace", "base")
    if PyComplex_Check(base):
        raise TypeError("logspace: base must be float, not complex")
    return spaced(start, end, steps, base, out, dtype, "logspace")
