/* network_report.c: one HTML page, no script, nothing loaded: every measurement and the lines
 * fitted through them, on logarithmic axes, the residuals below each other, and what was found in
 * words. */
#include "base/markup.h"
#include "network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	WIDTH = 860,
	HEIGHT = 300,
	LEFT = 70,
	RIGHT = 12,
	TOP = 24,
	BOTTOM = 34,
	DOTS = 4000,
	STEPS = 400
};

struct panel {
	double x0, x1, y0, y1; /* logarithms to base 10, or y plain */
	int log_y;
	const char *unit; /* of x */
	struct str *out;
};

static double at_x(const struct panel *p, double size)
{
	return LEFT + (log10(fmax(size, 1)) - p->x0) / (p->x1 - p->x0) * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct panel *p, double v)
{
	double t = ((p->log_y ? log10(fmax(v, 1e-12)) : v) - p->y0) / (p->y1 - p->y0);

	return HEIGHT - BOTTOM - fmin(fmax(t, 0), 1) * (HEIGHT - TOP - BOTTOM);
}

static void axes(const struct panel *p, const char *title)
{
	char label[32];

	str_printf(p->out,
	           "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s</title><text class=\"t\" "
	           "x=\"%d\" y=\"15\">%s</text>\n",
	           WIDTH, HEIGHT, title, LEFT, title);
	for (int e = (int)ceil(p->x0); e <= (int)floor(p->x1); e++)
		str_printf(p->out,
		           "<path class=\"g\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" "
		           "text-anchor=\"middle\">1e%d</text>\n",
		           at_x(p, pow(10, e)), TOP, HEIGHT - BOTTOM, at_x(p, pow(10, e)),
		           HEIGHT - BOTTOM + 16, e);
	str_printf(p->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", WIDTH - RIGHT,
	           HEIGHT - BOTTOM + 28, p->unit);
	for (int i = 0, n = p->log_y ? (int)(p->y1 - p->y0) : 4; i <= n;
	     i++) { /* powers of ten, or quarters */
		double v = p->log_y ? pow(10, p->y0 + i) : p->y0 + i * (p->y1 - p->y0) / 4;

		if (p->log_y)
			fmt_seconds(label, sizeof label, v);
		else
			snprintf(label, sizeof label, "%+.0f %%", 100 * v);
		str_printf(p->out,
		           "<path class=\"g\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
		           "text-anchor=\"end\">%s</text>\n",
		           LEFT, at_y(p, v), WIDTH - RIGHT, LEFT - 5, at_y(p, v) + 4, label);
	}
}

static void dots(const struct panel *p, const double *x, const double *y, size_t n)
{
	size_t step = n / DOTS + 1;

	str_puts(p->out, "<path class=\"d\" d=\"");
	for (size_t i = 0; i < n; i += step)
		str_printf(p->out, "M%.1f %.1fh0", at_x(p, x[i]), at_y(p, y[i]));
	str_puts(p->out, "\"/>\n");
}

typedef double value_fn(const struct net_fit *f, double size);

static void curve(const struct panel *p, const struct net_fit *f, value_fn *value, double from,
                  double to)
{
	int pen = 0;

	str_puts(p->out, "<path class=\"c\" d=\"");
	for (int i = 0; i <= STEPS; i++) {
		double size = pow(10, p->x0 + (p->x1 - p->x0) * i / STEPS), v = value(f, size);

		if (size < from || size >= to || v <= 0)
			continue;
		str_printf(p->out, "%s%.1f %.1f", pen++ ? "L" : "M", at_x(p, size), at_y(p, v));
	}
	str_puts(p->out, "\"/>\n");
}

static double value_os(const struct net_fit *f, double size)
{
	return net_table_value(&f->os, size);
}
static double value_ois(const struct net_fit *f, double size)
{
	return net_table_value(&f->ois, size);
}
static double value_or(const struct net_fit *f, double size)
{
	return net_table_value(&f->or_, size);
}

/* Of the measurements below `to`, as y, how far they are from the line; how many. What is above was
 * not fitted: there the call waits for its receiver. */
