/* serialized.c file: under MPI_THREAD_SERIALIZED one thread at a time calls MPI, while another,
 * which has called it too, writes into a file. */
#include <mpi.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 3000 };
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static const char *path;

static void barrier(void)
{
	pthread_mutex_lock(&turn);
	MPI_Barrier(MPI_COMM_SELF);
	pthread_mutex_unlock(&turn);
}

static void *write_file(void *arg)
{
	int fd;

	(void)arg;
	barrier();
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	for (int i = 0; i < ROUNDS; i++)
		if (write(fd, "twelve bytes", 12) != 12)
			puts("not written");
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
	path = argv[1];
	if (provided < MPI_THREAD_SERIALIZED)
		puts("no such threads");
	pthread_create(&other, NULL, write_file, NULL);
	for (int i = 0; i < ROUNDS; i++)
		barrier();
	pthread_join(other, NULL);
	MPI_Finalize();
	return 0;
}
