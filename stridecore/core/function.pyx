"""`function`: a method of Tensor as a function of the package, `stridecore.transpose(x, 0, 1)`.

torch's functions name their first parameter `input`; methods take it as self. A `function` accepts both ways
and calls the method's descriptor directly, so that no Python frame is added.
"""


cdef class function:
    """function(name, method): callable as method(x, ...) or method(input=x, ...)."""

    cdef readonly str __name__
    cdef readonly object __wrapped__
    cdef readonly object __doc__

    def __cinit__(self, str name, method, doc=None):
        self.__name__ = name
        self.__wrapped__ = method
        self.__doc__ = doc if doc is not None else method.__doc__

    def __call__(self, *args, **kwargs):
        if kwargs and not args and "input" in kwargs:
            args = (kwargs.pop("input"),)
        if not args:
            raise TypeError(f"{self.__name__}() missing its first argument: 'input'")
        return self.__wrapped__(*args, **kwargs)

    @property
    def __qualname__(self):
        return self.__name__

    @property
    def __module__(self):
        return "stridecore"

    def __repr__(self):
        return f"<function stridecore.{self.__name__}>"

    def __reduce__(self):
        return self.__name__
