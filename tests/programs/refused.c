/* refused.c: calls with arguments that MPI refuses, errors being returned, between calls that are
 * right. Prints how many were refused. */
#include <mpi.h>
#include <stdio.h>

static int refusals;

static void refused(int rc)
{
	refusals += rc != MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	int rank, size, a[64] = {0}, b[64] = {0}, counts[2] = {-1, 1}, displs[2] = {0, 1}, flag,
	                dims = 2, periods = 0;
	MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, bad;
	MPI_Comm world = MPI_COMM_WORLD, other = MPI_COMM_NULL;
	MPI_Status s;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &size);
	MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	for (int i = 0; i < 3; i++) {
		refused(MPI_Send(a, -1, MPI_INT, 0, 0, world));
		refused(MPI_Send(a, 1, MPI_INT, 0, -2, world));
		refused(MPI_Send(a, 1, MPI_INT, size, 0, world));
		refused(MPI_Ssend(a, -1, MPI_INT, 0, 0, world));
		refused(MPI_Bsend(a, -1, MPI_INT, 0, 0, world));
		refused(MPI_Rsend(a, 1, MPI_INT, 0, -7, world));
		refused(MPI_Recv(a, -1, MPI_INT, 0, 0, world, &s));
		refused(MPI_Recv(a, 1, MPI_INT, size + 3, 0, world, &s));
		refused(MPI_Isend(a, -1, MPI_INT, 0, 0, world, &bad));
		refused(MPI_Irecv(a, 1, MPI_INT, 0, -5, world, &bad));
		refused(MPI_Send_init(a, -1, MPI_INT, 0, 0, world, &bad));
		refused(MPI_Recv_init(a, 1, MPI_INT, size, 0, world, &bad));
		refused(MPI_Sendrecv(a, -1, MPI_INT, 0, 0, b, 1, MPI_INT, 0, 0, world, &s));
		refused(MPI_Sendrecv(a, 1, MPI_INT, 0, -2, b, 1, MPI_INT, 0, 0, world, &s));
		refused(MPI_Sendrecv_replace(a, 1, MPI_INT, size, 0, 0, 0, world, &s));
		refused(MPI_Probe(size, 0, world, &s));
		refused(MPI_Iprobe(0, -9, world, &flag, &s));
#if !defined(MPICH) /* Debian's is built without these checks, and crashes */
		refused(MPI_Bcast(a, -1, MPI_INT, 0, world));
		refused(MPI_Bcast(a, 1, MPI_INT, size, world));
		refused(MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, -3, world));
		refused(MPI_Reduce(a, b, -1, MPI_INT, MPI_SUM, 0, world));
		refused(MPI_Allreduce(a, b, -1, MPI_INT, MPI_SUM, world));
		refused(MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, size, world));
		refused(MPI_Scatter(a, 1, MPI_INT, b, 1, MPI_INT, -4, world));
		refused(MPI_Allgather(a, -1, MPI_INT, b, 1, MPI_INT, world));
		refused(MPI_Alltoall(a, -1, MPI_INT, b, 1, MPI_INT, world));
		refused(
		    MPI_Alltoallv(a, counts, displs, MPI_INT, b, counts, displs, MPI_INT, world));
		refused(MPI_Scan(a, b, -1, MPI_INT, MPI_SUM, world));
		refused(MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, world));
		refused(MPI_Ibcast(a, -1, MPI_INT, 0, world, &bad));
		refused(MPI_Iallreduce(a, b, -1, MPI_INT, MPI_SUM, world, &bad));
		refused(MPI_Waitall(-1, r, MPI_STATUSES_IGNORE));
		refused(MPI_Comm_split(world, -7, 0, &other));
		refused(MPI_Cart_create(world, 1, (dims = size + 5, &dims), &periods, 0, &other));
#endif
		/* what is right in between */
		MPI_Irecv(b, 64, MPI_INT, (rank + size - 1) % size, 1, world, &r[0]);
		MPI_Isend(a, 64, MPI_INT, (rank + 1) % size, 1, world, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		MPI_Allreduce(a, b, 4, MPI_INT, MPI_SUM, world);
	}
	printf("rank %d: %d refused\n", rank, refusals);
	MPI_Finalize();
	return 0;
}
