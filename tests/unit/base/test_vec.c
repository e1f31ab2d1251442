/* test_vec.c: growth keeps the content, is geometric, and refuses what 32-bit ids cannot hold. */
#include "base/memory.h"
#include "base/vec.h"

#include "test.h"

static void grows_and_keeps(void **state)
{
	uint32_t cap = 0, i, moves = 0, before;
	int *items = NULL, *p;
	struct err err;

	(void)state;
	for (i = 0; i < 10000; i++) {
		before = cap;
		p = vec_grow(items, &cap, sizeof *items, i + 1, "numbers", &err);
		assert_non_null(p);
		items = p;
		items[i] = (int)i;
		moves += cap != before;
	}
	for (i = 0; i < 10000; i++)
		assert_int_equal(items[i], (int)i);
	assert_true(moves < 25); /* log(10000/8) / log(1.5) = 18 */
	free(items);
}

/* A TiB is asked for: an error that says so, and the array as it was. (A
 * computer that has a TiB left would be asked to give it.) */
static void refuses_too_much(void **state)
{
	enum { ITEM = 1 << 20, ITEMS = 1 << 20 };
	uint32_t cap = 4;
	struct err err;
	char *items = malloc(4);

	(void)state;
	if (memory_left() > (uint64_t)ITEM * ITEMS)
		skip();
	assert_null(vec_grow(items, &cap, ITEM, ITEMS, "flows", &err));
	assert_int_equal(err.kind, ERR_LIMIT);
	assert_non_null(strstr(err.text, "flows take 1048572 MiB more, and this computer has "));
	assert_int_equal(cap, 4);
	free(items);
}

static void refuses_too_many(void **state)
{
	uint32_t cap = 4;
	struct err err;
	int *items = malloc(4 * sizeof *items);

	(void)state;
	assert_null(vec_grow(items, &cap, sizeof *items, (size_t)UINT32_MAX + 1, "flows", &err));
	assert_int_equal(err.kind, ERR_LIMIT);
	assert_non_null(strstr(err.text, "flows"));
	assert_int_equal(cap, 4);
	free(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(grows_and_keeps),
	                                   cmocka_unit_test(refuses_too_many),
	                                   cmocka_unit_test(refuses_too_much)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
