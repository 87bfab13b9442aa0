"""`function`: a method of Tensor as a function of the package, `stridecore.transpose(x, 0, 1)`.

torch's functions name their first parameter `input`; methods take it as self. A `function` accepts both ways and
hands the call on to the method by the vectorcall protocol, so that it costs next to nothing and adds no Python frame.
"""
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE

from stridecore.core.tensor_impl cimport TensorImpl


cdef extern from "Python.h":
    ctypedef PyObject *(*vectorcallfunc)(PyObject *, PyObject *const *, size_t, PyObject *) except NULL
    ctypedef struct PyTypeObject:
        Py_ssize_t tp_vectorcall_offset
        unsigned long tp_flags
    unsigned long Py_TPFLAGS_HAVE_VECTORCALL
    Py_ssize_t PyVectorcall_NARGS(size_t)
    PyObject *PyObject_Vectorcall(PyObject *, PyObject *const *, size_t, PyObject *) except NULL
    PyObject *PyObject_Call(PyObject *, PyObject *, PyObject *) except NULL
    PyTypeObject *Py_TYPE(PyObject *)
    bint PyLong_Check(object)
    void PyType_Modified(PyTypeObject *)


cdef PyTypeObject *overriding = NULL
cdef dict overrides = None


def override_for(cls):
    """Functions called with an instance of `cls` call its own method of that name where it has one."""
    global overriding, overrides
    overrides = dict(vars(cls))
    overriding = <PyTypeObject *>cls


cdef class function:
    """function(name, method): callable as method(x, ...) or method(input=x, ...).

    `one_shape`: the only argument after the input is a tuple or list of ints; methods also take them one by one.
    """

    cdef vectorcallfunc vectorcall
    cdef object method
    cdef bint one_shape
    cdef readonly str __name__
    cdef readonly str __doc__

    def __cinit__(self, str name, method, one_shape=False, doc=None):
        self.vectorcall = call
        self.method = method
        self.one_shape = one_shape
        self.__name__ = name
        self.__doc__ = doc if doc is not None else method.__doc__

    def __call__(self, *args, **kwargs):
        if "input" in kwargs:
            if args:
                raise TypeError(f"{self.__name__}: got 'input' both by position and by keyword")
            args = (kwargs.pop("input"),)
        if not args:
            raise TypeError(f"{self.__name__}: missing its first argument, 'input'")
        if not isinstance(args[0], TensorImpl):
            raise TypeError(f"{self.__name__}: input must be Tensor, not {type(args[0]).__name__}")
        if self.one_shape and (len(args) > 2 or len(args) == 2 and isinstance(args[1], int)):
            raise TypeError(f"{self.__name__}: takes a tuple of ints after the input; the method takes them one by one")
        if overrides is not None and Py_TYPE(<PyObject *>args[0]) == overriding:
            return overrides.get(self.__name__, self.method)(*args, **kwargs)
        return self.method(*args, **kwargs)

    @property
    def __qualname__(self):
        return self.__name__

    @property
    def __module__(self):
        return "stridecore"

    @property
    def __wrapped__(self):
        """The method behind the function."""
        return self.method

    def __repr__(self):
        return f"<function stridecore.{self.__name__}>"

    def __reduce__(self):
        return self.__name__


cdef bint names_input(PyObject *kwnames):
    cdef Py_ssize_t i
    if kwnames != NULL:
        for i in range(PyTuple_GET_SIZE(<object>kwnames)):
            if <object>PyTuple_GET_ITEM(<object>kwnames, i) == "input":
                return True
    return False


cdef PyObject *call(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *kwnames) except NULL:
    """The straight way for f(x, ...); anything else goes through __call__, which raises or sorts it out."""
    cdef function self = <function>callable
    cdef Py_ssize_t i, n = PyVectorcall_NARGS(nargsf)
    if (n == 0 or not isinstance(<object>args[0], TensorImpl) or (kwnames != NULL and names_input(kwnames))
            or Py_TYPE(args[0]) == overriding
            or (self.one_shape and (n > 2 or (n == 2 and PyLong_Check(<object>args[1]))))):
        positional = tuple([<object>args[i] for i in range(n)])
        keywords = {}
        if kwnames != NULL:
            for i in range(PyTuple_GET_SIZE(<object>kwnames)):
                keywords[<object>PyTuple_GET_ITEM(<object>kwnames, i)] = <object>args[n + i]
        result = function.__call__(self, *positional, **keywords)
        return new_reference(result)
    return PyObject_Vectorcall(<PyObject *>self.method, args, nargsf, kwnames)


cdef extern from "Python.h":
    PyObject *new_reference "Py_NewRef"(object)


cdef int use_vectorcall() except -1:
    """Put the field into the type's slot, which Cython has no word for."""
    cdef function probe = function("", function)
    cdef PyTypeObject *type = <PyTypeObject *>function
    type.tp_vectorcall_offset = <char *>&probe.vectorcall - <char *><PyObject *>probe
    type.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL
    PyType_Modified(type)
    return 0


use_vectorcall()
