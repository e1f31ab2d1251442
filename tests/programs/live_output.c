/* live_output.c: every way to write to the standard streams. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct iovec v[2] = {{(void *)"vec", 3}, {(void *)"tor\n", 4}};
	char text[64];
	FILE *f;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	printf("printf %d, ", rank);
	MPI_Barrier(MPI_COMM_WORLD);
	puts("its end");
	fprintf(stdout, "two\nlines\n");
	fprintf(stderr, "to stderr %d\n", rank);
	fflush(stdout);
	snprintf(text, sizeof text, "write %d\n", rank);
	if (write(STDOUT_FILENO, text, strlen(text)) < 0 || writev(fileno(stdout), v, 2) < 0)
		return 1;
	dprintf(STDERR_FILENO, "dprintf %d\n", rank);
	f = fdopen(STDERR_FILENO, "w");
	if (!f)
		return 1;
	fprintf(f, "fdopen %d\n", rank);
	fflush(f);
	if (argc > 1 && freopen(argv[1], "w", stdout)) {
		printf("elsewhere\n");
		fflush(stdout);
		if (write(STDOUT_FILENO, "there, too\n", 11) < 0)
			return 1;
	}
	MPI_Barrier(MPI_COMM_WORLD);
	printf("no end");
	MPI_Finalize();
	return 0;
}
