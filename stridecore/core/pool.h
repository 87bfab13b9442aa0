/* A pool of freed objects for one Python type.
 *
 * pool_install(&pool, type, base) makes `type` (a Python class with empty __slots__ over the extension class `base`)
 * allocate from and free to the pool: freed objects wait in a list, and come
 * back zeroed, as a fresh allocation would. Python subclasses of `type` are untouched:
 * they get Python's own allocation, and reach base's dealloc through the wrapper below.
 * Python gives every class of its own a GC header; instances of `type` can't be in a cycle and go without.
 * The GIL guards the list; in the free-threaded build the pool is off.
 */
#ifndef STRIDECORE_POOL_H
#define STRIDECORE_POOL_H

#include <Python.h>
#include <string.h>

#define SC_POOL_CAPACITY 256

typedef struct sc_pool {
    PyTypeObject *type;
    destructor base_dealloc;
    Py_ssize_t basicsize;
    int count;
    PyObject *items[SC_POOL_CAPACITY];
} sc_pool;

/* The functions that go into a type's slots can't carry a context: one set a pool. */
#define SC_DEFINE_POOL(NAME)                                                                     \
    static sc_pool NAME;                                                                         \
    static PyObject *NAME##_alloc(PyTypeObject *type, Py_ssize_t nitems) {                       \
        if (NAME.count && type == NAME.type) {                                                   \
            PyObject *self = NAME.items[--NAME.count];                                           \
            memset((char *)self + sizeof(PyObject), 0, (size_t)NAME.basicsize - sizeof(PyObject)); \
            return PyObject_Init(self, type);                                                    \
        }                                                                                        \
        return PyType_GenericAlloc(type, nitems);                                                \
    }                                                                                            \
    static void NAME##_free(void *self) {                                                        \
        if (NAME.count < SC_POOL_CAPACITY && Py_TYPE((PyObject *)self) == NAME.type)             \
            NAME.items[NAME.count++] = (PyObject *)self;                                         \
        else                                                                                     \
            PyObject_Free(self);                                                                 \
    }                                                                                            \
    static void NAME##_dealloc(PyObject *self) {                                                 \
        PyTypeObject *type = Py_TYPE(self);                                                      \
        if (type == NAME.type && type->tp_finalize && PyObject_CallFinalizerFromDealloc(self) < 0) \
            return; /* __del__ kept the object; without a GC header it will be called again */   \
        NAME.base_dealloc(self);                                                                 \
        Py_DECREF((PyObject *)type);                                                             \
    }                                                                                            \
    static int NAME##_install(PyTypeObject *type, PyTypeObject *base) {                          \
        if (PyType_IS_GC(base) || type->tp_basicsize != base->tp_basicsize) return -1;           \
        NAME.type = type;                                                                        \
        NAME.base_dealloc = base->tp_dealloc;                                                    \
        NAME.basicsize = type->tp_basicsize;                                                     \
        SC_POOL_INSTALL_SLOTS(NAME, type)                                                        \
        return 0;                                                                                \
    }

#ifdef Py_GIL_DISABLED
#define SC_POOL_INSTALL_SLOTS(NAME, type)
#else
#define SC_POOL_INSTALL_SLOTS(NAME, type_)     \
    (type_)->tp_flags &= ~Py_TPFLAGS_HAVE_GC;  \
    (type_)->tp_traverse = NULL;               \
    (type_)->tp_clear = NULL;                  \
    (type_)->tp_alloc = NAME##_alloc;          \
    (type_)->tp_free = NAME##_free;            \
    (type_)->tp_dealloc = NAME##_dealloc;      \
    PyType_Modified(type_);
#endif

#endif
