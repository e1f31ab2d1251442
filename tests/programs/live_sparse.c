/* live_sparse.c: messages of memory of which little was ever written but zeros, under --fold-memory
 * with a threshold above all allocations. Rank 1 checks every byte, and that what is zero took no
 * memory here. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <orrery/smpi.h>

enum {
	ZEROS = 22 << 20,
	LARGE = 32 << 20,
	STEP = 5 << 20,
	BLOCKS = 64,
	BLOCK = 3 << 12,
	APART = 9 << 12
};

static int expected(long i)
{
	if (i >= (1 << 20) + 100 && i < (1 << 20) + 10100)
		return 9;
	return i % STEP == 77 ? (int)(i / STEP) + 1 : 0;
}

static long wrong(const unsigned char *p)
{
	long n = 0;

	for (long i = 0; i < LARGE; i++)
		n += p[i] != expected(i);
	return n;
}

static void fill(unsigned char *p)
{
	for (int i = 0; i * STEP < LARGE; i++)
		p[i * STEP + 77] = (unsigned char)(i + 1);
	memset(p + (1 << 20) + 100, 9, 10000);
	memset(p + ZEROS, 0, 2 << 20);
	if (wrong(p)) /* each page is read */
		abort();
}

static long resident(void) /* KiB that are this process's own */
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long n = -1;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "RssAnon: %ld", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

static void whole(int rank)
{
	unsigned char *p = malloc(LARGE), *dirty = malloc(LARGE);
	long before;

	if (rank == 0)
		fill(p);
	MPI_Barrier(MPI_COMM_WORLD);
	before = resident();
	if (rank == 0) {
		for (int i = 0; i < 2; i++)
			MPI_Send(p, LARGE, MPI_BYTE, 1, i, MPI_COMM_WORLD);
	} else {
		MPI_Recv(p, LARGE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("fresh: %s\n", resident() - before < 1024 ? "small" : "large");
		memset(dirty, 255, LARGE);
		MPI_Recv(dirty, LARGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("wrong: %ld %ld\n", wrong(p), wrong(dirty));
	}
	free(p);
	free(dirty);
}

/* Blocks of three pages, of which every fourth was written, arrive packed. */
static void strided(int rank)
{
	unsigned char *p = malloc((size_t)BLOCKS * APART), *q = malloc((size_t)BLOCKS * BLOCK);
	MPI_Datatype blocks;
	long bad = 0;

	MPI_Type_vector(BLOCKS, BLOCK, APART, MPI_BYTE, &blocks);
	MPI_Type_commit(&blocks);
	if (rank == 0) {
		for (int i = 0; i < BLOCKS; i += 4)
			memset(p + (size_t)i * APART, i + 1, BLOCK);
		MPI_Send(p, 1, blocks, 1, 0, MPI_COMM_WORLD);
	} else {
		memset(q, 255, (size_t)BLOCKS * BLOCK);
		MPI_Recv(q, BLOCKS * BLOCK, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 0; i < BLOCKS * BLOCK; i++)
			bad += q[i] != (i / BLOCK % 4 ? 0 : i / BLOCK + 1);
		printf("strided: %ld\n", bad);
	}
	MPI_Type_free(&blocks);
	free(p);
	free(q);
}

/* Of memory that is folded but for its last part that part arrives. */
static void partial(int rank)
{
	size_t folded[2] = {0, 3 << 20};
	unsigned char *p = SMPI_PARTIAL_SHARED_MALLOC(4 << 20, folded, 1);
	long bad = 0;

	memset(p + (3 << 20), rank == 0 ? 7 : 0, 1 << 20);
	if (rank == 0)
		MPI_Send(p, 4 << 20, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(p, 4 << 20, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 3 << 20; i < 4 << 20; i++)
		bad += p[i] != 7;
	if (rank == 1)
		printf("partial: %ld\n", bad);
	SMPI_SHARED_FREE(p);
}

/* What grows keeps what was written to it. */
static void grows(int rank)
{
	char *p = malloc(1 << 20);

	strcpy(p + 500000, "kept");
	p = realloc(p, 8 << 20);
	p[7 << 20] = 'x';
	p = realloc(p, 600000);
	if (rank == 1)
		printf("grown: %s\n", p + 500000);
	free(p);
}

/* Also where the compiler sees that nobody reads it. */
__attribute__((noipa)) static void written(unsigned char *p, size_t n)
{
	memset(p, 5, n);
}

/* What is given back and takes little is taken again; what has to be zero is; much is given back.
 */
static void again(int rank)
{
	unsigned char *p = malloc(1 << 20), *q, *zero, *much = malloc(16 << 20);
	volatile uintptr_t first = (uintptr_t)p;
	long bad = 0, before;

	written(p, 1 << 20);
	free(p);
	q = malloc((1 << 20) - 5000);
	if (rank == 1)
		printf("again: %s", (uintptr_t)q == first && q[1000] == 5 ? "the same" : "another");
	free(q);
	zero = calloc(1 << 10, 1 << 10);
	for (int i = 0; i < 1 << 20; i++)
		bad += zero[i];
	written(much, 16 << 20);
	before = resident();
	free(much);
	if (rank == 1)
		printf(", %ld, %s\n", bad, before - resident() > 15 << 10 ? "gone" : "held");
	free(zero);
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	whole(rank);
	strided(rank);
	partial(rank);
	grows(rank);
	again(rank);
	MPI_Finalize();
	return 0;
}
