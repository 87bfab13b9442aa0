"""`memory_format` and `layout`: the words for how a tensor's elements are laid out, one object each."""

cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        const char *tp_name

cdef bint sealed = False


cdef class memory_format:
    """The order of the elements of a new tensor: `preserve_format`, `contiguous_format`, `channels_last` or
    `channels_last_3d`; its attribute `name` is the word.

    >>> import stridecore as sc
    >>> sc.zeros(2, 3, 4, 5).contiguous(memory_format=sc.channels_last).stride()
    (60, 1, 15, 3)
    """

    def __cinit__(self):
        if sealed:
            raise TypeError("memory_format: can't make new ones; use stridecore.preserve_format, contiguous_format, "
                            "channels_last or channels_last_3d")

    def __repr__(self):
        return "stridecore." + self.name

    def __reduce__(self):
        return _by_name, (self.name,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


cdef class layout:
    """How a tensor keeps its elements: `strided`, or `sparse_coo` for coordinates and values; its attribute
    `name` is the word.

    >>> import stridecore as sc
    >>> sc.zeros(2).layout
    stridecore.strided
    """

    def __cinit__(self):
        if sealed:
            raise TypeError("layout: can't make new ones; use stridecore.strided or stridecore.sparse_coo")

    def __repr__(self):
        return "stridecore." + self.name

    def __reduce__(self):
        return _by_name, (self.name,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


cdef memory_format new_format(str name, int code):
    cdef memory_format made = memory_format()
    made.name = name
    made.code = code
    return made


cdef layout new_layout(str name):
    cdef layout made = layout()
    made.name = name
    return made


preserve_format = new_format("preserve_format", PRESERVE)
contiguous_format = new_format("contiguous_format", CONTIGUOUS_FORMAT)
channels_last = new_format("channels_last", CHANNELS_LAST)
channels_last_3d = new_format("channels_last_3d", CHANNELS_LAST_3D)
strided = new_layout("strided")
sparse_coo = new_layout("sparse_coo")
sealed = True
(<PyTypeObject *>memory_format).tp_name = "stridecore.memory_format"
(<PyTypeObject *>layout).tp_name = "stridecore.layout"


def names():
    """Every memory format and layout by its name."""
    return {"preserve_format": preserve_format, "contiguous_format": contiguous_format,
            "channels_last": channels_last, "channels_last_3d": channels_last_3d, "strided": strided,
            "sparse_coo": sparse_coo}


def _by_name(name):
    """The memory format or layout called `name`, for pickles."""
    return names()[name]


cdef int as_memory_format(object value, int default, str function) except -1:
    """A memory_format argument as its code; `default` for None."""
    if value is None:
        return default
    if isinstance(value, memory_format):
        return (<memory_format>value).code
    raise TypeError(f"{function}: memory_format must be a stridecore.memory_format, not {type(value).__name__}")
