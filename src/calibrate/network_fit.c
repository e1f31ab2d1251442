/* network_fit.c: measurements of messages to the parameters of the hybrid model (docs/models.md).
 *
 * 1. Thresholds. A late receiver tells the protocols apart: below `detached` MPI_Send returns
 *    without it, below `eager` its data had moved.
 * 2. Overheads: lines through the durations of MPI_Send, MPI_Isend, and of MPI_Recv for a message
 *    that is there, below the threshold.
 * 3. The wire. Large messages give the bandwidth and, if the line through them passes below the
 *    time of the smallest, the burst that a link sends at once. A message occupies its links for at
 *    least (size - burst) / bandwidth: what it takes when it is alone must not become a rate that
 *    no link has when there are several.
 * 4. Connections. A small message sent while a large one is under way comes after it: then all of a
 *    pair go in order (docs/models.md, "Connections"), a
 * message above the threshold costs a request and a reply besides, which its transfer does not
 * hold, and what MPI_Send of a large one lacks of half a round trip is what the kernel keeps.
 * 5. Transfer: what is left of half a round trip when the overheads are taken off, above the
 *    threshold all of it; beside the wire, lines whose latency and inverse bandwidth are not
 *    negative, their number found (fit.h), errors relative to the half round trip.
 * So that overheads and transfer add up to what was measured, by construction. A sender copies
 * while its first packets are on the wire already, and a receive that follows a sleep is slower
 * than one in a round trip (cold caches): overheads are at most what the wire leaves.
 * 6. What only several messages show: all hosts sending and receiving at once (acknowledgements),
 *    many pairs at once, cabinets. */
#include "network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fitting {
	const struct net_raw *raw;
	struct net_fit *f;
	struct fit_segments round_trip; /* half of it, all sizes, without regard to protocols */
};

static void warn(struct net_fit *f, const char *text)
{
	if (f->warnings.n < NET_WARNINGS)
		str_printf(&f->warnings, "%s\n", text);
}

double net_table_value(const struct net_table *t, double size)
{
	int i = t->n - 1;

	while (i > 0 && size <= t->piece[i].from)
		i--;
	return t->n == 0 || size <= t->piece[i].from
	           ? 0
	           : t->piece[i].base + t->piece[i].per_byte * size;
}

#define FIRST_ROUND \
	0.03 /* s: measure.c waits 20 ms before each message, so later rounds begin after 40 ms */
enum { CONTROL = 64 }; /* bytes of a request or reply of the rendezvous, as in mp/stream.c */

static double wire(const struct net_fit *f, double size)
{
	return size > f->burst ? (size - f->burst) / f->bandwidth : 0;
}

double net_fit_alone(const struct net_fit *f, double size)
{
	return fmax(net_table_value(&f->transfer, size) + wire(f, size), f->latency);
}

/* Never less than any clock tells apart: measurements are divided by it. */
double net_fit_pingpong(const struct net_fit *f, double size)
{
	double t = net_table_value(&f->transfer, size) + wire(f, size);
	const double least = 1e-9;

	if (size < f->detached)
		t += net_table_value(&f->os, size) + net_table_value(&f->or_, size);
	else if (f->ordered && f->detached > CONTROL)
		t += 2 * net_fit_pingpong(f, CONTROL);
	return fmax(t, least);
}

/* --- thresholds --- */

struct label {
	double size;
	int above;
};

static int by_size(const void *a, const void *b)
{
	const struct label *p = a, *q = b;

	return (p->size > q->size) - (p->size < q->size);
}

/* The size from which on `above` holds, with the fewest contradictions; *low the largest size
 * below. No label above: infinity. */
static double threshold_find(struct label *l, size_t n, double *low)
{
	size_t wrong = 0, least, at = 0;

	qsort(l, n, sizeof *l, by_size);
	for (size_t i = 0; i < n; i++)
		wrong += !l[i].above; /* the threshold before all of them */
	least = wrong;
	for (size_t i = 0; i < n; i++) {
		if (l[i].above)
			wrong++;
		else
			wrong--;
		if (wrong <= least && (i + 1 == n || l[i + 1].size > l[i].size)) {
			least = wrong;
			at = i + 1;
		}
	}
	*low = at > 0 ? l[at - 1].size : 0;
	return at < n ? l[at].size : INFINITY;
}

static int labels_make(const struct fitting *w, enum net_op op, struct label **out, size_t *n_out,
                       double below, struct err *err)
{
	double *x, *y, small;
	size_t n = net_raw_take(w->raw, op, 0, -1, 0, INFINITY, &x, &y), kept = 0;
	struct label *l = malloc((n + 1) * sizeof *l);

	if (!x || !l) {
		free(x);
		free(l);
		return err_nomem(err, "thresholds", n * sizeof *l);
	}
	small = INFINITY;
	for (size_t i = 0; i < n; i++)
		small = fmin(small, y[i]);
	for (size_t i = 0; i < n; i++) {
		double half = fit_segments_value(&w->round_trip, x[i]);

		if (op == NET_LATE_SEND) /* the receiver slept for two round trips and 2 ms */
			l[kept++] = (struct label){x[i], y[i] > 2 * half + 1e-3};
		else if (x[i] < below && half > 8 * small) /* else both take the same time */
			l[kept++] = (struct label){x[i], y[i] > 0.5 * half};
	}
	free(x);
	*out = l;
	*n_out = kept;
	return 0;
}

