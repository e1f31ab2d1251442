/* prop_looks.c: tests whose requests are looked at again (looks.h), against what its first lines
 * say, applied to the whole list of events at once. */
#include "../prop.h"

#include "looked.h"

static void apply_all(struct looks *k, uint64_t seed)
{
	struct err err;

	for (int line = 1; line <= LINES; line++) {
		struct str got = {0}, want = {0};
		int r = looks_apply(k, (uint64_t)line, 3, &lines[line].ev, &got, &err),
		    w = wanted(line, &want);

		if (r != w || (r && strcmp(got.s, want.s) != 0))
			fail_msg("seed %d, line %d:\n%sis not\n%s", (int)seed, line,
			         got.s ? got.s : "as it was\n", want.s ? want.s : "as it was\n");
		str_release(&got);
		str_release(&want);
	}
}

static void tests_are_split_as_the_whole_list_says(void **state)
{
	struct rng r;
	struct err err;

	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(60); seed++) {
		struct looks k;

		rng_init(&r, seed, "looks", 0);
		looks_init(&k);
		for (int line = 1; line <= LINES; line++) {
			line_draw(&lines[line], &r);
			assert_ok(looks_note(&k, &lines[line].ev, (uint64_t)line, &err), err);
		}
		looks_sort(&k);
		apply_all(&k, seed);
		looks_release(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tests_are_split_as_the_whole_list_says),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
