/* network_many.c: what only several messages show: both directions at once, all hosts at once, many
 * pairs, cabinets; and how far the model is off all of that. */
#include "network_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fewer measurements have no median to speak of. */
enum { FEW_LEAST = 3 };
/* bytes: messages that are latency. */
static const double SMALL = 1000;
/* Relative: what two directions at once take longer than one. Acknowledgements make 0.3 to 6 % of
 * data (40 bytes for one or two packets of 1,460); more than a tenth is a link that carries one
 * direction at a time, or a switch. */
static const double SEEN = 0.003, SOME = 0.025, MUCH = 0.1;
/* Relative: usual and best exchanges that are so far apart are two ways of the library. */
static const double BIMODAL = 0.15;
/* Standard errors: what is further off by chance is one of 2,000. */
static const double DEVIATIONS = 3.5;
/* Of normal values: the standard error of a median beside that of a mean (sqrt(pi / 2)); a
 * deviation beside the median of distances from the middle. */
static const double MEDIAN_ERROR = 1.2533, DEVIATION_OF_MEDIAN = 1.4826;
static const char UNLIMITED[] = "the links between cabinets do not limit all hosts of a cabinet "
                                "together: they are at least as fast as written";
/* The quantile of pairs that share a link, of which the last to end say when all had passed. */
static const double LAST = 0.9;
/* Relative, assumed: what a calibration cannot know of another day and another program. */
static const double SPREAD_LEAST = 0.01;

/* The deviation of one large message, relative. */
static double scatter_large(const struct net_fit *f)
{
	return f->transfer.n ? f->transfer.piece[f->transfer.n - 1].sigma : 0;
}

static int pairs_most(const struct fitting *w, int far)
{
	int most = 0;

	for (size_t i = 0; i < rows_of(w, NET_FLOW); i++) {
		const struct net_row *r = row_of(w, NET_FLOW, i);

		if (r->far == far && r->pairs > most)
			most = r->pairs;
	}
	return most;
}

/* What the links can do is what the best exchanges show: a library that sends first and receives
 * afterwards, now and then, is not a limit of the links. That one is told. */
int exchange_fit(struct fitting *w, struct err *err)
{
	struct net_fit *f = w->f;
	double *x, *y, usual, best, far = fmax(1 + BIMODAL, 1 + DEVIATIONS * scatter_large(f)),
	                            apart = fmin(net_asked_from(f), f->detached);
	/* Large messages of an ordered pair wait for each other's requests: that says nothing about
	 * the links. */
	size_t n = rows_take(w, NET_EXCHANGE, 0, 0,
	                     fmin(f->largest / 50, f->ordered ? apart / 2 : INFINITY),
	                     f->ordered ? apart : INFINITY, &x, &y);
	char text[200];

	(void)err;
	for (size_t i = 0; i < n; i++)
		y[i] /= net_fit_pingpong(f, x[i]);
	if (n >= FEW_LEAST) {
		fit_sort(y, n);
		best = fit_quantile(y, n, 0.1);
		f->exchange_ratio = usual = fit_quantile(y, n, 0.5);
		if (usual > far * best) {
			f->exchange_ratio = best;
			snprintf(text, sizeof text,
			         "bimodal: both directions at once take %.3g times as long as one "
			         "at best, %.3g times usually: the library, not the links",
			         best, usual);
			net_warn(f, text);
		}
		if (!f->ordered && f->exchange_ratio > 1 + SOME && f->exchange_ratio <= 1 + MUCH)
			f->crosstraffic = f->exchange_ratio - 1;
		if (f->exchange_ratio > 1 + MUCH)
			f->limiter = 2 * f->bandwidth / f->exchange_ratio;
	}
	return 0;
}

/* All hosts send and receive at once: acknowledgements, or links that carry one direction at a
 * time. */
int ring_fit(struct fitting *w, struct err *err)
{
	struct net_fit *f = w->f;
	double *x, *y;
	size_t n = rows_take(w, NET_RING, 0, 0, 1, INFINITY, &x, &y);

	(void)err;
	for (size_t i = 0; i < n; i++)
		y[i] *= f->bandwidth / x[i];
	if (n >= FEW_LEAST) {
		f->ring_ratio = fit_median(y, n);
		if (f->ring_ratio <= 1 + MUCH) {
			f->limiter = 0;
			f->crosstraffic = f->ring_ratio > 1 + SEEN ? f->ring_ratio - 1 : 0;
		}
	}
	return 0;
}

static size_t flows_count(const struct fitting *w, int pairs)
{
	size_t n = 0;

	for (size_t i = 0; i < rows_of(w, NET_FLOW); i++) {
		const struct net_row *r = row_of(w, NET_FLOW, i);

		n += !r->local && !r->far && r->pairs == pairs;
	}
	return n;
}

