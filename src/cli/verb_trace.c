/* verb_trace.c: `orrery trace`: runs a real MPI program with the tracer loaded.
 *
 * The command's exit code is kept, whatever becomes of the trace: errors of ours before it starts
 * are exit codes of ours, later ones are messages only. */
#include "launch/traced.h"
#include "verbs.h"

#include <string.h>

enum { OPT_OUTPUT = 1, OPT_COUNTER, OPT_RATE, OPT_BUFFER, OPT_SITES, OPT_FORCE };

static const struct option_row trace_options[] = {
    {OPT_OUTPUT, 'o', "output", "DIR", "the folder of the trace"},
    {OPT_COUNTER, 0, "counter", "NAME",
     "what computation is measured in: auto (default), perf, papi, cputime, wall, fake (docs/tracing.md)"},
    {OPT_RATE, 0, "rate", "R",
     "instructions per second of a counter that measures time; default 1e9"},
    {OPT_BUFFER, 0, "buffer", "BYTES",
     "memory for events in every process, written to disk when full; default 1048576"},
    {OPT_SITES, 0, "sites", "N",
     "frames of a call site, by which computation is told apart: 0 none, more than 1 where MPI is called through a library; "
     "default 1"},
    {OPT_FORCE, 'f', "force", NULL, "overwrites a trace that is in DIR"},
    {0, 0, NULL, NULL, NULL},
};

enum { SITES_MAX = 16 };

static int rate_check(const char *text, struct err *err)
{
	double rate;

	if (!text || (num_parse_double(text, strlen(text), &rate) == 0 && rate > 0))
		return 0;
	return err_set(err, ERR_INPUT,
	               "trace: --rate wants a positive number of instructions per second, not '%s'",
	               text);
}

static int options_check(const struct args *a, struct err *err)
{
	int64_t buffer = 0, sites = 0;

	if (a->n_rest == 0 || a->n_positional > 0 || !args_get(a, OPT_OUTPUT))
		return err_set(
		    err, ERR_INPUT,
		    "trace: give -o DIR, then -- and the command. See 'orrery help trace'.");
	if (args_int(a, &verb_trace, OPT_BUFFER, 1, INT32_MAX, &buffer, err) < 0 ||
	    args_int(a, &verb_trace, OPT_SITES, 0, SITES_MAX, &sites, err) < 0)
		return -1;
	return rate_check(args_get(a, OPT_RATE), err);
}

static int trace_run(const struct args *a, struct err *err)
{
	const struct setting settings[] = {{"ORRERY_COUNTER", args_get(a, OPT_COUNTER)},
	                                   {"ORRERY_RATE", args_get(a, OPT_RATE)},
	                                   {"ORRERY_BUFFER", args_get(a, OPT_BUFFER)},
	                                   {"ORRERY_SITES", args_get(a, OPT_SITES)}};
	struct traced_options o = {.words = (const char *const *)a->rest,
	                           .n_words = a->n_rest,
	                           .folder = args_get(a, OPT_OUTPUT),
	                           .overwrite = args_has(a, OPT_FORCE),
	                           .settings = settings,
	                           .n_settings = sizeof settings / sizeof *settings};
	struct str notices;
	struct traced t;
	int code = -1;

	if (options_check(a, err) < 0)
		return -1;
	str_init(&notices);
	if (traced_prepare(&t, &o, err) == 0) {
		if (t.untraced.kind)
			fprintf(stderr, "orrery: %s; the program runs untraced\n", t.untraced.text);
		code = traced_run(&t, &notices, err);
		print_notice(a, notices.s);
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
    .text =
        "COMMAND is what you would type to run the program: mpirun of Open MPI or MPICH with its options, or another launcher, or\n"
        "the program alone. The program needs no preparation; C and Fortran are traced. The exit code is the command's.",
    .options = trace_options,
    .outputs = outputs,
    .run = trace_run,
};
