/* live_strays.c: threads that call MPI: one beside the first ("stray"), two at once ("meet"), each
 * with the level of threads that argv[2] names; and one that calls none, and sleeps again and again
 * beside calls of the first ("sleep"), until a date or for a while. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void *call(void *n)
{
	int in = 1, out;

	for (int i = 0; i < *(int *)n; i++)
		MPI_Sendrecv(&in, 1, MPI_INT, 0, 0, &out, 1, MPI_INT, 0, 0, MPI_COMM_SELF,
		             MPI_STATUS_IGNORE);
	return NULL;
}

static _Atomic int over;

static void *sleeps(void *none)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;

	while (!over) {
		struct timespec date;

		usleep(10);
		clock_gettime(CLOCK_REALTIME, &date);
		date.tv_nsec += date.tv_nsec < 999990000 ? 10000 : 0;
		pthread_mutex_lock(&mutex);
		pthread_cond_timedwait(&never, &mutex, &date);
		pthread_mutex_unlock(&mutex);
	}
	return none;
}

int main(int argc, char **argv)
{
	static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
	                             MPI_THREAD_MULTIPLE};
	int sleep = argc > 2 && !strcmp(argv[1], "sleep");
	int level, n = sleep || (argc > 2 && !strcmp(argv[1], "meet")) ? 300 : 1;
	pthread_t t;

	MPI_Init_thread(&argc, &argv, levels[argc > 2 ? atoi(argv[2]) : 0], &level);
	pthread_create(&t, NULL, sleep ? sleeps : call, &n);
	if (n > 1)
		call(&n);
	usleep(sleep ? 1000 : 0);
	over = 1;
	pthread_join(t, NULL);
	call(&n);
	MPI_Finalize();
	return 0;
}
