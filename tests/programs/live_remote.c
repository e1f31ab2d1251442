/* live_remote.c: windows and files with results that no order of ranks changes: what is printed,
 * and the file that is left, must be the same under every MPI. Arguments: the file; what the names
 * of the files begin with into which ranks print (launchers mix the lines of ranks). Four ranks. */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, ranks;

static void say(const char *what, const int *x, int n)
{
	char line[1024];
	int at = snprintf(line, sizeof line, "rank %d %s", me, what);
	for (int i = 0; i < n; i++)
		at += snprintf(line + at, sizeof line - (size_t)at, " %d", x[i]);
	puts(line);
}

enum { N = 8 };

static void fences(void)
{
	int mine[N], got[N] = {0};
	MPI_Win win;
	MPI_Datatype every_second;
	for (int i = 0; i < N; i++)
		mine[i] = 100 * me + i;
	MPI_Type_vector(N / 2, 1, 2, MPI_INT, &every_second);
	MPI_Type_commit(&every_second);
	MPI_Win_create(mine, sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Get(got, N / 2, MPI_INT, (me + 1) % ranks, 0, 1, every_second, win);
	MPI_Win_fence(0, win);
	say("get", got, N / 2);
	MPI_Put(got, N / 2, MPI_INT, (me + 2) % ranks, 1, 1, every_second, win);
	MPI_Win_fence(0, win);
	say("put", mine, N);
	MPI_Win_fence(0, win);
	int one[2] = {me + 1, 1 << me};
	for (int r = 0; r < ranks; r++) {
		MPI_Accumulate(&one[0], 1, MPI_INT, r, 0, 1, MPI_INT, MPI_SUM, win);
		MPI_Accumulate(&one[1], 1, MPI_INT, r, 1, 1, MPI_INT, MPI_BXOR, win);
	}
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	say("accumulate", mine, 2);
	MPI_Win_free(&win);
	MPI_Type_free(&every_second);
}

/* Each rank exposes to its left and accesses its right. */
static void posts(void)
{
	int *mine, other[N];
	MPI_Win win;
	MPI_Group world, left, right;
	int l = (me + ranks - 1) % ranks, r = (me + 1) % ranks;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &l, &left);
	MPI_Group_incl(world, 1, &r, &right);
	MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
	for (int k = 0; k < 3; k++) {
		for (int i = 0; i < N; i++)
			other[i] = 1000 * k + 10 * me + i;
		MPI_Win_post(left, 0, win);
		MPI_Win_start(right, 0, win);
		MPI_Put(other, N, MPI_INT, r, 0, N, MPI_INT, win);
		MPI_Win_complete(win);
		if (k % 2) {
			for (int done = 0; !done;)
				MPI_Win_test(win, &done);
		} else {
			MPI_Win_wait(win);
		}
		say("posted", mine, N);
	}
	MPI_Win_free(&win);
	MPI_Group_free(&world);
	MPI_Group_free(&left);
	MPI_Group_free(&right);
}

/* A counter at rank 0: every ticket is drawn once. */
static void locks(void)
{
	int mine[2] = {0, 0}, sum = 0, total, zero = 0, ticket, one = 1, swapped;
	MPI_Win win;
	MPI_Win_create(mine, sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	for (int i = 0; i < 10; i++) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, win);
		MPI_Win_unlock(0, win);
		sum += ticket;
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Get(&swapped, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
		swapped++;
		MPI_Put(&swapped, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
	}
	MPI_Win_lock_all(0, win);
	MPI_Compare_and_swap(&me, &zero, &swapped, MPI_INT, (me + 1) % ranks, me ? 0 : 1, win);
	MPI_Win_unlock_all(win);
	MPI_Allreduce(&sum, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
	say("locks", mine, 2);
	MPI_Win_unlock(me, win);
	say("tickets", &total, 1);
	MPI_Win_free(&win);
}

static void requests(void)
{
	int *mine, in[4] = {1, 2, 3, 4}, was[4] = {0};
	MPI_Win win;
	MPI_Request request[2];
	MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < 4; i++)
		mine[i] = me;
	MPI_Win_sync(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Rget(was, 2, MPI_INT, (me + 1) % ranks, 0, 2, MPI_INT, win, &request[0]);
	MPI_Rget_accumulate(in + 2, 2, MPI_INT, was + 2, 2, MPI_INT, (me + 1) % ranks, 2, 2,
	                    MPI_INT, MPI_PROD, win, &request[1]);
	MPI_Wait(&request[0], MPI_STATUS_IGNORE);
	MPI_Wait(&request[1], MPI_STATUS_IGNORE);
	MPI_Win_flush_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_unlock_all(win);
	say("was", was, 4);
	say("is", mine, 4);
	MPI_Win_free(&win);
}

/* Block columns of a matrix, one after the other in two forms; then the shared pointer. */
static void files(const char *name)
{
	enum { ROWS = 6, COLUMNS = 3 };
	int data[ROWS * COLUMNS], back[ROWS * COLUMNS], count, sizes[2] = {ROWS, COLUMNS * ranks};
	int sub[2] = {ROWS, COLUMNS}, starts[2] = {0, COLUMNS * me};
	MPI_Datatype view;
	MPI_File f;
	MPI_Status status;
	MPI_Offset size, at;
	MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_C, MPI_INT, &view);
	MPI_Type_commit(&view);
	for (int i = 0; i < ROWS * COLUMNS; i++)
		data[i] = 1000 * me + i;
	MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	MPI_File_set_size(f, 0);
	MPI_File_set_view(f, 16, MPI_INT, view, "native", MPI_INFO_NULL);
	MPI_File_write_all(f, data, ROWS * COLUMNS, MPI_INT, &status);
	MPI_Get_count(&status, MPI_INT, &count);
	say("written", &count, 1);
	MPI_File_get_position(f, &at);
	count = (int)at;
	say("position", &count, 1);
	MPI_File_get_byte_offset(f, 4, &at);
	count = (int)at;
	say("fifth at", &count, 1);
	MPI_File_sync(f);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_read_at(f, 2, back, 5, MPI_INT, &status);
	say("read", back, 5);
	MPI_Request request;
	MPI_File_seek(f, -4, MPI_SEEK_END);
	MPI_File_iread(f, back, 9, MPI_INT, &request);
	MPI_Wait(&request, &status);
	say("last", back, 4); /* ROMIO counts what was asked for, and not what there was */
	MPI_File_read_at_all_begin(f, 1, back, 3, MPI_INT);
	MPI_File_read_at_all_end(f, back, &status);
	say("split", back, 3);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_set_view(f, 1024, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	MPI_File_write_ordered(f, data, me + 1, MPI_INT, &status);
	MPI_File_get_position_shared(f, &at);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
	MPI_File_read_ordered(f, back, me + 1, MPI_INT, &status);
	say("ordered", back, me + 1);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_set_view(f, 2048, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
	MPI_File_write_at(f, 2 * me, data, 2, MPI_INT, &status);
	MPI_File_get_size(f, &size);
	MPI_File_close(&f);
	MPI_Type_free(&view);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	char name[4096];
	snprintf(name, sizeof name, "%s.%d", argc > 2 ? argv[2] : "live_remote", me);
	if (!freopen(name, "w", stdout))
		return 1;
	fences();
	posts();
	locks();
	requests();
	files(argc > 1 ? argv[1] : "live_remote.data");
	MPI_Finalize();
	return 0;
}
