/* test_members.c: the flows on a resource, of which any may leave, beside a list in which the place
 * of each is known: the last limited one takes the place of one that leaves, the last one that
 * one's. Here none are limited: flows in property/engine are. */
#include "engine/members.h"
#include "test.h"

enum { MANY = 9000, NOBODY = MANY };

static struct engine *e;
static struct err err;
static uint32_t list[MANY], place[MANY], n;

static int set_up(void **state)
{
	struct resource_id r;

	(void)state;
	e = engine_new(&err);
	n = 0;
	return e && engine_add_resource(e, 1, RESOURCE_SHARED, &r, &err) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	engine_free(e);
	return 0;
}

static void comes(uint32_t i)
{
	assert_ok(members_add(e, &e->resources[0], member_make(i, i), &err), err);
	list[place[i] = n++] = i;
}

static void goes(uint32_t i)
{
	uint32_t last = list[--n];

	resource_part(e, &e->resources[0], member_make(i, i), 0);
	list[place[last] = place[i]] = last;
	place[i] = NOBODY;
}

static void assert_same(void)
{
	const struct member *m = resource_members(e, &e->resources[0]);

	assert_int_equal(e->resources[0].n, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(member_bits(m[i]), member_bits(member_make(list[i], list[i])));
}

static uint64_t looked(void)
{
	return e->crowds[e->resources[0].block].looked;
}

static int has_index(void)
{
	return e->crowds[e->resources[0].block].places.n > 0;
}

static void all_come(void)
{
	for (uint32_t i = 0; i < MANY; i++)
		comes(i);
	assert_int_equal(e->resources[0].class, CROWD);
}

/* Whoever leaves next is beside the one before it, or the last: nothing is looked through. */
static void in_the_order_of_their_coming(void **state)
{
	(void)state;
	all_come();
	for (uint32_t i = 0; i < MANY; i++) {
		goes(i);
		if (i % 100 == 0)
			assert_same();
	}
	assert_true(looked() <= 2 * MANY);
	all_come();
	for (uint32_t i = MANY; i > 0; i--)
		goes(i - 1);
	assert_true(looked() <= 2 * MANY && !has_index());
}

/* A half of them come and go; looking through the list would cost MANY * MANY. */
static void in_any_order(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 3, "members", 0);
	all_come();
	for (uint32_t step = 0; step < 20 * MANY; step++) {
		uint32_t i = (uint32_t)rng_below(&rng, MANY);
		if (place[i] == NOBODY)
			comes(i);
		else
			goes(i);
		if (step % 1000 == 0)
			assert_same();
	}
	assert_true(has_index() && looked() <= (uint64_t)20 * MANY);
	for (uint32_t i = 0; i < MANY; i++)
		if (place[i] != NOBODY)
			goes(i);
	assert_int_equal(e->resources[0].n, 0);
	assert_false(has_index());
	all_come();
	assert_same();
}

/* Too few for a crowd. */
static void few(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 4, "members", 0);
	for (uint32_t i = 0; i < MANY; i++)
		place[i] = NOBODY;
	for (uint32_t step = 0; step < 20000; step++) {
		uint32_t i = (uint32_t)rng_below(&rng, 300);
		if (place[i] == NOBODY)
			comes(i);
		else
			goes(i);
		assert_same();
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(in_the_order_of_their_coming, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(in_any_order, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(few, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
