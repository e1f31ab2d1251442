/* prop_stage.c: traces whose messages and loops are drawn cannot deadlock: random programs, written
 * under precision levels, are read under many seeds and run on a machine of the test's own in which
 * no message is buffered: a send waits for its receive. Every rank comes to its end, every message
 * is received, no request is waited for that is not there, and what the program did in collectives
 * and how much it computed is what it was. The seed is printed. */
#include "../prop.h"

#include "unit/trace/trace_test.h"

#include "base/rng.h"

enum { RANKS = 10, STEPS = 60, MESSAGES = 12, OPEN_MOST = 4096 };

/* --- the machine --- */

struct side { /* a send or a receive that waits for the other */
	int32_t to;
	int tag, done, used;
	uint64_t comm;
	int64_t bytes;
};
struct half {
	struct side side[OPEN_MOST];
	int n, first;
};
struct actor {
	struct trace_event ev;
	int has, ended, arrived;
	int64_t
	    send_of[OPEN_MOST]; /* request -> its side + 1; receives negative; collectives big */
	int met[4];             /* collectives on the world, two halves, done */
	int events;
	double volume;
};
struct machine {
	struct trace *t;
	struct actor actor[RANKS];
	struct half sends[RANKS], receives[RANKS]; /* of each rank */
	int messages, made;                        /* made: some receives are drawn ones */
};

static uint64_t half_comm(int rank)
{
	return (uint64_t)(rank % 2) << 32 | 2;
}

static int64_t post(struct half *h, int32_t to, const struct trace_event *ev)
{
	assert_true(h->n < OPEN_MOST);
	h->side[h->n] = (struct side){
	    .to = to, .tag = ev->tag, .comm = ev->comm, .bytes = ev->count * ev->type_size};
	return ++h->n;
}

/* The first of the other's that fits, of those not yet taken. */
static void match(struct machine *m, int from, struct side *s)
{
	struct half *h = &m->receives[s->to];

	for (int i = h->first; i < h->n; i++) {
		struct side *r = &h->side[i];

		if (r->done || r->to != from || r->tag != s->tag || r->comm != s->comm)
			continue;
		assert_true(r->bytes >= s->bytes);
		r->done = s->done = 1;
		m->messages++;
		break;
	}
	while (h->first < h->n && h->side[h->first].done)
		h->first++;
}

/* Messages of one sender do not overtake each other. */
static int progress(struct machine *m)
{
	int before = m->messages;

	for (int from = 0; from < RANKS; from++) {
		struct half *h = &m->sends[from];

		for (int i = h->first; i < h->n; i++) {
			int blocked = 0;

			if (h->side[i].done)
				continue;
			for (int k = h->first; k < i; k++)
				blocked |= !h->side[k].done && h->side[k].to == h->side[i].to &&
				           h->side[k].tag == h->side[i].tag &&
				           h->side[k].comm == h->side[i].comm;
			if (!blocked)
				match(m, from, &h->side[i]);
		}
		while (h->first < h->n && h->side[h->first].done)
			h->first++;
	}
	return m->messages > before;
}

static int is_done(struct machine *m, int rank, int64_t req)
{
	int64_t v = m->actor[rank].send_of[req];

	assert_true(req >= 0 && req < OPEN_MOST && v != 0);
	return v > 0 ? m->sends[rank].side[v - 1].done : m->receives[rank].side[-v - 1].done;
}

static int wait_done(struct machine *m, int rank, const struct trace_event *ev)
{
	struct actor *a = &m->actor[rank];

	if (ev->op == TRACE_WAIT) {
		if (!is_done(m, rank, ev->req))
			return 0;
		a->send_of[ev->req] = 0;
		return 1;
	}
	for (int64_t i = 0; i < ev->n_reqs; i++)
		if (!is_done(m, rank, ev->reqs[i]))
			return 0;
	for (int64_t i = 0; i < ev->n_reqs; i++)
		a->send_of[ev->reqs[i]] = 0;
	return 1;
}

