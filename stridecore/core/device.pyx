"""`device`: where a tensor's memory is. There is one place, the CPU's memory."""

cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        const char *tp_name


cdef class device:
    """device("cpu"), device("cpu:0") or device("cpu", 0): the CPU is the one device there is.

    RuntimeError for any other.

    >>> import stridecore as sc
    >>> sc.zeros(2).device, str(sc.zeros(2).device), sc.device("cpu", 0)
    (device(type='cpu'), 'cpu', device(type='cpu', index=0))
    """

    def __cinit__(self, type, index=None):
        cdef str name, rest
        if isinstance(type, device):
            if index is not None:
                raise TypeError("device: a device has its index already; give the type as a str")
            self.type = (<device>type).type
            self.index = (<device>type).index
            return
        if isinstance(type, int) and not isinstance(type, bool):
            raise RuntimeError(f"device: {type} is the index of an accelerator, and there is none. Use 'cpu'")
        if not isinstance(type, str):
            raise TypeError(f"device: type must be str, not {type.__class__.__name__}")
        if index is not None and (isinstance(index, bool) or not isinstance(index, int)):
            raise TypeError(f"device: index must be int, not {index.__class__.__name__}")
        name, colon, rest = type.partition(":")
        if colon:
            if index is not None:
                raise RuntimeError(f"device: type {type!r} has an index already; got index {index} as well")
            if not (rest.isdecimal() and rest.isascii() and str(int(rest)) == rest):
                raise RuntimeError(f"device: Invalid device string: {type!r}")
            index = int(rest)
        if name != "cpu":
            raise RuntimeError(f"device: {type!r} is not available; stridecore's tensors are in the CPU's memory: "
                               "use 'cpu'")
        if index is not None and not 0 <= index < 128:
            raise RuntimeError(f"device: Device index must not be negative or above 127, got {index}")
        self.type = name
        self.index = index

    def __repr__(self):
        return f"device(type='{self.type}')" if self.index is None else \
            f"device(type='{self.type}', index={self.index})"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        if not isinstance(other, device):
            return NotImplemented
        return self.type == (<device>other).type and self.index == (<device>other).index

    def __hash__(self):
        return hash((self.type, self.index))

    def __reduce__(self):
        return device, ((self.type,) if self.index is None else (self.type, self.index))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


(<PyTypeObject *>device).tp_name = "stridecore.device"
CPU = device("cpu")


cdef int check_device(object value, str function) except -1:
    """A device argument: None, a device or its name. RuntimeError for a device that there isn't."""
    if value is None or isinstance(value, device):
        return 0
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise TypeError(f"{function}: device must be a stridecore.device or str, not {type(value).__name__}")
    device(value)    # refuses the index of an accelerator
    return 0
