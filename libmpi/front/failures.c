/* failures.c: what MPICH and Open MPI have for programs that outlive processes (MPIX_Comm_*).
 *
 * No process of a simulation fails and leaves the others running, so that there is nothing to
 * acknowledge, and agreeing and shrinking are what they are without failures.
 */
#include "front_int.h"

FRONT int PMPI_Comm_dup(N_Comm comm, N_Comm *newcomm);
FRONT int PMPI_Allreduce(const void *sendbuf, void *recvbuf, int count, N_Datatype datatype,
                         N_Op op, N_Comm comm);
FRONT int PMPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, N_Datatype datatype,
                          N_Op op, N_Comm comm, N_Request *request);

#define X(name, params) \
	FRONT int P##name params; \
	ALIAS(name) \
	int P##name params

X(MPIX_Comm_failure_ack, (N_Comm comm))
{
	(void)comm;
	return 0;
}

X(MPIX_Comm_failure_get_acked, (N_Comm comm, N_Group *group))
{
	(void)comm;
	*group = out_Group(MPI_GROUP_EMPTY);
	return 0;
}

X(MPIX_Comm_ack_failed, (N_Comm comm, int num_to_ack, int *num_acked))
{
	(void)comm;
	(void)num_to_ack;
	*num_acked = 0;
	return 0;
}

X(MPIX_Comm_get_failed, (N_Comm comm, N_Group *group))
{
	(void)comm;
	*group = out_Group(MPI_GROUP_EMPTY);
	return 0;
}

X(MPIX_Comm_revoke, (N_Comm comm))
{
	return front_raise(ERROR_COMM, in_Comm(comm), MPI_ERR_UNSUPPORTED_OPERATION,
	                   "MPIX_Comm_revoke");
}

X(MPIX_Comm_is_revoked, (N_Comm comm, int *flag))
{
	(void)comm;
	*flag = 0;
	return 0;
}

X(MPIX_Comm_shrink, (N_Comm comm, N_Comm *newcomm))
{
	return PMPI_Comm_dup(comm, newcomm);
}

X(MPIX_Comm_agree, (N_Comm comm, int *flag))
{
	return PMPI_Allreduce((void *)(intptr_t)N_IN_PLACE, flag, 1, out_Datatype(MPI_INT),
	                      out_Op(MPI_BAND), comm);
}

X(MPIX_Comm_iagree, (N_Comm comm, int *flag, N_Request *request))
{
	return PMPI_Iallreduce((void *)(intptr_t)N_IN_PLACE, flag, 1, out_Datatype(MPI_INT),
	                       out_Op(MPI_BAND), comm, request);
}
