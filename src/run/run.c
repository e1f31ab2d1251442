/* run.c: a plan to options of src/live; the end of a run. */
#include "run_int.h"

#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int words_join(struct running *r, struct err *err)
{
	struct str s;

	str_init(&s);
	for (char *const *word = r->plan->command; *word; word++)
		str_printf(&s, "%s%s", s.n ? " " : "", *word);
	r->words = s.s;
	return s.s && !s.failed ? 0 : err_nomem(err, "command line", s.n);
}

/* Where computation is measured, ranks that run at once would disturb each other: one, and of these
 * one is the one that mp waits for. */
static uint32_t jobs_of(uint32_t asked, enum live_computation kind)
{
	if (kind == LIVE_MEASURED)
		return asked ? asked - 1 : 0;
	return asked ? asked : UINT32_MAX;
}

static void options_take(struct running *r)
{
	const struct run_plan *plan = r->plan;

	r->options = (struct live_options){.command = plan->command,
	                                   .library = r->library,
	                                   .computation = r->computation.kind,
	                                   .thread_cores = plan->thread_cores,
	                                   .checks = plan->checks,
	                                   .profiles = plan->profiles,
	                                   .jobs = jobs_of(plan->jobs, r->computation.kind),
	                                   .holding = plan->holding,
	                                   .slots = plan->slots,
	                                   .stack = plan->stack,
	                                   .folds = plan->n_folds > 0,
	                                   .speed = plan->speed,
	                                   .output = plan->output,
	                                   .wrap = plan->wrap,
	                                   .n_wrap = plan->n_wrap};
}

struct running *running_new(const struct run_plan *plan, struct err *err)
{
	struct running *r = calloc(1, sizeof *r);

	if (!r) {
		err_nomem(err, "run", sizeof *r);
		return NULL;
	}
	r->plan = plan;
	str_init(&r->said);
	if (computation_take(&r->computation, plan->computation, err) == 0 &&
	    live_library(r->library, sizeof r->library, err) == 0 && words_join(r, err) == 0) {
		options_take(r);
		if (program_read(r, err) == 0 && environment_make(r, err) == 0)
			return r;
	}
	running_free(r);
	return NULL;
}

static int trace_end(struct running *r, int failed, struct str *notices, struct err *err)
{
	int ended = 0; /* the ranks: none where they were another process's */

	if (r->traces)
		ended = traced_end(&r->traced, r->places, failed, notices, err);
	if (r->traces)
		traced_release(&r->traced);
	r->traces = 0;
	return ended;
}

int running_end(struct running *r, int failed, struct str *notices, struct err *err)
{
	int ended = trace_end(r, failed, notices, err);
	struct err full;

	if (live_output_check(r->plan->output, &full) < 0) {
		if (failed || ended < 0 || r->ended.kind != ERR_NONE)
			str_printf(notices, "%s\n", full.text);
		else
			*err = full, ended = -1;
	}
	if (ended < 0 && (failed || r->ended.kind != ERR_NONE))
		str_printf(notices, "%s\n", err->text); /* beside what is worse */
	if (r->ended.kind == ERR_NONE)
		return ended;
	*err = r->ended;
	return -1;
}

static int is_there(const char *folder, const char *name)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return access(path, F_OK) == 0;
}

/* Ended elsewhere: it is a trace, or it was put in its place, or removed as nothing was in it. */
static int trace_is_ended(const struct traced *t)
{
	return place_is_finished(&t->place) || !is_there(t->folder, ".") ||
	       (is_there(t->folder, "manifest") && !is_there(t->folder, TRACE_GOES_ON));
}

const char *running_folder(const struct running *r)
{
	return r->traces && !trace_is_ended(&r->traced) ? r->traced.folder : NULL;
}

int running_cut(struct running *r, struct str *notices, struct err *err)
{
	int ended = 0, left = r->traces && !trace_is_ended(&r->traced);

	if (left)
		ended = trace_end(r, 1, notices, err);
	else if (r->traces)
		traced_release(&r->traced);
	r->traces = 0;
	running_free(r);
	return ended < 0 ? -1 : left;
}

void running_free(struct running *r)
{
	struct str unheard; /* it never ran */
	struct err unseen;

	str_init(&unheard);
	trace_end(r, 1, &unheard, &unseen);
	str_release(&unheard);
	computation_release(&r->computation);
	str_release(&r->said);
	live_kernels_free(r->kernels);
	free(r->words);
	free(r);
}