static int thresholds(struct fitting *w, struct err *err)
{
	struct label *l;
	size_t n;

	if (labels_make(w, NET_LATE_SEND, &l, &n, INFINITY, err) < 0)
		return -1;
	w->f->detached = w->f->detached_low = 0;
	if (n == 0)
		warn(
		    w->f,
		    "no measurements with a late receiver (late_send): the thresholds are SMPI's, 65536 and 0");
	w->f->detached = n ? threshold_find(l, n, &w->f->detached_low) : 65536;
	free(l);
	if (isinf(w->f->detached))
		w->f->detached = 2 * w->f->largest;
	if (labels_make(w, NET_LATE_RECV, &l, &n, w->f->detached, err) < 0)
		return -1;
	w->f->eager = n ? threshold_find(l, n, &w->f->eager_low) : 0;
	if (isinf(w->f->eager)) {
		w->f->eager = w->f->detached; /* all that is detached is eager */
		w->f->eager_low = w->f->detached_low;
	}
	free(l);
	return 0;
}

/* --- overheads and transfer --- */

/* Noise of real messages is not normal: it takes more to be believed that there is a break. */
static struct fit_options cautious(size_t n)
{
	return (struct fit_options){.positive = 1,
	                            .penalty = 2,
	                            .least_points = n >= 200  ? 20
	                                            : n >= 60 ? 12
	                                                      : 8,
	                            .least_sizes = 5};
}

/* For sizes in [lo, hi): pieces are appended, the first from lo (exclusive below: a size of 0
 * belongs to it too). */
static void pieces_add(struct net_table *t, const struct fit_segments *s, double lo)
{
	for (size_t i = 0; i < s->n && t->n < NET_PIECES; i++) {
		const struct fit_segment *g = &s->segment[i];

		t->piece[t->n++] = (struct net_piece){.from = i == 0 ? lo : g->from,
		                                      .from_low = i == 0 ? 0 : g->break_low,
		                                      .from_high = i == 0 ? 0 : g->break_high,
		                                      .base = g->intercept,
		                                      .per_byte = g->slope,
		                                      .base_95 = g->intercept_95,
		                                      .per_byte_95 = g->slope_95,
		                                      .sigma = g->sigma};
	}
}

/* What a single operation, after a pause, takes longer than one among many: sleeping processors and
 * cold caches, which belong to the message's latency. The median over measurements of small
 * messages; 0: not measured. */
static double excess(const struct fitting *w, enum net_op many, const double *x, const double *y,
                     size_t n)
{
	enum { SMALL = 4096, TINY = 32 }; /* above, many of them may be slowed by the links */
	double *sx, *gap, *over = malloc((n + 1) * sizeof *over), most = 0, e;
	size_t gaps = net_raw_take(w->raw, many, 0, 0, 0, TINY + 1, &sx, &gap), k = 0;

	e = sx && gaps >= 5 ? fit_median(gap, gaps) : INFINITY;
	for (size_t i = 0; over && i < n; i++)
		if (x[i] <= SMALL)
			over[k++] = y[i] - e;
	if (over && k >= 8 && isfinite(e))
		most = fmax(0, fit_median(over, k));
	free(over);
	free(sx);
	return most;
}

/* Lines through the durations of an operation; too few different sizes: no overhead of this
 * kind. */
static void overhead_lines(struct net_table *t, const double *x, const double *y, size_t n,
                           double lo)
{
	struct fit_options o = cautious(n);
	struct fit_segments s;
	struct err few;

	if (n >= 8 && fit_segments_find(x, y, n, &o, &s, &few) == 0) {
		pieces_add(t, &s, lo > 0 ? lo - 1 : 0);
		fit_segments_release(&s);
	}
}

static int overhead_fit(struct fitting *w, enum net_op op, double lo, double hi,
                        struct net_table *t, struct err *err)
{
	double *x, *y, less;
	size_t n = net_raw_take(w->raw, op, 0, 0, lo, hi, &x, &y);

	if (!x)
		return err_nomem(err, "measurements", n * sizeof *x);
	for (size_t i = 0; i < n; i++) /* a clock may not see it */
		y[i] = fmax(y[i], 1e-9);
	less = excess(w, op == NET_RECV ? NET_STREAM : NET_STREAM_SEND, x, y, n);
	for (size_t i = 0; op != NET_ISEND && i < n; i++) {
		double room = fit_segments_value(&w->round_trip, x[i]) - wire(w->f, x[i]);

		room = op == NET_RECV ? 0.9 * (room - net_table_value(&w->f->os, x[i]))
		                      : 0.8 * room;
		y[i] = fmax(fmin(y[i] - less, room), 1e-9);
	}
	overhead_lines(t, x, y, n, lo);
	free(x);
	return 0;
}

