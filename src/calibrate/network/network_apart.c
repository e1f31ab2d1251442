/* network_apart.c: pairs of hosts between which messages take longer, or less, than between others
 * (apart.h): where round trips were measured between several pairs. Small messages tell of latency,
 * large ones of bandwidth: two questions, each with half of the chance of a false alarm. A pair's
 * value is the median over its round trips of the logarithm of measured / fitted, for each file
 * (another day); its error is what files differ by, or, of one file, the scatter of its round
 * trips. */
#include "calibrate/fit/apart.h"
#include "network_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Fewer round trips of a pair do not say what is usual for it. */
enum { TRIPS_LEAST = 5 };
/* bytes: messages that are latency. Large ones: from this part of the largest on. */
static const double SMALL = 1000, LARGE = 1.0 / 16;
/* Of normal values: a deviation beside the median of distances from the middle; the standard error
 * of a median beside that of a mean. */
static const double DEVIATION_OF_MEDIAN = 1.4826, MEDIAN_ERROR = 1.2533;

struct trip {
	int a, b, file; /* hosts, a < b */
	double off;
};
struct pair {
	int a, b;
	double sum, squares, error;
	size_t files, trips;
};

static int by_pair(const void *x, const void *y)
{
	const struct trip *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	if (p->b != q->b)
		return p->b < q->b ? -1 : 1;
	return (p->file > q->file) - (p->file < q->file);
}

static size_t trips_take(const struct fitting *w, double lo, double hi, struct trip *out)
{
	size_t n = 0;

	for (size_t i = 0; i < rows_of(w, NET_PINGPONG); i++) {
		const struct net_row *r = row_of(w, NET_PINGPONG, i);
		int a = net_host_of(w->raw, r->src), b = net_host_of(w->raw, r->dst);
		double fitted = net_fit_pingpong(w->f, r->size > 0 ? r->size : 1);

		if (r->local || r->far || r->size < lo || r->size > hi)
			continue;
		out[n++] = (struct trip){a < b ? a : b, a < b ? b : a, r->file,
		                         log(r->duration / 2 / fitted)};
	}
	qsort(out, n, sizeof *out, by_pair);
	return n;
}

/* A file's round trips of a pair: its median, and the error of that. */
static void file_add(struct pair *p, const struct trip *t, size_t n, double *some)
{
	double middle;

	for (size_t i = 0; i < n; i++)
		some[i] = t[i].off;
	middle = fit_median(some, n);
	for (size_t i = 0; i < n; i++)
		some[i] = fabs(t[i].off - middle);
	p->error = MEDIAN_ERROR * DEVIATION_OF_MEDIAN * fit_median(some, n) / sqrt((double)n);
	p->sum += middle;
	p->squares += middle * middle;
	p->files++;
	p->trips += n;
}

static size_t pairs_make(const struct trip *t, size_t n, double *some, struct pair *out)
{
	size_t pairs = 0;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && by_pair(&t[i], &t[end]) == 0; end++)
			;
		if (end - i < TRIPS_LEAST)
			continue;
		if (pairs == 0 || out[pairs - 1].a != t[i].a || out[pairs - 1].b != t[i].b)
			out[pairs++] = (struct pair){.a = t[i].a, .b = t[i].b};
		file_add(&out[pairs - 1], t + i, end - i, some);
	}
	return pairs;
}

static struct apart_unit unit_of(const struct pair *p)
{
	double n = (double)p->files, mean = p->sum / n;

	return (struct apart_unit){
	    .value = mean,
	    .draws = n,
	    .degrees = n > 1 ? n - 1 : (double)p->trips - 1,
	    .error = n > 1 ? sqrt(fmax(p->squares - n * mean * mean, 0) / (n - 1) / n) : p->error,
	};
}

static void pair_tell(struct fitting *w, const struct pair *p, const struct apart_unit *u,
                      const char *what)
{
	char text[600], a[16], b[16];

	snprintf(a, sizeof a, "%d", p->a);
	snprintf(b, sizeof b, "%d", p->b);
	snprintf(text, sizeof text,
	         "hosts %.80s and %.80s stand apart: between them %s messages take %.4g times as "
	         "long as between others (95 %% interval: %.4g to %.4g; by chance in %.2g of "
	         "campaigns): the platform has them like the others; --without HOST leaves one out",
	         w->raw->n_hosts ? net_host_name(w->raw, p->a) : a,
	         w->raw->n_hosts ? net_host_name(w->raw, p->b) : b, what, exp(u->off),
	         exp(u->off - u->off_95), exp(u->off + u->off_95), fmin(1, 2 * u->p));
	net_warn(w->f, text);
}

static int sizes_look(struct fitting *w, double lo, double hi, const char *what, struct err *err)
{
	size_t most = rows_of(w, NET_PINGPONG), n, pairs;
	struct trip *t = step_alloc(w, most, sizeof *t);
	struct pair *p = step_alloc(w, most, sizeof *p);
	struct apart_unit *u = step_alloc(w, most, sizeof *u);
	double *some = step_alloc(w, most, sizeof *some);
	struct apart all;

	if (w->lost)
		return 0;
	n = trips_take(w, lo, hi, t);
	pairs = pairs_make(t, n, some, p);
	for (size_t i = 0; i < pairs; i++)
		u[i] = unit_of(&p[i]);
	if (apart_find(u, pairs, &all, err) < 0)
		return -1;
	for (size_t i = 0; i < pairs; i++)
		if (u[i].apart && 2 * u[i].p < APART_CHANCE)
			pair_tell(w, &p[i], &u[i], what);
	return 0;
}

int apart_look(struct fitting *w, struct err *err)
{
	double large = LARGE * w->f->largest;

	if (sizes_look(w, 0, SMALL, "small", err) < 0)
		return -1;
	return large > SMALL ? sizes_look(w, large, INFINITY, "large", err) : 0;
}