/* Whether all who must have come to their k-th collective on this communicator. */
static int met(struct machine *m, int rank, const struct trace_event *ev)
{
	int half = ev->comm != 0;

	if (!m->actor[rank].arrived)
		m->actor[rank].met[half]++;
	m->actor[rank].arrived = 1;
	for (int r = 0; r < RANKS; r++)
		if ((!half || r % 2 == rank % 2) &&
		    m->actor[r].met[half] < m->actor[rank].met[half])
			return 0;
	m->actor[rank].arrived = 0;
	return 1;
}

/* One event: 1 if it is through. */
static int event_do(struct machine *m, int rank)
{
	struct actor *a = &m->actor[rank];
	const struct trace_event *ev = &a->ev;

	switch (ev->op) {
	case TRACE_SEND:
		if (!a->arrived)
			a->send_of[OPEN_MOST - 1] = post(&m->sends[rank], ev->peer, ev);
		a->arrived = !is_done(m, rank, OPEN_MOST - 1);
		return !a->arrived;
	case TRACE_RECV:
		if (!a->arrived)
			a->send_of[OPEN_MOST - 1] = -post(&m->receives[rank], ev->peer, ev);
		a->arrived = !is_done(m, rank, OPEN_MOST - 1);
		return !a->arrived;
	case TRACE_ISEND:
		assert_true(ev->req < OPEN_MOST - 1 && a->send_of[ev->req] == 0);
		a->send_of[ev->req] = post(&m->sends[rank], ev->peer, ev);
		return 1;
	case TRACE_IRECV:
		m->made |= (ev->drawn & TRACE_DRAWN_EVENT) != 0;
		assert_true(ev->req < OPEN_MOST - 1 && a->send_of[ev->req] == 0);
		a->send_of[ev->req] = -post(&m->receives[rank], ev->peer, ev);
		return 1;
	case TRACE_WAIT:
	case TRACE_WAITALL:
		return wait_done(m, rank, ev);
	case TRACE_ALLREDUCE:
	case TRACE_BARRIER:
		return met(m, rank, ev);
	case TRACE_COMPUTE:
		a->volume += ev->volume;
		return 1;
	case TRACE_COMM_SPLIT:
	case TRACE_INIT:
	case TRACE_FINALIZE:
		return 1;
	default:
		fail_msg("rank %d: %s", rank, trace_op_name((enum trace_op)ev->op));
		return 0;
	}
}

static int rank_go(struct machine *m, int rank)
{
	struct actor *a = &m->actor[rank];
	struct err err;
	int moved = 0, more;

	for (;;) {
		if (!a->has && !a->ended) {
			more = trace_next(m->t, (uint32_t)rank, &a->ev, &err);
			if (more < 0)
				fail_msg("rank %d: %s", rank, err.text);
			a->has = more;
			a->ended = !more;
		}
		if (a->ended || !event_do(m, rank))
			return moved;
		a->has = 0;
		a->events++;
		moved = 1;
	}
}

/* All ranks to their ends. */
static void machine_run(struct machine *m)
{
	int moved = 1, ended = 1;

	while (moved) {
		moved = 0;
		for (int rank = 0; rank < RANKS; rank++)
			moved |= rank_go(m, rank);
		moved |= progress(m);
	}
	for (int rank = 0; rank < RANKS; rank++) {
		const struct trace_event *ev = &m->actor[rank].ev;

		if (!m->actor[rank].ended)
			print_message("rank %d stands at event %d, %s to %d, tag %d, comm %llu\n",
			              rank, m->actor[rank].events,
			              trace_op_name((enum trace_op)ev->op), ev->peer, ev->tag,
			              (unsigned long long)ev->comm);
		ended &= m->actor[rank].ended;
	}
	assert_true(ended);
	for (int rank = 0; rank < RANKS; rank++) {
		assert_int_equal(m->sends[rank].first, m->sends[rank].n);
		assert_int_equal(m->receives[rank].first, m->receives[rank].n);
	}
}

