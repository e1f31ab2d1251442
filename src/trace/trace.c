/* trace.c: opening a trace, whatever it is, and handing out its events. The containers are the plug
 * table at the end. */
#include "compressed/chapter.h"
#include "trace_int.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct trace_format *const trace_formats[] = {&trace_format_nest,   &trace_format_foreign,
                                                    &trace_format_folder, &trace_format_list,
                                                    &trace_format_merged, NULL};

/* Whether the file begins with these n bytes, 8 at most. */
static bool begins(const char *path, const char *with, size_t n)
{
	char begin[8];
	FILE *f = fopen(path, "rb");
	bool it_does;

	if (!f)
		return false;
	it_does = fread(begin, n, 1, f) == 1 && !memcmp(begin, with, n);
	fclose(f);
	return it_does;
}

/* The recording of a simulated run (src/observe/rec_int.h) is at hand where a trace is, and given
 * in its place. */
static bool is_recording(const char *path)
{
	return begins(path, "\x89ORRERY\n", 8);
}

/* As PowerShell writes what is sent to a file. */
static bool is_utf16(const char *path)
{
	return begins(path, "\xff\xfe", 2) || begins(path, "\xfe\xff", 2);
}

static const struct trace_format *format_find(const char *path, struct err *err)
{
	for (const struct trace_format *const *f = trace_formats; *f; f++) {
		int is_one = (*f)->probe(path, err);

		if (is_one != 0)
			return is_one > 0 ? *f : NULL;
	}
	if (is_recording(path)) {
		err_set(
		    err, ERR_INPUT,
		    "%s: the recording of a simulated run, where a trace is wanted: it was made "
		    "of one (`orrery export` shows it)",
		    path);
		return NULL;
	}
	if (is_utf16(path)) {
		err_set(err, ERR_INPUT,
		        "%s: its text is UTF-16: `iconv -f UTF-16 -t UTF-8` makes it the text that "
		        "is wanted",
		        path);
		return NULL;
	}
	err_set(err, ERR_INPUT,
	        "%s: neither a trace nor a list of trace files: its first line should be an action "
	        "such as '0 init', or the name of a file",
	        path);
	return NULL;
}

struct trace *trace_open(const char *path, uint32_t np, struct err *err)
{
	return trace_open_with(path, np, NULL, err);
}

struct trace *trace_open_with(const char *path, uint32_t np, const struct trace_open_options *o,
                              struct err *err)
{
	struct stat st;
	struct trace *t;
	const struct trace_format *format;

	if (np > INT32_MAX) {
		err_set(err, ERR_INPUT, "%u ranks were asked for: at most %d are possible", np,
		        INT32_MAX);
		return NULL;
	}
	if (!*path) {
		err_set(err, ERR_INPUT,
		        "the name of the trace is empty: give a file or a folder (an unset "
		        "variable in the command?)");
		return NULL;
	}
	if (stat(path, &st) < 0) {
		err_sys(err, errno, "cannot open the trace %s", path);
		return NULL;
	}
	format = format_find(path, err);
	if (!format)
		return NULL;
	t = calloc(1, sizeof *t);
	if (!t) {
		err_nomem(err, "a trace", sizeof *t);
		return NULL;
	}
	t->format = format;
	t->even_split = o && o->even_split;
	t->seed = 1;
	t->path = strdup(path);
	if (!t->path)
		err_nomem(err, "a file name", strlen(path));
	else if (format->open(t, path, np, err) == 0)
		return t;
	trace_close(t);
	return NULL;
}

int trace_files_each(const char *path, int (*each)(void *self, const char *file), void *self,
                     struct err *err)
{
	struct stat st;
	int r;

