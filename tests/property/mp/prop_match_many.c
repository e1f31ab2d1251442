/* prop_match_many.c: matching with hundreds of messages and receives outstanding, beside a list
 * that is walked from its beginning (MPI 4.0, 3.5): two communicators, many tags, receives of any
 * source, any tag, both, exact, some given up again. Each event is a millisecond after the one
 * before, so that the order in which sides come is known; messages are told apart by their sizes.
 * Queues, bins and tables of match.c grow, shrink and are made for a wildcard when hundreds of
 * messages wait. */
#include "unit/mp/sim.h"

#include "property/prop.h"

enum { SENDERS = 5, EVENTS = 700, TAGS = 12, COMMS = 2 };
enum sort { POST, MESSAGE, GIVE_UP, COLLECT };

struct event {
	enum sort sort;
	int rank, source, tag, comm; /* of a message, or a receive's pattern */
	int with;                    /* the event of the other side; -1: nobody */
	int gone, of;                /* given up; GIVE_UP, COLLECT: which event */
};
struct story {
	struct event event[2 * EVENTS];
	int n;
	int next[SENDERS + 1], blocked[SENDERS + 1], slept[SENDERS + 1];
	struct mp_request req[2 * EVENTS];
	struct mp_comm comm[SENDERS + 1][COMMS];
	uint64_t seed;
};

static int fits(const struct event *receive, const struct event *message)
{
	return receive->comm == message->comm &&
	       (receive->source == ANY || receive->source == message->source) &&
	       (receive->tag == ANY || receive->tag == message->tag);
}
/* The first that waits for it. */
static void meet(struct story *s, int new)
{
	struct event *x = &s->event[new];

	for (int i = 0; i < new; i++) {
		struct event *y = &s->event[i];

		if (y->sort + x->sort != POST + MESSAGE || y->sort == x->sort || y->with >= 0 ||
		    y->gone)
			continue;
		if (x->sort == POST ? fits(x, y) : fits(y, x)) {
			x->with = i;
			y->with = new;
			return;
		}
	}
}
/* A phase that sends more than it receives, then the other way round, and so on; wildcards come
 * late in half of the stories. */
static void event_draw(struct story *s, struct rng *r, int late_wildcards)
{
	int sends = (s->n / 100 % 2) ? 3 : 7, wild = !late_wildcards || s->n > EVENTS / 2;
	struct event *e = &s->event[s->n];

	*e = (struct event){.with = -1,
	                    .comm = (int)rng_below(r, COMMS),
	                    .tag = (int)rng_below(r, TAGS),
	                    .source = 1 + (int)rng_below(r, SENDERS)};
	if ((int)rng_below(r, 10) < sends) {
		e->sort = MESSAGE;
		e->rank = e->source;
	} else if (prop_once_in(r, 12) && s->n > 0) {
		int of = (int)rng_below(r, (uint64_t)s->n);

		e->sort = GIVE_UP;
		e->of = of;
		if (s->event[of].sort != POST || s->event[of].with >= 0 || s->event[of].gone)
			return; /* tried again */
		s->event[of].gone = 1;
		s->n++;
		return;
	} else {
		e->sort = POST;
		e->source = wild && prop_once_in(r, 3) ? ANY : e->source;
		e->tag = wild && prop_once_in(r, 3) ? ANY : e->tag;
	}
	meet(s, s->n++);
}
/* At the end: receives without a message are given up, the others waited for; messages without a
 * receive are received by their own source and tag, the first sent first. */
static void end_draw(struct story *s)
{
	int n = s->n;

	for (int i = 0; i < n; i++)
		if (s->event[i].sort == POST && s->event[i].with < 0 && !s->event[i].gone) {
			s->event[i].gone = 1;
			s->event[s->n++] = (struct event){.sort = GIVE_UP, .of = i, .with = -1};
		}
	for (int i = 0; i < n; i++)
		if (s->event[i].sort == MESSAGE ? s->event[i].with < 0
		                                : s->event[i].sort == POST && !s->event[i].gone)
			s->event[s->n++] = (struct event){.sort = COLLECT, .of = i, .with = -1};
}

static double size_of(int message)
{
	return 100 + message;
}

/* --- running: each rank does its own events at their milliseconds --- */

