/* network_protocol.c: what the library does with a message: thresholds, order, what the kernel
 * keeps, connections that are made. */
#include "network_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* s: a late receiver sleeps for two round trips and 2 ms (measure.c): a send that took half of that
 * longer than two round trips has waited for it. */
static const double LATE = 1e-3;
/* A receive that is late finds its data there, or waits for them: told apart where half a round
 * trip is so many times the shortest of all. */
static const double APART = 8;
/* bytes: SMPI's threshold of detached sends (SimGrid 3.32, smpi/send-is-detached-thresh). */
static const double DETACHED_SMPI = 65536;
/* A threshold that lies between two sizes, the greater so many times the less, is hardly known;
 * less than a packet is none. */
static const double WIDE = 2, PACKET = 1500;
/* A small message sent behind a large one takes half its round trip (1) if they go in order, next
 * to nothing if not (0.1): what lies between is rare; 0.85 asks for nearly all of the large one. */
static const double IN_ORDER = 0.85;
/* Of a message: who keeps more would have kept all of it. */
static const double PART_KEPT = 0.9;
/* bytes: less is the precision of what was measured, not a buffer (Linux: 16 KiB at least, tcp(7)).
 */
static const double BUFFER_LEAST = 4096;
/* A first message that takes so many round trips made a connection: its handshake is one and a half
 * (RFC 9293), and then the message goes. */
static const double MUCH_LONGER = 3;
/* s: measure.c waits 20 ms before each message, so later rounds begin after 40 ms. */
static const double FIRST_ROUND = 0.03;
/* Of the waits until a rank looks for its first connection, which are up to a whole period long:
 * one that most are shorter than, and no stall of a processor. A period shorter than making a
 * connection is none. */
static const double LONGEST = 0.9;

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

static struct label *labels_make(struct fitting *w, enum net_op op, double below, size_t *n_out)
{
	double *x, *y, small = INFINITY;
	size_t n = rows_take(w, op, 0, -1, 0, INFINITY, &x, &y), kept = 0;
	struct label *l = step_alloc(w, n, sizeof *l);

	n = l ? n : 0;
	for (size_t i = 0; i < n; i++)
		small = fmin(small, y[i]);
	for (size_t i = 0; i < n; i++) {
		double half = fit_segments_value(&w->round_trip, x[i]);

		if (op == NET_LATE_SEND) /* the receiver slept for two round trips and 2 ms */
			l[kept++] = (struct label){x[i], y[i] > 2 * half + LATE};
		else if (x[i] < below && half > APART * small) /* else both take the same time */
			l[kept++] = (struct label){x[i], y[i] > 0.5 * half};
	}
	*n_out = kept;
	return l;
}

/* From which size on MPI_Send waits for its receiver, and how well that is known. Where none did, a
 * size that was not measured: what programs send of it is a guess. */
static void detached_fit(struct fitting *w)
{
	struct net_fit *f = w->f;
	char text[300];
	size_t n;
	struct label *l = labels_make(w, NET_LATE_SEND, INFINITY, &n);

	f->detached_low = 0;
	f->detached = n ? threshold_find(l, n, &f->detached_low) : DETACHED_SMPI;
	*text = '\0';
	if (n == 0) {
		snprintf(text, sizeof text,
		         "no measurements with a late receiver (late_send): the thresholds are "
		         "SMPI's, 65536 and 0");
	} else if (isinf(f->detached)) {
		int all = WIDE * f->detached_low >= f->largest;

		f->detached = fmax(2 * (all ? f->largest : f->detached_low), DETACHED_SMPI);
		if (!all || f->largest < DETACHED_SMPI)
			snprintf(text, sizeof text,
			         "no message waited for its receiver, the largest of %.0f bytes: "
			         "from which size on they do is a guess, %.0f; measure larger ones",
			         f->detached_low, f->detached);
	} else if (f->detached > WIDE * fmax(f->detached_low, PACKET)) {
		snprintf(text, sizeof text,
		         "messages of %.0f bytes wait for their receiver, and of those that do "
		         "not the largest had %.0f: the threshold is anywhere between, taken as "
		         "%.0f; more measurements with a late receiver would tell",
		         f->detached, f->detached_low, f->detached);
	}
	if (*text)
		net_warn(f, text);
}

int thresholds_fit(struct fitting *w, struct err *err)
{
	struct label *l;
	size_t n;

	(void)err;
	detached_fit(w);
	l = labels_make(w, NET_LATE_RECV, w->f->detached, &n);
	w->f->eager = n ? threshold_find(l, n, &w->f->eager_low) : 0;
	if (isinf(w->f->eager)) {
		w->f->eager = w->f->detached; /* all that is detached is eager */
		w->f->eager_low = w->f->detached_low;
	}
	return 0;
}

/* --- connections --- */

int order_fit(struct fitting *w, struct err *err)
{
	enum { LEAST = 3 };
	double *x, *y;
	size_t n = rows_take(w, NET_ORDER, 0, 0, 0, INFINITY, &x, &y);

	(void)err;
	for (size_t i = 0; i < n; i++)
		y[i] /= fit_segments_value(&w->round_trip, x[i]);
	w->f->ordered = n >= LEAST && fit_median(y, n) > IN_ORDER;
	if (n > 0 && n < LEAST)
		net_warn(w->f, "whether messages of a pair come in order (order) was measured less "
		               "than three times: taken for no; a longer --time helps");
	return 0;
}

/* The kernel keeps what MPI_Send of a large message lacks of half a round trip. */
int buffer_fit(struct fitting *w, struct err *err)
{
	struct net_fit *f = w->f;
	double *x, *y, kept;
	size_t n = rows_take(w, NET_SEND, 0, 0, f->detached, INFINITY, &x, &y), m = 0;

	(void)err;
	for (size_t i = 0; i < n; i++) {
		kept = (net_fit_pingpong(f, x[i]) - y[i]) * f->bandwidth;
		if (kept < PART_KEPT * x[i]) /* else it would have kept more */
			y[m++] = kept;
	}
	kept = m >= 5 ? fit_median(y, m) : 0;
	f->send_buffer = f->ordered && kept > BUFFER_LEAST ? kept : 0;
	return 0;
}

int setup_fit(struct fitting *w, struct err *err)
{
	struct net_fit *f = w->f;
	double usual = 2 * net_fit_pingpong(f, 1), first, earliest = INFINITY,
	       *later = step_alloc(w, rows_of(w, NET_FIRST), sizeof *later),
	       *met = step_alloc(w, rows_of(w, NET_FIRST), sizeof *met);
	size_t n = 0, contacts = 0;

	(void)err;
	for (uint32_t i = 0; later && met && i < w->raw->n; i++) {
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
		if (contact)
			met[contacts++] = r->duration;
		else
			later[n++] = r->duration;
	}
	first = n ? fit_median(later, n) : contacts ? fit_median(met, contacts) : 0;
	f->setup = f->ordered && first > MUCH_LONGER * usual ? first - usual : 0;
	f->contact = 0;
	if (f->setup > 0 && n && contacts) {
		fit_sort(met, contacts);
		f->contact = fit_quantile(met, contacts, LONGEST) - first;
		if (f->contact < first)
			f->contact = 0;
	}
	return 0;
}