static size_t residuals(const struct net_fit *f, value_fn *value, double to, double *x, double *y,
                        size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		double v = value(f, x[i] > 0 ? x[i] : 1);

		if (x[i] >= to)
			continue;
		x[kept] = x[i];
		y[kept++] = v > 0 ? y[i] / v - 1 : 0;
	}
	return kept;
}

/* One operation: its measurements (times `scale`), the line, and below the relative residuals of
 * those that it was fitted to. */
static void operation(const struct net_raw *raw, const struct net_fit *f, enum net_op op,
                      double scale, value_fn *value, double to, const char *title, struct str *out)
{
	struct panel p = {
	    .x0 = 0, .x1 = log10(fmax(f->largest, 10)), .log_y = 1, .unit = "bytes", .out = out};
	double *x, *y, lo = INFINITY, hi = 0;
	char text[200];
	size_t n = net_raw_take(raw, op, 0, 0, 0, INFINITY, &x, &y);

	if (!x || n == 0) {
		out->failed |= !x;
		free(x);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		y[i] *= scale;
		lo = fmin(lo, y[i]);
		hi = fmax(hi, y[i]);
	}
	p.y0 = floor(log10(fmax(lo, 1e-9)));
	p.y1 = ceil(log10(fmax(hi, 1e-8)));
	snprintf(text, sizeof text, "%s (%zu measurements)", title, n);
	axes(&p, text);
	dots(&p, x, y, n);
	curve(&p, f, value, 0, to);
	str_puts(out, "</svg>\n");
	n = residuals(f, value, to, x, y, n);
	p = (struct panel){.x0 = 0, .x1 = p.x1, .y0 = -0.5, .y1 = 0.5, .unit = "bytes", .out = out};
	snprintf(text, sizeof text,
	         "%s: measured / fitted - 1 (%zu measurements; beyond 50 %%: at the edge)", title,
	         n);
	axes(&p, text);
	dots(&p, x, y, n);
	str_puts(out, "</svg>\n");
	free(x);
}

static void table_put(const char *name, const struct net_table *t, struct str *out)
{
	int noise = 0;

	for (int i = 0; i < t->n; i++)
		noise |= t->piece[i].noise.n > 0;
	str_printf(out,
	           "<h3>%s</h3><table><tr><th>above, bytes<th>95 %%<th>base, s<th>± (95 %%)<th>per "
	           "byte, s<th>± (95 "
	           "%%)<th>deviation%s\n",
	           name, noise ? "<th>noise: weight × (mean ± deviation)" : "");
	for (int i = 0; i < t->n; i++) {
		const struct net_piece *q = &t->piece[i];

		str_printf(out, "<tr><td>%.0f<td>", q->from);
		if (q->from_high > 0)
			str_printf(out, "%.0f to %.0f", q->from_low, q->from_high);
		str_printf(out, "<td>%.4g<td>%.2g<td>%.4g<td>%.2g<td>%.1f %%%s", q->base,
		           q->base_95, q->per_byte, q->per_byte_95, 100 * q->sigma,
		           noise ? "<td>" : "");
		for (int k = 0; k < q->noise.n; k++)
			str_printf(out, "%s%.3g × (%.4g ± %.2g)", k ? ", " : "", q->noise.weight[k],
			           q->noise.mean[k], q->noise.sigma[k]);
	}
	str_puts(out, "</table>\n");
}

static void cabinets_tell(const struct net_raw *raw, struct str *out)
{
	const struct net_cabinets *c = &raw->cabinets;

	for (int k = 0; k < c->n && c->n > 1; k++) {
		str_printf(out, "<tr><td>cabinet %d<td>", k);
		for (int h = 0; h < c->hosts; h++)
			if (c->of[h] == k) {
				str_put_markup(out, net_host_name(raw, h));
				str_putc(out, ' ');
			}
		str_putc(out, '\n');
	}
	if (c->deviation > 0)
		str_printf(out,
		           "<tr><td>hosts that all send at once, rates beside what %s "
		           "explains<td>%.1f %% deviation\n",
		           c->n > 1 ? "cabinets" : "one switch", 100 * c->deviation);
}

