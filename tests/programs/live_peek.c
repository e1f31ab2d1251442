/* live_peek.c: once a look at a request (MPI_Request_get_status) says that it is complete, what it
 * received is in the program's buffer, and the buffer is the program's: what the program writes
 * there stays, whatever completes the request (MPI 4.1, 3.7.3, 3.7.6). Two ranks or more; each
 * gets from the one before it, and says what is not so. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* Of MPI 4.1: real libraries that are older have none of them. */
#pragma weak MPI_Request_get_status_all
#pragma weak MPI_Request_get_status_any
#pragma weak MPI_Request_get_status_some
#if MPI_VERSION < 4 || (MPI_VERSION == 4 && MPI_SUBVERSION < 1)
int MPI_Request_get_status_all(int n, const MPI_Request *requests, int *flag, MPI_Status *statuses);
int MPI_Request_get_status_any(int n, const MPI_Request *requests, int *index, int *flag,
                               MPI_Status *status);
int MPI_Request_get_status_some(int n, const MPI_Request *requests, int *out, int *indices,
                                MPI_Status *statuses);
#endif

enum { N = 4, MARK = -7, PIECES = 40 };
static int me, size, before, after, wrong;

static void is(const char *what, int got, int wanted)
{
	if (got == wanted)
		return;
	printf("rank %d: %s: %d, not %d\n", me, what, got, wanted);
	wrong++;
}

static void look(MPI_Request request, MPI_Status *status)
{
	int flag = 0;

	while (!flag)
		MPI_Request_get_status(request, &flag, status);
}

/* Read, changed, completed; another look in between gives nothing more. */
static void looked(const char *what, MPI_Request *request, volatile int *at, int wanted)
{
	int flag = 0;

	look(*request, MPI_STATUS_IGNORE);
	is(what, *at, wanted);
	*at = MARK;
	look(*request, MPI_STATUS_IGNORE);
	is(what, *at, MARK);
	if (wanted % 2)
		MPI_Wait(request, MPI_STATUS_IGNORE);
	while (wanted % 2 == 0 && !flag)
		MPI_Test(request, &flag, MPI_STATUS_IGNORE);
	is(what, *at, MARK);
}

static void receives(int n) /* ints in each message; large ones are not eager */
{
	static int out[100000], in[100000];
	MPI_Request request;
	MPI_Status status;
	int count;

	for (int round = 0; round < 2; round++) {
		out[n - 1] = 100 * me + round;
		MPI_Irecv(in, n, MPI_INT, before, 1, MPI_COMM_WORLD, &request);
		if (me % 2)
			MPI_Send(out, n, MPI_INT, after, 1, MPI_COMM_WORLD);
		else
			looked("a receive", &request, in + n - 1, 100 * before + round);
		if (me % 2 == 0)
			MPI_Send(out, n, MPI_INT, after, 1, MPI_COMM_WORLD);
		else
			looked("a receive", &request, in + n - 1, 100 * before + round);
	}
	/* the status of the completion is as ever; a look may be followed by MPI_Request_free */
	for (int frees = 0; frees < 2; frees++) {
		MPI_Irecv(in, n, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &request);
		MPI_Bsend(out, n - 1, MPI_INT, after, 2, MPI_COMM_WORLD);
		look(request, &status);
		in[n - 2] = MARK;
		if (frees)
			MPI_Request_free(&request);
		else
			MPI_Wait(&request, &status);
		MPI_Get_count(&status, MPI_INT, &count);
		is("its count", count, n - 1);
		is("its source", status.MPI_SOURCE, before);
		is("what follows a look", in[n - 2], MARK);
	}
}

static void persistent(void)
{
	MPI_Request request;
	int in = 0, out;

	MPI_Recv_init(&in, 1, MPI_INT, before, 3, MPI_COMM_WORLD, &request);
	for (int round = 0; round < 3; round++) {
		out = 10 * me + round;
		MPI_Start(&request);
		MPI_Bsend(&out, 1, MPI_INT, after, 3, MPI_COMM_WORLD);
		looked("a persistent receive", &request, &in, 10 * before + round);
	}
	MPI_Request_free(&request);
}

