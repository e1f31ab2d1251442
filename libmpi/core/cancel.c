/* cancel.c: requests that are given up: freed before they are complete, cancelled. */
#include "front.h"
#include "objects/errhandler.h"
#include "orr_mpi.h"
#include "request.h"
#include "set.h"

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
