/* test_requests.c: requests as MPI 4.0, 3.7 to 3.9 define them: what becomes of a request
 * and of a status in each of the calls that complete some, what a cancelled one is, what persistent
 * ones go through. Those that the program completes itself: test_general.c. */
#include "statuses.h"

static MPI_Status soiled(void)
{
	MPI_Status s;

	memset(&s, 0x55, sizeof s);
	s.MPI_ERROR = 4711;
	return s;
}

/* --- nothing to wait for --- */

static void none_body(int rank, void *arg)
{
	MPI_Request q[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Status s[3] = {soiled(), soiled(), soiled()};
	int x, flag = 0, index = 0, n = 0, indices[3];

	(void)rank;
	(void)arg;
	OK(orr_Recv_init(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &q[1])); /* inactive: as null */
	OK(orr_Wait(&q[0], s));
	is_empty(s);
	s[0] = soiled();
	OK(orr_Wait(&q[1], s));
	is_empty(s);
	OK(orr_Test(&q[1], &flag, s));
	assert_true(flag);
	OK(orr_Waitall(3, q, s));
	for (int i = 0; i < 3; i++) {
		is_empty(&s[i]);
		assert_int_equal(s[i].MPI_ERROR, MPI_SUCCESS);
	}
	OK(orr_Testall(3, q, &flag, s));
	assert_true(flag);
	OK(orr_Waitany(3, q, &index, s));
	assert_int_equal(index, MPI_UNDEFINED);
	is_empty(s);
	flag = 0;
	OK(orr_Testany(3, q, &index, &flag, s));
	assert_true(flag);
	assert_int_equal(index, MPI_UNDEFINED);
	OK(orr_Waitsome(3, q, &n, indices, s));
	assert_int_equal(n, MPI_UNDEFINED);
	n = 0;
	OK(orr_Testsome(3, q, &n, indices, s));
	assert_int_equal(n, MPI_UNDEFINED);
	OK(orr_Waitall(0, NULL, NULL));
	flag = 0;
	OK(orr_Testall(0, NULL, &flag, NULL));
	assert_true(flag);
	OK(orr_Waitany(0, NULL, &index, s));
	assert_int_equal(index, MPI_UNDEFINED);
	flag = 0;
	OK(orr_Request_get_status(MPI_REQUEST_NULL, &flag, s));
	assert_true(flag);
	is_empty(s);
	OK(orr_Request_free(&q[1]));
	assert_ptr_equal(q[1], MPI_REQUEST_NULL);
}

static void none(void **state)
{
	(void)state;
	ranks_do(1, none_body, NULL);
}

/* --- some are complete, some are not --- */

/* Rank 1 gets the messages of tags 0, 2 and 4 of five, then, when it says so, the others. */
static void some_body(int rank, void *arg)
{
	int x[5] = {10, 11, 12, 13, 14}, flag, index, n, indices[5], done = 0;
	MPI_Request q[5];
	MPI_Status s[5];

	(void)arg;
	if (rank == 0) {
		for (int i = 0; i < 5; i += 2)
			OK(orr_Send(&x[i], 1, MPI_INT, 1, i, WORLD));
		OK(orr_Recv(&flag, 1, MPI_INT, 1, 9, WORLD, MPI_STATUS_IGNORE));
		for (int i = 1; i < 5; i += 2)
			OK(orr_Send(&x[i], 1, MPI_INT, 1, i, WORLD));
		return;
	}
	for (int i = 0; i < 5; i++)
		OK(orr_Irecv(&x[i], 1, MPI_INT, 0, i, WORLD, &q[i]));
	while (done < 3) { /* of which each is told once */
		OK(orr_Testsome(5, q, &n, indices, s));
		assert_in_range(n, 0, 3 - done);
		for (int k = 0; k < n; k++) {
			assert_int_equal(indices[k] % 2, 0);
			is_of(&s[k], 0, indices[k], 4);
			assert_int_equal(s[k].MPI_ERROR, MPI_SUCCESS);
			assert_ptr_equal(q[indices[k]], MPI_REQUEST_NULL);
		}
		done += n;
	}
	OK(orr_Testsome(5, q, &n, indices, s));
	assert_int_equal(n, 0);
	OK(orr_Testany(5, q, &index, &flag, s));
	assert_false(flag);
	assert_int_equal(index, MPI_UNDEFINED);
	OK(orr_Testall(5, q, &flag, s));
	assert_false(flag);
	assert_true(q[1] != MPI_REQUEST_NULL && q[3] != MPI_REQUEST_NULL);
	OK(orr_Send(&flag, 1, MPI_INT, 0, 9, WORLD));
	OK(orr_Waitall(5, q, s));
	for (int i = 0; i < 5; i++) {
		assert_int_equal(x[i], 10 + i);
		assert_ptr_equal(q[i], MPI_REQUEST_NULL);
		if (i % 2)
			is_of(&s[i], 0, i, 4);
		else
			is_empty(&s[i]);
	}
}

static void some(void **state)
{
	(void)state;
	ranks_do(2, some_body, NULL);
}

/* 3.7.6: a look leaves the request as it is. */
static void looks_body(int rank, void *arg)
{
	int x = 5, flag = 0, n, index, indices[2];
	MPI_Request q[2], copy;
	MPI_Status s[2];

	(void)arg;
	if (rank == 0) {
		OK(orr_Send(&x, 1, MPI_INT, 1, 3, WORLD));
		return;
	}
	OK(orr_Irecv(&x, 1, MPI_INT, 0, 3, WORLD, &q[0]));
	q[1] = MPI_REQUEST_NULL;
	copy = q[0];
	while (!flag)
		OK(orr_Request_get_status(q[0], &flag, s));
	is_of(s, 0, 3, 4);
	for (int i = 0; i < 3; i++) {
		OK(orr_Request_get_status_all(2, q, &flag, s));
		assert_true(flag);
		is_of(&s[0], 0, 3, 4);
		is_empty(&s[1]);
		OK(orr_Request_get_status_any(2, q, &index, &flag, s));
		assert_true(flag && index == 0);
		OK(orr_Request_get_status_some(2, q, &n, indices, s));
		assert_int_equal(n, 1);
		assert_int_equal(indices[0], 0);
		assert_ptr_equal(q[0], copy);
	}
	OK(orr_Wait(&q[0], s));
	is_of(s, 0, 3, 4);
	assert_ptr_equal(q[0], MPI_REQUEST_NULL);
}

static void looks(void **state)
{
	(void)state;
	ranks_do(2, looks_body, NULL);
}

/* --- errors of one of several: 3.7.5 --- */

static void truncated_body(int rank, void *arg)
{
	int x[4] = {1, 2, 3, 4}, y[2][4] = {{0}}, index, code;
	MPI_Request q[2];
	MPI_Status s[2];
	MPI_Count n;

	(void)arg;
	if (rank == 0) {
		for (int i = 0; i < 4; i++)
			OK(orr_Send(x, 4, MPI_INT, 1, i, WORLD));
		return;
	}
	OK(orr_Irecv(y[0], 4, MPI_INT, 0, 0, WORLD, &q[0]));
	OK(orr_Irecv(y[1], 2, MPI_INT, 0, 1, WORLD, &q[1]));
	assert_int_equal(orr_Waitall(2, q, s), MPI_ERR_IN_STATUS);
	assert_int_equal(s[0].MPI_ERROR, MPI_SUCCESS);
	OK(orr_Error_class(s[1].MPI_ERROR, &code));
	assert_int_equal(code, MPI_ERR_TRUNCATE);
	assert_int_equal(y[0][3], 4);
	assert_int_equal(y[1][1], 2);
	assert_int_equal(y[1][2], 0); /* behind the buffer nothing is written */
	s[0] = soiled();
	OK(orr_Error_class(orr_Recv(y[0], 3, MPI_INT, 0, 2, WORLD, s), &code));
	assert_int_equal(code, MPI_ERR_TRUNCATE);
	assert_int_equal(s[0].MPI_ERROR, 4711); /* 3.2.5: calls for one leave it alone */
	OK(orr_Irecv(y[0], 1, MPI_INT, 0, 3, WORLD, &q[0]));
	q[1] = MPI_REQUEST_NULL;
	OK(orr_Error_class(orr_Waitany(2, q, &index, s), &code));
	assert_int_equal(code, MPI_ERR_TRUNCATE);
	assert_int_equal(index, 0);
	assert_ptr_equal(q[0], MPI_REQUEST_NULL);
	OK(orr_Get_count(s, MPI_INT, &n));
	assert_int_equal(n, 1);
}

static void truncated(void **state)
{
	struct ranks run = {.n = 2, .body = truncated_body};

	(void)state;
	/* the simulator tells it as an error of the program, where nobody handles it */
	if (ranks_run(&run) < 0 && !strstr(run.err.text, "truncated"))
		fail_msg("%s", run.err.text);
}

/* --- cancelling: 3.8.4 --- */

static void cancel_body(int rank, void *arg)
{
	int x = 1, flag = 0;
	MPI_Request q;
	MPI_Status s;

	(void)arg;
	OK(orr_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 77, WORLD, &q));
	OK(orr_Cancel(&q));
	OK(orr_Wait(&q, &s)); /* nobody sends */
	OK(orr_Test_cancelled(&s, &flag));
	assert_true(flag);
	assert_ptr_equal(q, MPI_REQUEST_NULL);
	/* one that has its message is not cancelled any more */
	if (rank == 0) {
		OK(orr_Send(&x, 1, MPI_INT, 1, 5, WORLD));
		OK(orr_Barrier(WORLD));
		return;
	}
	OK(orr_Irecv(&x, 1, MPI_INT, 0, 5, WORLD, &q));
	OK(orr_Barrier(WORLD));
	flag = 0;
	while (!flag)
		OK(orr_Request_get_status(q, &flag, &s));
	OK(orr_Cancel(&q));
	OK(orr_Wait(&q, &s));
	OK(orr_Test_cancelled(&s, &flag));
	assert_false(flag);
	is_of(&s, 0, 5, 4);
}

