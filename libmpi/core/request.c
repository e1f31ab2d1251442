/* request.c: requests are made, waited for, tested, freed; persistent ones: start.c; those
 * that the program completes: general.c; looked at: look.c. See request.h.
 *
 * A wait for sends that were queued with their data needs no answer: it is queued too. */
#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "coll.h"
#include "front.h"
#include "objects/errhandler.h"
#include "orr_mpi.h"
#include "p2p.h"
#include "set.h"
#include "status.h"

struct orr_request *request_new(enum request_kind kind, struct orr_comm *comm, void *buf,
                                MPI_Count count, struct orr_type *type)
{
	struct orr_request *r = orr_object_new(ORR_REQUEST, sizeof *r);

	if (!r)
		return NULL;
	r->kind = (uint8_t)kind;
	r->number = WIRE_NONE;
	r->buf = buf;
	r->count = count;
	r->type = type;
	r->comm = comm;
	if (type)
		orr_type_keep(type);
	if (comm)
		orr_object_keep(comm);
	return r;
}

void request_end(struct orr_request *r)
{
	if (r->number != WIRE_NONE)
		link_number_free(r->number);
	if (r->plan)
		coll_plan_free(r->plan);
	free(r->general);
	if (r->end)
		r->end(r);
	if (r->type)
		orr_type_drop(r->type);
	if (r->comm)
		orr_comm_drop(r->comm);
	if (orr_object_drop(r))
		orr_object_end(r);
}

struct orr_request *request_of(MPI_Request request)
{
	return request == MPI_REQUEST_NULL ? NULL : orr_object(ORR_REQUEST, request);
}

/* --- what was received --- */

int source_rank(struct orr_comm *c, int32_t process)
{
	struct orr_group *g = c->remote ? c->remote : c->local;

	if (process == WIRE_NOBODY)
		return MPI_PROC_NULL;
	return process < 0 ? MPI_ANY_SOURCE : orr_group_find(g, process);
}

/* Received data into the buffer; how many bytes they are. A receive that was looked at before it is
 * finished has them there already, and no block any more. */
static uint64_t receive_take(void *buf, MPI_Count count, struct orr_type *type,
                             const struct wire_done *d)
{
	uint64_t room = (uint64_t)count * (uint64_t)(type ? type->size : 0);
	uint64_t n = d->bytes < room ? d->bytes : room;

	if (d->block && n > 0)
		unpack_block(buf, count, type, n, d->block);
	link_block_free(d->block);
	return n;
}

int receive_finish(struct orr_comm *comm, void *buf, MPI_Count count, struct orr_type *type,
                   const struct wire_done *d, MPI_Status *status)
{
	uint64_t n = receive_take(buf, count, type, d);

	if (status) {
		int error = status->MPI_ERROR;

		status_set(status, source_rank(comm, d->source),
		           d->tag == WIRE_ANY ? MPI_ANY_TAG : d->tag, (int64_t)n);
		status_set_cancelled(status, d->flags & WIRE_CANCELLED ? 1 : 0);
		status->MPI_ERROR = error;
	}
	return d->flags & WIRE_TRUNCATED
	           ? orr_error_note(MPI_ERR_TRUNCATE,
	                            "%llu bytes from rank %d with tag %d, and room for %llu",
	                            (unsigned long long)d->bytes, source_rank(comm, d->source),
	                            d->tag, (unsigned long long)n)
	           : MPI_SUCCESS;
}

void request_take(struct orr_request *r, const struct wire_done *d)
{
	if (r->kind == REQUEST_COLL)
		coll_plan_take(r->plan);
	else if (r->kind == REQUEST_PART)
		parts_take(r);
	else if (r->kind == REQUEST_RECV)
		receive_take(r->buf, r->count, r->type, d);
	else
		link_block_free(d->block);
}

static int complete(struct orr_request *r, const struct wire_done *d, MPI_Status *status)
{
	if (r->complete)
		return r->complete(r, d, status);
	if (r->general)
		return general_complete(r, status);
	if (r->kind == REQUEST_COLL) {
		coll_plan_finish(r->plan);
		if (status)
			status_set_empty(status);
		return MPI_SUCCESS;
	}
	if (r->kind == REQUEST_RECV)
		return receive_finish(r->comm, r->buf, r->count, r->type, d, status);
	link_block_free(d->block);
	if (status) {
		status_set_empty(status);
		status_set_cancelled(status, d->flags & WIRE_CANCELLED ? 1 : 0);
	}
	return MPI_SUCCESS;
}

