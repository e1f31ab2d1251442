/* kernel.c: see kernel.h. */
#include "kernel.h"

#include "fit/fit.h"
#include "kinds.h"

#include "base/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes and seconds beyond it are no measurements, and products of them would not be numbers. */
static const double FIGURE_MAX = 1e9;

enum { COL_M, COL_N, COL_K, COL_DURATION, FIGURES };
enum { BY_MAX = 4, BY_VALUE = 120, HOST_NAME = BY_MAX * (BY_VALUE + 1) };
static const char *const figure_names[FIGURES] = {"m", "n", "k", "duration"};

/* Where the columns are, from 0; -1: not there. */
struct columns {
	int figure[FIGURES], by[BY_MAX], bys;
	int session; /* -1: not asked for */
};

static int name_is(const char *field, size_t n, const char *name, size_t name_n)
{
	return n == name_n && memcmp(field, name, n) == 0;
}

/* Splits `by` at its commas; where each is in the header. */
static void by_find(struct columns *c, const char *field, size_t n, int at, const char *by)
{
	int i = 0;

	for (const char *p = by; p && i < BY_MAX; p = *(p += strcspn(p, ",")) ? p + 1 : NULL, i++)
		if (name_is(field, n, p, strcspn(p, ",")))
			c->by[i] = at;
	c->bys = i;
}

static int is_used(const struct columns *c, int at)
{
	int used = 0;

	for (int i = 0; i < FIGURES; i++)
		used |= c->figure[i] == at;
	for (int i = 0; i < c->bys; i++)
		used |= c->by[i] == at;
	return used || c->session == at;
}

/* Of two columns of one name nobody knows which is meant. */
static int again_check(const struct columns *c, char **field, int fields, const char *path,
                       long number, struct err *err)
{
	for (int at = 0; at < fields; at++)
		for (int before = 0; before < at && is_used(c, at); before++)
			if (!strcmp(field[before], field[at]))
				return err_at(err, path, number, 1,
				              "two columns have the name '%.40s'", field[at]);
	return 0;
}

/* Hosts that are not told apart make one model of all: a column that could is not passed over
 * without a word. */
static void unused_note(struct kernel_data *d, char **field, int fields)
{
	static const char *const names[] = {"host", "hostname", "node", "nodename"};

	for (int at = 0; at < fields; at++)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			if (!strcmp(field[at], names[i]))
				snprintf(d->unused, sizeof d->unused, "%s", names[i]);
}

static int session_column(struct kernel_data *d, char **field, int fields, struct columns *c,
                          const char *path, long number, struct err *err)
{
	c->session = -1;
	for (int at = 0; at < fields && d->session; at++)
		if (!strcmp(field[at], d->session))
			c->session = at;
	return !d->session || c->session >= 0
	           ? 0
	           : err_at(err, path, number, 1, "the header has no column '%.40s'", d->session);
}

static int header_read(char **field, int fields, const char *by, struct columns *c,
                       const char *path, long number, struct err *err)
{
	const char *p = by;
	int found = 0;

	for (int i = 0; i < FIGURES; i++)
		c->figure[i] = -1;
	for (int i = 0; i < BY_MAX; i++)
		c->by[i] = -1;
	for (int at = 0; at < fields; at++) {
		size_t n = strlen(field[at]);

		for (int i = 0; i < FIGURES; i++)
			if (name_is(field[at], n, figure_names[i], strlen(figure_names[i])))
				c->figure[i] = at;
		by_find(c, field[at], n, at, by);
	}
	for (int i = 0; i < FIGURES; i++)
		found += c->figure[i] >= 0;
	for (int i = 0; i < FIGURES; i++)
		if (c->figure[i] < 0)
			return err_at(
			    err, path, number, 1, "the header has no column '%s'%s",
			    figure_names[i],
			    *kind_told(field, fields) ? kind_told(field, fields)
			    : found == 0
			        ? ": the first line names the columns, such as m,n,k,duration"
			        : "");
	for (int i = 0; i < c->bys; i++, p += strcspn(p, ",") + 1)
		if (c->by[i] < 0)
			return err_at(err, path, number, 1, "the header has no column '%.*s'",
			              (int)strcspn(p, ","), p);
	return again_check(c, field, fields, path, number, err);
}

