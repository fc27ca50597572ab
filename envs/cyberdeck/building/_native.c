/* The loops of the suite's games as functions for Python.
 *
 * A loop takes what numba gave it: pointers, lengths, numbers. It looks at none of them, so here is
 * looked at all: an array of another type, layout or length than the loop was compiled for is refused,
 * and no other word of memory is touched.
 *
 * What a loop takes is written in a few letters (library.py writes them), one word for each
 * array or number: `i`, `u` and `f` are numbers of 64 bits; `r` and `w` are arrays that are read only
 * or written too, with the size of an item, its alignment, and a letter or a digit for each length, as
 * in `r8/8/N`: equal letters are equal lengths. After `+` no length may be 0. A letter after `i` is a
 * length of an array before it, and the number is below that. A tuple stands in brackets.
 */
#if LEVELS > 1
#include <cpuid.h>
#endif

#include "python_abi.h"
#include "threads.h"

/* `run` gives the loop its arguments from `block`: a number, or a pointer and lengths, each 64 bits.
 * What it returns is in *result; it returns 0 if all went well. */
typedef struct {
    const char *name, *about, *takes;
    int returns;
    int (*run[LEVELS])(const int64_t *block, int64_t *result);
} Loop;

#include "loops.inc" /* written by the build: STAMP, LOOPS and COUNT */

enum { MOST = 64, MOST_LENGTHS = 4 };

/* One word of what a loop takes. */
typedef struct {
    char kind;        /* i u f r w, or ( and how many parts the tuple has */
    int parts;        /* of a tuple, or the dimensions of an array */
    int argument;     /* which argument of the function it belongs to, from 1 */
    Py_ssize_t size, alignment;
    char lengths[MOST_LENGTHS]; /* of a number the one that it is below, or 0 */
    int some;         /* the array has at least one element */
    int shared;       /* its rows go to several threads */
    PyObject *dtype;
} Word;

typedef struct {
    const Loop *loop;
    int level, arguments, count;
    int threads;             /* see split() */
    atomic_llong row_time;   /* picoseconds that a row took at the last call */
    Word words[MOST];
    Py_ssize_t lengths[26];  /* how long each letter has to be, or -1: see fit() */
    PyMethodDef method;
} Bound;

typedef struct {
    Bound *bound;
    int word, slots, views;
    int64_t block[MOST * (1 + MOST_LENGTHS)];
    int shares, share[MOST];    /* slots of the arrays whose rows are shared, */
    int64_t rows, row_size[MOST]; /* how many rows there are, and the bytes of one */
    Py_ssize_t lengths[26];
    Py_buffer held[MOST];
} Call;

static PyObject *dtype_, *name_; /* the words "dtype" and "name" */
static PyObject *ndarray, *dtype_of; /* numpy.ndarray, and what gets the dtype of any such array */

/* Say in a TypeError what was wrong; an interruption goes its own way. */
static int refuse(const Call *call, const Word *word, const char *wanted)
{
    if (PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_Exception))
            return -1;
        PyErr_Clear();
    }
    PyErr_Format(PyExc_TypeError, "%s: argument %d: %s is needed", call->bound->loop->name,
                 word->argument, wanted);
    return -1;
}

static int refuse_array(const Call *call, const Word *word)
{
    char lengths[2 * MOST_LENGTHS + 1];
    int at = 0;
    PyObject *name;
    if (PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_Exception))
            return -1;
        PyErr_Clear();
    }
    for (int d = 0; d < word->parts; d++) {
        lengths[at++] = d ? ',' : '(';
        lengths[at++] = word->lengths[d];
    }
    lengths[at] = 0;
    name = PyObject_GetAttr(word->dtype, name_);
    if (!name)
        return -1;
    PyErr_Format(PyExc_TypeError,
                 "%s: argument %d: an aligned, C-contiguous%s%s array of %U of the shape %s) is needed; "
                 "equal letters are equal lengths",
                 call->bound->loop->name, word->argument, word->kind == 'w' ? ", writable" : "",
                 word->some ? ", not empty" : "", name, lengths);
    Py_DecRef(name);
    return -1;
}

