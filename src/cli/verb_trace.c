/* verb_trace.c: `orrery trace`: runs a real MPI program with the tracer loaded.
 *
 * The command's exit code is kept where it is not 0, whatever becomes of the trace; where it is, a
 * trace that is not all there is an error of ours. */
#include "finishing.h"
#include "launch/traced.h"
#include "verbs.h"

#include "trace/trace.h"

#include <string.h>

enum {
	OPT_OUTPUT = 1,
	OPT_FORM,
	OPT_COUNTER,
	OPT_RATE,
	OPT_BUFFER,
	OPT_MEMORY,
	OPT_TREE,
	OPT_SITES,
	OPT_PROFILE,
	OPT_MPI,
	OPT_FORCE
};

static const struct option_row trace_options[] = {
    {OPT_OUTPUT, 'o', "output", "DIR", "the folder of the trace"},
    {OPT_FORM, 0, "form", "FORM",
     "compressed (default): one file of all ranks; text: one file a rank"},
    {OPT_COUNTER, 0, "counter", "NAME",
     "what computation is measured in: auto (default), perf, papi, cputime, wall, fake "
     "(docs/tracing.md)"},
    {OPT_RATE, 0, "rate", "R",
     "instructions per second of a counter that measures time; default 1e9"},
    {OPT_BUFFER, 0, "buffer", "BYTES",
     "disk reserved for the events of every process at a time, and mapped, once there are "
     "many: at first 16384; default 1048576"},
    {OPT_MEMORY, 0, "memory", "BYTES",
     "what compressing may take in every process; default 16777216"},
    {OPT_TREE, 0, "tree", "K",
     "MPI_Finalize merges the traces of the ranks up a tree, K into one; default 4"},
    {OPT_SITES, 0, "sites", "N",
     "frames of a call site, by which computation is told apart: 0 none, more than 1 where MPI is "
     "called through a library; default 1, with the counter fake 0"},
    {OPT_PROFILE, 0, "profile", NULL,
     "no trace: calls are counted and timed, with the counter, and a page of them is printed at "
     "the end"},
    {OPT_MPI, 0, "mpi", "NAME",
     "of a script under srun or another launcher: the MPI library of its ranks, openmpi or mpich"},
    {OPT_FORCE, 'f', "force", NULL, "overwrites a trace that is in DIR"},
    {0, 0, NULL, NULL, NULL},
};

enum { SITES_MAX = 16, TREE_MAX = 1024 };

static int rate_check(const char *text, struct err *err)
{
	double rate;

	if (!text || (num_parse_double(text, strlen(text), &rate) == 0 && rate > 0))
		return 0;
	return err_set(err, ERR_INPUT,
	               "trace: --rate wants a positive number of instructions per second, not '%s'",
	               text);
}

/* A trace is recorded as it is; what to have it for comes later (orrery convert). */
static int form_check(const char *form, struct err *err)
{
	if (!form || strcmp(form, "compressed") == 0 || strcmp(form, "text") == 0)
		return 0;
	return err_set(err, ERR_INPUT, "trace: --form is compressed or text, not '%s'", form);
}

/* Whether this computer has it the ranks find out. */
static int counter_check(const char *name, struct err *err)
{
	static const char any[] = "auto";
	struct nearest near;
	struct str all;
	const char *known;

	if (!name || strcmp(name, any) == 0)
		return 0;
	nearest_init(&near, name);
	nearest_offer(&near, any);
	str_init(&all);
	for (size_t i = 0; (known = trace_counter(i)) && strcmp(name, known) != 0; i++) {
		nearest_offer(&near, known);
		str_printf(&all, ", %s", known);
	}
	if (!known)
		err_set(err, ERR_INPUT, "trace: there is no counter \"%s\"; there are %s%s%s%s%s",
		        name, any, all.s, near.best ? ": did you mean " : "",
		        near.best ? near.best : "", near.best ? "?" : "");
	str_release(&all);
	return known ? 0 : -1;
}

