/* python.c: see python.h. */
#include "python.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is used of Python's C interface (3.9 and later): documented, but for the two that say
 * whether there are other threads, which are documented for debuggers. */
static struct {
	int (*initialized)(void);
	void *(*this_thread)(void), *(*main)(void), *(*threads)(void *), *(*next)(void *);
	int (*check)(void), (*ensure)(void);
	void (*release)(int);
	void *(*frame)(void *), *(*back)(void *), *(*code)(void *), *(*get)(void *, const char *);
	int (*line)(void *);
	const char *(*text)(void *);
	void (*drop)(void *), (*clear)(void);
	void (*fetch)(void **, void **, void **), (*restore)(void *, void *, void *);
	int whole;
} python;

static void functions_find(void)
{
	const struct {
		const char *name;
		void *to;
	} wanted[] = {
	    {"Py_IsInitialized", &python.initialized},
	    {"PyGILState_GetThisThreadState", &python.this_thread},
	    {"PyInterpreterState_Main", &python.main},
	    {"PyInterpreterState_ThreadHead", &python.threads},
	    {"PyThreadState_Next", &python.next},
	    {"PyGILState_Check", &python.check},
	    {"PyGILState_Ensure", &python.ensure},
	    {"PyGILState_Release", &python.release},
	    {"PyThreadState_GetFrame", &python.frame},
	    {"PyFrame_GetBack", &python.back},
	    {"PyFrame_GetCode", &python.code},
	    {"PyFrame_GetLineNumber", &python.line},
	    {"PyObject_GetAttrString", &python.get},
	    {"PyUnicode_AsUTF8", &python.text},
	    {"Py_DecRef", &python.drop},
	    {"PyErr_Clear", &python.clear},
	    {"PyErr_Fetch", &python.fetch},
	    {"PyErr_Restore", &python.restore},
	};

	python.whole = 1;
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		void *f = dlsym(RTLD_DEFAULT, wanted[i].name);

		memcpy(wanted[i].to, &f, sizeof f);
		python.whole &= f != NULL;
	}
}

void python_init(struct python *p)
{
	*p = (struct python){0};
	hash64_init(&p->kind);
	hash_str_init(&p->places);
}

void python_release(struct python *p)
{
	hash64_release(&p->kind);
	hash_str_release(&p->places);
	for (uint32_t i = 0; i < p->n; i++)
		free(p->name[i]);
	free(p->name);
	*p = (struct python){0};
}

/* An extension module of Python, as it names them (PEP 3149), or the interpreter. */
static int is_python(const void *address)
{
	void *here = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
	Dl_info info, interpreter;

	if (!here || !dladdr(address, &info) || !info.dli_fname)
		return 0;
	return strstr(info.dli_fname, ".cpython-") != NULL ||
	       strstr(info.dli_fname, ".abi3.so") != NULL ||
	       (dladdr(here, &interpreter) && info.dli_fbase == interpreter.dli_fbase);
}

static int place_add(struct python *p, const char *name, struct err *err)
{
	uint32_t i = hash_str_find(&p->places, name);
	char **all;

	if (i != HASH_NONE)
		return (int)i;
	all = vec_grow(p->name, &p->cap, sizeof *all, (size_t)p->n + 1, "places in Python", err);
	if (!all)
		return -1;
	p->name = all;
	all[p->n] = strdup(name);
	if (!all[p->n])
		return err_nomem(err, "places in Python", strlen(name) + 1);
	if (hash_str_put(&p->places, name, p->n, err) < 0) {
		free(all[p->n]);
		return -1;
	}
	return (int)p->n++;
}

/* "script.py:12"; "" for what Python's import machinery does, and what cannot be read. */
static void frame_place(void *frame, char *out, size_t size)
{
	void *code = python.code(frame), *file = code ? python.get(code, "co_filename") : NULL;
	const char *path = file ? python.text(file) : NULL,
	           *slash = path ? strrchr(path, '/') : NULL;

	*out = '\0';
	if (path && strncmp(path, "<frozen ", 8) != 0)
		snprintf(out, size, "%s:%d", slash ? slash + 1 : path, python.line(frame));
	for (char *c = out; *c; c++) /* which part the frames of a site's name */
		*c = *c == '<' ? '(' : *c == '>' ? ')' : *c;
	if (file)
		python.drop(file);
	if (code)
		python.drop(code);
	python.clear();
}

static int frames_walk(struct python *p, void *thread, uint32_t *out, int most, struct err *err)
{
	void *frame = python.frame(thread), *outer;
	char name[4200];
	int n = 0, place = 0;

	while (frame && n < most) {
		frame_place(frame, name, sizeof name);
		place = *name ? place_add(p, name, err) : 0;
		if (place < 0)
			break;
		if (*name)
			out[n++] = (uint32_t)place;
		outer = python.back(frame);
		python.drop(frame);
		frame = outer;
	}
	if (frame)
		python.drop(frame);
	return place < 0 ? -1 : n;
}

/* The interpreter's lock can be taken without waiting for anybody. */
static int is_alone(const void *thread)
{
	void *first = python.threads(python.main());

	return first == thread && !python.next(first);
}

int python_places(struct python *p, const void *address, uint32_t *out, int most, struct err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint32_t kind = hash64_find(&p->kind, (uintptr_t)address);
	void *thread, *type, *value, *trace;
	int held, lock = 0, n;

	if (kind == HASH_NONE) {
		kind = (uint32_t)is_python(address);
		if (hash64_put(&p->kind, (uintptr_t)address, kind, err) < 0)
			return -1;
	}
	if (!kind)
		return 0;
	pthread_once(&once, functions_find);
	if (!python.whole || !python.initialized() || !(thread = python.this_thread()))
		return 0;
	held = python.check();
	if (!held && !is_alone(thread))
		return 0;
	if (!held)
		lock = python.ensure();
	python.fetch(&type, &value, &trace);
	n = frames_walk(p, thread, out, most, err);
	python.restore(type, value, trace);
	if (!held)
		python.release(lock);
	return n;
}
