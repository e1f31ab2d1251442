/* prop_dates.c: the dates of replayed traces beside a second way to find them, on random traces.
 *
 * Where every message lasts the same (model constant) and there are no overheads, dates follow from
 * one another: no queue of events is needed, only that each rank goes through its lines. A message
 * that is sent at s and received from r on begins to move at s if it is eager, at the later of both
 * if not; a send is over at once if it is detached, else with its message; a wait is over when its
 * last request is. Here each rank goes on as far as what it needs is known, round after round.
 *
 * Laws for every model: how the lines of different ranks are mixed in a file changes nothing, bit
 * for bit; where hosts are alike, which rank is which changes nothing (but in LogGPS: of messages
 * that are at a port at one date, that of the lower rank goes first).
 *
 * A random trace is a list of messages and computations of which each rank does its part in this
 * order, so it cannot deadlock. PROP_SEED and PROP_CASES repeat or lengthen a run. */
#include "../prop.h"
#include "sim.h"

#include "base/str.h"

#include <math.h>

enum { RANKS = 8, ITEMS = 60, LINES = 3 * ITEMS, LINE = 96, REQS = 5 };

#define FLAT SIM_CLUSTER("")
#define EAGER 1000
#define DETACHED 65536
#define LASTS 1e-3 /* s, each message */

struct message {
	double bytes, sent, taken; /* dates; NAN: not known yet */
	int synchronous;
};

struct line {
	enum { COMPUTE, SEND, RECV, ISEND, IRECV, WAIT } kind;
	uint32_t message;
	double work; /* s */
	uint32_t reqs[REQS], n_reqs;
	char call[8]; /* as "isend", with a peer; "": the text is all */
	uint32_t peer;
	char text[LINE]; /* what comes after them */
};

/* A request of a rank: which side of which message. */
struct side {
	uint32_t message;
	int sends;
};

struct program {
	uint32_t ranks, n_messages;
	struct message messages[ITEMS];
	struct line lines[RANKS][LINES];
	uint32_t n[RANKS];
	struct side side[RANKS][2 * ITEMS];
	uint32_t n_sides[RANKS];
	uint32_t open[RANKS][REQS], n_open[RANKS]; /* while it is made: requests not waited for */
};

/* --- a random trace --- */

static struct line *line_new(struct program *p, uint32_t rank)
{
	assert_true(p->n[rank] < LINES);
	struct line *l = &p->lines[rank][p->n[rank]++];
	*l = (struct line){.kind = COMPUTE};
	return l;
}

static void add_wait(struct rng *r, struct program *p, uint32_t rank)
{
	uint32_t *n = &p->n_open[rank];

	if (*n == 0)
		return;
	struct line *l = line_new(p, rank);
	l->kind = WAIT;
	if (prop_once_in(r, 2)) { /* for one of them, any */
		uint32_t which = (uint32_t)rng_below(r, *n);
		l->reqs[l->n_reqs++] = p->open[rank][which];
		p->open[rank][which] = p->open[rank][--*n];
		snprintf(l->text, LINE, "wait req=%u", l->reqs[0]);
		return;
	}
	memcpy(l->reqs, p->open[rank], *n * sizeof *l->reqs);
	l->n_reqs = *n;
	*n = 0;
	int at = snprintf(l->text, LINE, "waitall %u reqs=", l->n_reqs);
	for (uint32_t i = 0; i < l->n_reqs; i++)
		at += snprintf(l->text + at, (size_t)(LINE - at), "%s%u", i ? "," : "", l->reqs[i]);
}

static void add_compute(struct rng *r, struct program *p, uint32_t rank)
{
	struct line *l = line_new(p, rank);
	uint32_t work = prop_from(r, 1, 5000000);

	l->work = work * 1e-9;
	snprintf(l->text, LINE, "compute %u", work);
}

