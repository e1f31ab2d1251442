/* Communicators, groups and a window of all ranks, kept at once: what each rank needs to know of
 * all members is the same for all. Argument "none": only begins and ends. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void wrong(const char *what, int is, int should)
{
	printf("rank %d: %s is %d, not %d\n", rank, what, is, should);
	MPI_Abort(MPI_COMM_WORLD, 3);
}

static void is(const char *what, int is, int should)
{
	if (is != should)
		wrong(what, is, should);
}

/* From the next lower rank, which is known by what it sends alone. */
static void pass_on(MPI_Comm c, const char *what)
{
	int me, value, from;
	MPI_Status s;

	MPI_Comm_rank(c, &me);
	from = (me + size - 1) % size;
	MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % size, 7, &value, 1, MPI_INT, MPI_ANY_SOURCE, 7, c,
	             &s);
	is(what, s.MPI_SOURCE, from);
	is(what, value, from);
}

int main(int argc, char **argv)
{
	MPI_Comm back, same, part, half;
	MPI_Group world, odd, others;
	int me, other, compared, value = -1;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc > 1 && strcmp(argv[1], "none") == 0) {
		MPI_Finalize();
		return 0;
	}
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back);
	MPI_Comm_rank(back, &me);
	is("its place backwards", me, size - 1 - rank);
	pass_on(back, "who is before it backwards");
	MPI_Comm_split(MPI_COMM_WORLD, 5, 0, &same);
	MPI_Comm_compare(same, MPI_COMM_WORLD, &compared);
	is("one as the world", compared, MPI_CONGRUENT);
	MPI_Comm_compare(back, MPI_COMM_WORLD, &compared);
	is("one backwards", compared, MPI_SIMILAR);
	/* keys that are alike: in the order of ranks; colours that many others are between */
	MPI_Comm_split(back, rank % 3, rank % 2, &part);
	MPI_Comm_rank(part, &me);
	for (int r = 0; r < size; r++)
		if (r % 3 == rank % 3)
			me -= r % 2 < rank % 2 || (r % 2 == rank % 2 && r > rank);
	is("its place in a part", me, 0);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_range_incl(world, 1, (int[1][3]){{1, size - 1, 2}}, &odd);
	MPI_Group_difference(world, odd, &others);
	MPI_Group_translate_ranks(odd, 1, &(int){size / 2 - 1}, world, &other);
	is("the last odd one", other, size / 2 * 2 - 1);
	MPI_Group_rank(rank % 2 ? odd : others, &me);
	is("its place in a half", me, rank / 2);
	MPI_Comm_create(MPI_COMM_WORLD, others, &half);
	is("a half", half == MPI_COMM_NULL, rank % 2);
	MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, back, &win);
	MPI_Win_fence(0, win);
	MPI_Comm_rank(back, &me);
	MPI_Put(&me, 1, MPI_INT, (me + 1) % size, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	is("what was put", value, (me + size - 1) % size);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	is("what may be locked", MPI_Win_unlock(0, win), MPI_SUCCESS);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_free(&win);
	MPI_Group_free(&world);
	MPI_Group_free(&odd);
	MPI_Group_free(&others);
	MPI_Comm_free(&back);
	MPI_Comm_free(&same);
	MPI_Comm_free(&part);
	if (half != MPI_COMM_NULL)
		MPI_Comm_free(&half);
	if (rank == 0)
		printf("all right\n");
	MPI_Finalize();
	return 0;
}
