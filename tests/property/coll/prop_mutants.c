/* prop_mutants.c: the verifier refuses what is wrong. A right algorithm is made wrong at one place
 * (a step dropped, doubled, moved, sent elsewhere, cut, taken from elsewhere, combined the other
 * way round …); where processes that move real bytes (machine.h) then end with other bytes than MPI
 * says, or for ever, coll_verify must say so too. And whatever it refuses is no figment: it lets
 * every unharmed algorithm pass (the other tests), and the harm that it alone sees is counted:
 * touching memory of a pending message, which no single run needs to show. */
#include "machine.h"

#include "coll/coll_int.h"

/* What is changed, and where: in the step'th step of rank's whole list. */
enum harm {
	DROP,
	TWICE,
	SWAP,
	OTHER_PEER,
	SHORTER,
	LONGER,
	ELSEWHERE,
	FROM_ELSEWHERE,
	OTHER_SIDE,
	NOT_AWAITED,
	AS_COPY,
	HARMS
};
static const char *const harm_names[HARMS] = {"dropped",
                                              "doubled",
                                              "swapped with the next",
                                              "of another peer",
                                              "shorter",
                                              "longer",
                                              "of another place",
                                              "reading another place",
                                              "from the other side",
                                              "not awaited",
                                              "copying instead"};

struct list {
	struct coll_step *s;
	uint32_t n, cap;
};
static struct list lists[CALL_RANKS];

/* The whole list of steps of a rank. */
static void list_fill(struct list *l, const struct coll_alg *alg, const struct coll_args *a,
                      uint32_t rank)
{
	struct coll_cursor c = {0};
	struct coll_steps out = {.n = 0};

	l->n = 0;
	while (out.n = 0, coll_next(alg, a, rank, &c, &out) != COLL_END)
		for (uint32_t i = 0; i < out.n; i++) {
			l->s = mach_grow(l->s, l->n, &l->cap, sizeof *l->s);
			l->s[l->n++] = out.s[i];
		}
}

/* An algorithm whose rounds are the steps of the lists. */
static int listed_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	(void)a;
	if (round >= lists[rank].n)
		return COLL_END;
	out->s[out->n++] = lists[rank].s[round];
	return 0;
}

static const struct coll_alg *original;

static int64_t original_tmp(const struct coll_args *a, uint32_t rank)
{
	return coll_tmp_bytes(original, a, rank);
}

static void list_remove(struct list *l, uint32_t at)
{
	memmove(&l->s[at], &l->s[at + 1], (l->n - at - 1) * sizeof *l->s);
	l->n--;
}

static void list_double(struct list *l, uint32_t at)
{
	l->s = mach_grow(l->s, l->n, &l->cap, sizeof *l->s);
	memmove(&l->s[at + 1], &l->s[at], (l->n - at) * sizeof *l->s);
	l->n++;
}

static int is_message(const struct coll_step *s)
{
	return s->kind <= STEP_IRECV;
}

/* 0: this harm does nothing to that step. */
static int harm_do(enum harm h, uint32_t rank, uint32_t at, uint32_t p, int64_t e)
{
	struct list *l = &lists[rank];
	struct coll_step *s = &l->s[at], other;

	switch (h) {
	case DROP:
		list_remove(l, at);
		return 1;
	case TWICE:
		list_double(l, at);
		return 1;
	case SWAP:
		if (at + 1 >= l->n)
			return 0;
		other = s[1];
		s[1] = s[0];
		s[0] = other;
		return 1;
	case OTHER_PEER:
		s->peer = (s->peer + 1) % p;
		return is_message(s) && p > 2;
	case SHORTER:
		s->len -= e;
		return s->len >= 0 && s->kind != STEP_WAIT && s->kind != STEP_WAITALL;
	case LONGER:
		s->len += e;
		return s->kind != STEP_WAIT && s->kind != STEP_WAITALL;
	case ELSEWHERE:
		s->off += s->off >= e ? -e : e;
		return s->len > 0;
	case FROM_ELSEWHERE:
		s->src_off += s->src_off >= e ? -e : e;
		return s->len > 0 && (s->kind == STEP_COPY || s->kind == STEP_REDUCE);
	case OTHER_SIDE:
		s->reduce_left ^= 1;
		return s->kind == STEP_REDUCE;
	case NOT_AWAITED:
		if (s->kind != STEP_WAIT && s->kind != STEP_WAITALL)
			return 0;
		list_remove(l, at);
		return 1;
	case AS_COPY:
		if (s->kind != STEP_REDUCE)
			return 0;
		s->kind = STEP_COPY;
		return 1;
	default:
		return 0;
	}
}