/* Complete: given back to the program as null, or inactive. */
static void retire(struct orr_request *r, MPI_Request *request)
{
	r->active = r->seen = 0;
	if (r->persistent)
		return;
	request_end(r);
	*request = MPI_REQUEST_NULL;
}

/* --- waiting for several --- */

int set_make(struct set *s, int n, MPI_Request *handle, MPI_Status *status)
{
	*s = (struct set){.n = n, .handle = handle, .status = status, .quiet = 1};
	if (n < 0)
		return orr_error_note(MPI_ERR_COUNT, "%d", n);
	for (int i = 0; i < n; i++) {
		const struct orr_request *r = request_of(handle[i]);

		if (!r && handle[i] != MPI_REQUEST_NULL)
			return MPI_ERR_REQUEST;
		if (!r || !r->active)
			continue;
		s->active++;
		s->general += r->general != NULL;
		s->halves += r->other != NULL;
		s->quiet &= r->quiet || r->general;
	}
	return MPI_SUCCESS;
}

struct set_way { /* to ask for a set */
	enum wire_kind kind;
	int mode;
};

static void set_empty(struct set *s, int i)
{
	if (s->status) {
		status_set_empty(&s->status[i]);
		s->status[i].MPI_ERROR = MPI_SUCCESS;
	}
}

enum { TEST_ONE, TEST_ALL, TEST_ANY, TEST_SOME }; /* enum mp_test_kind */

/* --- those that the program completes --- */

/* Time passes, and other threads may call MPI. */
static void pass(void)
{
	struct wire_op *op = link_sleep(WIRE_SLEEP, 1e-6);

	op->a = 1;
	link_ask(op);
	link_yield();
}

static int general_done(const struct set *s, int i)
{
	const struct orr_request *r = request_of(s->handle[i]);

	return r && r->active && r->general && general_ready(r);
}

static int generals_done(const struct set *s)
{
	int n = 0;

	for (int i = 0; s->general > 0 && i < s->n; i++)
		n += general_done(s, i);
	return n;
}

static int set_complete(struct set *s, int index, const struct wire_done *d, int at);

/* The program has completed them all; they are active until they are told of. */
static void generals_await(const struct set *s)
{
	while (generals_done(s) < s->general)
		pass();
}

/* All of them, waited for. */
static void generals_wait(struct set *s)
{
	const struct wire_done none = {0};

	generals_await(s);
	for (int i = 0; s->general > 0 && i < s->n; i++)
		if (general_done(s, i))
			set_complete(s, i, &none, i);
	s->general = 0;
}

/* The number by which a set asks for its request: of one that is a send and a receive, the send's
 * first. */
static uint32_t asked_of(const struct orr_request *r)
{
	if (!r || !r->active || r->general)
		return WIRE_NONE;
	return r->other ? r->other->number : r->number;
}

static uint32_t half_of(const struct orr_request *r)
{
	return r && r->other ? r->other->number : WIRE_NONE;
}

static struct wire_op *numbers_op(const struct set *s, enum wire_kind kind, int mode,
                                  uint32_t (*number)(const struct orr_request *r))
{
	uint32_t *to;
	void *list;
	struct wire_op *op = link_room_list(kind, 0, (uint32_t)s->n, sizeof *to, &list);

	to = list;
	op->mode = (uint8_t)mode;
	for (int i = 0; i < s->n; i++)
		to[i] = number(request_of(s->handle[i]));
	return op;
}

struct wire_op *set_op(const struct set *s, enum wire_kind kind, int mode)
{
	return numbers_op(s, kind, mode, asked_of);
}

/* --- those that are a send and a receive: the send is asked for first --- */

/* The i-th is complete as it was asked for; 1: that was its send. */
static int half_done(struct set *s, int i)
{
	struct orr_request *r = request_of(s->handle[i]);

	if (!r->other)
		return 0;
	request_end(r->other);
	r->other = NULL;
	s->halves--;
	return 1;
}

/* The sends of all of them, and of nothing else. */
static struct wire_op *halves_op(const struct set *s, enum wire_kind kind, int mode)
{
	return numbers_op(s, kind, mode, half_of);
}

/* Nobody needs to know when they are: what waits next does so after them. */
static void halves_wait(struct set *s)
{
	if (s->halves == 0)
		return;
	link_put(halves_op(s, WIRE_WAIT, WIRE_ALL));
	for (int i = 0; i < s->n; i++)
		if (request_of(s->handle[i]))
			half_done(s, i);
}

int halves_test(struct set *s)
{
	const struct wire_answer *a;
	const struct wire_done *d;

	if (s->halves == 0)
		return 1;
	a = link_ask(halves_op(s, WIRE_TEST, TEST_SOME));
	d = dones_of(a);
	for (uint32_t i = 0; i < a->n; i++)
		half_done(s, (int)d[i].index);
	link_block_free(a->list);
	return s->halves == 0;
}

