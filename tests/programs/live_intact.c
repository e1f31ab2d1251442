/* live_intact.c: buffers of operations under way (docs/checks.md). What is wrong has a comment at
 * the line where the operation begins, and one at the line where it is complete; what "right" does
 * is right. With two ranks, which all but the last do alike, with one another. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { N = 1000 };
static int rank, other, out[N], in[N], more[N];

static void partner(int tag)
{
	MPI_Sendrecv(out, N, MPI_INT, other, tag, more, N, MPI_INT, other, tag, MPI_COMM_WORLD,
	             MPI_STATUS_IGNORE);
}

static void sends(MPI_Request *r)
{
	for (int i = 0; i < 3; i++) {                                    /* told once */
		MPI_Isend(out, N, MPI_INT, other, 1, MPI_COMM_WORLD, r); /* send begins */
		MPI_Recv(in, N, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		out[N - 1]++;
		MPI_Wait(r, MPI_STATUS_IGNORE); /* send ends */
	}
}

static void receives(MPI_Request *r)
{
	MPI_Irecv(in, N, MPI_INT, other, 2, MPI_COMM_WORLD, r); /* recv begins */
	in[3] = rank + 77;
	MPI_Send(out, N, MPI_INT, other, 2, MPI_COMM_WORLD);
	MPI_Waitall(1, r, MPI_STATUSES_IGNORE); /* recv ends */
}

/* The last element of one is the first of the other. */
static void overlaps(MPI_Request *r)
{
	for (int i = 0; i < N; i++)
		out[i] = i + 1;
	MPI_Irecv(in, N / 2 + 1, MPI_INT, other, 3, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(in + N / 2, N / 2, MPI_INT, other, 4, MPI_COMM_WORLD, &r[1]); /* over begins */
	MPI_Send(out, N / 2 + 1, MPI_INT, other, 3, MPI_COMM_WORLD);
	MPI_Send(out, N / 2, MPI_INT, other, 4, MPI_COMM_WORLD);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE); /* over ends */
}

static void persistent(MPI_Request *r)
{
	int flag = 0;

	MPI_Send_init(out, N, MPI_INT, other, 5, MPI_COMM_WORLD, &r[0]);
	MPI_Recv_init(in, N, MPI_INT, other, 5, MPI_COMM_WORLD, &r[1]);
	MPI_Startall(2, r); /* start begins */
	out[7] += 1;
	while (!flag)
		MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE); /* start ends */
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
}

static void collective(MPI_Request *r)
{
	MPI_Iallreduce(out, in, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, r); /* coll begins */
	out[0] += 5;
	MPI_Wait(r, MPI_STATUS_IGNORE); /* coll ends */
}

/* Gaps of a type are the program's, as is what MPI has copied, is complete, or nobody receives;
 * a buffer may have room for less than its receive, as long as what comes fits. */
static void right(MPI_Request *r)
{
	MPI_Datatype odd;
	static char room[8 * N + MPI_BSEND_OVERHEAD];
	char *page = (char *)mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE,
	                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) +
	             (1 << 20);
	void *at = room;
	int size = sizeof room, flag = 0;
	MPI_Message none = MPI_MESSAGE_NO_PROC;

	munmap(page, 1 << 20);
	MPI_Irecv(page - 4 * N, 1 << 18, MPI_INT, other, 5, MPI_COMM_WORLD, r);
	MPI_Send(out, N, MPI_INT, other, 5, MPI_COMM_WORLD);
	MPI_Wait(r, MPI_STATUS_IGNORE);
	MPI_Type_vector(N / 2, 1, 2, MPI_INT, &odd);
	MPI_Type_commit(&odd);
	MPI_Irecv(in, 1, odd, other, 6, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(out, 1, odd, other, 6, MPI_COMM_WORLD, &r[1]);
	in[1] = rank;
	out[3] = 4;
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	out[0] = in[0] = -1;
	MPI_Irecv(in + 1, 1, odd, other, 7, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(in, 1, odd, other, 8, MPI_COMM_WORLD, &r[1]);
	MPI_Send(out, 1, odd, other, 8, MPI_COMM_WORLD);
	MPI_Send(out + 1, 1, odd, other, 7, MPI_COMM_WORLD);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Buffer_attach(room, size);
	MPI_Ibsend(out, N, MPI_INT, other, 9, MPI_COMM_WORLD, r);
	out[2]++;
	MPI_Recv(in, N, MPI_INT, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(r, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(&at, &size);
	MPI_Irecv(in, N, MPI_INT, other, 10, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(out, N, MPI_INT, other, 10, MPI_COMM_WORLD, &r[1]);
	while (!flag)
		MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
	in[0] = in[5] = -3; /* it is complete */
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	if (in[0] != -3)
		printf("what is complete comes again\n");
	MPI_Irecv(NULL, N, MPI_INT, MPI_PROC_NULL, 11, MPI_COMM_WORLD, &r[0]);
	MPI_Isend((void *)8, N, MPI_INT, MPI_PROC_NULL, 11, MPI_COMM_WORLD, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Imrecv(NULL, N, MPI_INT, &none, r);
	MPI_Wait(r, MPI_STATUS_IGNORE);
	MPI_Recv_init(NULL, N, MPI_INT, MPI_PROC_NULL, 11, MPI_COMM_WORLD, r);
	MPI_Start(r);
	MPI_Wait(r, MPI_STATUS_IGNORE);
	MPI_Request_free(r);
	MPI_Ibcast(in, N, MPI_INT, 0, MPI_COMM_WORLD, r);
	MPI_Wait(r, MPI_STATUS_IGNORE);
	MPI_Iallgather(MPI_IN_PLACE, 0, MPI_INT, in, N / 2, MPI_INT, MPI_COMM_WORLD, r);
	MPI_Wait(r, MPI_STATUS_IGNORE);
	partner(12);
	MPI_Type_free(&odd);
}

int main(int argc, char **argv)
{
	MPI_Request r[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	if (argc < 2 || !strcmp(argv[1], "right"))
		right(r);
	else if (!strcmp(argv[1], "send"))
		sends(r);
	else if (!strcmp(argv[1], "recv"))
		receives(r);
	else if (!strcmp(argv[1], "over"))
		overlaps(r);
	else if (!strcmp(argv[1], "start"))
		persistent(r);
	else if (!strcmp(argv[1], "coll"))
		collective(r);
	MPI_Finalize();
	return 0;
}
