/* layer_behind.c: a profiling layer in a library of its own, which a program is linked with before
 * MPI: it tells of each MPI_Send. */
#include <mpi.h>
#include <stdio.h>

int MPI_Send(const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	puts("layer: MPI_Send");
	return PMPI_Send(buf, count, type, to, tag, comm);
}
