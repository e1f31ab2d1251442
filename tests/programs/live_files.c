/* Collective calls of MPI-IO whose members come at different dates. What is changed once for all is
 * changed when the first member goes on, and what went wrong is told to all. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { INTS = 64 };
static int me, ranks;

/* Each time another rank is last. */
static void apart(int round)
{
	usleep((useconds_t)(100 * ((me * 7 + round * 3) % 11)));
}

static void expect(const char *what, long long got, long long wanted)
{
	if (got == wanted)
		return;
	printf("rank %d: %s: %lld, %lld wanted\n", me, what, got, wanted);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void round_of(MPI_File f, int round)
{
	int data[INTS], back[INTS];
	MPI_Offset at;

	for (int i = 0; i < INTS; i++)
		data[i] = me * INTS + i + round;
	apart(round);
	MPI_File_set_size(f, 16 * (round + 1));
	MPI_File_get_size(f, &at);
	expect("size", at >= 16 * (round + 1), 1);
	apart(round + 1);
	MPI_File_set_view(f, 8 * round, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	apart(round + 2);
	MPI_File_write_at_all(f, INTS * me, data, INTS, MPI_INT, MPI_STATUS_IGNORE);
	apart(round + 3);
	MPI_File_sync(f);
	MPI_File_read_at_all(f, INTS * ((me + 1) % ranks), back, INTS, MPI_INT, MPI_STATUS_IGNORE);
	expect("read", back[1], (me + 1) % ranks * INTS + 1 + round);
	apart(round + 4);
	MPI_File_seek_shared(f, 5 + round, MPI_SEEK_SET);
	MPI_File_get_position_shared(f, &at);
	expect("shared pointer", at, 5 + round);
	apart(round + 5);
	MPI_File_set_atomicity(f, round & 1);
	apart(round + 6);
	MPI_File_preallocate(f, 4096);
	MPI_File_get_size(f, &at);
	expect("reserved", at, 4096);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "file";
	MPI_Offset at;
	MPI_File f;
	int class;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int round = 0; round < 4; round++) {
		apart(round);
		MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
		              &f);
		round_of(f, round);
		apart(round + 7);
		MPI_File_close(&f);
	}
	MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_INFO_NULL, &f);
	MPI_File_get_position(f, &at);
	expect("end", at, 4096);
	MPI_File_write(f, &me, 1, MPI_INT, MPI_STATUS_IGNORE);
	apart(1);
	MPI_File_close(&f);
	MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
	              &f);
	MPI_File_close(&f);
	expect("removed", access(name, F_OK), -1);
	if (argc > 2) { /* takes time here, and is not in a trace */
		apart(2);
		MPI_Error_class(
		    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &f),
		    &class);
		expect("none", class, MPI_ERR_NO_SUCH_FILE);
		MPI_Error_class(MPI_File_open(MPI_COMM_WORLD, name,
		                              me == 1 ? MPI_MODE_RDONLY | MPI_MODE_EXCL
		                                      : MPI_MODE_RDWR | MPI_MODE_CREATE,
		                              MPI_INFO_NULL, &f),
		                &class);
		expect("not the same", class, MPI_ERR_NOT_SAME);
	}
	if (me == 0)
		puts("all fine");
	MPI_Finalize();
	return 0;
}