static void cancel(void **state)
{
	(void)state;
	ranks_do(2, cancel_body, NULL);
}

/* What a program puts into a status is what is found there: 13.3. */
static void statuses_body(int rank, void *arg)
{
	MPI_Datatype pair;
	MPI_Status s;
	MPI_Count n;
	int flag;

	(void)rank;
	(void)arg;
	memset(&s, 0, sizeof s);
	OK(orr_Status_set_elements(&s, MPI_INT, 7));
	OK(orr_Get_elements(&s, MPI_INT, &n));
	assert_int_equal(n, 7);
	OK(orr_Get_count(&s, MPI_INT, &n));
	assert_int_equal(n, 7);
	OK(orr_Type_contiguous(2, MPI_INT, &pair));
	OK(orr_Get_count(&s, pair, &n)); /* three and a half */
	assert_int_equal(n, MPI_UNDEFINED);
	OK(orr_Get_elements(&s, pair, &n));
	assert_int_equal(n, 7);
	for (int set = 0; set < 2; set++) {
		OK(orr_Status_set_cancelled(&s, set));
		OK(orr_Test_cancelled(&s, &flag));
		assert_int_equal(flag != 0, set);
	}
	OK(orr_Type_free(&pair));
}

static void statuses(void **state)
{
	(void)state;
	ranks_do(1, statuses_body, NULL);
}