/* Below 1: what of several pairs at once makes less than one alone by a tenth, and by more than
 * three and a half standard errors of medians of so few. */
static double efficiency_least(const struct fitting *w)
{
	double one = (double)flows_count(w, 1), all = (double)flows_count(w, w->f->max_pairs);

	return fmin(1 - MUCH,
	            1 - DEVIATIONS * MEDIAN_ERROR * scatter_large(w->f) * sqrt(1 / one + 1 / all));
}

/* A flow of several, each time that they were measured. */
struct several {
	const struct net_row *row;
	int time; /* which */
};

static int by_way(const void *a, const void *b)
{
	const struct net_row *p = ((const struct several *)a)->row,
	                     *q = ((const struct several *)b)->row;

	if (p->file != q->file)
		return p->file < q->file ? -1 : 1;
	if (p->src != q->src)
		return p->src < q->src ? -1 : 1;
	if (p->dst != q->dst)
		return p->dst < q->dst ? -1 : 1;
	return (p > q) - (p < q); /* as they were measured */
}

static int by_time(const void *a, const void *b)
{
	const struct several *p = a, *q = b;

	if (p->row->file != q->row->file)
		return p->row->file < q->row->file ? -1 : 1;
	if (p->time != q->time)
		return p->time < q->time ? -1 : 1;
	return (p->row->duration > q->row->duration) - (p->row->duration < q->row->duration);
}

/* bytes/s of that many pairs together, of which one alone has `rate`: the median over the times
 * that they were measured; 0: never. Pairs that are not known (a host left out) are taken to be
 * like the others. */
static double together(struct fitting *w, int pairs, double rate)
{
	size_t all = rows_of(w, NET_FLOW), n = 0, times = 0;
	struct several *s = step_alloc(w, all, sizeof *s);
	double *end = step_alloc(w, all, sizeof *end), *wanted = step_alloc(w, all, sizeof *wanted),
	       *sum = step_alloc(w, all, sizeof *sum);

	for (size_t i = 0; sum && i < all; i++) {
		const struct net_row *r = row_of(w, NET_FLOW, i);

		if (!r->local && !r->far && r->pairs == pairs)
			s[n++] = (struct several){r, 0};
	}
	if (n == 0)
		return 0;
	qsort(s, n, sizeof *s, by_way);
	for (size_t i = 1; i < n; i++)
		if (s[i].row->file == s[i - 1].row->file && s[i].row->src == s[i - 1].row->src &&
		    s[i].row->dst == s[i - 1].row->dst)
			s[i].time = s[i - 1].time + 1;
	qsort(s, n, sizeof *s, by_time);
	for (size_t i = 0, k; i < n; i += k) {
		for (k = 0; i + k < n && s[i + k].row->file == s[i].row->file &&
		            s[i + k].time == s[i].time;
		     k++)
			end[k] = s[i + k].row->duration;
		for (size_t j = 0; j < k; j++)
			wanted[j] = (double)(k - j) * rate;
		sum[times++] = fit_capacity(end, wanted, k, s[i].row->size, 0) * pairs / (double)k;
	}
	return times ? fit_median(sum, times) : 0;
}

int flows_fit(struct fitting *w, struct err *err)
{
	struct net_fit *f = w->f;
	double size = 0, one, all;
	char text[300];

	(void)err;
	f->max_pairs = pairs_most(w, 0);
	one = rows_quantile(w, NET_FLOW, 0, 1, 0.5, &size);
	all = one > 0 && f->max_pairs > 1 ? together(w, f->max_pairs, size / one) : 0;
	if (!(all > 0))
		return 0;
	f->efficiency = all / (f->max_pairs * size / one);
	if (f->efficiency >= efficiency_least(w) ||
	    (f->ring_ratio > 0 &&
	     f->ring_ratio <= 1 + MUCH)) /* all hosts at once had what they want */
		return 0;
	f->backbone = all;
	snprintf(text, sizeof text,
	         "saturated: %d disjoint pairs at once get %.0f %% of the bandwidth of one: a "
	         "switch, or processors that all hosts share; the platform has a backbone of %.4g "
	         "B/s for it",
	         f->max_pairs, 100 * f->efficiency, f->backbone);
	net_warn(f, text);
	return 0;
}

/* The median time of some concurrent experiment beside what the model says, ~1; NAN: not
 * measured. */
static double concurrent_off(struct fitting *w, enum net_op op, int pairs, double share)
{
	double size = 0, t = rows_quantile(w, op, 0, pairs, 0.5, &size);

	return t > 0 && size > 0 ? t * w->f->bandwidth / (1 + share) / size - 1 : NAN;
}

