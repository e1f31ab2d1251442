/* Operators: values by hand; which operator is for which type: MPI 4.0, 6.9.2. */
#include "fake.h"

#include <complex.h>

#include "objects/op.h"

static void test_integers(void **state)
{
	(void)state;
	static const struct {
		MPI_Op op;
		int32_t expected;
	} cases[] = {{MPI_SUM, 3},  {MPI_PROD, -54}, {MPI_MIN, -6},     {MPI_MAX, 9},
	             {MPI_BAND, 8}, {MPI_BOR, -5},   {MPI_BXOR, -13},   {MPI_LAND, 1},
	             {MPI_LOR, 1},  {MPI_LXOR, 0},   {MPI_REPLACE, -6}, {MPI_NO_OP, 9}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int32_t in = -6, inout = 9;
		OK(orr_Reduce_local(&in, &inout, 1, MPI_INT, cases[i].op));
		assert_int_equal(inout, cases[i].expected);
	}
	int8_t small[2] = {100, 100}; /* wraps */
	OK(orr_Reduce_local(&small[0], &small[1], 1, MPI_INT8_T, MPI_SUM));
	assert_int_equal(small[1], -56);
	uint64_t in = UINT64_MAX, inout = 1;
	OK(orr_Reduce_local(&in, &inout, 1, MPI_UINT64_T, MPI_MAX));
	assert_true(inout == UINT64_MAX);
}

static void test_reals(void **state)
{
	(void)state;
	long double in = 1e4000L, inout = 2;
	OK(orr_Reduce_local(&in, &inout, 1, MPI_LONG_DOUBLE, MPI_PROD));
	assert_true(inout == 2e4000L);
	double complex a = 1 + 2 * I, b = 3 - I;
	OK(orr_Reduce_local(&a, &b, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD));
	assert_true(creal(b) == 5 && cimag(b) == 5);
	__float128 q = 1, r = (__float128)1 / 3;
	OK(orr_Reduce_local(&q, &r, 1, MPI_REAL16, MPI_SUM));
	assert_true(r == 1 + (__float128)1 / 3);
}

/* Equal values: the lesser index; pairs with gaps are gathered. */
static void test_places(void **state)
{
	(void)state;
	struct {
		double value;
		int place;
	} in[2] = {{3, 7}, {1, 4}}, inout[2] = {{3, 5}, {2, 1}};
	OK(orr_Reduce_local(in, inout, 2, MPI_DOUBLE_INT, MPI_MAXLOC));
	assert_int_equal(inout[0].place, 5);
	assert_int_equal(inout[1].place, 1);
	OK(orr_Reduce_local(in, inout, 2, MPI_DOUBLE_INT, MPI_MINLOC));
	assert_int_equal(inout[1].place, 4);
	assert_double_is(inout[1].value, 1);
}

static void test_legal(void **state)
{
	(void)state;
	char in[32] = {0}, inout[32] = {0};
	assert_int_equal(orr_Reduce_local(in, inout, 1, MPI_DOUBLE, MPI_BAND), MPI_ERR_OP);
	assert_int_equal(orr_Reduce_local(in, inout, 1, MPI_C_DOUBLE_COMPLEX, MPI_MAX), MPI_ERR_OP);
	assert_int_equal(orr_Reduce_local(in, inout, 1, MPI_LOGICAL, MPI_SUM), MPI_ERR_OP);
	assert_int_equal(orr_Reduce_local(in, inout, 1, MPI_INT, MPI_MINLOC), MPI_ERR_OP);
	assert_int_equal(orr_Reduce_local(in, inout, 1, MPI_WCHAR, MPI_MAX), MPI_ERR_OP);
	assert_int_equal(orr_Reduce_local(in, inout, 1, MPI_PACKED, MPI_BOR), MPI_ERR_OP);
	/* not by the standard; as Open MPI 4.1.4 and MPICH 4.0.2 have it, each alone */
	for (int family = 0; family < 3; family++) {
		orr_local()->as_openmpi = family == 1;
		orr_local()->as_mpich = family == 2;
		assert_int_equal(orr_Reduce_local(in, inout, 1, MPI_BYTE, MPI_SUM),
		                 family == 1 ? MPI_SUCCESS : MPI_ERR_OP);
		assert_int_equal(orr_Reduce_local(in, inout, 1, MPI_DOUBLE, MPI_LOR),
		                 family == 2 ? MPI_SUCCESS : MPI_ERR_OP);
	}
	orr_local()->as_mpich = 0;
	/* and this both */
	OK(orr_Reduce_local(in, inout, 1, MPI_CHARACTER, MPI_MAX));
	OK(orr_Reduce_local(in, inout, 1, MPI_BYTE, MPI_BXOR));
	OK(orr_Reduce_local(in, inout, 1, MPI_AINT, MPI_SUM));
	OK(orr_Reduce_local(in, inout, 1, MPI_C_BOOL, MPI_LAND));
}

/* in op inout, in this order: 2 x in - inout. */
static void minus(void *in, void *inout, int *n, MPI_Datatype *type)
{
	assert_ptr_equal(*type, MPI_INT);
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] = 2 * ((int *)in)[i] - ((int *)inout)[i];
}

static void test_user(void **state)
{
	(void)state;
	MPI_Op op;
	int commutes, in[3] = {1, 2, 3}, inout[3] = {5, 5, 5};
	OK(orr_Op_create(minus, 0, &op));
	OK(orr_Op_commutative(op, &commutes));
	assert_int_equal(commutes, 0);
	OK(orr_Reduce_local(in, inout, 3, MPI_INT, op));
	assert_int_equal(inout[0], -3);
	assert_int_equal(inout[2], 1);
	OK(orr_Op_free(&op));
	assert_ptr_equal(op, MPI_OP_NULL);
	op = MPI_SUM;
	assert_int_equal(orr_Op_free(&op), MPI_ERR_OP);
	OK(orr_Op_commutative(MPI_SUM, &commutes));
	assert_int_equal(commutes, 1);
}

/* Every second int, and what is between them stays. */
static void test_scattered(void **state)
{
	(void)state;
	MPI_Datatype t;
	int32_t in[6] = {1, 7, 2, 7, 3, 7}, inout[6] = {10, 0, 20, 0, 30, 0};
	OK(orr_Type_vector(3, 1, 2, MPI_INT, &t));
	assert_int_equal(orr_op_check(orr_op_of(MPI_SUM), orr_type_of(t), 1), MPI_SUCCESS);
	OK(orr_op_apply(MPI_SUM, in, inout, 1, t));
	assert_memory_equal(inout, ((int32_t[]){11, 0, 22, 0, 33, 0}), sizeof inout);
	OK(orr_Type_free(&t));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_integers), cmocka_unit_test(test_reals),
	    cmocka_unit_test(test_places),   cmocka_unit_test(test_legal),
	    cmocka_unit_test(test_user),     cmocka_unit_test(test_scattered),
	};
	world_start(1, 0);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	world_end();
	return failed;
}
