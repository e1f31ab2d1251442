/* kernel.c: see kernel.h. */
#include "kernel.h"

#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes and seconds beyond it are no measurements, and products of them would not be numbers. */
#define FIGURE_MAX 1e9

enum { COL_M, COL_N, COL_K, COL_DURATION, COL_BY, COLUMNS };

static int header_read(const char *line, const char *by, int *column, const char *path, struct err *err)
{
	const char *const names[COLUMNS] = {"m", "n", "k", "duration", by};
	int at = 0;

	for (int c = 0; c < COLUMNS; c++)
		column[c] = -1;
	for (const char *p = line;; p++, at++) {
		size_t n = strcspn(p, ",");

		for (int c = 0; c < COLUMNS; c++)
			if (names[c] && strlen(names[c]) == n && !memcmp(names[c], p, n))
				column[c] = at;
		p += n;
		if (!*p)
			break;
	}
	for (int c = 0; c < COLUMNS; c++)
		if (names[c] && column[c] < 0)
			return err_at(err, path, 1, 1, "the header has no column '%s'", names[c]);
	return 0;
}

static int host_find(struct kernel_data *d, const char *name, size_t n, struct err *err)
{
	char **host;

	for (uint32_t i = 0; i < d->hosts; i++)
		if (strlen(d->host[i]) == n && !memcmp(d->host[i], name, n))
			return (int)i;
	host = vec_grow(d->host, &d->hosts_cap, sizeof *host, (size_t)d->hosts + 1, "hosts", err);
	if (!host)
		return -1;
	d->host = host;
	host[d->hosts] = strndup(name, n);
	if (!host[d->hosts])
		return err_nomem(err, "hosts", n);
	return (int)d->hosts++;
}

static int line_read(struct kernel_data *d, const char *line, const int *column, const char *path, long number, struct err *err)
{
	double v[4] = {0};
	const char *name = "";
	size_t name_n = 0;
	int at = 0, seen = 0, host;
	struct kernel_row *row;

	for (const char *p = line;; p++, at++) {
		size_t n = strcspn(p, ",");

		for (int c = 0; c < 4; c++) {
			if (column[c] != at)
				continue;
			if (num_parse_double(p, n, &v[c]) < 0 || v[c] < 0 || v[c] > FIGURE_MAX)
				return err_at(err, path, number, (long)(p - line) + 1,
				              "a number from 0 to %g was expected, not '%.*s'", FIGURE_MAX, (int)n, p);
			seen++;
		}
		if (column[COL_BY] == at) {
			name = p;
			name_n = n;
		}
		p += n;
		if (!*p)
			break;
	}
	if (seen < 4)
		return err_at(err, path, number, 1, "the line is too short");
	host = host_find(d, name, name_n, err);
	row = host < 0 ? NULL : vec_grow(d->row, &d->cap, sizeof *row, (size_t)d->n + 1, "durations", err);
	if (!row)
		return -1;
	d->row = row;
	row[d->n++] = (struct kernel_row){v[COL_M], v[COL_N], v[COL_K], v[COL_DURATION], (uint32_t)host};
	return 0;
}

int kernel_read(struct kernel_data *d, const char *path, const char *by, struct err *err)
{
	struct input *in = input_open(path, 0, err);
	int column[COLUMNS], r, headed = 0;
	char *line;
	size_t n;

	if (!in)
		return -1;
	while ((r = input_line(in, &line, &n, err)) > 0) {
		if (line[0] == '#' || line[0] == '\0')
			continue;
		if (!headed)
			r = header_read(line, by, column, path, err);
		else
			r = line_read(d, line, column, path, input_lineno(in), err);
		headed = 1;
		if (r < 0)
			break;
	}
	input_close(in);
	if (r == 0 && d->n == 0)
		return err_set(err, ERR_INPUT, "%s: no durations", path);
	return r;
}

void kernel_data_release(struct kernel_data *d)
{
	for (uint32_t i = 0; i < d->hosts; i++)
		free(d->host[i]);
	free(d->host);
	free(d->row);
	*d = (struct kernel_data){0};
}

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

/* y by least squares on the terms; y in the order of the host's rows. */
static int polynomial(const struct kernel_data *d, uint32_t host, uint32_t n, int model, const double *y, double *coefficient,
                      struct err *err)
{
	int term[KERNEL_TERMS], columns = terms_of(model, term), r;
	double *a = malloc((size_t)n * (size_t)columns * sizeof *a), *b = malloc(n * sizeof *b), found[KERNEL_TERMS];
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
	for (int c = 0; r == 0 && c < columns; c++)
		coefficient[term[c]] = found[c];
	free(a);
	free(b);
	return r;
}

/* The mean of |residual| of a normal is sqrt(2 / pi) of its deviation. */
static int noise_fit(const struct kernel_data *d, uint32_t host, int noise, double *residual, struct kernel_model *out,
                     struct err *err)
{
	double square = 0;

	for (uint32_t i = 0; i < out->n; i++) {
		square += residual[i] * residual[i];
		residual[i] = fabs(residual[i]) * 1.2533141373155003;
	}
	if (noise == 1)
		out->deviation[KERNEL_TERMS - 1] = sqrt(square / out->n);
	return noise == 2 ? polynomial(d, host, out->n, 2, residual, out->deviation, err) : 0;
}

int kernel_fit(const struct kernel_data *d, uint32_t host, int model, int noise, struct kernel_model *out, struct err *err)
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
	r = polynomial(d, host, out->n, model, y, out->mean, err);
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
		r = noise_fit(d, host, noise, y, out, err);
	free(y);
	return r;
}
