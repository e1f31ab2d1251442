/* verb_trace.c: `orrery trace`: runs a real MPI program with the tracer loaded, and makes one
 * folder of what its processes wrote.
 *
 * The command's exit code is kept, whatever becomes of the trace: errors of ours before it starts
 * are exit codes of ours, later ones are messages only. */
#include "trace/trace.h"
#include "trace_collect.h"
#include "trace_command.h"
#include "trace_folder.h"
#include "trace_run.h"
#include "trace_sites.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

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

enum { SETTINGS = 6, SITES_MAX = 16 };

/* What is passed to the ranks. */
struct launch {
	struct command command;
	struct setting settings[SETTINGS];
	int n_settings;
	struct trace_place place;
	const char *dir; /* where the ranks write; NULL: nowhere */
	char *preload;
};

static void setting_add(struct launch *l, const char *name, const char *value)
{
	if (value)
		l->settings[l->n_settings++] = (struct setting){name, value};
}

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

static int launch_init(struct launch *l, const struct args *a, struct err *err)
{
	memset(l, 0, sizeof *l);
	l->place.beside.lock = -1;
	if (options_check(a, err) < 0 ||
	    command_understand(&l->command, a->rest, a->n_rest, err) < 0)
		return -1;
	l->preload = preload_value(l->command.family, err);
	if (!l->preload)
		return -1;
	if (place_prepare(&l->place, args_get(a, OPT_OUTPUT), args_has(a, OPT_FORCE), err) < 0)
		return err->kind == ERR_LIMIT
		           ? 0
		           : -1; /* no folder: the program runs all the same, untraced */
	l->dir = l->place.path;
	setting_add(l, "LD_PRELOAD", l->preload);
	setting_add(l, "ORRERY_TRACE_DIR", l->dir);
	setting_add(l, "ORRERY_COUNTER", args_get(a, OPT_COUNTER));
	setting_add(l, "ORRERY_RATE", args_get(a, OPT_RATE));
	setting_add(l, "ORRERY_BUFFER", args_get(a, OPT_BUFFER));
	setting_add(l, "ORRERY_SITES", args_get(a, OPT_SITES));
	return 0;
}

static void words_free(char **words)
{
	for (char **w = words; w && *w; w++)
		free(*w);
	free(words);
}

static void launch_release(struct launch *l)
{
	place_release(&l->place);
	free(l->preload);
}

/* --- after the run --- */

