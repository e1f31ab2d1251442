/* verb_convert.c: `orrery convert`: writes a trace in another form. */
#include "launch/folder.h"
#include "trace/trace.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OPT_OUTPUT = 1, OPT_FORM, OPT_NP, OPT_PRECISION, OPT_FORCE, OPT_EVEN_SPLIT };

static const struct option_row convert_options[] = {
    {OPT_OUTPUT, 'o', "output", "PATH", "the folder or file to write"},
    {OPT_FORM, 'f', "form", "FORM",
     "text (ours, a folder with a file of lines per rank, as of 'trace --form text'; also called "
     "folder; default), merged (ours, one file of lines), compressed (ours, one binary file), "
     "simgrid (for smpirun -replay), dimemas (.dim), goal, goal-binary, otf2 (a folder with "
     "traces.otf2)"},
    {OPT_NP, 'n', "np", "N",
     "how many ranks the trace must have, as a check: its number cannot be changed"},
    {OPT_PRECISION, 0, "precision", "PERCENT",
     "compressed: volumes and durations become histograms, and so do sizes, peers, tags and loops "
     "that differ by at most 100 - PERCENT per cent; 0: all do; default: 100, lossless"},
    {OPT_FORCE, 0, "force", NULL,
     "overwrites what is at PATH, if it is a trace of that form or a file"},
    {OPT_EVEN_SPLIT, 0, "even-split", NULL,
     "of a format that records only how much an alltoallv sends in all: each gets the same"},
    {0, 0, NULL, NULL, NULL},
};

static int form_find(const char *name, enum trace_write_form *out, struct err *err)
{
	static const char *const names[] = {[TRACE_WRITE_FOLDER] = "text",
	                                    [TRACE_WRITE_MERGED] = "merged",
	                                    [TRACE_WRITE_COMPRESSED] = "compressed",
	                                    [TRACE_WRITE_SIMGRID] = "simgrid",
	                                    [TRACE_WRITE_DIMEMAS] = "dimemas",
	                                    [TRACE_WRITE_GOAL] = "goal",
	                                    [TRACE_WRITE_GOAL_BINARY] = "goal-binary",
	                                    [TRACE_WRITE_OTF2] = "otf2"};

	*out = TRACE_WRITE_FOLDER;
	if (!name || !strcmp(name, "folder"))
		return 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!strcmp(name, names[i])) {
			*out = (enum trace_write_form)i;
			return 0;
		}
	}
	return err_set(err, ERR_INPUT,
	               "convert: --form is text (or folder), merged, compressed, simgrid, dimemas, "
	               "goal, goal-binary or otf2, not '%s'",
	               name);
}

/* The error of an event that has no place in the form: the event has one in the trace. */
static int err_in_trace(const struct trace *t, uint32_t rank, struct err *err)
{
	struct err why = *err;
	char place[4096];

	return err_set(err, why.kind, "%s: %s", trace_place(t, rank, place, sizeof place),
	               why.text);
}

static int copy_rank(struct trace *t, struct trace_writer *w, uint32_t rank, struct err *err)
{
	uint32_t partial = trace_partial(t);
	struct trace_event ev;
	int s;

	while ((s = trace_next(t, rank, &ev, err)) > 0) {
		if (trace_writer_put(w, rank, &ev, err) < 0)
			return err->kind == ERR_INPUT ? err_in_trace(t, rank, err) : -1;
	}
	if (s == 0 && trace_partial(t) > partial)
		s = trace_writer_partial(w, rank, err);
	return s < 0 ? -1 : trace_writer_rank_done(w, rank, err);
}

static int copy_all(struct trace *t, struct trace_writer *w, struct str *notices, struct err *err)
{
	for (uint32_t rank = 0; rank < trace_ranks(t); rank++)
		if (copy_rank(t, w, rank, err) < 0)
			return -1;
	if (trace_partial(t)) {
		str_printf(notices,
		           "the trace is partial: the record of %u of %u ranks ends before the "
		           "program did",
		           trace_partial(t), trace_ranks(t));
		trace_partial_which(t, notices);
		str_putc(notices, '\n');
	}
	return 0;
}

/* The manifest goes along with our forms. */
static int copy(const struct args *a, struct trace *t, const char *to, enum trace_write_form form,
                int precision, struct err *err)
{
	struct trace_manifest m;
	struct str notices;
	int r, has_manifest = trace_manifest_get(t, &m, err);
	struct trace_writer *w = has_manifest < 0
	                             ? NULL
	                             : trace_writer_open(to, form, trace_ranks(t), err);

	if (w) {
		trace_writer_precision(w, precision);
		trace_writer_about(w, has_manifest > 0 ? &m : NULL);
		trace_writer_again(w, t);
	}
	str_init(&notices);
	str_puts(&notices, trace_notices(t));
	if (w && copy_all(t, w, &notices, err) == 0) {
		r = trace_writer_commit(w, has_manifest > 0 ? &m : NULL, &notices, err);
	} else {
		trace_writer_abandon(w);
		r = -1;
	}
	print_notices(a, &notices);
	str_release(&notices);
	if (has_manifest > 0)
		trace_manifest_release(&m);
	return r;
}

