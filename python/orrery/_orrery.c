/* _orrery.c: the part of the Python module that is C: one simulation from keyword arguments,
 * figures back as buffers, of which __init__.py makes NumPy arrays. Stable ABI of CPython 3.10: one
 * file for all later versions. The interpreter runs on while a simulation does. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include <errno.h>
#include <orrery/orrery.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As NumPy sees it: message_type in __init__.py. */
struct message_row {
	uint32_t from, to;
	int32_t tag;
	uint32_t collective;
	double bytes, sent, moved, received;
};

struct job {
	struct orrery_sim *sim;
	/* Messages, if they are wanted. */
	struct message_row *row;
	size_t rows, cap;
	int no_memory;
	PyThreadState *thread; /* while the interpreter runs on without us */
	struct timespec looked;
	/* A program in lines: of rank r those from first[r] to first[r + 1]. Texts belong to
	 * Python's objects, which the caller holds. */
	const char **line;
	Py_ssize_t *length;
	size_t *first, *at;
	uint32_t ranks;
};

static void job_release(struct job *j)
{
	orrery_sim_free(j->sim);
	free(j->row);
	free(j->line);
	free(j->length);
	free(j->first);
	free(j->at);
}

static void message_keep(void *self, const struct orrery_message *m)
{
	struct job *j = self;

	if (j->rows == j->cap) {
		size_t cap = j->cap ? 2 * j->cap : 1024;
		struct message_row *row = realloc(j->row, cap * sizeof *row);

		if (!row) {
			j->no_memory = 1;
			return;
		}
		j->row = row;
		j->cap = cap;
	}
	j->row[j->rows++] = (struct message_row){m->from,  m->to,   m->tag,   m->collective,
	                                         m->bytes, m->sent, m->moved, m->received};
}

/* It may begin again: see struct orrery_observer. */
static void messages_begin(void *self)
{
	((struct job *)self)->rows = 0;
}

/* --- a program in lines --- */

static int program_begin(void *self)
{
	struct job *j = self;

	memcpy(j->at, j->first, j->ranks * sizeof *j->at);
	return 0;
}

static int program_next(void *self, uint32_t rank, const char **line, size_t *n)
{
	struct job *j = self;
	size_t at = j->at[rank];

	if (at == j->first[rank + 1])
		return 0;
	j->at[rank]++;
	*line = j->line[at];
	*n = (size_t)j->length[at];
	return 1;
}

static int program_refuse(void)
{
	PyErr_SetString(PyExc_TypeError, "program: a list of lists of str, one for each rank");
	return -1;
}

static int lines_count(PyObject *program, struct job *j, size_t *all)
{
	*all = 0;
	for (uint32_t r = 0; r < j->ranks; r++) {
		PyObject *rank = PyList_GetItem(program, (Py_ssize_t)r);

		if (!rank || !PyList_Check(rank))
			return program_refuse();
		*all += (size_t)PyList_Size(rank);
	}
	return 0;
}

static int lines_take(PyObject *program, struct job *j)
{
	size_t n = 0;

	for (uint32_t r = 0; r < j->ranks; r++) {
		PyObject *rank = PyList_GetItem(program, (Py_ssize_t)r);

		j->first[r] = n;
		for (Py_ssize_t i = 0; i < PyList_Size(rank); i++, n++) {
			PyObject *line = PyList_GetItem(rank, i);

			if (!PyUnicode_Check(line))
				return program_refuse();
			j->line[n] = PyUnicode_AsUTF8AndSize(line, &j->length[n]);
			if (!j->line[n])
				return -1;
		}
	}
	j->first[j->ranks] = n;
	return 0;
}

static int program_take(PyObject *program, struct job *j)
{
	struct orrery_reader reader = {.size = sizeof reader,
	                               .self = j,
	                               .name = "program",
	                               .begin = program_begin,
	                               .next = program_next};
	size_t all;

	j->ranks = (uint32_t)PyList_Size(program);
	if (j->ranks == 0) {
		PyErr_SetString(PyExc_ValueError,
		                "program: a list for each rank, and there is none");
		return -1;
	}
	if (lines_count(program, j, &all) < 0)
		return -1;
	j->line = calloc(all + 1, sizeof *j->line);
	j->length = calloc(all + 1, sizeof *j->length);
	j->first = calloc((size_t)j->ranks + 1, sizeof *j->first);
	j->at = calloc((size_t)j->ranks + 1, sizeof *j->at);
	if (!j->line || !j->length || !j->first || !j->at) {
		PyErr_NoMemory();
		return -1;
	}
	if (lines_take(program, j) < 0)
		return -1;
	reader.ranks = j->ranks;
	orrery_sim_reader(j->sim, &reader);
	return 0;
}

