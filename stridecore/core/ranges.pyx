"""Ranges of numbers: arange, linspace, logspace and range, with torch's values to the bit.

How torch rounds is part of the values. arange computes start + i*step in double (float for the 16-bit floats, int64
for integers), but not for every i: it walks in vectors of 32 bytes, two at a time, and only the first element of a
vector is computed so. It is rounded to the dtype, and the others add k*step to the rounded one. What is left over at
the end, and all of a strided `out`, goes one by one:

    float32, n = 19:   [ b0 b0+step ... b0+7*step | b8 b8+step ... | 16 17 18 one by one ]
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


cdef extern from "math.h" nogil:
    double fma(double, double, double)
    float fmaf(float, float, float)

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object, int *) except? -1

# Below this many elements a loop costs less than letting go of the GIL and taking it again.
cdef enum:
    GIL_NUMEL = 4096


# ---- arange: values -----------------------------------------------------------------------------------------

cdef void arange_int64(int64_t *out, int64_t n, int64_t start, int64_t step) noexcept nogil:
    cdef int64_t i
    cdef uint64_t value = <uint64_t>start
    for i in range(n):
        out[i] = <int64_t>value
        value += <uint64_t>step


cdef void arange_float32(float *out, int64_t n, int64_t whole, double start, double step) noexcept nogil:
    cdef int64_t i, k
    cdef double base
    for i in range(0, whole, 8):
        base = <float>(start + step * i)
        for k in range(8):
            out[i + k] = <float>(base + k * step)
    for i in range(whole, n):
        out[i] = <float>(start + step * i)


cdef void arange_float64(double *out, int64_t n, int64_t whole, double start, double step) noexcept nogil:
    """torch's compiler fuses each multiplication and addition."""
    cdef int64_t i, k
    cdef double base
    for i in range(0, whole, 4):
        base = fma(step, <double>i, start)
        for k in range(4):
            out[i + k] = fma(<double>k, step, base)
    for i in range(whole, n):
        out[i] = fma(step, <double>i, start)


cdef void arange_short_float(sc_dtype dtype, char *out, int64_t n, int64_t whole, float start,
                             float step) noexcept nogil:
    """The narrow floats, computed in float; torch fuses all but bfloat16's additions within a vector."""
    cdef int64_t i, k, itemsize = sc_itemsize(dtype)
    cdef bint fused = dtype == SC_FLOAT16
    cdef float value, base
    for i in range(0, whole, 16):
        value = fmaf(step, <float>i, start)
        engine.convert_item(dtype, out + i * itemsize, SC_FLOAT32, &value)
        engine.convert_item(SC_FLOAT32, &base, dtype, out + i * itemsize)
        for k in range(16):
            value = fmaf(<float>k, step, base) if fused else base + <float>k * step
            engine.convert_item(dtype, out + (i + k) * itemsize, SC_FLOAT32, &value)
    for i in range(whole, n):
        value = fmaf(step, <float>i, start)
        engine.convert_item(dtype, out + i * itemsize, SC_FLOAT32, &value)


cdef void arange_other(sc_dtype dtype, char *out, int64_t n, int64_t start, int64_t step) noexcept nogil:
    """Integers of other widths, which wrap, and bool."""
    cdef int64_t i, value, itemsize = sc_itemsize(dtype)
    for i in range(n):
        value = <int64_t>(<uint64_t>start + <uint64_t>i * <uint64_t>step)
        engine.convert_item(dtype, out + i * itemsize, SC_INT64, &value)


cdef void arange_complex(sc_dtype dtype, char *out, int64_t n, double start, double step) noexcept nogil:
    cdef int64_t i
    cdef double parts[2]
    parts[1] = 0
    for i in range(n):
        parts[0] = fma(step, <double>i, start)
        engine.convert_item(dtype, out + i * sc_itemsize(dtype), SC_COMPLEX128, parts)


