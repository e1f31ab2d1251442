/* fit.h: fitting measurements: piecewise lines, mixtures of normals, polynomials. Pure functions of
 * arrays; nothing is printed or read.
 *
 * Durations of messages range over six orders of magnitude, so residuals are relative: a fit that
 * is 5 % off counts the same at 1 us and at 1 s. */
#ifndef ORRERY_CALIBRATE_FIT_H
#define ORRERY_CALIBRATE_FIT_H

#include "base/base.h"

#include <stddef.h>
#include <stdint.h>

/* y = intercept + slope x, for from < x <= to. */
struct fit_segment {
	double from, to; /* the first begins at 0, the last ends at infinity */
	double slope, intercept;
	double slope_95, intercept_95; /* half-widths of the 95 % confidence intervals */
	double sigma;                  /* deviation of the relative residuals, outliers left out */
	double break_low, break_high;  /* 95 % interval of `from`; 0 in the first segment */
	size_t n;                      /* points, outliers left out */
};
struct fit_segments {
	struct fit_segment *segment;
	size_t n, points, outliers;
};
struct fit_options {
	double least_sigma;  /* relative error below which nothing is believed; 0: 1e-3 */
	double penalty;      /* of a further segment, in units of Schwarz's 4 ln n; 0: 1 */
	size_t least_points; /* in a segment; 0: 8 */
	int least_sizes;     /* distinct x in a segment; 0: 3 */
	int positive; /* neither slope nor intercept may be negative: what would be, is 0 and the
	                 other one is fitted alone */
	const double *scale; /* what residuals are relative to, by point; NULL: the median of the
	                        neighbourhood */
};

/* Piecewise linear regression with a penalised number of breaks: of all ways to cut the points into
 * segments, that with the least
 *     sum over segments of n ln(RSS/n) + penalty * 4 ln N
 * where RSS is the sum of squared relative residuals: the likelihood of normal noise with a
 * deviation of its own in each segment (small messages are noisier than large ones), and Schwarz's
 * criterion (slope, intercept, deviation, place of the break). Found exactly, by dynamic
 * programming over at most 600 possible breaks (Auger and Lawrence 1989). Points far from all their
 * neighbours are left out. o may be NULL. The caller releases *out. Fewer than least_points: an
 * error. */
int fit_segments_find(const double *x, const double *y, size_t n, const struct fit_options *o,
                      struct fit_segments *out, struct err *err);
void fit_segments_release(struct fit_segments *s);
const struct fit_segment *fit_segments_at(const struct fit_segments *s, double x);
double fit_segments_value(const struct fit_segments *s, double x);
/* A mixture of normal distributions: EM for 1 to FIT_MODES components, their number chosen by
 * Schwarz's criterion. */
enum { FIT_MODES = 4 };
struct fit_mixture {
	int n;
	double weight[FIT_MODES], mean[FIT_MODES], sigma[FIT_MODES]; /* by ascending mean */
};
int fit_mixture_find(const double *x, size_t n, struct fit_mixture *out, struct err *err);

/* Least squares: rows x columns matrix a, row by row (destroyed), b (rows values, destroyed): the
 * coefficients that minimise |a c - b|. LAPACK's dgels; an error where Orrery was built without.
 * rank-deficient: an error that says so. */
int fit_least_squares(double *a, double *b, size_t rows, size_t columns, double *coefficients,
                      struct err *err);

/* Sorts; the q-quantile of sorted values (linear interpolation); median of a copy. */
void fit_sort(double *v, size_t n);
double fit_quantile(const double *sorted, size_t n, double q);
double fit_median(const double *v, size_t n);
double fit_t975(double degrees);                    /* Student's t: P(T < t) = 0.975 */
double fit_t_tail(double t, double degrees);        /* P(T > t), t >= 0; any degrees > 0 */
double fit_t_quantile(double tail, double degrees); /* the t with that P(T > t), of 1e-12 to 0.5 */
/* bytes/s of what n flows of `bytes` each pass at once from the date `begin` on, as they end at
 * end[i], ascending; wanted[i] > 0, descending: bytes/s that those which have not ended before
 * end[i] could take together. wanted[0]: it is no limit (fit_capacity.c). n > 0. */
double fit_capacity(const double *end, const double *wanted, size_t n, double bytes, double begin);
/* Spearman's correlation of ranks, -1 to 1. */
double fit_rank_correlation(const double *x, const double *y, size_t n);

#endif
