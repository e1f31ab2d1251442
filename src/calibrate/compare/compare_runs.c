/* compare_runs.c: a comparison of two recordings as text and as JSON. */
#include "compare_int.h"

#include <string.h>

/* What was run otherwise. */
struct difference {
	const char *what, *first, *second;
};
enum { DIFFERENCES = 7 };

static uint32_t differences_find(const struct recording *first, const struct recording *second,
                                 struct difference out[DIFFERENCES])
{
	const struct run_info *a = recording_info(first), *b = recording_info(second);
	const struct difference all[DIFFERENCES] = {
	    {"program", a->program, b->program}, {"trace", a->trace, b->trace},
	    {"machine", a->machine, b->machine}, {"what-if", a->what_if, b->what_if},
	    {"model", a->model, b->model},       {"settings", a->settings, b->settings},
	    {"failure", a->failure, b->failure},
	};
	uint32_t n = 0;

	for (int i = 0; i < DIFFERENCES; i++)
		if (strcmp(all[i].first, all[i].second) != 0)
			out[n++] = all[i];
	return n;
}

static const char *text_of(const char *text)
{
	return *text ? text : "none";
}

static void percent_put(double first, double second, struct str *out)
{
	if (first > 0)
		str_printf(out, "%+.2f %%", 100 * (second / first - 1));
	else
		str_puts(out, "-");
}

static void functions_text(const struct compare *c, struct str *out)
{
	str_printf(out, "\n%-24s %12s %12s %14s %14s %11s\n", "function", "first calls",
	           "second calls", "first s", "second s", "difference");
	for (uint32_t i = 0; i < c->functions; i++) {
		const struct compare_function *f = &c->function[i];

		str_printf(out, "%-24s %12llu %12llu %14.6f %14.6f %+11.6f\n", f->name,
		           (unsigned long long)f->real_calls, (unsigned long long)f->calls, f->real,
		           f->simulated, compare_more(f->real, f->simulated));
	}
}

static void phases_text(const struct compare *c, struct str *out)
{
	str_printf(out, "\n%-24s %14s %14s %11s\n", "calls of a rank", "first s", "second s",
	           "difference");
	for (int p = 0; p < COMPARE_PHASES; p++) {
		const struct compare_phase *h = &c->phase[p];

		str_printf(out, "%9d to %3d %%%8s %14.6f %14.6f %+11.6f\n",
		           100 * p / COMPARE_PHASES, 100 * (p + 1) / COMPARE_PHASES, "", h->real,
		           h->simulated, compare_more(h->real, h->simulated));
	}
}

static void ranks_text(const struct compare *c, struct str *out)
{
	str_printf(out, "\n%-24s %14s %14s %11s\n", "rank", "first s", "second s", "difference");
	for (uint32_t r = 0; r < c->ranks; r++)
		str_printf(out, "%-24u %14.6f %14.6f %+11.6f\n", r, c->rank[r].real,
		           c->rank[r].simulated,
		           compare_more(c->rank[r].real, c->rank[r].simulated));
}

static uint32_t shown(const struct compare *c)
{
	return c->changes < COMPARE_CHANGES ? (uint32_t)c->changes : COMPARE_CHANGES;
}

static void changes_text(const struct compare *c, struct str *out)
{
	if (c->changes == 0) {
		str_printf(out, "\nno call of both runs takes another time\n");
		return;
	}
	str_printf(out, "\n%llu of %llu calls of both runs %s another time; most differ:\n",
	           (unsigned long long)c->changes, (unsigned long long)c->matched,
	           c->changes == 1 ? "takes" : "take");
	for (uint32_t i = 0; i < shown(c); i++) {
		const struct compare_change *x = &c->change[i];

		str_printf(out,
		           "  rank %u, %s number %llu, at %.6f s of the first: %.9g s, then %.9g\n",
		           x->rank, x->function, (unsigned long long)x->call, x->date, x->first,
		           x->second);
	}
}

void compare_runs_text(const struct compare *c, const struct recording *first,
                       const struct recording *second, struct str *out)
{
	struct difference d[DIFFERENCES];
	uint32_t n = differences_find(first, second, d);

	str_printf(out, "first %.6f s, second %.6f s: ", c->real, c->simulated);
	percent_put(c->real, c->simulated, out);
	str_putc(out, '\n');
	for (uint32_t i = 0; i < n; i++) {
		str_printf(out, "%s: ", d[i].what);
		str_put_shown(out, text_of(d[i].first), strlen(text_of(d[i].first)), 0);
		str_puts(out, "; then ");
		str_put_shown(out, text_of(d[i].second), strlen(text_of(d[i].second)), 0);
		str_putc(out, '\n');
	}
	functions_text(c, out);
	phases_text(c, out);
	ranks_text(c, out);
	changes_text(c, out);
}

static void pair_json(struct json *j, double first, double second)
{
	json_put_double(j, "first", first);
	json_put_double(j, "second", second);
}

static void differences_json(const struct recording *first, const struct recording *second,
                             struct json *j)
{
	struct difference d[DIFFERENCES];
	uint32_t n = differences_find(first, second, d);

	json_key(j, "differences");
	json_array(j);
	for (uint32_t i = 0; i < n; i++) {
		json_object(j);
		json_put_string(j, "what", d[i].what);
		json_put_string(j, "first", d[i].first);
		json_put_string(j, "second", d[i].second);
		json_end(j);
	}
	json_end(j);
}

static void calls_json(struct json *j, const struct compare_function *f)
{
	json_put_int(j, "first_calls", (int64_t)f->real_calls);
	json_put_int(j, "second_calls", (int64_t)f->calls);
}

static void sums_json(struct json *j, double first, double second, double outliers)
{
	(void)outliers;
	pair_json(j, first, second);
}

static const struct compare_words words = {sums_json, calls_json};

static void changes_json(const struct compare *c, struct json *j)
{
	json_key(j, "changes");
	json_object(j);
	json_put_int(j, "calls", (int64_t)c->changes);
	json_put_int(j, "of", (int64_t)c->matched);
	json_key(j, "list");
	json_array(j);
	for (uint32_t i = 0; i < shown(c); i++) {
		const struct compare_change *x = &c->change[i];

		json_object(j);
		json_put_int(j, "rank", x->rank);
		json_put_string(j, "function", x->function);
		json_put_int(j, "call", (int64_t)x->call);
		json_put_double(j, "date", x->date);
		pair_json(j, x->first, x->second);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

void compare_runs_json(const struct compare *c, const struct recording *first,
                       const struct recording *second, struct str *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j);
	pair_json(&j, c->real, c->simulated);
	differences_json(first, second, &j);
	compare_tables_json(c, &words, &j);
	changes_json(c, &j);
	json_end(&j);
	str_putc(out, '\n');
}
