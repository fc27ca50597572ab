/* The loops of the suite's games as functions for Python.
 *
 * A loop takes what numba gave it: pointers, lengths, numbers. It looks at none of them, so here is
 * looked at all: an array of another type, layout or length than the loop was compiled for is refused,
 * and no other word of memory is touched.
 */
#if LEVELS > 1
#include <cpuid.h>
#endif

#include "python_abi.h"
#include "threads.h"

#include "taking.h"
#include "loops.inc" /* written by the build: STAMP, LOOPS and COUNT */

/* A call whose rows are shared among threads. */
typedef struct {
    const Call *call;
    int64_t pieces;
    atomic_int failed;
} Shared;

static void run_piece(void *work, int64_t piece)
{
    Shared *shared = work;
    const Call *call = shared->call;
    int64_t block[MOST * (1 + MOST_LENGTHS)], nothing;
    int64_t start = call->rows * piece / shared->pieces;
    int64_t rows = call->rows * (piece + 1) / shared->pieces - start;
    for (int slot = 0; slot < call->slots; slot++)
        block[slot] = call->block[slot];
    for (int at = 0; at < call->shares; at++) {
        block[call->share[at]] += start * call->row_size[at];
        block[call->share[at] + 1] = rows;
    }
    if (call->bound->loop->run[call->bound->level](block, &nothing))
        atomic_store(&shared->failed, 1);
}

/* Run the loop, in several threads where that helps. */
static int run(const Call *call, int64_t *result)
{
    Bound *bound = call->bound;
    Shared shared = {call, 1, 0};
    int64_t workers = 1, began, ended;
    if (!call->rows) /* or it is not split at all */
        return bound->loop->run[bound->level](call->block, result);
    shared.pieces = pieces_of(call->rows * atomic_load(&bound->row_time) / 1000, bound->threads);
    if (shared.pieces > call->rows)
        shared.pieces = call->rows;
    began = now();
    if (shared.pieces > 1)
        workers = share(run_piece, &shared, shared.pieces, bound->threads);
    else
        run_piece(&shared, 0);
    ended = now();
    atomic_store(&team.last, ended);
    atomic_store(&bound->row_time, 1000 * workers * (ended - began) / call->rows);
    return shared.failed;
}

static PyObject *call_loop(PyObject *self, PyObject *const *given, Py_ssize_t count)
{
    Call call;
    PyObject *answer = 0;
    int64_t result = 0;
    int failed;
    void *thread;
    call.bound = PyCapsule_GetPointer(self, 0);
    if (!call.bound)
        return 0;
    call.word = call.slots = call.views = call.shares = 0;
    call.rows = 0;
    for (int letter = 0; letter < 26; letter++)
        call.lengths[letter] = call.bound->lengths[letter];
    if (count != call.bound->arguments)
        return PyErr_Format(PyExc_TypeError, "%s takes %d arguments, and was given %zd",
                            call.bound->loop->name, call.bound->arguments, count);
    for (Py_ssize_t at = 0; at < count; at++)
        if (take(&call, given[at]))
            goto done;
    thread = PyEval_SaveThread();
    failed = run(&call, &result);
    PyEval_RestoreThread(thread);
    if (failed)
        PyErr_Format(PyExc_RuntimeError, "%s has failed", call.bound->loop->name);
    else
        answer = call.bound->loop->returns ? PyLong_FromLongLong(result) : Py_BuildValue("");
done:
    while (call.views)
        PyBuffer_Release(&call.held[--call.views]);
    return answer;
}

static const char *read_number(const char *at, Py_ssize_t *number)
{
    for (*number = 0; *at >= '0' && *at <= '9'; at++)
        *number = 10 * *number + (*at - '0');
    return at;
}