static void date_format(char *out, size_t n)
{
	time_t now = time(NULL);
	struct tm utc;

	gmtime_r(&now, &utc);
	strftime(out, n, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* The words after the program, or the whole command where the program is not known. */
static void arguments_format(const struct command *c, struct str *out)
{
	for (int i = c->program + 1; i < c->argc; i++)
		str_printf(out, "%s%s", i > c->program + 1 ? " " : "", c->argv[i]);
}

static int is_complete(const struct collection *c)
{
	return c->ranks > 0 && c->ended == c->ranks && !c->stopped;
}

static int manifest_put(const struct launch *l, const struct collection *c, struct err *err)
{
	char date[32], *program = l->command.argv[l->command.program < 0 ? 0 : l->command.program];
	static char version[] = "orrery " ORRERY_VERSION, unknown[] = "?";
	char unit[32];
	struct str arguments, untraced;
	struct trace_manifest m = {.program = program,
	                           .hosts = c->hosts.s,
	                           .date = date,
	                           .tracer = version,
	                           .ranks = c->ranks,
	                           .nominal_rate = c->rate,
	                           .complete = is_complete(c),
	                           .mpi = c->mpi ? c->mpi : unknown,
	                           .processor = c->processor,
	                           .counter = c->counter ? c->counter : unknown};
	int result = -1;

	str_init(&arguments);
	str_init(&untraced);
	date_format(date, sizeof date);
	arguments_format(&l->command, &arguments);
	call_counts_text(&c->untraced, &untraced);
	m.arguments = arguments.s;
	m.untraced = untraced.s;
	snprintf(unit, sizeof unit, "%s", volume_unit_word(trace_manifest_unit(&m)));
	m.unit = unit;
	if (arguments.failed || untraced.failed)
		err_nomem(err, "a manifest", arguments.n + untraced.n);
	else
		result = trace_manifest_write(l->dir, &m, err);
	str_release(&arguments);
	str_release(&untraced);
	return result;
}

static void counts_notice(const struct call_counts *c, const char *before, const char *after,
                          struct str *out)
{
	if (c->n == 0)
		return;
	str_puts(out, before);
	call_counts_text(c, out);
	str_puts(out, after);
}

static void incomplete_notice(const struct collection *c, struct str *out)
{
	if (c->stopped)
		str_puts(out, "the trace is incomplete: a rank could not write\n");
	else if (c->ended < c->ranks)
		str_printf(
		    out,
		    "the trace is incomplete: no end of rank %s (killed, aborted, or no MPI_Finalize)\n",
		    c->missing.s);
}

/* The folder as it will be called. */
static const char *place_name(const struct launch *l)
{
	return l->place.is_beside ? l->place.beside.path : l->dir;
}

static void summary(const struct launch *l, const struct collection *c, struct str *out)
{
	char bytes[32];

	fmt_si(bytes, sizeof bytes, (double)c->bytes, "B");
	str_printf(out, "%s: %u ranks, %llu events, %s, %s, counter %s", place_name(l), c->ranks,
	           (unsigned long long)c->events, bytes, c->mpi ? c->mpi : "?",
	           c->counter ? c->counter : "?");
	if (c->rate > 0)
		str_printf(out, " at %g/s", c->rate);
	str_putc(out, '\n');
	incomplete_notice(c, out);
	counts_notice(&c->untraced, "calls that were not traced: ", "\n", out);
	counts_notice(&c->local, "calls passed over, local to a process: ", "\n", out);
}

static void nothing_notice(const struct launch *l, int code, struct str *out)
{
	if (code != 0)
		str_printf(out,
		           "no rank wrote a trace to %s: the command ended with exit code %d\n",
		           place_name(l), code);
	else
		str_printf(
		    out,
		    "no rank wrote a trace to %s: the program made no MPI_Init of %s, is linked with it statically, or runs "
		    "where this folder "
		    "cannot be seen\n",
		    place_name(l), mpi_family_title(l->command.family));
}

/* Resolves wildcards, and names the call sites of regions by their source lines where these are
 * known here. */
static int folder_complete(const char *dir, uint32_t ranks, struct err *err)
{
	struct trace_sites sites = {0};
	int r = trace_folder_complete(dir, ranks, NULL, NULL, &sites, err),
	    found = r == 0 ? sites_resolve(&sites, err) : 0;

	if (found > 0)
		r = trace_sites_write(dir, &sites, err);
	trace_sites_release(&sites);
	return found < 0 ? -1 : r;
}

/* Makes the folder a trace. What goes wrong here is told, and changes no exit code. */
static void folder_finish(const struct args *a, struct launch *l, int code)
{
	struct collection c;
	struct str text;
	struct err err;

	str_init(&text);
	if (collection_read(&c, l->dir, &err) < 0)
		str_printf(&text, "%s\n", err.text);
	else if (c.ranks == 0)
		nothing_notice(l, code, &text);
	else if (manifest_put(l, &c, &err) < 0 || folder_complete(l->dir, c.ranks, &err) < 0)
		str_printf(&text, "%s\n", err.text);
	else
		summary(l, &c, &text);
	if (place_finish(&l->place, c.found > 0, &err) < 0)
		str_printf(&text, "%s\n", err.text);
	collection_release(&c);
	print_notice(a, text.s);
	str_release(&text);
}

static int trace_run(const struct args *a, struct err *err)
{
	struct launch l;
	char **words = NULL;
	int code = -1;

	if (launch_init(&l, a, err) == 0) {
		if (!l.dir)
			fprintf(stderr, "orrery: %s; the program runs untraced\n", err->text);
		words = command_with(&l.command, l.settings, l.n_settings, err);
	}
	if (words) {
		code = command_run(words, err);
		if (code >= 0 && l.dir)
			folder_finish(a, &l, code);
	}
	words_free(words);
	launch_release(&l);
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
