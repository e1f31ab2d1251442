/* Collective calls of MPI-IO whose members come at different dates. What is changed once for all is
 * changed when the first member goes on, and what went wrong is told to all. */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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

/* MPI 4.0, 14.3: a file that is only read may be seen through a type that meets itself: elements
 * 0, 1, 2 and 1 again, then 3, 4, 5 and 4; one that is written may not. */
static void read_twice(const char *name)
{
	static const int wanted[] = {0, 1, 2, 1, 3, 4, 5, 4, 6}, length[] = {3, 1}, at[] = {0, 1};
	int data[] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, back[9], class;
	char own[64];
	MPI_Datatype t;
	MPI_File f;

	snprintf(own, sizeof own, "%s.%d", name, me);
	MPI_Type_indexed(2, length, at, MPI_INT, &t);
	MPI_Type_commit(&t);
	MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	MPI_File_write(f, data, 9, MPI_INT, MPI_STATUS_IGNORE);
	MPI_Error_class(MPI_File_set_view(f, 0, MPI_INT, t, "native", MPI_INFO_NULL), &class);
	expect("written twice", class, MPI_ERR_IO);
	MPI_File_close(&f);
	MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
	              &f);
	MPI_Error_class(MPI_File_set_view(f, 0, MPI_INT, t, "native", MPI_INFO_NULL), &class);
	expect("read twice", class, MPI_SUCCESS);
	MPI_File_read(f, back, 9, MPI_INT, MPI_STATUS_IGNORE);
	for (int i = 0; i < 9; i++)
		expect("element", back[i], wanted[i]);
	MPI_File_read_at_all(f, 5, back, 4, MPI_INT, MPI_STATUS_IGNORE);
	for (int i = 0; i < 4; i++)
		expect("element at", back[i], wanted[5 + i]);
	MPI_Type_free(&t);
	MPI_File_close(&f);
}

/* The library's, too. */
static const char *forbidden;
int open(const char *path, int flags, ...)
{
	va_list more;
	int mode;

	va_start(more, flags);
	mode = flags & O_CREAT ? va_arg(more, int) : 0;
	va_end(more);
	if (forbidden && strcmp(path, forbidden) == 0) {
		errno = EACCES;
		return -1;
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static int opened(const char *name, MPI_File *f)
{
	int class;

	MPI_Error_class(
	    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, f),
	    &class);
	return class;
}

/* One member cannot open the file: for want of a descriptor, which all are told; for a reason that
 * it meets when all have agreed, and then the others have it. */
static void one_fails(const char *name)
{
	struct rlimit all, few;
	MPI_File f;
	int fd;

	apart(3);
	getrlimit(RLIMIT_NOFILE, &all);
	few = all;
	fd = dup(0);
	close(fd);
	few.rlim_cur = (rlim_t)fd;
	if (me == 1)
		setrlimit(RLIMIT_NOFILE, &few);
	expect("no descriptor", opened(name, &f), MPI_ERR_IO);
	setrlimit(RLIMIT_NOFILE, &all);
	forbidden = me == 1 ? name : NULL;
	apart(4);
	expect("forbidden", opened(name, &f), me == 1 ? MPI_ERR_ACCESS : MPI_SUCCESS);
	forbidden = NULL;
	apart(5);
	if (me != 1)
		MPI_File_close(&f);
	expect("for all", opened(name, &f), MPI_SUCCESS);
	MPI_File_close(&f);
}

/* Each does away with the file, and all make it anew: nobody's is made before all have come. */
static void each_deletes(const char *name)
{
	const int makes = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR;
	MPI_File f;

	expect("made", MPI_File_open(MPI_COMM_WORLD, name, makes, MPI_INFO_NULL, &f), MPI_SUCCESS);
	MPI_File_close(&f);
	apart(0);
	MPI_File_delete(name, MPI_INFO_NULL);
	expect("made anew",
	       MPI_File_open(MPI_COMM_WORLD, name, makes | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
	                     &f),
	       MPI_SUCCESS);
	expect("is there", access(name, F_OK), 0);
	MPI_File_close(&f);
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
	each_deletes(name);
	if (argc > 2) { /* takes time, in the trace too */
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
		read_twice(name);
	}
	if (argc > 3)
		one_fails(name);
	if (me == 0)
		puts("all fine");
	MPI_Finalize();
	return 0;
}