/* --- persistent: 3.9 --- */

static void persistent_body(int rank, void *arg)
{
	int x = 0, y, n, other = 1 - rank, flag;
	MPI_Request q[2], was[2];
	MPI_Status s[2];

	(void)arg;
	OK(orr_Send_init(&x, 1, MPI_INT, other, 1, WORLD, &q[0]));
	OK(orr_Recv_init(&y, 1, MPI_INT, other, 1, WORLD, &q[1]));
	memcpy(was, q, sizeof q);
	for (n = 0; n < 5; n++) {
		x = 100 * rank + n;
		y = -1;
		OK(orr_Startall(2, q));
		if (n % 2)
			OK(orr_Waitall(2, q, s));
		else
			for (int i = 0; i < 2; i++)
				for (flag = 0; !flag;)
					OK(orr_Test(&q[i], &flag, &s[i]));
		assert_memory_equal(q, was, sizeof q); /* the handle stays */
		assert_int_equal(y, 100 * other + n);
		is_of(&s[1], other, 1, 4);
		OK(orr_Wait(&q[1], &s[1])); /* inactive */
		is_empty(&s[1]);
	}
	OK(orr_Request_free(&q[0]));
	OK(orr_Request_free(&q[1]));
}

static void persistent(void **state)
{
	(void)state;
	ranks_do(2, persistent_body, NULL);
}

/* --- freed, cancelled, started again: 3.7.3, 3.8.4, 3.9 --- */

/* Freed while it is under way: the receive is done all the same, nobody is told. */
static void freed_early_body(int rank, void *arg)
{
	int x[3] = {7, 8, 9}, y[3] = {-1, -1, -1};
	MPI_Request q;

	(void)arg;
	if (rank == 0) {
		OK(orr_Isend(&x[0], 1, MPI_INT, 1, 0, WORLD, &q));
		OK(orr_Request_free(&q));
		assert_ptr_equal(q, MPI_REQUEST_NULL);
		OK(orr_Send_init(&x[1], 1, MPI_INT, 1, 1, WORLD, &q));
		OK(orr_Start(&q));
		OK(orr_Request_free(&q)); /* an active one, too */
		OK(orr_Send(&x[2], 1, MPI_INT, 1, 2, WORLD));
		OK(orr_Barrier(WORLD));
		return;
	}
	for (int i = 0; i < 2; i++) {
		OK(orr_Irecv(&y[i], 1, MPI_INT, 0, i, WORLD, &q));
		OK(orr_Request_free(&q));
	}
	OK(orr_Recv(&y[2], 1, MPI_INT, 0, 2, WORLD, MPI_STATUS_IGNORE)); /* sent behind them */
	OK(orr_Barrier(WORLD));
	assert_int_equal(y[2], 9);
}