/* One side of a message. */
static void add_side(struct rng *r, struct program *p, uint32_t m, uint32_t from, uint32_t to,
                     int tag, int sends, int at_once)
{
	uint32_t rank = sends ? from : to;
	const struct message *msg = &p->messages[m];

	while (at_once && p->n_open[rank] == REQS)
		add_wait(r, p, rank);
	struct line *l = line_new(p, rank);
	l->kind = sends ? (at_once ? ISEND : SEND) : at_once ? IRECV : RECV;
	l->message = m;
	l->peer = sends ? to : from;
	snprintf(l->call, sizeof l->call, "%s%s%s", at_once ? "i" : "",
	         sends && msg->synchronous ? "s" : "", sends ? "send" : "recv");
	int at = snprintf(l->text, LINE, "%d %.0f 6", tag, msg->bytes);
	if (!at_once)
		return;
	uint32_t id = p->n_sides[rank]++;
	p->side[rank][id] = (struct side){m, sends};
	p->open[rank][p->n_open[rank]++] = id;
	snprintf(l->text + at, (size_t)(LINE - at), " req=%u", id);
}

static void add_message(struct rng *r, struct program *p)
{
	static const double sizes[] = {
	    0, 1, EAGER - 1, EAGER, EAGER + 1, DETACHED - 1, DETACHED, DETACHED + 1, 1e6};
	uint32_t m = p->n_messages++, from = (uint32_t)rng_below(r, p->ranks),
	         to = (uint32_t)rng_below(r, p->ranks);
	int tag = (int)rng_below(r, 3), at_once = from == to || prop_once_in(r, 2);

	p->messages[m] = (struct message){.bytes = sizes[rng_below(r, 9)],
	                                  .sent = NAN,
	                                  .taken = NAN,
	                                  .synchronous = prop_once_in(r, 5)};
	while (p->n_open[from] > REQS - 2) /* no wait between the sides of a message to itself */
		add_wait(r, p, from);
	add_side(r, p, m, from, to, tag, 1, at_once);
	add_side(r, p, m, from, to, tag, 0, prop_once_in(r, 2));
}

/* One rank computes for long in the end, so that its dates are what the whole takes. */
static void random_program(struct rng *r, struct program *p)
{
	memset(p, 0, sizeof *p);
	p->ranks = prop_from(r, 1, RANKS);
	for (uint32_t i = 0; i < ITEMS; i++) {
		uint32_t rank = (uint32_t)rng_below(r, p->ranks);
		if (prop_once_in(r, 4))
			add_compute(r, p, rank);
		else if (prop_once_in(r, 8))
			add_wait(r, p, rank);
		else
			add_message(r, p);
	}
	for (uint32_t rank = 0; rank < p->ranks; rank++)
		while (p->n_open[rank] > 0)
			add_wait(r, p, rank);
	struct line *l = line_new(p, (uint32_t)rng_below(r, p->ranks));
	l->work = 1000;
	snprintf(l->text, LINE, "compute 1e12");
}

/* Its lines: each rank's in their order, the ranks mixed at random, with the names of `as`. */
static void program_write(struct rng *r, const struct program *p, const uint32_t *as,
                          struct str *out)
{
	uint32_t at[RANKS] = {0}, left = 0;

	str_puts(out, "# orrery-trace 1\n");
	for (uint32_t i = 0; i < p->ranks; i++)
		left += p->n[i];
	while (left > 0) {
		uint32_t rank = (uint32_t)rng_below(r, p->ranks);
		if (at[rank] == p->n[rank])
			continue;
		const struct line *l = &p->lines[rank][at[rank]++];
		str_printf(out, "%u ", as[rank]);
		if (l->call[0])
			str_printf(out, "%s %u ", l->call, as[l->peer]);
		str_printf(out, "%s\n", l->text);
		left--;
	}
}

/* --- the second way --- */

