/* live_readings.c: what many readings of the clock take, where computation takes none. The argument
 * is how many rank 0 makes in a row; rank 1, if there is one, is sent the last of them, and must
 * not have it before that. Prints what rank 0 saw pass, in readings of 0.1 us. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0, back = 0;
	struct timespec mono, last_mono = {0, 0};
	double begin, last, now;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		begin = last = MPI_Wtime();
		for (long i = 1; i < n; i++) { /* of any clock: they are one */
			if (i % 2) {
				now = MPI_Wtime();
				back += now < last;
				last = now;
			} else {
				clock_gettime(CLOCK_MONOTONIC, &mono);
				back += mono.tv_sec < last_mono.tv_sec ||
				        (mono.tv_sec == last_mono.tv_sec &&
				         mono.tv_nsec < last_mono.tv_nsec);
				last_mono = mono;
			}
		}
		printf("passed %.0f, back %ld\n", (last - begin) / 1e-7, back);
		if (size > 1)
			MPI_Send(&last, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Recv(&last, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("sent before it came: %s\n", MPI_Wtime() > last ? "yes" : "no");
	}
	MPI_Finalize();
	return 0;
}