/* The i-th completion of an answer, for the request at `index`, with its status at `at`. */
static int set_complete(struct set *s, int index, const struct wire_done *d, int at)
{
	struct orr_request *r = request_of(s->handle[index]);
	MPI_Status *status = s->status ? &s->status[at] : NULL;
	int code = complete(r, d, status);

	if (status)
		status->MPI_ERROR = code;
	if (code != MPI_SUCCESS)
		s->failed = code;
	retire(r, &s->handle[index]);
	return code;
}

/* Completions at the places of their requests. */
static void set_all(struct set *s, const struct wire_answer *a)
{
	const struct wire_done *d = dones_of(a);
	uint64_t list = a->list;
	uint32_t n = a->n;

	for (int i = 0; i < s->n; i++) {
		const struct orr_request *r = request_of(s->handle[i]);

		if (!r || !r->active)
			set_empty(s, i);
	}
	for (uint32_t i = 0; i < n; i++)
		set_complete(s, (int)d[i].index, &d[i], (int)d[i].index);
	link_block_free(list);
}

static int set_code(const struct set *s, int n)
{
	if (s->failed == MPI_SUCCESS)
		return MPI_SUCCESS;
	return n > 1 || s->status ? MPI_ERR_IN_STATUS : s->failed;
}

/* With several threads: tests until one tells that it is complete. */
typedef int look_fn(int count, MPI_Request *requests, int *n, int *indices, MPI_Status *statuses);

static int look_all(int count, MPI_Request *requests, int *n, int *indices, MPI_Status *statuses)
{
	(void)indices;
	return orr_Testall(count, requests, n, statuses);
}

static int look_any(int count, MPI_Request *requests, int *n, int *indices, MPI_Status *statuses)
{
	return orr_Testany(count, requests, indices, n, statuses);
}

static int look_some(int count, MPI_Request *requests, int *n, int *indices, MPI_Status *statuses)
{
	return orr_Testsome(count, requests, n, indices, statuses);
}

static int look_one(int count, MPI_Request *requests, int *n, int *indices, MPI_Status *statuses)
{
	(void)count;
	(void)indices;
	return orr_Test(requests, n, statuses);
}

