/* live_waits.c: no clock goes back at MPI_Init, and waits for another thread that end by a date
 * take the simulated time to it: 20 ms each. With the argument "threads" another thread wakes one
 * of them. What is wrong is said; "waits: all right" else. */
#define _GNU_SOURCE
#include <mpi.h>

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static int failed;

static void expect(int what, const char *text)
{
	if (!what)
		printf("waits: wrong: %s\n", text);
	failed |= !what;
}

static struct timespec in_20_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += 20000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int is_later(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec >= b.tv_nsec;
}

/* Both of POSIX: the code, and errno after -1. */
static void timed_out(double begin, int code, const char *text)
{
	double took = MPI_Wtime() - begin;

	expect((code == -1 ? errno : code) == ETIMEDOUT, text);
	expect(took > 0.0199 && took < 0.021, text);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, taken = PTHREAD_MUTEX_INITIALIZER;

static void conditions(void)
{
	pthread_cond_t day = PTHREAD_COND_INITIALIZER, steady;
	struct timespec date = in_20_ms(CLOCK_REALTIME);
	double begin = MPI_Wtime();
	pthread_condattr_t attr;
	cnd_t cnd;
	mtx_t mtx;

	pthread_mutex_lock(&mutex);
	timed_out(begin, pthread_cond_timedwait(&day, &mutex, &date), "pthread_cond_timedwait");
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&steady, &attr);
	date = in_20_ms(CLOCK_MONOTONIC);
	begin = MPI_Wtime();
	timed_out(begin, pthread_cond_timedwait(&steady, &mutex, &date), "a steady condition");
	date = in_20_ms(CLOCK_MONOTONIC);
	begin = MPI_Wtime();
	timed_out(begin, pthread_cond_clockwait(&day, &mutex, CLOCK_MONOTONIC, &date),
	          "pthread_cond_clockwait");
	pthread_mutex_unlock(&mutex);
	cnd_init(&cnd);
	mtx_init(&mtx, mtx_timed);
	mtx_lock(&mtx);
	date = in_20_ms(CLOCK_REALTIME);
	expect(cnd_timedwait(&cnd, &mtx, &date) == thrd_timedout, "cnd_timedwait");
	expect(mtx_timedlock(&mtx, &date) == thrd_timedout, "mtx_timedlock");
}

static void locks(void)
{
	struct timespec date = in_20_ms(CLOCK_REALTIME);
	double begin = MPI_Wtime();
	pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
	sem_t sem;

	sem_init(&sem, 0, 0);
	timed_out(begin, sem_timedwait(&sem, &date), "sem_timedwait");
	date = in_20_ms(CLOCK_MONOTONIC);
	begin = MPI_Wtime();
	timed_out(begin, sem_clockwait(&sem, CLOCK_MONOTONIC, &date), "sem_clockwait");
	sem_post(&sem);
	expect(sem_timedwait(&sem, &date) == 0, "a semaphore that is there");
	pthread_mutex_lock(&taken);
	date = in_20_ms(CLOCK_REALTIME);
	begin = MPI_Wtime();
	timed_out(begin, pthread_mutex_timedlock(&taken, &date), "pthread_mutex_timedlock");
	pthread_mutex_unlock(&taken);
	pthread_rwlock_rdlock(&rw);
	date = in_20_ms(CLOCK_REALTIME);
	begin = MPI_Wtime();
	timed_out(begin, pthread_rwlock_timedwrlock(&rw, &date), "pthread_rwlock_timedwrlock");
}

static sem_t ready;

static void *post(void *unused)
{
	sem_post(&ready);
	return unused;
}

/* Ten seconds are enough for the other thread; none of them pass here. */
static void woken(void)
{
	double begin = MPI_Wtime();
	struct timespec date;
	pthread_t thread;

	sem_init(&ready, 0, 0);
	clock_gettime(CLOCK_REALTIME, &date);
	date.tv_sec += 10;
	pthread_create(&thread, NULL, post, NULL);
	expect(sem_timedwait(&ready, &date) == 0, "another thread's post");
	pthread_join(thread, NULL);
	expect(MPI_Wtime() - begin < 1, "another thread's post takes no time");
}

/* A child has clocks that go on in real time, and asks the simulator for none: else the rank would
 * not end. */
static void child(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		double begin = seconds();

		for (int i = 0; i < 300; i++)
			seconds();
		usleep(20000);
		_exit(seconds() - begin >= 0.02 ? 0 : 1);
	}
	expect(waitpid(pid, &status, 0) == pid && status == 0, "a child's clock");
}

int main(int argc, char **argv)
{
	struct timespec begin, now, day, day_now;
	int provided;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	clock_gettime(CLOCK_REALTIME, &day);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	clock_gettime(CLOCK_MONOTONIC, &now);
	clock_gettime(CLOCK_REALTIME, &day_now);
	expect(is_later(now, begin) && is_later(day_now, day), "a clock goes back at MPI_Init");
	conditions();
	locks();
	if (argc > 1 && strcmp(argv[1], "threads") == 0) { /* what only a process can do */
		woken();
		child();
	}
	MPI_Finalize();
	if (!failed)
		puts("waits: all right");
	return failed;
}
