/* verb_export.c: `orrery export`: pictures, tables and other tools' formats of a recorded run. */
#include "observe/observe.h"
#include "outputs.h"
#include "verbs.h"

#include <errno.h>

#include <stdlib.h>
#include <string.h>

enum { OPT_FORMAT = 1, OPT_OUTPUT, OPT_RANKS, OPT_DATES, OPT_LIMIT };

static const struct option_row export_options_table[] = {
    {OPT_FORMAT, 'f', "format", "FORMAT",
     "one of those above; default: from the ending of the output, else html"},
    {OPT_OUTPUT, 'o', "output", "FILE",
     "the file to write ('-': standard output); default: the recording's name with the format's "
     "ending"},
    {OPT_RANKS, 0, "ranks", "A[-B]", "only these ranks, and the messages between them"},
    {OPT_DATES, 0, "dates", "FROM-TO", "only what overlaps these simulated dates, in seconds"},
    {OPT_LIMIT, 0, "limit", "N",
     "html: above N calls or messages the page shows densities instead of each; default: 8000000"},
    {0, 0, NULL, NULL, NULL},
};

static const struct exporter *exporter_for(const char *format, const char *output, struct err *err)
{
	const struct exporter *e = format ? exporter_find(format) : NULL;

	if (e)
		return e;
	if (format) {
		struct str names;

		str_init(&names);
		for (int i = 0; exporters[i]; i++)
			str_printf(&names, "%s%s", i ? ", " : "", exporters[i]->name);
		err_set(err, ERR_INPUT, "export: there is no format '%s'; there are: %s", format,
		        names.s ? names.s : "");
		str_release(&names);
		return NULL;
	}
	e = output ? exporter_of_file(output) : NULL;
	return e ? e : exporter_find("html");
}

/* An output whose ending is none of ours becomes a page; who wrote run.svg hears so. */
static void ending_tell(const struct args *a, const char *output)
{
	const char *base = output ? strrchr(output, '/') : NULL, *dot;
	struct str said;

	dot = output ? strrchr(base ? base : output, '.') : NULL;
	if (!dot || args_get(a, OPT_FORMAT) || exporter_of_file(output))
		return;
	str_init(&said);
	str_printf(&said,
	           "%s is an html page, as no format's files end in '%s' (other formats: -f)",
	           output, dot);
	print_notices(a, &said);
	str_release(&said);
}

/* FROM-TO, with the '-' that has a date on either side: 1e-3-2e-3. */
static const char *dates_dash(const char *text, struct export_options *o)
{
	const char *dash = strchr(text, '-');

	while (dash && (num_parse_double(text, (size_t)(dash - text), &o->from) < 0 ||
	                num_parse_double(dash + 1, strlen(dash + 1), &o->to) < 0))
		dash = strchr(dash + 1, '-');
	return dash;
}

static int dates_take(const char *text, struct export_options *o, struct err *err)
{
	if (!text)
		return 0;
	if (!dates_dash(text, o) || o->from < 0 || o->to < o->from)
		return err_set(err, ERR_INPUT, "export: --dates wants FROM-TO in seconds, not '%s'",
		               text);
	return 0;
}

static int ranks_take(const char *text, uint32_t ranks, struct export_options *o, struct err *err)
{
	const char *dash = text ? strchr(text, '-') : NULL, *to;
	int64_t first, last;

	if (!text)
		return 0;
	to = dash ? dash + 1 : text; /* one rank is from it to it */
	if (num_parse_i64(text, dash ? (size_t)(dash - text) : strlen(text), &first) < 0 ||
	    num_parse_i64(to, strlen(to), &last) < 0 || first < 0 || last < first)
		return err_set(err, ERR_INPUT, "export: --ranks wants FIRST-LAST, not '%s'", text);
	if (last >= ranks)
		return err_set(err, ERR_INPUT, "export: --ranks %s: the run has ranks 0 to %u",
		               text, ranks - 1);
	o->first_rank = (uint32_t)first;
	o->ranks = (uint32_t)(last - first) + 1;
	return 0;
}

