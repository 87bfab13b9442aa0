"""Reductions and functions of one tensor in their usual forms, handed to NumPy in a fraction of the time that the
face takes to read all forms. None is the answer for the rest, which the face sorts out, and refuses where it must.

    x.sum()  x.sum(0)  x.sum((0, -1), keepdim=True)  x.max(1)      strided tensors of the usual dtypes, without lazy bits
    x.exp()  x.tanh_()                                             float32 and float64
"""
from cpython.long cimport PyLong_CheckExact
from cpython.tuple cimport PyTuple_CheckExact
from libc.stdint cimport int64_t
from libc.string cimport memcmp, memcpy

import numpy
from contextvars import Context

from stridecore.core cimport engine
from stridecore.core.args cimport PyLong_AsLongLongAndOverflow
from stridecore.core.dtype cimport dtype_of
from stridecore.core.elementwise cimport result_like
from stridecore.core.engine cimport *
from stridecore.core.ndarray cimport borrowed_array
from stridecore.core.tensor_impl cimport *

cdef enum:
    C_SUM, C_MEAN, C_PROD, C_ANY, C_ALL, C_AMAX, C_AMIN, C_MAX, C_MIN, C_ARGMAX, C_ARGMIN

# The operations, for the face.
SUM, MEAN, PROD, ANY, ALL, AMAX, AMIN = C_SUM, C_MEAN, C_PROD, C_ANY, C_ALL, C_AMAX, C_AMIN
MAX, MIN, ARGMAX, ARGMIN = C_MAX, C_MIN, C_ARGMAX, C_ARGMIN

cdef tuple METHODS = (
    numpy.add.reduce, numpy.add.reduce, numpy.multiply.reduce, numpy.logical_or.reduce, numpy.logical_and.reduce,
    numpy.maximum.reduce, numpy.minimum.reduce, numpy.maximum.reduce, numpy.minimum.reduce, numpy.ndarray.argmax,
    numpy.ndarray.argmin,
)
cdef tuple NAMES = ("sum", "mean", "prod", "any", "all", "amax", "amin", "max", "min", "argmax", "argmin")
cdef object INT64 = numpy.dtype("int64")
cdef object errstate = numpy.errstate

cdef enum:
    LONG = 1 << 12          # float32 sums of more values, not along memory, are formed in float64 (reductions.py)
    GATHER_NUMEL = 1 << 16  # max(dim) of more elements: NumPy's take_along_axis lets go of the GIL


# ---- NumPy without warnings ---------------------------------------------------------------------------------

def _quiet_context():
    """Context.run of a context in which NumPy warns of nothing: an eighth of the cost of errstate.

    None where NumPy keeps its settings by thread (before 2.0).
    """
    context = Context()
    with errstate(all="warn"):
        context.run(lambda: numpy.seterr(all="ignore"))
        leaked = numpy.geterr()["divide"] != "warn"
    return None if leaked else context.run


cdef object run_quiet = _quiet_context()
cdef bint quiet_is_taken = False    # a context can be entered once at a time: by one thread, and not from within


def quietly(function, *args):
    """function(*args), where NumPy's floats overflow without a warning."""
    global quiet_is_taken
    if run_quiet is None or quiet_is_taken:
        with errstate(all="ignore"):
            return function(*args)
    quiet_is_taken = True
    try:
        return run_quiet(function, *args)
    finally:
        quiet_is_taken = False


# ---- reading the arguments ----------------------------------------------------------------------------------

cdef bint mark_dim(object dim, int64_t ndim, bint *reduced) except -1:
    """Mark one dim; false for anything but an int in range that is not marked yet."""
    cdef int overflow = 0
    cdef int64_t d
    if not PyLong_CheckExact(dim):
        return False
    d = PyLong_AsLongLongAndOverflow(dim, &overflow)
    if overflow or d < -ndim or d >= ndim:
        return False
    d += ndim if d < 0 else 0
    if reduced[d]:
        return False
    reduced[d] = True
    return True


