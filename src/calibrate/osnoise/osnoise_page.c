/* osnoise_page.c: the page of the noise of the operating system: what was found in words, and of
 * each processor its detours over time, their lengths, the spectrum of what is missing. */
#include "base/markup.h"
#include "calibrate/plot.h"
#include "osnoise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Processors that are drawn, points of a line of lengths and of the model's, and columns of a
 * spectrum: it has more frequencies than a page has pixels. */
enum { PAGE_CPUS = 8, LENGTHS = 1000, STEPS = 200, COLUMNS = 780 };
/* s: shorter ones no clock tells. So that the longest, the most, is inside the axis. */
static const double LENGTH_LEAST = 1e-9, INSIDE = 1.01;

/* Detours over time: a dot each; undisturbed quanta are not drawn. */
static void detours_draw(const struct os_series *s, const struct os_cpu *c, struct str *out)
{
	struct plot p = {
	    .x = {s->start[0], s->start[s->n - 1] + LENGTH_LEAST, 0, PLOT_SECONDS},
	    .y = {floor(log10(c->threshold)), floor(log10(c->threshold)) + 1, 1, PLOT_SECONDS},
	    .out = out};
	char title[200];
	double *x = malloc(2 * (s->n + 1) * sizeof *x), *y = x + s->n + 1;
	size_t n = 0;

	out->failed |= !x;
	for (size_t i = 0; x && i < s->n; i++) {
		double longer = s->value[i] - c->quiet;

		p.y.to = fmax(p.y.to, ceil(log10(fmax(longer, LENGTH_LEAST))));
		if (longer <= c->threshold)
			continue;
		x[n] = s->start[i];
		y[n++] = longer;
	}
	snprintf(title, sizeof title,
	         "processor %d, fixed work: %zu of %zu quanta disturbed, by how much and when",
	         c->cpu, c->disturbed, c->quanta);
	plot_open(&p, title);
	plot_dots(&p, x, y, n);
	plot_close(&p);
	free(x);
}

/* Random detours longer than x, per second: their lengths are log-normal. */
static double longer_rate(const struct os_fit *f, double x)
{
	double rate = 0;

	for (int k = 0; k < f->random; k++)
		rate += f->rate[k] *
		        erfc(log(x / f->median[k]) / fmax(f->sigma[k], 1e-9) / M_SQRT2) / 2;
	return rate;
}

/* How many detours per second are longer than x: measured, and by the model. */
static void lengths_draw(const struct os_series *s, const struct os_cpu *c, const struct os_fit *f,
                         struct str *out)
{
	struct plot p = {.x = {floor(log10(c->threshold)), 0, 1, PLOT_SECONDS},
	                 .y = {0, 0, 1, PLOT_NUMBER},
	                 .out = out};
	double *v = malloc((s->n + 1) * sizeof *v), total = 0;
	size_t n = 0;

	for (size_t i = 0; v && i < s->n; i++) {
		total += s->value[i];
		if (s->value[i] > c->quiet + c->threshold)
			v[n++] = s->value[i] - c->quiet;
	}
	out->failed |= !v;
	if (!v || n < 2) {
		free(v);
		return;
	}
	fit_sort(v, n);
	p.x.to = ceil(log10(v[n - 1] * INSIDE));
	p.y.from = floor(log10(1 / total));
	p.y.to = ceil(log10((double)n / total * INSIDE));
	plot_open(&p, "detours longer than this, per second: measured (blue, periodic ones too), "
	              "random ones of the model (red)");
	plot_line_open(&p, PLOT_MEASURED);
	for (size_t i = 0; i < n; i += n / LENGTHS + 1)
		plot_line_to(&p, v[i], (double)(n - i) / total, i == 0);
	plot_line_close(&p);
	plot_line_open(&p, PLOT_FITTED);
	for (int i = 0; i <= STEPS; i++) {
		double x = plot_value(&p.x, (double)i / STEPS);

		plot_line_to(&p, x, longer_rate(f, x), i == 0);
	}
	plot_line_close(&p);
	plot_close(&p);
	free(v);
}

