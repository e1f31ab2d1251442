/* verb_diff.c: `orrery diff`: a simulated run beside a real one or another simulated one; two
 * traces.
 */
#include "calibrate/calibrate.h"
#include "verbs.h"

enum { OPT_JSON = 1, OPT_OUTLIER };

static const struct option_row diff_options[] = {
    {OPT_JSON, 0, "json", NULL, "print one JSON object"},
    {OPT_OUTLIER, 0, "outlier", "SECONDS",
     "a call is strange when it took that much longer than simulated and than is usual for such "
     "calls; default: 50ms"},
    {0, 0, NULL, NULL, NULL},
};

static int compared_print(const struct args *a, struct recording *run, struct trace *real,
                          struct err *err)
{
	const char *text = args_get(a, OPT_OUTLIER);
	double threshold = 0;
	struct compare c;
	struct str out;
	struct err why;
	int r;

	if (text && (units_parse(text, UNIT_TIME, &threshold, &why) < 0 || threshold <= 0))
		return err_set(err, ERR_INPUT, "diff: --outlier takes a positive time, not '%s'",
		               text);
	print_notice(a, recording_notice(run));
	if (compare_make(run, real, threshold, &c, err) < 0)
		return -1;
	str_init(&out);
	if (args_has(a, OPT_JSON))
		compare_json(&c, &out);
	else
		compare_text(&c, &out);
	compare_release(&c);
	r = print_stdout(&out, err);
	str_release(&out);
	return r;
}

/* Two traces: 1 if they differ. */
static int traces_print(struct trace *one, struct trace *other, struct err *err)
{
	struct str out;
	int r, differ;

	str_init(&out);
	differ = trace_diff(one, other, &out, err);
	r = differ < 0 ? -1 : print_stdout(&out, err);
	str_release(&out);
	return r < 0 ? -1 : differ;
}

static int diff_traces(const struct args *a, struct trace *one, struct err *err)
{
	struct recording *run = NULL;
	struct trace *other = NULL;
	struct err none;
	int r = -1;

	if (a->n_given > 0)
		err_set(err, ERR_INPUT,
		        "diff: %s is a trace, and two traces are told apart by their structure: "
		        "--json and --outlier are for a recording beside a real run",
		        a->positional[0]);
	else if ((run = recording_open(a->positional[1], &none)) != NULL)
		err_set(err, ERR_INPUT,
		        "diff: %s is a recording, and goes before the trace of the real run: "
		        "orrery diff %s %s",
		        a->positional[1], a->positional[1], a->positional[0]);
	else if ((other = trace_open(a->positional[1], 0, err)) != NULL)
		r = traces_print(one, other, err);

	recording_close(run);
	trace_close(other);
	trace_close(one);
	return r;
}

/* Two recordings. */
static int runs_print(const struct args *a, struct recording *first, struct recording *second,
                      struct err *err)
{
	struct compare c;
	struct str out;
	int r;

	if (args_has(a, OPT_OUTLIER))
		return err_set(err, ERR_INPUT,
		               "diff: --outlier is for a recording beside a real run, and %s is a "
		               "recording, too",
		               a->positional[1]);
	print_notice(a, recording_notice(first));
	print_notice(a, recording_notice(second));
	if (compare_runs(first, second, &c, err) < 0)
		return -1;
	str_init(&out);
	(args_has(a, OPT_JSON) ? compare_runs_json : compare_runs_text)(&c, first, second, &out);
	compare_release(&c);
	r = print_stdout(&out, err);
	str_release(&out);
	return r;
}

static int diff_run(const struct args *a, struct err *err)
{
	struct trace *one;
	struct err none;
	struct recording *run, *other;
	struct trace *real;
	int r = -1;

	if (a->n_positional != 2)
		return err_set(
		    err, ERR_INPUT,
		    "diff: a recording ('orrery replay -o') and a trace of the real run, or "
		    "two recordings, or two traces, are wanted, %d given",
		    a->n_positional);
	run = recording_open(a->positional[0], err);
	if (!run && err->kind != ERR_LIMIT) {
		one = trace_open(a->positional[0], 0, &none);
		if (!one && none.kind == ERR_LIMIT) /* what it is was not found out */
			*err = none;
		return one ? diff_traces(a, one, err) : -1;
	}
	if (!run)
		return -1;
	other = recording_open(a->positional[1], &none);
	if (!other && none.kind == ERR_LIMIT) {
		*err = none;
		recording_close(run);
		return -1;
	}
	real = other ? NULL : trace_open(a->positional[1], 0, err);
	if (real)
		r = compared_print(a, run, real, err);
	else if (other)
		r = runs_print(a, run, other, err);
	trace_close(real);
	recording_close(other);
	recording_close(run);
	return r;
}

const struct verb verb_diff = {
    .name = "diff",
    .synopsis = "RUN REAL [options]   or   RUN RUN [--json]   or   TRACE TRACE",
    .summary = "compares a simulated run with a real one, or another: what differs",
    .text = "RUN is a recording of the simulated run ('orrery replay TRACE -p MACHINE -o "
            "RUN'), REAL a trace of the real one with its durations ('orrery trace'). To tell "
            "an error of the network's model from one of the computation's, replay REAL itself "
            "with '--computation recorded': what differs then is communication. Outliers, "
            "calls that took much longer than simulated, are grouped into events, and named "
            "where they are as long as TCP's time-outs; of the rank that ends last, the part "
            "of the difference that they explain is printed.\n"
            "\n"
            "Two recordings of one program: what was run otherwise (machine, model, settings), "
            "the times of both by function, phase and rank, and the calls that differ most. "
            "Differences are what the second takes more.\n"
            "\n"
            "Two traces: whether they have the same structure (the same calls, rank by rank, "
            "whatever they cost), and where they first differ. The exit code is 1 if they do.",
    .options = diff_options,
    .run = diff_run,
};
