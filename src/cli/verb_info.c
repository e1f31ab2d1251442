/* verb_info.c: `orrery info`: what is in a trace. */
#include "info_summary.h"
#include "verbs.h"

enum { OPT_JSON = 1, OPT_NP, OPT_STRUCTURE, OPT_MATRIX, OPT_HANDLERS };
enum { REGIONS_SHOWN = 20 };

static const struct option_row info_options[] = {
    {OPT_JSON, 0, "json", NULL, "print one JSON object"},
    {OPT_NP, 'n', "np", "N",
     "how many ranks the trace must have, as a check: its number cannot be changed"},
    {OPT_STRUCTURE, 0, "structure", NULL,
     "the structure of a compressed trace: classes of ranks, loops, calls, costs"},
    {OPT_MATRIX, 0, "matrix", NULL,
     "who sends how much to whom, as CSV: from,to,messages,bytes of point-to-point messages and "
     "puts"},
    {OPT_HANDLERS, 0, "handlers", "FILE[:ARGUMENTS]",
     "hands every call of the structure to a shared object of your own (orrery/analysis.h); an "
     "absolute path"},
    {0, 0, NULL, NULL, NULL},
};

struct info {
	struct trace *trace;
	const char *path;
	struct trace_manifest manifest;
	int has_manifest;
	struct trace_summary summary;
};

static void op_title(char *buf, size_t n, int op, int nonblocking)
{
	snprintf(buf, n, "%s%s", nonblocking ? "i" : "", trace_op_name((enum trace_op)op));
}

static const char *unit_title(const struct trace_manifest *m)
{
	const char *word = volume_unit_word(trace_manifest_unit(m));

	return *word ? word : "?";
}

/* Volumes that were made of seconds are so many times as large. */
static void text_counter(const struct trace_manifest *m, struct str *out)
{
	str_printf(out, "counter    %s (volumes in %s", m->counter ? m->counter : "?",
	           unit_title(m));
	if (trace_manifest_unit(m) == VOLUME_SECONDS && m->nominal_rate > 0)
		str_printf(out, " times %g", m->nominal_rate);
	str_puts(out, ")\n");
}

/* Of a rank with several threads a trace has less than was computed. */
static void text_threads(const struct trace_manifest *m, struct str *out)
{
	if (m->threads > 0)
		str_printf(
		    out,
		    "threads    %.3g s computed by threads that called no MPI: a computation "
		    "is that of the busiest thread of its rank\n",
		    m->threads);
	if (m->beside > 0)
		str_printf(
		    out,
		    "beside     %.3g s computed by threads that called no MPI, which is not in "
		    "the trace\n",
		    m->beside);
}

static void text_manifest(const struct trace_manifest *m, struct str *out)
{
	int bare = !m->arguments || !*m->arguments;

	str_printf(out, "program    %s%s%s\nMPI        %s\n", m->program ? m->program : "?",
	           bare ? "" : " ", bare ? "" : m->arguments, m->mpi ? m->mpi : "?");
	text_counter(m, out);
	str_printf(out, "processor  %s\ndate       %s\ncomplete   %s\n",
	           m->processor && *m->processor ? m->processor : "?", m->date ? m->date : "?",
	           m->complete ? "yes" : "no: the program ended before MPI_Finalize");
	if (m->untraced && m->untraced[0])
		str_printf(out, "not traced %s\n", m->untraced);
	text_threads(m, out);
}