static int transfer_fit(struct fitting *w, double lo, double hi, struct err *err)
{
	struct fit_segments s;
	double *x, *y, *scale;
	size_t n = net_raw_take(w->raw, NET_PINGPONG, 0, 0, lo, hi, &x, &y);
	struct fit_options o = cautious(n);
	int r = -1;

	scale = malloc((n + 1) * sizeof *scale);
	if (!x || !scale) {
		err_nomem(err, "measurements", n * sizeof *x);
	} else if (n < 8) {
		r = 0; /* the protocol on this side of the threshold was hardly used */
	} else {
		for (size_t i = 0; i < n; i++) {
			y[i] = y[i] / 2 - wire(w->f, x[i]);
			scale[i] = fit_segments_value(&w->round_trip, x[i]);
			if (lo > 0 && w->f->ordered && w->f->detached > CONTROL)
				y[i] -= 2 * net_fit_pingpong(w->f, CONTROL);
			if (lo == 0 && hi <= w->f->detached)
				y[i] -= net_table_value(&w->f->os, x[i]) +
				        net_table_value(&w->f->or_, x[i]);
		}
		o.scale = scale;
		r = fit_segments_find(x, y, n, &o, &s, err);
		if (r == 0) {
			pieces_add(&w->f->transfer, &s, lo > 0 ? lo - 1 : 0);
			fit_segments_release(&s);
		}
	}
	free(scale);
	free(x);
	return r;
}

static int tables_fit(struct fitting *w, struct err *err)
{
	struct net_fit *f = w->f;
	double d = f->detached;

	if (overhead_fit(w, NET_SEND, 0, d, &f->os, err) < 0 ||
	    overhead_fit(w, NET_ISEND, 0, d, &f->ois, err) < 0 ||
	    overhead_fit(w, NET_ISEND, d, INFINITY, &f->ois, err) < 0 ||
	    overhead_fit(w, NET_RECV, 0, d, &f->or_, err) < 0)
		return -1;
	if (d > 0 && transfer_fit(w, 0, d, err) < 0)
		return -1;
	if (d < f->largest && transfer_fit(w, d, INFINITY, err) < 0)
		return -1;
	if (f->transfer.n == 0)
		return err_set(
		    err, ERR_INPUT,
		    "too few round trips on either side of the threshold of %.0f bytes to fit a line",
		    d);
	f->transfer.piece[0].from = 0;
	return 0;
}

/* --- several messages at once --- */

static double quantile_of(const struct net_raw *raw, enum net_op op, int local, int far, int pairs,
                          double q, double *size)
{
	double *v = malloc(((size_t)raw->n + 1) * sizeof *v), m = 0;
	size_t n = 0;

	for (uint32_t i = 0; v && i < raw->n; i++) {
		const struct net_row *r = &raw->rows[i];

		if (r->op == op && r->local == local && r->far == far && r->pairs == pairs) {
			v[n++] = r->duration;
			*size = r->size;
		}
	}
	if (n) {
		fit_sort(v, n);
		m = fit_quantile(v, n, q);
	}
	free(v);
	return m;
}

/* The deviation of one large message, relative. */
static double scatter_large(const struct net_fit *f)
{
	return f->transfer.n ? f->transfer.piece[f->transfer.n - 1].sigma : 0;
}

/* What the links can do is what the best exchanges show: a library that sends first and receives
 * afterwards, now and then, is not a limit of the links. That one is told. */
static void exchange_fit(struct fitting *w)
{
	struct net_fit *f = w->f;
	double *x, *y, usual, best, far = fmax(1.15, 1 + 3.5 * scatter_large(f));
	/* Large messages of an ordered pair wait for each other's requests: that says nothing about
	 * the links. */
	size_t n = net_raw_take(w->raw, NET_EXCHANGE, 0, 0,
	                        fmin(f->largest / 50, f->ordered ? f->detached / 2 : INFINITY),
	                        f->ordered ? f->detached : INFINITY, &x, &y);
	char text[200];

	for (size_t i = 0; x && i < n; i++)
		y[i] /= net_fit_pingpong(f, x[i]);
	if (x && n >= 3) {
		fit_sort(y, n);
		best = fit_quantile(y, n, 0.1);
		f->exchange_ratio = usual = fit_quantile(y, n, 0.5);
		if (usual > far * best) {
			f->exchange_ratio = best;
			snprintf(
			    text, sizeof text,
			    "bimodal: both directions at once take %.3g times as long as one at best, %.3g times usually: the "
			    "library, not the links",
			    best, usual);
			warn(f, text);
		}
		if (!f->ordered && f->exchange_ratio > 1.025 && f->exchange_ratio <= 1.1)
			f->crosstraffic = f->exchange_ratio - 1;
		if (f->exchange_ratio > 1.1)
			f->limiter = 2 * f->bandwidth / f->exchange_ratio;
	}
	free(x);
}

/* All hosts send and receive at once: acknowledgements, or links that carry one direction at a
 * time. */
static void ring_fit(struct fitting *w)
{
	struct net_fit *f = w->f;
	double *x, *y;
	size_t n = net_raw_take(w->raw, NET_RING, 0, 0, 1, INFINITY, &x, &y);

	for (size_t i = 0; x && i < n; i++)
		y[i] *= f->bandwidth / x[i];
	if (x && n >= 3) {
		f->ring_ratio = fit_median(y, n);
		if (f->ring_ratio <= 1.1) {
			f->limiter = 0;
			f->crosstraffic = f->ring_ratio > 1.003 ? f->ring_ratio - 1 : 0;
		}
	}
	free(x);
}