/* The later of two dates, of which either may not be known yet. */
static double later(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

/* The date at which a side is over; NAN: not known yet. */
static double side_ends(const struct message *m, int sends)
{
	int eager = m->bytes < EAGER && !m->synchronous,
	    detached = m->bytes < DETACHED && !m->synchronous;
	double there = (eager ? m->sent : later(m->sent, m->taken)) + LASTS;

	if (sends)
		return detached ? m->sent : there;
	return later(there, m->taken);
}

/* The date at which a rank at `now` has done with this line; NAN: not known yet. */
static double line_ends(struct program *p, uint32_t rank, const struct line *l, double now)
{
	struct message *m = &p->messages[l->message];
	double end = now;

	switch (l->kind) {
	case COMPUTE:
		return now + l->work;
	case SEND:
	case ISEND:
		m->sent = now;
		return l->kind == ISEND ? now : side_ends(m, 1);
	case RECV:
	case IRECV:
		m->taken = now;
		return l->kind == IRECV ? now : side_ends(m, 0);
	case WAIT:
		for (uint32_t i = 0; i < l->n_reqs; i++) {
			const struct side *s = &p->side[rank][l->reqs[i]];
			double over = side_ends(&p->messages[s->message], s->sends);
			end = later(end, over);
		}
		return end;
	}
	return NAN;
}

static double oracle(struct program *p)
{
	uint32_t at[RANKS] = {0};
	double now[RANKS] = {0}, last = 0;
	int moved = 1;

	while (moved) {
		moved = 0;
		for (uint32_t rank = 0; rank < p->ranks; rank++) {
			while (at[rank] < p->n[rank]) {
				double end = line_ends(p, rank, &p->lines[rank][at[rank]],
				                       now[rank]);
				if (isnan(end))
					break;
				now[rank] = end;
				at[rank]++;
				moved = 1;
			}
		}
	}
	for (uint32_t rank = 0; rank < p->ranks; rank++) {
		assert_int_equal(at[rank], p->n[rank]); /* it cannot deadlock */
		last = fmax(last, now[rank]);
	}
	return last;
}

/* --- held to one another --- */

static double program_time(struct rng *r, const struct program *p, const uint32_t *as,
                           const char *settings)
{
	struct str text;

	str_init(&text);
	program_write(r, p, as, &text);
	double time = sim_time(FLAT, text.s, p->ranks, settings);
	str_release(&text);
	return time;
}

static const uint32_t as_made[RANKS] = {0, 1, 2, 3, 4, 5, 6, 7};

static void dates(void **state)
{
	static struct program p;
	struct prop_run run = prop_begin(400);
	struct rng r;

	(void)state;
	rng_init(&r, run.seed, "dates", 0);
	for (uint64_t i = 0; i < run.cases; i++) {
		random_program(&r, &p);
		double time = program_time(&r, &p, as_made,
		                           "network/model:constant network/latency-factor:1e-3 "
		                           "smpi/async-small-thresh:1000");
		assert_close(time, oracle(&p), 1e-11);
	}
}

static void mixed_and_renamed(void **state)
{
	static const char *const settings[] = {
	    "", "smpi/async-small-thresh:1000 smpi/os:0:1e-6:1e-9 smpi/or:0:2e-6:0",
	    "network/model:loggps", "network/crosstraffic:no"};
	static struct program p;
	struct prop_run run = prop_begin(200);
	struct rng r;

	(void)state;
	rng_init(&r, run.seed, "mixed", 0);
	for (uint64_t i = 0; i < run.cases; i++) {
		uint32_t as[RANKS];
		const char *s = settings[i % 4];
		random_program(&r, &p);
		memcpy(as, as_made, sizeof as);
		for (uint32_t k = p.ranks - 1; k > 0; k--) {
			uint32_t other = prop_from(&r, 0, k), was = as[k];
			as[k] = as[other];
			as[other] = was;
		}
		double time = program_time(&r, &p, as_made, s);
		assert_true(program_time(&r, &p, as_made, s) == time);
		if (!strstr(s, "loggps"))
			assert_close(program_time(&r, &p, as, s), time, 1e-9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(dates),
	    cmocka_unit_test(mixed_and_renamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