/* An array's dtype. A class of its own may say another than that of its memory: it is not asked. */
static PyObject *dtype_of_memory(PyObject *given)
{
    PyObject *type = PyObject_Type(given);
    int plain = type == ndarray;
    if (type)
        Py_DecRef(type);
    return plain ? PyObject_GetAttr(given, dtype_) : PyObject_CallMethod(dtype_of, "__get__", "O", given);
}

/* Whether an array's dtype is the word's: mostly the very same object. Another that is equal is kept
 * in its place, as the next call will bring it again. */
static int has_dtype(Word *word, PyObject *given)
{
    PyObject *found = dtype_of_memory(given);
    int same = found == word->dtype;
    if (found && !same) {
        same = PyObject_RichCompareBool(found, word->dtype, Py_EQ) == 1;
        if (same) {
            PyObject *before = word->dtype;
            word->dtype = found;
            found = before;
        }
    }
    if (found)
        Py_DecRef(found);
    return same;
}

static int take_array(Call *call, Word *word, PyObject *given)
{
    Py_buffer *view = &call->held[call->views];
    if (PyObject_GetBuffer(given, view, PyBUF_C_CONTIGUOUS | (word->kind == 'w' ? PyBUF_WRITABLE : 0)))
        return refuse_array(call, word);
    call->views++;
    if (!has_dtype(word, given) || view->ndim != word->parts || view->itemsize != word->size ||
        (uintptr_t)view->buf % (size_t)word->alignment || (word->some && !view->len))
        return refuse_array(call, word);
    if (word->shared) {
        if (call->shares && call->rows != view->shape[0])
            return refuse_array(call, word);
        call->rows = view->shape[0];
        call->row_size[call->shares] = call->rows ? view->len / call->rows : 0;
        call->share[call->shares++] = call->slots;
    }
    call->block[call->slots++] = (int64_t)(intptr_t)view->buf;
    for (int d = 0; d < word->parts; d++) {
        char letter = word->lengths[d];
        Py_ssize_t length = view->shape[d], *known;
        if (letter >= '0' && letter <= '9') {
            if (length != letter - '0')
                return refuse_array(call, word);
        } else {
            known = &call->lengths[letter - 'A'];
            if (*known < 0)
                *known = length;
            if (*known != length)
                return refuse_array(call, word);
        }
        call->block[call->slots++] = length;
    }
    return 0;
}

static int take_number(Call *call, Word *word, PyObject *given)
{
    union { double real; int64_t bits; } value;
    PyObject *whole;
    if (word->kind == 'f') {
        value.real = PyFloat_AsDouble(given);
        if (value.real == -1.0 && PyErr_Occurred())
            return refuse(call, word, "a number");
    } else {
        whole = PyNumber_Index(given);
        if (!whole)
            return refuse(call, word, "a whole number");
        value.bits = word->kind == 'u' ? (int64_t)PyLong_AsUnsignedLongLong(whole) : PyLong_AsLongLong(whole);
        Py_DecRef(whole);
        if (value.bits == -1 && PyErr_Occurred())
            return refuse(call, word,
                          word->kind == 'u' ? "a whole number from 0 of 64 bits" : "a whole number of 64 bits");
        if (word->lengths[0] && (value.bits < 0 || value.bits >= call->lengths[word->lengths[0] - 'A']))
            return refuse(call, word, "a number that counts something in the arrays, from 0,");
    }
    call->block[call->slots++] = value.bits;
    return 0;
}

static int take(Call *call, PyObject *given)
{
    Word *word = &call->bound->words[call->word++];
    if (word->kind == '(') {
        if (PyTuple_Size(given) != word->parts)
            return refuse(call, word, "a tuple of as many parts as the loop takes");
        for (int part = 0; part < word->parts; part++)
            if (take(call, PyTuple_GetItem(given, part)))
                return -1;
        return 0;
    }
    if (word->kind == 'r' || word->kind == 'w')
        return take_array(call, word, given);
    return take_number(call, word, given);
}

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
    Word *open = 0;
    Py_ssize_t used = 0;
    for (const char *at = bound->loop->takes; *at; at++) {
        Word *word = &bound->words[bound->count];
        if (*at == ' ')
            continue;
        if (*at == ')') {
            open = 0;
            continue;
        }
        if (open)
            open->parts++;
        else
            bound->arguments++;
        word->kind = *at;
        word->argument = bound->arguments;
        if (*at == '(')
            open = word;
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
