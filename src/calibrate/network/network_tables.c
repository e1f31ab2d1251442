/* network_tables.c: overheads and transfer, as lines over sizes.
 *
 * A sender copies while its first packets are on the wire already, and a receive that follows a
 * sleep is slower than one in a round trip (cold caches): overheads are at most what the wire
 * leaves. */
#include "network_int.h"

#include <math.h>

/* s: no clock tells shorter times apart. */
static const double TIME_LEAST = 1e-9;
/* Fewer say nothing of a line: two parameters and their deviation, three times over. */
enum { ROWS_LEAST = 8, GAPS_LEAST = 5 };
/* Of half a round trip: a fifth is left to what is no overhead, and a tenth of what the send
 * leaves, so that no transfer is below zero where a clock was read late. */
static const double SEND_MOST = 0.8, RECV_MOST = 0.9;
/* s: factors of latency are relative to no less, where overheads are all there is of a message:
 * light takes as long for three metres. */
static const double LATENCY_LEAST = 1e-8;

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
static double excess(struct fitting *w, enum net_op many, const double *x, const double *y,
                     size_t n)
{
	enum { SMALL = 4096, TINY = 32 }; /* above, many of them may be slowed by the links */
	double *sx, *gap, *over = step_alloc(w, n, sizeof *over), most = 0, e;
	size_t gaps = rows_take(w, many, 0, 0, 0, TINY + 1, &sx, &gap), k = 0;

	e = gaps >= GAPS_LEAST ? fit_median(gap, gaps) : INFINITY;
	for (size_t i = 0; over && i < n; i++)
		if (x[i] <= SMALL)
			over[k++] = y[i] - e;
	if (over && k >= ROWS_LEAST && isfinite(e))
		most = fmax(0, fit_median(over, k));
	return most;
}

/* Lines through the durations of an operation; too few different sizes: no overhead of this
 * kind. */
void overhead_lines(struct fitting *w, struct net_table *t, const double *x, const double *y,
                    size_t n, double lo)
{
	struct fit_options o = cautious(n);
	struct fit_segments s;
	struct err few;

	if (n >= ROWS_LEAST && lines_find(w, x, y, n, &o, &s, &few) == 0) {
		pieces_add(t, &s, lo > 0 ? lo - 1 : 0);
		fit_segments_release(&s);
	}
}

double overhead_most(enum net_op op, double room, const struct net_table *os, double size,
                     double seconds)
{
	room = op == NET_RECV ? RECV_MOST * (room - net_table_value(os, size)) : SEND_MOST * room;
	return fmax(fmin(seconds, room), TIME_LEAST);
}

static void overhead_fit(struct fitting *w, enum net_op op, double lo, double hi,
                         struct net_table *t)
{
	double *x, *y, less;
	size_t n = rows_take(w, op, 0, 0, lo, hi, &x, &y);

	n = net_decided(w->f, x, y, n);
	for (size_t i = 0; i < n; i++) /* a clock may not see it */
		y[i] = fmax(y[i], TIME_LEAST);
	less = excess(w, op == NET_RECV ? NET_STREAM : NET_STREAM_SEND, x, y, n);
	for (size_t i = 0; op != NET_ISEND && i < n; i++) {
		double room = fit_segments_value(&w->round_trip, x[i]) - net_wire(w->f, x[i]);

		y[i] = overhead_most(op, room, &w->f->os, x[i], y[i] - less);
	}
	overhead_lines(w, t, x, y, n, lo);
}

static int transfer_fit(struct fitting *w, double lo, double hi, struct err *err)
{
	struct fit_segments s;
	struct err why;
	double *x, *y, *scale;
	size_t all = rows_take(w, NET_PINGPONG, 0, 0, lo, hi, &x, &y),
	       n = net_decided(w->f, x, y, all);
	struct fit_options o = cautious(n);
	int r = -1;

	scale = step_alloc(w, all, sizeof *scale);
	if (!scale || all < ROWS_LEAST) {
		r = 0; /* the protocol on this side of the threshold was hardly used */
	} else {
		for (size_t i = 0; i < all; i++) {
			y[i] = y[i] / 2 - net_wire(w->f, x[i]);
			scale[i] = fit_segments_value(&w->round_trip, x[i]);
			if (lo >= net_asked_from(w->f))
				y[i] -= 2 * net_fit_pingpong(w->f, CONTROL);
			if (hi <= w->f->detached)
				y[i] -= net_table_value(&w->f->os, x[i]) +
				        net_table_value(&w->f->or_, x[i]);
		}
		o.scale = scale;
		r = lines_find(w, x, y, n, &o, &s, &why);
		if (r < 0 && n < all) /* too few: of either protocol is better than none */
			r = lines_find(w, x, y, all, &o, &s, &why);
		if (r == 0) {
			pieces_add(&w->f->transfer, &s, lo > 0 ? lo - 1 : 0);
			fit_segments_release(&s);
		} else {
			err_set(err, why.kind, "round trips of %s the threshold of %.0f bytes: %s",
			        lo > 0 ? "at least" : "less than", lo > 0 ? lo : hi, why.text);
		}
	}
	return r;
}

int tables_fit(struct fitting *w, struct err *err)
{
	struct net_fit *f = w->f;
	double d = f->detached, asked = fmin(net_asked_from(f), d);

	overhead_fit(w, NET_SEND, 0, d, &f->os);
	overhead_fit(w, NET_ISEND, 0, d, &f->ois);
	overhead_fit(w, NET_ISEND, d, INFINITY, &f->ois);
	overhead_fit(w, NET_RECV, 0, d, &f->or_);
	if (d > 0 && transfer_fit(w, 0, asked, err) < 0)
		return -1;
	if (asked < d && transfer_fit(w, asked, d, err) < 0)
		return -1;
	if (d < f->largest && transfer_fit(w, d, INFINITY, err) < 0)
		return -1;
	if (w->lost)
		return 0;
	if (f->transfer.n == 0)
		return err_set(err, ERR_INPUT,
		               "too few round trips on either side of the threshold of %.0f bytes "
		               "to fit a line",
		               d);
	f->transfer.piece[0].from = 0;
	return 0;
}

int latency_fit(struct fitting *w, struct err *err)
{
	struct net_fit *f = w->f;
	const struct net_piece *small = &f->transfer.piece[0];

	(void)err; /* the 16 bytes of the envelope are in every size */
	f->latency = fmax(small->base - 16 * small->per_byte, LATENCY_LEAST);
	f->latency_95 = small->base_95;
	return 0;
}
