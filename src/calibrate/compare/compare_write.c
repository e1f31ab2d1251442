/* compare_write.c: a comparison as text and as JSON. */
#include "compare_int.h"

#include <math.h>

static double percent(double simulated, double real)
{
	return real > 0 ? 100 * (simulated / real - 1) : 0;
}

double compare_more(double first, double second)
{
	double more = second - first;

	return fabs(more) < 5e-7 ? 0 : more;
}

static void functions_text(const struct compare *c, struct str *out)
{
	str_printf(out, "\n%-24s %10s %10s %14s %14s %11s %11s\n", "function", "calls", "real",
	           "real s", "simulated s", "difference", "outliers s");
	for (uint32_t i = 0; i < c->functions; i++) {
		const struct compare_function *f = &c->function[i];

		str_printf(out, "%-24s %10llu %10llu %14.6f %14.6f %+11.6f %11.6f\n", f->name,
		           (unsigned long long)f->calls, (unsigned long long)f->real_calls, f->real,
		           f->simulated, compare_more(f->real, f->simulated), f->outliers);
	}
}

static void phases_text(const struct compare *c, struct str *out)
{
	str_printf(out, "\n%-24s %14s %14s %11s %11s\n", "calls of a rank", "real s", "simulated s",
	           "difference", "outliers s");
	for (int p = 0; p < COMPARE_PHASES; p++) {
		const struct compare_phase *h = &c->phase[p];

		str_printf(out, "%9d to %3d %%%8s %14.6f %14.6f %+11.6f %11.6f\n",
		           100 * p / COMPARE_PHASES, 100 * (p + 1) / COMPARE_PHASES, "", h->real,
		           h->simulated, compare_more(h->real, h->simulated), h->outliers);
	}
}

static void ranks_text(const struct compare *c, struct str *out)
{
	str_printf(out, "\n%-24s %14s %14s %11s %11s\n", "rank", "real s", "simulated s", "error",
	           "outliers s");
	for (uint32_t r = 0; r < c->ranks; r++)
		str_printf(out, "%-24u %14.6f %14.6f %+10.1f%% %11.6f\n", r, c->rank[r].real,
		           c->rank[r].simulated, percent(c->rank[r].simulated, c->rank[r].real),
		           c->rank[r].outliers);
}

static void kinds_text(const struct compare *c, struct str *out)
{
	for (int l = 0; l < LENGTHS; l++) {
		const struct compare_event_kind *k = &c->kind[l];

		if (k->events)
			str_printf(out, "  %llu event%s (%llu call%s, %.3f to %.3f s) %s\n",
			           (unsigned long long)k->events, k->events == 1 ? "" : "s",
			           (unsigned long long)k->calls, k->calls == 1 ? "" : "s", k->least,
			           k->most, compare_length_text((enum compare_length)l));
	}
}

static void explained_text(const struct compare *c, struct str *out)
{
	double difference = c->real - c->simulated;

	str_printf(out, "they made rank %u, which ends last, %.6f s later", c->last, c->explained);
	if (difference > 0)
		str_printf(out, ": %.0f %% of the difference of %.6f s",
		           100 * c->explained / difference, difference);
	str_printf(out, "; without them the error would be about %+.1f %%\n",
	           percent(c->simulated, c->real - c->explained));
}

static void outliers_text(const struct compare *c, struct str *out)
{
	uint64_t shown = c->outliers < COMPARE_OUTLIERS ? c->outliers : COMPARE_OUTLIERS;

	if (c->outliers == 0) {
		str_printf(
		    out,
		    "\nno call was %g s longer than simulated and than is usual for such calls\n",
		    c->threshold);
		return;
	}
	str_printf(out,
	           "\n%llu call%s over %g s longer than simulated and than is usual for such "
	           "calls, by %.6f s in all; those that end "
	           "together are one event:\n",
	           (unsigned long long)c->outliers, c->outliers == 1 ? " was" : "s were",
	           c->threshold, c->outlier_seconds);
	kinds_text(c, out);
	explained_text(c, out);
	for (uint64_t i = 0; i < shown; i++) {
		const struct compare_outlier *o = &c->outlier[i];

		str_printf(
		    out,
		    "  rank %u, %s number %llu, at %.6f s: %.6f s instead of %.6f (event %u)\n",
		    o->rank, o->function, (unsigned long long)o->call, o->date, o->real,
		    o->simulated, o->event + 1);
	}
	if (shown < c->outliers)
		str_printf(out, "  and %llu more\n", (unsigned long long)(c->outliers - shown));
}