/* What a loop takes as words, each array with the next of *dtypes*; NULL if these are too few or many. */
static int read_words(Bound *bound, PyObject *dtypes)
{
    Word *open[4]; /* tuples that are not at their end yet, each within the one before */
    int depth = 0;
    Py_ssize_t used = 0;
    for (const char *at = bound->loop->takes; *at; at++) {
        Word *word = &bound->words[bound->count];
        if (*at == ' ')
            continue;
        if (*at == ')') {
            depth--;
            continue;
        }
        if (depth)
            open[depth - 1]->parts++;
        else
            bound->arguments++;
        word->kind = *at;
        word->argument = bound->arguments;
        if (*at == '(')
            open[depth++] = word;
        if (*at == 'r' || *at == 'w') {
            at = read_number(at + 1, &word->size);
            at = read_number(at + 1, &word->alignment);
            while (at[1] >= '0' && at[1] <= 'Z')
                word->lengths[word->parts++] = *++at;
            if (at[1] == '+')
                word->some = *++at;
            word->dtype = PyTuple_GetItem(dtypes, used++);
            if (!word->dtype)
                return -1;
            Py_IncRef(word->dtype);
        } else if (at[1] >= 'A' && at[1] <= 'Z')
            word->lengths[0] = *++at;
        bound->count++;
    }
    return 0;
}

/* The newest processors that there is code for and that this one is like: level 1 is x86-64-v3. */
static int level_of_processor(void)
{
#if LEVELS > 1
    const unsigned one = 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29; /* FMA MOVBE XSAVE AVX F16C */
    const unsigned seven = 1u << 3 | 1u << 5 | 1u << 8;                        /* BMI1 AVX2 BMI2 */
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & one) != one)
        return 0;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    if ((a & 6) != 6) /* the system keeps the wide registers */
        return 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & seven) != seven)
        return 0;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && c & 1u << 5; /* LZCNT */
#else
    return 0;
#endif
}

static void forget(Bound *bound)
{
    for (Word *word = bound->words; word < bound->words + bound->count; word++)
        if (word->dtype)
            Py_DecRef(word->dtype);
    PyMem_Free(bound);
}

static void forget_capsule(PyObject *capsule)
{
    forget(PyCapsule_GetPointer(capsule, 0));
}

/* *bound* as a function of Python, which it is there as long as. */
static PyObject *function_of(Bound *bound)
{
    PyObject *capsule = PyCapsule_New(bound, 0, forget_capsule), *function;
    if (!capsule) {
        forget(bound);
        return 0;
    }
    function = PyCFunction_NewEx(&bound->method, capsule, 0);
    Py_DecRef(capsule);
    return function;
}

/* The loop of such a function once more, or NULL. */
static Bound *copy_of(PyObject *function)
{
    PyObject *capsule = PyCFunction_GetSelf(function);
    Bound *whole = capsule ? PyCapsule_GetPointer(capsule, 0) : 0, *bound;
    if (!whole)
        return 0;
    bound = PyMem_Calloc(1, sizeof *bound);
    if (!bound) {
        PyErr_NoMemory();
        return 0;
    }
    *bound = *whole;
    for (Word *word = bound->words; word < bound->words + bound->count; word++)
        if (word->dtype)
            Py_IncRef(word->dtype);
    return bound;
}

/* bind(name, dtypes, level): a loop as a function. */
static PyObject *bind(PyObject *module, PyObject *arguments)
{
    const char *name;
    int level;
    PyObject *dtypes;
    Bound *bound;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sOi", &name, &dtypes, &level))
        return 0;
    if (level < 0 || level >= LEVELS)
        return PyErr_Format(PyExc_TypeError, "there is no level %d", level);
    for (int at = 0; at < COUNT; at++) {
        const char *a = LOOPS[at].name, *b = name;
        while (*a && *a == *b)
            a++, b++;
        if (*a != *b)
            continue;
        bound = PyMem_Calloc(1, sizeof *bound);
        if (!bound)
            return PyErr_NoMemory();
        bound->loop = &LOOPS[at];
        bound->level = level;
        bound->method.name = LOOPS[at].name;
        bound->method.function = (void *)call_loop;
        bound->method.flags = METH_FASTCALL;
        for (int letter = 0; letter < 26; letter++)
            bound->lengths[letter] = -1;
        if (read_words(bound, dtypes)) {
            forget(bound);
            return 0;
        }
        return function_of(bound);
    }
    return PyErr_Format(PyExc_TypeError, "there is no loop %s", name);
}

