/* plot.h: pages of measurements: their head and end, and figures in SVG, each dots and lines on two
 * axes. No script, nothing loaded; how it looks is viewer/measured.css. */
#ifndef ORRERY_CALIBRATE_PLOT_H
#define ORRERY_CALIBRATE_PLOT_H

#include "base/base.h"

/* viewer/measured.css, put into the program by cmake/viewer.cmake. */
struct page_style {
	const char *text;
	size_t n;
};
extern const struct page_style measured_style;

void page_open(const char *title, struct str *out); /* up to its heading */
void page_close(struct str *out);

enum plot_unit { PLOT_SECONDS, PLOT_BYTES, PLOT_HERTZ, PLOT_NUMBER, PLOT_RELATIVE };
struct plot_axis {
	double from, to; /* of a logarithmic one the logarithms to base 10 */
	int log;
	enum plot_unit unit; /* of its labels; relative: +0.1 is +10 % */
};
struct plot {
	struct plot_axis x, y;
	struct str *out;
};

/* Axes, grid, labels, the title. What is beyond an axis is drawn at its end. */
void plot_open(const struct plot *p, const char *title);
void plot_dots(const struct plot *p, const double *x, const double *y, size_t n);
/* Lines: begin, points in their order, end. */
enum plot_line { PLOT_MEASURED, PLOT_FITTED };
void plot_line_open(const struct plot *p, enum plot_line kind);
void plot_line_to(const struct plot *p, double x, double y, int is_first);
void plot_line_close(const struct plot *p);
void plot_mark(const struct plot *p, double x); /* at the top, as a fitted line is */
void plot_close(const struct plot *p);

/* What is `part` of the way along an axis, from 0 to 1. */
double plot_value(const struct plot_axis *a, double part);
/* Where v is, in pixels from the left. */
double plot_x(const struct plot *p, double v);

#endif