/* Round trips without pauses, of messages that a full bucket lets through at once: each takes (size
 * + header) of it in each direction, and no more than the rate is added. Where latency alone takes
 * longer than that nothing is known, and nothing lost. */
static void header_fit(struct fitting *w)
{
	struct net_fit *f = w->f;
	double *x, *y, most = 500, header;
	size_t n = net_raw_take(w->raw, NET_TRAIN, 0, 0, 0, INFINITY, &x, &y), m = 0;

	for (size_t i = 0; x && i < n; i++)
		if (y[i] > 1.2 * 2 * net_fit_pingpong(f, x[i]) && x[i] <= f->burst)
			y[m++] = y[i] * f->bandwidth - x[i];
	header = x && m >= 3 ? fit_median(y, m) : 0;
	f->header = header > 0 && header < most ? header : 0;
	free(x);
}

/* --- connections --- */

static void order_fit(struct fitting *w)
{
	enum { LEAST = 3 };
	double *x, *y;
	size_t n = net_raw_take(w->raw, NET_ORDER, 0, 0, 0, INFINITY, &x, &y);

	for (size_t i = 0; x && i < n; i++)
		y[i] /= fit_segments_value(&w->round_trip, x[i]);
	w->f->ordered = x && n >= LEAST && fit_median(y, n) > 0.85;
	if (n > 0 && n < LEAST)
		warn(
		    w->f,
		    "whether messages of a pair come in order (order) was measured less than three times: taken for no; a "
		    "longer --time helps");
	free(x);
}

/* The kernel keeps what MPI_Send of a large message lacks of half a round trip. */
static void buffer_fit(struct fitting *w)
{
	struct net_fit *f = w->f;
	double *x, *y, kept;
	size_t n = net_raw_take(w->raw, NET_SEND, 0, 0, f->detached, INFINITY, &x, &y), m = 0;

	for (size_t i = 0; x && i < n; i++) {
		kept = (net_fit_pingpong(f, x[i]) - y[i]) * f->bandwidth;
		if (kept < 0.9 * x[i]) /* else it would have kept more */
			y[m++] = kept;
	}
	kept = x && m >= 5 ? fit_median(y, m) : 0;
	f->send_buffer = f->ordered && kept > 4096 ? kept : 0;
	free(x);
}

/* Hosts of one computer (the measuring program tells): what k round trips at once take longer than
 * one, beyond as many as there are processors, is time for which each message has kept one of them,
 * if they shared them evenly. It is part of a message's latency. */
static void virtual_fit(struct fitting *w)
{
	static const char key[] = "hosts are virtual, processors of their computer: ";
	const char *at = w->raw->meta.s ? strstr(w->raw->meta.s, key) : NULL;
	struct net_fit *f = w->f;
	const double most = 1e6;
	double alone = NAN, work = 0, *y = malloc(((size_t)w->raw->n + 1) * sizeof *y);

	f->processors = at ? strtod(at + sizeof key - 1, NULL) : 0;
	if (!(f->processors >= 1 && f->processors <= most))
		f->processors = 0;
	f->work = 0;
	for (int k = 1; y && f->processors > 0 && k <= NET_HOSTS; k++) {
		size_t n = 0;

		for (uint32_t i = 0; i < w->raw->n; i++) {
			const struct net_row *r = &w->raw->rows[i];

			if (r->op == NET_CROWD && r->pairs % NET_GAPS == k && !r->local && !r->far)
				y[n++] = r->duration / 2;
		}
		if (n < 3)
			continue;
		if (k == 1)
			alone = fit_median(y, n);
		else if (k > f->processors) /* the most pairs say it best */
			work = (fit_median(y, n) - alone) / (k / f->processors - 1);
	}
	if (work > 0.1 * alone)
		f->work = fmin(work, f->latency);
	free(y);
}

static void setup_fit(struct fitting *w)
{
	struct net_fit *f = w->f;
	double usual = 2 * net_fit_pingpong(f, 1), first, mean = 0,
	       *later = malloc(((size_t)w->raw->n + 1) * sizeof *later), earliest = INFINITY;
	size_t n = 0, contacts = 0;

	for (uint32_t i = 0; later && i < w->raw->n; i++) {
		const struct net_row *r = &w->raw->rows[i];
		int contact;

		if (i > 0 && (r[-1].op != NET_FIRST || r[-1].src != r->src))
			earliest = INFINITY; /* another run: clocks begin anew */
		if (r->op != NET_FIRST)
			continue;
		contact = r->start < FIRST_ROUND &&
		          r->start <= earliest; /* neither of the two had a message before */
		earliest = fmin(earliest, r->start);
		if (r->local)
			continue;
		if (contact) {
			mean += r->duration;
			contacts++;
		} else {
			later[n++] = r->duration;
		}
	}
	first = n ? fit_median(later, n) : contacts ? mean / (double)contacts : 0;
	f->setup = f->ordered && first > 3 * usual ? first - usual : 0;
	f->contact = f->setup > 0 && n && contacts ? fmax(0, mean / (double)contacts - first) : 0;
	free(later);
}

/* The median time of some concurrent experiment beside what the model says, ~1; NAN: not
 * measured. */