/* Every other int; those between are the program's all the time. */
static void derived(void)
{
	int in[2 * N], out[N] = {0, 0, 0, 1000 + me};
	MPI_Request request;
	MPI_Datatype type;

	MPI_Type_vector(N, 1, 2, MPI_INT, &type);
	MPI_Type_commit(&type);
	for (int i = 0; i < 2 * N; i++)
		in[i] = -1;
	MPI_Irecv(in, 1, type, before, 4, MPI_COMM_WORLD, &request);
	MPI_Type_free(&type);
	MPI_Bsend(out, N, MPI_INT, after, 4, MPI_COMM_WORLD);
	looked("a type with gaps", &request, in + 2 * N - 2, 1000 + before);
	is("its gap", in[2 * N - 3], -1);
	is("what follows it", in[2 * N - 1], -1);
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static void collectives(void)
{
	int sum = size * (size - 1) / 2, x = me, in[64] = {0};
	MPI_Request request, other;
	MPI_Op op;

	MPI_Iallreduce(&me, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
	looked("a sum", &request, &x, sum);
	x = me;
	MPI_Iallreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
	looked("a sum in place", &request, &x, sum);
	x = me ? 0 : 55;
	MPI_Ibcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
	looked("a broadcast", &request, &x, 55);
	MPI_Iallgather(&me, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &request);
	looked("a gathering", &request, in + before, before);
	/* an operator of ours: that of the second runs when the first was looked at */
	MPI_Op_create(add, 1, &op);
	x = in[0] = 0;
	MPI_Iallreduce(&me, &x, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
	look(request, MPI_STATUS_IGNORE);
	is("our operator", x, sum);
	x = MARK;
	MPI_Iallreduce(&size, in, 1, MPI_INT, op, MPI_COMM_WORLD, &other);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	is("our operator", x, MARK);
	looked("our operator again", &other, in, size * size);
	MPI_Op_free(&op);
}

static void several(void)
{
	MPI_Request request[PIECES];
	int in[PIECES], index[PIECES], flag, n;

	if (!MPI_Request_get_status_all)
		return;
	for (int way = 0; way < 3; way++) {
		for (int i = 0; i < PIECES; i++) {
			int out = 100 * me + i;

			in[i] = -1;
			MPI_Irecv(in + i, 1, MPI_INT, before, i, MPI_COMM_WORLD, request + i);
			MPI_Bsend(&out, 1, MPI_INT, after, i, MPI_COMM_WORLD);
		}
		if (way == 0) {
			do
				MPI_Request_get_status_all(PIECES, request, &flag,
				                           MPI_STATUSES_IGNORE);
			while (!flag);
			for (int i = 0; i < PIECES; i++)
				is("all", in[i], 100 * before + i);
		} else if (way == 1) {
			do
				MPI_Request_get_status_any(PIECES, request, index, &flag,
				                           MPI_STATUS_IGNORE);
			while (!flag);
			is("any", in[index[0]], 100 * before + index[0]);
			in[index[0]] = MARK;
		} else {
			do
				MPI_Request_get_status_some(PIECES, request, &n, index,
				                            MPI_STATUSES_IGNORE);
			while (n == 0);
			for (int i = 0; i < n; i++)
				is("some", in[index[i]], 100 * before + index[i]);
			in[index[0]] = MARK;
		}
		if (way == 0)
			memset(in, 0, sizeof in);
		MPI_Waitall(PIECES, request, MPI_STATUSES_IGNORE);
		for (int i = 0; i < PIECES; i++)
			is("several", in[i],
			   way == 0        ? 0
			   : i == index[0] ? MARK
			                   : 100 * before + i);
	}
}

static void partitions(void)
{
#if MPI_VERSION >= 4
	int in[2] = {0}, out[2], flag = 0;
	MPI_Request request[2];

	MPI_Precv_init(in, 2, 1, MPI_INT, before, 5, MPI_COMM_WORLD, MPI_INFO_NULL, request);
	MPI_Psend_init(out, 2, 1, MPI_INT, after, 5, MPI_COMM_WORLD, MPI_INFO_NULL, request + 1);
	for (int round = 0; round < 2; round++) {
		out[0] = out[1] = 10 * me + round;
		MPI_Startall(2, request);
		MPI_Pready_range(0, 1, request[1]);
		looked("a partition", request, in + 1, 10 * before + round);
		is("another", in[0], 10 * before + round);
		MPI_Wait(request + 1, MPI_STATUS_IGNORE);
	}
	MPI_Start(request + 1);
	MPI_Start(request);
	MPI_Pready_range(0, 1, request[1]);
	look(request[0], MPI_STATUS_IGNORE);
	in[1] = MARK;
	MPI_Parrived(request[0], 1, &flag);
	is("it has arrived", flag, 1);
	is("a partition asked for", in[1], MARK);
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	MPI_Request_free(request);
	MPI_Request_free(request + 1);
#endif
}

int main(int argc, char **argv)
{
	static char room[4 << 20];
	void *at;
	int n;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	before = (me + size - 1) % size;
	after = (me + 1) % size;
	MPI_Buffer_attach(room, sizeof room);
	receives(2);
	receives(100000);
	persistent();
	derived();
	collectives();
	several();
	partitions();
	MPI_Buffer_detach(&at, &n);
	if (!wrong)
		printf("all fine\n");
	MPI_Finalize();
	return wrong != 0;
}
