/* gen_trace.c: writes big traces in SimGrid's plain form, for benchmarks.
 * usage: gen_trace KIND RANKS STEPS DIR
 *   lu        wavefronts over a 2-D grid of ranks: small blocking messages from the north and west
 *             to the south and east, and back
 *   cg        reductions along rows by recursive halving of distances with isend / irecv / wait,
 *             and an exchange with the transpose
 *   alltoall  STEPS all-to-alls of 64 KiB blocks; pairwise: the same as sendRecv steps; allreduce:
 *             8 bytes
 * and the patterns of LogGOPSim's schedgen, STEPS being the bytes of a message (of all of them in
 * ring):
 *   dissemination  binomial (broadcast)  reduce (binomial)  ring (allreduce)  recdoub (allreduce)
 *                  gather  scatter  linear (all-to-all)
 * DIR/list names DIR/<rank>.txt. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct grid {
	int rows, cols;
};

static struct grid grid_of(int n)
{
	struct grid g = {1, n};

	for (int r = 1; r * r <= n; r++) {
		if (n % r == 0)
			g = (struct grid){r, n / r};
	}
	return g;
}

static void lu_sweep(FILE *f, int rank, struct grid g, int i, int j, int forward)
{
	int from_i = forward ? i - 1 : i + 1, from_j = forward ? j - 1 : j + 1,
	    to_i = 2 * i - from_i, to_j = 2 * j - from_j;

	if (from_i >= 0 && from_i < g.rows)
		fprintf(f, "%d recv %d 0 510 0\n", rank, from_i * g.cols + j);
	if (from_j >= 0 && from_j < g.cols)
		fprintf(f, "%d recv %d 0 510 0\n", rank, i * g.cols + from_j);
	fprintf(f, "%d compute %d\n", rank, 90000 + 100 * (rank % 7));
	if (to_i >= 0 && to_i < g.rows)
		fprintf(f, "%d send %d 0 510 0\n", rank, to_i * g.cols + j);
	if (to_j >= 0 && to_j < g.cols)
		fprintf(f, "%d send %d 0 510 0\n", rank, i * g.cols + to_j);
}

static void lu(FILE *f, int rank, int n, int steps)
{
	struct grid g = grid_of(n);

	for (int s = 0; s < steps; s++)
		lu_sweep(f, rank, g, rank / g.cols, rank % g.cols, s / 16 % 2 == 0);
}

static void cg(FILE *f, int rank, int n, int steps)
{
	struct grid g = grid_of(n);
	int i = rank / g.cols, j = rank % g.cols;

	for (int s = 0; s < steps; s++) {
		fprintf(f, "%d compute %d\n", rank, 200000 + 1000 * (rank % 5));
		for (int d = 1; d < g.cols; d *= 2) {
			int peer = i * g.cols + (j ^ d);

			if ((j ^ d) >= g.cols)
				continue;
			fprintf(f, "%d irecv %d %d 700 0\n%d send %d %d 700 0\n%d wait %d %d %d\n",
			        rank, peer, d, rank, peer, d, rank, peer, rank, d);
		}
		if (g.rows == g.cols && i != j) {
			int peer = j * g.cols + i;

			fprintf(f, "%d irecv %d 0 700 0\n%d send %d 0 700 0\n%d wait %d %d 0\n",
			        rank, peer, rank, peer, rank, peer, rank);
		}
	}
}

static void alltoall(FILE *f, int rank, int n, int steps)
{
	(void)n;
	for (int s = 0; s < steps; s++)
		fprintf(f, "%d alltoall 65536 65536 6 6\n", rank);
}

static void pairwise(FILE *f, int rank, int n, int steps)
{
	for (int s = 0; s < steps; s++) {
		for (int k = 1; k < n; k++)
			fprintf(f, "%d sendRecv 65536 %d 65536 %d 6 6\n", rank, (rank + k) % n,
			        (rank + n - k) % n);
	}
}

static void allreduce(FILE *f, int rank, int n, int steps)
{
	(void)n;
	for (int s = 0; s < steps; s++)
		fprintf(f, "%d allreduce 1 0 0\n", rank);
}

/* --- schedgen's patterns: what does not depend on anything there is a non-blocking call here, and
 * receives are posted first --- */

static void irecv(FILE *f, int rank, int from, int bytes)
{
	fprintf(f, "%d irecv %d 0 %d 6\n", rank, from, bytes);
}

static void recv(FILE *f, int rank, int from, int bytes)
{
	fprintf(f, "%d recv %d 0 %d 6\n", rank, from, bytes);
}

static void waitall(FILE *f, int rank)
{
	fprintf(f, "%d waitall\n", rank);
}

static void isend(FILE *f, int rank, int to, int bytes)
{
	fprintf(f, "%d isend %d 0 %d 6\n", rank, to, bytes);
}

