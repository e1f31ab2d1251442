/* live_spawn.c: dynamic processes, checked from within: spawned ranks, their parents, one
 * communicator of all; ports and names of services between two halves; what is not there. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(int what, const char *text)
{
	if (what)
		return;
	fprintf(stderr, "wrong: %s\n", text);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The sum of the ranks of all: n (n - 1) / 2. */
static void all_sum(MPI_Comm inter, int high, int wanted)
{
	MPI_Comm all;
	int rank, n, sum;

	MPI_Intercomm_merge(inter, high, &all);
	MPI_Comm_rank(all, &rank);
	MPI_Comm_size(all, &n);
	expect(n == wanted, "size of the merged communicator");
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
	expect(sum == n * (n - 1) / 2, "sum over parents and children");
	MPI_Comm_free(&all);
}

static void child(MPI_Comm parent, int argc, char **argv)
{
	int rank, n, far, *appnum, flag, length;
	char name[MPI_MAX_OBJECT_NAME];

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_remote_size(parent, &far);
	MPI_Comm_get_name(parent, name, &length);
	expect(strcmp(name, "MPI_COMM_PARENT") == 0, "the parent's name");
	expect(n == 3 && far == 2, "sizes in a child");
	expect(argc == 2 && strcmp(argv[1], rank < 2 ? "one" : "two") == 0, "arguments of a child");
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum, &flag);
	expect(flag && *appnum == (rank == 2), "MPI_APPNUM");
	all_sum(parent, 1, 5);
	MPI_Comm_disconnect(&parent);
	MPI_Comm_get_parent(&parent);
	expect(parent == MPI_COMM_NULL, "no parent after MPI_Comm_disconnect");
}

static void spawn(char *program)
{
	char *commands[] = {program, program}, *one[] = {"one", NULL}, *two[] = {"two", NULL};
	char **arguments[] = {one, two};
	int counts[] = {2, 1}, codes[3] = {-1, -1, -1};
	MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
	MPI_Comm children;

	MPI_Comm_spawn_multiple(2, commands, arguments, counts, infos, 1, MPI_COMM_WORLD, &children,
	                        codes);
	expect(codes[0] == MPI_SUCCESS && codes[2] == MPI_SUCCESS, "error codes");
	all_sum(children, 0, 5);
	MPI_Comm_disconnect(&children);
}

static void ports(int rank)
{
	char port[MPI_MAX_PORT_NAME], none[MPI_MAX_PORT_NAME];
	MPI_Comm inter;
	int got = -1, code;

	if (rank == 0) {
		MPI_Open_port(MPI_INFO_NULL, port);
		MPI_Publish_name("service", MPI_INFO_NULL, port);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
	} else {
		MPI_Lookup_name("service", MPI_INFO_NULL, port);
		MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
	}
	MPI_Sendrecv(&rank, 1, MPI_INT, 0, 5, &got, 1, MPI_INT, 0, 5, inter, MPI_STATUS_IGNORE);
	expect(got == 1 - rank, "message over a port");
	MPI_Comm_disconnect(&inter);
	if (rank == 0) {
		MPI_Unpublish_name("service", MPI_INFO_NULL, port);
		MPI_Close_port(port);
		MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
		code = MPI_Lookup_name("service", MPI_INFO_NULL, none);
		MPI_Error_class(code, &code);
		expect(code == MPI_ERR_NAME, "MPI_ERR_NAME");
	}
}

static void nothing_there(void)
{
	MPI_Comm children = MPI_COMM_WORLD;
	int code;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	code = MPI_Comm_spawn("/no/such/program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0,
	                      MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
	MPI_Error_class(code, &code);
	expect(code == MPI_ERR_SPAWN && children == MPI_COMM_NULL, "MPI_ERR_SPAWN");
	code = MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, 1000, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
	                      &children, MPI_ERRCODES_IGNORE);
	MPI_Error_class(code, &code);
	expect(code == MPI_ERR_SPAWN, "no room for a thousand");
}

int main(int argc, char **argv)
{
	MPI_Comm parent;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL && strcmp(argv[1], "die") == 0)
		abort();
	if (parent != MPI_COMM_NULL) {
		child(parent, argc, argv);
		MPI_Finalize();
		return 0;
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 1) {
		char *arguments[] = {argv[1], NULL};

		MPI_Comm_spawn(argv[0], arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &parent,
		               MPI_ERRCODES_IGNORE);
		MPI_Barrier(parent);
	}
	for (int i = 0; i < 3; i++)
		spawn(argv[0]);
	ports(rank);
	nothing_there();
	if (rank == 0)
		printf("all fine\n");
	MPI_Finalize();
	return 0;
}