void compare_text(const struct compare *c, struct str *out)
{
	str_printf(out, "real %.6f s, simulated %.6f s: %+.2f %%\n", c->real, c->simulated,
	           percent(c->simulated, c->real));
	if (c->untimed)
		str_printf(
		    out,
		    "%llu real call%s no duration: not compared, and missing in the real times\n",
		    (unsigned long long)c->untimed, c->untimed == 1 ? " has" : "s have");
	functions_text(c, out);
	phases_text(c, out);
	ranks_text(c, out);
	outliers_text(c, out);
}

static void pair_json(struct json *j, double real, double simulated, double outliers)
{
	json_put_double(j, "real", real);
	json_put_double(j, "simulated", simulated);
	json_put_double(j, "outliers", outliers);
}

static void calls_json(struct json *j, const struct compare_function *f)
{
	json_put_int(j, "calls", (int64_t)f->calls);
	json_put_int(j, "real_calls", (int64_t)f->real_calls);
}

static const struct compare_words words = {pair_json, calls_json};

void compare_tables_json(const struct compare *c, const struct compare_words *w, struct json *j)
{
	json_key(j, "functions");
	json_array(j);
	for (uint32_t i = 0; i < c->functions; i++) {
		json_object(j);
		json_put_string(j, "name", c->function[i].name);
		w->calls(j, &c->function[i]);
		w->pair(j, c->function[i].real, c->function[i].simulated, c->function[i].outliers);
		json_end(j);
	}
	json_end(j);
	json_key(j, "ranks");
	json_array(j);
	for (uint32_t r = 0; r < c->ranks; r++) {
		json_object(j);
		w->pair(j, c->rank[r].real, c->rank[r].simulated, c->rank[r].outliers);
		json_end(j);
	}
	json_end(j);
	json_key(j, "phases");
	json_array(j);
	for (int p = 0; p < COMPARE_PHASES; p++) {
		json_object(j);
		w->pair(j, c->phase[p].real, c->phase[p].simulated, c->phase[p].outliers);
		json_end(j);
	}
	json_end(j);
}

static void outliers_json(const struct compare *c, struct json *j)
{
	json_key(j, "outliers");
	json_object(j);
	json_put_int(j, "calls", (int64_t)c->outliers);
	json_put_int(j, "events", (int64_t)c->events);
	json_put_double(j, "seconds", c->outlier_seconds);
	json_put_int(j, "last_rank", c->last);
	json_put_double(j, "explained", c->explained);
	json_key(j, "kinds");
	json_array(j);
	for (int l = 0; l < LENGTHS; l++) {
		if (!c->kind[l].events)
			continue;
		json_object(j);
		json_put_string(j, "what", compare_length_text((enum compare_length)l));
		json_put_int(j, "events", (int64_t)c->kind[l].events);
		json_put_int(j, "calls", (int64_t)c->kind[l].calls);
		json_put_double(j, "least", c->kind[l].least);
		json_put_double(j, "most", c->kind[l].most);
		json_put_double(j, "seconds", c->kind[l].seconds);
		json_end(j);
	}
	json_end(j);
	json_key(j, "list");
	json_array(j);
	for (uint64_t i = 0; i < c->outliers; i++) {
		const struct compare_outlier *o = &c->outlier[i];

		json_object(j);
		json_put_int(j, "rank", o->rank);
		json_put_string(j, "function", o->function);
		json_put_int(j, "call", (int64_t)o->call);
		json_put_double(j, "date", o->date);
		json_put_double(j, "real", o->real);
		json_put_double(j, "simulated", o->simulated);
		json_put_double(j, "beyond", o->beyond);
		json_put_int(j, "event", o->event);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

void compare_json(const struct compare *c, struct str *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j);
	json_put_double(&j, "real", c->real);
	json_put_double(&j, "simulated", c->simulated);
	json_put_int(&j, "without_duration", (int64_t)c->untimed);
	compare_tables_json(c, &words, &j);
	outliers_json(c, &j);
	json_end(&j);
	str_putc(out, '\n');
}