struct tally {
	unsigned mutants, refused, shown;
};

/* Do real bytes show it? Each time all goes in another order. */
static int shows(struct mpi_call *c, const struct coll_alg *mutant, struct rng *r)
{
	static struct machine m;

	for (int i = 0; i < 4; i++)
		if (machine_run(&m, c, mutant, NOBODY, r) < 0)
			return 1;
	return 0;
}

static void mutate(struct mpi_call *c, const struct coll_alg *alg, enum harm h, struct rng *r,
                   struct tally *t)
{
	struct coll_alg mutant = {
	    .kind = alg->kind, .name = alg->name, .round = listed_round, .tmp_bytes = original_tmp};
	struct coll_args args[CALL_RANKS];
	uint32_t rank = prop_from(r, 0, c->p - 1), at;
	struct err err = {0};
	int refused, shown;

	original = alg;
	for (uint32_t i = 0; i < c->p; i++) {
		args_of(c, i, &args[i]);
		list_fill(&lists[i], alg, &args[i], i);
	}
	if (lists[rank].n == 0)
		return;
	at = prop_from(r, 0, lists[rank].n - 1);
	if (!harm_do(h, rank, at, c->p, c->e))
		return;
	refused = coll_verify(&mutant, args, &err) < 0;
	shown = shows(c, &mutant, r);
	t->mutants++;
	t->refused += (unsigned)refused;
	t->shown += (unsigned)shown;
	if (shown && !refused)
		fail_msg("%s %s, %u ranks, k %lld: step %u of rank %u %s, and the verifier lets it "
		         "pass",
		         coll_kind_name(alg->kind), alg->name, c->p, (long long)c->k, at, rank,
		         harm_names[h]);
}

/* Small calls, where each step matters; one element is not like another by chance. */
static void mutants_of(const struct coll_alg *alg, uint64_t seed, struct tally *t)
{
	static struct mpi_call c;

	for (int h = 0; h < HARMS; h++) {
		struct rng r;
		struct coll_args a;

		rng_init(&r, seed, alg->name, (uint64_t)(alg->kind * HARMS + h));
		do {
			call_draw(&c, alg->kind, 0, &r);
			args_of(&c, 0, &a);
			if (c.p <= 9 && c.k > 0 && c.k < 40 && !coll_alg_refuses(alg, &a))
				break;
			call_release(&c);
		} while (1);
		mutate(&c, alg, (enum harm)h, &r, t);
		call_release(&c);
	}
}

static void what_real_bytes_show_is_refused(void **state)
{
	struct prop_run run = prop_begin(1);
	struct tally t = {0};

	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++)
		for (uint64_t i = 0; i < run.cases; i++)
			if (!(*alg)->defect && (*alg)->kind < COLL_NEIGHBOR_ALLGATHER)
				mutants_of(*alg, run.seed + i, &t);
	print_message("%u mutants: %u refused, of which bytes show %u\n", t.mutants, t.refused,
	              t.shown);
	assert_true(t.mutants > 900 * run.cases && t.refused * 10 > t.mutants * 7);
	assert_true(t.shown * 10 > t.refused * 9);
}

static int lists_release(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < CALL_RANKS; i++)
		free(lists[i].s);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_real_bytes_show_is_refused)};
	return cmocka_run_group_tests(tests, NULL, lists_release);
}