static void facts(const struct net_raw *raw, const struct net_fit *f, struct str *out)
{
	str_puts(out, "<table>\n");
	str_printf(out, "<tr><td>latency between two hosts<td>%.4g ± %.2g s (95 %%)\n", f->latency,
	           f->latency_95);
	str_printf(out, "<tr><td>bandwidth<td>%.5g", f->bandwidth);
	if (f->bandwidth_95 > 0)
		str_printf(out, " ± %.2g B/s (95 %%)\n", f->bandwidth_95);
	else
		str_puts(out, " B/s\n");
	if (f->burst > 0)
		str_printf(out, "<tr><td>an idle link sends at once<td>%.0f bytes\n", f->burst);
	str_printf(out,
	           "<tr><td>MPI_Send returns without its receiver below<td>%.0f bytes (largest "
	           "seen to do so: %.0f)\n",
	           f->detached, f->detached_low);
	str_printf(out,
	           "<tr><td>data move without the receiver below<td>%.0f bytes (largest seen to do "
	           "so: %.0f)\n",
	           fmin(f->eager, f->detached), f->eager_low);
	if (f->exchange_ratio > 0)
		str_printf(out,
		           "<tr><td>both directions at once, against one<td>%.3f times as long%s\n",
		           f->exchange_ratio,
		           f->crosstraffic > 0 ? ": acknowledgements take a part"
		           : f->limiter > 0    ? ": a limiter"
		                               : "");
	if (f->limiter > 0)
		str_printf(out, "<tr><td>limiter of a host, both directions together<td>%.5g B/s\n",
		           f->limiter);
	if (f->efficiency > 0)
		str_printf(out,
		           "<tr><td>%d disjoint pairs at once, each against one alone<td>%.0f %%\n",
		           f->max_pairs, 100 * f->efficiency);
	if (f->processors > 0)
		str_printf(out,
		           "<tr><td>hosts are virtual, of one computer: processors that they "
		           "share; work of one for a "
		           "message<td>%.0f; %.3g s\n",
		           f->processors, f->work);
	if (f->uplink > 0)
		str_printf(out, "<tr><td>link of a cabinet<td>%.5g B/s, %.3g s\n", f->uplink,
		           f->uplink_latency);
	cabinets_tell(raw, out);
	if (f->local_bandwidth > 0)
		str_printf(out, "<tr><td>inside a host<td>%.5g B/s, %.3g s\n", f->local_bandwidth,
		           f->local_latency);
	str_puts(out, "</table>\n");
}

static void trials_put(const struct net_fit *f, struct str *out)
{
	if (f->trials == 0)
		return;
	str_puts(out, "<h3>Programs that had no part in the fit</h3><table><tr><th>largest "
	              "message, bytes<th>measured, s<th>predicted, "
	              "s<th>predicted / measured - 1\n");
	for (int i = 0; i < f->trials; i++) {
		const struct net_trial *t = &f->trial[i];

		str_printf(out, "<tr><td>%.0f<td>%.4g<td>%.4g<td>%+.1f %%", t->size, t->real,
		           t->predicted, 100 * (t->predicted / t->real - 1));
	}
	str_puts(out, "</table>\n<p>What is common to a run (noise/run-network) by size:");
	for (int i = 0; i < f->discrepancies; i++)
		str_printf(out, "%s above %.0f bytes -%.3g, +%.3g %% (%d programs)", i ? "," : "",
		           f->discrepancy[i].from, 100 * f->discrepancy[i].below,
		           100 * f->discrepancy[i].above, f->discrepancy[i].n);
	str_puts(out, "</p>\n");
}

