/* test_op.c: names of actions and datatypes. Sizes are those of SimGrid 3.32 on x86-64 (reference,
 * datatype ids). */
#include "unit/trace/trace_test.h"

static void every_op_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int i = 0; i < TRACE_OPS; i++) {
		assert_non_null(trace_op_name(i));
		assert_int_equal(trace_ops[i].op, i);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(trace_op_name(i), trace_op_name(j));
	}
	assert_string_equal(trace_op_name(TRACE_ISEND), "isend");
	assert_string_equal(trace_op_mpi(TRACE_REDUCE_SCATTER_BLOCK), "MPI_Reduce_scatter_block");
	assert_string_equal(trace_op_mpi(TRACE_COMPUTE), "");
}

static void collectives(void **state)
{
	(void)state;
	assert_true(trace_op_is_collective(TRACE_BARRIER));
	assert_true(trace_op_is_collective(TRACE_EXSCAN));
	assert_false(trace_op_is_collective(TRACE_TESTSOME));
	assert_false(trace_op_is_collective(TRACE_COMM_SIZE));
}

static void types(void **state)
{
	(void)state;
	assert_string_equal(trace_type_name(0), "MPI_DOUBLE");
	assert_string_equal(trace_type_name(59), "MPI_COUNT");
	assert_null(trace_type_name(60));
	assert_null(trace_type_name(-1));
	assert_int_equal(trace_type_size(6), 1);
	assert_int_equal(trace_type_size(14), 16);
	assert_int_equal(trace_type_size(32), 16);
	assert_int_equal(trace_type_size(44), 16); /* COMPLEX32 is two doubles there */
	assert_int_equal(trace_type_size(45), 4);  /* INTEGER1 is an int there */
	assert_int_equal(trace_type_size(-1), -1);
	assert_int_equal(trace_type_find("MPI_BYTE"), 6);
	assert_int_equal(trace_type_find("MPI_BITE"), -1);
	for (int32_t i = 0; i < 60; i++)
		assert_int_equal(trace_type_find(trace_type_name(i)), i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_op_has_a_name_of_its_own),
	    cmocka_unit_test(collectives),
	    cmocka_unit_test(types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
