/* coll_many.c: collective calls in SimGrid's on-line mode, one after the other: FILE has lines
 * "operation elements root type seed" (type 0: doubles, 1: ints, 6: bytes), as coll_online.py
 * writes and reads them. Prints "R line seconds" for each: from the date at which all begin to the
 * last end. Before it is timed an operation is called once, as a selector may send messages to set
 * itself up; between calls all sleep until a date by which nothing moves any more. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int p, rank;

static unsigned number(unsigned long long *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(*state >> 33);
}

/* An irregular count, the same in coll_online.py. */
static int irregular(unsigned long long seed, int i, int j, int n)
{
	unsigned long long state = seed * 1000003ULL + (unsigned)i * 1009ULL + (unsigned)j;
	number(&state);
	number(&state);
	return n ? (int)(number(&state) % (unsigned)(2 * n + 1)) : 0;
}

/* By plain messages: the operations under test are not used to measure. */
static double most(double x)
{
	MPI_Comm w = MPI_COMM_WORLD;
	double y;
	if (rank) {
		MPI_Send(&x, 1, MPI_DOUBLE, 0, 77, w);
		MPI_Recv(&x, 1, MPI_DOUBLE, 0, 78, w, MPI_STATUS_IGNORE);
		return x;
	}
	for (int i = 1; i < p; i++) {
		MPI_Recv(&y, 1, MPI_DOUBLE, i, 77, w, MPI_STATUS_IGNORE);
		x = y > x ? y : x;
	}
	for (int i = 1; i < p; i++)
		MPI_Send(&x, 1, MPI_DOUBLE, i, 78, w);
	return x;
}

static void rest(double seconds)
{
	struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
	nanosleep(&t, NULL);
}

struct call {
	char op[40];
	int n, root, type;
	unsigned long long seed;
	int *c, *c2, *at, *at2; /* counts and displacements */
	char *in, *out;
};

static int is(const struct call *c, const char *op)
{
	return strcmp(c->op, op) == 0;
}

static void perform(const struct call *c)
{
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Datatype t = c->type == 0 ? MPI_DOUBLE : c->type == 1 ? MPI_INT : MPI_CHAR;
	int n = c->n;
	if (is(c, "barrier"))
		MPI_Barrier(w);
	else if (is(c, "bcast"))
		MPI_Bcast(c->in, n, t, c->root, w);
	else if (is(c, "reduce"))
		MPI_Reduce(c->in, c->out, n, t, MPI_SUM, c->root, w);
	else if (is(c, "allreduce"))
		MPI_Allreduce(c->in, c->out, n, t, MPI_SUM, w);
	else if (is(c, "gather"))
		MPI_Gather(c->in, n, t, c->out, n, t, c->root, w);
	else if (is(c, "gatherv"))
		MPI_Gatherv(c->in, c->c[rank], t, c->out, c->c, c->at, t, c->root, w);
	else if (is(c, "scatter"))
		MPI_Scatter(c->in, n, t, c->out, n, t, c->root, w);
	else if (is(c, "scatterv"))
		MPI_Scatterv(c->in, c->c, c->at, t, c->out, c->c[rank], t, c->root, w);
	else if (is(c, "allgather"))
		MPI_Allgather(c->in, n, t, c->out, n, t, w);
	else if (is(c, "allgatherv"))
		MPI_Allgatherv(c->in, c->c[rank], t, c->out, c->c, c->at, t, w);
	else if (is(c, "alltoall"))
		MPI_Alltoall(c->in, n, t, c->out, n, t, w);
	else if (is(c, "alltoallv"))
		MPI_Alltoallv(c->in, c->c, c->at, t, c->out, c->c2, c->at2, t, w);
	else if (is(c, "reducescatter"))
		MPI_Reduce_scatter(c->in, c->out, c->c, t, MPI_SUM, w);
	else
		MPI_Abort(w, 2);
}

static void prepare(struct call *c)
{
	int size = c->type == 0 ? 8 : c->type == 1 ? 4 : 1, pairs = is(c, "alltoallv");
	int whole = is(c, "bcast") || is(c, "reduce") || is(c, "allreduce");
	size_t a = 0, b = 0, room;
	c->c = calloc(4 * p, sizeof *c->c);
	c->c2 = c->c + p, c->at = c->c + 2 * p, c->at2 = c->c + 3 * p;
	for (int i = 0; i < p; i++) {
		c->c[i] = pairs ? irregular(c->seed, rank, i, c->n)
		                : irregular(c->seed, i, 0, c->n);
		c->c2[i] = irregular(c->seed, i, pairs ? rank : 0, c->n);
		c->at[i] = (int)a, c->at2[i] = (int)b;
		a += c->c[i], b += c->c2[i];
	}
	room = (whole ? c->n : (size_t)c->n * p + a + b) * size + 64;
	c->in = calloc(room, 1), c->out = calloc(room, 1);
}

int main(int argc, char **argv)
{
	struct call c;
	char seen[1024] = " ";
	FILE *f;
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &p);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	f = fopen(argv[1], "r");
	for (int line = 0;
	     fscanf(f, "%39s %d %d %d %llu", c.op, &c.n, &c.root, &c.type, &c.seed) == 5; line++) {
		double begin, end, took = 0;
		int times = strstr(seen, c.op) ? 1 : 2;
		strcat(strcat(seen, c.op), " ");
		prepare(&c);
		while (times--) {
			begin = (double)(long)(most(MPI_Wtime()) + 2);
			rest(begin - MPI_Wtime());
			begin = MPI_Wtime();
			perform(&c);
			end = MPI_Wtime();
			rest(1000);
			took = most(end) - most(begin);
		}
		if (rank == 0)
			printf("R %d %.9f\n", line, took), fflush(stdout);
		free(c.c), free(c.in), free(c.out);
	}
	MPI_Finalize();
	return 0;
}