static double concurrent_off(const struct fitting *w, enum net_op op, int pairs, double share)
{
	double size = 0, t = quantile_of(w->raw, op, 0, 0, pairs, 0.5, &size);

	return t > 0 && size > 0 ? t * w->f->bandwidth / (1 + share) / size - 1 : NAN;
}

#define LEAST_SPREAD \
	0.01 /* assumed: what a calibration cannot know of another day and another program */

/* How sure the model is: medians of measured / fitted by powers of two of the size, and of what
 * several messages took at once, which had no part in the fit of one: 1.48 times the median of
 * their distance from 1, which is the deviation if they are normal. */
static void spread_fit(struct fitting *w)
{
	enum { BINS = 40, LEAST = 4 };
	double off_1[BINS + 64], size = 1, middle;
	char *seen = calloc((size_t)w->f->max_pairs + 1, 1);
	size_t bins = 0;

	for (uint32_t i = 0; seen && i < w->raw->n; i++)
		if (w->raw->rows[i].op == NET_FLOW && !w->raw->rows[i].far)
			seen[w->raw->rows[i].pairs] = 1;
	for (int pairs = 1; seen && pairs <= w->f->max_pairs && bins < 64 && !(w->f->backbone > 0);
	     pairs++) {
		double off = seen[pairs] ? concurrent_off(w, NET_FLOW, pairs, 0) : NAN;

		if (off == off)
			off_1[bins++] = fabs(off);
	}
	free(seen);

	for (int b = 0; b < BINS; b++, size *= 2) {
		double *x, *y;
		size_t n = net_raw_take(w->raw, NET_PINGPONG, 0, 0, size, 2 * size, &x, &y);

		/* What takes as long as the smallest message is latency: its share of a run is what
		 * noise/network has. */
		if (x && n >= LEAST && fit_median(y, n) > 8 * net_fit_pingpong(w->f, 1)) {
			for (size_t i = 0; i < n; i++)
				y[i] = y[i] / 2 / net_fit_pingpong(w->f, x[i]);
			off_1[bins++] = fabs(fit_median(y, n) - 1);
		}
		free(x);
	}
	middle = bins ? 1.4826 * fit_median(off_1, bins) : 0;
	w->f->spread = fmax(middle, LEAST_SPREAD);
}

static size_t flows_count(const struct net_raw *raw, int pairs)
{
	size_t n = 0;

	for (uint32_t i = 0; i < raw->n; i++)
		n += raw->rows[i].op == NET_FLOW && !raw->rows[i].local && !raw->rows[i].far &&
		     raw->rows[i].pairs == pairs;
	return n;
}

/* Below 1: what of several pairs at once makes less than one alone by a tenth, and by more than
 * three and a half standard errors of medians of so few. */
static double efficiency_least(const struct fitting *w)
{
	double one = (double)flows_count(w->raw, 1),
	       all = (double)flows_count(w->raw, w->f->max_pairs);

	return fmin(0.9, 1 - 3.5 * 1.2533 * scatter_large(w->f) * sqrt(1 / one + 1 / all));
}

static void flows_fit(struct fitting *w)
{
	struct net_fit *f = w->f;
	double size = 0, one, all;
	char text[300];

	for (uint32_t i = 0; i < w->raw->n; i++)
		if (w->raw->rows[i].op == NET_FLOW && !w->raw->rows[i].far &&
		    w->raw->rows[i].pairs > f->max_pairs)
			f->max_pairs = w->raw->rows[i].pairs;
	one = quantile_of(w->raw, NET_FLOW, 0, 0, 1, 0.5, &size);
	all = f->max_pairs > 1 ? quantile_of(w->raw, NET_FLOW, 0, 0, f->max_pairs, 0.5, &size) : 0;
	if (!(one > 0) || !(all > 0))
		return;
	f->efficiency = one / all;
	if (f->efficiency >= efficiency_least(w) ||
	    (f->ring_ratio > 0 && f->ring_ratio <= 1.1)) /* all hosts at once had what they want */
		return;
	f->backbone = f->max_pairs * size / all;
	snprintf(
	    text, sizeof text,
	    "saturated: %d disjoint pairs at once get %.0f %% of the bandwidth of one: a switch, or processors that all hosts "
	    "share; the platform has a "
	    "backbone of %.4g B/s for it",
	    f->max_pairs, 100 * f->efficiency, f->backbone);
	warn(f, text);
}

static int far_pairs(const struct net_raw *raw)
{
	int most = 0;

	for (uint32_t i = 0; i < raw->n; i++)
		if (raw->rows[i].op == NET_FLOW && raw->rows[i].far && raw->rows[i].pairs > most)
			most = raw->rows[i].pairs;
	return most;
}

/* Another way's round trip beside the usual one: median over sizes of (its half - what the model
 * gives), for sizes of at most 1000 bytes. */
static double extra_latency(const struct fitting *w, int local, int far)
{
	double *x, *y, extra;
	size_t n = net_raw_take(w->raw, NET_PINGPONG, local, far, 0, 1000, &x, &y);

	for (size_t i = 0; x && i < n; i++)
		y[i] = y[i] / 2 - net_fit_pingpong(w->f, x[i] > 0 ? x[i] : 1);
	extra = x && n ? fit_median(y, n) : 0;
	free(x);
	return extra;
}

