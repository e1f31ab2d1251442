/* mpich_polled.c: MPICH's generalised requests that the library polls (MPIX_Grequest_start), and
 * classes of them. Of each request: flag of a test, polls, functions freed, count in the status; as
 * its own library prints them. */
#include <mpi.h>

#include <stdio.h>

static int polls, frees;

static int query(void *state, MPI_Status *status)
{
	(void)state;
	MPI_Status_set_elements(status, MPI_INT, 3);
	MPI_Status_set_cancelled(status, 0);
	return MPI_SUCCESS;
}

static int freed(void *state)
{
	(void)state;
	frees++;
	return MPI_SUCCESS;
}

static int cancelled(void *state, int complete)
{
	(void)state;
	(void)complete;
	return MPI_SUCCESS;
}

/* Complete at the third look. */
static int poll(void *state, MPI_Status *status)
{
	(void)status;
	if (++polls % 3 == 0)
		MPI_Grequest_complete(*(MPI_Request *)state);
	return MPI_SUCCESS;
}

static int wait_for(int count, void **states, double seconds, MPI_Status *status)
{
	(void)seconds;
	(void)status;
	for (int i = 0; i < count; i++)
		MPI_Grequest_complete(*(MPI_Request *)states[i]);
	return MPI_SUCCESS;
}

static void watch(MPI_Request *request)
{
	MPI_Status status;
	int flag = -1, count = -1;

	MPI_Test(request, &flag, &status);
	printf("%d %d ", flag, polls);
	MPI_Wait(request, &status);
	MPI_Get_count(&status, MPI_INT, &count);
	printf("%d %d %d\n", polls, frees, count);
}

int main(int argc, char **argv)
{
	MPIX_Grequest_class class;
	MPI_Request request;

	MPI_Init(&argc, &argv);
	MPIX_Grequest_start(query, freed, cancelled, poll, wait_for, &request, &request);
	watch(&request);
	MPIX_Grequest_class_create(query, freed, cancelled, poll, wait_for, &class);
	for (int i = 0; i < 2; i++) {
		MPIX_Grequest_class_allocate(class, &request, &request);
		watch(&request);
	}
	MPI_Finalize();
	return 0;
}
