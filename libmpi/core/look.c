/* look.c: requests are looked at, and none is completed: what a complete one has received is in the
 * program's buffer then (MPI 4.1, 3.7.6). */
#include "front.h"
#include "orr_mpi.h"
#include "request.h"
#include "set.h"
#include "status.h"

static void peek_status(const struct orr_request *r, const struct wire_done *d, MPI_Status *status)
{
	uint64_t room = (uint64_t)r->count * (uint64_t)(r->type ? r->type->size : 0);

	if (!status)
		return;
	if (r->kind == REQUEST_RECV)
		status_set(status, source_rank(r->comm, d->source),
		           d->tag == WIRE_ANY ? MPI_ANY_TAG : d->tag,
		           (int64_t)(d->bytes < room ? d->bytes : room));
	else
		status_set_empty(status);
	status_set_cancelled(status, d->flags & WIRE_CANCELLED ? 1 : 0);
}

static void general_peek(struct orr_request *r, MPI_Status *status)
{
	MPI_Status own;

	status_set_empty(&own);
	front_call_query(r->general->call.query, r->general->extra, status ? status : &own);
}

/* Those that the simulator completes: how many are complete, or null. */
static int simulated_peek(const struct set *s, MPI_Status *statuses)
{
	const struct wire_answer *a = link_ask(set_op(s, WIRE_TEST, WIRE_PEEK));
	const struct wire_done *d = dones_of(a);
	uint32_t next = 0;
	int n = 0;

	for (int i = 0; i < s->n; i++) {
		struct orr_request *r = request_of(s->handle[i]);
		MPI_Status *status = statuses ? &statuses[i] : NULL;

		if (!r || !r->active) {
			if (status)
				status_set_empty(status);
			n++;
		} else if (!r->general && next < a->n && (int)d[next].index == i) {
			peek_status(r, &d[next], status);
			request_take(r, &d[next++]);
			r->seen = 1;
			n++;
		}
	}
	link_block_free(a->list);
	return n;
}

/* Those that the program completes: its functions may call MPI, so nothing of an answer is kept
 * while they run. */
static int generals_peek(const struct set *s, MPI_Status *statuses)
{
	int n = 0;

	for (int i = 0; s->general > 0 && i < s->n; i++) {
		struct orr_request *r = request_of(s->handle[i]);

		if (!r || !r->active || !r->general || !general_ready(r))
			continue;
		general_peek(r, statuses ? &statuses[i] : NULL);
		n++;
	}
	return n;
}

/* 1: all are complete (null ones are), with their statuses. */
static int peek(int count, const MPI_Request *requests, MPI_Status *statuses, int *code)
{
	struct set s;
	int n;

	*code = set_make(&s, count, (MPI_Request *)(uintptr_t)requests, NULL);
	if (*code != MPI_SUCCESS)
		return 0;
	link_enter();
	n = set_halves_test(&s) ? simulated_peek(&s, statuses) : -1;
	if (n >= 0)
		n += generals_peek(&s, statuses);
	link_leave();
	return n == count;
}

int orr_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	int code;

	*flag = peek(1, &request, status, &code);
	return code;
}

int orr_Request_get_status_all(int count, const MPI_Request array_of_requests[], int *flag,
                               MPI_Status array_of_statuses[])
{
	int code;

	*flag = peek(count, array_of_requests, array_of_statuses, &code);
	return code;
}

/* How many are active; all are requests, or *code says that they are not. */
static int active_count(int count, const MPI_Request *requests, int *code)
{
	struct set s;

	*code = set_make(&s, count, (MPI_Request *)(uintptr_t)requests, NULL);
	return s.active;
}

int orr_Request_get_status_any(int count, const MPI_Request array_of_requests[], int *index,
                               int *flag, MPI_Status *status)
{
	int code;

	*index = MPI_UNDEFINED;
	*flag = active_count(count, array_of_requests, &code) == 0;
	if (code == MPI_SUCCESS && *flag && status)
		status_set_empty(status);
	for (int i = 0; i < count && !*flag && code == MPI_SUCCESS; i++) {
		const struct orr_request *r = request_of(array_of_requests[i]);

		if (!r || !r->active)
			continue;
		*flag = peek(1, &array_of_requests[i], status, &code);
		if (*flag)
			*index = i;
	}
	return code;
}

int orr_Request_get_status_some(int incount, const MPI_Request array_of_requests[], int *outcount,
                                int array_of_indices[], MPI_Status array_of_statuses[])
{
	int code, flag;

	*outcount = active_count(incount, array_of_requests, &code) ? 0 : MPI_UNDEFINED;
	for (int i = 0; i < incount && *outcount != MPI_UNDEFINED && code == MPI_SUCCESS; i++) {
		const struct orr_request *r = request_of(array_of_requests[i]);

		if (!r || !r->active)
			continue;
		flag = peek(1, &array_of_requests[i],
		            array_of_statuses ? &array_of_statuses[*outcount] : NULL, &code);
		if (flag)
			array_of_indices[(*outcount)++] = i;
	}
	return code;
}
