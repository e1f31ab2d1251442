/* live_tested.c: collectives that do not block, begun at dates that differ, which are tested until
 * they are complete; a rank works for a while between two of them. Then messages around a ring that
 * MPI_Request_get_status looks for, and that are waited for after more work. Then messages from all
 * to all, of sizes that differ, for all of which MPI_Testall looks, alone or between pieces of
 * work. With "peeked" these alone, and each is waited for once MPI_Request_get_status has found it.
 */
#include <mpi.h>

#include <stdlib.h>
#include <unistd.h>

enum { ROOM = 1 << 17, KINDS = 9, RANKS_MOST = 8 };
static int sent[ROOM], of_two[2][ROOM], *received = of_two[0];
static unsigned drawn;

static unsigned draw(unsigned below)
{
	drawn = drawn * 1103515245u + 12345u;
	return (drawn >> 16) % below;
}

static void begin(int kind, int n, int root, MPI_Comm comm, MPI_Request *r)
{
	int ranks;

	MPI_Comm_size(comm, &ranks);
	if (kind == 0)
		MPI_Ibarrier(comm, r);
	else if (kind == 1)
		MPI_Ibcast(sent, n, MPI_INT, root, comm, r);
	else if (kind == 2)
		MPI_Igather(sent, n / ranks, MPI_INT, received, n / ranks, MPI_INT, root, comm, r);
	else if (kind == 3)
		MPI_Iscatter(sent, n / ranks, MPI_INT, received, n / ranks, MPI_INT, root, comm, r);
	else if (kind == 4)
		MPI_Iallgather(sent, n / ranks, MPI_INT, received, n / ranks, MPI_INT, comm, r);
	else if (kind == 5)
		MPI_Ialltoall(sent, n / ranks, MPI_INT, received, n / ranks, MPI_INT, comm, r);
	else if (kind == 6)
		MPI_Ireduce(sent, received, n, MPI_INT, MPI_SUM, root, comm, r);
	else if (kind == 7)
		MPI_Iallreduce(sent, received, n, MPI_INT, MPI_SUM, comm, r);
	else
		MPI_Iscan(sent, received, n, MPI_INT, MPI_SUM, comm, r);
}

static void ring(int rank, int ranks)
{
	MPI_Request r[2];
	int there = 0;

	MPI_Irecv(received, 1000, MPI_INT, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &r[0]);
	usleep(draw(400));
	MPI_Isend(sent, 1000, MPI_INT, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &r[1]);
	while (!there)
		MPI_Request_get_status(r[0], &there, MPI_STATUS_IGNORE);
	usleep(300);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

enum way { LOOKS, WORKS, PEEKS };

static void all_to_all(int rank, int ranks, enum way way, unsigned seed)
{
	MPI_Request r[2 * RANKS_MOST];
	int n = 0, there = 0, bytes[RANKS_MOST];

	drawn = 77 * seed;
	for (int k = 1; k < ranks; k++)
		bytes[k] = (int)(draw(60000) >> draw(10));
	drawn += 7919u * (unsigned)rank;
	draw(2);
	for (int k = 1; k < ranks; k++)
		MPI_Irecv((char *)received + k * 60000, 60000, MPI_CHAR, (rank + k) % ranks, 2,
		          MPI_COMM_WORLD, &r[n++]);
	usleep(draw(200));
	for (int k = 1; k < ranks; k++)
		MPI_Isend(sent, bytes[ranks - k], MPI_CHAR, (rank + k) % ranks, 2, MPI_COMM_WORLD,
		          &r[n++]);
	while (way != PEEKS && !there) {
		MPI_Testall(n, r, &there, MPI_STATUSES_IGNORE);
		if (way == WORKS && !there)
			usleep(20);
	}
	for (int k = 0; way == PEEKS && k < n; k++) {
		for (there = 0; !there;)
			MPI_Request_get_status(r[k], &there, MPI_STATUS_IGNORE);
		MPI_Wait(&r[k], MPI_STATUS_IGNORE);
	}
}

/* One of two, then the other; or, if it is there, both at once. */
static void await(int alone, MPI_Request r[2])
{
	MPI_Status statuses[2];
	int n, which[2];

	if (alone)
		MPI_Wait(&r[alone - 1], MPI_STATUS_IGNORE);
	for (int i = 0; i < 2; i++)
		if (draw(2))
			MPI_Waitany(2, r, which, MPI_STATUS_IGNORE);
		else
			MPI_Waitsome(2, r, &n, which, statuses);
}

int main(int argc, char **argv)
{
	int rank, ranks, done;
	MPI_Comm comm[2];
	MPI_Request r[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc > 1 && argv[1][0] == 'p') {
		for (unsigned i = 0; i < 20; i++)
			all_to_all(rank, ranks, PEEKS, i);
		return MPI_Finalize();
	}
	comm[0] = MPI_COMM_WORLD;
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm[1]);
	for (int i = 0; i < 4 * KINDS; i++) {
		unsigned late;

		drawn = (unsigned)i;
		for (int j = 0; j < 3; j++)
			draw(2);
		int n = (int)(1u << draw(17)), root = (int)draw((unsigned)ranks);

		drawn += 7919u * (unsigned)rank;
		draw(2);
		late = draw(400);
		usleep(late);
		begin(i % KINDS, n, root, comm[i / KINDS % 2], &r[0]);
		if (argc > 1) {
			received = of_two[1];
			begin(i / 3 % KINDS, n, root, comm[1 - i / KINDS % 2], &r[1]);
			received = of_two[0];
		}
		if (draw(2))
			usleep(draw(400));
		if (argc > 1)
			await(i % 3, r);
		else
			do
				MPI_Test(&r[0], &done, MPI_STATUS_IGNORE);
			while (!done);
	}
	for (int i = 0; i < 10; i++)
		ring(rank, ranks);
	for (unsigned i = 0; i < 20; i++)
		all_to_all(rank, ranks, i % 2 ? WORKS : LOOKS, i);
	MPI_Comm_free(&comm[1]);
	return MPI_Finalize();
}
