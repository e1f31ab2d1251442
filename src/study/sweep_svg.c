/* sweep_svg.c: the figure of a sweep: how many times the fastest algorithm's time each of the best
 * ones takes, against message size, a panel for each number of ranks; with one message size only,
 * against ranks. Both axes are logarithmic. A time that is over the top is drawn there. Under each
 * panel a strip says which is the fastest, in the colours of the legend, and how long that takes at
 * both ends. Time itself would be five decades high, and all curves one. Colours after Okabe and
 * Ito, told apart by those who see few, and marks of different shapes. */
#include "study.h"

#include "base/markup.h"

#include <math.h>
#include <stdio.h>

enum {
	PANELS_MAX = 9,
	LINES_MAX = 8,
	COLUMNS = 3,
	PANEL_W = 300,
	PANEL_H = 200,
	STRIP_H = 10,
	LEFT = 46,
	TOP = 40,
	GAP_X = 40,
	GAP_Y = 76,
	LEGEND = 250
};
static const double top_max = 16; /* times the fastest */

static const char *const colors[LINES_MAX] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                              "#E69F00", "#56B4E9", "#000000", "#8C6D46"};

struct figure {
	const struct sweep *s;
	int by_ranks;                  /* x is ranks; else bytes */
	const struct sizes *x, *other; /* the values of the two axes: x, and the panels */
	uint32_t line[LINES_MAX],
	    won[LINES_MAX]; /* algorithms; in how many cells each is the fastest */
	uint32_t n_lines;
	uint32_t panel[PANELS_MAX], n_panels; /* indices of `other` */
	double top;                           /* of the y axis */
	double first, last;                   /* of the x axis, binary orders */
};

static const struct sweep_cell *cell_at(const struct figure *f, uint32_t panel, uint32_t x)
{
	return f->by_ranks ? sweep_at(f->s, x, f->panel[panel])
	                   : sweep_at(f->s, f->panel[panel], x);
}

/* --- which algorithms: those that win most cells; then those nearest to the fastest --- */

struct rank_of_alg {
	uint32_t won;
	double bad; /* sum of log(time / fastest) */
};
static struct rank_of_alg alg_rank(const struct sweep *s, uint32_t alg)
{
	struct rank_of_alg r = {0};
	for (uint32_t i = 0; i < s->ranks.n * s->bytes.n; i++) {
		const struct sweep_cell *c = &s->cells[i];
		double t = c->seconds[alg], best = c->unfinished ? 0 : c->seconds[c->fastest];
		r.won += c->fastest == alg && !c->unfinished;
		r.bad += isfinite(t) && best > 0 ? log(t / best) : log(top_max);
	}
	return r;
}
static int is_better(struct rank_of_alg a, struct rank_of_alg b)
{
	return a.won != b.won ? a.won > b.won : a.bad < b.bad;
}

static void lines_choose(struct figure *f)
{
	struct rank_of_alg ranks[LINES_MAX];
	for (uint32_t i = 0; i < f->s->n_algs; i++) {
		struct rank_of_alg r = alg_rank(f->s, i);
		uint32_t at = f->n_lines < LINES_MAX ? f->n_lines++ : LINES_MAX;
		for (; at > 0 && is_better(r, ranks[at - 1]); at--)
			if (at < LINES_MAX) {
				f->line[at] = f->line[at - 1];
				ranks[at] = ranks[at - 1];
			}
		if (at < LINES_MAX) {
			f->line[at] = i;
			ranks[at] = r;
		}
	}
	for (uint32_t k = 0; k < f->n_lines; k++)
		f->won[k] = ranks[k].won;
}

/* --- axes --- */

/* Of line k: times the fastest; 0: it did not run; what took too long is beyond every top. */
static double slowdown(const struct figure *f, const struct sweep_cell *c, uint32_t k)
{
	double t = c->seconds[f->line[k]], best = c->seconds[c->fastest];
	if (c->unfinished || isnan(t) || !isfinite(best))
		return 0;
	return isinf(t) ? HUGE_VAL : best > 0 ? t / best : 1;
}

static void axes_choose(struct figure *f)
{
	f->by_ranks = f->s->bytes.n == 1;
	f->x = f->by_ranks ? &f->s->ranks : &f->s->bytes;
	f->other = f->by_ranks ? &f->s->bytes : &f->s->ranks;
	f->n_panels = f->other->n < PANELS_MAX ? f->other->n : PANELS_MAX;
	f->top = 2;
	for (uint32_t i = 0; i < f->n_panels; i++) {
		f->panel[i] = f->n_panels > 1 ? i * (f->other->n - 1) / (f->n_panels - 1) : 0;
		for (uint32_t x = 0; x < f->x->n; x++)
			for (uint32_t k = 0; k < f->n_lines; k++)
				f->top = fmax(f->top,
				              fmin(slowdown(f, cell_at(f, i, x), k), top_max));
	}
	f->top = exp2(ceil(log2(f->top)));
	if (f->top > f->s->give_up) /* what was given up is somewhere beyond */
		f->top = fmax(f->s->give_up, 2);
	f->first = log2(fmax((double)f->x->v[0], 1));
	f->last = log2(fmax((double)f->x->v[f->x->n - 1], 1));
	if (!(f->last > f->first))
		f->last = f->first + 1;
}