static void uplink_fit(struct fitting *w)
{
	struct net_fit *f = w->f;
	int pairs = far_pairs(w->raw);
	/* Of the pairs that share it, the last to end say when all its bytes had passed. */
	double size = 0, t = pairs ? quantile_of(w->raw, NET_FLOW, 0, 1, pairs, 0.9, &size) : 0;

	if (w->raw->cabinets.uplink > 0) { /* from hosts that all send at once */
		f->uplink = w->raw->cabinets.uplink;
		f->uplink_latency = fmax(0, extra_latency(w, 0, 1)) / 2;
		return;
	}
	if (!(t > 0))
		return;
	f->uplink = pairs * size / t;
	f->uplink_latency = fmax(0, extra_latency(w, 0, 1)) / 2; /* two of them on the way */
	if (f->uplink > 0.9 * pairs * f->bandwidth) {
		f->uplink = pairs * f->bandwidth;
		warn(
		    f,
		    "the links between cabinets do not limit all hosts of a cabinet together: they are at least as fast as "
		    "written");
	}
}

/* One rank a host: what remains inside it is what a rank sends to itself. */
static void self_fit(struct fitting *w)
{
	struct net_fit *f = w->f;
	double *x, *y, half = fmin(f->largest, f->detached) / 2,
	               small = INFINITY; /* s, of the shortest */
	size_t n = net_raw_take(w->raw, NET_SELF, -1, -1, 0, INFINITY, &x, &y), m = 0;

	for (size_t i = 0; x && i < n; i++)
		small = fmin(small, y[i]);
	for (size_t i = 0; x && i < n; i++)
		if (x[i] > half / 64 && y[i] > 2 * small)
			y[m++] = x[i] / (y[i] - small);
	if (m >= 3) {
		f->local_latency = 1e-9; /* overheads are more than what it takes */
		f->local_bandwidth = fit_median(y, m);
	}
	free(x);
}

/* Overheads between ranks of a host, at most what half a round trip there leaves: s, lines through
 * round trips. */
static void local_overhead(struct fitting *w, enum net_op op, const struct fit_segments *s,
                           struct net_table *t)
{
	double *x, *y;
	size_t n = net_raw_take(w->raw, op, 1, -1, 0, op == NET_ISEND ? INFINITY : w->f->detached,
	                        &x, &y);

	for (size_t i = 0; x && i < n; i++) {
		double room = fit_segments_value(s, x[i]) / 2;

		room = op == NET_RECV ? 0.9 * (room - net_table_value(&w->f->os_local, x[i]))
		                      : 0.8 * room;
		y[i] = fmax(op == NET_ISEND ? y[i] : fmin(y[i], room), 1e-9);
	}
	if (x)
		overhead_lines(t, x, y, n, 0);
	free(x);
}

/* What small messages take inside a host beside overheads, as a multiple of what they take between
 * hosts: the factors of sizes are the same. */
static double local_latency(const struct fitting *w)
{
	const struct net_fit *f = w->f;
	const struct net_table *os = f->os_local.n ? &f->os_local : &f->os,
	                       *or_ = f->or_local.n ? &f->or_local : &f->or_;
	double *x, *y, times;
	size_t n = net_raw_take(w->raw, NET_PINGPONG, 1, -1, 0, 1000, &x, &y), m = 0;

	for (size_t i = 0; x && i < n; i++) {
		double between = net_table_value(&f->transfer, x[i] > 0 ? x[i] : 1);

		if (between > 0)
			y[m++] = (y[i] / 2 - net_table_value(os, x[i]) -
			          net_table_value(or_, x[i])) /
			         between;
	}
	times = x && m ? fit_median(y, m) : 1;
	free(x);
	return times * f->latency;
}

/* The last of the lines through the local round trips; small messages give the latency, after
 * overheads of their own. */
static void local_fit(struct fitting *w)
{
	struct net_fit *f = w->f;
	struct fit_options o = {.positive = 1};
	struct fit_segments s;
	struct err few;
	double *x, *y;
	size_t n = net_raw_take(w->raw, NET_PINGPONG, 1, -1, 0, INFINITY, &x, &y);

	if (x && n < 16) {
		self_fit(w);
	} else if (x && fit_segments_find(x, y, n, &o, &s, &few) == 0) {
		const struct fit_segment *last = &s.segment[s.n - 1];
		const double least = 1e-9;
		double latency, half = fit_segments_value(&s, 64) / 2;
		char text[300];

		local_overhead(w, NET_SEND, &s, &f->os_local);
		local_overhead(w, NET_ISEND, &s, &f->ois_local);
		local_overhead(w, NET_RECV, &s, &f->or_local);
		latency = local_latency(w);
		f->local_latency = fmax(latency, least);
		if (latency < -0.3 * half) {
			snprintf(
			    text, sizeof text,
			    "inside a host half a round trip takes %.3g s, less than the overheads of messages between hosts "
			    "alone, which the model has for both as none were measured inside: small messages inside a host "
			    "are predicted "
			    "too slow",
			    half);
			warn(f, text);
		}
		f->local_bandwidth = last->slope > 0
		                         ? 2 / last->slope
		                         : f->largest / (fit_segments_value(&s, f->largest) / 2);
		fit_segments_release(&s);
	}
	free(x);
}

