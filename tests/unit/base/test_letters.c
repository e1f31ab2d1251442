/* test_letters.c: ASCII's letters and no others. */
#include "base/letters.h"

#include "test.h"

static void lower(void **state)
{
	(void)state;
	for (int c = -128; c < 128; c++) {
		int capital = c >= 65 && c <= 90; /* ASCII */

		assert_int_equal(letter_lower((char)c), capital ? c + 32 : c);
		assert_int_equal(letter_is((char)c), capital || (c >= 97 && c <= 122));
	}
}

static void same(void **state)
{
	(void)state;
	assert_true(text_same("DIJKSTRA", "dijkstra"));
	assert_true(text_same("", ""));
	assert_false(text_same("mpi", "mpi_"));
	assert_false(text_same("mpi_", "mpi"));
	assert_false(text_same("@", "`")); /* 32 apart, and no letters */
	assert_true(text_same_n("MPI_Send", "mpi_recv", 4));
	assert_false(text_same_n("MPI_Send", "mpi_recv", 5));
	assert_true(text_same_n("ab", "AB", 9));
	assert_false(text_same_n("ab", "ABc", 9));
	assert_true(text_same_n("a", "b", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lower),
	    cmocka_unit_test(same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
