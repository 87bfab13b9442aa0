/* A pool of freed objects for one Python type.
 *
 * The type is a Python class with empty __slots__ over an extension class that has no GC header. A freed instance
 * waits in the pool with a reference count of 0 and its fields as they were; whoever takes it sets them all.
 * Python subclasses are untouched: they get Python's own allocation and reach the type's dealloc through Python's.
 * Python gives every class of its own a GC header; instances of the type can't be in a cycle and go without.
 * The GIL guards the pool; in the free-threaded build it stays empty.
 *
 * sc_pool_install(&pool, type, base, dealloc)   dealloc must call sc_pool_give or sc_pool_free_generic
 * sc_pool_take(&pool)                           requires pool.count > 0; a reference count of 1, a counted type
 */
#ifndef STRIDECORE_OBJECT_POOL_H
#define STRIDECORE_OBJECT_POOL_H

#include <Python.h>

#define SC_POOL_CAPACITY 256

typedef struct sc_pool {
    PyTypeObject *type; /* NULL until installed */
    destructor base_dealloc;
    int count;
    PyObject *items[SC_POOL_CAPACITY];
} sc_pool;

static inline PyObject *sc_pool_take(sc_pool *pool) {
    PyObject *self = pool->items[--pool->count];
    return PyObject_Init(self, pool->type);
}

/* True iff this dying instance may go to the pool: of the type itself, and nobody's __del__ is to be called. */
static inline int sc_pool_accepts(const sc_pool *pool, PyObject *self) {
#ifdef Py_GIL_DISABLED
    (void)pool, (void)self;
    return 0;
#else
    return Py_TYPE(self) == pool->type && pool->count < SC_POOL_CAPACITY && !pool->type->tp_finalize;
#endif
}

/* The caller has taken what the fields own. */
static inline void sc_pool_give(sc_pool *pool, PyObject *self) {
    pool->items[pool->count++] = self;
    Py_DECREF((PyObject *)pool->type);
}

/* For instances that the pool does not accept: the extension class's own dealloc, then the reference to the type. */
static void sc_pool_free_generic(sc_pool *pool, PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    if (type == pool->type && type->tp_finalize && PyObject_CallFinalizerFromDealloc(self) < 0) return;
    pool->base_dealloc(self);
    Py_DECREF((PyObject *)type);
}

/* An instance from Python's own allocation. Before 3.12 that may run the garbage collector, and finalizers with it, which
 * may change whatever the caller is just reading: not now. */
static inline PyObject *sc_new_quietly(newfunc make, PyTypeObject *type, PyObject *no_args) {
#if PY_VERSION_HEX < 0x030C0000
    int collects = PyGC_Disable();
    PyObject *self = make(type, no_args, NULL);
    if (collects) PyGC_Enable();
    return self;
#else
    return make(type, no_args, NULL);
#endif
}

/* 0, or -1 when the type does not fit. */
static int sc_pool_install(sc_pool *pool, PyTypeObject *type, PyTypeObject *base, destructor dealloc) {
    if (pool->type || PyType_IS_GC(base) || type->tp_basicsize != base->tp_basicsize) return -1;
    pool->type = type;
    pool->base_dealloc = base->tp_dealloc;
#ifndef Py_GIL_DISABLED
    type->tp_flags &= ~Py_TPFLAGS_HAVE_GC;
    type->tp_traverse = NULL;
    type->tp_clear = NULL;
    type->tp_free = PyObject_Free;
    type->tp_dealloc = dealloc;
    PyType_Modified(type);
#endif
    return 0;
}

#endif