static void latency_set(struct net_fit *f)
{
	/* Overheads may be all there is of a small message: factors are then relative to a latency
	 * of 1 us. */
	f->latency = fmax(f->transfer.piece[0].base - 16 * f->transfer.piece[0].per_byte, 1e-6);
	f->latency_95 = f->transfer.piece[0].base_95;
}

/* What is left of half round trips of sizes from lo to hi beside inverse * size, their median; NAN:
 * too few. Those of a rendezvous wait for a request and a reply besides. */
static double median_rest(const struct fitting *w, double lo, double hi, double inverse)
{
	double *x, *y, m = NAN,
	               more = w->f->ordered ? 2 * fit_segments_value(&w->round_trip, CONTROL) : 0;
	size_t n = net_raw_take(w->raw, NET_PINGPONG, 0, 0, lo, hi, &x, &y);

	for (size_t i = 0; x && i < n; i++)
		y[i] = y[i] / 2 - inverse * x[i] - (x[i] >= w->f->detached ? more : 0);
	if (x && n >= 5)
		m = fit_median(y, n);
	free(x);
	return m;
}

/* The median of (half a round trip - offset) / size of sizes from lo on; 0: too few. */
static double median_slope(const struct fitting *w, double lo, double offset)
{
	double *x, *y, m = 0,
	               more = w->f->ordered ? 2 * fit_segments_value(&w->round_trip, CONTROL) : 0;
	size_t n = net_raw_take(w->raw, NET_PINGPONG, 0, 0, lo, INFINITY, &x, &y);

	for (size_t i = 0; x && i < n; i++)
		y[i] = (y[i] / 2 - offset - (x[i] >= w->f->detached ? more : 0)) / x[i];
	if (x && n >= 8)
		m = fit_median(y, n);
	free(x);
	return m;
}

/* Lines through half round trips of large messages, and of how many. */
enum { SLOPES = 64 };
struct slope_lines {
	struct fit_segment line[SLOPES];
	size_t n, points;
};

/* Adds those of sizes from lo to hi; -1: fewer than `least` round trips. */
static int slope_lines_add(const struct fitting *w, double lo, double hi, size_t least,
                           struct slope_lines *l)
{
	struct fit_options o = {.least_points = 20, .penalty = 3};
	struct fit_segments s = {0};
	struct err why;
	double *x, *y;
	size_t n = net_raw_take(w->raw, NET_PINGPONG, 0, 0, lo, hi, &x, &y);
	int r = -1;

	for (size_t i = 0; x && i < n; i++)
		y[i] /= 2;
	if (x && n >= least && fit_segments_find(x, y, n, &o, &s, &why) == 0 &&
	    l->n + s.n <= SLOPES) {
		memcpy(l->line + l->n, s.segment, s.n * sizeof *s.segment);
		l->n += s.n;
		l->points += n;
		r = 0;
	}
	fit_segments_release(&s);
	free(x);
	return r;
}

/* No line of large messages rises: what they take for each byte, and a warning. */
static double slope_guess(const struct fitting *w)
{
	const double large = w->f->largest / 8;
	double *x, *y, slope = 0;
	size_t n = net_raw_take(w->raw, NET_PINGPONG, 0, 0, large, INFINITY, &x, &y);

	for (size_t i = 0; x && i < n; i++)
		y[i] /= 2 * fmax(x[i], 1);
	if (x && n)
		slope = fit_median(y, n);
	free(x);
	warn(
	    w->f,
	    "round trips of large messages do not take longer the larger they are: the bandwidth is a guess; quieter "
	    "processors, or larger messages (--largest), would tell");
	return slope;
}

/* The slope of the last line, or of another one that is clearly faster and has a quarter of the
 * round trips; but not faster by more than 2: what is nearly flat is sizes that a burst takes in.
 * Where many are above the threshold, those are fitted alone: a change of protocol that noise hides
 * would bend the last line. *relative_95: half-width of its 95 % interval, relative; 0: not
 * known. */
static double slope_find(const struct fitting *w, double lo, double *relative_95)
{
	enum { FEW = 20, MANY = 40, RANGE = 8 };
	double d = w->f->detached, slope = 0;
	struct slope_lines l = {.n = 0};
	size_t last;

	*relative_95 = 0;
	if (d > lo && RANGE * d <= w->f->largest &&
	    slope_lines_add(w, d, INFINITY, MANY, &l) == 0) {
		last = l.n - 1;
		slope_lines_add(w, lo, d, FEW, &l);
	} else if (slope_lines_add(w, lo, INFINITY, FEW, &l) == 0) {
		last = l.n - 1;
	} else {
		slope = fit_segments_value(&w->round_trip, w->f->largest) / w->f->largest;
		return slope > 0 ? slope : slope_guess(w);
	}
	slope = l.line[last].slope;
	*relative_95 = l.line[last].slope_95 / slope;
	for (size_t i = 0; i < l.n; i++) {
		const struct fit_segment *s = &l.line[i];

		if (s->slope > 0.5 * l.line[last].slope && s->n >= l.points / 4 &&
		    (slope <= 0 || (s->slope < 0.97 * slope && s->slope + s->slope_95 < slope))) {
			slope = s->slope;
			*relative_95 = s->slope_95 / slope;
		}
	}
	if (slope > 0)
		return slope;
	*relative_95 = 0;
	return slope_guess(w);
}

