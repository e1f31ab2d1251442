/* export_html.c: a recording as one HTML page that needs nothing else: no network, no other file.
 * The page itself is viewer/; here its data are put in.
 *
 * Marks in viewer/page.html, each alone in its line, are replaced: @STYLE@, @SCRIPT@ by the files,
 * @TITLE@ by the program's name, @DATA@ by the description of the run and the packed data. */
#include "html_int.h"

#include "base/markup.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { HOSTS_MAX = 16384 }; /* names of hosts in the page: for tooltips, not for a million */

struct page {
	struct cursor cursor;
	struct html_scope scope;
	uint64_t states, messages; /* in the window */
	uint64_t limit;
	struct profile *profile;
};

static int count(struct page *p, struct recording *r, const struct export_options *o,
                 struct err *err)
{
	struct record rec;
	int got;

	cursor_init(&p->cursor, r, o);
	while ((got = cursor_next(&p->cursor, &rec, err)) > 0) {
		p->states += rec.kind == REC_STATE;
		p->messages += rec.kind == REC_MESSAGE;
	}
	cursor_init(&p->cursor, r, o);
	return got;
}

/* Nanoseconds, unless the run is so short that they would show, or so long that 53 bits would not
 * do. */
static double tick_for(double makespan)
{
	int digits = makespan > 1e-290 ? (int)floor(log10(makespan)) : 0;

	return pow(10, digits < -3 ? digits - 6 : digits > 6 ? digits - 15 : -9);
}

static void scope_init(struct page *p)
{
	const struct export_options *o = &p->cursor.o;
	double end = p->cursor.totals.makespan;

	p->scope = (struct html_scope){.first_rank = o->first_rank,
	                               .ranks = o->ranks,
	                               .from = o->from,
	                               .to = o->to,
	                               .tick = tick_for(end)};
	if (p->scope.to > end)
		p->scope.to = end;
	if (!(p->scope.from >= 0) || p->scope.from > p->scope.to)
		p->scope.from = 0;
}

static void json_run(const struct page *p, struct json *j)
{
	const struct run_info *info = recording_info(p->cursor.r);
	struct html_grid grid = html_grid_of(&p->scope);

	json_put_string(j, "program", info->program);
	json_put_string(j, "machine", info->machine);
	json_put_string(j, "what_if", info->what_if);
	json_put_string(j, "model", info->model);
	json_put_string(j, "settings", info->settings);
	json_put_string(j, "trace", info->trace);
	json_put_string(j, "date", info->date);
	json_put_string(j, "trust", info->trust);
	json_put_string(j, "critical_path", info->path);
	json_put_string(j, "failure", info->failure);
	json_put_string(j, "notice", recording_notice(p->cursor.r));
	json_put_string(j, "version", ORRERY_VERSION);
	json_put_double(j, "makespan", p->cursor.totals.makespan);
	json_put_int(j, "all_ranks", info->ranks);
	json_put_int(j, "first_rank", p->scope.first_rank);
	json_put_int(j, "ranks", p->scope.ranks);
	json_put_double(j, "from", p->scope.from);
	json_put_double(j, "to", p->scope.to);
	json_put_double(j, "tick", p->scope.tick);
	json_put_int(j, "states", (int64_t)p->states);
	json_put_int(j, "messages", (int64_t)p->messages);
	json_put_int(j, "rows", p->states > p->limit ? grid.rows : p->scope.ranks);
	json_put_int(j, "columns", p->states > p->limit ? grid.columns : 0);
	json_put_int(j, "with_messages", p->states <= p->limit && p->messages <= p->limit);
}

static void json_words(const struct page *p, struct json *j)
{
	uint32_t r;
	int c;

	json_key(j, "classes");
	json_array(j);
	for (c = 0; c < TIME_CLASSES; c++) {
		json_object(j);
		json_put_string(j, "key", time_class_key((enum time_class)c));
		json_put_string(j, "name", time_class_name((enum time_class)c));
		json_end(j);
	}
	json_end(j);
	json_key(j, "calls");
	json_array(j);
	for (c = 0; c < CALL_CALLS; c++) {
		json_object(j);
		json_put_string(j, "name", mp_call_name((enum mp_call)c));
		json_put_int(j, "class", call_class((enum mp_call)c));
		json_end(j);
	}
	json_end(j);
	json_key(j, "hosts");
	json_array(j);
	for (r = 0; p->scope.ranks <= HOSTS_MAX && r < p->scope.ranks; r++)
		json_string(j, recording_host(p->cursor.r, p->scope.first_rank + r));
	json_end(j);
}

