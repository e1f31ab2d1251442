/* test_members.c: the place of a rank among members, by halves where they rise and one by one where
 * they do not, against a walk along all of them. The seed is printed. */
#include "test.h"

#include "base/rng.h"
#include "trace/members.h"

enum { LISTS = 2000, MEMBERS = 40 };

static int32_t walked(const int32_t *member, uint32_t n, int32_t rank)
{
	for (uint32_t i = 0; i < n; i++)
		if (member[i] == rank)
			return (int32_t)i;
	return -1;
}

static void places(void **state)
{
	const uint64_t seed = 24;
	int32_t member[MEMBERS];
	int rising = 0;
	struct rng r;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	rng_init(&r, seed, "members", 0);
	for (int list = 0; list < LISTS; list++) {
		uint32_t n = (uint32_t)rng_below(&r, MEMBERS + 1);
		int32_t next = 0;
		int rise;

		for (uint32_t i = 0; i < n; i++, next++) { /* no rank twice */
			next += (int32_t)rng_below(&r, 4);
			member[i] = next;
		}
		if (n > 1 && rng_below(&r, 2)) { /* two change places */
			uint32_t a = (uint32_t)rng_below(&r, n), b = (uint32_t)rng_below(&r, n);
			int32_t x = member[a];

			member[a] = member[b];
			member[b] = x;
		}
		rise = members_rise(member, n);
		rising += rise;
		for (int32_t rank = 0; rank <= next; rank++)
			assert_int_equal(members_find(member, n, rise, rank),
			                 walked(member, n, rank));
	}
	assert_in_range(rising, LISTS / 4, 3 * LISTS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