/* A file is not written over a folder, nor over another one without --force. Devices may be written
 * to at any time. */
static int file_prepare(const char *path, int force, struct err *err)
{
	struct stat st;
	int there = there_stat(path, &st, err);

	if (there <= 0)
		return there;
	if (S_ISDIR(st.st_mode))
		return err_set(err, ERR_INPUT,
		               "convert: %s is a folder, where a file is to be written. Choose "
		               "another name with -o.",
		               path);
	return S_ISREG(st.st_mode) && !force
	           ? err_set(err, ERR_INPUT, "convert: %s exists. --force overwrites it.", path)
	           : 0;
}

/* The folder beside a SimGrid list, "<list>_files". */
static int files_prepare(const char *list, int force, struct err *err)
{
	char *dir;
	int r;

	if (asprintf(&dir, "%s_files", list) < 0)
		return err_nomem(err, "a file name", strlen(list));
	r = folder_check_simgrid(dir, force, err);
	free(dir);
	return r;
}

/* Nothing is overwritten without --force. */
static int output_prepare(const struct args *a, const char *to, enum trace_write_form form,
                          struct err *err)
{
	int force = args_has(a, OPT_FORCE);

	if (form == TRACE_WRITE_FOLDER)
		return folder_check(to, force, err);
	if (form == TRACE_WRITE_OTF2)
		return folder_check_otf2(to, force, err);
	if (file_prepare(to, force, err))
		return -1;
	return form == TRACE_WRITE_SIMGRID ? files_prepare(to, force, err) : 0;
}

/* What the group and others may not read of a file of the trace. */
static int hidden_add(void *self, const char *file)
{
	mode_t *hidden = self;
	struct stat st;

	if (stat(file, &st) < 0) /* nobody else should be shown it, then */
		st.st_mode = 0;
	if (!(st.st_mode & S_IRGRP))
		*hidden |= S_IRWXG;
	if (!(st.st_mode & S_IROTH))
		*hidden |= S_IRWXO;
	return 0;
}

/* A trace holds paths and arguments: who may not read it may not read its copy. */
static int hide_as(const char *path, struct err *err)
{
	mode_t hidden = umask(0777);
	int r = trace_files_each(path, hidden_add, &hidden, err);

	hidden_add(&hidden, path);
	umask(hidden);
	return r;
}

static int convert_run(const struct args *a, struct err *err)
{
	const char *to = args_get(a, OPT_OUTPUT);
	struct trace_open_options open = {.even_split = args_has(a, OPT_EVEN_SPLIT)};
	enum trace_write_form form;
	struct trace *t;
	int64_t np = 0, precision = 100;
	int r;

	if (a->n_positional != 1 || !to)
		return err_set(err, ERR_INPUT,
		               "convert: give one trace and -o PATH. See 'orrery help convert'.");
	if (form_find(args_get(a, OPT_FORM), &form, err) < 0 ||
	    args_int(a, &verb_convert, OPT_NP, 1, INT32_MAX, &np, err) < 0 ||
	    args_int(a, &verb_convert, OPT_PRECISION, 0, 100, &precision, err) < 0)
		return -1;
	if (precision < 100 && form != TRACE_WRITE_COMPRESSED)
		return err_set(err, ERR_INPUT, "convert: --precision needs --form compressed");
	t = trace_open_with(a->positional[0], (uint32_t)np, &open, err);
	if (!t)
		return -1;
	r = hide_as(a->positional[0], err) < 0 || output_prepare(a, to, form, err) < 0
	        ? -1
	        : copy(a, t, to, form, (int)precision, err);
	trace_close(t);
	return r;
}

static const int outputs[] = {OPT_OUTPUT, 0};

const struct verb verb_convert = {
    .name = "convert",
    .synopsis = "TRACE -o PATH [options]",
    .summary = "writes a trace in another form",
    .text = "TRACE may be another tool's: OTF2, DUMPI, TAU, Paraver, Dimemas, GOAL "
            "(docs/foreign-traces.md). What the form written cannot hold (windows, files) is "
            "an error that names the event. GOAL has no collectives: they become messages.\n"
            "\n"
            "The form 'simgrid' writes the list file PATH and the folder PATH_files, which "
            "smpirun -replay accepts. What it cannot hold is refused, or replaced with a "
            "notice: docs/trace-format.md.",
    .options = convert_options,
    .outputs = outputs,
    .run = convert_run,
};
