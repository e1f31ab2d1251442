/* files.c: MPI-IO of all sorts and files of the operating system, on any number of ranks. Argument:
 * a folder. It checks what it reads. */
#define _GNU_SOURCE 1 /* dup3 */
#include <mpi.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 1000 };
static int rank, ranks;

static void check(int ok, int line)
{
	if (ok)
		return;
	fprintf(stderr, "files: rank %d: line %d\n", rank, line);
	MPI_Abort(MPI_COMM_WORLD, 3);
}
#define CHECK(x) check((x), __LINE__)

static void explicit_offsets(const char *name)
{
	int out[N], in[N], i;
	MPI_Offset at = (MPI_Offset)rank * (MPI_Offset)sizeof out;
	MPI_Request r;
	MPI_File f;

	for (i = 0; i < N; i++)
		out[i] = rank * N + i;
	CHECK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
	                    &f) == MPI_SUCCESS);
	MPI_File_set_size(f, 0);
	MPI_File_write_at(f, at, out, N, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_sync(f);
	MPI_File_iread_at(f, at, in, N, MPI_INT, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	CHECK(memcmp(in, out, sizeof in) == 0);
	MPI_File_write_at_all(f, at, out, N, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_read_at_all_begin(f, at, in, N, MPI_INT);
	MPI_File_read_at_all_end(f, in, MPI_STATUS_IGNORE);
	CHECK(memcmp(in, out, sizeof in) == 0);
	MPI_File_close(&f);
}

/* Ints of the ranks in turn: the view of each has holes. */
static void with_a_view(const char *name)
{
	int out[N], in[N], i;
	MPI_Datatype every;
	MPI_File f;

	for (i = 0; i < N; i++)
		out[i] = rank + i;
	MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)(ranks * (int)sizeof(int)), &every);
	MPI_Type_commit(&every);
	MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	MPI_File_set_view(f, rank * (MPI_Offset)sizeof(int), MPI_INT, every, "native",
	                  MPI_INFO_NULL);
	MPI_File_write_all(f, out, N, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_seek(f, 0, MPI_SEEK_SET);
	MPI_File_read_all(f, in, N, MPI_INT, MPI_STATUS_IGNORE);
	CHECK(memcmp(in, out, sizeof in) == 0);
	MPI_File_close(&f);
	MPI_Type_free(&every);
}

static void shared_pointer(const char *name)
{
	char block[100] = {0};
	MPI_File f;

	MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	MPI_File_write_ordered(f, block, 100, MPI_CHAR, MPI_STATUS_IGNORE);
	MPI_File_write_shared(f, block, 50, MPI_CHAR, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
}

static void of_the_system(const char *dir)
{
	char name[4096], block[3000] = {0};
	FILE *stream;
	int fd;

	snprintf(name, sizeof name, "%s/own.%d", dir, rank);
	fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
	CHECK(fd >= 0);
	CHECK(write(fd, block, 3000) == 3000);
	CHECK(fsync(fd) == 0);
	CHECK(pread(fd, block, 1000, 500) == 1000);
	CHECK(close(fd) == 0);
	stream = fopen(name, "r");
	CHECK(stream != NULL);
	CHECK(fread(block, 1, 2500, stream) == 2500);
	CHECK(fclose(stream) == 0);
	CHECK(unlink(name) == 0);
	fd = open("/dev/null", O_WRONLY);
	CHECK(write(fd, block, 10) == 10);
	CHECK(close(fd) == 0);
}

/* All that is written goes to the first file, whichever of its descriptors it is written through;
 * the second one is closed by dup2. */
static void duplicates(const char *dir)
{
	char first[4096], second[4096], block[400] = {0};
	int fd, copy, third, null, other;

	snprintf(first, sizeof first, "%s/first.%d", dir, rank);
	snprintf(second, sizeof second, "%s/second.%d", dir, rank);
	fd = open(first, O_RDWR | O_CREAT | O_TRUNC, 0644);
	copy = dup(fd);
	CHECK(copy >= 0 && write(copy, block, 100) == 100);
	CHECK(close(fd) == 0);
	third = fcntl(copy, F_DUPFD, 20);
	CHECK(third >= 20 && write(third, block, 200) == 200);
	null = open("/dev/null", O_WRONLY);
	CHECK(dup3(third, null, O_CLOEXEC) == null && write(null, block, 300) == 300);
	CHECK(close(copy) == 0 && close(third) == 0);
	other = open(second, O_RDWR | O_CREAT | O_TRUNC, 0644);
	CHECK(dup2(null, other) == other && dup2(other, other) == other &&
	      write(other, block, 50) == 50);
	CHECK(fcntl(other, F_GETFD) == 0 && dup2(-1, other) == -1);
	CHECK(close(null) == 0 && lseek(other, 0, SEEK_END) == 650);
	CHECK(close(other) == 0 && unlink(first) == 0 && unlink(second) == 0);
}

int main(int argc, char **argv)
{
	char name[4096];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	snprintf(name, sizeof name, "%s/a file", argv[1]);
	explicit_offsets(name);
	with_a_view(name);
	shared_pointer(name);
	of_the_system(argv[1]);
	duplicates(argv[1]);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_File_delete(name, MPI_INFO_NULL);
	MPI_Finalize();
	if (rank == 0)
		printf("files: all right\n");
	return 0;
}
