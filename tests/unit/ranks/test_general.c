/* test_general.c: requests that the program completes itself, as MPI 4.0, 13.2 defines them: when
 * its functions are called, what a status has of them, waited for with others. */
#include "statuses.h"

struct general {
	int queries, frees, cancels, complete, code;
};

static int query(void *self, MPI_Status *status)
{
	struct general *g = self;

	g->queries++;
	status->MPI_SOURCE = 42;
	status->MPI_TAG = 43;
	OK(orr_Status_set_elements(status, MPI_INT, 3));
	OK(orr_Status_set_cancelled(status, 0));
	return g->code;
}

static int freed(void *self)
{
	((struct general *)self)->frees++;
	return MPI_SUCCESS;
}

static int cancelled(void *self, int complete)
{
	struct general *g = self;

	g->cancels++;
	g->complete = complete;
	return MPI_SUCCESS;
}

static void general_body(int rank, void *arg)
{
	struct general g[3] = {{0}};
	MPI_Request q[3], copy;
	MPI_Status s[3];
	int flag, index, n, indices[3];

	(void)rank;
	(void)arg;
	for (int i = 0; i < 3; i++)
		OK(orr_Grequest_start(query, freed, cancelled, &g[i], &q[i]));
	OK(orr_Test(&q[0], &flag, s));
	assert_false(flag);
	OK(orr_Testall(3, q, &flag, s));
	assert_false(flag);
	OK(orr_Testany(3, q, &index, &flag, s));
	assert_false(flag);
	OK(orr_Testsome(3, q, &n, indices, s));
	assert_int_equal(n, 0);
	assert_int_equal(g[0].queries + g[1].queries + g[2].queries, 0); /* not before */
	OK(orr_Cancel(&q[1]));
	assert_int_equal(g[1].cancels, 1);
	assert_false(g[1].complete);
	OK(orr_Grequest_complete(q[1]));
	OK(orr_Cancel(&q[1]));
	assert_true(g[1].complete);
	OK(orr_Testany(3, q, &index, &flag, s));
	assert_true(flag && index == 1);
	is_of(s, 42, 43, 12);
	assert_ptr_equal(q[1], MPI_REQUEST_NULL);
	assert_int_equal(g[1].queries, 1);
	assert_int_equal(g[1].frees, 1);
	/* freed before it is complete: the callback comes with the completion */
	copy = q[2];
	OK(orr_Request_free(&q[2]));
	assert_int_equal(g[2].frees, 0);
	OK(orr_Grequest_complete(copy));
	assert_int_equal(g[2].frees, 1);
	assert_int_equal(g[2].queries, 0);
	/* what the query returns is what the call returns */
	g[0].code = MPI_ERR_ACCESS;
	OK(orr_Grequest_complete(q[0]));
	assert_int_equal(orr_Wait(&q[0], s), MPI_ERR_ACCESS);
	assert_int_equal(g[0].frees, 1);
	assert_int_equal(orr_Grequest_complete(MPI_REQUEST_NULL), MPI_ERR_REQUEST);
}

static void general(void **state)
{
	(void)state;
	ranks_do(1, general_body, NULL);
}

/* A query function may call MPI, 13.2: what else is looked at is told as it is. */
static int query_that_calls(void *self, MPI_Status *status)
{
	int x[2] = {0, 0}, indices[2], n = 0;
	MPI_Request q[2];

	for (int i = 0; i < 2; i++)
		OK(orr_Irecv(&x[i], 1, MPI_INT, 0, 20 + i, MPI_COMM_SELF, &q[i]));
	for (int i = 0; i < 2; i++)
		OK(orr_Send(&x[i], 1, MPI_INT, 0, 20 + i, MPI_COMM_SELF));
	OK(orr_Waitsome(2, q, &n, indices, MPI_STATUSES_IGNORE));
	OK(orr_Waitall(2, q, MPI_STATUSES_IGNORE));
	return query(self, status);
}

static void query_calls_body(int rank, void *arg)
{
	struct general g = {0};
	int x[2] = {7, 8}, y[3][2] = {{0}}, flag = 0;
	MPI_Request q[3];
	MPI_Status s[3];

	(void)rank;
	(void)arg;
	OK(orr_Grequest_start(query_that_calls, freed, cancelled, &g, &q[0]));
	for (int i = 1; i < 3; i++) {
		OK(orr_Irecv(y[i], 2, MPI_INT, 0, i, MPI_COMM_SELF, &q[i]));
		OK(orr_Send(x, i, MPI_INT, 0, i, MPI_COMM_SELF));
	}
	OK(orr_Grequest_complete(q[0]));
	while (!flag)
		OK(orr_Request_get_status_all(3, q, &flag, s));
	is_of(&s[0], 42, 43, 12);
	is_of(&s[1], 0, 1, 4);
	is_of(&s[2], 0, 2, 8);
	assert_int_equal(y[1][0], 7);
	assert_int_equal(y[2][1], 8);
	OK(orr_Waitall(3, q, s));
	is_of(&s[2], 0, 2, 8);
}

static void query_calls(void **state)
{
	(void)state;
	ranks_do(1, query_calls_body, NULL);
}

/* Among others: one call completes both kinds. */
static void mixed_body(int rank, void *arg)
{
	struct general g = {0};
	int x = rank, y = -1;
	MPI_Request q[3];
	MPI_Status s[3];

	(void)arg;
	OK(orr_Irecv(&y, 1, MPI_INT, 1 - rank, 1, WORLD, &q[0]));
	OK(orr_Grequest_start(query, freed, cancelled, &g, &q[1]));
	OK(orr_Isend(&x, 1, MPI_INT, 1 - rank, 1, WORLD, &q[2]));
	OK(orr_Grequest_complete(q[1]));
	OK(orr_Waitall(3, q, s));
	assert_int_equal(y, 1 - rank);
	is_of(&s[0], 1 - rank, 1, 4);
	is_of(&s[1], 42, 43, 12);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(s[i].MPI_ERROR, MPI_SUCCESS);
		assert_ptr_equal(q[i], MPI_REQUEST_NULL);
	}
	assert_int_equal(g.queries, 1);
}

static void mixed(void **state)
{
	(void)state;
	ranks_do(2, mixed_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(general),
	    cmocka_unit_test(mixed),
	    cmocka_unit_test(query_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
