/* prop_random.c: algorithms on calls that no table of cases has: any counts of vector forms (those
 * of alltoallv differ both ways), roots, element sizes, segments, fanouts, hosts, all at once; and
 * that an algorithm says the same when it is asked twice. */
#include "cases.h"

#include "../prop.h"

#include <string.h>

enum { P_LARGEST = 23, CALLS = 12 };

struct call {
	struct coll_args args[P_LARGEST];
	int64_t pairs[P_LARGEST][P_LARGEST], back[P_LARGEST][P_LARGEST], own[P_LARGEST];
	struct coll_shape shape;
	struct coll_policy policy;
	uint32_t p;
};

static int64_t some_count(struct rng *r, int64_t most)
{
	return rng_below(r, 3) == 0 ? 0 : (int64_t)rng_below(r, (uint64_t)most + 1);
}

static int64_t some_segment(struct rng *r)
{
	static const int64_t given[] = {0, 0, 1, COLL_WHOLE};
	uint64_t i = rng_below(r, 8);

	return i < 4 ? given[i] : 1 + (int64_t)rng_below(r, 200);
}

static void counts_draw(struct call *c, struct rng *r, int64_t most)
{
	for (uint32_t i = 0; i < c->p; i++) {
		c->own[i] = some_count(r, most);
		for (uint32_t k = 0; k < c->p; k++)
			c->back[k][i] = c->pairs[i][k] = some_count(r, most);
	}
}

static void counts_give(struct call *c, struct coll_args *a, uint32_t rank)
{
	switch (a->kind) {
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		a->counts = c->pairs[rank];
		a->counts2 = c->back[rank];
		break;
	case COLL_GATHERV:
		a->counts2 = rank == a->root ? c->own : NULL;
		a->count = a->count2 = c->own[rank];
		break;
	case COLL_SCATTERV:
		a->counts = rank == a->root ? c->own : NULL;
		a->count = a->count2 = c->own[rank];
		break;
	case COLL_ALLGATHERV:
	case COLL_REDUCE_SCATTER:
		a->counts2 = c->own;
		a->count2 = c->own[rank];
		a->count = a->kind == COLL_REDUCE_SCATTER ? 0 : a->count2;
		break;
	default:
		break;
	}
}

static void shape_draw(struct call *c, struct rng *r)
{
	uint32_t host[P_LARGEST], hosts = 1 + (uint32_t)rng_below(r, c->p);
	struct err err;

	for (uint32_t i = 0; i < c->p; i++)
		host[i] = (uint32_t)rng_below(r, hosts);
	assert_ok(coll_shape_init(&c->shape, host, c->p, &err), err);
}

static void call_draw(struct call *c, const struct coll_alg *alg, struct rng *r)
{
	static const int64_t sizes[] = {1, 2, 3, 4, 8, 16, 40};
	struct coll_args a = {.kind = alg->kind};
	uint32_t selectors = 0;
	int placed = rng_below(r, 2) == 0;

	while (coll_selectors[selectors])
		selectors++;
	c->p = a.size = 1 + (uint32_t)rng_below(r, P_LARGEST);
	a.root = case_is_rooted(alg->kind) ? (uint32_t)rng_below(r, a.size) : 0;
	a.type_size = alg->kind == COLL_ALLTOALLW ? 1 : sizes[rng_below(r, 7)];
	a.type_size2 = a.type_size;
	a.count = a.count2 = some_count(r, 150);
	a.segment = some_segment(r);
	a.fanout = (uint32_t)rng_below(r, 9);
	a.basic_type = rng_below(r, 2) == 0;
	a.commutative = !case_is_reduction(alg->kind) || rng_below(r, 3) > 0;
	c->policy = (struct coll_policy){.selector = coll_selectors[rng_below(r, selectors)]};
	a.policy = &c->policy;
	if (placed)
		shape_draw(c, r);
	a.shape = placed ? &c->shape : NULL;
	counts_draw(c, r, 40);
	for (uint32_t i = 0; i < c->p; i++) {
		c->args[i] = a;
		counts_give(c, &c->args[i], i);
	}
}

static void call_release(struct call *c)
{
	if (c->args[0].shape)
		coll_shape_release(&c->shape);
}

/* From each state the same steps follow, whoever asked before. */
static void asked_twice(const struct coll_alg *alg, const struct call *c, uint32_t rank)
{
	struct coll_cursor cursor = {0}, again;
	struct coll_steps one, two;
	int r, s;

	do {
		again = cursor;
		memset(&one, 0, sizeof one);
		memset(&two, 0, sizeof two);
		r = coll_next(alg, &c->args[rank], rank, &cursor, &one);
		s = coll_next(alg, &c->args[rank], rank, &again, &two);
		assert_int_equal(r, s);
		assert_int_equal(one.n, two.n);
		assert_memory_equal(one.s, two.s, one.n * sizeof *one.s);
		assert_memory_equal(&cursor, &again, sizeof cursor);
	} while (r != COLL_END);
}

static int is_in_the_list(const struct coll_alg *alg)
{
	return !alg->defect && alg->kind < COLL_NEIGHBOR_ALLGATHER;
}

static void any_call_is_performed(void **state)
{
	static struct call c;
	struct rng r;

	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++)
		for (uint64_t i = 0; i < CALLS && is_in_the_list(*alg); i++) {
			struct err err = {0};

			rng_init(&r, prop_seed(i), (*alg)->name, (*alg)->kind);
			call_draw(&c, *alg, &r);
			if (!coll_alg_refuses(*alg, &c.args[0])) {
				if (coll_verify(*alg, c.args, &err) < 0)
					fail_msg("%s %s, call %d, %u ranks: %s",
					         coll_kind_name((*alg)->kind), (*alg)->name, (int)i,
					         c.p, err.text);
				asked_twice(*alg, &c, (uint32_t)rng_below(&r, c.p));
			}
			call_release(&c);
		}
}

/* The shape of a communicator, against the hosts that it was made of. */
static void shapes_are_those_of_the_hosts(void **state)
{
	uint32_t host[200];
	struct rng r;

	(void)state;
	for (uint64_t i = 0; i < 300; i++) {
		struct coll_shape s;
		struct err err;
		uint32_t p, at = 0, equal = 1, blocked = 1;

		rng_init(&r, prop_seed(i), "shapes", 0);
		p = 1 + (uint32_t)rng_below(&r, 200);
		for (uint32_t k = 0; k < p; k++)
			host[k] = i % 3 == 0 ? k / 4 * 1000003
			                     : (uint32_t)rng_below(&r, 1 + i % 50);
		assert_ok(coll_shape_init(&s, host, p, &err), err);
		for (uint32_t n = 0; n < s.nodes; n++) {
			assert_int_equal(s.first[n], at);
			assert_int_equal(s.leader[n], s.member[at]);
			assert_true(n == 0 || s.leader[n - 1] < s.leader[n]);
			for (; at < s.first[n + 1]; at++) {
				uint32_t rank = s.member[at];

				assert_int_equal(s.node[rank], n);
				assert_int_equal(s.local[rank], at - s.first[n]);
				assert_int_equal(host[rank], host[s.leader[n]]);
				assert_true(at == s.first[n] || s.member[at - 1] < rank);
				blocked &= rank == at;
			}
			equal &= s.first[n + 1] - s.first[n] == s.first[1];
		}
		assert_int_equal(at, p);
		assert_int_equal(s.per_node, equal ? s.first[1] : 0);
		assert_int_equal(s.blocked, blocked);
		coll_shape_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(any_call_is_performed),
	    cmocka_unit_test(shapes_are_those_of_the_hosts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
