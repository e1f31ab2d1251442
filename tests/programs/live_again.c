/* live_again.c: communicators made twice of the same members under the same tag, the first ones
 * being still there (MPI 4.0, 7.4.2, 7.6.2): by MPI_Comm_create_group, MPI_Intercomm_create, and
 * what is made of these. And of all groups of some of the ranks, one after the other, under one
 * tag: who is in none of two goes on with the next. Four ranks. */
#include <mpi.h>
#include <stdio.h>

static MPI_Comm half, group[2], copy[2], inter[2], both[2];

static void make(int i, int rank)
{
	MPI_Group all;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Comm_create_group(MPI_COMM_WORLD, all, 5, &group[i]);
	MPI_Group_free(&all);
	MPI_Comm_dup(group[i], &copy[i]);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter[i]);
	MPI_Intercomm_merge(inter[i], rank % 2, &both[i]);
}

static void end(int i)
{
	MPI_Comm_free(&group[i]);
	MPI_Comm_free(&inter[i]);
	MPI_Barrier(copy[i]);
	MPI_Barrier(both[i]);
	MPI_Comm_free(&copy[i]);
	MPI_Comm_free(&both[i]);
}

/* With the members in ascending order, then in descending order. */
static int groups(int rank)
{
	int wrong = 0, members[4];
	MPI_Group all, some;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	for (int set = 1; set < 32; set++) {
		int n = 0, sum = 0, wanted = 0;
		MPI_Comm c;

		for (int i = 0; i < 4; i++) {
			int r = set & 16 ? 3 - i : i;

			if (!(set & 1 << r))
				continue;
			members[n++] = r;
			wanted += r;
		}
		if (n == 0 || !(set & 1 << rank))
			continue;
		MPI_Group_incl(all, n, members, &some);
		MPI_Comm_create_group(MPI_COMM_WORLD, some, 5, &c);
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, c);
		wrong += sum != wanted;
		MPI_Comm_free(&c);
		MPI_Group_free(&some);
	}
	MPI_Group_free(&all);
	return wrong;
}

int main(int argc, char **argv)
{
	int rank, sum = 0, wrong = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	for (int i = 0; i < 2; i++)
		make(i, rank);
	for (int i = 0; i < 2; i++) {
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy[i]);
		wrong += sum != 6;
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, both[i]);
		wrong += sum != 6;
	}
	end(0);
	end(1);
	wrong += groups(rank);
	MPI_Comm_free(&half);
	MPI_Finalize();
	printf("again: %s\n", wrong ? "wrong" : "all right");
	return wrong != 0;
}
