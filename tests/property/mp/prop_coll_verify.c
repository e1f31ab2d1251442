/* Every registered algorithm performs its collective: all communicator sizes from 1 to 64. */
#include "coll_cases.h"
#include "test.h"

enum { P_MAX = 64, ALL_ROOTS = 16 };

struct tally {
	unsigned long proven, refused, wrong;
	struct err first;
};

static void prove(const struct coll_alg *alg, const struct coll_case *c, void *arg)
{
	struct tally *t = arg;
	struct err err = {0};
	int r = case_verify(alg, c, &err);
	if (r > 0)
		t->refused++;
	else if (r == 0)
		t->proven++;
	else if (t->wrong++ == 0)
		t->first = err;
}

static void test_all_algorithms(void **state)
{
	(void)state;
	int failed = 0;
	const char *only = getenv("ORRERY_COLL"); /* names of the algorithms to prove; all if it is not set */
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		struct tally t = {0};
		if (only && !strstr(only, (*alg)->name))
			continue;
		for (uint32_t p = 1; p <= P_MAX && !t.wrong; p++)
			case_each(*alg, p, ALL_ROOTS, prove, &t);
		if ((*alg)->defect)
			t.wrong = !t.wrong;
		if (t.wrong)
			print_error("%s %s: %s\n", coll_kind_name((*alg)->kind), (*alg)->name, (*alg)->defect ? "has lost its defect" : t.first.text);
		if (t.wrong || (!t.proven && !(*alg)->defect))
			failed++;
	}
	assert_int_equal(failed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_algorithms)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
