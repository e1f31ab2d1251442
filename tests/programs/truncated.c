/* truncated.c: two ranks; receives that are shorter than their messages, by calls of each kind, and
 * whose error the program handles. Prints "5 of 5". */
#include <mpi.h>
#include <stdio.h>

static int told;

static void tell(int code)
{
	int class = MPI_SUCCESS;

	if (code != MPI_SUCCESS)
		MPI_Error_class(code, &class);
	told += class == MPI_ERR_TRUNCATE;
}

static void receive(MPI_Comm c)
{
	MPI_Request q[2];
	MPI_Status s[2];
	int a[4], b[4];

	tell(MPI_Recv(a, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE));
	tell(MPI_Recv(a, 1, MPI_INT, MPI_ANY_SOURCE, 1, c, MPI_STATUS_IGNORE));
	MPI_Irecv(a, 1, MPI_INT, 0, 2, c, &q[0]);
	tell(MPI_Wait(&q[0], MPI_STATUS_IGNORE));
	MPI_Irecv(a, 1, MPI_INT, MPI_ANY_SOURCE, 3, c, &q[0]);
	MPI_Irecv(b, 4, MPI_INT, 0, 4, c, &q[1]);
	if (MPI_Waitall(2, q, s) == MPI_ERR_IN_STATUS)
		tell(s[0].MPI_ERROR);
	tell(MPI_Sendrecv(b, 1, MPI_INT, 0, 5, a, 1, MPI_INT, 0, 5, c, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
	int a[4] = {0}, rank;
	const MPI_Comm c = MPI_COMM_WORLD; /* whose handler MPICH 4.0 calls for requests */

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(c, &rank);
	MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
	if (rank == 0) {
		for (int i = 0; i < 6; i++)
			MPI_Send(a, 4, MPI_INT, 1, i, c);
		MPI_Recv(a, 1, MPI_INT, 1, 5, c, MPI_STATUS_IGNORE);
	} else {
		receive(c);
	}
	MPI_Barrier(c);
	if (rank == 1)
		printf("%d of 5\n", told);
	MPI_Finalize();
	return 0;
}
