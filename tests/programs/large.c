/* large.c: functions with large counts (MPI 4.0). One process. */
#include <mpi.h>

#include <stdio.h>

int main(int argc, char **argv)
{
#if MPI_VERSION >= 4
	MPI_Count five = 5000000000, one = 1, counts[1] = {2};
	MPI_Aint zero[1] = {0};
	MPI_Request r;
	int a[2] = {1, 2}, b[2] = {0};

	MPI_Init(&argc, &argv);
	MPI_Send_c(a, five, MPI_DOUBLE, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
	MPI_Irecv_c(b, one, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &r);
	MPI_Send_c(a, one, MPI_INT, 0, 2, MPI_COMM_WORLD);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Allgatherv_c(a, 2, MPI_INT, b, counts, zero, MPI_INT, MPI_COMM_WORLD);
	MPI_Ibcast_c(b, five, MPI_INT, 0, MPI_COMM_SELF, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	printf(b[0] == 1 && b[1] == 2 ? "large: all right\n" : "large: wrong data\n");
	MPI_Finalize();
#else
	(void)argc;
	(void)argv;
	printf("large: this MPI has none\n");
#endif
	return 0;
}
