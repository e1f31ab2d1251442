/* prop_deadlock.c: random programs of blocking sends and receives beside a slow model of them:
 * processes that meet. A long send waits for its receive; a pair goes on when the one sends to the
 * other, who receives from it with that tag (or any). Who can go on, does, in any order: the end is
 * the same, as nobody has a choice (MPI 4.0, 3.5; no wildcard of sources). Then: the run ends well
 * exactly if the model's does; else it says how many wait, for whom each one told of waits, and the
 * cycle is one of the model's, found by following each rank for as long as there are ranks. */
#include "unit/mp/sim.h"

#include "property/prop.h"

enum { RANKS_MOST = 9, ACTS_MOST = 12, LONG = 100000 };

struct call {
	int send, peer, tag; /* tag ANY: of a receive */
};
struct model {
	int ranks, n[RANKS_MOST], at[RANKS_MOST];
	struct call call[RANKS_MOST][ACTS_MOST];
};

/* --- drawing: a program that ends well, then perhaps something is wrong in it --- */

static void call_add(struct model *m, int rank, struct call c)
{
	if (m->n[rank] < ACTS_MOST - 1)
		m->call[rank][m->n[rank]++] = c;
}
static void pair_add(struct model *m, struct rng *r)
{
	int from = (int)rng_below(r, (uint64_t)m->ranks),
	    to = (from + 1 + (int)rng_below(r, (uint64_t)m->ranks - 1)) % m->ranks,
	    tag = (int)rng_below(r, 2);

	if (m->n[from] >= ACTS_MOST - 1 || m->n[to] >= ACTS_MOST - 1)
		return;
	call_add(m, from, (struct call){1, to, tag});
	call_add(m, to, (struct call){0, from, prop_once_in(r, 3) ? ANY : tag});
}
/* Two neighbours in a list change places, a call goes, a tag is another, or a peer. */
static void spoil(struct model *m, struct rng *r)
{
	int rank = (int)rng_below(r, (uint64_t)m->ranks), n = m->n[rank], at;
	struct call *c = m->call[rank], kept;

	if (n < 2)
		return;
	at = (int)rng_below(r, (uint64_t)n - 1);
	switch (rng_below(r, 4)) {
	case 0:
	case 1:
		kept = c[at];
		c[at] = c[at + 1];
		c[at + 1] = kept;
		return;
	case 2:
		memmove(&c[at], &c[at + 1], (size_t)(n - at - 1) * sizeof *c);
		m->n[rank]--;
		return;
	default:
		c[at].tag = c[at].tag == ANY ? ANY : 1 - c[at].tag;
	}
}
static void program_draw(struct model *m, struct rng *r)
{
	int pairs = (int)prop_from(r, 1, 20), wrong = (int)prop_from(r, 0, 3);

	memset(m, 0, sizeof *m);
	m->ranks = (int)prop_from(r, 2, RANKS_MOST);
	for (int i = 0; i < pairs; i++)
		pair_add(m, r);
	for (int i = 0; i < wrong; i++)
		spoil(m, r);
}

/* --- the model --- */

static const struct call *next_of(const struct model *m, int rank)
{
	return m->at[rank] < m->n[rank] ? &m->call[rank][m->at[rank]] : NULL;
}
static int meet(const struct model *m, int a, int b)
{
	const struct call *s = next_of(m, a), *r = next_of(m, b);

	return s && r && s->send && !r->send && s->peer == b && r->peer == a &&
	       (r->tag == ANY || r->tag == s->tag);
}
static void perform(struct model *m)
{
	int went = 1;

	while (went) {
		went = 0;
		for (int a = 0; a < m->ranks; a++)
			for (int b = 0; b < m->ranks; b++)
				if (meet(m, a, b)) {
					m->at[a]++;
					m->at[b]++;
					went = 1;
				}
	}
}
static int blocked(const struct model *m)
{
	int n = 0;

	for (int i = 0; i < m->ranks; i++)
		n += next_of(m, i) != NULL;
	return n;
}
/* Is rank on a cycle: does following come back to it? */
static int on_cycle(const struct model *m, int rank)
{
	int at = rank;

	for (int i = 0; i < m->ranks; i++) {
		if (!next_of(m, at))
			return 0;
		at = next_of(m, at)->peer;
		if (at == rank)
			return 1;
	}
	return 0;
}

/* --- what the report says --- */

