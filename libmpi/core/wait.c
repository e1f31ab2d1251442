/* wait.c: one request, or all of them, are waited for or tested.
 *
 * A wait for sends that were queued with their data needs no answer: it is queued too. */
#include "orr_mpi.h"
#include "set.h"

static int look_all(int count, MPI_Request *requests, int *n, int *indices, MPI_Status *statuses)
{
	(void)indices;
	return orr_Testall(count, requests, n, statuses);
}

static int look_one(int count, MPI_Request *requests, int *n, int *indices, MPI_Status *statuses)
{
	(void)count;
	(void)indices;
	return orr_Test(requests, n, statuses);
}

int orr_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[])
{
	struct wire_done none = {0};
	struct wire_op *op;
	struct set s;
	int flag, code = set_make(&s, count, array_of_requests, array_of_statuses);

	if (code != MPI_SUCCESS)
		return code;
	if (link_several())
		return set_looks(look_all, count, array_of_requests, &flag, NULL,
		                 array_of_statuses);
	link_enter();
	set_generals_await(&s);
	set_halves_wait(&s);
	op = set_op(&s, WIRE_WAIT, count == 1 ? WIRE_ONE : WIRE_ALL);
	if (!s.quiet) {
		set_all(&s, link_ask(op));
		set_generals_wait(&s); /* their statuses are none that set_all empties */
	} else {
		link_put(op);
		for (int i = 0; i < count; i++) {
			const struct orr_request *r = request_of(array_of_requests[i]);

			if (r && r->active)
				set_complete(&s, i, &none, i);
			else
				set_empty(&s, i);
		}
	}
	link_leave();
	return set_code(&s, count);
}

int orr_Wait(MPI_Request *request, MPI_Status *status)
{
	struct wire_done none = {0};
	struct orr_request *r = request_of(*request);
	int error = status ? status->MPI_ERROR : 0;
	struct wire_op *op;
	struct set s;
	int flag, code = set_make(&s, 1, request, status);

	if (code != MPI_SUCCESS)
		return code;
	if (!r || !r->active) {
		set_empty(&s, 0);
		return MPI_SUCCESS;
	}
	if (link_several())
		return set_looks(look_one, 1, request, &flag, NULL, status);
	link_enter();
	if (s.general) {
		set_generals_wait(&s);
		link_leave();
		if (status)
			status->MPI_ERROR = error;
		return set_one_code(&s);
	}
	set_halves_wait(&s);
	op = set_op(&s, WIRE_WAIT, WIRE_ONE);
	if (s.quiet) {
		link_put(op);
		set_complete(&s, 0, &none, 0);
	} else {
		set_all(&s, link_ask(op));
	}
	link_leave();
	if (status)
		status->MPI_ERROR = error;
	return set_one_code(&s);
}

int orr_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	struct orr_request *r = request_of(*request);
	int error = status ? status->MPI_ERROR : 0;
	struct wire_answer *a;
	struct set s;
	int code = set_make(&s, 1, request, status);

	if (code != MPI_SUCCESS)
		return code;
	*flag = 1;
	if (!r || !r->active) {
		set_empty(&s, 0);
		return MPI_SUCCESS;
	}
	link_enter();
	if (s.general) {
		set_pass();
		*flag = set_generals_done(&s) > 0;
		if (*flag)
			set_generals_wait(&s);
	} else {
		a = set_halves_test(&s) ? link_ask(set_op(&s, WIRE_TEST, TEST_ONE)) : NULL;
		*flag = a && a->n > 0;
		if (*flag)
			set_all(&s, a);
	}
	link_leave();
	if (status)
		status->MPI_ERROR = error;
	return set_one_code(&s);
}

int orr_Testall(int count, MPI_Request array_of_requests[], int *flag,
                MPI_Status array_of_statuses[])
{
	struct wire_answer *a;
	struct set s;
	int code = set_make(&s, count, array_of_requests, array_of_statuses);

	if (code != MPI_SUCCESS)
		return code;
	link_enter();
	*flag = set_generals_done(&s) == s.general;
	if (!*flag)
		set_pass();
	if (*flag) {
		a = set_halves_test(&s) ? link_ask(set_op(&s, WIRE_TEST, TEST_ALL)) : NULL;
		*flag = a && a->flag != 0;
		if (*flag) {
			set_all(&s, a);
			set_generals_wait(&s);
		}
	}
	link_leave();
	return set_code(&s, count);
}
