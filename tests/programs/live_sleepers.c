/* Threads that sleep beside the first of a rank. A word says what they do; printed is the simulated
 * time that it took. */
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
#include <time.h>
#include <unistd.h>

static atomic_int done, awake;
static int rounds, rank;

static void pause_for(double seconds)
{
	struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

	nanosleep(&t, NULL);
}

static void allreduces(int n)
{
	int one = 1, sum;

	for (int i = 0; i < n; i++)
		MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* How busy this thread was, s. */
static double busy(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(double seconds)
{
	double begin = busy();

	while (busy() - begin < seconds)
		;
}

static void *watches(void *none)
{
	while (!done) {
		usleep(50000);
		rounds++;
	}
	return none;
}

static void *sleeps(void *words) /* seconds each, how often */
{
	const double *word = words;

	for (int i = 0; i < (int)word[1]; i++)
		pause_for(word[0]);
	return NULL;
}

static void *works(void *none)
{
	compute(0.2);
	done = 1;
	return none;
}

static void *sends(void *none)
{
	int x = 7;

	pause_for(1);
	MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
	return none;
}

static double sent; /* when, from the begin on */

static void *receives(void *none)
{
	MPI_Recv(&sent, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return none;
}

/* In each of the ways in which a thread waits for what does not come. */
static void *for_ever(void *way)
{
	struct epoll_event event;
	struct pollfd none = {.fd = -1};
	sigset_t set;

	sigemptyset(&set);
	for (;;)
		switch (*(const int *)way) {
		case 0:
			sleep(1);
			break;
		case 1:
			pause();
			break;
		case 2:
			poll(&none, 1, -1);
			break;
		case 3:
			select(0, NULL, NULL, NULL, NULL);
			break;
		case 4:
			epoll_wait(epoll_create1(0), &event, 1, -1);
			break;
		case 5:
			sigsuspend(&set);
			break;
		default:
			sigaddset(&set, SIGUSR2), sigtimedwait(&set, NULL, NULL);
			break;
		}
	return NULL;
}

static void rings(int signal)
{
	(void)signal;
}

static void *woken(void *none)
{
	struct timespec t = {100, 0}, left = {0, 0};

	done = nanosleep(&t, &left) == -1 && errno == EINTR && left.tv_sec > 90;
	awake = 1;
	return none;
}

static pthread_t begins(void *(*what)(void *), void *word)
{
	pthread_t t;

	if (pthread_create(&t, NULL, what, word) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	return t;
}

static void waits(double seconds)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += (time_t)seconds;
	pthread_mutex_lock(&mutex);
	while (pthread_cond_timedwait(&cond, &mutex, &t) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&mutex);
}

int main(int argc, char **argv)
{
	static double five[] = {5, 1}, one[] = {1, 1}, tenths[] = {0.1, 30}, halves[] = {0.5, 10},
	              ten[] = {10, 1}, long_enough[] = {1000, 1};
	const char *word = argc > 1 ? argv[1] : "";
	pthread_t a, b;
	double begin;
	int level, x = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE * !strcmp(word, "sends"), &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	begin = MPI_Wtime();
	if (!strcmp(word, "nobody")) {
		allreduces(1000);
	} else if (!strcmp(word, "watched")) {
		a = begins(watches, NULL);
		allreduces(1000);
		printf("%.6f\n", MPI_Wtime() - begin);
		done = 1;
		pthread_join(a, NULL);
		MPI_Finalize();
		return 0;
	} else if (!strcmp(word, "busy")) {
		a = begins(watches, NULL);
		compute(0.4);
		allreduces(1);
		done = 1;
		printf("%.6f, %d rounds\n", MPI_Wtime() - begin, rounds);
		pthread_join(a, NULL);
		MPI_Finalize();
		return 0;
	} else if (!strcmp(word, "joined")) {
		pthread_join(begins(sleeps, five), NULL);
	} else if (!strcmp(word, "two")) {
		a = begins(sleeps, tenths);
		b = begins(sleeps, halves);
		pthread_join(a, NULL);
		printf("%.6f\n", MPI_Wtime() - begin);
		pthread_join(b, NULL);
	} else if (!strcmp(word, "both")) {
		a = begins(sleeps, one);
		sleep(1);
		pthread_join(a, NULL);
	} else if (!strcmp(word, "works")) {
		a = begins(works, NULL);
		while (!done)
			usleep(100);
		pthread_join(a, NULL);
	} else if (!strcmp(word, "sends")) {
		a = begins(sends, NULL);
		MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
		pthread_join(a, NULL);
	} else if (!strcmp(word, "received") && rank == 0) {
		a = begins(receives, NULL);
		compute(0.05); /* it is in MPI */
		pause_for(0.3);
		pthread_join(a, NULL);
	} else if (!strcmp(word, "received")) {
		compute(0.6);
		sent = MPI_Wtime() - begin;
		MPI_Send(&sent, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
		MPI_Finalize();
		return 0;
	} else if (!strcmp(word, "cancelled")) {
		for (int way = 0; way < 7; way++) {
			a = begins(for_ever, &way);
			allreduces(10);
			pthread_cancel(a);
			pthread_join(a, NULL);
		}
	} else if (!strcmp(word, "woken")) {
		struct sigaction action = {.sa_handler = rings};

		sigaction(SIGUSR1, &action, NULL);
		a = begins(woken, NULL);
		while (!awake) { /* the first may come before it sleeps */
			compute(0.01);
			pthread_kill(a, SIGUSR1);
		}
		pthread_join(a, NULL);
		printf("%s\n", done ? "interrupted" : "slept");
	} else if (!strcmp(word, "timed")) {
		a = begins(sleeps, ten);
		waits(1);
		printf("%.6f\n", MPI_Wtime() - begin);
		pthread_join(a, NULL);
	} else if (!strcmp(word, "left")) {
		begins(sleeps, long_enough);
		allreduces(10);
	}
	printf("%.6f\n", MPI_Wtime() - begin - sent);
	MPI_Finalize();
	return 0;
}