static void line_check(const struct model *m, const char *line, int rank, uint64_t seed)
{
	const struct call *c = next_of(m, rank);
	char want[200];

	if (!c)
		fail_msg("seed %llu: rank %d has ended: %s", (unsigned long long)seed, rank, line);
	snprintf(want, sizeof want,
	         c->send ? "%s, action %d: waits for rank %d to receive"
	                 : "%s, action %d: waits for a message from rank %d",
	         "s", m->at[rank], c->peer);
	if (!strstr(line, want) || strstr(line, want) > strchr(line, '\n'))
		fail_msg("seed %llu: rank %d: \"%s\" is not in \"%.*s\"", (unsigned long long)seed,
		         rank, want, (int)strcspn(line, "\n"), line);
	snprintf(want, sizeof want, "; rank %d has ended\n", c->peer);
	if (!next_of(m, c->peer) != (strstr(line, want) && strstr(line, want) < strchr(line, '\n')))
		fail_msg("seed %llu: rank %d ended, or not: %.*s", (unsigned long long)seed,
		         c->peer, (int)strcspn(line, "\n"), line);
}

/* The lines below "The cycle:" are a cycle, each waiting for the next. */
static void cycle_check(const struct model *m, const char *text, uint64_t seed)
{
	const char *at = strstr(text, "\nThe cycle:\n");
	int first = -1, before = -1, any = 0, rank;

	for (int i = 0; i < m->ranks; i++)
		any |= on_cycle(m, i);
	if (any != (at != NULL))
		fail_msg("seed %llu: there is%s a cycle: %s", (unsigned long long)seed,
		         any ? "" : " not", text);
	if (!at)
		return;
	for (at += strlen("\nThe cycle:\n"); sscanf(at, "  rank %d,", &rank) == 1;
	     at = strchr(at, '\n') + 1) {
		if (!on_cycle(m, rank) || (before >= 0 && next_of(m, before)->peer != rank))
			fail_msg("seed %llu: no cycle: %s", (unsigned long long)seed, text);
		first = first < 0 ? rank : first;
		before = rank;
	}
	assert_int_equal(next_of(m, before)->peer, first);
}

static void report_check(const struct model *m, const char *text, uint64_t seed)
{
	char all[4000], want[80];
	int told[RANKS_MOST] = {0}, n = 0, rank;

	snprintf(all, sizeof all, "%s\n", text);
	snprintf(want, sizeof want, ": %d of %d ranks wait for ever\n", blocked(m), m->ranks);
	if (!strstr(all, want))
		fail_msg("seed %llu: not \"%s\" in %s", (unsigned long long)seed, want, all);
	for (const char *at = strchr(all, '\n') + 1; *at; at = strchr(at, '\n') + 1)
		if (sscanf(at, "  rank %d,", &rank) == 1) {
			assert_true(rank < m->ranks && !told[rank]++);
			line_check(m, at, rank, seed);
			n++;
		}
	assert_true(n == blocked(m) || strstr(all, "more ranks"));
	cycle_check(m, all, seed);
}

static int one_case(uint64_t seed)
{
	static struct act act[RANKS_MOST][ACTS_MOST];
	const struct act *list[RANKS_MOST];
	static struct model m;
	struct sim s;
	struct rng r;
	int waits;

	rng_init(&r, seed, "deadlock", 0);
	program_draw(&m, &r);
	memset(act, 0, sizeof act);
	for (int i = 0; i < m.ranks; i++) {
		for (int k = 0; k < m.n[i]; k++) {
			const struct call *c = &m.call[i][k];

			act[i][k] = c->send ? (struct act)SEND(c->peer, c->tag, LONG)
			                    : (struct act)RECV(c->peer, c->tag, LONG);
		}
		list[i] = act[i];
	}
	perform(&m);
	waits = blocked(&m);
	sim_init(&s, FLAT, PLAIN, list, (uint32_t)m.ranks);
	sim_run(&s);
	if ((s.result < 0) != (waits > 0))
		fail_msg("seed %llu: %d wait in the model, and the run %s",
		         (unsigned long long)seed, waits, s.result < 0 ? s.err.text : "ends well");
	assert_int_equal(mp_deadlocked(s.mp), waits > 0);
	if (waits)
		report_check(&m, s.err.text, seed);
	sim_release(&s);
	return waits > 0;
}

static void who_waits_is_who_waits_in_the_model(void **state)
{
	struct prop_run run = prop_begin(300);
	uint64_t wrong = 0;

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++)
		wrong += (uint64_t)one_case(run.seed + i);
	print_message("%llu of %llu end in a deadlock\n", (unsigned long long)wrong,
	              (unsigned long long)run.cases);
	assert_true(wrong * 5 > run.cases && wrong * 10 < run.cases * 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(who_waits_is_who_waits_in_the_model)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
