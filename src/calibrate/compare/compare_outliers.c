/* compare_outliers.c: calls that took strangely long in the real run, gathered to the events that
 * they are.
 *
 * 1. What is usual: calls of one function whose simulated durations are in one half of a decade
 *    have a median and a deviation of (real - simulated): the model may be wrong about all of them
 *    by the same amount, and no single one is strange then. Time-outs may hit most of them, though:
 *    where the sorted differences have a gap, wider than the threshold and than twice all that is
 *    below, what is below is usual, be it a twentieth of them. A call is strange that is beyond the
 *    median by the threshold and by DEVIATIONS deviations; where there are fewer than FEW such
 *    calls, if it took the threshold and ten times longer than simulated.
 * 2. A rank that waits for one with an outlier has one too, and its call ends when the other's has
 *    ended. So outliers whose ends lie within the threshold of each other are one event, as long as
 *    the longest of them.
 * 3. Lengths: TCP sends again what was not acknowledged, at first after the round trip's time and
 *    at least 200 ms (Linux; RFC 6298 has 1 s), then after twice that; the first packet of a
 *    connection after 1 s. Events are named so only if they gather at that length: half of those
 *    between half and twice it. */
#include "calibrate/fit/fit.h"
#include "compare_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 24, FEW = 4, LEAST = 3 /* usual ones below a gap */, DEVIATIONS = 6 };

static const struct {
	double from, to; /* s, beyond what is usual */
	const char *text;
} lengths[LENGTHS] = {
    {0.19, 0.3,
     "some 200 ms: what TCP's least retransmission time-out looks like: a packet was lost"},
    {0.39, 0.56, "some 400 ms: two such time-outs, one after the other"},
    {0.58, 0.75, "some 600 ms: such a time-out and its double: a packet was lost twice"},
    {0.98, 1.15,
     "some 1 s: what the time-out of a new TCP connection looks like: its first packet was lost"},
    {0, INFINITY, "of other lengths, in communication"},
    {0, INFINITY, "in computations: something else ran there, or the program itself took longer"},
};

const char *compare_length_text(enum compare_length l)
{
	return lengths[l].text;
}

struct usual {
	size_t n, first; /* of its calls, in values */
	double middle, deviation;
};
struct finding {
	struct compare *c;
	const struct compare_calls *rank;
	struct usual *usual; /* by function and half decade */
	double *value;       /* real - simulated, those of a bin together */
	uint32_t cap;
};

static struct usual *usual_of(const struct finding *w, const struct compare_call *call)
{
	int bin = call->duration > 0 ? (int)floor(2 * log10(call->duration)) + BINS - 6
	                             : 0; /* 1 ns to 300 s */

	bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
	return &w->usual[call->function * BINS + (uint32_t)bin];
}

/* v: its differences, sorted here and then spoilt. */
static void usual_set(struct usual *u, double *v, double threshold)
{
	size_t below = u->n, least = u->n / 20 > LEAST ? u->n / 20 : LEAST;

	if (u->n < FEW)
		return;
	fit_sort(v, u->n);
	for (size_t i = least; i < u->n && below == u->n; i++)
		if (v[i] - v[i - 1] > threshold && v[i] - v[i - 1] > 2 * (v[i - 1] - v[0]))
			below = i;
	u->middle = fit_quantile(v, below, 0.5);
	for (size_t i = 0; i < below; i++)
		v[i] = fabs(v[i] - u->middle);
	u->deviation = 1.4826 * fit_median(v, below);
}

static int usual_find(struct finding *w, struct err *err)
{
	size_t bins = (size_t)w->c->functions * BINS, at = 0;

	w->usual = calloc(bins + 1, sizeof *w->usual);
	w->value = malloc((w->c->matched + 1) * sizeof *w->value);
	if (!w->usual || !w->value)
		return err_nomem(err, "calls", (w->c->matched + 1) * sizeof *w->value);
	for (uint32_t r = 0; r < w->c->ranks; r++)
		for (uint32_t i = 0; i < w->rank[r].n; i++)
			if (w->rank[r].call[i].real >= 0)
				usual_of(w, &w->rank[r].call[i])->n++;
	for (size_t b = 0; b < bins; b++) {
		w->usual[b].first = at;
		at += w->usual[b].n;
		w->usual[b].n = 0;
	}
	for (uint32_t r = 0; r < w->c->ranks; r++)
		for (uint32_t i = 0; i < w->rank[r].n; i++) {
			const struct compare_call *call = &w->rank[r].call[i];
			struct usual *u = call->real >= 0 ? usual_of(w, call) : NULL;

			if (u)
				w->value[u->first + u->n++] = call->real - call->duration;
		}
	for (size_t b = 0; b < bins; b++)
		usual_set(&w->usual[b], w->value + w->usual[b].first, w->c->threshold);
	return 0;
}

static int is_outlier(const struct compare *c, const struct usual *u,
                      const struct compare_call *call)
{
	double beyond = call->real - call->duration - u->middle;

	if (call->real < 0 || beyond <= c->threshold || call->real - call->duration <= c->threshold)
		return 0;
	return u->n >= FEW ? beyond > DEVIATIONS * u->deviation : call->real > 10 * call->duration;
}

