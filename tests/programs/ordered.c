/* ordered.c FILE: accesses in the order of ranks, of members that come at different dates and with
 * different lengths, whole and in halves; what is read is compared. The date at which they began is
 * 3 ms apart from rank to rank, twice one way and then the other. Prints "fine". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 4, BYTES = 1000 };

static int rank, ranks;

static int is_right(const char *data, int n, char c)
{
	while (n > 0 && data[n - 1] == c)
		n--;
	return n == 0;
}

int main(int argc, char **argv)
{
	int mine, right = 1, all;
	char *data, *back;
	MPI_Offset end;
	MPI_File f;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	mine = (rank + 1) * BYTES;
	data = malloc((size_t)mine);
	back = malloc((size_t)mine);
	MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < mine; k++)
			data[k] = (char)('a' + i + rank);
		usleep(3000 * (unsigned)(i < 2 ? rank : ranks - rank));
		if (i % 2) {
			MPI_File_write_ordered_begin(f, data, mine, MPI_CHAR);
			usleep(100);
			MPI_File_write_ordered_end(f, data, MPI_STATUS_IGNORE);
		} else {
			MPI_File_write_ordered(f, data, mine, MPI_CHAR, MPI_STATUS_IGNORE);
		}
	}
	MPI_File_get_position_shared(f, &end);
	right &= end == ROUNDS * BYTES * ranks * (ranks + 1) / 2;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
	for (int i = 0; i < ROUNDS; i++) {
		usleep(3000 * (unsigned)(i < 2 ? rank : ranks - rank));
		if (i % 2) {
			MPI_File_read_ordered_begin(f, back, mine, MPI_CHAR);
			MPI_File_read_ordered_end(f, back, MPI_STATUS_IGNORE);
		} else {
			MPI_File_read_ordered(f, back, mine, MPI_CHAR, MPI_STATUS_IGNORE);
		}
		right &= is_right(back, mine, (char)('a' + i + rank));
	}
	MPI_File_close(&f);
	MPI_Reduce(&right, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_File_delete(argv[1], MPI_INFO_NULL);
		puts(all ? "fine" : "wrong");
	}
	MPI_Finalize();
	return 0;
}