static int columns_read(struct kernel_data *d, char **field, int fields, const char *by,
                        struct columns *c, const char *path, long number, struct err *err)
{
	if (!by)
		unused_note(d, field, fields);
	return session_column(d, field, fields, c, path, number, err) < 0
	           ? -1
	           : header_read(field, fields, by, c, path, number, err);
}

static int host_find(struct kernel_data *d, const char *name, struct err *err)
{
	uint32_t i = hash_str_find(&d->index, name);
	char **host;

	if (i != HASH_NONE)
		return (int)i;
	host = vec_grow(d->host, &d->hosts_cap, sizeof *host, (size_t)d->hosts + 1, "hosts", err);
	if (!host)
		return -1;
	d->host = host;
	host[d->hosts] = strdup(name);
	if (!host[d->hosts])
		return err_nomem(err, "hosts", strlen(name));
	d->hosts++;
	return hash_str_put(&d->index, name, d->hosts - 1, err) < 0 ? -1 : (int)d->hosts - 1;
}

/* A row in the making. */
struct row_fields {
	double figure[FIGURES];
	const char *by[BY_MAX], *session;
	int seen;
};

static int field_take(struct row_fields *r, const struct columns *c, int at, const char *field,
                      const char *line, const char *path, long number, struct err *err)
{
	size_t n = strlen(field);

	for (int i = 0; i < FIGURES; i++) {
		if (c->figure[i] != at)
			continue;
		if (num_parse_double(field, n, &r->figure[i]) < 0 || !(r->figure[i] >= 0) ||
		    r->figure[i] > FIGURE_MAX)
			return err_at(err, path, number, (long)(field - line) + 1,
			              "%s: a number from 0 to %g was expected, not '%.*s'",
			              figure_names[i], FIGURE_MAX, (int)(n < 60 ? n : 60), field);
		r->seen++;
	}
	for (int i = 0; i < c->bys; i++) {
		if (c->by[i] != at)
			continue;
		if (n > BY_VALUE)
			return err_at(
			    err, path, number, (long)(field - line) + 1,
			    "a name in a column of --by has at most %d bytes, not '%.40s…'",
			    BY_VALUE, field);
		r->by[i] = field;
		r->seen++;
	}
	if (c->session == at) {
		r->session = field;
		r->seen++;
	}
	return 0;
}

/* The number of a session, from 0. */
static int session_find(struct kernel_data *d, const char *name, struct err *err)
{
	uint32_t i = name ? hash_str_find(&d->session_index, name) : 0;

	if (i != HASH_NONE)
		return (int)i;
	if (hash_str_put(&d->session_index, name, d->sessions, err) < 0)
		return -1;
	return (int)d->sessions++;
}

static int line_read(struct kernel_data *d, char *line, char **field, int fields,
                     const struct columns *c, const char *path, long number, struct err *err)
{
	struct row_fields f = {.seen = 0};
	char name[HOST_NAME] = "";
	struct kernel_row *row;
	int host, session, n = 0;

	for (int at = 0; at < fields; at++)
		if (field_take(&f, c, at, field[at], line, path, number, err) < 0)
			return -1;
	if (f.seen < FIGURES + c->bys + (c->session >= 0))
		return err_at(err, path, number, 1, "the line has fewer fields than the header");
	for (int i = 0; i < c->bys && n < HOST_NAME - 1; i++)
		n += snprintf(name + n, (size_t)(HOST_NAME - n), "%s%s", i ? "/" : "", f.by[i]);
	host = host_find(d, name, err);
	session = host < 0 ? -1 : session_find(d, f.session, err);
	row = session < 0
	          ? NULL
	          : vec_grow(d->row, &d->cap, sizeof *row, (size_t)d->n + 1, "durations", err);
	if (!row)
		return -1;
	d->row = row;
	row[d->n++] = (struct kernel_row){f.figure[COL_M], f.figure[COL_N],
	                                  f.figure[COL_K], f.figure[COL_DURATION],
	                                  (uint32_t)host,  (uint32_t)session};
	return 0;
}

static int by_check(const char *by, struct err *err)
{
	int columns = 1;

	for (const char *p = by; p && (p = strchr(p, ',')) != NULL; p++)
		columns++;
	return columns <= BY_MAX
	           ? 0
	           : err_set(err, ERR_INPUT,
	                     "calibrate kernel: --by takes at most %d columns, not '%s'", BY_MAX,
	                     by);
}

