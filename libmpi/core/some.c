/* some.c: of several requests the first that is complete, or all that are, waited for or tested. */
#include "orr_mpi.h"
#include "set.h"
#include "status.h"

static int look_any(int count, MPI_Request *requests, int *n, int *indices, MPI_Status *statuses)
{
	return orr_Testany(count, requests, indices, n, statuses);
}

static int look_some(int count, MPI_Request *requests, int *n, int *indices, MPI_Status *statuses)
{
	return orr_Testsome(count, requests, n, indices, statuses);
}

/* The first that is complete, or NULL, which no wait answers. */
static const struct wire_answer *any_ask(struct set *s, enum wire_kind kind, int mode)
{
	const struct wire_answer *a;

	for (;;) {
		a = link_ask(set_op(s, kind, mode));
		if (a->n == 0)
			return NULL;
		if (!set_half_done(s, (int)dones_of(a)[0].index))
			return a;
		link_block_free(a->list);
	}
}

static int any_finish(struct set *s, const struct wire_answer *a, int *index, MPI_Status *status)
{
	const struct wire_done *d = dones_of(a);
	int error = status ? status->MPI_ERROR : 0;

	*index = (int)d[0].index;
	s->status = status;
	set_complete(s, *index, &d[0], 0);
	link_block_free(a->list);
	if (status)
		status->MPI_ERROR = error;
	return set_one_code(s);
}

/* One that the program has completed, if there is any. */
static int any_general(struct set *s, int *index, MPI_Status *status)
{
	const struct wire_done none = {0};
	int i = 0;

	while (!set_general_done(s, i))
		i++;
	*index = i;
	s->status = status;
	set_complete(s, i, &none, 0);
	return set_one_code(s);
}

/* With requests that the program completes, a wait is a loop of tests. */
static int any_polls(struct set *s, int *index, MPI_Status *status)
{
	const struct wire_answer *a;

	for (;; set_pass()) {
		if (set_generals_done(s) > 0)
			return any_general(s, index, status);
		if (s->active == s->general)
			continue;
		a = any_ask(s, WIRE_TEST, TEST_ANY);
		if (a)
			return any_finish(s, a, index, status);
	}
}

int orr_Waitany(int count, MPI_Request array_of_requests[], int *index, MPI_Status *status)
{
	struct set s;
	int flag, code = set_make(&s, count, array_of_requests, NULL);

	if (code != MPI_SUCCESS)
		return code;
	if (s.active == 0) {
		*index = MPI_UNDEFINED;
		if (status)
			status_set_empty(status);
		return MPI_SUCCESS;
	}
	if (link_several())
		return set_looks(look_any, count, array_of_requests, &flag, index, status);
	link_enter();
	if (s.general)
		code = any_polls(&s, index, status);
	else
		code = any_finish(&s, any_ask(&s, WIRE_WAIT, WIRE_SOME_ONE), index, status);
	link_leave();
	return code;
}

struct set_way { /* to ask for a set */
	enum wire_kind kind;
	int mode;
};

/* Those that are complete; 0: sends were, of which the program is told nothing. */
static int some_finish(struct set *s, const struct wire_answer *a, int *outcount, int *indices,
                       MPI_Status *statuses)
{
	const struct wire_done *d = dones_of(a);
	uint64_t list = a->list;
	uint32_t n = a->n;
	int told = 0;

	s->status = statuses;
	for (uint32_t i = 0; i < n; i++) {
		if (set_half_done(s, (int)d[i].index))
			continue;
		indices[told] = (int)d[i].index;
		set_complete(s, indices[told], &d[i], told);
		told++;
	}
	*outcount = told;
	link_block_free(list);
	return told > 0 || n == 0;
}

static int some_ask(struct set *s, const struct set_way *way, int *outcount, int *indices,
                    MPI_Status *statuses)
{
	while (
	    !some_finish(s, link_ask(set_op(s, way->kind, way->mode)), outcount, indices, statuses))
		;
	return set_code(s, 2);
}

static int some_polls(struct set *s, enum wire_kind kind, int *outcount, int *indices,
                      MPI_Status *statuses)
{
	const struct set_way test = {WIRE_TEST, TEST_SOME};
	const struct wire_done none = {0};
	int n = 0, code;

	for (;; set_pass()) {
		code = some_ask(s, &test, &n, indices, statuses);
		for (int i = 0; i < s->n; i++)
			if (set_general_done(s, i)) {
				indices[n] = i;
				set_complete(s, i, &none, n++);
			}
		*outcount = n;
		if (n > 0 || kind == WIRE_TEST)
			return code != MPI_SUCCESS ? code : set_code(s, 2);
	}
}

static int some(const struct set_way *way, int incount, MPI_Request *requests, int *outcount,
                int *indices, MPI_Status *statuses)
{
	struct set s;
	int code = set_make(&s, incount, requests, NULL);

	if (code != MPI_SUCCESS)
		return code;
	if (s.active == 0) {
		*outcount = MPI_UNDEFINED;
		return MPI_SUCCESS;
	}
	link_enter();
	if (s.general > 0)
		code = some_polls(&s, way->kind, outcount, indices, statuses);
	else
		code = some_ask(&s, way, outcount, indices, statuses);
	link_leave();
	return code;
}

int orr_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount,
                 int array_of_indices[], MPI_Status array_of_statuses[])
{
	if (link_several())
		return set_looks(look_some, incount, array_of_requests, outcount, array_of_indices,
		                 array_of_statuses);
	return some(&(struct set_way){WIRE_WAIT, WIRE_SOME}, incount, array_of_requests, outcount,
	            array_of_indices, array_of_statuses);
}

int orr_Testsome(int incount, MPI_Request array_of_requests[], int *outcount,
                 int array_of_indices[], MPI_Status array_of_statuses[])
{
	return some(&(struct set_way){WIRE_TEST, TEST_SOME}, incount, array_of_requests, outcount,
	            array_of_indices, array_of_statuses);
}

int orr_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag,
                MPI_Status *status)
{
	const struct wire_answer *a;
	struct set s;
	int code = set_make(&s, count, array_of_requests, NULL);

	if (code != MPI_SUCCESS)
		return code;
	*index = MPI_UNDEFINED;
	*flag = 1;
	if (s.active == 0) {
		if (status)
			status_set_empty(status);
		return MPI_SUCCESS;
	}
	link_enter();
	*flag = set_generals_done(&s) > 0;
	if (*flag) {
		code = any_general(&s, index, status);
	} else {
		a = any_ask(&s, WIRE_TEST, TEST_ANY);
		*flag = a != NULL;
		if (a)
			code = any_finish(&s, a, index, status);
	}
	link_leave();
	return code;
}
