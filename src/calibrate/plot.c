/* plot.c: see plot.h. */
#include "plot.h"

#include "base/markup.h"

#include <math.h>
#include <stdio.h>

/* Of a figure, in pixels before it is scaled to the page. */
enum { WIDTH = 860, HEIGHT = 270, LEFT = 70, RIGHT = 24, TOP = 24, BOTTOM = 26 };
/* More dots than that make a page large and show no more. Parts of an axis that is not marked at
 * powers of ten; fewer powers than POWERS_LEAST are too few marks. */
enum { DOTS = 4000, PARTS = 4, POWERS_LEAST = 2 };
/* What a logarithm is taken of, at least: 0 bytes, 0 s are at the end of their axis. */
static const double LEAST = 1e-12;

void page_open(const char *title, struct str *out)
{
	str_puts(out, "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><meta "
	              "name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>");
	str_put_markup(out, title);
	str_puts(out, "</title><style>\n");
	str_putn(out, measured_style.text, measured_style.n);
	str_puts(out, "</style><h1>");
	str_put_markup(out, title);
	str_puts(out, "</h1>\n");
}

void page_close(struct str *out)
{
	str_puts(out, "</html>\n");
}

static double part_of(const struct plot_axis *a, double v)
{
	double t = ((a->log ? log10(fmax(v, LEAST)) : v) - a->from) / (a->to - a->from);

	return fmin(fmax(t, 0), 1);
}

double plot_value(const struct plot_axis *a, double part)
{
	double v = a->from + part * (a->to - a->from);

	return a->log ? pow(10, v) : v;
}

double plot_x(const struct plot *p, double v)
{
	return LEFT + part_of(&p->x, v) * (WIDTH - LEFT - RIGHT);
}

static double plot_y(const struct plot *p, double v)
{
	return HEIGHT - BOTTOM - part_of(&p->y, v) * (HEIGHT - TOP - BOTTOM);
}

static void label_write(char *label, size_t n, double v, enum plot_unit unit)
{
	switch (unit) {
	case PLOT_SECONDS:
		fmt_seconds(label, n, v);
		break;
	case PLOT_BYTES:
		fmt_si(label, n, v, "B");
		break;
	case PLOT_HERTZ:
		fmt_si(label, n, v, "Hz");
		break;
	case PLOT_NUMBER:
		fmt_si(label, n, v, "");
		break;
	case PLOT_RELATIVE:
		snprintf(label, n, "%+.0f %%", 100 * v);
		if (fabs(v) < 0.005)
			snprintf(label, n, "0 %%");
		break;
	}
}

static void x_mark(const struct plot *p, double v, const char *label)
{
	str_printf(p->out,
	           "<path class=\"g\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" "
	           "text-anchor=\"middle\">%s</text>\n",
	           plot_x(p, v), TOP, HEIGHT - BOTTOM, plot_x(p, v), HEIGHT - BOTTOM + 16, label);
}

static void y_mark(const struct plot *p, double v, const char *label)
{
	str_printf(p->out,
	           "<path class=\"g\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
	           "text-anchor=\"end\">%s</text>\n",
	           LEFT, plot_y(p, v), WIDTH - RIGHT, LEFT - 5, plot_y(p, v) + 4, label);
}

/* At powers of ten where there are some; else at equal parts. */
static void axis_draw(const struct plot *p, const struct plot_axis *a,
                      void (*mark)(const struct plot *p, double v, const char *label))
{
	double first = ceil(a->from), last = floor(a->to), powers = last - first;
	int is_powers = a->log && powers >= POWERS_LEAST, n = is_powers ? (int)powers : PARTS;
	char label[32];

	for (int i = 0; i <= n; i++) {
		double v = is_powers ? pow(10, first + i) : plot_value(a, (double)i / PARTS);

		label_write(label, sizeof label, v, a->unit);
		mark(p, v, label);
	}
}

void plot_open(const struct plot *p, const char *title)
{
	str_printf(p->out,
	           "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s</title><text class=\"t\" "
	           "x=\"%d\" y=\"15\">%s</text>\n",
	           WIDTH, HEIGHT, title, LEFT, title);
	axis_draw(p, &p->x, x_mark);
	axis_draw(p, &p->y, y_mark);
}

void plot_dots(const struct plot *p, const double *x, const double *y, size_t n)
{
	str_puts(p->out, "<path class=\"d\" d=\"");
	for (size_t i = 0; i < n; i += n / DOTS + 1)
		str_printf(p->out, "M%.1f %.1fh0", plot_x(p, x[i]), plot_y(p, y[i]));
	str_puts(p->out, "\"/>\n");
}

void plot_line_open(const struct plot *p, enum plot_line kind)
{
	str_printf(p->out, "<path class=\"%s\" d=\"", kind == PLOT_MEASURED ? "m" : "c");
}

void plot_line_to(const struct plot *p, double x, double y, int is_first)
{
	str_printf(p->out, "%s%.1f %.1f", is_first ? "M" : "L", plot_x(p, x), plot_y(p, y));
}

void plot_line_close(const struct plot *p)
{
	str_puts(p->out, "\"/>\n");
}

void plot_mark(const struct plot *p, double x)
{
	str_printf(p->out, "<path class=\"c\" d=\"M%.1f %dv8\"/>", plot_x(p, x), TOP);
}

void plot_close(const struct plot *p)
{
	str_puts(p->out, "</svg>\n");
}
