/* handlers.c: calls of a trace for the handlers of a shared object (include/orrery/analysis.h). */
#include "base/input.h"
#include "base/object.h"
#include "orrery/analysis.h"
#include "trace.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct handlers {
	void *object;
	const struct orrery_analysis *a;
	void *self;
	const char *file;
};

static void say(void *to, const char *text)
{
	str_puts(to, text ? text : "");
}

/* FILE[:ARGUMENTS]; only an absolute path, so that no folder of the user's decides what is run. */
static int file_split(const char *text, char **file, const char **arguments, struct err *err)
{
	const char *colon = strchr(text, ':');

	if (*text != '/')
		return err_set(
		    err, ERR_INPUT,
		    "'%s': the shared object with handlers is given by its absolute path", text);
	*arguments = colon ? colon + 1 : "";
	*file = colon ? strndup(text, (size_t)(colon - text)) : strdup(text);
	return *file ? 0 : err_nomem(err, "a file name", strlen(text));
}

static int object_open(struct handlers *h, const char *file, struct err *err)
{
	const size_t least = offsetof(struct orrery_analysis, end) + sizeof h->a->end;

	if (input_regular(file, err) < 0 || /* a pipe would be waited for */
	    object_check(file, file, err) < 0)
		return -1;
	h->object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!h->object)
		return err_set(err, ERR_INPUT, "cannot load the handlers: %s", dlerror());
	h->a = dlsym(h->object, "orrery_analysis_entry");
	if (!h->a)
		return err_set(err, ERR_INPUT,
		               "%s defines no orrery_analysis_entry (orrery/analysis.h)", file);
	if (h->a->abi == ORRERY_ANALYSIS_ABI && h->a->size < least)
		return err_set(
		    err, ERR_INPUT,
		    "%s: its struct orrery_analysis has %zu bytes, not %zu: its `size` is wrong",
		    file, h->a->size, sizeof *h->a);
	if (h->a->abi == ORRERY_ANALYSIS_ABI && (!h->a->begin || !h->a->call || !h->a->end))
		return err_set(err, ERR_INPUT, "%s: it has no function begin, call or end", file);
	if (h->a->abi != ORRERY_ANALYSIS_ABI)
		return err_set(err, ERR_INPUT,
		               "%s: its handlers are of version %u: this program has version %u; "
		               "compile it with the header of this program",
		               file, h->a->abi, ORRERY_ANALYSIS_ABI);
	return 0;
}

static int stopped(const struct handlers *h, uint32_t rank, struct err *err)
{
	return err_set(err, ERR_INPUT, "the handlers of %s stopped at rank %u", h->file, rank);
}

static int call_hand(void *self, const struct trace_seen *x, struct err *err)
{
	const struct handlers *h = self;
	const struct trace_event *ev = x->ev;
	struct orrery_analysis_call c = {
	    .action = trace_op_name((enum trace_op)ev->op),
	    .function = trace_op_mpi((enum trace_op)ev->op),
	    .rank = x->rank,
	    .depth = x->depth,
	    .times = x->times,
	    .bytes = trace_event_sent(ev),
	    .volume = x->volume,
	    .seconds = x->seconds,
	    .peer = ev->peer,
	    .tag = ev->tag,
	    .root = ev->root,
	    .communicator = ev->comm,
	    .count = ev->count,
	    .type_size = ev->type_size,
	    .file = ev->text,
	    .line = ev->line,
	    .exact = ev->drawn == 0,
	};

	return h->a->call(h->self, &c) ? stopped(h, x->rank, err) : 0;
}

static int loop_hand(void *self, uint32_t rank, uint64_t times, int enters, struct err *err)
{
	const struct handlers *h = self;

	return h->a->loop && h->a->loop(h->self, rank, times, enters) ? stopped(h, rank, err) : 0;
}

static int object_run(struct handlers *h, struct trace *t, const char *arguments, struct str *out,
                      struct err *err)
{
	struct trace_visitor v = {.self = h, .call = call_hand, .loop = loop_hand};
	int r;

	h->self = h->a->begin(trace_ranks(t), arguments, say, out);
	if (!h->self)
		return err_set(err, ERR_INPUT, "the handlers of %s refuse '%s'", h->file,
		               arguments);
	r = trace_visit(t, &v, err);
	if (h->a->end(h->self) != 0 && r == 0)
		r = err_set(err, ERR_INPUT, "the handlers of %s failed at the end", h->file);
	return r;
}

int trace_handlers_run(struct trace *t, const char *file, struct str *out, struct err *err)
{
	struct handlers h = {0};
	const char *arguments = "";
	char *path = NULL;
	int r = file_split(file, &path, &arguments, err);

	h.file = path;
	if (r == 0)
		r = object_open(&h, path, err);
	if (r == 0)
		r = object_run(&h, t, arguments, out, err);
	if (h.object)
		dlclose(h.object);
	free(path);
	return r;
}
