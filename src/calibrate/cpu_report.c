/* cpu_report.c: see cpu.h: the rates as a table and as JSON. */
#include "cpu_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct line {
	int32_t region;
	struct tally t;
};

static int by_seconds(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return x->t.seconds != y->t.seconds ? compare(y->t.seconds, x->t.seconds)
	                                    : compare(x->region, y->region);
}

static int by_region_and_run(const void *a, const void *b)
{
	const struct cpu_cell *x = a, *y = b;
	int r = compare(x->region, y->region);

	r = r ? r : compare(x->run, y->run);
	return r ? r : cpu_by_row(a, b);
}

/* Regions, most seconds first: how many, or -1. Freed by the caller. */
static int lines_make(const struct cpu_rates *c, struct line **out, struct err *err)
{
	struct cpu_cell *cell = malloc(((size_t)c->n + 1) * sizeof *cell);
	struct line *line = calloc((size_t)c->n + 1, sizeof *line);
	int n = 0;

	*out = NULL;
	if (!cell || !line) {
		free(cell);
		free(line);
		return err_nomem(err, "rates", (unsigned long long)c->n * sizeof *cell);
	}
	memcpy(cell, c->cell, c->n * sizeof *cell);
	qsort(cell, c->n, sizeof *cell, by_region_and_run);
	for (uint32_t i = 0; i < c->n; i++) {
		if (n == 0 || line[n - 1].region != cell[i].region)
			line[n++] = (struct line){.region = cell[i].region, .t.run = cell[i].run};
		tally_add(&line[n - 1].t, &cell[i]);
		if (i + 1 == c->n || cell[i + 1].region != cell[i].region)
			tally_run(&line[n - 1].t);
	}
	free(cell);
	qsort(line, (size_t)n, sizeof *line, by_seconds);
	*out = line;
	return n;
}

/* How much of the time one rate for all would put into the wrong region: between 0 and 2. */
static double misplaced(const struct cpu_rates *c, const struct line *line, int n)
{
	double wrong = 0;

	for (int i = 0; i < n; i++)
		wrong += fabs(line[i].t.volume * c->seconds / c->volume - line[i].t.seconds);
	return wrong / c->seconds;
}

/* Volume over seconds of each host. */
static void host_sum(const struct cpu_rates *c, uint32_t host, double *volume, double *seconds)
{
	*volume = *seconds = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->cell[i].host != (int32_t)host)
			continue;
		*volume += c->cell[i].volume;
		*seconds += c->cell[i].seconds;
	}
}

int cpu_text(const struct cpu_rates *c, struct str *out, struct err *err)
{
	struct line *line;
	int n = lines_make(c, &line, err);
	double volume, seconds;

	if (n < 0)
		return -1;
	str_printf(out, "%-52s %10s %12s %14s %14s %14s %9s\n", "region", "times", "seconds",
	           "rate", "least", "most", "deviation");
	for (int i = 0; i < n; i++) {
		const struct tally *t = &line[i].t;

		str_printf(out, "%-52s %10llu %12.6f %14.6g %14.6g %14.6g %8.1f%%\n",
		           c->names.region[line[i].region], (unsigned long long)t->n, t->seconds,
		           t->volume / t->seconds, t->least, t->most, 100 * tally_deviation(t));
	}
	str_printf(out, "\n%-52s %10s %12s %14s\n", "host", "", "seconds", "rate");
	for (uint32_t i = 0; i < c->names.hosts; i++) {
		host_sum(c, i, &volume, &seconds);
		if (seconds > 0)
			str_printf(out, "%-52s %10s %12.6f %14.6g\n", c->names.host[i], "", seconds,
			           volume / seconds);
	}
	str_printf(out, "\none rate for all regions would be off by %.1f %% of the time\n",
	           100 * misplaced(c, line, n));
	str_printf(out, "speed: %.6g\n", c->volume / c->seconds);
	free(line);
	return 0;
}

static void json_rows(const struct rates *r, const char *region, struct json *j)
{
	uint32_t id = hash_str_find(&r->region_index, region);

	json_key(j, "by_volume");
	json_array(j);
	for (uint32_t i = 0; id != HASH_NONE && i < r->n; i++) {
		const struct rate_row *row = &r->row[i];

		if (row->region != (int32_t)id)
			continue;
		json_object(j);
		if (row->host >= 0)
			json_put_string(j, "host", r->host[row->host]);
		if (row->working_set > 0)
			json_put_double(j, "working_set", row->working_set);
		json_put_double(j, "volume", row->volume);
		json_put_double(j, "rate", row->rate);
		json_put_double(j, "deviation", row->deviation);
		json_put_double(j, "scatter", row->scatter);
		json_end(j);
	}
	json_end(j);
}

int cpu_json(const struct cpu_rates *c, struct str *out, struct err *err)
{
	struct rates rates;
	struct line *line;
	double volume, seconds;
	struct json j;
	int n;

	if (cpu_fit(c, NULL, &rates, err) < 0)
		return -1;
	n = lines_make(c, &line, err);
	if (n < 0) {
		rates_release(&rates);
		return -1;
	}
	json_init(&j, out);
	json_object(&j);
	json_put_double(&j, "speed", c->volume / c->seconds);
	json_put_double(&j, "one_rate_off_by", misplaced(c, line, n));
	json_key(&j, "regions");
	json_array(&j);
	for (int i = 0; i < n; i++) {
		const struct tally *t = &line[i].t;

		json_object(&j);
		json_put_string(&j, "name", c->names.region[line[i].region]);
		json_put_int(&j, "times", (int64_t)t->n);
		json_put_double(&j, "seconds", t->seconds);
		json_put_double(&j, "rate", t->volume / t->seconds);
		json_put_double(&j, "deviation", tally_deviation(t));
		json_rows(&rates, c->names.region[line[i].region], &j);
		json_end(&j);
	}
	json_end(&j);
	json_key(&j, "hosts");
	json_array(&j);
	for (uint32_t i = 0; i < c->names.hosts; i++) {
		host_sum(c, i, &volume, &seconds);
		json_object(&j);
		json_put_string(&j, "name", c->names.host[i]);
		json_put_double(&j, "rate", seconds > 0 ? volume / seconds : 0);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	str_putc(out, '\n');
	free(line);
	rates_release(&rates);
	return 0;
}
