/* sweep_print.c: a sweep as text, JSON and CSV. */
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *fastest_name(const struct sweep *s, const struct sweep_cell *c)
{
	return s->n_algs && !c->unfinished ? s->algs[c->fastest]->name : "";
}

static double best_of(const struct sweep *s, const struct sweep_cell *c)
{
	return s->n_algs && !c->unfinished ? c->seconds[c->fastest] : NAN;
}

/* What a selector loses beside the fastest: 0.25 is a quarter more time. */
static double loss_of(const struct sweep *s, const struct sweep_cell *c, uint32_t selector)
{
	double best = best_of(s, c), t = c->choices[selector].seconds;
	if (c->unfinished)
		return NAN;
	return best > 0 ? t / best - 1 : 0;
}

static void column(struct str *out, const char *text, int width)
{
	str_printf(out, "  %-*s", width, text);
}

static int name_width(const struct sweep *s)
{
	size_t most = 8;
	for (uint32_t i = 0; i < s->n_algs; i++)
		most = strlen(s->algs[i]->name) > most ? strlen(s->algs[i]->name) : most;
	return (int)most;
}

static void loss_text(double loss, char *buf, size_t n)
{
	if (isnan(loss))
		snprintf(buf, n, "-");
	else if (loss >= 9.995)
		snprintf(buf, n, "x%.0f", loss + 1);
	else
		snprintf(buf, n, "%+.1f%%", 100 * loss);
}

static void text_row(const struct sweep *s, uint32_t p, uint32_t b, int width, struct str *out)
{
	const struct sweep_cell *c = sweep_at(s, p, b);
	char time[32], buf[32];
	if (c->unfinished)
		return;
	fmt_seconds(time, sizeof time, best_of(s, c));
	str_printf(out, "%7lld %11lld", (long long)s->ranks.v[p], (long long)s->bytes.v[b]);
	column(out, fastest_name(s, c), width);
	str_printf(out, " %11s", time);
	for (uint32_t i = 0; i < s->n_selectors; i++) {
		loss_text(loss_of(s, c, i), buf, sizeof buf);
		str_printf(out, " %9s", buf);
	}
	str_putc(out, '\n');
}

/* The mean of the losses of what could be measured. */
static double mean_loss(const struct sweep *s, uint32_t selector)
{
	double sum = 0, n = 0;
	for (uint32_t i = 0; i < s->ranks.n * s->bytes.n; i++) {
		double loss = loss_of(s, &s->cells[i], selector);
		if (!isnan(loss)) {
			sum += loss;
			n++;
		}
	}
	return n > 0 ? sum / n : NAN;
}

void sweep_text(const struct sweep *s, const char *machine, struct str *out)
{
	int width = name_width(s);
	str_printf(out,
	           "%s on %s: the fastest of %u algorithms, and what each selector's choice loses "
	           "beside it\n",
	           coll_kind_name(s->kind), machine, s->n_algs);
	str_printf(out, "%7s %11s", "ranks", "bytes");
	column(out, "fastest", width);
	str_printf(out, " %11s", "time");
	for (uint32_t i = 0; i < s->n_selectors; i++)
		str_printf(out, " %9s", s->selector[i]);
	str_putc(out, '\n');
	for (uint32_t p = 0; p < s->ranks.n; p++)
		for (uint32_t b = 0; b < s->bytes.n; b++)
			text_row(s, p, b, width, out);
	if (!s->n_selectors)
		return;
	str_printf(out, "%19s", "mean loss");
	column(out, "", width);
	str_printf(out, " %11s", "");
	for (uint32_t i = 0; i < s->n_selectors; i++) {
		char buf[32];

		loss_text(mean_loss(s, i), buf, sizeof buf);
		str_printf(out, " %9s", buf);
	}
	str_putc(out, '\n');
}