static int options_check(const struct args *a, struct err *err)
{
	int64_t buffer = 0, sites = 0, memory = 0, tree = 0;

	if (a->n_positional > 0)
		return err_set(err, ERR_INPUT,
		               "trace: '--' is missing before the command: orrery trace -o DIR -- "
		               "%s …",
		               a->positional[0]);
	if (a->n_rest == 0 || !args_get(a, OPT_OUTPUT))
		return err_set(
		    err, ERR_INPUT,
		    "trace: give -o DIR, then -- and the command. See 'orrery help trace'.");
	if (args_int(a, &verb_trace, OPT_BUFFER, 1, INT32_MAX, &buffer, err) < 0 ||
	    args_int(a, &verb_trace, OPT_MEMORY, 1 << 16, INT32_MAX, &memory, err) < 0 ||
	    args_int(a, &verb_trace, OPT_TREE, 2, TREE_MAX, &tree, err) < 0 ||
	    args_int(a, &verb_trace, OPT_SITES, 0, SITES_MAX, &sites, err) < 0 ||
	    form_check(args_get(a, OPT_FORM), err) < 0 ||
	    counter_check(args_get(a, OPT_COUNTER), err) < 0)
		return -1;
	return rate_check(args_get(a, OPT_RATE), err);
}

static int mpi_take(const char *name, enum mpi_family *out, struct err *err)
{
	*out = !name                          ? MPI_UNKNOWN
	       : strcmp(name, "openmpi") == 0 ? MPI_OPENMPI
	       : strcmp(name, "mpich") == 0   ? MPI_MPICH
	                                      : MPI_UNKNOWN;
	if (name && *out == MPI_UNKNOWN)
		return err_set(err, ERR_INPUT, "trace: --mpi is openmpi or mpich, not '%s'", name);
	return 0;
}

static void command_ended(void *self, const char *folder)
{
	finishing_begin(self, folder);
}

static int trace_run(const struct args *a, struct err *err)
{
	const struct setting settings[] = {{"ORRERY_COUNTER", args_get(a, OPT_COUNTER)},
	                                   {"ORRERY_RATE", args_get(a, OPT_RATE)},
	                                   {"ORRERY_FORM", args_get(a, OPT_FORM)},
	                                   {"ORRERY_BUFFER", args_get(a, OPT_BUFFER)},
	                                   {"ORRERY_MEMORY", args_get(a, OPT_MEMORY)},
	                                   {"ORRERY_TREE", args_get(a, OPT_TREE)},
	                                   {"ORRERY_SITES", args_get(a, OPT_SITES)}};
	struct finishing finishing = {.folder = NULL};
	struct traced_options o = {.words = (const char *const *)a->rest,
	                           .n_words = a->n_rest,
	                           .folder = args_get(a, OPT_OUTPUT),
	                           .overwrite = args_has(a, OPT_FORCE),
	                           .profile = args_has(a, OPT_PROFILE),
	                           .ended = args_has(a, OPT_PROFILE) ? NULL : command_ended,
	                           .self = &finishing,
	                           .settings = settings,
	                           .n_settings = sizeof settings / sizeof *settings};
	struct str notices;
	struct traced t;
	int code = -1;

	if (options_check(a, err) < 0 || mpi_take(args_get(a, OPT_MPI), &o.mpi, err) < 0)
		return -1;
	str_init(&notices);
	if (traced_prepare(&t, &o, err) == 0) {
		if (t.untraced.kind)
			fprintf(stderr, "orrery: %s; the program runs untraced\n", t.untraced.text);
		code = traced_run(&t, &notices, err);
		finishing_end(&finishing);
		if (t.nothing)
			print_findings(&notices);
		else
			print_notices(a, &notices);
	}
	traced_release(&t);
	str_release(&notices);
	return code;
}

static const int outputs[] = {OPT_OUTPUT, 0};

const struct verb verb_trace = {
    .name = "trace",
    .synopsis = "-o DIR [options] -- COMMAND",
    .summary = "runs a real MPI program and records what it does",
    .text = "COMMAND is what you would type to run the program: mpirun of Open MPI or MPICH "
            "with its options, or another launcher, a script, or the program alone. The program "
            "needs no preparation; it may be in C, C++, Fortran or Python. The exit code is the "
            "command's, but 2 or 3 where that is 0 and the trace cannot be written: as DIR cannot, "
            "or for want of room. What is recorded: docs/tracing.md.",
    .options = trace_options,
    .outputs = outputs,
    .run = trace_run,
    .command = 1,
};
