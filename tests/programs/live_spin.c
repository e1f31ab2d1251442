/* live_spin.c: ranks that wait for messages in loops of looks, and the same program that waits.
 *
 *   live_spin WAY [SEED [FACTOR]]: how (ways[]), what is drawn, and how much longer all sleep
 *
 * "vain" looks a hundred times, and then waits. Without SEED rank 0 sleeps for 2 s and sends, rank
 * 1 looks for that, and sleeps for 1 s. With one rounds are drawn, in each of which some ranks
 * sleep and one sends to another. With --computation none all ways take the same time. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 12, BYTES = 100000 };
static char data[BYTES];
static int rank, size;

static const char *const ways[] = {"wait",     "test",     "testany", "testall", "testsome",
                                   "status",   "ibarrier", "probe",   "iprobe",  "improbe",
                                   "parrived", "vain",     NULL};
enum {
	WAIT,
	TEST,
	TESTANY,
	TESTALL,
	TESTSOME,
	STATUS,
	IBARRIER,
	PROBE,
	IPROBE,
	IMPROBE,
	PARRIVED,
	VAIN
};

static void sleep_for(double seconds)
{
	struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

	nanosleep(&t, NULL);
}

static void wait_so(int way, MPI_Request *r)
{
	int flag = way == WAIT || way == PARRIVED, n = 0, index;

	while (!flag) {
		if (way == TEST || way == IBARRIER)
			MPI_Test(r, &flag, MPI_STATUS_IGNORE);
		else if (way == TESTANY)
			MPI_Testany(1, r, &index, &flag, MPI_STATUS_IGNORE);
		else if (way == TESTALL)
			MPI_Testall(1, r, &flag, MPI_STATUSES_IGNORE);
		else if (way == STATUS)
			MPI_Request_get_status(*r, &flag, MPI_STATUS_IGNORE);
		else if (way == TESTSOME)
			MPI_Testsome(1, r, &n, &index, MPI_STATUSES_IGNORE);
		flag |= n > 0;
	}
	if (*r != MPI_REQUEST_NULL)
		MPI_Wait(r, MPI_STATUS_IGNORE);
}

static void receive(int way, int from, int bytes)
{
	MPI_Message m;
	MPI_Request r;
	int flag = 0;

	for (int i = 0; way == VAIN && i < 100; i++)
		MPI_Iprobe(from, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	if (way == PROBE)
		MPI_Probe(from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	while (way == IPROBE && !flag)
		MPI_Iprobe(from, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	while (way == IMPROBE && !flag)
		MPI_Improbe(from, 0, MPI_COMM_WORLD, &flag, &m, MPI_STATUS_IGNORE);
	if (way == IMPROBE) {
		MPI_Mrecv(data, bytes, MPI_CHAR, &m, MPI_STATUS_IGNORE);
	} else if (way == PROBE || way == IPROBE || way == VAIN) {
		MPI_Recv(data, bytes, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Irecv(data, bytes, MPI_CHAR, from, 0, MPI_COMM_WORLD, &r);
		wait_so(way, &r);
	}
}

static void barrier(void)
{
	MPI_Request r;

	MPI_Ibarrier(MPI_COMM_WORLD, &r);
	wait_so(IBARRIER, &r);
}

#if MPI_VERSION >= 4
static void part(int from, int to)
{
	MPI_Request r;
	int flag = 0;

	if (rank == from)
		MPI_Psend_init(data, 2, 4, MPI_CHAR, to, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	else
		MPI_Precv_init(data, 2, 4, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	MPI_Start(&r);
	if (rank == from)
		MPI_Pready_range(0, 1, r);
	while (rank == to && !flag)
		MPI_Parrived(r, 1, &flag);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Request_free(&r);
}
#else
static void part(int from, int to)
{
	(void)from, (void)to;
	MPI_Abort(MPI_COMM_WORLD, 77);
}
#endif

static void one(int way)
{
	if (rank == 0)
		sleep_for(2);
	if (way == IBARRIER)
		barrier();
	else if (way == PARRIVED && rank < 2)
		part(0, 1);
	else if (rank == 0)
		MPI_Send(data, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
	else if (rank == 1)
		receive(way, 0, 8);
	if (rank == 1)
		sleep_for(1);
}

static unsigned draw(unsigned *state, unsigned n)
{
	*state = *state * 1103515245u + 12345u;
	return (*state >> 16) % n;
}

static void rounds(int way, unsigned seed, double factor)
{
	for (int i = 0; i < ROUNDS; i++) {
		int from = (int)draw(&seed, (unsigned)size);
		int to = (from + 1 + (int)draw(&seed, (unsigned)size - 1)) % size;
		int bytes = draw(&seed, 2) ? BYTES : 8;

		for (int r = 0; r < size; r++) { /* all ranks draw the same */
			unsigned ms = draw(&seed, 3) ? 0 : draw(&seed, 1000);

			if (r == rank && ms > 0)
				sleep_for(1e-3 * ms * factor);
		}
		if (rank == from)
			MPI_Send(data, bytes, MPI_CHAR, to, 0, MPI_COMM_WORLD);
		else if (rank == to)
			receive(way, from, bytes);
	}
}

int main(int argc, char **argv)
{
	int way = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	while (argc > 1 && ways[way] && strcmp(ways[way], argv[1]) != 0)
		way++;
	if (argc < 2 || !ways[way] || size < 2)
		MPI_Abort(MPI_COMM_WORLD, 2);
	if (argc > 2)
		rounds(way, (unsigned)strtoul(argv[2], NULL, 10),
		       argc > 3 ? strtod(argv[3], NULL) : 1);
	else
		one(way);
	MPI_Finalize();
	return 0;
}