static int looks(look_fn *look, int count, MPI_Request *requests, int *n, int *indices,
                 MPI_Status *statuses)
{
	double pause = 0;
	int code;

	for (;;) {
		code = look(count, requests, n, indices, statuses);
		if (code != MPI_SUCCESS || *n != 0)
			return code;
		link_pause(&pause);
	}
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
		return looks(look_all, count, array_of_requests, &flag, NULL, array_of_statuses);
	link_enter();
	generals_await(&s);
	halves_wait(&s);
	op = set_op(&s, WIRE_WAIT, count == 1 ? WIRE_ONE : WIRE_ALL);
	if (!s.quiet) {
		set_all(&s, link_ask(op));
		generals_wait(&s); /* their statuses are none that set_all empties */
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

/* A call for one request: the error itself, and MPI_ERROR of the status is not touched. */
static int one_code(const struct set *s)
{
	return s->failed;
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
		return looks(look_one, 1, request, &flag, NULL, status);
	link_enter();
	if (s.general) {
		generals_wait(&s);
		link_leave();
		if (status)
			status->MPI_ERROR = error;
		return one_code(&s);
	}
	halves_wait(&s);
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
	return one_code(&s);
}

/* The first that is complete, or NULL, which no wait answers. */
static const struct wire_answer *any_ask(struct set *s, enum wire_kind kind, int mode)
{
	const struct wire_answer *a;

	for (;;) {
		a = link_ask(set_op(s, kind, mode));
		if (a->n == 0)
			return NULL;
		if (!half_done(s, (int)dones_of(a)[0].index))
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
	return one_code(s);
}

/* One that the program has completed, if there is any. */
static int any_general(struct set *s, int *index, MPI_Status *status)
{
	const struct wire_done none = {0};
	int i = 0;

	while (!general_done(s, i))
		i++;
	*index = i;
	s->status = status;
	set_complete(s, i, &none, 0);
	return one_code(s);
}

/* With requests that the program completes, a wait is a loop of tests. */
static int any_polls(struct set *s, int *index, MPI_Status *status)
{
	const struct wire_answer *a;

	for (;; pass()) {
		if (generals_done(s) > 0)
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
		return looks(look_any, count, array_of_requests, &flag, index, status);
	link_enter();
	if (s.general)
		code = any_polls(&s, index, status);
	else
		code = any_finish(&s, any_ask(&s, WIRE_WAIT, WIRE_SOME_ONE), index, status);
	link_leave();
	return code;
}

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
		if (half_done(s, (int)d[i].index))
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

	for (;; pass()) {
		code = some_ask(s, &test, &n, indices, statuses);
		for (int i = 0; i < s->n; i++)
			if (general_done(s, i)) {
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
		return looks(look_some, incount, array_of_requests, outcount, array_of_indices,
		             array_of_statuses);
	return some(&(struct set_way){WIRE_WAIT, WIRE_SOME}, incount, array_of_requests, outcount,
	            array_of_indices, array_of_statuses);
}

/* --- testing --- */

int orr_Testsome(int incount, MPI_Request array_of_requests[], int *outcount,
                 int array_of_indices[], MPI_Status array_of_statuses[])
{
	return some(&(struct set_way){WIRE_TEST, TEST_SOME}, incount, array_of_requests, outcount,
	            array_of_indices, array_of_statuses);
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
		pass();
		*flag = generals_done(&s) > 0;
		if (*flag)
			generals_wait(&s);
	} else {
		a = halves_test(&s) ? link_ask(set_op(&s, WIRE_TEST, TEST_ONE)) : NULL;
		*flag = a && a->n > 0;
		if (*flag)
			set_all(&s, a);
	}
	link_leave();
	if (status)
		status->MPI_ERROR = error;
	return one_code(&s);
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
	*flag = generals_done(&s) == s.general;
	if (!*flag)
		pass();
	if (*flag) {
		a = halves_test(&s) ? link_ask(set_op(&s, WIRE_TEST, TEST_ALL)) : NULL;
		*flag = a && a->flag != 0;
		if (*flag) {
			set_all(&s, a);
			generals_wait(&s);
		}
	}
	link_leave();
	return set_code(&s, count);
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
	*flag = generals_done(&s) > 0;
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

int request_finish(struct orr_request *r, MPI_Status *status)
{
	MPI_Request handle = orr_handle(r);

	return orr_Wait(&handle, status);
}

/* --- giving up --- */

int orr_Request_free(MPI_Request *request)
{
	struct orr_request *r = request_of(*request);
	struct wire_op *op;

	if (!r)
		return MPI_ERR_REQUEST;
	if (r->active && r->seen) { /* MPI 4.1, 3.7.6: that may be followed by this, as by a wait */
		int code = orr_Wait(request, MPI_STATUS_IGNORE);

		if (code != MPI_SUCCESS || *request == MPI_REQUEST_NULL)
			return code;
	}
	if (r->active && (r->kind == REQUEST_COLL || r->kind == REQUEST_COMM))
		return orr_error_note(MPI_ERR_REQUEST, "of a collective that is under way");
	if (r->general) {
		*request = MPI_REQUEST_NULL;
		return general_free(r);
	}
	link_enter();
	if (r->other) {
		op = link_room(WIRE_REQUEST_FREE, 0);
		op->a = r->other->number;
		link_put(op);
		request_end(r->other);
		r->other = NULL;
	}
	/* A receive goes on to come: its number and memory stay until the end (invariant of a
	 * program that frees what it must not look at). */
	if (r->kind != REQUEST_COLL) {
		op = link_room(WIRE_REQUEST_FREE, 0);
		op->a = r->number;
		link_put(op);
	}
	if (r->kind != REQUEST_RECV || !r->active)
		request_end(r);
	link_leave();
	*request = MPI_REQUEST_NULL;
	return MPI_SUCCESS;
}

/* MPI 4.1, 3.8.4, 4.2.2, 6.12: neither collectives nor active partitioned requests are cancelled.
 * Nor is a send and a receive in one: either might be over already, and half of a request cannot be
 * cancelled. As in MPICH. */
static int may_be_cancelled(const struct orr_request *r)
{
	return r->kind != REQUEST_COLL && r->kind != REQUEST_COMM && r->kind != REQUEST_PART &&
	       !r->other;
}

int orr_Cancel(MPI_Request *request)
{
	struct orr_request *r = request_of(*request);
	struct wire_op *op;

	if (!r || !r->active || !may_be_cancelled(r))
		return MPI_ERR_REQUEST;
	if (r->general)
		return front_call_cancel(r->general->call.cancel, r->general->extra,
		                         r->general->complete);
	link_enter();
	r->quiet = 0;
	op = link_room(WIRE_CANCEL, 0);
	op->a = r->number;
	link_put(op);
	link_leave();
	return MPI_SUCCESS;
}