/* An empty picture would be the answer otherwise. */
static int dates_check(const struct export_options *o, const struct recording *r, struct err *err)
{
	struct recording_totals t;

	recording_totals(r, &t);
	if (o->from > t.makespan)
		return err_set(err, ERR_INPUT, "export: --dates from %g s: the run ends at %g s",
		               o->from, t.makespan);
	return 0;
}

static int window(const struct args *a, const struct exporter *e, struct export_options *o,
                  struct err *err)
{
	int64_t limit = 0;

	if (args_int(a, &verb_export, OPT_LIMIT, 1, INT64_MAX, &limit, err) < 0)
		return -1;
	if (limit && strcmp(e->name, "html") != 0)
		return err_set(err, ERR_INPUT, "export: --limit is for html, not for %s", e->name);
	o->limit = (uint64_t)limit;
	return dates_take(args_get(a, OPT_DATES), o, err);
}

/* The first line of what the run failed of. */
static void failure_tell(const struct args *a, const char *failure)
{
	struct str said;

	if (!*failure)
		return;
	str_init(&said);
	str_printf(&said, "the program of this run did not run to its end: %.*s",
	           (int)strcspn(failure, "\n"), failure);
	print_notice(a, said.failed ? failure : said.s);
	str_release(&said);
}

static int export_to(const struct args *a, const struct exporter *e, const char *output,
                     struct err *err)
{
	struct progress_bar bar;
	struct str notices;
	struct export_options o = {.progress = &bar.p, .notices = &notices};
	struct recording *r;
	int result;

	if (window(a, e, &o, err) < 0)
		return -1;
	r = recording_open(a->positional[0], err);
	if (!r)
		return -1;
	if (ranks_take(args_get(a, OPT_RANKS), recording_info(r)->ranks, &o, err) < 0 ||
	    dates_check(&o, r, err) < 0) {
		recording_close(r);
		return -1;
	}
	str_init(&notices);
	progress_bar_init(&bar, a);
	print_notice(a, recording_notice(r));
	failure_tell(a, recording_info(r)->failure);
	result = e->export(r, output, &o, err);
	progress_bar_done(&bar);
	print_notices(a, &notices);
	str_release(&notices);
	recording_close(r);
	return result;
}

/* 'export html RECORDING': the format is an option. */
static int recording_wanted(const struct args *a, struct err *err)
{
	int r = err_set(err, ERR_INPUT,
	                "export: one recording is wanted (made by 'orrery replay --record FILE'), "
	                "%d given",
	                a->n_positional);

	for (int i = 0; i < a->n_positional; i++)
		if (exporter_find(a->positional[i])) {
			err_append(err, "; the format goes behind -f: -f %s", a->positional[i]);
			break;
		}
	return r;
}

static int export_run(const struct args *a, struct err *err)
{
	const char *output = args_get(a, OPT_OUTPUT);
	const struct exporter *e;
	struct str name;
	int r;

	if (a->n_positional != 1)
		return recording_wanted(a, err);
	e = exporter_for(args_get(a, OPT_FORMAT), output, err);
	if (!e)
		return -1;
	str_init(&name);
	str_printf(&name, "%s%s", a->positional[0], e->suffix);
	if (name.failed)
		r = err_nomem(err, "a file name", name.n);
	else if (!output && output_check(&verb_export, a, name.s, err) < 0)
		r = -1;
	else
		r = export_to(a, e, output ? output : name.s, err);
	if (r >= 0)
		ending_tell(a, output);
	if (r < 0 && !output && (err->number == EACCES || err->number == EROFS))
		err_append(err, ". -o FILE writes it elsewhere");
	str_release(&name);
	return r;
}

static const int outputs[] = {OPT_OUTPUT, 0};

const struct verb verb_export = {
    .name = "export",
    .synopsis = "RECORDING [-f FORMAT] [-o FILE] [options]",
    .summary = "makes pictures, tables and other tools' formats from a recorded run",
    .text =
        "formats:\n"
        "  html         a page with the timeline and the profile, in one file, without network\n"
        "  paje         for ViTE, pj_dump, R\n"
        "  csv          states, one a line\n"
        "  messages     messages, one a line (CSV)\n"
        "  json         trace events, for Perfetto and chrome://tracing",
    .options = export_options_table,
    .outputs = outputs,
    .run = export_run,
};
