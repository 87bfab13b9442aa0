"""`dtype`: the type of a tensor's elements, one immortal object a type."""
from cpython.object cimport PyObject

from stridecore.core.engine cimport *


cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        const char *tp_name

# In the order of the codes in src/dtype.h.
cdef tuple NAMES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16",
    "float32", "float64", "complex32", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2",
    "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu",
)

cdef dict ALIASES = {
    "half": "float16", "float": "float32", "double": "float64", "short": "int16", "int": "int32", "long": "int64",
    "chalf": "complex32", "cfloat": "complex64", "cdouble": "complex128",
}

cdef list TABLE = []
cdef PyObject *DTYPES[SC_NUM_DTYPES]    # the same, borrowed, for dtype_of
cdef bint sealed = False
cdef sc_dtype current_default = SC_FLOAT32


cdef class dtype:
    """The type of a tensor's elements, such as `stridecore.float32`.

    There is one object for each type: compare with `is` or `==`. `itemsize` counts bytes, `name` is "float32".

    >>> import stridecore as sc
    >>> sc.float64.itemsize, sc.float64.is_floating_point, sc.int8.is_signed
    (8, True, True)
    """

    def __cinit__(self):
        if sealed:
            raise TypeError("dtype: can't make new dtypes; use one of stridecore's, such as stridecore.float32")

    @property
    def itemsize(self):
        """Bytes of one element."""
        return sc_itemsize(self.code)

    @property
    def is_floating_point(self):
        """True for the float, bfloat and float8 types."""
        return sc_is_floating_point(self.code)

    @property
    def is_complex(self):
        """True for complex32, complex64 and complex128."""
        return sc_is_complex(self.code)

    @property
    def is_signed(self):
        """True if the type can hold negative values."""
        return sc_is_signed(self.code)

    def to_real(self):
        """The type of the real part: float32 for complex64; real types give themselves."""
        return dtype_of(sc_to_real(self.code))

    def to_complex(self):
        """The complex type whose parts hold this one: complex64 for float32, as torch answers it."""
        cdef sc_dtype code = self.code
        if sc_is_complex(code):
            return self
        if code == SC_FLOAT64:
            return dtype_of(SC_COMPLEX128)
        if code == SC_FLOAT16:
            return dtype_of(SC_COMPLEX32)
        if code == SC_FLOAT32 or code == SC_BFLOAT16:
            return dtype_of(SC_COMPLEX64)
        raise RuntimeError(f"to_complex: {self!r} has no complex counterpart; float16, bfloat16, float32 and "
                           "float64 have one")

    def __repr__(self):
        return "stridecore." + self.name

    def __reduce__(self):
        return _by_name, (self.name,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _by_name(name):
    """The dtype called `name`, for pickles."""
    for d in TABLE:
        if (<dtype>d).name == name:
            return d
    raise ValueError(f"dtype: no type is called {name!r}; known are {', '.join(NAMES)}")


cdef void make_table():
    cdef dtype d
    for code, name in enumerate(NAMES):
        d = dtype()
        d.name = name
        d.code = <sc_dtype>code
        TABLE.append(d)
        DTYPES[<int>code] = <PyObject *>d


make_table()
sealed = True
(<PyTypeObject *>dtype).tp_name = "stridecore.dtype"


cdef dtype dtype_of(sc_dtype code):
    return <dtype>DTYPES[<int>code]


cdef sc_dtype default_dtype() noexcept nogil:
    return current_default


cdef sc_dtype default_complex_dtype() noexcept nogil:
    if current_default == SC_FLOAT64:
        return SC_COMPLEX128
    if current_default == SC_FLOAT16:
        return SC_COMPLEX32
    return SC_COMPLEX64


def names():
    """Every name of a dtype, aliases included, with its dtype."""
    table = {(<dtype>d).name: d for d in TABLE}
    table.update([(alias, table[name]) for alias, name in ALIASES.items()])
    return table


def get_default_dtype():
    """The dtype given to Python floats.

    >>> import stridecore as sc
    >>> sc.get_default_dtype()
    stridecore.float32
    """
    return dtype_of(current_default)


def set_default_dtype(d):
    """Set the dtype given to Python floats: one of float16, bfloat16, float32 and float64.

    >>> import stridecore as sc
    >>> sc.set_default_dtype(sc.float64)
    >>> sc.tensor(1.5).dtype
    stridecore.float64
    >>> sc.set_default_dtype(sc.float32)
    """
    global current_default
    if not isinstance(d, dtype):
        raise TypeError(f"set_default_dtype: expected a stridecore.dtype, got {type(d).__name__}")
    cdef sc_dtype code = (<dtype>d).code
    if not sc_is_floating_point(code) or sc_is_float8(code):
        raise TypeError("set_default_dtype: only float16, bfloat16, float32 and float64 can be the default, "
                        f"got {d!r}")
    current_default = code