static double x_of(const struct figure *f, int64_t value)
{
	return (log2(fmax((double)value, 1)) - f->first) / (f->last - f->first) * PANEL_W;
}
static double y_of(const struct figure *f, double times)
{
	return PANEL_H - log2(fmin(times, f->top)) / log2(f->top) * PANEL_H;
}

/* "16 Mi" */
static void value_text(char *buf, size_t n, int64_t value, int is_bytes)
{
	if (is_bytes && value >= 1 << 20 && value % (1 << 20) == 0)
		snprintf(buf, n, "%lld Mi", (long long)(value >> 20));
	else if (is_bytes && value >= 1 << 10 && value % (1 << 10) == 0)
		snprintf(buf, n, "%lld Ki", (long long)(value >> 10));
	else
		snprintf(buf, n, "%lld", (long long)value);
}

static void y_axis(const struct figure *f, struct str *out)
{
	for (double v = 1; v <= f->top; v *= 2) {
		double y = y_of(f, v);
		str_printf(out,
		           "<line x1=\"0\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" "
		           "stroke=\"#ddd\"/><text x=\"-6\" y=\"%.1f\" "
		           "text-anchor=\"end\">%s%.0f</text>\n",
		           PANEL_W, y, y, y + 4, v >= f->top ? "&#8805; " : "", v);
	}
}

/* Labels where there is room for them: 34 of them apart. */
static void x_axis(const struct figure *f, struct str *out)
{
	double before = -100;
	char text[32];
	for (uint32_t i = 0; i < f->x->n; i++) {
		double x = x_of(f, f->x->v[i]);
		str_printf(out,
		           "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#888\"/>", x,
		           x, PANEL_H, PANEL_H - 4);
		if (x - before < 34)
			continue;
		value_text(text, sizeof text, f->x->v[i], !f->by_ranks);
		str_printf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x,
		           PANEL_H + STRIP_H + 18, text);
		before = x;
	}
}

/* --- marks --- */

static void mark(struct str *out, uint32_t k, double x, double y)
{
	switch (k % 4) {
	case 0:
		str_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\"/>", x, y,
		           colors[k]);
		break;
	case 1:
		str_printf(out, "<path d=\"M%.1f %.1fm-2.6 -2.6h5.2v5.2h-5.2z\" fill=\"%s\"/>", x,
		           y, colors[k]);
		break;
	case 2:
		str_printf(out, "<path d=\"M%.1f %.1fm0 -3.4l3.2 5.6h-6.4z\" fill=\"%s\"/>", x, y,
		           colors[k]);
		break;
	default:
		str_printf(
		    out, "<path d=\"M%.1f %.1fm0 -3.6l3.6 3.6l-3.6 3.6l-3.6 -3.6z\" fill=\"%s\"/>",
		    x, y, colors[k]);
	}
}

static void panel_line(const struct figure *f, uint32_t i, uint32_t k, struct str *out)
{
	int open = 0;
	str_printf(out, "<path fill=\"none\" stroke-width=\"1.5\" stroke=\"%s\"%s d=\"", colors[k],
	           k >= 4 ? " stroke-dasharray=\"5 3\"" : "");
	for (uint32_t x = 0; x < f->x->n; x++) {
		double t = slowdown(f, cell_at(f, i, x), k);
		if (t > 0)
			str_printf(out, "%s%.1f %.1f", open ? "L" : "M", x_of(f, f->x->v[x]),
			           y_of(f, t));
		open = t > 0;
	}
	str_puts(out, "\"/>");
	for (uint32_t x = 0; x < f->x->n; x++) {
		double t = slowdown(f, cell_at(f, i, x), k);
		if (t > 0)
			mark(out, k, x_of(f, f->x->v[x]), y_of(f, t));
	}
	str_putc(out, '\n');
}

/* From half way to the neighbour before to half way to the next. */
static void panel_strip(const struct figure *f, uint32_t i, struct str *out)
{
	for (uint32_t x = 0; x < f->x->n; x++) {
		const struct sweep_cell *c = cell_at(f, i, x);
		double at = x_of(f, f->x->v[x]), from = x ? (at + x_of(f, f->x->v[x - 1])) / 2 : 0,
		       to = x + 1 < f->x->n ? (at + x_of(f, f->x->v[x + 1])) / 2 : PANEL_W;
		uint32_t k = 0;
		if (c->unfinished)
			continue;
		while (k < f->n_lines && f->line[k] != c->fastest)
			k++;
		str_printf(
		    out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
		    from, PANEL_H + 2, to - from, STRIP_H, k < f->n_lines ? colors[k] : "#bbb");
	}
	str_putc(out, '\n');
}