	r = there_stat(path, &st, err);
	if (r <= 0) /* what cannot be opened by its name is not read */
		return r < 0 && err->kind == ERR_LIMIT ? -1 : 0;
	r = S_ISDIR(st.st_mode) ? folder_files_each(path, each, self, err) : each(self, path);
	if (r == 0 && S_ISREG(st.st_mode))
		r = list_files_each(path, each, self, err);
	if (r == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		r = foreign_files_each(path, each, self, err);
	return r;
}

static void again_close(struct trace *t)
{
	trace_close(t->again);
	free(t->passed);
	t->again = NULL;
	t->passed = NULL;
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	again_close(t);
	t->format->close(t);
	shares_release(t->shares);
	site_names_free(t->sites);
	str_release(&t->notices);
	free(t->manifest);
	free(t->path);
	free(t->cut);
	free(t);
}

const char *trace_place_of(struct trace *t, uint32_t rank, uint64_t number, char *buf, size_t n)
{
	struct trace_event ev;
	struct err err;

	*buf = '\0';
	if (t->again && t->passed[rank] > number)
		again_close(t);
	if (!t->path)
		return buf; /* given line by line: not to be had again */
	if (!t->again) {
		struct trace_open_options o = {.even_split = t->even_split};

		t->again = trace_open_with(t->path, t->ranks, &o, &err);
		if (t->again)
			trace_seed(t->again, t->seed);
		t->passed = t->again ? calloc(t->ranks, sizeof *t->passed) : NULL;
	}
	if (!t->passed) {
		again_close(t);
		return buf;
	}
	for (; t->passed[rank] < number; t->passed[rank]++)
		if (trace_next(t->again, rank, &ev, &err) <= 0)
			return buf;
	return number ? trace_place_beside(t->again, rank, buf, n) : buf;
}

int trace_requests_differ(const struct trace *t)
{
	return t->requests_differ;
}

uint32_t trace_partial(const struct trace *t)
{
	return t->partial;
}

int trace_drain(struct trace *t, struct err *err)
{
	struct trace_event ev;
	int more = 0;

	for (uint32_t rank = 0; rank < t->ranks && more >= 0; rank++)
		while ((more = trace_next(t, rank, &ev, err)) > 0)
			;
	return more;
}

void trace_only(struct trace *t, uint32_t rank)
{
	if (t->format == &trace_format_nest)
		compressed_only(t, rank);
}

void trace_seed(struct trace *t, uint64_t seed)
{
	t->seed = seed;
	if (t->format == &trace_format_nest)
		compressed_seed(t, seed);
}

uint32_t trace_ranks(const struct trace *t)
{
	return t->ranks;
}

const char *trace_format_name(const struct trace *t)
{
	return t->name;
}

int trace_of_simgrid(const struct trace *t)
{
	const struct dialect *d = t->grammar.dialect;

	return d && d != &trace_dialects[DIALECT_OURS];
}

const char *trace_notices(const struct trace *t)
{
	return t->notices.s ? t->notices.s : "";
}

uint64_t trace_actions_hint(const struct trace *t)
{
	return t->actions;
}

/* Of a trace that names its call sites. */
static __attribute__((noinline)) int next_with_sites(struct trace *t, uint32_t rank,
                                                     struct trace_event *ev, struct err *err)
{
	int more = t->format->next(t, rank, ev, err);

	if (more > 0 && ev->op == TRACE_REGION) {
		ev->text = site_names_region(t->sites, ev->text, err);
		return ev->text ? more : -1;
	}
	return more;
}

int trace_next(struct trace *t, uint32_t rank, struct trace_event *ev, struct err *err)
{
	BUG_ON(rank >= t->ranks);
	return t->sites ? next_with_sites(t, rank, ev, err) : t->format->next(t, rank, ev, err);
}

void trace_soon(const struct trace *t, uint32_t rank, uint32_t then)
{
	if (t->format->soon && rank < t->ranks)
		t->format->soon(t, rank, then);
}

const char *trace_place(const struct trace *t, uint32_t rank, char *buf, size_t n)
{
	uint64_t line = 0;
	const char *file;

	BUG_ON(rank >= t->ranks);
	file = t->format->place(t, rank, &line);
	snprintf(buf, n, t->format->unlined ? "%s, event %llu" : "%s:%llu", file,
	         (unsigned long long)line);
	return buf;
}

const char *trace_place_beside(const struct trace *t, uint32_t rank, char *buf, size_t n)
{
	uint64_t line;

	if (!t->format->unlined)
		return trace_place(t, rank, buf, n);
	snprintf(buf, n, "%s", t->format->place(t, rank, &line));
	return buf;
}
