/* sweep_svg.c: the figure of a sweep: time per byte against the number of ranks, both logarithmic, a panel for each message size, a line for each of
 * the best algorithms. Colours after Okabe and Ito, told apart by those who see few; dashes tell the second five. */
#include "study.h"

#include <math.h>
#include <stdio.h>

enum { PANELS_MAX = 9, LINES_MAX = 10, COLUMNS = 3, PANEL_W = 300, PANEL_H = 220, LEFT = 56, TOP = 30, GAP = 26, LEGEND = 200 };

static const char *const colors[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"};

struct figure {
	const struct sweep *s;
	uint32_t line[LINES_MAX], n_lines;    /* algorithms */
	uint32_t panel[PANELS_MAX], n_panels; /* message sizes */
	double low, high;                     /* of time per byte, decades */
	double first, last;                   /* of ranks, binary orders */
};

/* How far an algorithm is from the fastest, over the cells where it could run; those that rarely can come last. */
static double badness(const struct sweep *s, uint32_t alg)
{
	double sum = 0;
	for (uint32_t i = 0; i < s->ranks.n * s->bytes.n; i++) {
		const struct sweep_cell *c = &s->cells[i];
		double t = c->seconds[alg], best = c->seconds[c->fastest];
		sum += isfinite(t) && best > 0 ? log(t / best) : log(SWEEP_GIVE_UP);
	}
	return sum;
}

static void lines_choose(struct figure *f)
{
	for (uint32_t i = 0; i < f->s->n_algs; i++) {
		double bad = badness(f->s, i);
		uint32_t at = f->n_lines < LINES_MAX ? f->n_lines++ : LINES_MAX;
		while (at > 0 && badness(f->s, f->line[at - 1]) > bad) {
			if (at < LINES_MAX)
				f->line[at] = f->line[at - 1];
			at--;
		}
		if (at < LINES_MAX)
			f->line[at] = i;
	}
}

static double per_byte(const struct figure *f, uint32_t p, uint32_t b, uint32_t alg)
{
	double bytes = (double)f->s->bytes.v[b];
	return sweep_at(f->s, p, b)->seconds[alg] / (bytes > 0 ? bytes : 1);
}

static void axes_choose(struct figure *f)
{
	const struct sweep *s = f->s;
	f->n_panels = s->bytes.n < PANELS_MAX ? s->bytes.n : PANELS_MAX;
	for (uint32_t i = 0; i < f->n_panels; i++)
		f->panel[i] = f->n_panels > 1 ? i * (s->bytes.n - 1) / (f->n_panels - 1) : 0;
	f->low = HUGE_VAL;
	f->high = -HUGE_VAL;
	for (uint32_t i = 0; i < f->n_panels; i++)
		for (uint32_t p = 0; p < s->ranks.n; p++)
			for (uint32_t k = 0; k < f->n_lines; k++) {
				double t = per_byte(f, p, f->panel[i], f->line[k]);
				if (!isfinite(t) || t <= 0)
					continue;
				f->low = fmin(f->low, floor(log10(t)));
				f->high = fmax(f->high, ceil(log10(t)));
			}
	if (!(f->low < f->high)) {
		f->low = isfinite(f->low) ? f->low - 1 : -9;
		f->high = f->low + 2;
	}
	f->first = log2((double)s->ranks.v[0]);
	f->last = log2((double)s->ranks.v[s->ranks.n - 1]);
	if (!(f->last > f->first))
		f->last = f->first + 1;
}

static double x_of(const struct figure *f, double ranks)
{
	return (log2(ranks) - f->first) / (f->last - f->first) * PANEL_W;
}
static double y_of(const struct figure *f, double t)
{
	return PANEL_H - (log10(t) - f->low) / (f->high - f->low) * PANEL_H;
}

static void bytes_text(char *buf, size_t n, int64_t bytes)
{
	if (bytes >= 1 << 20 && bytes % (1 << 20) == 0)
		snprintf(buf, n, "%lld MiB", (long long)(bytes >> 20));
	else if (bytes >= 1 << 10 && bytes % (1 << 10) == 0)
		snprintf(buf, n, "%lld KiB", (long long)(bytes >> 10));
	else
		snprintf(buf, n, "%lld bytes", (long long)bytes);
}

static void panel_grid(const struct figure *f, int labels, struct str *out)
{
	str_printf(out, "<rect width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n", PANEL_W, PANEL_H);
	for (double d = f->low; d <= f->high; d++) {
		double y = y_of(f, pow(10, d));
		str_printf(out, "<line x1=\"0\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>", PANEL_W, y, y);
		if (labels)
			str_printf(out, "<text x=\"-6\" y=\"%.1f\" text-anchor=\"end\">1e%.0f</text>", y + 4, d);
		str_putc(out, '\n');
	}
	for (double e = ceil(f->first); e <= f->last; e++) {
		double x = x_of(f, exp2(e));
		str_printf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n", x, PANEL_H + 14, exp2(e));
	}
}

static void panel_line(const struct figure *f, uint32_t b, uint32_t k, struct str *out)
{
	int open = 0;
	str_printf(out, "<path fill=\"none\" stroke-width=\"1.6\" stroke=\"%s\"%s d=\"", colors[k % 5],
	           k >= 5 ? " stroke-dasharray=\"5 3\"" : "");
	for (uint32_t p = 0; p < f->s->ranks.n; p++) {
		double t = per_byte(f, p, b, f->line[k]);
		if (!isfinite(t) || t <= 0) {
			open = 0;
			continue;
		}
		str_printf(out, "%s%.1f %.1f", open ? "L" : "M", x_of(f, (double)f->s->ranks.v[p]), y_of(f, t));
		open = 1;
	}
	str_puts(out, "\"/>\n");
}

static void panel(const struct figure *f, uint32_t i, struct str *out)
{
	char title[48];
	bytes_text(title, sizeof title, f->s->bytes.v[f->panel[i]]);
	str_printf(out, "<g transform=\"translate(%u %u)\">\n", LEFT + i % COLUMNS * (PANEL_W + GAP),
	           TOP + 24 + i / COLUMNS * (PANEL_H + 2 * GAP));
	str_printf(out, "<text x=\"%d\" y=\"-6\" text-anchor=\"middle\" font-weight=\"bold\">%s</text>\n", PANEL_W / 2, title);
	panel_grid(f, i % COLUMNS == 0, out);
	for (uint32_t k = 0; k < f->n_lines; k++)
		panel_line(f, f->panel[i], k, out);
	str_puts(out, "</g>\n");
}

static void legend(const struct figure *f, uint32_t x, struct str *out)
{
	for (uint32_t k = 0; k < f->n_lines; k++) {
		uint32_t y = TOP + 34 + 18 * k;
		str_printf(out,
		           "<line x1=\"%u\" x2=\"%u\" y1=\"%u\" y2=\"%u\" stroke-width=\"2\" stroke=\"%s\"%s/><text x=\"%u\" "
		           "y=\"%u\">%s</text>\n",
		           x, x + 24, y, y, colors[k % 5], k >= 5 ? " stroke-dasharray=\"5 3\"" : "", x + 30, y + 4,
		           f->s->algs[f->line[k]]->name);
	}
}

static void escaped(struct str *out, const char *text)
{
	for (; *text; text++)
		if (*text == '<' || *text == '&' || *text == '>' || *text == '"')
			str_printf(out, "&#%d;", *text);
		else
			str_putc(out, *text);
}

void sweep_svg(const struct sweep *s, const char *machine, struct str *out)
{
	struct figure f = {.s = s};
	lines_choose(&f);
	axes_choose(&f);
	uint32_t columns = f.n_panels < COLUMNS ? f.n_panels : COLUMNS, rows = (f.n_panels + COLUMNS - 1) / COLUMNS;
	uint32_t panels_w = LEFT + columns * (PANEL_W + GAP), h = TOP + 24 + rows * (PANEL_H + 2 * GAP) + 10;
	if (h < TOP + 34 + 18 * LINES_MAX + 10)
		h = TOP + 34 + 18 * LINES_MAX + 10;
	str_printf(
	    out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-family=\"sans-serif\" font-size=\"11\">\n"
	    "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"20\" font-size=\"14\">%s on ",
	    panels_w + LEGEND, h, LEFT, coll_kind_name(s->kind));
	escaped(out, machine);
	str_printf(out, ": time per byte (s) against ranks, the %u best of %u algorithms</text>\n", f.n_lines, s->n_algs);
	for (uint32_t i = 0; i < f.n_panels; i++)
		panel(&f, i, out);
	legend(&f, panels_w, out);
	str_puts(out, "</svg>\n");
}
