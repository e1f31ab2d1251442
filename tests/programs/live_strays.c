/* live_strays.c: threads that call MPI: one beside the first ("stray"), two at once ("meet"), and
 * one after the other ("serial"), each with the level of threads that argv[2] names. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *call(void *n)
{
	int in = 1, out;

	for (int i = 0; i < *(int *)n; i++)
		MPI_Sendrecv(&in, 1, MPI_INT, 0, 0, &out, 1, MPI_INT, 0, 0, MPI_COMM_SELF,
		             MPI_STATUS_IGNORE);
	return NULL;
}

int main(int argc, char **argv)
{
	static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
	                             MPI_THREAD_MULTIPLE};
	int level, n = argc > 2 && !strcmp(argv[1], "meet") ? 300 : 1;
	pthread_t t;

	MPI_Init_thread(&argc, &argv, levels[argc > 2 ? atoi(argv[2]) : 0], &level);
	pthread_create(&t, NULL, call, &n);
	if (n > 1)
		call(&n);
	pthread_join(t, NULL);
	call(&n);
	MPI_Finalize();
	return 0;
}
