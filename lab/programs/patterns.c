/* patterns.c: a dozen communication patterns of real programs, for `make validate`: patterns NAME
 * BYTES_PER_SECOND
 *
 * The second argument is the rate of the network that the amounts are scaled to, so that each runs
 * for about a second. Computation is a sleep: there are fewer processors than ranks. Prints the
 * time between the end of MPI_Init and the beginning of MPI_Finalize, the longest of all ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int me, n;
static char *out, *in;
static double rate;

enum { BUFFER = 8 << 20 };

static void compute(double seconds)
{
	struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

	nanosleep(&t, NULL);
}

/* The bytes that the network moves in that time, a multiple of 8. */
static int bytes(double seconds)
{
	int b = (int)(seconds * rate) & ~7;

	return b < 8 ? 8 : b > BUFFER / 16 ? BUFFER / 16 : b;
}

static void exchange(int with, int b)
{
	MPI_Sendrecv(out, b, MPI_BYTE, with, 1, in, b, MPI_BYTE, with, 1, MPI_COMM_WORLD,
	             MPI_STATUS_IGNORE);
}

/* EP: computation, three small sums. */
static void ep(void)
{
	for (int i = 0; i < 3; i++) {
		compute(0.25 + 0.01 * (me % 3));
		MPI_Allreduce(out, in, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
}

/* CG: exchange with the transposed partner, two sums an iteration. */
static void cg(void)
{
	for (int i = 0; i < 40; i++) {
		compute(0.008);
		exchange(n - 1 - me, bytes(0.012));
		MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
}

/* FT: transposition of all by all. */
static void ft(void)
{
	for (int i = 0; i < 4; i++) {
		compute(0.04);
		MPI_Alltoall(out, bytes(0.2 / n), MPI_BYTE, in, bytes(0.2 / n), MPI_BYTE,
		             MPI_COMM_WORLD);
	}
	MPI_Allreduce(out, in, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* LU: wavefronts down a line of ranks and back. */
static void lu(void)
{
	int b = bytes(0.001);

	for (int i = 0; i < 6; i++) {
		for (int k = 0; k < 20; k++) {
			if (me > 0)
				MPI_Recv(in, b, MPI_BYTE, me - 1, 2, MPI_COMM_WORLD,
				         MPI_STATUS_IGNORE);
			compute(0.002);
			if (me < n - 1)
				MPI_Send(out, b, MPI_BYTE, me + 1, 2, MPI_COMM_WORLD);
		}
		for (int k = 0; k < 20; k++) {
			if (me < n - 1)
				MPI_Recv(in, b, MPI_BYTE, me + 1, 3, MPI_COMM_WORLD,
				         MPI_STATUS_IGNORE);
			compute(0.002);
			if (me > 0)
				MPI_Send(out, b, MPI_BYTE, me - 1, 3, MPI_COMM_WORLD);
		}
	}
}

static void borders(int b)
{
	MPI_Request r[4];

	MPI_Irecv(in, b, MPI_BYTE, (me + n - 1) % n, 4, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(in + b, b, MPI_BYTE, (me + 1) % n, 5, MPI_COMM_WORLD, &r[1]);
	MPI_Isend(out, b, MPI_BYTE, (me + 1) % n, 4, MPI_COMM_WORLD, &r[2]);
	MPI_Isend(out + b, b, MPI_BYTE, (me + n - 1) % n, 5, MPI_COMM_WORLD, &r[3]);
	MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

/* MG: borders of halving size down the grids and up again. */
static void mg(void)
{
	for (int i = 0; i < 8; i++) {
		for (int level = 0; level < 6; level++) {
			compute(0.008 / (1 << level));
			borders(bytes(0.02 / (1 << level)));
		}
		MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	}
}

/* IS: sizes of buckets, then the buckets. */
static void is(void)
{
	int counts[64], places[64];

	for (int i = 0; i < 5; i++) {
		int each = bytes(0.12 / n);

		compute(0.02);
		MPI_Allreduce(out, in, 512, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		for (int r = 0; r < n; r++) {
			counts[r] = each;
			places[r] = r * each;
		}
		MPI_Alltoallv(out, counts, places, MPI_BYTE, in, counts, places, MPI_BYTE,
		              MPI_COMM_WORLD);
	}
}

/* DT, black hole: everything flows to rank 0 in a tree. */
static void dt(void)
{
	int b = bytes(0.06);

	for (int i = 0; i < 4; i++) {
		compute(0.01);
		for (int step = 1; step < n; step *= 2) {
			if (me % (2 * step) == step) {
				MPI_Send(out, b, MPI_BYTE, me - step, 6, MPI_COMM_WORLD);
				break;
			}
			if (me % (2 * step) == 0 && me + step < n) {
				MPI_Recv(in, b, MPI_BYTE, me + step, 6, MPI_COMM_WORLD,
				         MPI_STATUS_IGNORE);
				compute(0.005);
			}
		}
	}
}

/* The same, white hole: from rank 0 to all, each message anew. */
static void dt_white(void)
{
	for (int i = 0; i < 4; i++) {
		compute(0.02);
		for (int r = 1; r < n && me == 0; r++)
			MPI_Send(out, bytes(0.15 / n), MPI_BYTE, r, 6, MPI_COMM_WORLD);
		if (me > 0)
			MPI_Recv(in, bytes(0.15 / n), MPI_BYTE, 0, 6, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
	}
}

/* Collectives by size. */
static void collectives(void)
{
	static const double seconds[] = {0.0002, 0.004, 0.03};

	for (int s = 0; s < 3; s++) {
		int b = bytes(seconds[s]);

		for (int i = 0; i < 3; i++) {
			compute(0.005);
			MPI_Bcast(out, b, MPI_BYTE, 0, MPI_COMM_WORLD);
			MPI_Reduce(out, in, b / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
			MPI_Allreduce(out, in, b / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
			MPI_Allgather(out, b / n, MPI_BYTE, in, b / n, MPI_BYTE, MPI_COMM_WORLD);
			MPI_Gather(out, b / n, MPI_BYTE, in, b / n, MPI_BYTE, 0, MPI_COMM_WORLD);
			MPI_Scatter(out, b / n, MPI_BYTE, in, b / n, MPI_BYTE, 0, MPI_COMM_WORLD);
			MPI_Barrier(MPI_COMM_WORLD);
		}
	}
}

static void halo(void)
{
	for (int i = 0; i < 25; i++) {
		compute(0.01);
		borders(bytes(0.01));
	}
}

/* A ring of large messages. */
static void shift(void)
{
	int b = bytes(0.06);

	for (int i = 0; i < 10; i++) {
		MPI_Sendrecv(out, b, MPI_BYTE, (me + 1) % n, 7, in, b, MPI_BYTE, (me + n - 1) % n,
		             7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		compute(0.01);
	}
}

/* Tasks to whoever is ready; results of whoever comes. A task lasts as long as its number says. */
static void master(void)
{
	int tasks = 12 * (n - 1), sent = 0, task = bytes(0.001), result = bytes(0.004);
	MPI_Status s;

	if (me > 0) {
		for (;;) {
			MPI_Recv(in, task, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
			if (s.MPI_TAG == 0)
				return;
			compute(0.02 + 0.003 * (s.MPI_TAG % 7));
			MPI_Send(out, result, MPI_BYTE, 0, s.MPI_TAG, MPI_COMM_WORLD);
		}
	}
	for (int r = 1; r < n; r++)
		MPI_Send(out, task, MPI_BYTE, r, ++sent, MPI_COMM_WORLD);
	for (int got = 0; got < tasks; got++) {
		MPI_Recv(in, result, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
		MPI_Send(out, task, MPI_BYTE, s.MPI_SOURCE, sent < tasks ? ++sent : 0,
		         MPI_COMM_WORLD);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} patterns[] = {{"ep", ep},
                {"cg", cg},
                {"ft", ft},
                {"lu", lu},
                {"mg", mg},
                {"is", is},
                {"dt", dt},
                {"dt_white", dt_white},
                {"collectives", collectives},
                {"halo", halo},
                {"shift", shift},
                {"master", master}};

int main(int argc, char **argv)
{
	double t, longest;

	/* Before the time that is measured: touching memory is work for processors that ranks
	 * share. */
	out = malloc(BUFFER);
	in = malloc(BUFFER);
	if (out && in) {
		memset(out, 0, BUFFER);
		memset(in, 0, BUFFER);
	}
	MPI_Init(&argc, &argv);
	t = MPI_Wtime();
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	if (argc != 3 || sscanf(argv[2], "%lf", &rate) != 1 || !out || !in || n < 2 || n > 64)
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		if (!strcmp(patterns[i].name, argv[1]))
			patterns[i].run();
	t = MPI_Wtime() - t;
	MPI_Reduce(&t, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (me == 0)
		printf("elapsed %.6f\n", longest);
	MPI_Finalize();
	return 0;
}
