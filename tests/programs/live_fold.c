/* live_fold.c: rank 0 sends rank 1 a message of two parts, of a large allocation (folded, where
 * that is asked for) and of a small one. Rank 1 prints what came of the small one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGE = 1 << 20 };

int main(int argc, char **argv)
{
	char *large = malloc(LARGE);
	int *small = malloc(sizeof *small), parts[2] = {LARGE, 1}, rank;
	MPI_Datatype types[2] = {MPI_CHAR, MPI_INT}, both;
	MPI_Aint at[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	*small = rank == 0 ? 42 : 0;
	MPI_Get_address(large, &at[0]);
	MPI_Get_address(small, &at[1]);
	at[1] = MPI_Aint_diff(at[1], at[0]);
	at[0] = 0;
	MPI_Type_create_struct(2, parts, at, types, &both);
	MPI_Type_commit(&both);
	if (rank == 0)
		MPI_Send(large, 1, both, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(large, 1, both, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 1)
		printf("came: %d\n", *small);
	MPI_Type_free(&both);
	MPI_Finalize();
	free(large);
	free(small);
	return 0;
}
