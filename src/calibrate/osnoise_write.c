/* osnoise_write.c: the noise of the operating system as settings, text, JSON, and a page with the
 * measurements. */
#include "base/markup.h"
#include "osnoise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void os_settings_write(const struct os_fit *f, struct str *out)
{
	for (int i = 0; i < f->random; i++)
		str_printf(out, "%s%.4g:%.4g:%.3g", i ? ";" : "noise/detours:", f->rate[i],
		           f->median[i], f->sigma[i]);
	str_puts(out, f->random ? "\n" : "");
	for (int i = 0; i < f->periods; i++)
		str_printf(out, "%s%.7g:%.4g", i ? ";" : "noise/periodic:", f->period[i].period,
		           f->period[i].length);
	str_puts(out, f->periods ? "\n" : "");
	if (f->slow > 0)
		str_printf(out, "noise/run-compute:%.3g\n", f->slow);
	if (f->sleep_median > 0) /* log-normal through the two */
		str_printf(out, "noise/sleep:%.4g:%.3g\n", f->sleep_median,
		           log(f->sleep_95 / f->sleep_median) / 1.6449);
}

void os_text_write(const struct os_fit *f, struct str *out)
{
	char a[32], b[32], c[32];

	str_puts(out, "cpu  quiet work  scatter  time lost  random detours /s        slow changes  "
	              "periodic\n");
	for (int i = 0; i < f->cpus; i++) {
		const struct os_cpu *p = &f->cpu[i];

		fmt_seconds(a, sizeof a, p->quiet);
		str_printf(out, "%-4d %-11s %6.3f %%  %7.3f %%  %9.3g +- %-9.2g %10.3f %%  ",
		           p->cpu, a, 100 * p->deviation, 100 * p->share, p->rate, p->rate_95,
		           100 * p->slow);
		for (int k = 0; k < p->periods; k++) {
			fmt_seconds(a, sizeof a, p->period[k].period);
			fmt_seconds(b, sizeof b, p->period[k].length);
			str_printf(out, "%severy %s %s", k ? ", " : "", a, b);
		}
		str_puts(out, p->periods ? "\n" : "none found\n");
	}
	fmt_seconds(a, sizeof a, f->longest);
	str_printf(out, "\n%zu random detours, the longest %s; lengths, log-normal:\n", f->detours,
	           a);
	for (int i = 0; i < f->random; i++) {
		fmt_seconds(a, sizeof a, f->median[i]);
		fmt_seconds(b, sizeof b, f->median[i] * exp(-1.96 * f->sigma[i]));
		fmt_seconds(c, sizeof c, f->median[i] * exp(1.96 * f->sigma[i]));
		str_printf(out, "  %.3g /s of %s (95 %%: %s to %s)\n", f->rate[i], a, b, c);
	}
	if (f->sleep_median > 0) {
		fmt_seconds(a, sizeof a, f->sleep_median);
		fmt_seconds(b, sizeof b, f->sleep_95);
		str_printf(out, "a sleep of 1 ms ends %s late (median; 95 %% quantile %s)\n", a, b);
	}
	str_puts(out, "\nsettings, for --cfg @FILE or --cfg:\n");
	os_settings_write(f, out);
}

static void detours_json(const struct os_fit *f, struct json *j)
{
	json_key(j, "detours");
	json_array(j);
	for (int i = 0; i < f->random; i++) {
		json_object(j);
		json_put_double(j, "rate", f->rate[i]);
		json_put_double(j, "median", f->median[i]);
		json_put_double(j, "sigma", f->sigma[i]);
		json_end(j);
	}
	json_end(j);
}

static void periodic_json(const struct os_fit *f, struct json *j)
{
	json_key(j, "periodic");
	json_array(j);
	for (int i = 0; i < f->periods; i++) {
		json_object(j);
		json_put_double(j, "period", f->period[i].period);
		json_put_double(j, "period_95", f->period[i].period_95);
		json_put_double(j, "length", f->period[i].length);
		json_put_double(j, "length_95", f->period[i].length_95);
		json_put_double(j, "probability", f->period[i].p);
		json_end(j);
	}
	json_end(j);
}

static void cpus_json(const struct os_fit *f, struct json *j)
{
	json_key(j, "cpus");
	json_array(j);
	for (int i = 0; i < f->cpus; i++) {
		const struct os_cpu *p = &f->cpu[i];

		json_object(j);
		json_put_int(j, "cpu", p->cpu);
		json_put_int(j, "quanta", (int64_t)p->quanta);
		json_put_double(j, "quiet", p->quiet);
		json_put_double(j, "deviation", p->deviation);
		json_put_double(j, "threshold", p->threshold);
		json_put_double(j, "share", p->share);
		json_put_double(j, "rate", p->rate);
		json_put_double(j, "rate_95", p->rate_95);
		json_put_double(j, "slow", p->slow);
		json_put_int(j, "periods", p->periods);
		json_end(j);
	}
	json_end(j);
}

