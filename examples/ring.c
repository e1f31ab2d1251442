/* ring.c: each process computes, then passes a token of BYTES on to its right neighbour; the token
 * goes round ROUNDS times. usage: ring [bytes [instructions [rounds]]] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Some work whose result is used, so that no compiler drops it. */
static double work(long n)
{
	double x = 0.5;

	for (long i = 0; i < n; i++)
		x = 3.7 * x * (1.0 - x);
	return x;
}

int main(int argc, char **argv)
{
	int bytes = argc > 1 ? atoi(argv[1]) : 1000000;
	long n = argc > 2 ? atol(argv[2]) : 1000000;
	int rounds = argc > 3 ? atoi(argv[3]) : 4;
	int rank, size;
	char *token;
	double x = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	token = calloc((size_t)bytes, 1);
	for (int i = 0; i < rounds; i++) {
		if (size == 1) { /* nobody to pass it to: a blocking send to oneself would wait for
			            itself */
			x += work(n);
		} else if (rank == 0) {
			x += work(n);
			MPI_Send(token, bytes, MPI_BYTE, (rank + 1) % size, i, MPI_COMM_WORLD);
			MPI_Recv(token, bytes, MPI_BYTE, (rank + size - 1) % size, i,
			         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(token, bytes, MPI_BYTE, rank - 1, i, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			x += work(n);
			token[0]++;
			MPI_Send(token, bytes, MPI_BYTE, (rank + 1) % size, i, MPI_COMM_WORLD);
		}
	}
	if (rank == 0)
		printf("ring: %d processes, token %d after %d rounds (%s)\n", size,
		       (signed char)token[0], rounds,
		       (signed char)token[0] == (signed char)(rounds * (size - 1)) && x > 0
		           ? "right"
		           : "WRONG");
	free(token);
	MPI_Finalize();
	return 0;
}