/* Of frequencies that fall on one column the most. */
static void spectrum_draw(const struct plot *p, const double *power, size_t n, double lowest)
{
	const double width = (plot_x(p, (double)n * lowest) - plot_x(p, lowest)) / COLUMNS;

	plot_line_open(p, PLOT_MEASURED);
	for (size_t k = 1; k < n;) {
		const size_t first = k;
		const double x = plot_x(p, (double)k * lowest);
		double most = 0;

		for (; k < n && plot_x(p, (double)k * lowest) <= x + width; k++)
			most = fmax(most, power[k]);
		plot_line_to(p, (double)first * lowest, most, first == 1);
	}
	plot_line_close(p);
}

static void periodogram_draw(const struct os_series *ftq, const struct os_cpu *c, struct str *out)
{
	struct os_period found[OS_PERIODS];
	double *power;
	size_t n;
	struct plot p = {.x = {0, 0, 1, PLOT_HERTZ}, .y = {0, 3, 1, PLOT_NUMBER}, .out = out};
	char title[200];
	struct err ignored;

	out->failed |= os_periods_find(ftq, found, &power, &n, &ignored) < 0;
	if (!power)
		return;
	const double lowest = 1 / (2 * (double)n * ftq->quantum);

	p.x.from = log10(lowest);
	p.x.to = log10(0.5 / ftq->quantum);
	for (size_t k = 1; k < n; k++)
		p.y.to = fmax(p.y.to, ceil(log10(fmax(power[k], 1))));
	snprintf(title, sizeof title,
	         "processor %d, fixed time: power of the missing work by frequency, the usual "
	         "being 1; %d period%s found (red)",
	         c->cpu, c->periods, c->periods == 1 ? "" : "s");
	plot_open(&p, title);
	spectrum_draw(&p, power, n, lowest);
	for (int i = 0; i < c->periods; i++)
		plot_mark(&p, 1 / c->period[i].period);
	plot_close(&p);
	free(power);
}

static const struct os_series *series_of(const struct os_raw *raw, enum os_kind kind, int cpu)
{
	for (uint32_t i = 0; i < raw->n; i++)
		if (raw->series[i].kind == kind && raw->series[i].cpu == cpu &&
		    raw->series[i].n > 1)
			return &raw->series[i];
	return NULL;
}

void os_report_write(const struct os_raw *raw, const struct os_fit *f, struct str *out)
{
	struct str text;

	page_open("Noise of the operating system", out);
	if (f->warnings.n) {
		str_puts(out,
		         "<h2>What contradicts the model, or is left open</h2><pre class=\"w\">");
		str_put_markup(out, f->warnings.s);
		str_puts(out, "</pre>\n");
	}
	str_init(&text);
	os_text_write(f, &text);
	str_puts(out, "<pre>");
	str_put_markup(out, str_of(out, &text));
	str_puts(out, "</pre>\n");
	str_release(&text);
	for (int i = 0; i < f->cpus && i < PAGE_CPUS; i++) {
		const struct os_series *fwq = series_of(raw, OS_FWQ, f->cpu[i].cpu),
		                       *ftq = series_of(raw, OS_FTQ, f->cpu[i].cpu);

		if (fwq) {
			detours_draw(fwq, &f->cpu[i], out);
			lengths_draw(fwq, &f->cpu[i], f, out);
		}
		if (ftq)
			periodogram_draw(ftq, &f->cpu[i], out);
	}
	if (f->cpus > PAGE_CPUS)
		str_printf(out, "<p>The first %d of %d processors are drawn.</p>\n", PAGE_CPUS,
		           f->cpus);
	str_puts(out, "<h2>Measured on</h2><pre>");
	str_put_markup(out, raw->meta.s ? raw->meta.s : "");
	str_puts(out, "</pre>\n");
	page_close(out);
}
