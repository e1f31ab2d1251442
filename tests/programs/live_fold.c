/* live_fold.c: with an argument, says what of it is folded: what panel() allocates, what main()
 * does, and how much memory that took. Else rank 0 sends rank 1 a message of two parts, of a large
 * allocation (folded, where that is asked for) and of a small one. Rank 1 prints what came of the
 * small one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 1 << 20 };

__attribute__((noinline)) static char *panel(size_t n)
{
	char *volatile p = malloc(n);

	return p;
}

/* A byte that is written is read so much further on: a multiple of the blocks' sizes. */
static const char *folded(volatile char *p, size_t further)
{
	p[0] = 1;
	p[further] = 2;
	return p[0] == 2 ? "folded" : "apart";
}

static int tell(int argc, char **argv)
{
	char *a, *b;

	MPI_Init(&argc, &argv);
	a = panel(8 << 20);
	b = malloc(8 << 20);
	if (argc > 2 && strcmp(argv[2], "much") == 0) { /* is touched */
		free(b);
		b = malloc(512 << 20);
		memset(b, 1, 512 << 20);
	}
	if (argc > 2 && strcmp(argv[2], "far") == 0)
		printf("far: %s\n", folded(malloc((size_t)4 << 30), (size_t)2 << 30));
	printf("panel: %s, main: %s\n", folded(a, 4 << 20), folded(b, 4 << 20));
	MPI_Finalize();
	return 0;
}

int main(int argc, char **argv)
{
	char *large = malloc(LARGE);
	int *small = malloc(sizeof *small), parts[2] = {LARGE, 1}, rank;
	MPI_Datatype types[2] = {MPI_CHAR, MPI_INT}, both;
	MPI_Aint at[2];

	if (argc > 1)
		return tell(argc, argv);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	*small = rank == 0 ? 42 : 0;
	MPI_Get_address(large, &at[0]);
	MPI_Get_address(small, &at[1]);
	at[1] = MPI_Aint_diff(at[1], at[0]);
	at[0] = 0;
	MPI_Type_create_struct(2, parts, at, types, &both);
	MPI_Type_commit(&both);
	if (rank == 0)
		MPI_Send(large, 1, both, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(large, 1, both, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 1)
		printf("came: %d\n", *small);
	MPI_Type_free(&both);
	MPI_Finalize();
	free(large);
	free(small);
	return 0;
}
