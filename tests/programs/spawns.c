/* spawns.c: processes that start others (MPI 4.0, 11.8), which start others in turn: two parents
 * spawn three with arguments, each of which spawns one of its own; messages between worlds, and all
 * of the first two worlds merged. "untraced": what is spawned hides from the tracer. Two ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static int rank_of(MPI_Comm comm)
{
	int rank;

	MPI_Comm_rank(comm, &rank);
	return rank;
}

static void merged(MPI_Comm inter, int high, int expected)
{
	int sum = 0, one = 1;
	MPI_Comm all;

	MPI_Intercomm_merge(inter, high, &all);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
	wrong += sum != expected;
	MPI_Comm_free(&all);
}

/* One process of its own, which sends 11 and goes. */
static void one_alone(char *command, char **arguments)
{
	MPI_Comm own;
	int got = 0;

	MPI_Comm_spawn(command, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &own,
	               MPI_ERRCODES_IGNORE);
	MPI_Recv(&got, 1, MPI_INT, 0, 7, own, MPI_STATUS_IGNORE);
	wrong += got != 11;
	MPI_Comm_disconnect(&own);
}

static void child(char **argv, MPI_Comm parent)
{
	char alone[] = "alone", *arguments[] = {alone, NULL};
	int value = 11;

	if (strcmp(argv[1], "alone") == 0) {
		MPI_Send(&value, 1, MPI_INT, 0, 7, parent);
	} else {
		value = atoi(argv[1]);
		if (rank_of(MPI_COMM_WORLD) > 0)
			MPI_Send(&value, 1, MPI_INT, 0, 5, parent);
		MPI_Barrier(MPI_COMM_WORLD);
		merged(parent, 1, 5);
		one_alone(argv[0], arguments);
	}
	MPI_Comm_disconnect(&parent);
}

static void parents(char *program)
{
	char first[] = "40", second[] = "2", *one[] = {first, NULL}, *two[] = {second, NULL},
	     **arguments[] = {one, two}, *commands[] = {program, program};
	MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
	int maxprocs[] = {2, 1}, got = 0, sum = 0;
	MPI_Comm children;

	MPI_Comm_spawn_multiple(2, commands, arguments, maxprocs, infos, 1, MPI_COMM_WORLD,
	                        &children, MPI_ERRCODES_IGNORE);
	for (int i = 0; i < 2 && rank_of(MPI_COMM_WORLD) == 0; i++) {
		MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 5, children, MPI_STATUS_IGNORE);
		sum += got;
	}
	wrong += rank_of(MPI_COMM_WORLD) == 0 && sum != 42;
	MPI_Barrier(MPI_COMM_WORLD);
	merged(children, 0, 5);
	MPI_Comm_disconnect(&children);
}

static void untraced(char *program)
{
	char env[] = "/usr/bin/env", u[] = "-u", preload[] = "LD_PRELOAD", alone[] = "alone",
	     *arguments[] = {u, preload, program, alone, NULL};

	one_alone(env, arguments);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	MPI_Comm parent;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL)
		child(argv, parent);
	else if (strcmp(how, "untraced") == 0)
		untraced(argv[0]);
	else
		parents(argv[0]);
	printf("spawns: %s\n", wrong ? "wrong" : "all right");
	MPI_Finalize();
	return wrong != 0;
}
