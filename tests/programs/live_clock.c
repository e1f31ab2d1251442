/* live_clock.c: what a program sees of time: sleeps take simulated time, clocks agree, a loop that
 * polls ends. Prints what must be the same wherever it runs. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <threads.h>
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
	printf("alarm %d after %.2f, %u left\n", rang, MPI_Wtime() - begin, left);
	begin = MPI_Wtime();
	setitimer(ITIMER_REAL, &twice, NULL);
	while (rang < 3)
		pause();
	printf("alarm %d after %.2f\n", rang, MPI_Wtime() - begin);
	setitimer(ITIMER_REAL, &none, &was);
	printf("every %d s, %d left\n", (int)was.it_interval.tv_sec,
	       (int)(was.it_value.tv_sec + (was.it_value.tv_usec > 0)));
	alarm(1);
	signal(SIGALRM, SIG_IGN);
	printf("%u left of an ignored one\n", sleep(2));
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* ftime */

static void paused(const char *what, double begin)
{
	printf("%s %.3f\n", what, MPI_Wtime() - begin);
}

/* Half a second each, of nothing: time-outs without descriptors, and a signal that does not come.
 * Then the clocks that count 10 s. */
static void pauses(void)
{
	static const struct timespec half = {0, 500000000};
	struct timeval half_too = {0, 500000};
	struct epoll_event event = {.events = EPOLLIN};
	struct pollfd fds = {.events = POLLIN};
	fd_set in;
	int ends[2];
	int set = epoll_create1(0);
	double begin = MPI_Wtime();
	struct timeb day, day_began;
	struct tms none;
	clock_t ticks;
	sigset_t user, mask;

	sigemptyset(&mask);
	sigemptyset(&user);
	sigaddset(&user, SIGUSR1);
	ppoll(NULL, 0, &half, NULL);
	paused("ppoll", begin);
	ppoll(NULL, 0, &half, &mask);
	paused("ppoll with a mask", begin);
	select(0, NULL, NULL, NULL, &half_too);
	paused("select", begin);
	pselect(0, NULL, NULL, NULL, &half, &mask);
	paused("pselect", begin);
	thrd_sleep(&half, NULL);
	paused("thrd_sleep", begin);
	epoll_wait(set, &event, 1, 500);
	paused("epoll_wait", begin);
	epoll_pwait(set, &event, 1, 500, &mask);
	paused("epoll_pwait", begin);
	errno = 0;
	if (sigtimedwait(&user, NULL, &half) == -1 && errno == EAGAIN)
		paused("sigtimedwait", begin);
	/* descriptors by which nothing comes, and one by which something does */
	if (pipe(ends) < 0)
		return;
	fds.fd = ends[0];
	poll(&fds, 1, 100);
	paused("poll of a pipe", begin);
	FD_ZERO(&in);
	FD_SET(ends[0], &in);
	half_too = (struct timeval){0, 100000};
	select(ends[0] + 1, &in, NULL, NULL, &half_too);
	paused("select of a pipe", begin);
	epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
	epoll_wait(set, &event, 1, 100);
	paused("epoll_wait of a pipe", begin);
	if (write(ends[1], "!", 1) == 1 && poll(&fds, 1, 10000) == 1)
		paused("what has come", begin);
	close(ends[0]);
	close(ends[1]);
	close(set);
	ftime(&day_began);
	ticks = times(&none);
	sleep(10);
	ticks = times(&none) - ticks;
	ftime(&day);
	printf("ftime %d, times %.1f\n", (int)(day.time - day_began.time),
	       (double)ticks / (double)sysconf(_SC_CLK_TCK));
}

static int quiet[2];
static atomic_int expired;

static void *watches(void *none)
{
	struct pollfd fds = {.fd = quiet[0], .events = POLLIN};

	while (poll(&fds, 1, 20) == 0)
		expired++;
	return none;
}

/* A thread that looks by a pipe whether it is to end takes no time of the rank, which works. */
static void watched(void)
{
	double begin = MPI_Wtime();
	pthread_t thread;

	if (pipe(quiet) < 0 || pthread_create(&thread, NULL, watches, NULL) != 0)
		return;
	while (expired < 5)
		;
	paused("watched", begin);
	if (write(quiet[1], "!", 1) == 1)
		pthread_join(thread, NULL);
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
	printf("slept %.2f, clocks apart %d\n", end - begin,
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
	if (argc > 1 && !strcmp(argv[1], "pauses"))
		pauses();
	if (argc > 1 && !strcmp(argv[1], "watched"))
		watched();
	if (argc > 1 && !strcmp(argv[1], "reads"))
		reads();
	MPI_Finalize();
	return 0;
}