static void wait(FILE *f, int rank, int from)
{
	fprintf(f, "%d wait %d %d 0\n", rank, from, rank);
}

static void dissemination(FILE *f, int rank, int n, int bytes)
{
	for (int d = 1; d < n; d *= 2)
		irecv(f, rank, (rank - d + n) % n, bytes);
	for (int d = 1; d < n; d *= 2) {
		isend(f, rank, (rank + d) % n, bytes);
		wait(f, rank, (rank - d + n) % n);
	}
	waitall(f, rank);
}

static void binomial(FILE *f, int rank, int n, int bytes)
{
	int d = 1;

	for (; d <= rank; d *= 2)
		;
	if (rank > 0)
		recv(f, rank, rank - d / 2, bytes);
	for (; rank + d < n; d *= 2)
		isend(f, rank, rank + d, bytes);
	waitall(f, rank);
}

static void reduce(FILE *f, int rank, int n, int bytes)
{
	for (int d = 1; d < n; d *= 2) {
		if (rank & d) {
			isend(f, rank, rank - d, bytes);
			break;
		}
		if (rank + d < n)
			recv(f, rank, rank + d, bytes);
	}
	waitall(f, rank);
}

static void ring(FILE *f, int rank, int n, int bytes)
{
	for (int i = 0; i < 2 * (n - 1); i++) {
		isend(f, rank, (rank + 1) % n, bytes / n);
		recv(f, rank, (rank + n - 1) % n, bytes / n);
	}
	waitall(f, rank);
}

static void recdoub(FILE *f, int rank, int n, int bytes)
{
	int d = 1;

	for (; d < n; d *= 2) {
		bytes /= 2;
		isend(f, rank, rank ^ d, bytes);
		recv(f, rank, rank ^ d, bytes);
	}
	for (d /= 2; d > 0; d /= 2, bytes *= 2) {
		isend(f, rank, rank ^ d, bytes);
		recv(f, rank, rank ^ d, bytes);
	}
	waitall(f, rank);
}

static void gather(FILE *f, int rank, int n, int bytes)
{
	for (int i = 1; rank == 0 && i < n; i++)
		irecv(f, rank, i, bytes);
	if (rank > 0)
		isend(f, rank, 0, bytes);
	waitall(f, rank);
}

static void scatter(FILE *f, int rank, int n, int bytes)
{
	for (int i = 1; rank == 0 && i < n; i++)
		isend(f, rank, i, bytes);
	if (rank > 0)
		recv(f, rank, 0, bytes);
	waitall(f, rank);
}

static void linear(FILE *f, int rank, int n, int bytes)
{
	for (int d = 1; d < n; d++)
		irecv(f, rank, (rank - d + n) % n, bytes);
	for (int d = 1; d < n; d++)
		isend(f, rank, (rank + d) % n, bytes);
	waitall(f, rank);
}

static const struct kind {
	const char *name;
	void (*write)(FILE *f, int rank, int n, int steps);
} kinds[] = {{"lu", lu},
             {"cg", cg},
             {"alltoall", alltoall},
             {"pairwise", pairwise},
             {"allreduce", allreduce},
             {"dissemination", dissemination},
             {"binomial", binomial},
             {"reduce", reduce},
             {"ring", ring},
             {"recdoub", recdoub},
             {"gather", gather},
             {"scatter", scatter},
             {"linear", linear}};

static const struct kind *kind_find(const char *name)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	}
	return NULL;
}

static int write_rank(const struct kind *k, const char *dir, int rank, int n, int steps, FILE *list)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s/%d.txt", dir, rank);
	fprintf(list, "%s\n", path);
	f = fopen(path, "w");
	if (!f)
		return -1;
	fprintf(f, "%d init\n", rank);
	k->write(f, rank, n, steps);
	fprintf(f, "%d finalize\n", rank);
	return fclose(f);
}

int main(int argc, char **argv)
{
	const struct kind *k = argc == 5 ? kind_find(argv[1]) : NULL;
	int n = k ? (int)strtol(argv[2], NULL, 10) : 0,
	    steps = k ? (int)strtol(argv[3], NULL, 10) : 0;
	char path[4096];
	FILE *list;

	if (n < 1 || steps < 0) {
		fprintf(stderr,
		        "usage: gen_trace KIND RANKS STEPS DIR: the kinds are at the head of "
		        "gen_trace.c\n");
		return 2;
	}
	snprintf(path, sizeof path, "%s/list", argv[4]);
	if ((mkdir(argv[4], 0777) && errno != EEXIST) || !(list = fopen(path, "w"))) {
		perror(path);
		return 3;
	}
	for (int rank = 0; rank < n; rank++) {
		if (write_rank(k, argv[4], rank, n, steps, list)) {
			perror("gen_trace");
			return 3;
		}
	}
	return fclose(list) ? 3 : 0;
}
