/* mpich_x.c: MPICH's extensions (MPIX_*) and what its library exports for tools. */
#include "front_int.h"

FRONT int PMPI_Remove_error_class(int errorclass);
FRONT int PMPI_Remove_error_code(int errorcode);
FRONT int PMPI_Remove_error_string(int errorcode);

#define X(name, params) \
	FRONT int P##name params; \
	ALIAS(name) \
	int P##name params

X(MPIX_GPU_query_support, (int gpu_type, int *is_supported))
{
	(void)gpu_type;
	*is_supported = 0;
	return 0;
}

X(MPIX_Query_cuda_support, (void))
{
	return 0;
}

X(MPIX_Query_hip_support, (void))
{
	return 0;
}

X(MPIX_Query_ze_support, (void))
{
	return 0;
}

X(MPIX_Delete_error_class, (int errorclass))
{
	return PMPI_Remove_error_class(errorclass);
}

X(MPIX_Delete_error_code, (int errorcode))
{
	return PMPI_Remove_error_code(errorcode);
}

X(MPIX_Delete_error_string, (int errorcode))
{
	return PMPI_Remove_error_string(errorcode);
}

/* ---- generalised requests that MPICH looks at: by what they are polled with, in waits too, so
 * that the function that would wait for several is not needed ---- */

static struct front_general general(void *query, void *free, void *cancel, void *poll)
{
	return (struct front_general){token_plain(query), token_plain(free), token_plain(cancel),
	                              token_plain(poll)};
}

/* Who gives no function to poll with would be waited for by one that nobody calls. */
static int general_start(const struct front_general *g, int active, void *state, N_Request *out,
                         const char *name)
{
	MPI_Request made = MPI_REQUEST_NULL;
	int rc = g->poll ? orr_general_start(g, active, state, &made) : MPI_ERR_ARG;

	*out = out_Request(made);
	return rc ? front_raise(ERROR_NONE, NULL, rc, name) : 0;
}

X(MPIX_Grequest_start,
  (void *query, void *free, void *cancel, void *poll, void *wait, void *state, N_Request *request))
{
	const struct front_general g = general(query, free, cancel, poll);

	(void)wait;
	return general_start(&g, 1, state, request, "MPIX_Grequest_start");
}

/* A class is the handle of a request that never starts. */
X(MPIX_Grequest_class_create,
  (void *query, void *free, void *cancel, void *poll, void *wait, N_Request *greq_class))
{
	const struct front_general g = general(query, free, cancel, poll);

	(void)wait;
	return general_start(&g, 0, NULL, greq_class, "MPIX_Grequest_class_create");
}

X(MPIX_Grequest_class_allocate, (N_Request greq_class, void *state, N_Request *request))
{
	MPI_Request made = MPI_REQUEST_NULL;
	int rc = orr_general_of_class(in_Request(greq_class), state, &made);

	*request = out_Request(made);
	return rc ? front_raise(ERROR_NONE, NULL, rc, "MPIX_Grequest_class_allocate") : 0;
}

X(MPIX_Comm_test_threadcomm, (N_Comm comm, int *flag))
{
	(void)comm;
	*flag = 0;
	return 0;
}

/* MPICH 4.1's and 4.2's: streams, communicators of threads, GPUs. libmpichfort.so of 4.2 names them
 * all, so that no program in Fortran would be loaded without. Arguments are not looked at. */
#define NONE(name) \
	X(name, (void)) \
	{ \
		return front_raise(ERROR_NONE, NULL, MPI_ERR_UNSUPPORTED_OPERATION, #name); \
	}
NONE(MPIX_Allreduce_enqueue)
NONE(MPIX_Allreduce_enqueue_c)
NONE(MPIX_Comm_get_stream)
NONE(MPIX_Info_set_hex)
NONE(MPIX_Irecv_enqueue)
NONE(MPIX_Irecv_enqueue_c)
NONE(MPIX_Isend_enqueue)
NONE(MPIX_Isend_enqueue_c)
NONE(MPIX_Recv_enqueue)
NONE(MPIX_Recv_enqueue_c)
NONE(MPIX_Send_enqueue)
NONE(MPIX_Send_enqueue_c)
NONE(MPIX_Start_progress_thread)
NONE(MPIX_Stop_progress_thread)
NONE(MPIX_Stream_comm_create)
NONE(MPIX_Stream_comm_create_multiplex)
NONE(MPIX_Stream_create)
NONE(MPIX_Stream_free)
NONE(MPIX_Stream_irecv)
NONE(MPIX_Stream_irecv_c)
NONE(MPIX_Stream_isend)
NONE(MPIX_Stream_isend_c)
NONE(MPIX_Stream_progress)
NONE(MPIX_Stream_recv)
NONE(MPIX_Stream_recv_c)
NONE(MPIX_Stream_send)
NONE(MPIX_Stream_send_c)
NONE(MPIX_Threadcomm_finish)
NONE(MPIX_Threadcomm_free)
NONE(MPIX_Threadcomm_init)
NONE(MPIX_Threadcomm_start)
NONE(MPIX_Type_iov)
NONE(MPIX_Type_iov_len)
NONE(MPIX_Wait_enqueue)
NONE(MPIX_Waitall_enqueue)

/* For tools that MPICH loads itself: there are none here. */
FRONT int QMPI_Register_tool_name(const char *tool_name, void (*init)(int tool_id));
int QMPI_Register_tool_name(const char *tool_name, void (*init)(int tool_id))
{
	(void)tool_name;
	(void)init;
	return out_error(MPI_ERR_UNSUPPORTED_OPERATION);
}