/* --- programs --- */

struct writing {
	struct trace_writer *w;
	struct rng rng;
	int timed, sends, precision;
	int near; /* sizes and loops vary by no more than the precision allows */
	double volume[RANKS];
	int collectives;
};

static void put(struct writing *x, int rank, struct trace_event *ev)
{
	struct err err;

	ev->duration = x->timed ? (double)(1 + rng_below(&x->rng, 5000)) / 1e9 : -1;
	if (ev->op == TRACE_SEND || ev->op == TRACE_ISEND)
		x->sends++;
	if (ev->op == TRACE_COMPUTE)
		x->volume[rank] += ev->volume;
	assert_ok(trace_writer_put(x->w, (uint32_t)rank, ev, &err), err);
}

static void put_message(struct writing *x, int rank, enum trace_op op, int peer, int tag,
                        int64_t count, int64_t req, uint64_t comm)
{
	struct trace_event ev;

	trace_event_init(&ev, op);
	ev.peer = peer;
	ev.tag = tag;
	ev.count = count;
	ev.type = 6;
	ev.type_size = 1;
	ev.req = req;
	ev.comm = comm;
	put(x, rank, &ev);
}

static void put_simple(struct writing *x, int rank, enum trace_op op, uint64_t comm)
{
	struct trace_event ev;

	trace_event_init(&ev, op);
	ev.comm = comm;
	if (op == TRACE_ALLREDUCE) {
		ev.count = 1;
		ev.type_size = 8;
	}
	if (op == TRACE_COMPUTE)
		ev.volume = (double)rng_below(&x->rng, 100000);
	put(x, rank, &ev);
}

static void put_split(struct writing *x, int rank)
{
	int32_t members[RANKS];
	struct trace_event ev;

	trace_event_init(&ev, TRACE_COMM_SPLIT);
	ev.comm = half_comm(rank);
	for (int r = rank % 2; r < RANKS; r += 2)
		members[ev.n_members++] = r;
	ev.members = members;
	put(x, rank, &ev);
}

/* A number below `most`, or not far below it. */
static int64_t varied(struct writing *x, int64_t most)
{
	int64_t by = x->near ? (most - 1) * (100 - x->precision) / 100 : most - 1;

	return most - 1 - (int64_t)rng_below(&x->rng, (uint64_t)by + 1);
}

/* Any messages between any ranks: receives posted, sends, all waited for. */
static void exchange(struct writing *x)
{
	int from[MESSAGES], to[MESSAGES], n = 1 + (int)rng_below(&x->rng, MESSAGES);
	int64_t size[MESSAGES];
	int on_half = rng_below(&x->rng, 3) == 0;

	for (int i = 0; i < n; i++) {
		from[i] = (int)rng_below(&x->rng, RANKS);
		to[i] = on_half ? (from[i] + 2 * (int)rng_below(&x->rng, RANKS / 2)) % RANKS
		                : (int)rng_below(&x->rng, RANKS);
		size[i] = varied(x, 2000);
	}
	for (int rank = 0; rank < RANKS; rank++) {
		struct trace_event ev;
		int64_t reqs[2 * MESSAGES];

		trace_event_init(&ev, TRACE_WAITALL);
		put_simple(x, rank, TRACE_COMPUTE, 0);
		for (int i = 0; i < n; i++)
			if (to[i] == rank) {
				reqs[ev.n_reqs] = ev.n_reqs;
				put_message(x, rank, TRACE_IRECV, from[i], 1, size[i], ev.n_reqs++,
				            on_half ? half_comm(rank) : 0);
			}
		for (int i = 0; i < n; i++)
			if (from[i] == rank) {
				reqs[ev.n_reqs] = ev.n_reqs;
				put_message(x, rank, TRACE_ISEND, to[i], 1, size[i], ev.n_reqs++,
				            on_half ? half_comm(rank) : 0);
			}
		ev.reqs = reqs;
		put(x, rank, &ev);
	}
}

