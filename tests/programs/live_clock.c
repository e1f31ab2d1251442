/* live_clock.c: what a program sees of time: sleeps take simulated time, clocks agree, a loop that
 * polls ends. Prints what must be the same wherever it runs. */
#include <mpi.h>
#include <poll.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec nap = {1, 250000000}, mono;
	struct timeval day;
	double begin, end;
	int flag = 0, x = 0, polls = 0;
	MPI_Request r;

	MPI_Init(&argc, &argv);
	begin = MPI_Wtime();
	sleep(3);
	usleep(500000);
	nanosleep(&nap, NULL);
	poll(NULL, 0, 250);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	gettimeofday(&day, NULL);
	end = MPI_Wtime();
	printf("slept %.3f, clocks apart %d\n", end - begin, (int)(mono.tv_sec - day.tv_sec));
	end += 0.01;
	while (MPI_Wtime() < end)
		;
	printf("polled\n");
	MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r);
	while (polls < 5 && !flag) {
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
		polls++;
	}
	MPI_Send(&polls, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
	while (!flag)
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
	printf("got %d\n", x);
	MPI_Finalize();
	return 0;
}
