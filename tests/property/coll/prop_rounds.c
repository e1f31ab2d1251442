/* prop_rounds.c: what algorithms say of their rounds. Counts that were looked at once
 * (coll_args_count) change no step of any algorithm; rounds that are said to be alike
 * (coll_alg.alike) are: two of them after the other a rank has the same messages to and from the
 * same ranks, with the same numbers, of as many bytes. */
#include "property/prop.h"

#include "coll/coll_int.h"

enum { RANKS_MOST = 40 };

struct call {
	struct coll_args args;
	int64_t counts[RANKS_MOST];
};

/* equal: all counts are one; else any, 0 too. */
static void call_draw(struct call *c, const struct coll_alg *alg, int equal, struct rng *r)
{
	int64_t count = prop_from(r, 1, 3) * (int64_t)prop_from(r, 1, 30000);
	uint32_t p = prop_from(r, 1, RANKS_MOST);
	int is_vector = alg->kind == COLL_ALLGATHERV || alg->kind == COLL_REDUCE_SCATTER;

	for (uint32_t i = 0; i < p; i++)
		c->counts[i] = equal                ? count
		               : prop_once_in(r, 5) ? 0
		                                    : (int64_t)rng_below(r, 30000);
	c->args = (struct coll_args){.kind = alg->kind,
	                             .size = p,
	                             .count = is_vector ? c->counts[0] : count,
	                             .count2 = is_vector ? c->counts[0] : count,
	                             .type_size = 8,
	                             .type_size2 = 8,
	                             .counts2 = is_vector ? c->counts : NULL,
	                             .commutative = 1,
	                             .basic_type = 1};
}

static void args_of_rank(struct coll_args *a, const struct call *c, uint32_t rank)
{
	*a = c->args;
	if (a->counts2)
		a->count = a->count2 = c->counts[rank];
}

static int step_same(const struct coll_step *a, const struct coll_step *b)
{
	return a->kind == b->kind && a->buf == b->buf && a->src_buf == b->src_buf &&
	       a->peer == b->peer && a->req == b->req && a->n == b->n && a->off == b->off &&
	       a->src_off == b->src_off && a->len == b->len;
}

static void counted_check(const struct coll_alg *alg, const struct call *c, uint32_t rank)
{
	struct coll_cursor at[2] = {{0}, {0}};
	struct coll_steps steps[2];
	struct coll_args args[2];
	int end;

	args_of_rank(&args[0], c, rank);
	args[1] = args[0];
	coll_args_count(&args[1]);
	for (;;) {
		end = coll_next(alg, &args[0], rank, &at[0], &steps[0]);
		assert_int_equal(coll_next(alg, &args[1], rank, &at[1], &steps[1]), end);
		if (end == COLL_END)
			break;
		assert_int_equal(steps[0].n, steps[1].n);
		for (uint32_t i = 0; i < steps[0].n; i++)
			if (!step_same(&steps[0].s[i], &steps[1].s[i]))
				fail_msg("%s, %u ranks: another step of rank %u in round %u",
				         alg->name, c->args.size, rank, at[0].round - 1);
	}
}

static void counts_looked_at_once_change_no_step(void **state)
{
	struct prop_run run = prop_begin(300);
	uint64_t done = 0;

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct call c;
		struct rng r;

		rng_init(&r, run.seed + i, "prop_rounds counted", 0);
		for (size_t k = 0; coll_algs[k]; k++) {
			const struct coll_alg *alg = coll_algs[k];

			if ((alg->kind != COLL_ALLGATHERV && alg->kind != COLL_REDUCE_SCATTER) ||
			    alg->defect || !prop_once_in(&r, 8))
				continue;
			call_draw(&c, alg, prop_once_in(&r, 2), &r);
			if (coll_alg_refuses(alg, &c.args))
				continue;
			counted_check(alg, &c, prop_from(&r, 0, c.args.size - 1));
			done++;
		}
	}
	assert_true(run.cases < 100 || done > run.cases);
}

/* The messages of one round, as far as they are compared. */
static int messages_same(const struct coll_steps *a, const struct coll_steps *b)
{
	uint32_t i = 0, k = 0;

	for (;; i++, k++) {
		while (i < a->n && a->s[i].kind >= STEP_REDUCE)
			i++;
		while (k < b->n && b->s[k].kind >= STEP_REDUCE)
			k++;
		if (i == a->n || k == b->n)
			return i == a->n && k == b->n;
		if (a->s[i].kind != b->s[k].kind || a->s[i].peer != b->s[k].peer ||
		    a->s[i].req != b->s[k].req || labs((long)(a->s[i].len - b->s[k].len)) > 8)
			return 0;
	}
}

/* How many rings this rank's call has. */
static uint32_t alike_check(const struct coll_alg *alg, const struct call *c, uint32_t rank)
{
	struct coll_steps steps, before[2];
	struct coll_cursor at = {0};
	struct coll_args args;
	uint32_t rings = 0, left = 0, seen = 0, n;

	args_of_rank(&args, c, rank);
	coll_args_count(&args);
	for (;;) {
		n = coll_alike(alg, &args, rank, &at);
		assert_true(n == 0 || left == 0);
		if (n) {
			left = n;
			seen = 0;
			rings++;
		}
		if (coll_next(alg, &args, rank, &at, &steps) == COLL_END)
			break;
		if (left == 0)
			continue;
		if (seen >= 2 && !messages_same(&steps, &before[seen % 2]))
			fail_msg("%s, %u ranks: rank %u, round %u is not as the second before it",
			         alg->name, c->args.size, rank, at.round - 1);
		before[seen++ % 2] = steps;
		left--;
	}
	assert_int_equal(left, 0);
	return rings;
}

static void rounds_said_to_be_alike_are(void **state)
{
	struct prop_run run = prop_begin(200);
	uint64_t rings = 0;

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct call c;
		struct rng r;

		rng_init(&r, run.seed + i, "prop_rounds alike", 0);
		for (size_t k = 0; coll_algs[k]; k++) {
			const struct coll_alg *alg = coll_algs[k];

			if (alg->kind > COLL_EXSCAN || alg->defect || !prop_once_in(&r, 8))
				continue;
			call_draw(&c, alg, 1, &r);
			/* pieces of a broadcast may be short at the end */
			if (alg->kind == COLL_BCAST)
				c.args.count = c.args.count2 = 30000 * (int64_t)c.args.size;
			if (coll_alg_refuses(alg, &c.args))
				continue;
			rings += alike_check(alg, &c, prop_from(&r, 0, c.args.size - 1));
		}
	}
	assert_true(run.cases < 100 || rings > run.cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(counts_looked_at_once_change_no_step),
	                                   cmocka_unit_test(rounds_said_to_be_alike_are)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