static int outlier_add(struct finding *w, uint32_t rank, const struct compare_call *call,
                       double beyond, struct err *err)
{
	struct compare *c = w->c;
	struct compare_outlier *all = vec_grow(c->outlier, &w->cap, sizeof *all, c->outliers + 1,
	                                       "outliers", err);
	uint32_t phase = (uint32_t)((uint64_t)(call - w->rank[rank].call) * COMPARE_PHASES /
	                            w->rank[rank].n);

	if (!all)
		return -1;
	c->outlier = all;
	all[c->outliers++] = (struct compare_outlier){.rank = rank,
	                                              .function = c->function[call->function].name,
	                                              .call = call->count,
	                                              .date = call->date,
	                                              .simulated = call->duration,
	                                              .real = call->real,
	                                              .beyond = beyond};
	c->outlier_seconds += beyond;
	c->rank[rank].outliers += beyond;
	c->function[call->function].outliers += beyond;
	c->phase[phase].outliers += beyond / c->ranks;
	return 0;
}

/* --- events --- */

static int by_end(const void *a, const void *b)
{
	const struct compare_outlier *p = a, *q = b;
	double x = p->date + p->real, y = q->date + q->real;

	if (x != y)
		return x < y ? -1 : 1;
	return (p->rank > q->rank) - (p->rank < q->rank);
}

static int by_length(const void *a, const void *b)
{
	const struct compare_outlier *p = a, *q = b;

	if (p->beyond != q->beyond)
		return p->beyond > q->beyond ? -1 : 1;
	if (p->date != q->date)
		return p->date < q->date ? -1 : 1;
	return (p->rank > q->rank) - (p->rank < q->rank);
}

struct event {
	double length;
	int computation; /* the longest of its calls */
	uint64_t calls;
};

static int length_of(const struct event *e)
{
	if (e->computation)
		return LENGTH_COMPUTATION;
	for (int l = 0; l < LENGTH_OTHER; l++)
		if (e->length >= lengths[l].from && e->length <= lengths[l].to)
			return l;
	return LENGTH_OTHER;
}

/* Half of the events between half and twice a length are of this length, give or take. Two
 * time-outs in one call are believed where single ones are. */
static int gathers(const struct event *e, uint64_t n, int length)
{
	double low = lengths[length].from / 2, high = 2 * lengths[length].to;
	uint64_t inside = 0, around = 0, single = 0;

	for (uint64_t i = 0; i < n; i++) {
		int l = length_of(&e[i]);

		single += l == LENGTH_TIMEOUT;
		inside += l == length;
		around += l == length ||
		          (l == LENGTH_OTHER && e[i].length >= low && e[i].length <= high);
	}
	if (length == LENGTH_TWO_TIMEOUTS && !(single && gathers(e, n, LENGTH_TIMEOUT)))
		return 0;
	return 2 * inside >= around;
}

static void events_sum(struct compare *c, const struct event *e)
{
	int named[LENGTHS] = {0};

	for (int l = 0; l < LENGTH_OTHER; l++)
		named[l] = gathers(e, c->events, l);
	for (uint64_t i = 0; i < c->events; i++) {
		int l = length_of(&e[i]);
		struct compare_event_kind
		    *k = &c->kind[l > LENGTH_OTHER || named[l] ? l : LENGTH_OTHER];

		k->least = k->events ? fmin(k->least, e[i].length) : e[i].length;
		k->most = fmax(k->most, e[i].length);
		k->seconds += e[i].length;
		k->events++;
		k->calls += e[i].calls;
	}
}

static int events_make(struct compare *c, struct err *err)
{
	struct event *e = calloc(c->outliers + 1, sizeof *e);
	double end = -INFINITY; /* of the event's first */

	if (!e)
		return err_nomem(err, "outliers", (c->outliers + 1) * sizeof *e);
	if (c->outliers)
		qsort(c->outlier, c->outliers, sizeof *c->outlier, by_end);
	for (uint64_t i = 0; i < c->outliers; i++) {
		struct compare_outlier *o = &c->outlier[i];

		if (o->date + o->real > end + c->threshold) {
			end = o->date + o->real;
			c->events++;
		}
		o->event = (uint32_t)(c->events - 1);
		e[o->event].calls++;
		if (o->beyond <= e[o->event].length)
			continue;
		e[o->event].length = o->beyond;
		e[o->event].computation = !strcmp(o->function, mp_call_name(CALL_COMPUTE));
	}
	events_sum(c, e);
	free(e);
	if (c->outliers)
		qsort(c->outlier, c->outliers, sizeof *c->outlier, by_length);
	return 0;
}

int compare_outliers_find(struct compare *c, const struct compare_calls *rank, struct err *err)
{
	struct finding w = {.c = c, .rank = rank};
	int r = usual_find(&w, err);

	for (uint32_t k = 0; k < c->ranks && r == 0; k++)
		for (uint32_t i = 0; i < rank[k].n && r == 0; i++) {
			const struct compare_call *call = &rank[k].call[i];
			const struct usual *u = usual_of(&w, call);

			if (is_outlier(c, u, call))
				r = outlier_add(&w, k, call,
				                call->real - call->duration - u->middle, err);
		}
	if (r == 0)
		r = events_make(c, err);
	if (r == 0)
		c->explained = c->rank[c->last].outliers;
	free(w.usual);
	free(w.value);
	return r;
}