cdef int produced_dtype(int code, sc_dtype dtype) noexcept:
    """The result's dtype, -1 for what is not computed here."""
    cdef bint is_real = dtype == SC_FLOAT32 or dtype == SC_FLOAT64
    if not (is_real or dtype == SC_BOOL or dtype == SC_UINT8 or dtype == SC_INT8 or dtype == SC_INT16
            or dtype == SC_INT32 or dtype == SC_INT64):
        return -1
    if code == C_MEAN:
        return dtype if is_real else -1
    if code == C_SUM or code == C_PROD:
        return dtype if is_real else SC_INT64
    if code == C_ANY or code == C_ALL:
        return -1 if dtype == SC_UINT8 else SC_BOOL
    return SC_INT64 if code == C_ARGMAX or code == C_ARGMIN else dtype


def reduced(int code, TensorImpl x not None, tuple args not None, dict keywords not None):
    """The reduction of x by the arguments that follow it; a pair for MAX and MIN along a dim. None: ask the face."""
    cdef bint marks[SC_MAX_NDIM]
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t d, rest = 0, count = 1, last = -1, ndim = x._ss.ndim
    cdef Py_ssize_t given = len(args)
    cdef bint keep = False, keep_given = given == 2
    cdef int produced = produced_dtype(code, <sc_dtype>x._dtype)
    cdef TensorImpl result
    if produced < 0 or ndim == 0 or x._bits or x._numel == 0 or given > 2:
        return None
    dim = args[0] if given else None
    keepdim = args[1] if given == 2 else False
    if keywords:
        for key, value in keywords.items():
            if (key == "dim" or key == "axis") and given == 0:
                dim, given = value, 1
            elif (key == "keepdim" or key == "keepdims") and not keep_given:
                keepdim, keep_given = value, True
            else:
                return None
    if keepdim is True:
        keep = True
    elif keepdim is not False:
        return None
    for d in range(ndim):
        marks[d] = False
    if dim is None:
        if keep_given or given and (C_MAX <= code <= C_MIN or code == C_PROD):
            return None
        for d in range(ndim):
            marks[d] = True
    elif PyTuple_CheckExact(dim):
        if not dim or code == C_PROD or code >= C_MAX:
            return None
        for each in <tuple>dim:
            if not mark_dim(each, ndim, marks):
                return None
    elif not mark_dim(dim, ndim, marks):
        return None
    for d in range(ndim):
        if marks[d]:
            count *= sizes_of(x)[d]
            last = d
        if keep or not marks[d]:
            sizes[rest] = 1 if marks[d] else sizes_of(x)[d]
            rest += 1
    if count > LONG and x._dtype == SC_FLOAT32 and (code == C_SUM or code == C_MEAN) and (
            strides_of(x)[last] != 1 or sizes_of(x)[last] == 1):
        return None
    if C_MAX <= code <= C_MIN and dim is not None:
        return None if x._numel > GATHER_NUMEL else extremes(code, x, dim, last, keep, rest, sizes)
    result = typed_as(tensor_new(<sc_dtype>produced, rest, sizes, False), x)
    if rest == 0:
        reduce_to_number(code, x, dim, count, result)
    else:
        reduce_to_tensor(code, x, dim, keep, count, result)
    return result


# ---- the work -----------------------------------------------------------------------------------------------

cdef inline object sum_dtype(int code, TensorImpl x, TensorImpl result):
    return INT64 if (code == C_SUM or code == C_PROD) and x._dtype != result._dtype else None


cdef int reduce_to_number(int code, TensorImpl x, object axis, int64_t count, TensorImpl result) except -1:
    cdef double f64
    cdef float f32
    cdef int64_t i64
    x._storage.pins += 1
    try:
        array = borrowed_array(x, <str>NAMES[code])
        if code >= C_ARGMAX:
            value = METHODS[code](array, axis)
        else:
            value = quietly(METHODS[code], array, axis, sum_dtype(code, x, result), None, False)
    finally:
        x._storage.pins -= 1
    if result._dtype == SC_FLOAT32:
        f32 = <float><double>value
        (<float *>data_of(result))[0] = f32 / <float>count if code == C_MEAN else f32
    elif result._dtype == SC_FLOAT64:
        f64 = value
        (<double *>data_of(result))[0] = f64 / <double>count if code == C_MEAN else f64
    else:
        i64 = 1 if result._dtype == SC_BOOL and value else 0 if result._dtype == SC_BOOL else value
        engine.convert_item(<sc_dtype>result._dtype, data_of(result), SC_INT64, &i64)
    return 0