static void json_choice(struct json *j, const struct sweep *s, const struct sweep_cell *c,
                        uint32_t i)
{
	json_key(j, s->selector[i]);
	json_object(j);
	json_put_string(j, "algorithm", c->choices[i].choice.alg->name);
	if (c->choices[i].choice.wanted)
		json_put_string(j, "instead_of", c->choices[i].choice.wanted->name);
	json_put_double(j, "seconds", c->choices[i].seconds);
	json_put_double(j, "loss", loss_of(s, c, i));
	json_end(j);
}

static void json_put_bool(struct json *j, const char *key, int is)
{
	json_key(j, key);
	json_bool(j, is);
}

static void json_cell(struct json *j, const struct sweep *s, uint32_t p, uint32_t b)
{
	const struct sweep_cell *c = sweep_at(s, p, b);
	json_object(j);
	json_put_int(j, "ranks", s->ranks.v[p]);
	json_put_int(j, "bytes", s->bytes.v[b]);
	json_put_string(j, "fastest", fastest_name(s, c));
	json_put_double(j, "seconds", best_of(s, c));
	json_key(j, "algorithms");
	json_object(j);
	for (uint32_t i = 0; i < s->n_algs; i++)
		if (!isnan(c->seconds[i]))
			json_put_double(j, s->algs[i]->name, c->seconds[i]);
	json_end(j);
	json_key(j, "selectors");
	json_object(j);
	for (uint32_t i = 0; i < s->n_selectors; i++)
		if (c->choices[i].choice.alg)
			json_choice(j, s, c, i);
	json_end(j);
	json_put_int(j, "not_simulated", c->large);
	if (c->unfinished)
		json_put_bool(j, "complete", 0);
	json_end(j);
}

void sweep_json(const struct sweep *s, const char *machine, struct str *out)
{
	struct json j;
	json_init(&j, out);
	json_object(&j);
	json_put_string(&j, "operation", coll_kind_name(s->kind));
	json_put_string(&j, "machine", machine);
	json_put_bool(&j, "complete", s->unfinished == 0);
	json_put_bool(&j, "means_little", s->means_little);
	json_key(&j, "cells");
	json_array(&j);
	for (uint32_t p = 0; p < s->ranks.n; p++)
		for (uint32_t b = 0; b < s->bytes.n; b++)
			json_cell(&j, s, p, b);
	json_end(&j);
	json_end(&j);
	str_putc(out, '\n');
}

/* The selectors that take this algorithm in a cell, with blanks between them. */
static void csv_selectors(const struct sweep *s, const struct sweep_cell *c,
                          const struct coll_alg *alg, struct str *out)
{
	const char *before = "";

	for (uint32_t k = 0; k < s->n_selectors; k++) {
		if (c->choices[k].choice.alg != alg)
			continue;
		str_printf(out, "%s%s", before, s->selector[k]);
		before = " ";
	}
}

static void csv_cell(const struct sweep *s, uint32_t p, uint32_t b, struct str *out)
{
	const struct sweep_cell *c = sweep_at(s, p, b);

	for (uint32_t i = 0; i < s->n_algs; i++) {
		if (c->unfinished && !isfinite(c->seconds[i])) /* nobody knows whether it can run */
			continue;
		str_printf(out, "%s,%lld,%lld,%s,", coll_kind_name(s->kind),
		           (long long)s->ranks.v[p], (long long)s->bytes.v[b], s->algs[i]->name);
		if (isfinite(c->seconds[i]))
			str_put_double(out, c->seconds[i]);
		str_putc(out, ',');
		csv_selectors(s, c, s->algs[i], out);
		str_putc(out, '\n');
	}
}

void sweep_csv(const struct sweep *s, struct str *out)
{
	str_puts(out, "operation,ranks,bytes,algorithm,seconds,selectors\n");
	for (uint32_t p = 0; p < s->ranks.n; p++)
		for (uint32_t b = 0; b < s->bytes.n; b++)
			csv_cell(s, p, b, out);
}
