/* test_hash.c: both tables, against direct arrays; deletion must keep every other key reachable. */
#include "base/hash.h"

#include "test.h"

static void empty_and_replace(void **state)
{
	struct hash64 h;
	struct err err;

	(void)state;
	hash64_init(&h);
	assert_int_equal(hash64_find(&h, 0), HASH_NONE);
	assert_int_equal(hash64_remove(&h, 0), HASH_NONE);
	assert_ok(hash64_put(&h, 0, 5, &err), err);
	assert_ok(hash64_put(&h, UINT64_MAX, 6, &err), err);
	assert_ok(hash64_put(&h, 0, 7, &err), err);
	assert_int_equal(h.n, 2);
	assert_int_equal(hash64_find(&h, 0), 7);
	assert_int_equal(hash64_find(&h, UINT64_MAX), 6);
	hash64_release(&h);
}

/* Keys that share one home slot at the table's end wrap around; removing any of them must close the
 * hole. */
static void backward_shift_across_the_end(void **state)
{
	uint64_t key, found[6];
	struct hash64 h;
	struct err err;
	int n, out, i;

	(void)state;
	for (n = 0, key = 0; n < 6; key++)
		if ((hash_mix(key) & 15) == (n < 4 ? 14u : 15u))
			found[n++] = key;
	for (out = 0; out < 6; out++) {
		hash64_init(&h);
		for (i = 0; i < 6; i++)
			assert_ok(hash64_put(&h, found[i], (uint32_t)i, &err), err);
		assert_int_equal(h.mask, 15);
		assert_int_equal(hash64_remove(&h, found[out]), out);
		for (i = 0; i < 6; i++)
			assert_int_equal(hash64_find(&h, found[i]),
			                 i == out ? HASH_NONE : (uint32_t)i);
		hash64_release(&h);
	}
}

static void against_an_array(void **state)
{
	enum { KEYS = 500 };
	uint32_t value[KEYS], capacity = 0;
	uint64_t x = 88172645463325252u;
	struct hash64 h;
	struct err err;
	int step, i;

	(void)state;
	hash64_init(&h);
	memset(value, 0xff, sizeof value);
	for (step = 0; step < 100000; step++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		i = (int)(x % KEYS);
		if (x >> 32 & 1) {
			value[i] = (uint32_t)step;
			assert_ok(hash64_put(&h, (uint64_t)i << 20, value[i], &err), err);
		} else {
			assert_int_equal(hash64_remove(&h, (uint64_t)i << 20), value[i]);
			value[i] = HASH_NONE;
		}
		i = (int)(x >> 40) % KEYS;
		assert_int_equal(hash64_find(&h, (uint64_t)i << 20), value[i]);
		if (step == 50000)
			capacity = h.mask;
	}
	assert_int_equal(h.mask,
	                 capacity); /* warm: deletions leave nothing behind that makes it grow */
	hash64_release(&h);
}

static void strings(void **state)
{
	char name[32];
	struct hash_str h;
	struct err err;
	uint32_t i;

	(void)state;
	hash_str_init(&h);
	assert_int_equal(hash_str_find(&h, "x"), HASH_NONE);
	for (i = 0; i < 2000; i++) {
		snprintf(name, sizeof name, "host-%u", i);
		assert_ok(hash_str_put(&h, name, i, &err), err);
	}
	assert_ok(hash_str_put(&h, "", 7777, &err), err);
	assert_ok(hash_str_put(&h, "host-10", 1, &err), err);
	assert_int_equal(h.n, 2001);
	assert_int_equal(hash_str_find(&h, "host-10"), 1);
	assert_int_equal(hash_str_findn(&h, "host-1999xyz", 9), 1999);
	assert_int_equal(hash_str_findn(&h, "host-", 5), HASH_NONE);
	assert_int_equal(hash_str_find(&h, ""), 7777);
	assert_int_equal(hash_str_find(&h, "host-2000"), HASH_NONE);
	hash_str_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(empty_and_replace),
	    cmocka_unit_test(backward_shift_across_the_end),
	    cmocka_unit_test(against_an_array),
	    cmocka_unit_test(strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
