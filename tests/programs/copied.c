/* copied.c: functions of attributes that call MPI (MPI 4.0, 7.7): a communicator has another one,
 * which is duplicated and freed with it, and a window waits for all where it is freed. Prints what
 * all sent each other by the copies. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int keyval;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	MPI_Comm *own = malloc(sizeof *own);

	(void)comm;
	(void)key;
	(void)extra;
	MPI_Comm_dup(*(MPI_Comm *)in, own);
	*(MPI_Comm **)out = own;
	*flag = 1;
	return MPI_SUCCESS;
}

static int gone(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm;
	(void)key;
	(void)extra;
	MPI_Comm_free(value);
	free(value);
	return MPI_SUCCESS;
}

/* To the next rank of comm, and the sum of the part that it has. */
static int told(MPI_Comm comm)
{
	int rank, size, from, sum, there;
	MPI_Comm *part;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 7, &from, 1, MPI_INT,
	             (rank + size - 1) % size, 7, comm, MPI_STATUS_IGNORE);
	MPI_Comm_get_attr(comm, keyval, &part, &there);
	MPI_Allreduce(&from, &sum, 1, MPI_INT, MPI_SUM, *part);
	return sum;
}

#ifndef OPEN_MPI
static int window_gone(MPI_Win win, int key, void *value, void *extra)
{
	(void)win;
	(void)key;
	(void)value;
	(void)extra;
	return MPI_Barrier(MPI_COMM_WORLD);
}

static void window(void)
{
	static int memory;
	int key;
	MPI_Win win;

	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, window_gone, &key, NULL);
	MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_attr(win, key, NULL);
	MPI_Win_free_keyval(&key);
	MPI_Win_free(&win);
}
#endif

int main(int argc, char **argv)
{
	MPI_Comm *part = malloc(sizeof *part), second, third;
	int rank, sums[2];
	MPI_Request r;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, part);
	MPI_Comm_create_keyval(copy, gone, &keyval, NULL);
	MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, part);
	MPI_Comm_dup(MPI_COMM_WORLD, &second);
	sums[0] = told(second);
	MPI_Comm_idup(second, &third, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	sums[1] = told(third);
	MPI_Comm_free(&second);
	MPI_Comm_disconnect(&third);
	MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
	MPI_Comm_free_keyval(&keyval);
#ifndef OPEN_MPI
	window();
#endif
	if (rank == 0)
		printf("sums %d and %d\n", sums[0], sums[1]);
	MPI_Finalize();
	return 0;
}
