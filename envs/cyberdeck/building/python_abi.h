/* What _native.c takes of Python's stable ABI (PEP 384, as of 3.11), declared here.
 *
 * Python.h comes with a configuration for the one platform that it was built on. The stable ABI is the
 * same on all, so with these few lines one machine compiles for every other.
 */
#ifndef PYTHON_ABI_H
#define PYTHON_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define IMPORTED __declspec(dllimport)
#define EXPORTED __declspec(dllexport)
#else
#define IMPORTED
#define EXPORTED __attribute__((visibility("default")))
#endif

typedef intptr_t Py_ssize_t;
typedef struct PyObject PyObject;

typedef struct {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
} Py_buffer;

enum { PyBUF_WRITABLE = 0x1, PyBUF_C_CONTIGUOUS = 0x38 };
enum { METH_VARARGS = 0x1, METH_FASTCALL = 0x80 };
enum { Py_EQ = 2 };

typedef struct {
    const char *name;
    void *function;
    int flags;
    const char *doc;
} PyMethodDef;

typedef struct {
    struct { Py_ssize_t references; void *type; void *init; Py_ssize_t index; void *copy; } base;
    const char *name, *doc;
    Py_ssize_t size;
    PyMethodDef *methods;
    void *slots, *traverse, *clear, *free;
} PyModuleDef;

IMPORTED extern PyObject *PyExc_TypeError, *PyExc_RuntimeError, *PyExc_Exception;

IMPORTED PyObject *PyModule_Create2(PyModuleDef *, int);
IMPORTED int PyModule_AddStringConstant(PyObject *, const char *, const char *);
IMPORTED int PyModule_AddIntConstant(PyObject *, const char *, long);
IMPORTED int PyModule_AddObjectRef(PyObject *, const char *, PyObject *);
IMPORTED PyObject *PyCFunction_NewEx(PyMethodDef *, PyObject *, PyObject *);
IMPORTED PyObject *PyCFunction_GetSelf(PyObject *);
IMPORTED PyObject *PyCapsule_New(void *, const char *, void (*)(PyObject *));
IMPORTED void *PyCapsule_GetPointer(PyObject *, const char *);
IMPORTED int PyArg_ParseTuple(PyObject *, const char *, ...);
IMPORTED PyObject *Py_BuildValue(const char *, ...);
IMPORTED PyObject *PyDict_New(void);
IMPORTED int PyDict_SetItemString(PyObject *, const char *, PyObject *);
IMPORTED Py_ssize_t PyTuple_Size(PyObject *);
IMPORTED PyObject *PyTuple_GetItem(PyObject *, Py_ssize_t);
IMPORTED PyObject *PyUnicode_InternFromString(const char *);
IMPORTED PyObject *PyImport_ImportModule(const char *);
IMPORTED PyObject *PyObject_Type(PyObject *);
IMPORTED PyObject *PyObject_CallMethod(PyObject *, const char *, const char *, ...);
IMPORTED PyObject *PyObject_GetAttr(PyObject *, PyObject *);
IMPORTED PyObject *PyObject_GetAttrString(PyObject *, const char *);
IMPORTED int PyObject_RichCompareBool(PyObject *, PyObject *, int);
IMPORTED int PyObject_GetBuffer(PyObject *, Py_buffer *, int);
IMPORTED void PyBuffer_Release(Py_buffer *);
IMPORTED PyObject *PyNumber_Index(PyObject *);
IMPORTED PyObject *PyLong_FromLongLong(long long);
IMPORTED long long PyLong_AsLongLong(PyObject *);
IMPORTED unsigned long long PyLong_AsUnsignedLongLong(PyObject *);
IMPORTED double PyFloat_AsDouble(PyObject *);
IMPORTED void *PyMem_Calloc(size_t, size_t);
IMPORTED void PyMem_Free(void *);
IMPORTED void *PyEval_SaveThread(void);
IMPORTED void PyEval_RestoreThread(void *);
IMPORTED PyObject *PyErr_Format(PyObject *, const char *, ...);
IMPORTED PyObject *PyErr_NoMemory(void);
IMPORTED PyObject *PyErr_Occurred(void);
IMPORTED int PyErr_ExceptionMatches(PyObject *);
IMPORTED void PyErr_Clear(void);
IMPORTED void Py_IncRef(PyObject *);
IMPORTED void Py_DecRef(PyObject *);

#endif
