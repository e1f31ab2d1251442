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

/* What MPI says of its functions, and the letters of the arguments say the same. */
static void traits_agree_with_arguments(void **state)
{
	(void)state;
	for (int op = 0; op < TRACE_OPS; op++) {
		const char *args = trace_ops[op].args, *mpi = trace_ops[op].mpi;
		int moves = trace_op_has(op, TRACE_SENDS | TRACE_RECEIVES | TRACE_PROBES);

		assert_int_equal(trace_op_has(op, TRACE_ROOTED), strchr(args, 'r') != NULL);
		assert_int_equal(trace_op_has(op, TRACE_LISTS), strchr(args, 'n') != NULL);
		assert_int_equal(trace_op_has(op, TRACE_MPI_IO), !strncmp(mpi, "MPI_File_", 9));
		assert_int_equal(trace_op_has(op, TRACE_TESTS), !strncmp(mpi, "MPI_Test", 8));
		assert_int_equal(trace_op_has(op, TRACE_COMPLETES),
		                 !strncmp(mpi, "MPI_Test", 8) || !strncmp(mpi, "MPI_Wait", 8));
		if (moves && op != TRACE_SENDRECV)
			assert_int_equal(trace_op_has(op, TRACE_SENDS), *args == 'p');
		if (trace_op_has(op, TRACE_BLOCKS | TRACE_REQUEST | TRACE_PERSISTENT))
			assert_int_not_equal(moves, op == TRACE_COMM_IDUP);
		assert_int_equal(trace_op_has(op, TRACE_BLOCKS) + trace_op_has(op, TRACE_REQUEST) +
		                     trace_op_has(op, TRACE_PERSISTENT | TRACE_PARTITIONED),
		                 (moves && op != TRACE_IPROBE) || op == TRACE_COMM_IDUP);
	}
}

static void what_leaves_with_a_call(void **state)
{
	(void)state;
	assert_true(trace_op_sends(TRACE_SEND) && trace_op_sends(TRACE_IRSEND));
	assert_true(trace_op_sends(TRACE_SENDRECV));
	assert_false(trace_op_sends(TRACE_SEND_INIT) || trace_op_sends(TRACE_PSEND_INIT));
	assert_false(trace_op_sends(TRACE_RECV) || trace_op_sends(TRACE_PUT));
}

static void types(void **state)
{
	(void)state;
	assert_int_equal(trace_type_size(6), 1);
	assert_int_equal(trace_type_size(14), 16);
	assert_int_equal(trace_type_size(32), 16);
	assert_int_equal(trace_type_size(44), 16); /* COMPLEX32 is two doubles there */
	assert_int_equal(trace_type_size(45), 4);  /* INTEGER1 is an int there */
	assert_int_equal(trace_type_size(-1), -1);
	assert_int_equal(trace_type_find("MPI_BYTE"), 6);
	assert_int_equal(trace_type_find("MPI_BITE"), -1);
	assert_int_equal(trace_type_find("MPI_DOUBLE"), 0);
	assert_int_equal(trace_type_find("MPI_COUNT"), 59);
	assert_int_equal(trace_type_size(60), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_op_has_a_name_of_its_own),
	    cmocka_unit_test(collectives),
	    cmocka_unit_test(traits_agree_with_arguments),
	    cmocka_unit_test(what_leaves_with_a_call),
	    cmocka_unit_test(types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
