/* general.c: generalised requests: those that the program completes. */
#include <stdlib.h>

#include "front.h"
#include "orr_mpi.h"
#include "request.h"
#include "set.h"
#include "status.h"

int general_complete(struct orr_request *r, MPI_Status *status)
{
	struct grequest *g = r->general;
	MPI_Status own;
	int code, freed;

	status_set_empty(&own);
	code = front_call_query(g->call.query, g->extra, &own);
	freed = front_call_free(g->call.free, g->extra);
	if (status) {
		own.MPI_ERROR = status->MPI_ERROR;
		*status = own;
	}
	return code != MPI_SUCCESS ? code : freed;
}

int orr_general_start(const struct front_general *g, int active, void *extra_state,
                      MPI_Request *request)
{
	struct orr_request *r = request_new(REQUEST_OTHER, NULL, NULL, 0, NULL);

	if (!r)
		return MPI_ERR_NO_MEM;
	r->general = calloc(1, sizeof *r->general);
	if (!r->general) {
		request_end(r);
		return MPI_ERR_NO_MEM;
	}
	*r->general = (struct grequest){*g, extra_state, 0};
	r->active = active != 0;
	*request = orr_handle(r);
	return MPI_SUCCESS;
}

int orr_general_of_class(MPI_Request general, void *extra_state, MPI_Request *request)
{
	struct orr_request *r = request_of(general);

	if (!r || !r->general || r->active)
		return MPI_ERR_ARG;
	return orr_general_start(&r->general->call, 1, extra_state, request);
}

int orr_Grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                       MPI_Grequest_cancel_function *cancel_fn, void *extra_state,
                       MPI_Request *request)
{
	const struct front_general g = {query_fn, free_fn, cancel_fn, NULL};

	return orr_general_start(&g, 1, extra_state, request);
}

int general_ready(const struct orr_request *r)
{
	struct grequest *g = r->general;

	if (!g->complete && g->call.poll)
		front_call_poll(g->call.poll, g->extra);
	return g->complete;
}

int orr_Grequest_complete(MPI_Request request)
{
	struct orr_request *r = request_of(request);

	if (!r || !r->general)
		return MPI_ERR_REQUEST;
	r->general->complete = 1;
	if (!r->released)
		return MPI_SUCCESS;
	front_call_free(r->general->call.free, r->general->extra);
	request_end(r);
	return MPI_SUCCESS;
}

int general_free(struct orr_request *r)
{
	int code = MPI_SUCCESS;

	r->released = 1;
	if (r->general->complete) {
		code = front_call_free(r->general->call.free, r->general->extra);
		request_end(r);
	}
	return code;
}