cdef int reduce_to_tensor(int code, TensorImpl x, object axis, bint keep, int64_t count, TensorImpl result) except -1:
    cdef double f64 = <double>count
    cdef float f32 = <float>count
    cdef void *divisor = <void *>&f32 if result._dtype == SC_FLOAT32 else <void *>&f64
    x._storage.pins += 1
    result._storage.pins += 1
    try:
        array, target = borrowed_array(x, <str>NAMES[code]), borrowed_array(result, <str>NAMES[code])
        if code >= C_ARGMAX:
            METHODS[code](array, axis, target, keepdims=keep)
        else:
            quietly(METHODS[code], array, axis, sum_dtype(code, x, result), target, keep)
    finally:
        x._storage.pins -= 1
        result._storage.pins -= 1
    if code == C_MEAN:
        engine.binary_kernel(SC_DIV, <sc_dtype>result._dtype, SC_RIGHT)(data_of(result), data_of(result), divisor,
                                                                       result._numel)
    return 0


cdef object extremes(int code, TensorImpl x, object axis, int64_t dim, bint keep, int64_t rest, const int64_t *sizes):
    """(values, indices) along one dim."""
    cdef int64_t index[SC_MAX_NDIM]
    cdef int64_t sizes_then[SC_MAX_NDIM]
    cdef int64_t strides_then[SC_MAX_NDIM]
    cdef int64_t i, d, offset = 0, itemsize = itemsize_of(x), ndim = x._ss.ndim
    cdef TensorImpl values = typed_as(tensor_new(<sc_dtype>x._dtype, rest, sizes, False), x)
    cdef TensorImpl indices = typed_as(tensor_new(SC_INT64, rest, sizes, False), x)
    cdef int64_t *at = <int64_t *>data_of(indices)
    cdef const char *data
    memcpy(sizes_then, sizes_of(x), ndim * sizeof(int64_t))
    memcpy(strides_then, strides_of(x), ndim * sizeof(int64_t))
    reduce_to_tensor(C_ARGMAX if code == C_MAX else C_ARGMIN, x, axis, keep, 1, indices)
    # Finding them may have run other threads: the indices are those of the sizes and strides that were.
    if (x._ss.ndim != ndim or itemsize_of(x) != itemsize
            or memcmp(sizes_then, sizes_of(x), ndim * sizeof(int64_t))
            or memcmp(strides_then, strides_of(x), ndim * sizeof(int64_t))):
        raise RuntimeError(f"{NAMES[code]}: another thread gave the tensor other sizes or strides meanwhile")
    check_reach(x, <str>NAMES[code])
    data = data_of(x)
    for d in range(x._ss.ndim):
        index[d] = 0
    for i in range(indices._numel):
        memcpy(data_of(values) + i * itemsize, data + (offset + at[i] * strides_of(x)[dim]) * itemsize, itemsize)
        d = x._ss.ndim - 1
        while d >= 0:
            if d != dim:
                index[d] += 1
                offset += strides_of(x)[d]
                if index[d] < sizes_of(x)[d]:
                    break
                offset -= strides_of(x)[d] * sizes_of(x)[d]
                index[d] = 0
            d -= 1
    return values, indices


def elementwise(ufunc, TensorImpl x not None, bint in_place, str name not None):
    """ufunc(x) of a float32 or float64 tensor, written over it if `in_place`. None: ask the face."""
    cdef TensorImpl result
    if x._dtype != SC_FLOAT32 and x._dtype != SC_FLOAT64 or x._bits or x._numel == 0:
        return None
    if in_place:
        if not is_contiguous(x):
            return None
        check_writable(x, name)
        result = x
    else:
        check_reach(x, name)
        result = result_like(name, [x], dtype_of(<sc_dtype>x._dtype))
    x._storage.pins += 1
    result._storage.pins += 1
    try:
        array = borrowed_array(x, name)
        target = array if in_place else borrowed_array(result, name)
        quietly(ufunc, array, target)
    finally:
        x._storage.pins -= 1
        result._storage.pins -= 1
    return result