/* How sure the model is: medians of measured / fitted by powers of two of the size, and of what
 * several messages took at once, which had no part in the fit of one: 1.48 times the median of
 * their distance from 1, which is the deviation if they are normal. */
int spread_fit(struct fitting *w, struct err *err)
{
	enum { BINS = 40, LEAST = 4 };
	double off_1[BINS + 64], size = 1, middle;
	char *seen = step_alloc(w, (size_t)w->f->max_pairs, 1);
	size_t bins = 0;

	(void)err;
	if (seen)
		memset(seen, 0, (size_t)w->f->max_pairs + 1);
	for (size_t i = 0; seen && i < rows_of(w, NET_FLOW); i++)
		if (!row_of(w, NET_FLOW, i)->far)
			seen[row_of(w, NET_FLOW, i)->pairs] = 1;
	for (int pairs = 1; seen && pairs <= w->f->max_pairs && bins < 64 && !(w->f->backbone > 0);
	     pairs++) {
		double off = seen[pairs] ? concurrent_off(w, NET_FLOW, pairs, 0) : NAN;

		if (off == off)
			off_1[bins++] = fabs(off);
	}

	for (int b = 0; b < BINS; b++, size *= 2) {
		double *x, *y;
		size_t n = rows_take(w, NET_PINGPONG, 0, 0, size, 2 * size, &x, &y);

		/* What takes as long as the smallest message is latency: its share of a run is what
		 * noise/network has. */
		if (n >= LEAST && fit_median(y, n) > 8 * net_fit_pingpong(w->f, 1)) {
			for (size_t i = 0; i < n; i++)
				y[i] = y[i] / 2 / net_fit_pingpong(w->f, x[i]);
			off_1[bins++] = fabs(fit_median(y, n) - 1);
		}
	}
	middle = bins ? DEVIATION_OF_MEDIAN * fit_median(off_1, bins) : 0;
	w->f->spread = fmax(middle, SPREAD_LEAST);
	return 0;
}

/* Another way's round trip beside the usual one: median over sizes of (its half - what the model
 * gives), for sizes of at most 1000 bytes. */
static double extra_latency(struct fitting *w, int local, int far)
{
	double *x, *y, extra;
	size_t n = rows_take(w, NET_PINGPONG, local, far, 0, SMALL, &x, &y);

	for (size_t i = 0; i < n; i++)
		y[i] = y[i] / 2 - net_fit_pingpong(w->f, x[i] > 0 ? x[i] : 1);
	extra = n ? fit_median(y, n) : 0;
	return extra;
}

/* From flows between pairs of hosts, where that is all that was measured: of pairs that share a
 * link, the last to end say when all its bytes had passed. */
static void uplink_of_pairs(struct fitting *w)
{
	struct net_fit *f = w->f;
	int pairs = pairs_most(w, 1);
	double size = 0, t = pairs ? rows_quantile(w, NET_FLOW, 1, pairs, LAST, &size) : 0;

	if (!(t > 0))
		return;
	f->uplink = pairs * size / t;
	if (f->uplink > (1 - MUCH) * pairs * f->bandwidth) {
		f->uplink = pairs * f->bandwidth;
		net_warn(f, UNLIMITED);
	}
}

/* Best from flows that fill the link one way. Where none did, from those of all hosts at once: by
 * how well that explains their rates. */
int uplink_fit(struct fitting *w, struct err *err)
{
	struct net_fit *f = w->f;
	double extra = fmax(0, extra_latency(w, 0, 1));
	struct net_uplink u;
	char text[400];

	if (net_uplink_find(w->raw, f, extra, &u, err) < 0)
		return -1;
	f->uplink = u.rate > 0 ? u.rate : w->raw->cabinets.uplink;
	if (u.rate > 0 && !u.limits)
		net_warn(f, UNLIMITED);
	if (u.both_ways > 0 && u.both_ways < 1 - MUCH) {
		snprintf(text, sizeof text,
		         "both ways at once links between cabinets carry %.0f %% each way of what "
		         "they carry one way: acknowledgements behind data, or a link for one way "
		         "at a time; the platform has none of that, and where all hosts send and "
		         "receive between cabinets predictions are too fast",
		         100 * u.both_ways);
		net_warn(f, text);
	}
	if (u.least < (1 - MUCH) * u.most) {
		snprintf(text, sizeof text,
		         "links between cabinets differ: that of the cabinet of %.80s carries %.4g "
		         "B/s, that of %.80s %.4g; the platform has %.4g for each",
		         net_host_name(w->raw, u.least_host), u.least,
		         net_host_name(w->raw, u.most_host), u.most, u.rate);
		net_warn(f, text);
	}
	if (!(f->uplink > 0))
		uplink_of_pairs(w);
	if (f->uplink > 0)
		f->uplink_latency = extra / 2; /* two of them on the way */
	return 0;
}
