/* order.c: what happens in another order than it is called in. A thread of rank 0 calls MPI for the
 * first time while the main thread is in MPI_Ssend, and receives its message; the other ranks have
 * one thread; all meet in a collective. Persistent collectives are started in another order by odd
 * ranks than by even ones. A communicator with the ranks in reverse is freed, and its number is
 * used again, before the receive from any source on it is complete. */
#include <mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int rank;

static void *answer(void *arg)
{
	MPI_Message m;
	int x = 0;

	(void)arg;
	usleep(50000); /* the main thread is in its call by now, most likely */
	MPI_Mprobe(rank, 1, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
	MPI_Mrecv(&x, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
	x++;
	MPI_Send(&x, 1, MPI_INT, rank, 2, MPI_COMM_WORLD);
	return NULL;
}

static int threads(void)
{
	pthread_t t;
	int x = 41;

	pthread_create(&t, NULL, answer, NULL);
	MPI_Ssend(&x, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
	MPI_Recv(&x, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	pthread_join(t, NULL);
	return x == 42;
}

/* The last rank of the world receives from the first. */
static int freed(void)
{
	MPI_Comm reverse, other;
	int size, me, x = -1;
	MPI_Request r;
	MPI_Status s = {0};

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reverse);
	MPI_Comm_rank(reverse, &me);
	if (me == 0)
		MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 3, reverse, &r);
	else
		MPI_Isend(&me, 1, MPI_INT, 0, 3, reverse, &r);
	MPI_Comm_free(&reverse);
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	MPI_Wait(&r, &s);
	MPI_Comm_free(&other);
	return me > 0 || (x == 1 && s.MPI_SOURCE == 1);
}

/* Rank 0 has several threads by now. */
static int meeting(void)
{
	int one = 1, size, sum = 0;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	return rank > 0 || sum == size;
}

static int persistent(void)
{
#if MPI_VERSION >= 4
	MPI_Request r[2];
	int x = rank == 0 ? 7 : 0, one = 1, size, sum = 0;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Bcast_init(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
	MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Start(&r[rank % 2]);
		MPI_Start(&r[1 - rank % 2]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
	return x == 7 && sum == size;
#else
	return 1;
#endif
}

int main(int argc, char **argv)
{
	int provided, right;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	right = rank > 0 || provided < MPI_THREAD_MULTIPLE || threads();
	right = meeting() && right;
	right = freed() && right;
	if (persistent() && right)
		printf("order: all right\n");
	MPI_Finalize();
	return 0;
}
