/* told.c FILE: without a sync, what others wrote by a collective call before is there in the next,
 * and the size of the file is what it was until all have called: as real libraries let programs
 * rely on, since all tell all where their data are first. Rank 1 comes later, by computation.
 * Prints "fine". */
#include <mpi.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks;

/* 0.2 s of the processor, of which the simulation knows nothing. */
static void late(void)
{
	struct timespec t = {0};

	while (rank == 1 && t.tv_nsec < 200000000 && t.tv_sec == 0)
		syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
}

int main(int argc, char **argv)
{
	int right, all, mine, other = -1;
	MPI_Offset size;
	MPI_File f;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	mine = 100 + rank;
	MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	late();
	MPI_File_get_size(f, &size);
	MPI_File_write_at_all(f, 4 * rank, &mine, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_read_at_all(f, 4 * ((rank + 1) % ranks), &other, 1, MPI_INT, MPI_STATUS_IGNORE);
	right = size == 0 && other == 100 + (rank + 1) % ranks;
	MPI_File_close(&f);
	MPI_Reduce(&right, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_File_delete(argv[1], MPI_INFO_NULL);
		puts(all ? "fine" : "wrong");
	}
	MPI_Finalize();
	return 0;
}