void os_json_write(const struct os_fit *f, struct str *out)
{
	struct str settings;
	struct json j;

	json_init(&j, out);
	json_object(&j);
	json_put_double(&j, "share", f->share);
	json_put_double(&j, "model_share", f->model_share);
	json_put_double(&j, "longest", f->longest);
	json_put_double(&j, "slow", f->slow);
	json_put_double(&j, "spread", f->spread);
	json_put_double(&j, "sleep_late", f->sleep_median);
	json_put_double(&j, "sleep_late_95", f->sleep_95);
	detours_json(f, &j);
	periodic_json(f, &j);
	cpus_json(f, &j);
	str_init(&settings);
	os_settings_write(f, &settings);
	json_put_string(&j, "settings", str_of(out, &settings));
	json_put_string(&j, "warnings", str_of(out, &f->warnings));
	str_release(&settings);
	json_end(&j);
	str_putc(out, '\n');
}

/* --- the page --- */

enum {
	WIDTH = 860,
	HEIGHT = 240,
	LEFT = 70,
	RIGHT = 12,
	TOP = 24,
	BOTTOM = 30,
	DOTS = 4000,
	PAGE_CPUS = 8,
	COLUMNS = 780
};

struct plot {
	double x0, x1, y0, y1; /* logarithms to base 10 where log */
	int log_x, log_y;
	const char *unit_x; /* NULL: seconds, as units */
	struct str *out;
};

static double place(double v, double from, double to, int log)
{
	double t = ((log ? log10(fmax(v, 1e-12)) : v) - from) / (to - from);

	return fmin(fmax(t, 0), 1);
}

static double at_x(const struct plot *p, double v)
{
	return LEFT + place(v, p->x0, p->x1, p->log_x) * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct plot *p, double v)
{
	return HEIGHT - BOTTOM - place(v, p->y0, p->y1, p->log_y) * (HEIGHT - TOP - BOTTOM);
}

static void value_label(char *label, size_t n, double v, int seconds)
{
	if (seconds)
		fmt_seconds(label, n, v);
	else
		snprintf(label, n, "%.3g", v);
}

static void plot_open(const struct plot *p, const char *title, int y_seconds)
{
	char label[32];

	str_printf(p->out,
	           "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s</title><text class=\"t\" "
	           "x=\"%d\" y=\"15\">%s</text>\n",
	           WIDTH, HEIGHT, title, LEFT, title);
	for (int i = 0; i <= 4; i++) {
		double x = p->x0 + i * (p->x1 - p->x0) / 4, y = p->y0 + i * (p->y1 - p->y0) / 4;

		x = p->log_x ? pow(10, x) : x;
		y = p->log_y ? pow(10, y) : y;
		value_label(label, sizeof label, x, !p->unit_x);
		str_printf(p->out,
		           "<path class=\"g\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" "
		           "text-anchor=\"%s\">%s%s</text>\n",
		           at_x(p, x), TOP, HEIGHT - BOTTOM, at_x(p, x), HEIGHT - BOTTOM + 16,
		           i == 4 ? "end" : "middle", label, p->unit_x ? p->unit_x : "");
		value_label(label, sizeof label, y, y_seconds);
		str_printf(p->out,
		           "<path class=\"g\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
		           "text-anchor=\"end\">%s</text>\n",
		           LEFT, at_y(p, y), WIDTH - RIGHT, LEFT - 5, at_y(p, y) + 4, label);
	}
}

/* Detours over time: a dot each; undisturbed quanta are not drawn. */
static void detours_draw(const struct os_series *s, const struct os_cpu *c, struct str *out)
{
	struct plot p = {.x0 = s->start[0],
	                 .x1 = s->start[s->n - 1] + 1e-9,
	                 .y0 = floor(log10(c->threshold)),
	                 .log_y = 1,
	                 .out = out};
	char title[200];
	size_t step = c->disturbed / DOTS + 1, k = 0;

	p.y1 = p.y0 + 1;
	for (size_t i = 0; i < s->n; i++)
		p.y1 = fmax(p.y1, ceil(log10(fmax(s->value[i] - c->quiet, 1e-9))));
	snprintf(title, sizeof title,
	         "processor %d, fixed work: %zu of %zu quanta disturbed, by how much and when",
	         c->cpu, c->disturbed, c->quanta);
	plot_open(&p, title, 1);
	str_puts(out, "<path class=\"d\" d=\"");
	for (size_t i = 0; i < s->n; i++)
		if (s->value[i] > c->quiet + c->threshold && k++ % step == 0)
			str_printf(out, "M%.1f %.1fh0", at_x(&p, s->start[i]),
			           at_y(&p, s->value[i] - c->quiet));
	str_puts(out, "\"/></svg>\n");
}

