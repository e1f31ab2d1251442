/* test_sendrecv.c: a send and a receive in one, MPI 4.0, 3.10: its status, and that it is complete
 * when both are, in each of the calls that complete requests. */
#include "statuses.h"

/* The status of both is that of the receive; data that are replaced have left before. */
static void both_ways_body(int rank, void *arg)
{
	int x = 10 + rank, y = -1, left = (rank + 2) % 3, right = (rank + 1) % 3;
	MPI_Request q[2];
	MPI_Status s[2];

	(void)arg;
	OK(orr_Isendrecv(&x, 1, MPI_INT, right, 4, &y, 1, MPI_INT, left, 4, WORLD, &q[0]));
	q[1] = MPI_REQUEST_NULL;
	OK(orr_Waitall(2, q, s));
	is_of(&s[0], left, 4, 4);
	is_empty(&s[1]);
	assert_ptr_equal(q[0], MPI_REQUEST_NULL);
	assert_int_equal(y, 10 + left);
	OK(orr_Isendrecv_replace(&x, 1, MPI_INT, right, 5, left, 5, WORLD, &q[0]));
	OK(orr_Wait(&q[0], s));
	is_of(&s[0], left, 5, 4);
	assert_int_equal(x, 10 + left);
	OK(orr_Sendrecv_replace(&x, 1, MPI_INT, right, 6, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, s));
	is_of(&s[0], left, 6, 4);
	assert_int_equal(x, 10 + (left + 2) % 3);
	/* half of it cannot be cancelled: it goes on */
	OK(orr_Isendrecv(&x, 1, MPI_INT, right, 7, &y, 1, MPI_INT, left, 7, WORLD, &q[0]));
	assert_int_equal(orr_Cancel(&q[0]), MPI_ERR_REQUEST);
	OK(orr_Wait(&q[0], s));
	is_of(&s[0], left, 7, 4);
	/* with nobody on one side */
	OK(orr_Isendrecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, &y, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD,
	                 &q[0]));
	OK(orr_Wait(&q[0], s));
	is_of(&s[0], MPI_PROC_NULL, MPI_ANY_TAG, 0); /* 3.10: source, tag and count of nobody's */
}

static void both_ways(void **state)
{
	(void)state;
	ranks_do(3, both_ways_body, NULL);
}

/* 3.10: of a send and a receive in one, which is complete when both are. The send is of more than
 * leaves at once, and is received only when its sender, which has what it receives, says so. */
enum { HALF_WAIT, HALF_WAITALL, HALF_WAITANY, HALF_WAITSOME, HALF_TESTS, HALF_WAYS };
enum { HALF_BYTES = 1 << 20 };

static void half_is_not(MPI_Request *q, MPI_Status *s)
{
	int flag = 1, index = 0, n = -1, indices[2];

	for (int i = 0; i < 20; i++) {
		OK(orr_Test(q, &flag, s));
		assert_false(flag);
		OK(orr_Testall(2, q, &flag, s));
		assert_false(flag);
		OK(orr_Testany(2, q, &index, &flag, s));
		assert_false(flag);
		OK(orr_Testsome(2, q, &n, indices, s));
		assert_int_equal(n, 0);
		OK(orr_Request_get_status(*q, &flag, s));
		assert_false(flag);
		OK(orr_Request_get_status_any(2, q, &index, &flag, s));
		assert_false(flag);
	}
}

static void half_is(int way, MPI_Request *q, MPI_Status *s)
{
	int index = 0, n = 1, indices[2] = {0}, flag = 0;

	if (way == HALF_WAIT)
		OK(orr_Wait(q, s));
	else if (way == HALF_WAITALL)
		OK(orr_Waitall(2, q, s));
	else if (way == HALF_WAITANY)
		OK(orr_Waitany(2, q, &index, s));
	else if (way == HALF_WAITSOME)
		OK(orr_Waitsome(2, q, &n, indices, s));
	while (way == HALF_TESTS && !flag)
		OK(orr_Test(q, &flag, s));
	assert_true(index == 0 && n == 1 && indices[0] == 0);
	assert_ptr_equal(q[0], MPI_REQUEST_NULL);
}

static void half_body(int rank, void *arg)
{
	int way = *(int *)arg, go = 0;
	char *big = calloc(1, HALF_BYTES);
	MPI_Request q[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Status s[2];
	char x = 'x';

	assert_non_null(big);
	if (rank == 0) {
		OK(orr_Isendrecv(big, HALF_BYTES, MPI_BYTE, 1, 1, &x, 1, MPI_CHAR, 1, 2, WORLD, q));
		OK(orr_Recv(&go, 1, MPI_INT, 1, 3, WORLD, MPI_STATUS_IGNORE));
		half_is_not(q, s);
		OK(orr_Send(&go, 1, MPI_INT, 1, 4, WORLD));
		half_is(way, q, s);
		is_of(s, 1, 2, 1);
		assert_int_equal(x, 'y');
	} else {
		x = 'y';
		OK(orr_Send(&x, 1, MPI_CHAR, 0, 2, WORLD));
		OK(orr_Send(&go, 1, MPI_INT, 0, 3, WORLD));
		OK(orr_Recv(&go, 1, MPI_INT, 0, 4, WORLD, MPI_STATUS_IGNORE));
		OK(orr_Recv(big, HALF_BYTES, MPI_BYTE, 0, 1, WORLD, MPI_STATUS_IGNORE));
	}
	free(big);
}

static void half(void **state)
{
	(void)state;
	for (int way = 0; way < HALF_WAYS; way++)
		ranks_do(2, half_body, &way);
}

/* A wait for one of several: another that is complete is told of while the send is not. */
static void half_beside_body(int rank, void *arg)
{
	int go = 0, index = -1;
	char *big = calloc(1, HALF_BYTES), x = 'x';
	MPI_Request q[2];
	MPI_Status s;

	(void)arg;
	assert_non_null(big);
	if (rank == 0) {
		OK(orr_Isendrecv(big, HALF_BYTES, MPI_BYTE, 1, 1, &x, 1, MPI_CHAR, 1, 2, WORLD, q));
		OK(orr_Irecv(&go, 1, MPI_INT, 1, 3, WORLD, &q[1]));
		OK(orr_Waitany(2, q, &index, &s));
		assert_int_equal(index, 1);
		is_of(&s, 1, 3, 4);
		OK(orr_Send(&go, 1, MPI_INT, 1, 4, WORLD));
		OK(orr_Request_free(&q[0])); /* both go on */
		OK(orr_Recv(&go, 1, MPI_INT, 1, 5, WORLD, MPI_STATUS_IGNORE));
	} else {
		OK(orr_Send(&x, 1, MPI_CHAR, 0, 2, WORLD));
		OK(orr_Send(&go, 1, MPI_INT, 0, 3, WORLD));
		OK(orr_Recv(&go, 1, MPI_INT, 0, 4, WORLD, MPI_STATUS_IGNORE));
		OK(orr_Recv(big, HALF_BYTES, MPI_BYTE, 0, 1, WORLD, MPI_STATUS_IGNORE));
		OK(orr_Send(&go, 1, MPI_INT, 0, 5, WORLD));
	}
	free(big);
}

static void half_beside(void **state)
{
	(void)state;
	ranks_do(2, half_beside_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(both_ways),
	    cmocka_unit_test(half),
	    cmocka_unit_test(half_beside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