static int act(struct mp *mp, struct story *s, uint32_t rank, int i, struct err *err)
{
	const struct event *e = &s->event[i], *of = &s->event[e->of];
	struct mp_message m = {.comm = s->comm[rank][e->comm],
	                       .peer = e->sort == MESSAGE ? 0 : e->source,
	                       .tag = e->tag,
	                       .bytes = e->sort == MESSAGE ? size_of(i) : 1e6};

	switch (e->sort) {
	case MESSAGE:
		return mp_send(mp, rank, &m, MP_STANDARD, err);
	case POST:
		return mp_irecv(mp, rank, &m, &s->req[i], err);
	case GIVE_UP:
		if (mp_cancel(mp, rank, s->req[e->of], err) == MP_ERROR)
			return MP_ERROR;
		return mp_wait(mp, rank, MP_WAIT, &s->req[e->of], 1, err);
	default:
		if (of->sort == POST)
			return mp_wait(mp, rank, MP_WAIT, &s->req[e->of], 1, err);
		m = (struct mp_message){
		    .comm = s->comm[0][of->comm], .peer = of->source, .tag = of->tag, .bytes = 1e6};
		return mp_recv(mp, rank, &m, err);
	}
}
static void check(const struct story *s, const struct mp *mp, int i)
{
	const struct event *of = &s->event[s->event[i].of], *m;
	const struct mp_result *got = mp_result(mp, 0);
	int message;

	if (s->event[i].sort != COLLECT)
		return;
	message = of->sort == POST ? of->with : s->event[i].of;
	m = &s->event[message];
	if (got->bytes != size_of(message) || got->source != m->source || got->tag != m->tag)
		fail_msg(
		    "seed %llu: event %d got %g bytes of %d, tag %d, not message %d (%g of %d, "
		    "tag %d)",
		    (unsigned long long)s->seed, s->event[i].of, got->bytes, got->source, got->tag,
		    message, size_of(message), m->source, m->tag);
}
static int begin(struct mp *mp, struct story *s, uint32_t rank, struct err *err)
{
	static const uint32_t all[] = {0, 1, 2, 3, 4, 5};

	s->comm[rank][0] = MP_COMM_WORLD;
	return mp_comm_make(mp, rank, 1, all, SENDERS + 1, &s->comm[rank][1], err);
}
static int resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	struct story *s = self;

	if (s->next[rank] == 0 && !s->slept[rank] && begin(mp, s, rank, err) == MP_ERROR)
		return -1;
	for (int *i = &s->next[rank]; *i < s->n; ++*i, s->slept[rank] = 0) {
		int status;

		if (s->event[*i].rank != (int)rank)
			continue;
		if (!s->slept[rank]++ && (*i + 1) * 1e-3 > mp_now(mp)) {
			if (mp_sleep(mp, rank, (*i + 1) * 1e-3 - mp_now(mp), err) == MP_ERROR)
				return -1;
			return 0;
		}
		status = s->blocked[rank] ? MP_DONE : act(mp, s, rank, *i, err);
		s->blocked[rank] = status == MP_BLOCKED;
		if (status == MP_ERROR)
			return -1;
		if (s->blocked[rank])
			return 0;
		if (rank == 0)
			check(s, mp, *i);
	}
	return 1;
}
static const char *place(void *self, uint32_t rank, char *buf, size_t n)
{
	snprintf(buf, n, "event %d", ((struct story *)self)->next[rank]);
	return buf;
}

static void hundreds_meet_as_the_list_says(void **state)
{
	static const char *const settings[] = {PLAIN, PLAIN " smpi/async-small-thresh:65536"};
	static const struct act nothing[] = {{0}};
	static const struct act *const lists[] = {nothing, nothing, nothing,
	                                          nothing, nothing, nothing};
	struct prop_run run = prop_begin(60);
	static struct story story;

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct mp_program program = {.self = &story, .resume = resume, .place = place};
		struct sim s;
		struct rng r;

		memset(&story, 0, sizeof story);
		story.seed = run.seed + i;
		rng_init(&r, story.seed, "many", 0);
		while (story.n < EVENTS)
			event_draw(&story, &r, i / 2 % 2);
		end_draw(&story);
		sim_init(&s, FLAT, settings[i % 2], lists, SENDERS + 1);
		if (mp_run(s.mp, &program, NULL, &s.err) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)story.seed, s.err.text);
		sim_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(hundreds_meet_as_the_list_says)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
