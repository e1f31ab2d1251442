/* live_clock.c: what a program sees of time: sleeps take simulated time, clocks agree, a loop that
 * polls ends. Prints what must be the same wherever it runs. */
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int rang;

static void on_alarm(int number)
{
	rang += number == SIGALRM;
}

/* Timers in simulated time: one that ends a sleep, one that comes in a call of MPI, one that
 * repeats. */
static void alarms(void)
{
	struct itimerval twice = {{2, 0}, {1, 0}}, none = {{0, 0}, {0, 0}}, was;
	double begin = MPI_Wtime();
	unsigned left;

	signal(SIGALRM, on_alarm);
	alarm(2);
	left = sleep(5);
	printf("alarm %d after %.3f, %u left\n", rang, MPI_Wtime() - begin, left);
	begin = MPI_Wtime();
	setitimer(ITIMER_REAL, &twice, NULL);
	while (rang < 3)
		pause();
	printf("alarm %d after %.3f\n", rang, MPI_Wtime() - begin);
	setitimer(ITIMER_REAL, &none, &was);
	printf("every %d s, %d left\n", (int)was.it_interval.tv_sec,
	       (int)(was.it_value.tv_sec + (was.it_value.tv_usec > 0)));
	alarm(1);
	signal(SIGALRM, SIG_IGN);
	printf("%u left of an ignored one\n", sleep(2));
}

enum { READS = 20000 };

/* Many readings with little in between: time goes on, and never back. */
static void reads(void)
{
	double begin = MPI_Wtime(), last = begin;
	int back = 0;

	for (int i = 0; i < READS; i++) {
		double now = MPI_Wtime();

		back += now < last;
		last = now;
	}
	printf("%d readings went back, time %s\n", back, last > begin ? "passed" : "stood");
}

int main(int argc, char **argv)
{
	struct timespec nap = {1, 250000000}, mono, mono_began;
	struct timeval day, day_began;
	double begin, end;
	int flag = 0, x = 0, polls = 0;
	MPI_Request r;

	MPI_Init(&argc, &argv);
	clock_gettime(CLOCK_MONOTONIC, &mono_began);
	gettimeofday(&day_began, NULL);
	begin = MPI_Wtime();
	sleep(3);
	usleep(500000);
	nanosleep(&nap, NULL);
	poll(NULL, 0, 250);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	gettimeofday(&day, NULL);
	end = MPI_Wtime();
	printf("slept %.3f, clocks apart %d\n", end - begin,
	       (int)(mono.tv_sec - mono_began.tv_sec - (day.tv_sec - day_began.tv_sec)));
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
	if (argc > 1 && !strcmp(argv[1], "alarms")) /* not where ranks are coroutines */
		alarms();
	if (argc > 1 && !strcmp(argv[1], "reads"))
		reads();
	MPI_Finalize();
	return 0;
}