/* Whether messages of medium size take less than (the smallest + size / bandwidth), all by the same
 * amount: *offset, s, is then below 0. Medium: a hundred times a range of sizes, that it be a shift
 * and not a slope. */
static int burst_seen(const struct fitting *w, double medium, double slope, double *offset)
{
	double small = fit_segments_value(&w->round_trip, 16),
	       lower = median_rest(w, medium, 5 * medium, slope),
	       upper = median_rest(w, 5 * medium, 25 * medium, slope);

	*offset = (lower + upper) / 2;
	return lower < 0 && upper < 0 && (small - *offset) / slope >= 1500 &&
	       fabs(lower - upper) <= 0.5 * fabs(lower) && (small - *offset) / slope < 2 * medium;
}

/* The bandwidth, and the burst. */
static void wire_fit(struct fitting *w, double bandwidth)
{
	struct net_fit *f = w->f;
	double relative_95, slope = slope_find(w, fmax(f->largest / 200, 4000), &relative_95);
	double small = fit_segments_value(&w->round_trip, 16), offset, better, medium = 4000;

	while (medium < f->largest / 20 && !burst_seen(w, medium, slope, &offset))
		medium *= 2;
	for (int round = 0;
	     round < 4 && medium < f->largest / 20 && burst_seen(w, medium, slope, &offset);
	     round++) {
		f->burst = (small - offset) / slope;
		better = median_slope(w, 5 * medium, offset);
		slope = better > 0 ? better : slope;
	}
	f->bandwidth = 1 / slope;
	f->bandwidth_95 = relative_95 / slope;
	if (bandwidth > f->bandwidth) {
		f->bandwidth = bandwidth;
		f->bandwidth_95 = 0;
	}
}

/* Clocks that stand still or run wild. */
static int bandwidth_check(const struct fitting *w, struct err *err)
{
	const double least = 1e-3, most = 1e18; /* bytes/s */

	return w->f->bandwidth >= least && w->f->bandwidth <= most
	           ? 0
	           : err_set(
	                 err, ERR_INPUT,
	                 "round trips of up to %.0f bytes speak for a bandwidth of %g B/s: what they took is not right",
	                 w->f->largest, w->f->bandwidth);
}

/* Without round trips between hosts there is nothing to begin with: what there is instead, and what
 * to do. */
static int round_trips_missing(const struct net_raw *raw, size_t n, struct err *err)
{
	size_t inside = 0, far = 0;

	if (raw->n == 0)
		return err_set(err, ERR_INPUT,
		               "no measurements: the file is empty, or has a header only");
	for (uint32_t i = 0; i < raw->n; i++) {
		inside += raw->rows[i].op == NET_PINGPONG && raw->rows[i].local;
		far += raw->rows[i].op == NET_PINGPONG && raw->rows[i].far;
	}
	if (inside + far > 0)
		return err_set(
		    err, ERR_INPUT,
		    "too few round trips between hosts: %zu; %zu are inside a host, %zu between cabinets: measure with two hosts "
		    "of a cabinet or more",
		    n, inside, far);
	return err_set(
	    err, ERR_INPUT,
	    "too few round trips: %zu of %u measurements; these are rows 'pingpong', or in files without a header MPI_Recv "
	    "after an MPI_Send of the same size, at least 8 of three sizes",
	    n, raw->n);
}

static int round_trip_fit(struct fitting *w, struct err *err)
{
	double *x, *y;
	size_t n = net_raw_take(w->raw, NET_PINGPONG, 0, 0, 0, INFINITY, &x, &y);
	struct err why;
	int r;

	if (!x)
		return err_nomem(err, "measurements", 1);
	for (size_t i = 0; i < n; i++) {
		y[i] /= 2;
		w->f->largest = fmax(w->f->largest, x[i]);
	}
	r = n < 8 ? round_trips_missing(w->raw, n, err)
	          : fit_segments_find(x, y, n, NULL, &w->round_trip, &why);
	free(x);
	if (r < 0 && n >= 8)
		return err_set(err, why.kind, "round trips between hosts: %s", why.text);
	return r;
}

int net_fit_make(const struct net_raw *raw, double bandwidth, struct net_fit *f, struct err *err)
{
	struct fitting w = {.raw = raw, .f = f};
	int r = -1;

	memset(f, 0, sizeof *f);
	str_init(&f->warnings);
	if (round_trip_fit(&w, err) == 0 && thresholds(&w, err) == 0) {
		order_fit(&w);
		wire_fit(&w, bandwidth);
		if (bandwidth_check(&w, err) < 0 || tables_fit(&w, err) < 0)
			goto out;
		latency_set(f);
		r = net_noise_fit(raw, f, err);
		header_fit(&w);
		buffer_fit(&w);
		setup_fit(&w);
		exchange_fit(&w);
		ring_fit(&w);
		flows_fit(&w);
		spread_fit(&w);
		uplink_fit(&w);
		local_fit(&w);
		virtual_fit(&w);
		r = r == 0 ? net_notice_fit(raw, f, err) : r;
	}
out:
	fit_segments_release(&w.round_trip);
	if (r < 0)
		net_fit_release(f);
	return r;
}

void net_fit_release(struct net_fit *f)
{
	str_release(&f->warnings);
	memset(f, 0, sizeof *f);
}
