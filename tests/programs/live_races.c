/* live_races.c: one-sided operations on the same bytes (docs/checks.md). What is wrong has a
 * comment at the line of the first operation and at that of the second; what "right" does is right.
 * With three ranks: 0 and 2 have rank 1 for their target. */
#include <mpi.h>
#include <string.h>

enum { N = 8 };
static int rank, own[N], from[N], to[N], *room;
static MPI_Win win;

static void fences(void)
{
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Put(from, 4, MPI_INT, 1, 0, 4, MPI_INT, win); /* fence first */
	if (rank == 2)
		MPI_Put(to, 4, MPI_INT, 1, 3, 4, MPI_INT, win); /* fence second */
	MPI_Win_fence(0, win);
}

/* A barrier does not complete the first. */
static void unflushed(void)
{
	MPI_Win_lock_all(0, win);
	if (rank == 0)
		MPI_Put(from, 4, MPI_INT, 1, 0, 4, MPI_INT, win); /* lock first */
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 2)
		MPI_Accumulate(from, 2, MPI_INT, 1, 1, 2, MPI_INT, MPI_SUM, win); /* lock second */
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_unlock_all(win);
}

static void same_origin(void)
{
	if (rank != 0)
		return;
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
	for (int i = 0; i < 3; i++) {                                         /* told once */
		MPI_Put(from, 2, MPI_INT, 1, 2 * i, 2, MPI_INT, win);         /* origin first */
		MPI_Put(from + 2, 1, MPI_INT, 1, 2 * i + 1, 1, MPI_INT, win); /* origin second */
	}
	MPI_Win_unlock(1, win);
}

static void buffers(void)
{
	if (rank != 0)
		return;
	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
	MPI_Get(to, 2, MPI_INT, 1, 0, 2, MPI_INT, win);     /* own first */
	MPI_Put(to + 1, 1, MPI_INT, 1, 5, 1, MPI_INT, win); /* own second */
	MPI_Win_unlock(1, win);
}

static void stores(void)
{
	if (rank != 0)
		return;
	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
	MPI_Put(from, 2, MPI_INT, 1, 0, 2, MPI_INT, win); /* store first */
	from[1]++;
	MPI_Win_flush(1, win); /* store second */
	MPI_Win_unlock(1, win);
}

static void unfinished(void)
{
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Put(from, 2, MPI_INT, 1, 0, 2, MPI_INT, win); /* free first */
}

/* Other bytes, other epochs, locks that exclude each other, operations that go together. */
static void right(void)
{
	MPI_Datatype odd;
	MPI_Request r;
	MPI_Group all, one, others;
	int two[2] = {0, 2}, it = 1, added, *shared;
	MPI_Win again;

	MPI_Type_vector(N / 2, 1, 2, MPI_INT, &odd);
	MPI_Type_commit(&odd);
	MPI_Win_fence(0, win);
	for (int i = 0; i < 3; i++) { /* each writes all in turn */
		if (rank == i)
			MPI_Put(from, N, MPI_INT, 1, 0, N, MPI_INT, win);
		MPI_Win_fence(0, win);
	}
	if (rank != 1) /* every second one each */
		MPI_Put(from, N / 2, MPI_INT, 1, rank / 2, 1, odd, win);
	MPI_Get(to, 2, MPI_INT, 0, 0, 2, MPI_INT, win);
	MPI_Get(to + 2, 2, MPI_INT, 0, 0, 2, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Accumulate(from, N, MPI_INT, 1, 0, N, MPI_INT, MPI_SUM, win);
	MPI_Fetch_and_op(&it, &added, MPI_INT, 1, 0, MPI_SUM, win);
	MPI_Win_fence(0, win);
	if (rank != 1) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		MPI_Get(to, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Win_flush(1, win);
		to[0]++;
		MPI_Put(to, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Win_flush_local(1, win);
		to[0] = 0;
		MPI_Win_unlock(1, win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < 3; i++) {
		if (rank == i) {
			MPI_Put(from, N, MPI_INT, 1, 0, N, MPI_INT, win);
			MPI_Win_flush_all(win);
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (rank == 0) {
		MPI_Rput(from, N, MPI_INT, 1, 0, N, MPI_INT, win, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		from[0]++;
	}
	MPI_Win_unlock_all(win);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	for (int i = 0; i < 2; i++) { /* rank 1 is exposed to one after the other */
		MPI_Group_incl(all, 1, &two[i], &one);
		MPI_Group_incl(all, 1, &(int){1}, &others);
		if (rank == 1) {
			MPI_Win_post(one, 0, win);
			MPI_Win_wait(win);
		} else if (rank == two[i]) {
			MPI_Win_start(others, 0, win);
			MPI_Put(from, N, MPI_INT, 1, 0, N, MPI_INT, win);
			MPI_Win_complete(win);
		}
		MPI_Group_free(&one);
		MPI_Group_free(&others);
	}
	MPI_Group_free(&all);
	for (int i = 0; i < 3; i++) { /* windows whose number may be one */
		MPI_Win_allocate(sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &shared,
		                 &again);
		MPI_Win_fence(0, again);
		if (rank == i)
			MPI_Put(from, N, MPI_INT, 1, 0, N, MPI_INT, again);
		MPI_Win_fence(0, again);
		MPI_Win_free(&again);
	}
	MPI_Type_free(&odd);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {{"right", right},        {"fence", fences}, {"lock", unflushed},
	           {"origin", same_origin}, {"own", buffers},  {"free", unfinished},
	           {"store", stores}};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &room, &win);
	for (int i = 0; argc > 1 && i < 7; i++)
		if (!strcmp(argv[1], all[i].name))
			all[i].run();
	MPI_Win_free(&win); /* free second */
	MPI_Finalize();
	return 0;
}