static void text_info(const struct info *in, struct str *out)
{
	const struct trace_summary *sum = &in->summary;
	struct trace_spread volume = trace_summary_spread(sum, TRACE_COMPUTATION_VOLUME);
	char title[64], bytes[32];

	str_printf(out, "trace      %s\nformat     %s\nranks      %u\n", in->path,
	           trace_format_name(in->trace), trace_ranks(in->trace));
	if (in->has_manifest)
		text_manifest(&in->manifest, out);
	str_printf(out, "actions    %llu\nvolume     %.6g in all, %.6g to %.6g a rank\n\n",
	           (unsigned long long)sum->all.events, sum->op[TRACE_COMPUTE][0].volume,
	           volume.least, volume.most);
	str_printf(out, "%-22s %14s %14s %16s %14s\n", "action", "events", "sent", "volume",
	           "measured s");
	for (int op = 0; op < TRACE_OPS; op++) {
		for (int nb = 0; nb < 2; nb++) {
			const struct trace_of_op *s = &sum->op[op][nb];

			if (!s->events)
				continue;
			op_title(title, sizeof title, op, nb);
			fmt_si(bytes, sizeof bytes, s->bytes, "B");
			str_printf(out, "%-22s %14llu %14s %16.6g %14.6g\n", title,
			           (unsigned long long)s->events, bytes, s->volume, s->seconds);
		}
	}
}

static void text_regions(const struct trace_summary *sum, struct str *out)
{
	uint32_t n = sum->regions.n;

	if (n == 0)
		return;
	str_printf(out, "\n%-44s %12s %16s %14s %14s\n", "computation from call to call", "times",
	           "volume", "measured s", "volume/s");
	for (uint32_t i = 0; i < n && i < REGIONS_SHOWN; i++) {
		const struct trace_of_region *s = &sum->region[i];

		str_printf(out, "%-44s %12llu %16.6g %14.6g", sum->regions.name[s->id],
		           (unsigned long long)s->times, s->volume, s->seconds);
		if (s->seconds > 0)
			str_printf(out, " %14.6g", s->volume / s->seconds);
		str_putc(out, '\n');
	}
	if (n > REGIONS_SHOWN)
		str_printf(out, "and %u more: --json\n", n - REGIONS_SHOWN);
}

static void json_regions(const struct trace_summary *sum, struct json *j)
{
	json_key(j, "regions");
	json_array(j);
	for (uint32_t i = 0; i < sum->regions.n; i++) {
		json_object(j);
		json_put_string(j, "name", sum->regions.name[sum->region[i].id]);
		json_put_int(j, "times", (int64_t)sum->region[i].times);
		json_put_double(j, "volume", sum->region[i].volume);
		json_put_double(j, "seconds", sum->region[i].seconds);
		json_end(j);
	}
	json_end(j);
}

static void json_manifest(const struct trace_manifest *m, struct json *j)
{
	json_put_string(j, "program", m->program);
	json_put_string(j, "arguments", m->arguments);
	json_put_string(j, "hosts", m->hosts);
	json_put_string(j, "mpi", m->mpi);
	json_put_string(j, "counter", m->counter);
	json_put_string(j, "unit", volume_unit_word(trace_manifest_unit(m)));
	json_put_string(j, "processor", m->processor);
	json_put_string(j, "date", m->date);
	json_put_string(j, "tracer", m->tracer);
	json_put_string(j, "untraced", m->untraced);
	json_put_double(j, "nominal_rate", m->nominal_rate);
	json_put_double(j, "threads_seconds", m->threads);
	json_put_double(j, "beside_seconds", m->beside);
	json_key(j, "complete");
	json_bool(j, m->complete);
}

static void json_info(const struct info *in, struct str *out)
{
	const struct trace_summary *sum = &in->summary;
	struct json j;
	char title[64];

	json_init(&j, out);
	json_object(&j);
	json_put_string(&j, "trace", in->path);
	json_put_string(&j, "format", trace_format_name(in->trace));
	json_put_int(&j, "ranks", trace_ranks(in->trace));
	json_put_int(&j, "actions", (int64_t)sum->all.events);
	json_put_double(&j, "bytes_sent", sum->all.bytes);
	json_put_double(&j, "volume", sum->op[TRACE_COMPUTE][0].volume);
	if (in->has_manifest)
		json_manifest(&in->manifest, &j);
	json_key(&j, "by_action");
	json_object(&j);
	for (int i = 0; i < 2 * TRACE_OPS; i++) {
		const struct trace_of_op *s = &sum->op[i / 2][i % 2];

		if (!s->events)
			continue;
		op_title(title, sizeof title, i / 2, i % 2);
		json_key(&j, title);
		json_object(&j);
		json_put_int(&j, "events", (int64_t)s->events);
		json_put_double(&j, "bytes_sent", s->bytes);
		json_put_double(&j, "volume", s->volume);
		json_put_double(&j, "seconds", s->seconds);
		json_end(&j);
	}
	json_end(&j);
	json_regions(sum, &j);
	info_summary_json(sum, &j);
	json_end(&j);
	str_putc(out, '\n');
}