int kernel_read(struct kernel_data *d, const char *path, const char *by, struct err *err)
{
	struct input *in = by_check(by, err) < 0 ? NULL : input_open(path, 0, err);
	struct columns columns = {.bys = 0};
	int r, headed = 0;
	char *line, *field[CSV_FIELDS];
	uint64_t before = 0;
	struct err why;
	size_t n;
	int fields, whole;

	if (!in)
		return -1;
	while ((r = input_line(in, &line, &n, err)) > 0) {
		whole = input_offset(in) > before + n;
		before = input_offset(in);
		if (line[0] == '#' || !line[strspn(line, " \t\r")])
			continue;
		fields = csv_split(line, field, &why);
		if (!whole) /* 0.0012 may have been 0.00123 */
			r = err_at(err, path, input_lineno(in), 1,
			           "the last line has no end, and may have been cut: end it with a "
			           "newline, or remove it");
		else if (fields < 0)
			r = err_at(err, path, input_lineno(in), 1, "%s", why.text);
		else if (!headed)
			r = columns_read(d, field, fields, by, &columns, path, input_lineno(in),
			                 err);
		else
			r = line_read(d, line, field, fields, &columns, path, input_lineno(in),
			              err);
		headed = 1;
		if (r < 0)
			break;
	}
	input_close(in);
	if (r == 0 && d->n == 0)
		return err_set(err, ERR_INPUT,
		               "%s: no durations: a first line m,n,k,duration and lines of numbers "
		               "were expected",
		               path);
	return r;
}

void kernel_data_release(struct kernel_data *d)
{
	for (uint32_t i = 0; i < d->hosts; i++)
		free(d->host[i]);
	free(d->host);
	free(d->row);
	hash_str_release(&d->index);
	hash_str_release(&d->session_index);
	*d = (struct kernel_data){0};
}

/* "13" is host "13", and all of "13/0", "13/1". */
static int host_is(const char *host, const char *name, size_t n)
{
	return strncmp(host, name, n) == 0 && (host[n] == '\0' || host[n] == '/');
}

static int hosts_mark(const struct kernel_data *d, const char *names, char *out, struct err *err)
{
	for (const char *p = names; *p; p += strcspn(p, ","), p += *p == ',') {
		size_t n = strcspn(p, ",");
		int found = 0;

		for (uint32_t h = 0; h < d->hosts; h++)
			if (host_is(d->host[h], p, n))
				out[h] = found = 1;
		if (!found)
			return err_set(err, ERR_INPUT,
			               "--without: no host has the name '%.*s'; the first of %u is "
			               "'%s'",
			               n < 80 ? (int)n : 80, p, d->hosts, d->host[0]);
	}
	return 0;
}

/* Numbers of hosts that stay: from 0, in their order. */
static int hosts_leave(struct kernel_data *d, const char *leaves, struct err *err)
{
	uint32_t *number = calloc((size_t)d->hosts + 1, sizeof *number), hosts = 0, rows = 0;

	if (!number)
		return err_nomem(err, "hosts", d->hosts * sizeof *number);
	for (uint32_t h = 0; h < d->hosts; h++) {
		number[h] = hosts;
		if (leaves[h])
			free(d->host[h]);
		else
			d->host[hosts++] = d->host[h];
	}
	for (uint32_t i = 0; i < d->n; i++) {
		if (leaves[d->row[i].host])
			continue;
		d->row[rows] = d->row[i];
		d->row[rows].host = number[d->row[i].host];
		rows++;
	}
	d->n = rows;
	d->hosts = hosts;
	hash_str_release(&d->index); /* nothing is read after this */
	free(number);
	return 0;
}

int kernel_without(struct kernel_data *d, const char *names, struct err *err)
{
	char *leaves = calloc((size_t)d->hosts + 1, 1);
	uint32_t left = 0;
	int r;

	if (!leaves)
		return err_nomem(err, "hosts", d->hosts);
	r = hosts_mark(d, names, leaves, err);
	for (uint32_t h = 0; h < d->hosts; h++)
		left += !leaves[h];
	if (r == 0 && left == 0)
		r = err_set(err, ERR_INPUT, "--without leaves no host");
	if (r == 0)
		r = hosts_leave(d, leaves, err);
	free(leaves);
	return r;
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
