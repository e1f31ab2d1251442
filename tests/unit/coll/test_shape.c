/* test_shape.c: who shares a host (coll_shape_init), beside a slow model: for every pair of ranks,
 * do they? Hosts have any names; their numbers follow their lowest ranks. */
#include "coll/coll.h"
#include "coll/write.h"
#include "property/prop.h"

enum { P_MOST = 60 };

/* Of rank i: how many ranks below it share its host; the lowest of them. */
static uint32_t shared_below(const uint32_t *host, uint32_t i)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < i; k++)
		n += host[k] == host[i];
	return n;
}
static uint32_t lowest_on(const uint32_t *host, uint32_t i)
{
	uint32_t k = 0;

	while (host[k] != host[i])
		k++;
	return k;
}
/* Hosts whose lowest rank is below rank i's host's. */
static uint32_t hosts_before(const uint32_t *host, uint32_t i)
{
	uint32_t n = 0, lowest = lowest_on(host, i);

	for (uint32_t k = 0; k < lowest; k++)
		n += shared_below(host, k) == 0;
	return n;
}
static uint32_t ranks_on(const uint32_t *host, uint32_t p, uint32_t i)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < p; k++)
		n += host[k] == host[i];
	return n;
}

static void check_lists(const struct coll_shape *s, uint32_t p)
{
	uint32_t at = 0;

	for (uint32_t n = 0; n < s->nodes; n++) {
		assert_int_equal(s->first[n], at);
		assert_int_equal(s->member[at], s->leader[n]);
		for (; at < s->first[n + 1]; at++) {
			assert_int_equal(s->node[s->member[at]], n);
			assert_true(at == s->first[n] || s->member[at - 1] < s->member[at]);
		}
	}
	assert_int_equal(at, p);
}
static void check(const uint32_t *host, uint32_t p)
{
	uint32_t hosts = 0, uniform = 1, blocked = 1;
	struct coll_shape s;
	struct err err;

	assert_ok(coll_shape_init(&s, host, p, &err), err);
	for (uint32_t i = 0; i < p; i++) {
		hosts += shared_below(host, i) == 0;
		uniform &= ranks_on(host, p, i) == ranks_on(host, p, 0);
		blocked &= i == 0 || host[i] == host[i - 1] || shared_below(host, i) == 0;
		assert_int_equal(s.node[i], hosts_before(host, i));
		assert_int_equal(s.local[i], shared_below(host, i));
		assert_int_equal(s.leader[s.node[i]], lowest_on(host, i));
	}
	assert_int_equal(s.nodes, hosts);
	assert_int_equal(s.per_node, uniform ? ranks_on(host, p, 0) : 0);
	assert_int_equal(s.blocked, blocked);
	check_lists(&s, p);
	coll_shape_release(&s);
	assert_null(s.node);
}

static void any_placement(void **state)
{
	struct prop_run run = prop_begin(600);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		uint32_t host[P_MOST], p, each, how;
		struct rng r;

		rng_init(&r, run.seed + i, "shape", 0);
		p = prop_from(&r, 1, P_MOST);
		each = prop_from(&r, 1, 7);
		how = prop_from(&r, 0, 3);
		for (uint32_t k = 0; k < p; k++)
			host[k] = how == 0   ? 1000000 - k / each
			          : how == 1 ? UINT32_MAX - k % each
			          : how == 2 ? (uint32_t)rng_below(&r, each)
			                     : 7;
		check(host, p);
	}
}

/* What algorithms ask for: ranks per host, one each without a shape, all inside of a host. */
static void ranks_per_host(void **state)
{
	static const uint32_t even[] = {3, 3, 9, 9}, uneven[] = {3, 3, 9};
	struct coll_args a = {.kind = COLL_BCAST, .size = 4};
	struct coll_shape s;
	struct err err;

	(void)state;
	assert_int_equal(coll_per_node(&a), 1);
	assert_ok(coll_shape_init(&s, even, 4, &err), err);
	a.shape = &s;
	assert_int_equal(coll_per_node(&a), 2);
	a.flat = FLAT_HOST;
	assert_int_equal(coll_per_node(&a), 4);
	coll_shape_release(&s);
	a.flat = FLAT_NOT;
	a.size = 3;
	assert_ok(coll_shape_init(&s, uneven, 3, &err), err);
	assert_int_equal(coll_per_node(&a), 0);
	coll_shape_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(any_placement),
	                                   cmocka_unit_test(ranks_per_host)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