static void fastest_text(const struct figure *f, uint32_t i, uint32_t x, struct str *out)
{
	const struct sweep_cell *c = cell_at(f, i, x);
	char time[32] = "not measured";
	if (!c->unfinished)
		fmt_seconds(time, sizeof time, f->s->n_algs ? c->seconds[c->fastest] : 0);
	str_printf(out, "<text x=\"%d\" y=\"%d\" fill=\"#666\"%s>%s</text>\n", x ? PANEL_W : 0,
	           PANEL_H + STRIP_H + 32, x ? " text-anchor=\"end\"" : "", time);
}

static void panel(const struct figure *f, uint32_t i, struct str *out)
{
	char title[32];
	value_text(title, sizeof title, f->other->v[f->panel[i]], f->by_ranks);
	str_printf(out, "<g transform=\"translate(%u %u)\">\n",
	           LEFT + i % COLUMNS * (PANEL_W + GAP_X),
	           TOP + 24 + i / COLUMNS * (PANEL_H + GAP_Y));
	str_printf(
	    out,
	    "<text x=\"%d\" y=\"-6\" text-anchor=\"middle\" font-weight=\"bold\">%s %s</text>\n",
	    PANEL_W / 2, title, f->by_ranks ? "bytes" : "ranks");
	y_axis(f, out);
	x_axis(f, out);
	str_printf(out, "<rect width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n",
	           PANEL_W, PANEL_H);
	for (uint32_t k = f->n_lines; k-- > 0;)
		panel_line(f, i, k, out);
	panel_strip(f, i, out);
	fastest_text(f, i, 0, out);
	if (f->x->n > 1)
		fastest_text(f, i, f->x->n - 1, out);
	str_puts(out, "</g>\n");
}

static void legend(const struct figure *f, uint32_t x, struct str *out)
{
	const uint32_t cells = f->s->ranks.n * f->s->bytes.n - f->s->unfinished;
	uint32_t y = TOP + 34, shown = 0;
	for (uint32_t k = 0; k < f->n_lines; k++, y += 20) {
		str_printf(out,
		           "<line x1=\"%u\" x2=\"%u\" y1=\"%u\" y2=\"%u\" stroke-width=\"2\" "
		           "stroke=\"%s\"%s/>",
		           x, x + 28, y, y, colors[k], k >= 4 ? " stroke-dasharray=\"5 3\"" : "");
		mark(out, k, x + 14, y);
		str_printf(out, "<text x=\"%u\" y=\"%u\">%s", x + 34, y + 4,
		           f->s->algs[f->line[k]]->name);
		if (f->won[k])
			str_printf(out, " <tspan fill=\"#666\">(fastest %u of %u)</tspan>",
			           f->won[k], cells);
		str_puts(out, "</text>\n");
		shown += f->won[k];
	}
	if (shown < cells)
		str_printf(out,
		           "<rect x=\"%u\" y=\"%u\" width=\"28\" height=\"%d\" "
		           "fill=\"#bbb\"/><text x=\"%u\" y=\"%u\">others</text>\n",
		           x, y - 5, STRIP_H, x + 34, y + 4);
}

void sweep_svg(const struct sweep *s, const char *machine, struct str *out)
{
	struct figure f = {.s = s};
	lines_choose(&f);
	axes_choose(&f);
	uint32_t columns = f.n_panels < COLUMNS ? f.n_panels : COLUMNS,
	         rows = (f.n_panels + COLUMNS - 1) / COLUMNS;
	uint32_t panels_w = LEFT + columns * (PANEL_W + GAP_X),
	         h = TOP + 24 + rows * (PANEL_H + GAP_Y);
	if (h < TOP + 34 + 20 * (LINES_MAX + 1) + 10)
		h = TOP + 34 + 20 * (LINES_MAX + 1) + 10;
	str_printf(out,
	           "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
	           "font-family=\"sans-serif\" font-size=\"11\">\n"
	           "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" "
	           "y=\"20\" font-size=\"14\">%s on ",
	           panels_w + LEGEND, h, LEFT, coll_kind_name(s->kind));
	str_put_markup(out, machine);
	str_printf(out,
	           "</text>\n<text x=\"%d\" y=\"36\" fill=\"#666\">times the fastest algorithm's "
	           "time, against %s; below: the "
	           "fastest, and how "
	           "long it takes%s</text>\n",
	           LEFT, f.by_ranks ? "ranks" : "bytes",
	           s->means_little ? "; means little: the machine's overheads are not known" : "");
	for (uint32_t i = 0; i < f.n_panels; i++)
		panel(&f, i, out);
	legend(&f, panels_w, out);
	str_puts(out, "</svg>\n");
}
