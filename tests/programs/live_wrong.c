/* live_wrong.c WHAT: a mistake that ends the program at the call, by name. The line of each is
 * marked. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define CASE(name, call) \
	if (!strcmp(what, name)) \
	call

int main(int argc, char **argv)
{
	const char *what = argv[1];
	double a[8] = {0}, b[8] = {0};
	int rank, n, to;
	MPI_Datatype three;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Type_contiguous(3, MPI_DOUBLE, &three);
	to = (rank + 1) % n;
	CASE("init", MPI_Init(&argc, &argv));
	CASE("count", MPI_Send(a, -1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD));
	CASE("rank", MPI_Send(a, 1, MPI_DOUBLE, 99, 0, MPI_COMM_WORLD));
	CASE("negative", MPI_Send(a, 1, MPI_DOUBLE, -77, 0, MPI_COMM_WORLD));
	CASE("tag", MPI_Send(a, 1, MPI_DOUBLE, to, -77, MPI_COMM_WORLD));
	CASE("type", MPI_Send(a, 1, three, to, 0, MPI_COMM_WORLD));
	CASE("root", MPI_Bcast(a, 1, MPI_DOUBLE, n, MPI_COMM_WORLD));
	CASE("send", MPI_Send(NULL, 2, MPI_DOUBLE, to, 0, MPI_COMM_WORLD));
	CASE("eight", MPI_Send((char *)NULL + 8, 2, MPI_DOUBLE, to, 0, MPI_COMM_WORLD));
	CASE("recv", MPI_Recv(NULL, 2, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	CASE("bcast", MPI_Bcast(NULL, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD));
	CASE("reduce", MPI_Reduce(a, rank ? NULL : a, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
	CASE("alltoall", MPI_Alltoall(a, 1, MPI_DOUBLE, a, 1, MPI_DOUBLE, MPI_COMM_WORLD));
	CASE("comm", MPI_Barrier(MPI_COMM_NULL));
	if (!strcmp(what, "truncate") && rank == 0)
		MPI_Send(a, 5, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
	if (!strcmp(what, "truncate") && rank == 1)
		MPI_Recv(b, 2, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (!strcmp(what, "right")) { /* what is no mistake */
		MPI_Request q;
		MPI_Datatype at;
		MPI_Aint where;
		int one = 1;

		/* an error that was returned says nothing of the next one */
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
		MPI_Send(a, 1, MPI_DOUBLE, 99, 0, MPI_COMM_WORLD);
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
		/* absolute addresses, nothing, nobody, in place, a root's buffer elsewhere */
		MPI_Get_address(b, &where);
		MPI_Type_create_hindexed(1, &one, &where, MPI_DOUBLE, &at);
		MPI_Type_commit(&at);
		MPI_Irecv(MPI_BOTTOM, 1, at, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &q);
		MPI_Send(a, 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		MPI_Send(NULL, 0, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
		MPI_Send(NULL, 3, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
		MPI_Bcast(NULL, 0, MPI_DOUBLE, 0, MPI_COMM_WORLD);
		MPI_Bcast(MPI_BOTTOM, 1, at, 0, MPI_COMM_WORLD);
		MPI_Reduce(a, rank ? NULL : b, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
		MPI_Allreduce(MPI_IN_PLACE, a, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		MPI_Exscan(a, rank ? b : NULL, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		MPI_Gather(rank ? a : MPI_IN_PLACE, 1, MPI_DOUBLE, rank ? NULL : a, 1, MPI_DOUBLE,
		           0, MPI_COMM_WORLD);
		MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, 1, MPI_DOUBLE, MPI_COMM_WORLD);
		MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, 1, MPI_DOUBLE, MPI_COMM_WORLD);
		MPI_Type_free(&at);
	}
	MPI_Type_free(&three);
	MPI_Finalize();
	CASE("again", MPI_Init(&argc, &argv));
	return 0;
}
