/* set.c: the requests of one call: how the simulator is asked for them, and what becomes of those
 * that are complete. See set.h. */
#include "set.h"

#include "intact.h"
#include "objects/errhandler.h"
#include "status.h"

/* Complete: given back to the program as null, or inactive. */
static void retire(struct orr_request *r, MPI_Request *request)
{
	r->active = r->seen = 0;
	if (r->persistent)
		return;
	request_end(r);
	*request = MPI_REQUEST_NULL;
}

/* The i-th completion of an answer, for the request at `index`, with its status at `at`. */
int set_complete(struct set *s, int index, const struct wire_done *d, int at)
{
	struct orr_request *r = request_of(s->handle[index]);
	MPI_Status *status = s->status ? &s->status[at] : NULL;
	int code = request_complete(r, d, status);

	if (status)
		status->MPI_ERROR = code;
	if (code != MPI_SUCCESS && s->failed == MPI_SUCCESS) {
		s->failed = code;
		orr_error_of(r->comm ? &r->comm->o : NULL, code);
	}
	retire(r, &s->handle[index]);
	return code;
}

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

void set_empty(struct set *s, int i)
{
	if (s->status) {
		status_set_empty(&s->status[i]);
		s->status[i].MPI_ERROR = MPI_SUCCESS;
	}
}

/* --- asking --- */

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

/* --- those that the program completes --- */

/* Time passes, and other threads may call MPI. */
void set_pass(void)
{
	struct wire_op *op = link_sleep(WIRE_SLEEP, 1e-6);

	op->a = 1;
	link_ask(op);
	link_yield();
}

int set_general_done(const struct set *s, int i)
{
	const struct orr_request *r = request_of(s->handle[i]);

	return r && r->active && r->general && general_ready(r);
}

int set_generals_done(const struct set *s)
{
	int n = 0;

	for (int i = 0; s->general > 0 && i < s->n; i++)
		n += set_general_done(s, i);
	return n;
}

/* The program has completed them all; they are active until they are told of. */
void set_generals_await(const struct set *s)
{
	while (set_generals_done(s) < s->general)
		set_pass();
}

/* All of them, waited for. */
void set_generals_wait(struct set *s)
{
	const struct wire_done none = {0};

	set_generals_await(s);
	for (int i = 0; s->general > 0 && i < s->n; i++)
		if (set_general_done(s, i))
			set_complete(s, i, &none, i);
	s->general = 0;
}

/* --- those that are a send and a receive: the send is asked for first --- */

/* The i-th is complete as it was asked for; 1: that was its send. */
int set_half_done(struct set *s, int i)
{
	struct orr_request *r = request_of(s->handle[i]);

	if (!r->other)
		return 0;
	intact_end(r->other);
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
void set_halves_wait(struct set *s)
{
	if (s->halves == 0)
		return;
	link_put(halves_op(s, WIRE_WAIT, WIRE_ALL));
	for (int i = 0; i < s->n; i++)
		if (request_of(s->handle[i]))
			set_half_done(s, i);
}

int set_halves_test(struct set *s)
{
	const struct wire_answer *a;
	const struct wire_done *d;

	if (s->halves == 0)
		return 1;
	a = link_ask(halves_op(s, WIRE_TEST, TEST_SOME));
	d = dones_of(a);
	for (uint32_t i = 0; i < a->n; i++)
		set_half_done(s, (int)d[i].index);
	link_block_free(a->list);
	return s->halves == 0;
}

/* --- answers --- */

/* Completions at the places of their requests. */
void set_all(struct set *s, const struct wire_answer *a)
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

int set_code(const struct set *s, int n)
{
	if (s->failed == MPI_SUCCESS)
		return MPI_SUCCESS;
	return n > 1 || s->status ? MPI_ERR_IN_STATUS : s->failed;
}

int set_looks(look_fn *look, int count, MPI_Request *requests, int *n, int *indices,
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
