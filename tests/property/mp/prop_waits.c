/* prop_waits.c: MPI_Wait…, MPI_Test… and persistent requests beside a model of the standard's words
 * (MPI 4.0, 3.7.3, 3.7.5, 3.9): a request is null, inactive or active; an active one is complete
 * from the date on at which its message is there. One rank waits and tests at random over ranges of
 * its requests; others send it messages a second apart, so that each date is a sum worked by hand:
 * a message that leaves when both sides are there takes FLAT_TIME of its size. Null and inactive
 * requests are ignored; nothing but them: complete at once. Of several that are complete MPI lets
 * Waitany and Testany take any. */
#include "unit/mp/sim.h"

#include "property/prop.h"

enum { REQUESTS = 8, ACTIONS = 26, SENDERS = 3, ROUNDS = 3 };
enum state { NULL_REQUEST, INACTIVE, ACTIVE };

struct plan {
	int persistent;
	double cost; /* of a test */
	double sent[REQUESTS][ROUNDS];
	double bytes[REQUESTS];
	struct act act[SENDERS + 1][SIM_ACTS];
	int n[SENDERS + 1];
	const struct act *list[SENDERS + 1];
};
struct model {
	enum state state[REQUESTS];
	double there[REQUESTS];
	int round[REQUESTS]; /* starts so far */
	double now;
};

static void add(struct plan *p, int rank, struct act a)
{
	a.keep = p->persistent;
	assert_true(p->n[rank] + 1 < SIM_ACTS);
	p->act[rank][p->n[rank]++] = a;
}

/* --- drawing --- */

/* Each message a second after the one before, from any sender, which sleeps until then. */
static void senders_draw(struct plan *p, struct rng *r)
{
	double at[SENDERS + 1] = {0};
	int order[REQUESTS * ROUNDS], n = REQUESTS * (p->persistent ? ROUNDS : 1);

	for (int i = 0; i < n; i++) {
		int k = (int)rng_below(r, (uint64_t)i + 1);

		order[i] = order[k];
		order[k] = i % REQUESTS;
	}
	for (int i = 0; i < n; i++) {
		int q = order[i], round = 0, from = 1 + q % SENDERS;

		while (p->sent[q][round] > 0)
			round++;
		p->sent[q][round] = i + 1;
		add(p, from, (struct act)SLEEP(i + 1 - at[from]));
		add(p, from, (struct act)SEND(0, q, p->bytes[q]));
		at[from] = i + 1;
	}
}
static void range_draw(struct rng *r, int *first, int *n)
{
	*first = (int)rng_below(r, REQUESTS);
	*n = 1 + (int)rng_below(r, (uint64_t)(REQUESTS - *first));
}
static void waiter_draw(struct plan *p, struct rng *r)
{
	static const int waits[] = {MP_WAITALL, MP_WAITANY, MP_WAITSOME},
	                 tests[] = {MP_TESTALL, MP_TESTANY, MP_TESTSOME};

	int starts[REQUESTS] = {0};

	for (int q = 0; q < REQUESTS; q++)
		add(p, 0,
		    p->persistent ? (struct act)RECV_INIT(1 + q % SENDERS, q, 1e9, q)
		                  : (struct act)IRECV(1 + q % SENDERS, q, 1e9, q));
	for (int q = 0; p->persistent && q < REQUESTS; q++)
		add(p, 0, (struct act)START(q, 1));
	for (int i = 0; i < ACTIONS; i++) {
		int first, n, mode = (int)rng_below(r, 3);

		range_draw(r, &first, &n);
		switch (rng_below(r, p->persistent ? 5 : 3)) {
		case 0: /* not all at once too early: nothing would be left to choose */
			n = mode == 0 && n > 2 ? 2 : n;
			add(p, 0,
			    (struct act){.k = ACT_WAIT, .req = first, .n = n, .mode = waits[mode]});
			break;
		case 1:
			add(p, 0, (struct act)TEST_AS(tests[mode], first, n));
			break;
		case 2:
			add(p, 0, (struct act)SLEEP(4 * rng_unit(r)));
			break;
		default: /* if it is inactive by then: starts_too_early */
			if (starts[first]++ < ROUNDS - 1) {
				add(p, 0, (struct act)START(first, 1));
				add(p, 0, (struct act)SLEEP(1e-3)); /* one message at a time */
			}
		}
	}
}

/* --- the model: walks the actions as the simulator did --- */

static void start(const struct plan *p, struct model *m, int q)
{
	double sent = p->sent[q][m->round[q]++];

	m->state[q] = ACTIVE;
	m->there[q] = (sent > m->now ? sent : m->now) + FLAT_TIME(p->bytes[q]);
}
static int is_complete(const struct model *m, int q)
{
	return m->state[q] == ACTIVE && m->there[q] <= m->now + 1e-9;
}
static void over(const struct plan *p, struct model *m, int q)
{
	m->state[q] = p->persistent ? INACTIVE : NULL_REQUEST;
}
static int count(const struct model *m, const struct act *a, int complete)
{
	int n = 0;

	for (int q = a->req; q < a->req + a->n; q++)
		n += complete ? is_complete(m, q) : m->state[q] == ACTIVE;
	return n;
}

