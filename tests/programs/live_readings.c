/* live_readings.c: what many readings of the clock take, where computation takes none. The argument
 * is how many rank 0 makes in a row; rank 1, if there is one, is sent the last of them, and must
 * not have it before that. Prints what rank 0 saw pass, in readings of 0.1 us.
 *
 * live_readings until CLOCK: reads that clock alone until a second has passed; a timer rings after
 * half of it. Prints what has passed, in how many readings, and when the timer rang. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static double by_mpi(void)
{
	return MPI_Wtime();
}

static double by_day(void)
{
	struct timeval t;

	gettimeofday(&t, NULL);
	return (double)(t.tv_sec - 1577836800) + 1e-6 * (double)t.tv_usec; /* of 2020 */
}

static double by_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double (*reads)(void), rang;

static void ring(int signal)
{
	(void)signal;
	rang = reads();
}

static void until(const char *clock)
{
	const struct itimerval half = {.it_value.tv_usec = 500000};
	double begin, now;
	long n = 1;

	reads = !strcmp(clock, "gettimeofday") ? by_day : *clock == 'M' ? by_mpi : by_clock;
	signal(SIGALRM, ring);
	begin = reads();
	setitimer(ITIMER_REAL, &half, NULL);
	do {
		now = reads();
		n++;
	} while (now < begin + 1);
	printf("waited %.6f in %ld readings, rang after %.6f\n", now - begin, n, rang - begin);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0, back = 0;
	struct timespec mono, last_mono = {0, 0};
	double begin, last, now;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc > 2) {
		until(argv[2]);
	} else if (rank == 0) {
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