/* --- what came of it --- */

/* What the library says may hold bytes of a file that are not UTF-8: they are shown as \xe9. */
static PyObject *told(const char *text)
{
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace");
}

/* A limit of this computer: OSError of what the operating system said, but for memory. */
static PyObject *limit(int number, PyObject *text)
{
	PyObject *pair = NULL;

	if (number == 0 || number == ENOMEM)
		PyErr_SetObject(PyExc_MemoryError, text);
	else if ((pair = Py_BuildValue("(iO)", number, text)))
		PyErr_SetObject(PyExc_OSError, pair);
	Py_XDECREF(pair);
	return NULL;
}

static PyObject *failure(struct job *j, int kind)
{
	PyObject *text = told(orrery_sim_error(j->sim));

	if (text && kind == ORRERY_LIMIT)
		limit(orrery_sim_errno(j->sim), text);
	else if (text)
		PyErr_SetObject(
		    kind == ORRERY_PROGRAM_FAILED ? PyExc_RuntimeError : PyExc_ValueError, text);
	Py_XDECREF(text);
	return NULL;
}

static PyObject *buffer(size_t n)
{
	return PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)n);
}

static PyObject *hosts_list(struct job *j, uint32_t ranks)
{
	PyObject *list = PyList_New(ranks);
	char name[1024];

	for (uint32_t r = 0; list && r < ranks; r++)
		PyList_SetItem(list, (Py_ssize_t)r,
		               told(orrery_sim_host(j->sim, r, name, sizeof name)));
	return list;
}

static PyObject *result(struct job *j)
{
	struct orrery_totals t = {.size = sizeof t};
	PyObject *ends, *classes, *messages;

	orrery_sim_totals(j->sim, &t);
	ends = buffer(t.ranks * sizeof(double));
	classes = buffer((size_t)t.ranks * ORRERY_CLASSES * sizeof(double));
	messages = buffer(j->rows * sizeof *j->row);
	if (!ends || !classes || !messages) {
		Py_XDECREF(ends);
		Py_XDECREF(classes);
		Py_XDECREF(messages);
		return NULL;
	}
	orrery_sim_ends(j->sim, (double *)(void *)PyByteArray_AsString(ends));
	orrery_sim_classes(j->sim, (double *)(void *)PyByteArray_AsString(classes));
	if (j->rows)
		memcpy(PyByteArray_AsString(messages), j->row, j->rows * sizeof *j->row);
	const char *explanation = orrery_sim_explanation(j->sim), *trust = orrery_sim_trust(j->sim);
	return Py_BuildValue("{s:d,s:I,s:K,s:K,s:K,s:d,s:d,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "time",
	                     t.time, "ranks", t.ranks, "actions", (unsigned long long)t.actions,
	                     "message_count", (unsigned long long)t.messages, "collectives",
	                     (unsigned long long)t.collectives, "bytes", t.bytes, "wall", t.wall,
	                     "ends", ends, "classes", classes, "messages", messages, "hosts",
	                     hosts_list(j, t.ranks), "notices", told(orrery_sim_notices(j->sim)),
	                     "explanation", explanation ? told(explanation) : PyErr_NoMemory(),
	                     "trust", trust ? told(trust) : PyErr_NoMemory());
}

/* A text without a zero byte, behind which nothing of it would be seen; or NULL. */
static const char *setting_text(PyObject *text)
{
	Py_ssize_t n;
	const char *s;

	if (!PyUnicode_Check(text)) {
		PyErr_SetString(PyExc_TypeError, "settings: names are str");
		return NULL;
	}
	s = PyUnicode_AsUTF8AndSize(text, &n);
	if (!s || (size_t)n == strlen(s))
		return s;
	PyErr_SetString(PyExc_ValueError, "settings: embedded null character");
	return NULL;
}

static int settings_take(PyObject *settings, struct job *j)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;

	while (PyDict_Next(settings, &at, &key, &value)) {
		PyObject *text = PyObject_Str(value);
		const char *k = setting_text(key), *v = k && text ? setting_text(text) : NULL;

		if (k && v)
			orrery_sim_setting(j->sim, k, v);
		Py_XDECREF(text);
		if (!k || !v)
			return -1;
	}
	return 0;
}

/* Names of files are bytes (os.fsencode), or None. */
static int path_take(PyObject *path, const char **out)
{
	char *text = NULL;

	if (path != Py_None && PyBytes_AsStringAndSize(path, &text, NULL) < 0)
		return -1;
	*out = text;
	return 0;
}

