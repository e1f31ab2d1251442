/* verb_convert.c: `orrery convert`: writes a trace in another form. */
#include "trace/trace.h"
#include "trace_folder.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OPT_OUTPUT = 1, OPT_FORM, OPT_NP, OPT_FORCE };

static const struct option_row convert_options[] = {
    {OPT_OUTPUT, 'o', "output", "PATH", "the folder or file to write"},
    {OPT_FORM, 'f', "form", "FORM",
     "folder (ours, a file per rank; default), merged (ours, one file), simgrid (for smpirun -replay)"},
    {OPT_NP, 'n', "np", "N", "number of ranks; default: all of the trace"},
    {OPT_FORCE, 0, "force", NULL, "overwrites what is at PATH, if it is a trace or a file"},
    {0, 0, NULL, NULL, NULL},
};

static int form_find(const char *name, enum trace_write_form *out, struct err *err)
{
	static const char *const names[] = {[TRACE_WRITE_FOLDER] = "folder",
	                                    [TRACE_WRITE_MERGED] = "merged",
	                                    [TRACE_WRITE_SIMGRID] = "simgrid"};

	*out = TRACE_WRITE_FOLDER;
	if (!name)
		return 0;
	for (int i = 0; i < 3; i++) {
		if (!strcmp(name, names[i])) {
			*out = (enum trace_write_form)i;
			return 0;
		}
	}
	return err_set(err, ERR_INPUT, "convert: --form is folder, merged or simgrid, not '%s'",
	               name);
}

static int copy_rank(struct trace *t, struct trace_writer *w, uint32_t rank, struct err *err)
{
	struct trace_event ev;
	int s;

	while ((s = trace_next(t, rank, &ev, err)) > 0) {
		if (trace_writer_put(w, rank, &ev, err) < 0)
			return -1;
	}
	return s;
}

/* The manifest goes along with a folder. */
static int copy_manifest(const char *from, const char *to, enum trace_write_form form,
                         struct err *err)
{
	struct trace_manifest m = {0};
	struct err none;
	int r;

	if (form != TRACE_WRITE_FOLDER || trace_manifest_read(from, &m, &none) < 0)
		return 0;
	r = trace_manifest_write(to, &m, err);
	trace_manifest_release(&m);
	return r;
}

static int copy(const struct args *a, struct trace *t, const char *to, enum trace_write_form form,
                struct err *err)
{
	struct trace_writer *w = trace_writer_open(to, form, trace_ranks(t), err);
	struct str notices;
	struct err late;
	int r = 0;

	if (!w)
		return -1;
	str_init(&notices);
	for (uint32_t rank = 0; rank < trace_ranks(t) && r == 0; rank++)
		r = copy_rank(t, w, rank, err);
	if (trace_writer_close(w, &notices, r < 0 ? &late : err) < 0)
		r = -1;
	if (r == 0)
		r = copy_manifest(a->positional[0], to, form, err);
	print_notice(a, notices.s);
	str_release(&notices);
	return r;
}

static int same_place(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Devices may be written to at any time. */
static int file_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

/* Nothing is overwritten without --force, and never the trace that is read. */
static int output_prepare(const struct args *a, const char *to, enum trace_write_form form,
                          struct err *err)
{
	char *path;

	if (same_place(a->positional[0], to))
		return err_set(err, ERR_INPUT,
		               "convert: %s is the trace that is read: choose another with -o", to);
	if (form != TRACE_WRITE_FOLDER) {
		if (!args_has(a, OPT_FORCE) && file_exists(to))
			return err_set(err, ERR_INPUT, "convert: %s exists. --force overwrites it.",
			               to);
		return 0;
	}
	if (folder_prepare(to, args_has(a, OPT_FORCE), &path, err) < 0)
		return -1;
	free(path);
	return 0;
}

static int convert_run(const struct args *a, struct err *err)
{
	const char *to = args_get(a, OPT_OUTPUT);
	enum trace_write_form form;
	struct trace *t;
	int64_t np = 0;
	int r;

	if (a->n_positional != 1 || !to)
		return err_set(err, ERR_INPUT,
		               "convert: give one trace and -o PATH. See 'orrery help convert'.");
	if (form_find(args_get(a, OPT_FORM), &form, err) < 0 ||
	    args_int(a, &verb_convert, OPT_NP, 1, UINT32_MAX - 1, &np, err) < 0)
		return -1;
	t = trace_open(a->positional[0], (uint32_t)np, err);
	if (!t)
		return -1;
	r = output_prepare(a, to, form, err) < 0 ? -1 : copy(a, t, to, form, err);
	trace_close(t);
	return r;
}

const struct verb verb_convert = {
    .name = "convert",
    .synopsis = "TRACE -o PATH [options]",
    .summary = "writes a trace in another form",
    .text =
        "The form 'simgrid' writes the list file PATH and the folder PATH_files, which smpirun -replay accepts. What that form "
        "cannot\n"
        "hold is refused, or mapped with a notice: see docs/trace-format.md.",
    .options = convert_options,
    .run = convert_run,
};