/* How many detours per second are longer than x: measured, and by the model. */
static void lengths_draw(const struct os_series *s, const struct os_cpu *c, const struct os_fit *f,
                         struct str *out)
{
	struct plot p = {.x0 = floor(log10(c->threshold)), .log_x = 1, .log_y = 1, .out = out};
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
	p.x1 = ceil(log10(v[n - 1] * 1.01));
	p.y0 = floor(log10(1 / total));
	p.y1 = ceil(log10((double)n / total * 1.01));
	plot_open(&p,
	          "detours longer than this, per second: measured (blue, periodic ones too), "
	          "random ones of the model (red)",
	          0);
	str_puts(out, "<path class=\"m\" d=\"");
	for (size_t i = 0; i < n; i += n / 1000 + 1)
		str_printf(out, "%s%.1f %.1f", i ? "L" : "M", at_x(&p, v[i]),
		           at_y(&p, (double)(n - i) / total));
	str_puts(out, "\"/><path class=\"c\" d=\"");
	for (int i = 0; i <= 200; i++) {
		double x = pow(10, p.x0 + (p.x1 - p.x0) * i / 200), rate = 0;

		for (int k = 0; k < f->random; k++)
			rate += f->rate[k] *
			        erfc(log(x / f->median[k]) / fmax(f->sigma[k], 1e-9) / 1.41421356) /
			        2;
		str_printf(out, "%s%.1f %.1f", i ? "L" : "M", at_x(&p, x), at_y(&p, rate));
	}
	str_puts(out, "\"/></svg>\n");
	free(v);
}

static void periodogram_draw(const struct os_series *ftq, const struct os_cpu *c, struct str *out)
{
	struct os_period found[OS_PERIODS];
	double *power;
	size_t n;
	struct plot p = {.log_x = 1, .y0 = 0, .y1 = 3, .log_y = 1, .unit_x = " Hz", .out = out};
	char title[200];
	struct err ignored;

	out->failed |= os_periods_find(ftq, found, &power, &n, &ignored) < 0;
	if (!power)
		return;
	p.x0 = log10(1 / (2 * (double)n * ftq->quantum));
	p.x1 = log10(0.5 / ftq->quantum);
	for (size_t k = 1; k < n; k++)
		p.y1 = fmax(p.y1, ceil(log10(fmax(power[k], 1))));
	snprintf(title, sizeof title,
	         "processor %d, fixed time: power of the missing work by frequency, the usual "
	         "being 1; %d periods found (red)",
	         c->cpu, c->periods);
	plot_open(&p, title, 0);
	str_puts(out, "<path class=\"m\" d=\"");
	for (size_t k = 1; k < n;) { /* the largest of those that fall on one column */
		double most = 0, x = at_x(&p, (double)k / (2 * (double)n * ftq->quantum));
		int first = k == 1;

		for (; k < n && at_x(&p, (double)k / (2 * (double)n * ftq->quantum)) <
		                    x + (double)(WIDTH - LEFT - RIGHT) / COLUMNS;
		     k++)
			most = fmax(most, power[k]);
		str_printf(out, "%s%.1f %.1f", first ? "M" : "L", x, at_y(&p, most));
	}
	str_puts(out, "\"/>");
	for (int i = 0; i < c->periods; i++)
		str_printf(out, "<path class=\"c\" d=\"M%.1f %dv8\"/>",
		           at_x(&p, 1 / c->period[i].period), TOP);
	str_puts(out, "</svg>\n");
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

	str_puts(out, "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Noise of "
	              "the operating system</title><style>"
	              "body{font:14px/1.5 system-ui,sans-serif;max-width:880px;margin:2em "
	              "auto;padding:0 1em;color:#222;background:#fff}"
	              "svg{width:100%;height:auto;display:block;margin:.5em 0}svg "
	              "text{font-size:11px;fill:#555}.t{font-size:13px;fill:#222}"
	              ".g{stroke:#e4e4e4;fill:none}.d{stroke:#4477aa;stroke-width:3;stroke-linecap:"
	              "round;stroke-opacity:.4;fill:none}"
	              ".m{stroke:#4477aa;stroke-width:1;fill:none}.c{stroke:#cc3311;stroke-width:2;"
	              "fill:none}.w{border-left:4px solid "
	              "#cc3311;padding-left:.8em}pre{white-space:pre-wrap;color:#333}</"
	              "style><h1>Noise of the operating system</h1>\n");
	if (f->warnings.n) {
		str_puts(out, "<h2>The measurements contradict the model</h2><pre class=\"w\">");
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
	str_puts(out, "</pre></html>\n");
}