/* fit(function, lengths): a bound loop for arrays of known lengths: for each letter one, or -1 if it
 * stays as it was. */
static PyObject *fit(PyObject *module, PyObject *arguments)
{
    PyObject *function, *lengths;
    Bound *bound;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &function, &lengths))
        return 0;
    if (PyTuple_Size(lengths) != 26)
        return PyErr_Format(PyExc_TypeError, "lengths are a tuple of 26");
    bound = copy_of(function);
    if (!bound)
        return 0;
    for (int letter = 0; letter < 26; letter++) {
        long long length = PyLong_AsLongLong(PyTuple_GetItem(lengths, letter));
        if (length >= 0)
            bound->lengths[letter] = length;
    }
    if (PyErr_Occurred()) {
        forget(bound);
        return 0;
    }
    return function_of(bound);
}

/* split(function, arguments, threads): a bound loop that treats each row by itself, with the rows of
 * those arguments shared among threads. */
static PyObject *split(PyObject *module, PyObject *arguments)
{
    PyObject *function, *numbers;
    Bound *bound;
    int threads;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOi", &function, &numbers, &threads))
        return 0;
    bound = copy_of(function);
    if (!bound)
        return 0;
    if (bound->loop->returns) {
        PyErr_Format(PyExc_TypeError, "%s cannot be split: it returns a number of all rows",
                     bound->loop->name);
        forget(bound);
        return 0;
    }
    bound->threads = threads;
    for (Py_ssize_t at = 0; at < PyTuple_Size(numbers); at++) {
        long long number = PyLong_AsLongLong(PyTuple_GetItem(numbers, at));
        Word *word = bound->words;
        while (word < bound->words + bound->count && word->argument != number + 1)
            word++;
        if (word == bound->words + bound->count || (word->kind != 'r' && word->kind != 'w')) {
            PyErr_Format(PyExc_TypeError, "%s: argument %d is no array of rows", bound->loop->name,
                         (int)number + 1);
            forget(bound);
            return 0;
        }
        word->shared = 1;
    }
    return function_of(bound);
}

static PyMethodDef methods[] = {
    {"bind", (void *)bind, METH_VARARGS, 0}, {"fit", (void *)fit, METH_VARARGS, 0},
    {"split", (void *)split, METH_VARARGS, 0}, {0, 0, 0, 0}};
static PyModuleDef definition = {{1, 0, 0, 0, 0}, "_native", 0, -1, methods, 0, 0, 0, 0};

EXPORTED PyObject *PyInit__native(void)
{
    PyObject *module = PyModule_Create2(&definition, 3), *loops = PyDict_New();
    PyObject *numpy = PyImport_ImportModule("numpy");
    ndarray = numpy ? PyObject_GetAttrString(numpy, "ndarray") : 0;
    dtype_of = ndarray ? PyObject_GetAttrString(ndarray, "dtype") : 0;
    if (!dtype_of)
        return 0;
    Py_DecRef(numpy);
    dtype_ = PyUnicode_InternFromString("dtype");
    name_ = PyUnicode_InternFromString("name");
    if (!module || !loops || !dtype_ || !name_ || PyModule_AddStringConstant(module, "stamp", STAMP) ||
        PyModule_AddIntConstant(module, "level", level_of_processor()))
        return 0;
    for (int at = 0; at < COUNT; at++) {
        PyObject *about = Py_BuildValue("s", LOOPS[at].about);
        if (!about || PyDict_SetItemString(loops, LOOPS[at].name, about))
            return 0;
        Py_DecRef(about);
    }
    if (PyModule_AddObjectRef(module, "loops", loops))
        return 0;
    Py_DecRef(loops);
    return module;
}