/* The completed ones are so many, each once, complete in the model; then they are over. */
static void completed_are(const struct plan *p, struct model *m, const struct act *a,
                          const struct seen *s, uint32_t n)
{
	if (s->n != n)
		fail_msg("%u completed at %.9g, not %u", s->n, s->date, n);
	for (uint32_t i = 0; i < s->n; i++) {
		int q = a->req + (int)s->index[i];

		if (!is_complete(m, q))
			fail_msg("request %d is not complete at %.9g", q, s->date);
		over(p, m, q);
	}
}
static void wait_check(const struct plan *p, struct model *m, const struct act *a,
                       const struct seen *s)
{
	int active = count(m, a, 0), all = a->mode == MP_WAITALL;
	double first = HUGE_VAL, last = 0, until;

	for (int q = a->req; q < a->req + a->n; q++)
		if (m->state[q] == ACTIVE) {
			first = m->there[q] < first ? m->there[q] : first;
			last = m->there[q] > last ? m->there[q] : last;
		}
	until = all ? last : first;
	if (active && until > m->now)
		m->now = until;
	if (fabs(s->date - m->now) > 1e-9)
		fail_msg("a wait of sort %d for %d from %d on ends at %.9g, not %.9g", a->mode,
		         a->n, a->req, s->date, m->now);
	m->now = s->date;
	completed_are(p, m, a, s,
	              (uint32_t)(all                     ? active
	                         : a->mode == MP_WAITANY ? active > 0
	                                                 : count(m, a, 1)));
}
static void test_check(const struct plan *p, struct model *m, const struct act *a,
                       const struct seen *s)
{
	int active = count(m, a, 0), complete, flag;

	m->now += active ? p->cost : 0; /* nothing to test costs nothing */
	assert_true(fabs(s->date - m->now) < 1e-9);
	m->now = s->date;
	complete = count(m, a, 1);
	flag = active == 0 || (a->mode == MP_TESTALL ? complete == active : complete > 0);
	assert_int_equal(s->flag, flag);
	completed_are(p, m, a, s,
	              (uint32_t)(!flag                   ? 0
	                         : a->mode == MP_TESTANY ? complete > 0
	                                                 : complete));
}

static void walk(const struct plan *p, const struct sim *s)
{
	struct model m = {.now = 0};

	for (int i = 0; p->act[0][i].k != ACT_END; i++) {
		const struct act *a = &p->act[0][i];
		const struct seen *seen = &s->rank[0].seen[i];

		switch (a->k) {
		case ACT_IRECV:
			start(p, &m, a->req);
			break;
		case ACT_RECV_INIT:
			m.state[a->req] = INACTIVE;
			break;
		case ACT_START:
			start(p, &m, a->req);
			break;
		case ACT_SLEEP:
			m.now += a->bytes;
			break;
		case ACT_WAIT:
			wait_check(p, &m, a, seen);
			break;
		default:
			test_check(p, &m, a, seen);
		}
		if (fabs(seen->date - m.now) > 1e-9)
			fail_msg("action %d ends at %.12g, not %.12g", i, seen->date, m.now);
	}
}

/* A start of what is active would be an error: each start is kept only where the request is
 * inactive by then, which a run without the rest of the program tells. Waits for what nobody starts
 * any more are over at once. Decided by running the program up to there. */
static int starts_too_early(struct plan *p, const struct sim *s)
{
	uint32_t at = s->rank[0].at;

	if (s->result >= 0 || p->act[0][at].k != ACT_START)
		return 0;
	memmove(&p->act[0][at], &p->act[0][at + 1],
	        sizeof p->act[0][0] * (size_t)(SIM_ACTS - at - 1));
	p->n[0]--;
	return 1;
}

static void one_case(uint64_t seed)
{
	static const char *const settings[] = {PLAIN " smpi/test:0", PLAIN
	                                       " smpi/test:0.001 smpi/grow-injected-times:no"};
	static struct plan p;
	struct sim s;
	struct rng r;
	int again = 1;

	memset(&p, 0, sizeof p);
	rng_init(&r, seed, "waits", 0);
	p.persistent = (int)rng_below(&r, 2);
	p.cost = seed % 2 ? 0.001 : 0;
	for (int q = 0; q < REQUESTS; q++)
		p.bytes[q] = (double)rng_below(&r, 1000);
	senders_draw(&p, &r);
	waiter_draw(&p, &r);
	add(&p, 0, (struct act)WAITALL(0, REQUESTS));
	for (int i = 0; i <= SENDERS; i++)
		p.list[i] = p.act[i];
	while (again) {
		sim_init(&s, FLAT, settings[seed % 2], p.list, SENDERS + 1);
		sim_run(&s);
		again = starts_too_early(&p, &s);
		if (!again && s.result < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, s.err.text);
		if (!again)
			walk(&p, &s);
		sim_release(&s);
	}
}

static void waits_and_tests_are_the_models(void **state)
{
	struct prop_run run = prop_begin(150);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++)
		one_case(run.seed + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(waits_and_tests_are_the_models)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