static int info_print(const struct args *a, const struct info *in, struct err *err)
{
	struct str out;
	int r;

	str_init(&out);
	if (args_has(a, OPT_MATRIX)) {
		info_matrix(&in->summary, &out);
	} else if (args_has(a, OPT_JSON)) {
		json_info(in, &out);
	} else {
		text_info(in, &out);
		info_summary_text(&in->summary, &out);
		text_regions(&in->summary, &out);
	}
	r = print_stdout(&out, err);
	str_release(&out);
	return r;
}

static int structure_print(const struct trace *t, struct err *err)
{
	struct str out;
	int r;

	str_init(&out);
	r = trace_outline(t, &out, err);
	if (r == 0)
		r = print_stdout(&out, err);
	str_release(&out);
	return r;
}

static int handlers_print(struct trace *t, const char *file, struct err *err)
{
	struct str out;
	int r;

	str_init(&out);
	r = trace_handlers_run(t, file, &out, err);
	if (r == 0)
		r = print_stdout(&out, err);
	str_release(&out);
	return r;
}

static int info_run(const struct args *a, struct err *err)
{
	struct info in = {0};
	int64_t np = 0;
	int r = 0;

	if (a->n_positional != 1)
		return err_set(err, ERR_INPUT,
		               "info: one trace is wanted, %d given. See 'orrery help info'.",
		               a->n_positional);
	if (args_int(a, &verb_info, OPT_NP, 1, INT32_MAX, &np, err) < 0)
		return -1;
	in.path = a->positional[0];
	in.trace = trace_open(in.path, (uint32_t)np, err);
	if (!in.trace)
		return -1;
	if (args_has(a, OPT_STRUCTURE) || args_has(a, OPT_HANDLERS)) {
		r = args_has(a, OPT_STRUCTURE)
		        ? structure_print(in.trace, err)
		        : handlers_print(in.trace, args_get(a, OPT_HANDLERS), err);
		trace_close(in.trace);
		return r;
	}
	r = trace_manifest_get(in.trace, &in.manifest, err);
	in.has_manifest = r > 0;
	print_notice(a, trace_notices(in.trace));
	r = r < 0 ? -1 : trace_summary_read(&in.summary, in.trace, err);
	if (trace_partial(in.trace) > 0) /* as reading it has shown */
		in.manifest.complete = 0;
	if (r == 0)
		r = info_print(a, &in, err);
	trace_summary_release(&in.summary);
	trace_manifest_release(&in.manifest);
	trace_close(in.trace);
	return r;
}

static const struct option_rule rules[] = {
    {OPT_MATRIX, {0}, {OPT_JSON, OPT_STRUCTURE, OPT_HANDLERS}},
    {OPT_STRUCTURE, {0}, {OPT_JSON, OPT_HANDLERS}},
    {OPT_HANDLERS, {0}, {OPT_JSON}},
    {0, {0}, {0}},
};

const struct verb verb_info = {
    .name = "info",
    .synopsis = "TRACE [options]",
    .summary = "says what is in a trace: ranks, actions, bytes, volumes, where it comes from",
    .text = "Of a compressed trace everything is computed from the structure, without "
            "unfolding it. Where sizes or loop counts are histograms, their means are used.",
    .options = info_options,
    .rules = rules,
    .run = info_run,
};