static void freed_early(void **state)
{
	(void)state;
	ranks_do(2, freed_early_body, NULL);
}

/* A persistent one that was cancelled is inactive, and may be started again. */
static void started_again_body(int rank, void *arg)
{
	int x = rank, y = -1, flag = 0;
	MPI_Request q, was;
	MPI_Status s;

	(void)arg;
	OK(orr_Recv_init(&y, 1, MPI_INT, 1 - rank, 6, WORLD, &q));
	was = q;
	OK(orr_Request_get_status(q, &flag, &s)); /* inactive: as null */
	assert_true(flag);
	is_empty(&s);
	OK(orr_Start(&q));
	OK(orr_Cancel(&q));
	OK(orr_Wait(&q, &s));
	OK(orr_Test_cancelled(&s, &flag));
	assert_true(flag);
	assert_ptr_equal(q, was);
	assert_int_equal(y, -1);
	OK(orr_Barrier(WORLD));
	OK(orr_Start(&q));
	OK(orr_Send(&x, 1, MPI_INT, 1 - rank, 6, WORLD));
	OK(orr_Wait(&q, &s));
	OK(orr_Test_cancelled(&s, &flag));
	assert_false(flag);
	is_of(&s, 1 - rank, 6, 4);
	assert_int_equal(y, 1 - rank);
	OK(orr_Request_free(&q));
}

static void started_again(void **state)
{
	(void)state;
	ranks_do(2, started_again_body, NULL);
}

/* --- matched messages: 3.8.2 --- */

/* What is matched is found by no other probe or receive, and is received by nobody else. */
static void matched_body(int rank, void *arg)
{
	int x[3] = {1, 2, 3}, y = -1, flag = -1;
	MPI_Message first, second, gone;
	MPI_Request q;
	MPI_Status s;

	(void)arg;
	if (rank == 0) {
		for (int i = 0; i < 3; i++)
			OK(orr_Send(&x[i], 1, MPI_INT, 1, 5, WORLD));
		OK(orr_Barrier(WORLD));
		return;
	}
	OK(orr_Barrier(WORLD));
	OK(orr_Mprobe(0, 5, WORLD, &first, &s));
	is_of(&s, 0, 5, 4);
	for (flag = 0; !flag;)
		OK(orr_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &flag, &second, &s));
	OK(orr_Recv(&y, 1, MPI_INT, 0, 5, WORLD, &s)); /* the third: the others are taken */
	assert_int_equal(y, 3);
	OK(orr_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &flag, &s));
	assert_false(flag);
	OK(orr_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &flag, &gone, &s));
	assert_false(flag);
	OK(orr_Imrecv(&y, 1, MPI_INT, &second, &q));
	assert_ptr_equal(second, MPI_MESSAGE_NULL);
	OK(orr_Wait(&q, &s));
	is_of(&s, 0, 5, 4);
	assert_int_equal(y, 2);
	gone = first;
	OK(orr_Mrecv(&y, 1, MPI_INT, &first, &s));
	assert_ptr_equal(first, MPI_MESSAGE_NULL);
	assert_int_equal(y, 1);
	/* it was received */
	assert_int_equal(orr_Mrecv(&y, 1, MPI_INT, &gone, &s), MPI_ERR_REQUEST);
	assert_int_equal(orr_Mrecv(&y, 1, MPI_INT, &first, &s), MPI_ERR_REQUEST);
}

static void matched(void **state)
{
	(void)state;
	ranks_do(2, matched_body, NULL);
}

/* --- modes of sending: 3.4 --- */