/* Exchanges of large messages, some time after a small one: once or twice as long. */
static void notices_put(const struct net_raw *raw, const struct net_fit *f, struct str *out)
{
	struct panel p = {.x0 = 0, .x1 = 4, .y0 = -0.5, .y1 = 1.5, .unit = "0.1 us", .out = out};
	double *x = malloc(2 * ((size_t)raw->n + 1) * sizeof *x), *y = x + raw->n + 1;
	size_t n = 0;
	char text[200];

	for (uint32_t i = 1; x && i < raw->n; i++) {
		const struct net_row *r = &raw->rows[i];

		if (r->op != NET_REACT || r[-1].op != NET_GAP || r[-1].src != r->src)
			continue;
		x[n] = 1e7 * r[-1].duration;
		y[n++] = r->duration / net_fit_pingpong(f, r->size) - 1;
	}
	if (n) {
		str_puts(out, "<h3>How long a rank that waits takes to look "
		              "(smpi/notice)</h3><table><tr><th>pairs at "
		              "once<th>exchanges<th>of them twice as long<th>median, s<th>95 "
		              "%<th>deviation of its logarithm\n");
		for (int i = 0; i < f->notices; i++)
			str_printf(out, "<tr><td>%d<td>%d<td>%d<td>%.3g<td>%.3g to %.3g<td>%.2g\n",
			           f->notice[i].pairs, f->notice[i].n, f->notice[i].twice,
			           f->notice[i].median, f->notice[i].low, f->notice[i].high,
			           f->notice[i].deviation);
		str_puts(out, "</table>\n");
		snprintf(text, sizeof text,
		         "exchange / one direction - 1, by how late it begins after the message "
		         "before it (%zu measurements)",
		         n);
		axes(&p, text);
		dots(&p, x, y, n);
		str_puts(out, "</svg>\n");
	}
	free(x);
}

void net_report_write(const struct net_raw *raw, const struct net_fit *f, const char *title,
                      struct str *out)
{
	str_puts(out, "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>");
	str_put_markup(out, title);
	str_puts(out, "</title><style>body{font:14px/1.5 "
	              "system-ui,sans-serif;max-width:880px;margin:2em auto;padding:0 "
	              "1em;color:#222;background:#fff}"
	              "svg{width:100%;height:auto;display:block;margin:.5em 0}svg "
	              "text{font-size:11px;fill:#555}.t{font-size:13px;fill:#222}"
	              ".g{stroke:#e4e4e4;fill:none}.d{stroke:#4477aa;stroke-width:3;stroke-linecap:"
	              "round;stroke-opacity:.35;fill:none}"
	              ".c{stroke:#cc3311;stroke-width:2;fill:none}table{border-collapse:collapse;"
	              "margin:.5em 0}td,th{padding:.15em "
	              ".6em;text-align:left;"
	              "border-bottom:1px solid "
	              "#ddd;font-variant-numeric:tabular-nums}td+td:not(:last-child){white-space:"
	              "nowrap}.w{border-left:4px solid "
	              "#cc3311;padding-left:.8em}pre{white-space:pre-wrap;"
	              "color:#555}</style><h1>");
	str_put_markup(out, title);
	str_puts(out, "</h1>\n");
	if (f->warnings.n) {
		str_puts(out, "<h2>The measurements contradict the model</h2><p class=\"w\">");
		for (const char *p = f->warnings.s; *p; p++) {
			char one[2] = {*p, 0};

			if (*p == '\n')
				str_puts(out, "<br>");
			else
				str_put_markup(out, one);
		}
		str_puts(out, "</p>\n");
	}
	facts(raw, f, out);
	trials_put(f, out);
	notices_put(raw, f, out);
	operation(raw, f, NET_PINGPONG, 0.5, net_fit_pingpong, INFINITY, "half a round trip", out);
	table_put("Transfer of one message, overheads taken off", &f->transfer, out);
	operation(raw, f, NET_SEND, 1, value_os, f->detached,
	          "MPI_Send (fitted below the threshold)", out);
	table_put("Overhead of MPI_Send", &f->os, out);
	operation(raw, f, NET_ISEND, 1, value_ois, INFINITY, "MPI_Isend", out);
	table_put("Overhead of MPI_Isend", &f->ois, out);
	operation(raw, f, NET_RECV, 1, value_or, f->detached,
	          "MPI_Recv of a message that is there (fitted below the threshold)", out);
	table_put("Overhead of MPI_Recv", &f->or_, out);
	if (raw->meta.n) {
		str_puts(out, "<h2>Measured on</h2><pre>");
		str_put_markup(out, raw->meta.s);
		str_puts(out, "</pre>");
	}
	str_puts(out, "</html>\n");
}