/* Ranks of a host, or None: as many as it has cores. */
static int ppn_take(PyObject *given, void *out)
{
	long n = given == Py_None ? 0 : PyLong_AsLong(given);

	if (given != Py_None && n == -1 && PyErr_Occurred())
		return 0;
	if (given != Py_None && (n < 1 || n > 1 << 20)) {
		PyErr_SetString(PyExc_ValueError, "ppn: 1 to 1048576 ranks of a host, or None");
		return 0;
	}
	*(unsigned *)out = (unsigned)n;
	return 1;
}

/* Ten times a second: has the user pressed Ctrl-C? Handlers of signals run here, in the main
 * thread. */
static int signals_look(void *self, uint64_t actions, double date)
{
	struct job *j = self;
	struct timespec now;
	int raised;

	(void)actions, (void)date;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if ((double)(now.tv_sec - j->looked.tv_sec) +
	        1e-9 * (double)(now.tv_nsec - j->looked.tv_nsec) <
	    0.1)
		return 0;
	j->looked = now;
	PyEval_RestoreThread(j->thread);
	raised = PyErr_CheckSignals();
	j->thread = PyEval_SaveThread();
	return raised;
}

static PyObject *simulate(PyObject *module, PyObject *args, PyObject *keywords)
{
	static const char *const names[] = {
	    "machine",  "trace",  "program", "settings", "hostfile", "computation", "oversubscribe",
	    "messages", "record", "explain", "what_if",  "map_by",   "ppn",         NULL};
	const char *machine, *trace, *hostfile, *computation, *record, *explain, *what_if, *map_by;
	PyObject *program, *settings, *out, *path[4];
	int oversubscribe, messages, kind;
	unsigned ppn;
	struct job j = {0};
	struct orrery_observer o = {
	    .size = sizeof o, .self = &j, .message = message_keep, .begin = messages_begin};

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(
	        args, keywords, "OOOO!OzppOzzzO&", (char **)(uintptr_t)names, &path[0], &path[1],
	        &program, &PyDict_Type, &settings, &path[2], &computation, &oversubscribe,
	        &messages, &path[3], &explain, &what_if, &map_by, ppn_take, &ppn) ||
	    path_take(path[0], &machine) < 0 || path_take(path[1], &trace) < 0 ||
	    path_take(path[2], &hostfile) < 0 || path_take(path[3], &record) < 0)
		return NULL;
	j.sim = orrery_sim_new(ORRERY_API);
	orrery_sim_machine(j.sim, machine);
	orrery_sim_trace(j.sim, trace);
	orrery_sim_hostfile(j.sim, hostfile);
	orrery_sim_record(j.sim, record);
	orrery_sim_explain(j.sim, explain);
	orrery_sim_what_if(j.sim, what_if);
	orrery_sim_map(j.sim, map_by, ppn);
	if (computation)
		orrery_sim_computation(j.sim, computation);
	if (oversubscribe)
		orrery_sim_oversubscribe(j.sim);
	if (messages)
		orrery_sim_observer(j.sim, &o);
	if (settings_take(settings, &j) < 0 ||
	    (PyList_Check(program) && program_take(program, &j) < 0)) {
		job_release(&j);
		return NULL;
	}
	orrery_sim_progress(j.sim, signals_look, &j);
	clock_gettime(CLOCK_MONOTONIC, &j.looked);
	j.thread = PyEval_SaveThread();
	kind = orrery_sim_run(j.sim);
	PyEval_RestoreThread(j.thread);
	out = PyErr_Occurred() ? NULL
	      : kind           ? failure(&j, kind)
	      : j.no_memory    ? PyErr_NoMemory()
	                       : result(&j);
	job_release(&j);
	return out;
}

static PyObject *class_names(PyObject *module, PyObject *ignored)
{
	PyObject *list = PyList_New(ORRERY_CLASSES);

	(void)module, (void)ignored;
	for (int c = 0; list && c < ORRERY_CLASSES; c++)
		PyList_SetItem(list, c, PyUnicode_FromString(orrery_class_name(c)));
	return list;
}

static PyObject *version(PyObject *module, PyObject *ignored)
{
	(void)module, (void)ignored;
	return PyUnicode_FromString(orrery_version());
}

static PyMethodDef methods[] = {
    {"simulate", (PyCFunction)(void (*)(void))simulate, METH_VARARGS | METH_KEYWORDS, NULL},
    {"class_names", class_names, METH_NOARGS, NULL},
    {"version", version, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_orrery", .m_size = -1,
                                        .m_methods = methods};

PyMODINIT_FUNC PyInit__orrery(void);
PyMODINIT_FUNC PyInit__orrery(void)
{
	return PyModule_Create(&definition);
}