/* JSON inside an HTML script: '<' occurs only in strings, where it can be written as an escape. */
static void put_json(struct str *s, const struct str *json)
{
	size_t i;

	for (i = 0; i < json->n; i++)
		if (json->s[i] == '<')
			str_puts(s, "\\u003c");
		else
			str_putc(s, json->s[i]);
}

static int put_description(struct out *o, const struct page *p, struct err *err)
{
	struct str text;
	struct json j;

	str_init(&text);
	json_init(&j, &text);
	json_object(&j);
	json_run(p, &j);
	json_words(p, &j);
	json_key(&j, "profile");
	profile_json(p->profile, 0, &j);
	json_end(&j);
	if (text.failed) {
		str_release(&text);
		return err_nomem(err, "the page's description", text.cap);
	}
	str_puts(&o->s, "<script type=\"application/json\" id=\"run\">");
	put_json(&o->s, &text);
	str_puts(&o->s, "</script>\n");
	str_release(&text);
	return 0;
}

static int put_data(struct out *o, struct page *p, const struct export_options *options,
                    struct err *err)
{
	int messages = p->messages <= p->limit;

	if (put_description(o, p, err) < 0)
		return -1;
	if (p->states > p->limit) {
		export_notice(
		    options,
		    "the page shows densities: %" PRIu64 " calls are more than the %" PRIu64
		    " it takes with their details; export a window of dates or ranks to see them",
		    p->states, p->limit);
		return html_put_density(o, &p->cursor, &p->scope, err);
	}
	if (!messages)
		export_notice(options,
		              "the page has no messages: %" PRIu64 " are more than the %" PRIu64
		              " it takes; export a window of dates or ranks to see them",
		              p->messages, p->limit);
	return html_put_events(o, &p->cursor, &p->scope, messages, err);
}

/* What stands in place of a mark. */
static int put_mark(struct out *o, const char *mark, size_t n, struct page *p,
                    const struct export_options *options, struct err *err)
{
	const char *program = recording_info(p->cursor.r)->program;

	if (n == 6 && !memcmp(mark, "@DATA@", 6))
		return put_data(o, p, options, err);
	if (n == 7 && !memcmp(mark, "@STYLE@", 7))
		str_putn(&o->s, viewer_style.text, viewer_style.n);
	else if (n == 7 && !memcmp(mark, "@TITLE@", 7))
		str_put_markup(&o->s, program[0] ? program : "predicted run");
	else if (n == 8 && !memcmp(mark, "@SCRIPT@", 8))
		str_putn(&o->s, viewer_script.text, viewer_script.n);
	else
		BUG_ON(1);
	return 0;
}

static int put_page(struct out *o, struct page *p, const struct export_options *options,
                    struct err *err)
{
	const char *at = viewer_page.text, *end = at + viewer_page.n, *stop;

	for (; at < end; at = stop + 1) {
		stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		if (*at != '@')
			str_putn(&o->s, at, (size_t)(stop - at));
		else if (put_mark(o, at, (size_t)(stop - at), p, options, err) < 0)
			return -1;
		str_putc(&o->s, '\n');
	}
	return 0;
}

static int write_page(struct page *p, const char *path, const struct export_options *options,
                      struct err *err)
{
	struct out o;
	int got;

	if (out_open(&o, path, err) < 0)
		return -1;
	got = put_page(&o, p, options, err);
	return out_close(&o, got == 0, err);
}

static int export(struct recording *r, const char *path, const struct export_options *options,
                  struct err *err)
{
	struct page p = {.limit = options && options->limit ? options->limit : HTML_LIMIT};
	int got = -1;

	p.profile = recording_profile(r, err);
	if (p.profile && count(&p, r, options, err) == 0) {
		scope_init(&p);
		got = write_page(&p, path, options, err);
	}
	profile_free(p.profile);
	return got;
}

extern const struct exporter export_html;
const struct exporter export_html = {
    .name = "html",
    .suffix = ".html",
    .help = "a page with the timeline, the messages and the profile, for any browser",
    .export = export,
};
