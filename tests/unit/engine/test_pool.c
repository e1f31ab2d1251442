/* test_pool.c: blocks do not overlap and keep what is in them; short blocks that longer lists have
 * left behind are used again, joined, before the array grows. */
#include "engine/pool.h"
#include "test.h"

enum { LISTS = 4096, LONGEST = 6, CLASSES = 12 };

static uint64_t *item(struct pool *p, uint32_t i)
{
	return (uint64_t *)p->items + i;
}

static void fill(struct pool *p, uint32_t block, unsigned class, uint64_t name)
{
	for (uint32_t i = 0; i < pool_size(class); i++)
		*item(p, block + i) = name;
}

static void assert_filled(struct pool *p, uint32_t block, unsigned class, uint64_t name)
{
	for (uint32_t i = 0; i < pool_size(class); i++)
		assert_int_equal(*item(p, block + i), name);
}

static void blocks_are_apart(void **state)
{
	static uint32_t block[LISTS];
	static unsigned class[LISTS];
	static int taken[LISTS];
	struct pool p;
	struct rng rng;
	struct err err;

	(void)state;
	pool_init(&p, sizeof(uint64_t), "items");
	rng_init(&rng, 11, "pool", 0);
	for (uint32_t step = 0; step < 60000; step++) {
		uint32_t i = (uint32_t)rng_below(&rng, LISTS);
		if (taken[i]) {
			assert_filled(&p, block[i], class[i], i);
			pool_give(&p, class[i], block[i]);
			taken[i] = 0;
			continue;
		}
		class[i] = (unsigned)rng_below(&rng, step < 20000 ? 3 : CLASSES);
		assert_ok(pool_take(&p, class[i], &block[i], &err), err);
		fill(&p, block[i], class[i], i);
		taken[i] = 1;
	}
	for (uint32_t i = 0; i < LISTS; i++)
		if (taken[i])
			assert_filled(&p, block[i], class[i], i);
	pool_release(&p);
}

/* LISTS blocks of a class, of a new pool. */
static void lists_take(struct pool *p, unsigned class, uint32_t *block)
{
	struct err err;

	pool_init(p, sizeof(uint64_t), "items");
	for (uint32_t i = 0; i < LISTS; i++)
		assert_ok(pool_take(p, class, &block[i], &err), err);
}

/* All lists widen in turn: without joining, each leaves behind as much as it has. */
static void lists_that_grow_leave_little(void **state)
{
	static uint32_t block[LISTS];
	struct pool p;
	struct err err;

	(void)state;
	lists_take(&p, 0, block);
	for (unsigned c = 0; c < LONGEST; c++) {
		for (uint32_t i = 0; i < LISTS; i++) {
			fill(&p, block[i], pool_power(c), i);
			assert_ok(pool_widen(&p, pool_power(c), &block[i], 1u << c, &err), err);
			assert_filled(&p, block[i], pool_power(c), i);
		}
	}
	assert_in_range(p.n, LISTS << LONGEST, (LISTS << LONGEST) / 10 * 17);
	pool_release(&p);
}

/* A large block is cut from its beginning on, and what is left of it is not written to; it is a
 * block again where that is needed. */
static void cut_one_at_a_time(void **state)
{
	enum { LARGE = 32, SHORT = 4 };
	uint32_t large, short_one, again;
	struct pool p;
	struct err err;

	(void)state;
	pool_init(&p, sizeof(uint64_t), "items");
	assert_ok(pool_take(&p, pool_class(LARGE), &large, &err), err);
	fill(&p, large, pool_class(LARGE), 7);
	pool_give(&p, pool_class(LARGE), large);
	for (uint32_t i = 0; i < 3; i++) {
		assert_ok(pool_take(&p, pool_class(SHORT), &short_one, &err), err);
		assert_int_equal(short_one, large + i * SHORT);
		assert_int_equal(*item(&p, large + (i + 1) * SHORT), 7);
	}
	assert_int_equal(p.n_free, LARGE - 3 * SHORT);
	assert_ok(pool_take(&p, pool_class(16), &again, &err), err);
	assert_int_equal(again, large + 3 * SHORT);
	assert_int_equal(p.n_free, SHORT);
	assert_ok(pool_take(&p, pool_class(8), &again, &err), err);
	assert_int_equal(again, LARGE); /* the array has grown */
	assert_int_equal(p.n_free, SHORT);
	assert_ok(pool_take(&p, pool_class(SHORT), &again, &err), err);
	assert_int_equal(again, large + 28);
	assert_int_equal(p.n_free, 0);
	pool_release(&p);
}

/* What is given back in short blocks is enough for the long ones that follow: nothing grows. */
static void short_blocks_become_long_ones(void **state)
{
	static uint32_t block[LISTS];
	struct pool p;
	struct err err;

	(void)state;
	lists_take(&p, 1, block);
	for (uint32_t i = 0; i < LISTS; i++)
		pool_give(&p, 1, block[i]);
	for (uint32_t i = 0; i < LISTS >> 4; i++)
		assert_ok(pool_take(&p, pool_power(5), &block[i], &err), err);
	assert_int_equal(p.n, LISTS << 1);
	pool_release(&p);
}

/* 1, 2, 3, 4, 6, 8, 12, …: each number has the first that holds it, and powers of two their own. */
static void a_third_is_left_free_at_most(void **state)
{
	(void)state;
	assert_int_equal(pool_class(0), 0);
	for (uint32_t n = 1; n < 5000; n++) {
		unsigned c = pool_class(n);
		assert_in_range(n, c ? pool_size(c - 1) + 1 : 1, pool_size(c));
		assert_true(3 * (pool_size(c) - n) < pool_size(c));
	}
	for (unsigned k = 0; k < 32; k++) {
		assert_int_equal(pool_size(pool_power(k)), (uint32_t)1 << k);
		assert_int_equal(pool_class((uint32_t)1 << k), pool_power(k));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(blocks_are_apart),
	    cmocka_unit_test(a_third_is_left_free_at_most),
	    cmocka_unit_test(cut_one_at_a_time),
	    cmocka_unit_test(lists_that_grow_leave_little),
	    cmocka_unit_test(short_blocks_become_long_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
