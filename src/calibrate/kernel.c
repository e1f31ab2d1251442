/* kernel.c: see kernel.h: the fits. What is measured is read in kernel_read.c. */
#include "kernel.h"

#include "fit/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The terms of a model among the KERNEL_TERMS, as their numbers. */
static int terms_of(int model, int *term)
{
	static const int terms[3][KERNEL_TERMS] = {{4}, {0, 4}, {0, 1, 2, 3, 4}};
	static const int n[3] = {1, 2, 5};

	memcpy(term, terms[model], sizeof terms[model]);
	return n[model];
}

static double term_value(const struct kernel_row *r, int term)
{
	switch (term) {
	case 0:
		return r->m * r->n * r->k;
	case 1:
		return r->m * r->n;
	case 2:
		return r->m * r->k;
	case 3:
		return r->n * r->k;
	default:
		return 1;
	}
}

/* Of columns of length one: a pivot below it is what rounding leaves of columns that depend on each
 * other, some 500 times the last digit of a double. */
static const double PIVOT_LEAST = 1e-13;
/* Of a call that decides its own fit alone nothing is left to judge by: its residual counts at most
 * 1,000 times. */
static const double FREE_LEAST = 1e-3;

/* The inverse of a symmetric positive matrix of n rows, in place; 0, or -1: it has none. */
static int invert(double a[KERNEL_TERMS][KERNEL_TERMS], int n)
{
	for (int p = 0; p < n; p++) { /* Gauss-Jordan, each pivot on the diagonal */
		double pivot = a[p][p];

		if (!(fabs(pivot) > PIVOT_LEAST))
			return -1;
		a[p][p] = 1;
		for (int j = 0; j < n; j++)
			a[p][j] /= pivot;
		for (int i = 0; i < n; i++) {
			double f = a[i][p];

			if (i == p)
				continue;
			a[i][p] = 0;
			for (int j = 0; j < n; j++)
				a[i][j] -= f * a[p][j];
		}
	}
	return 0;
}

/* The row's share in its own fit: x' (X'X)^-1 x, of columns brought to the same length. */
static double leverage(const double *row, const double *scale, double x[][KERNEL_TERMS],
                       int columns)
{
	double h = 0;

	for (int c = 0; c < columns; c++)
		for (int k = 0; k < columns; k++)
			h += row[c] * scale[c] * x[c][k] * row[k] * scale[k];
	return h;
}

static void lengths_of(const double *a, uint32_t rows, int columns, double *scale)
{
	for (uint32_t i = 0; i < rows; i++)
		for (int c = 0; c < columns; c++)
			scale[c] += a[i * (uint32_t)columns + (uint32_t)c] *
			            a[i * (uint32_t)columns + (uint32_t)c];
	for (int c = 0; c < columns; c++)
		scale[c] = scale[c] > 0 ? 1 / sqrt(scale[c]) : 1;
}

/* sum += weight * the products of a row's terms */
static void products_add(double sum[][KERNEL_TERMS], const double *row, const double *scale,
                         int columns, double weight)
{
	for (int c = 0; c < columns; c++)
		for (int k = 0; k < columns; k++)
			sum[c][k] += weight * row[c] * scale[c] * row[k] * scale[k];
}

/* Standard errors of least squares whose residuals are not all alike: the diagonal of (X'X)^-1 X'
 * diag((e / (1 - h))^2) X (X'X)^-1, h being leverages (MacKinnon and White 1985: HC3). A large call
 * draws the fit to itself, which makes its residual small: by that it is divided. a: rows of
 * `columns` terms; y: what was fitted. */
static void errors_of(const double *a, const double *y, uint32_t rows, int columns,
                      const double *found, double *error)
{
	double x[KERNEL_TERMS][KERNEL_TERMS] = {{0}}, e[KERNEL_TERMS][KERNEL_TERMS] = {{0}},
	       scale[KERNEL_TERMS] = {0};

	lengths_of(a, rows, columns, scale);
	for (uint32_t i = 0; i < rows; i++)
		products_add(x, a + (size_t)i * (size_t)columns, scale, columns, 1);
	if (rows <= (uint32_t)columns || invert(x, columns) < 0)
		return;
	for (uint32_t i = 0; i < rows; i++) {
		const double *row = a + (size_t)i * (size_t)columns;
		double residual = y[i];

		for (int c = 0; c < columns; c++)
			residual -= found[c] * row[c];
		residual /= fmax(1 - leverage(row, scale, x, columns), FREE_LEAST);
		products_add(e, row, scale, columns, residual * residual);
	}
	for (int c = 0; c < columns; c++) {
		double variance = 0;

		for (int i = 0; i < columns; i++)
			for (int k = 0; k < columns; k++)
				variance += x[c][i] * e[i][k] * x[k][c];
		error[c] = scale[c] * sqrt(fmax(variance, 0));
	}
}

