/* Two ranks that look for several things in turn, as hypre and PETSc exchange lists: rank 0 looks
 * for messages and for the end, and what it looks for comes while it receives another message or
 * while another look of the loop is under way. It prints how many answers it gave, and what it
 * found after long work without any message.
 *   turns  MPI_Iprobe, MPI_Test and MPI_Testall by turns: each answer lets the other send the next
 *   blocks MPI_Iprobe of whatever, then MPI_Test, for each of four neighbours, as Athena++ does
 *   work   MPI_Iprobe 30,000 times between pieces of work, before what the other one waits for */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 50, BLOCKS = 4, BIG = 1 << 17 };
static char big[BIG];

static void ask(void)
{
	int i, one = 1;

	for (i = 0; i < ROUNDS; i++) {
		MPI_Send(big, BIG, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
		MPI_Send(&one, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
		MPI_Recv(&one, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Send(&one, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
	MPI_Send(&one, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
}

static int found(int tag)
{
	int flag;

	MPI_Iprobe(1, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	return flag;
}

static int answer(void)
{
	int end = 0, more = 0, both = 0, answers = 0, value[2];
	MPI_Request r[2];

	MPI_Irecv(&value[0], 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(&value[1], 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &r[1]);
	while (!both) {
		if (found(1)) {
			MPI_Recv(big, BIG, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			more++;
		}
		if (!end)
			MPI_Test(&r[0], &end, MPI_STATUS_IGNORE);
		if (found(2)) {
			MPI_Recv(&value[1], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Send(&more, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
			answers++;
		}
		MPI_Testall(2, r, &both, MPI_STATUSES_IGNORE);
	}
	return answers;
}

static int blocks(int rank)
{
	int value[BLOCKS] = {0}, done[BLOCKS], left, flag, n = 0;
	MPI_Request r[BLOCKS];

	for (int step = 0; step < ROUNDS; step++) {
		for (int i = 0; i < BLOCKS && rank == 1; i++) {
			MPI_Send(&step, 1, MPI_INT, 0, (i + step) % BLOCKS, MPI_COMM_WORLD);
			MPI_Recv(&n, 1, MPI_INT, 0, BLOCKS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		for (int i = 0; i < BLOCKS && rank == 0; i++) {
			MPI_Irecv(&value[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &r[i]);
			done[i] = 0;
		}
		for (left = rank == 0 ? BLOCKS : 0; left > 0;) {
			for (int i = 0; i < BLOCKS; i++) {
				if (done[i])
					continue;
				MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag,
				           MPI_STATUS_IGNORE);
				MPI_Test(&r[i], &done[i], MPI_STATUS_IGNORE);
				if (!done[i])
					continue;
				left--;
				n++;
				MPI_Send(&n, 1, MPI_INT, 1, BLOCKS, MPI_COMM_WORLD);
			}
		}
	}
	return n;
}

static int work(int rank)
{
	int n = 0;

	if (rank == 0) {
		for (int i = 0; i < 30000; i++)
			n += found(6);
		MPI_Send(&n, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
	} else {
		MPI_Recv(&n, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	return n;
}

int main(int argc, char **argv)
{
	int rank, n = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 1 && strcmp(argv[1], "work") == 0)
		n = work(rank);
	else if (argc > 1 && strcmp(argv[1], "blocks") == 0)
		n = blocks(rank);
	else if (rank == 0)
		n = answer();
	else
		ask();
	if (rank == 0)
		printf("found %d\n", n);
	MPI_Finalize();
	return 0;
}