/* A chain: each receives from the one before, now and then often, and sends to the next: of the
 * order in which a pipeline fills. */
static void chain(struct writing *x)
{
	int runs = (int)varied(x, x->near ? 24 : 5);

	for (int rank = 0; rank < RANKS; rank++) {
		for (int i = 0; i < runs; i++) {
			if (rank > 0)
				put_message(x, rank, TRACE_RECV, rank - 1, 2, 100, -1, 0);
			put_simple(x, rank, TRACE_COMPUTE, 0);
			if (rank < RANKS - 1)
				put_message(x, rank, TRACE_SEND, rank + 1, 2, 100, -1, 0);
		}
		put_simple(x, rank, TRACE_COMPUTE, 0);
	}
}

static void program_write(struct writing *x, const char *path, uint64_t seed, int precision)
{
	struct err err;

	rng_init(&x->rng, seed, "programs", 0);
	x->timed = (int)rng_below(&x->rng, 2);
	x->precision = precision;
	x->near = seed / 4 % 2;
	x->w = trace_writer_open(path, TRACE_WRITE_COMPRESSED, RANKS, &err);
	assert_non_null(x->w);
	trace_writer_precision(x->w, precision);
	for (int rank = 0; rank < RANKS; rank++) {
		put_simple(x, rank, TRACE_INIT, 0);
		put_split(x, rank);
	}
	for (int s = 0; s < STEPS; s++) {
		if (rng_below(&x->rng, 2))
			exchange(x);
		else
			chain(x);
		if (rng_below(&x->rng, 3) == 0) {
			x->collectives++;
			for (int rank = 0; rank < RANKS; rank++)
				put_simple(x, rank, TRACE_ALLREDUCE, 0);
		}
		for (int rank = 0; s % 10 == 5 && rank < RANKS; rank++)
			put_simple(x, rank, TRACE_BARRIER, half_comm(rank));
	}
	for (int rank = 0; rank < RANKS; rank++)
		put_simple(x, rank, TRACE_FINALIZE, 0);
	assert_ok(trace_writer_commit(x->w, NULL, NULL, &err), err);
}

static int64_t program_run(const char *path, uint64_t seed, const struct writing *x, int *drawn)
{
	static struct machine m;
	struct err err;

	memset(&m, 0, sizeof m);
	m.t = trace_open(path, 0, &err);
	if (!m.t)
		fail_msg("%s", err.text);
	trace_seed(m.t, seed);
	machine_run(&m);
	*drawn |= m.made;
	for (int rank = 0; rank < RANKS; rank++)
		assert_int_equal(m.actor[rank].met[0], x->collectives);
	trace_close(m.t);
	return m.messages;
}

static void programs(void **state)
{
	static const int precisions[] = {100, 95, 50, 0};
	char dir[64], path[256];
	int drawn[2] = {0};
	double messages = 0, sends = 0;

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/trace", dir);
	for (uint64_t seed = prop_seed(1); seed <= prop_seed(40); seed++) {
		struct writing x = {0};
		int precision = precisions[seed % 4];

		print_message("seed %llu\n", (unsigned long long)seed);
		program_write(&x, path, seed, precision);
		for (uint64_t draw = 1; draw <= 5; draw++) {
			int64_t n = program_run(path, draw, &x, &drawn[precision > 0]);

			if (precision == 100)
				assert_int_equal(n, x.sends);
			sends += x.sends;
			messages += (double)n;
		}
	}
	assert_true(drawn[0] && drawn[1]);
	/* As many messages as there were, on average: loops are drawn around their mean. */
	assert_true(messages > 0.9 * sends && messages < 1.1 * sends);
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