/* y by least squares on the terms; y in the order of the host's rows. */
static int polynomial(const struct kernel_data *d, uint32_t host, uint32_t n, int model,
                      const double *y, double *coefficient, double *error, struct err *err)
{
	int term[KERNEL_TERMS], columns = terms_of(model, term), r;
	double *a = malloc((size_t)n * (size_t)columns * sizeof *a), *b = malloc(n * sizeof *b),
	       found[KERNEL_TERMS], errors[KERNEL_TERMS] = {0};
	size_t at = 0;

	if (!a || !b) {
		free(a);
		free(b);
		return err_nomem(err, "least squares", (unsigned long long)n * sizeof *a);
	}
	for (uint32_t i = 0; i < d->n; i++)
		for (int c = 0; d->row[i].host == host && c < columns; c++)
			a[at++] = term_value(&d->row[i], term[c]);
	memcpy(b, y, n * sizeof *b);
	r = fit_least_squares(a, b, n, (size_t)columns, found, err);
	if (r == 0)
		errors_of(a, y, n, columns, found, errors);
	for (int c = 0; r == 0 && c < columns; c++) {
		coefficient[term[c]] = found[c];
		error[term[c]] = errors[c];
	}
	free(a);
	free(b);
	return r;
}

/* Residuals beside a model of p terms are less than the noise by sqrt((n - p) / n) in the mean: the
 * model has followed it that far. The mean of |residual| of a normal is sqrt(2 / pi) of its
 * deviation. */
static int noise_fit(const struct kernel_data *d, uint32_t host, int model, int noise,
                     double *residual, struct kernel_model *out, struct err *err)
{
	int term[KERNEL_TERMS];
	double n = out->n, free = fmax(1, n - terms_of(model, term)), square = 0;

	for (uint32_t i = 0; i < out->n; i++) {
		square += residual[i] * residual[i];
		residual[i] = fabs(residual[i]) * sqrt(n / free) * sqrt(M_PI_2);
	}
	if (noise == 1) {
		out->deviation[KERNEL_TERMS - 1] = sqrt(square / free);
		out->deviation_error[KERNEL_TERMS - 1] = sqrt(square / free / (2 * free));
	}
	return noise == 2 ? polynomial(d, host, out->n, 2, residual, out->deviation,
	                               out->deviation_error, err)
	                  : 0;
}

/* Student's quantile of so many calls; 0: no more of them than the model has terms. */
static double student_95(uint32_t calls, int model)
{
	int term[KERNEL_TERMS];
	double free = calls - (double)terms_of(model, term);

	return free > 0 ? fit_t975(free) : 0;
}

/* Calls of more than this say what one m n k takes; s, of which: by choice, a tenth of what the
 * slowest loops take of a processor of today, and ms instead of seconds of the fastest dgemm. */
static const double LONG_CALL = 1e6, SLOW = 2e-8;

static double slowness_of(const struct kernel_data *d, double *some)
{
	size_t n = 0;

	for (uint32_t i = 0; i < d->n; i++)
		if (term_value(&d->row[i], 0) >= LONG_CALL)
			some[n++] = d->row[i].duration / term_value(&d->row[i], 0);
	return n ? fit_median(some, n) : 0;
}

int kernel_doubts(const struct kernel_data *d, struct str *out, struct err *err)
{
	double *some = malloc(((size_t)d->n + 1) * sizeof *some), slow;
	int alike = d->n > 1, sizes = 0;

	if (!some)
		return err_nomem(err, "calls", d->n * sizeof *some);
	for (uint32_t i = 1; i < d->n; i++) {
		alike &= d->row[i].duration == d->row[0].duration;
		sizes |= term_value(&d->row[i], 0) != term_value(&d->row[0], 0);
	}
	if (alike && sizes)
		str_printf(
		    out,
		    "durations: all %u calls took %g s, whatever their sizes: these are no "
		    "measurements, or of too coarse a clock (repeat each call, and divide)\n",
		    d->n, d->row[0].duration);
	slow = slowness_of(d, some);
	if (slow > SLOW)
		str_printf(out,
		           "durations: %.2g s for each m n k: are they in seconds? Of ms divide "
		           "column 'duration' by 1e3, of us by 1e6\n",
		           slow);
	free(some);
	return 0;
}

int kernel_fit(const struct kernel_data *d, uint32_t host, int model, int noise,
               struct kernel_model *out, struct err *err)
{
	double *y = malloc((size_t)d->n * sizeof *y), mean = 0, total = 0, left = 0;
	int r;

	if (!y)
		return err_nomem(err, "durations", d->n * sizeof *y);
	*out = (struct kernel_model){.least = INFINITY};
	for (uint32_t i = 0; i < d->n; i++) {
		const struct kernel_row *q = &d->row[i];

		if (q->host != host)
			continue;
		y[out->n++] = q->duration;
		mean += q->duration;
		out->least = fmin(out->least, term_value(q, 0));
		out->most = fmax(out->most, term_value(q, 0));
	}
	mean /= out->n;
	r = polynomial(d, host, out->n, model, y, out->mean, out->mean_error, err);
	out->t_95 = student_95(out->n, model);
	for (uint32_t i = 0, k = 0; r == 0 && i < d->n; i++) {
		if (d->row[i].host != host)
			continue;
		total += (y[k] - mean) * (y[k] - mean);
		for (int t = 0; t < KERNEL_TERMS; t++)
			y[k] -= out->mean[t] * term_value(&d->row[i], t);
		left += y[k] * y[k];
		k++;
	}
	out->r2 = total > 0 ? 1 - left / total : 0;
	if (r == 0)
		r = noise_fit(d, host, model, noise, y, out, err);
	free(y);
	return r;
}
