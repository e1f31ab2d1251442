/* network_local.c: messages inside a host: between two of its ranks, or, with one rank a host, what
 * a rank sends to itself. */
#include "network_int.h"

#include <math.h>
#include <stdio.h>

/* s: no clock tells shorter times apart. */
static const double TIME_LEAST = 1e-9;
/* Fewer round trips inside a host say nothing of lines; fewer copies nothing of a rate. */
enum { ROUND_TRIPS_LEAST = 16, FEW_LEAST = 3 };
/* bytes: messages that are latency. */
static const double SMALL = 1000;
/* Of half a round trip: overheads that are longer than all of it by more than this contradict it.
 */
static const double CONTRADICTS = 0.3;

/* One rank a host: what remains inside it is what a rank sends to itself. */
static void self_fit(struct fitting *w)
{
	struct net_fit *f = w->f;
	double *x, *y, half = fmin(f->largest, f->detached) / 2,
	               small = INFINITY; /* s, of the shortest */
	size_t n = rows_take(w, NET_SELF, -1, -1, 0, INFINITY, &x, &y), m = 0;

	for (size_t i = 0; i < n; i++)
		small = fmin(small, y[i]);
	for (size_t i = 0; i < n; i++)
		if (x[i] > half / 64 && y[i] > 2 * small)
			y[m++] = x[i] / (y[i] - small);
	if (m >= FEW_LEAST) {
		f->local_latency = TIME_LEAST; /* overheads are more than what it takes */
		f->local_bandwidth = fit_median(y, m);
	}
}

/* Overheads between ranks of a host, at most what half a round trip there leaves: s, lines through
 * round trips. */
static void local_overhead(struct fitting *w, enum net_op op, const struct fit_segments *s,
                           struct net_table *t)
{
	double *x, *y;
	size_t n = rows_take(w, op, 1, -1, 0, op == NET_ISEND ? INFINITY : w->f->detached, &x, &y);

	for (size_t i = 0; i < n; i++) {
		double room = op == NET_ISEND ? INFINITY : fit_segments_value(s, x[i]) / 2;

		y[i] = overhead_most(op, room, &w->f->os_local, x[i], y[i]);
	}
	overhead_lines(w, t, x, y, n, 0);
}

/* What small messages take inside a host beside overheads, as a multiple of what they take between
 * hosts: the factors of sizes are the same. */
static double local_latency(struct fitting *w)
{
	const struct net_fit *f = w->f;
	const struct net_table *os = f->os_local.n ? &f->os_local : &f->os,
	                       *or_ = f->or_local.n ? &f->or_local : &f->or_;
	double *x, *y, times;
	size_t n = rows_take(w, NET_PINGPONG, 1, -1, 0, SMALL, &x, &y), m = 0;

	for (size_t i = 0; i < n; i++) {
		double between = net_table_value(&f->transfer, x[i] > 0 ? x[i] : 1);

		if (between > 0)
			y[m++] = (y[i] / 2 - net_table_value(os, x[i]) -
			          net_table_value(or_, x[i])) /
			         between;
	}
	times = m ? fit_median(y, m) : 1;
	return times * f->latency;
}

/* The last of the lines through the local round trips; small messages give the latency, after
 * overheads of their own. */
int local_fit(struct fitting *w, struct err *err)
{
	struct net_fit *f = w->f;
	struct fit_options o = {.positive = 1};
	struct fit_segments s;
	struct err few;
	double *x, *y;
	size_t n = rows_take(w, NET_PINGPONG, 1, -1, 0, INFINITY, &x, &y);

	(void)err;
	if (n < ROUND_TRIPS_LEAST) {
		self_fit(w);
	} else if (lines_find(w, x, y, n, &o, &s, &few) == 0) {
		const struct fit_segment *last = &s.segment[s.n - 1];
		double latency, half = fit_segments_value(&s, 64) / 2;
		char text[300];

		local_overhead(w, NET_SEND, &s, &f->os_local);
		local_overhead(w, NET_ISEND, &s, &f->ois_local);
		local_overhead(w, NET_RECV, &s, &f->or_local);
		latency = local_latency(w);
		f->local_latency = fmax(latency, TIME_LEAST);
		if (latency < -CONTRADICTS * half) {
			snprintf(text, sizeof text,
			         "inside a host half a round trip takes %.3g s, less than the "
			         "overheads of messages between hosts alone, which the model has "
			         "for both as none were measured inside: small messages inside a "
			         "host are predicted too slow",
			         half);
			net_warn(f, text);
		}
		f->local_bandwidth = last->slope > 0
		                         ? 2 / last->slope
		                         : f->largest / (fit_segments_value(&s, f->largest) / 2);
		fit_segments_release(&s);
	}
	return 0;
}
