/* What a loop is given, checked against what it takes.
 *
 * What a loop takes is written in a few letters (library.py writes them), one word for each
 * array or number: `i`, `u` and `f` are numbers of 64 bits; `r` and `w` are arrays that are read only
 * or written too, with the size of an item, its alignment, and a letter or a digit for each length, as
 * in `r8/8/N`: equal letters are equal lengths. After `+` no length may be 0. A letter after `i` is a
 * length of an array before it, and the number is below that. A tuple stands in brackets.
 */

/* `run` gives the loop its arguments from `block`: a number, or a pointer and lengths, each 64 bits.
 * What it returns is in *result; it returns 0 if all went well. */
typedef struct {
    const char *name, *about, *takes;
    int returns;
    int (*run[LEVELS])(const int64_t *block, int64_t *result);
} Loop;

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