cdef void arange_values(sc_dtype dtype, char *out, int64_t n, bint vectors, double start, double step,
                        int64_t int_start, int64_t int_step) noexcept nogil:
    """n values into contiguous memory: from the doubles for float dtypes, from the ints for the others."""
    cdef int64_t pair = 2 * (32 // sc_itemsize(dtype))
    cdef int64_t whole = n // pair * pair if vectors else 0
    if dtype == SC_INT64:
        arange_int64(<int64_t *>out, n, int_start, int_step)
    elif dtype == SC_FLOAT32:
        arange_float32(<float *>out, n, whole, start, step)
    elif dtype == SC_FLOAT64:
        arange_float64(<double *>out, n, whole, start, step)
    elif sc_is_complex(dtype):
        arange_complex(dtype, out, n, start, step)
    elif sc_is_floating_point(dtype):
        arange_short_float(dtype, out, n, n // 32 * 32 if vectors else 0, <float>start, <float>step)
    else:
        arange_other(dtype, out, n, int_start, int_step)


# ---- arange: arguments --------------------------------------------------------------------------------------

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
    cdef bint vectors = True
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
    if target is not None:
        if target._numel != n and target._numel:
            warn_resized(target, n)
        vectors = is_contiguous(target)
    fresh = fresh_for(target, code, n, "arange")
    if n < GIL_NUMEL:
        arange_values(code, fresh._storage.block.data, n, vectors, first, by, int_first, int_by)
    else:
        with nogil:    # nobody else has seen the tensor
            arange_values(code, fresh._storage.block.data, n, vectors, first, by, int_first, int_by)
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
                arange_int64(<int64_t *>t._storage.block.data, count, 0, 1)
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

cdef float rounded(sc_dtype dtype, float value) noexcept nogil:
    """The nearest value of a dtype narrower than float."""
    cdef char item[2]
    engine.convert_item(dtype, item, SC_FLOAT32, &value)
    engine.convert_item(SC_FLOAT32, &value, dtype, item)
    return value


cdef double lin_float64(double start, double end, int64_t n, int64_t i) noexcept nogil:
    """From the start in the first half, from the end in the second, so that both are hit; fused as in torch."""
    cdef double step = (end - start) / <double>(n - 1)
    return fma(step, <double>i, start) if i < n // 2 else fma(-step, <double>(n - 1 - i), end)


cdef float lin_float32(float start, float end, int64_t n, int64_t i) noexcept nogil:
    cdef float step = (end - start) / <float>(n - 1)
    return fmaf(step, <float>i, start) if i < n // 2 else fmaf(-step, <float>(n - 1 - i), end)


cdef float lin_short(sc_dtype dtype, float start, float end, int64_t n, int64_t i) noexcept nogil:
    """Each operation rounds to the dtype."""
    cdef float step = rounded(dtype, rounded(dtype, end - start) / rounded(dtype, <float>(n - 1)))
    if i < n // 2:
        return start + rounded(dtype, step * rounded(dtype, <float>i))
    return end - rounded(dtype, step * rounded(dtype, <float>(n - 1 - i)))


cdef void linspace_values(sc_dtype dtype, char *out, int64_t n, const char *start, const char *end) noexcept nogil:
    """n >= 2 values from *start to *end, both of the dtype, into contiguous memory."""
    cdef int64_t i, integer, itemsize = sc_itemsize(dtype)
    cdef double first[2]
    cdef double last[2]
    cdef double value[2]
    cdef float short_first, short_last, short_value
    engine.convert_item(SC_COMPLEX128, first, dtype, start)
    engine.convert_item(SC_COMPLEX128, last, dtype, end)
    if dtype == SC_FLOAT32:
        for i in range(n):
            (<float *>out)[i] = lin_float32(<float>first[0], <float>last[0], n, i)
    elif dtype == SC_FLOAT64:
        for i in range(n):
            (<double *>out)[i] = lin_float64(first[0], last[0], n, i)
    elif dtype == SC_COMPLEX64 or dtype == SC_COMPLEX32:
        for i in range(n):
            value[0] = lin_float32(<float>first[0], <float>last[0], n, i)
            value[1] = lin_float32(<float>first[1], <float>last[1], n, i)
            engine.convert_item(dtype, out + i * itemsize, SC_COMPLEX128, value)
    elif dtype == SC_COMPLEX128:
        for i in range(n):
            (<double *>out)[2 * i] = lin_float64(first[0], last[0], n, i)
            (<double *>out)[2 * i + 1] = lin_float64(first[1], last[1], n, i)
    elif sc_is_floating_point(dtype):
        short_first, short_last = <float>first[0], <float>last[0]
        for i in range(n):
            short_value = lin_short(dtype, short_first, short_last, n, i)
            engine.convert_item(dtype, out + i * itemsize, SC_FLOAT32, &short_value)
    else:    # integers: computed in double, truncated
        for i in range(n):
            value[0] = lin_float64(first[0], last[0], n, i)
            engine.convert_item(dtype, out + i * itemsize, SC_FLOAT64, value)


cdef void logspace_values(sc_dtype dtype, char *out, int64_t n, const char *start, const char *end,
                          double base) noexcept nogil:
    """base ** exponent for n >= 2 exponents from *start to *end, in double, not fused."""
    cdef int64_t i, itemsize = sc_itemsize(dtype)
    cdef double first, last, span, step, value
    cdef char item[8]
    engine.convert_item(SC_FLOAT64, &first, dtype, start)
    engine.convert_item(SC_FLOAT64, &last, dtype, end)
    span = last - first
    if sc_is_floating_point(dtype):    # the difference is one of the dtype
        engine.convert_item(dtype, item, SC_FLOAT64, &span)
        engine.convert_item(SC_FLOAT64, &span, dtype, item)
    step = span / <double>(n - 1)
    for i in range(n):
        value = pow(base, first + step * <double>i if i < n // 2 else last - step * <double>(n - 1 - i))
        engine.convert_item(dtype, out + i * itemsize, SC_FLOAT64, &value)


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
            linspace_values(code, data, n, first, last)
    elif n > 1 and sc_is_complex(code):
        complex_logspace(code, data, n, first, last, base)
    elif n > 1:
        power = as_double(base, function, "base")
        with nogil:
            logspace_values(code, data, n, first, last, power)
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
