/* network_report.c: the page of a network: every measurement and the lines fitted through them, on
 * logarithmic axes, the residuals below each other, and what was found in words. */
#include "base/markup.h"
#include "calibrate/plot.h"
#include "network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Points of a fitted line. */
enum { STEPS = 400 };

typedef double value_fn(const struct net_fit *f, double size);

static void curve(const struct plot *p, const struct net_fit *f, value_fn *value, double from,
                  double to)
{
	int is_first = 1;

	plot_line_open(p, PLOT_FITTED);
	for (int i = 0; i <= STEPS; i++) {
		double size = plot_value(&p->x, (double)i / STEPS), v = value(f, size);

		if (size < from || size >= to || v <= 0)
			continue;
		plot_line_to(p, size, v, is_first);
		is_first = 0;
	}
	plot_line_close(p);
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

/* s: a nanosecond, shorter than any call takes: where the axis of time begins at the earliest. What
 * is drawn of residuals either way. */
static const double TIME_LEAST = 1e-9, RESIDUAL_MOST = 0.5;

/* One operation: its measurements (times `scale`), the line, and below the relative residuals of
 * those that it was fitted to. */
static void operation(const struct net_raw *raw, const struct net_fit *f, enum net_op op,
                      double scale, value_fn *value, double to, const char *title, struct str *out)
{
	const struct plot_axis bytes = {0, log10(fmax(f->largest, 10)), 1, PLOT_BYTES};
	struct plot p = {.x = bytes, .out = out};
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
	p.y = (struct plot_axis){floor(log10(fmax(lo, TIME_LEAST))),
	                         ceil(log10(fmax(hi, 10 * TIME_LEAST))), 1, PLOT_SECONDS};
	snprintf(text, sizeof text, "%s (%zu measurements)", title, n);
	plot_open(&p, text);
	plot_dots(&p, x, y, n);
	curve(&p, f, value, 0, to);
	plot_close(&p);
	n = residuals(f, value, to, x, y, n);
	p.y = (struct plot_axis){-RESIDUAL_MOST, RESIDUAL_MOST, 0, PLOT_RELATIVE};
	snprintf(text, sizeof text,
	         "%s: measured / fitted - 1 (%zu measurements; beyond %.0f %%: at the edge)", title,
	         n, 100 * RESIDUAL_MOST);
	plot_open(&p, text);
	plot_dots(&p, x, y, n);
	plot_close(&p);
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

/* latency, s; below 0: there is none. */
static void rate_put(const char *what, double bandwidth, double latency, struct str *out)
{
	char a[32], b[32];

	fmt_si(a, sizeof a, bandwidth, "B/s");
	fmt_seconds(b, sizeof b, latency);
	str_printf(out, "<tr><td>%s<td>%s%s%s\n", what, a, latency < 0 ? "" : ", ",
	           latency < 0 ? "" : b);
}

static void facts(const struct net_raw *raw, const struct net_fit *f, struct str *out)
{
	char a[32], b[32];

	fmt_seconds(a, sizeof a, f->latency);
	fmt_seconds(b, sizeof b, f->latency_95);
	str_printf(out, "<table>\n<tr><td>latency between two hosts<td>%s ± %s (95 %%)\n", a, b);
	fmt_si(a, sizeof a, f->bandwidth, "B/s");
	fmt_si(b, sizeof b, f->bandwidth_95, "B/s");
	if (f->bandwidth_95 > 0)
		str_printf(out, "<tr><td>bandwidth<td>%s ± %s (95 %%)\n", a, b);
	else
		str_printf(out, "<tr><td>bandwidth<td>%s\n", a);
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
		rate_put("limiter of a host, both directions together", f->limiter, -1, out);
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
		rate_put("link of a cabinet", f->uplink, f->uplink_latency, out);
	cabinets_tell(raw, out);
	if (f->local_bandwidth > 0)
		rate_put("inside a host", f->local_bandwidth, f->local_latency, out);
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
	const struct plot p = {.x = {-7, -3, 1, PLOT_SECONDS}, /* 0.1 us to 1 ms */
	                       .y = {-0.5, 1.5, 0, PLOT_RELATIVE},
	                       .out = out};
	double *x = malloc(2 * ((size_t)raw->n + 1) * sizeof *x), *y = x + raw->n + 1;
	size_t n = 0;
	char text[200];

	for (uint32_t i = 1; x && i < raw->n; i++) {
		const struct net_row *r = &raw->rows[i];

		if (r->op != NET_REACT || r[-1].op != NET_GAP || r[-1].src != r->src)
			continue;
		x[n] = r[-1].duration;
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
		plot_open(&p, text);
		plot_dots(&p, x, y, n);
		plot_close(&p);
	}
	free(x);
}

void net_report_write(const struct net_raw *raw, const struct net_fit *f, const char *title,
                      struct str *out)
{
	page_open(title, out);
	if (f->warnings.n) {
		str_puts(out,
		         "<h2>What contradicts the model, or is left open</h2><p class=\"w\">");
		str_put_markup(out, f->warnings.s);
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
	page_close(out);
}
