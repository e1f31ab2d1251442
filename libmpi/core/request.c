/* request.c: a request: made, ended, and what it has received when it is complete. Persistent ones:
 * start.c; those that the program completes: general.c. Requests are waited for and tested as sets:
 * set.c, wait.c, some.c; looked at: look.c; given up: cancel.c. See request.h. */
#include "request.h"

#include <stdlib.h>

#include "coll.h"
#include "intact.h"
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
	free(r->was);
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
	intact_end(r);
	if (r->kind == REQUEST_COLL)
		coll_plan_take(r->plan);
	else if (r->kind == REQUEST_PART)
		parts_take(r);
	else if (r->kind == REQUEST_RECV)
		receive_take(r->buf, r->count, r->type, d);
	else
		link_block_free(d->block);
}

int request_complete(struct orr_request *r, const struct wire_done *d, MPI_Status *status)
{
	intact_end(r);
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