/* A synchronous send is over when its receive has begun; the others when their data have left. */
static void modes_body(int rank, void *arg)
{
	int x = 5, y = -1, flag = -1;
	MPI_Request q[2];
	double t;

	(void)arg;
	if (rank == 0) {
		OK(orr_Isend(&x, 1, MPI_INT, 1, 0, WORLD, &q[0]));
		OK(orr_Issend(&x, 1, MPI_INT, 1, 1, WORLD, &q[1]));
		OK(orr_Wait(&q[0], MPI_STATUS_IGNORE)); /* small: nobody need receive it */
		OK(orr_Test(&q[1], &flag, MPI_STATUS_IGNORE));
		assert_false(flag);
		OK(orr_Send(&x, 1, MPI_INT, 1, 2, WORLD)); /* here it goes on */
		OK(orr_Wait(&q[1], MPI_STATUS_IGNORE));
		OK(orr_Recv(&y, 1, MPI_INT, 1, 3, WORLD, MPI_STATUS_IGNORE));
		OK(orr_Rsend(&x, 1, MPI_INT, 1, 4, WORLD)); /* its receive is there */
		return;
	}
	OK(orr_Recv(&y, 1, MPI_INT, 0, 2, WORLD, MPI_STATUS_IGNORE));
	t = orr_Wtime();
	OK(orr_Recv(&y, 1, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE));
	OK(orr_Recv(&y, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE));
	assert_true(orr_Wtime() >= t);
	OK(orr_Irecv(&y, 1, MPI_INT, 0, 4, WORLD, &q[0]));
	OK(orr_Send(&x, 1, MPI_INT, 0, 3, WORLD));
	OK(orr_Wait(&q[0], MPI_STATUS_IGNORE));
	assert_int_equal(y, 5);
}

static void modes(void **state)
{
	(void)state;
	ranks_do(2, modes_body, NULL);
}

/* 3.7.6: what MPI_Request_get_status says is complete may be freed, also a collective; what was
 * received is there. */
static void freed_when_seen_body(int rank, void *arg)
{
	MPI_Request q[3];
	int x = rank, y = -1, flag;

	(void)arg;
	OK(orr_Ibarrier(WORLD, &q[0]));
	OK(orr_Barrier_init(WORLD, MPI_INFO_NULL, &q[1]));
	OK(orr_Start(&q[1]));
	OK(orr_Irecv(&y, 1, MPI_INT, 1 - rank, 0, WORLD, &q[2]));
	OK(orr_Send(&x, 1, MPI_INT, 1 - rank, 0, WORLD));
	for (int i = 0; i < 3; i++) {
		for (flag = 0; !flag;)
			OK(orr_Request_get_status(q[i], &flag, MPI_STATUS_IGNORE));
		OK(orr_Request_free(&q[i]));
		assert_ptr_equal(q[i], MPI_REQUEST_NULL);
	}
	assert_int_equal(y, 1 - rank);
}

static void freed_when_seen(void **state)
{
	(void)state;
	ranks_do(2, freed_when_seen_body, NULL);
}

/* --- partitioned: 4.2.4 --- */

/* What MPI_Parrived has told of is the program's: nothing writes it again. */
static void worked_on_body(int rank, void *arg)
{
	int x[4] = {1, 2, 3, 4}, there = 0;
	MPI_Request q;

	(void)arg;
	if (rank == 0) {
		OK(orr_Psend_init(x, 4, 1, MPI_INT, 1, 0, WORLD, MPI_INFO_NULL, &q));
		for (int start = 0; start < 2; start++) {
			OK(orr_Start(&q));
			OK(orr_Pready_range(0, 3, q));
			OK(orr_Wait(&q, MPI_STATUS_IGNORE));
		}
	} else {
		OK(orr_Precv_init(x, 4, 1, MPI_INT, 0, 0, WORLD, MPI_INFO_NULL, &q));
		for (int start = 0; start < 2; start++) {
			memset(x, 0, sizeof x);
			OK(orr_Start(&q));
			for (there = 0; !there;)
				OK(orr_Parrived(q, 2, &there));
			x[2] *= 10;
			OK(orr_Parrived(q, 2, &there));
			assert_true(there);
			OK(orr_Wait(&q, MPI_STATUS_IGNORE));
			assert_int_equal(x[0], 1);
			assert_int_equal(x[1], 2);
			assert_int_equal(x[2], 30);
			assert_int_equal(x[3], 4);
		}
	}
	OK(orr_Request_free(&q));
}

static void worked_on(void **state)
{
	(void)state;
	ranks_do(2, worked_on_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(none),
	    cmocka_unit_test(some),
	    cmocka_unit_test(looks),
	    cmocka_unit_test(truncated),
	    cmocka_unit_test(cancel),
	    cmocka_unit_test(persistent),
	    cmocka_unit_test(statuses),
	    cmocka_unit_test(freed_early),
	    cmocka_unit_test(started_again),
	    cmocka_unit_test(worked_on),
	    cmocka_unit_test(freed_when_seen),
	    cmocka_unit_test(matched),
	    cmocka_unit_test(modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
