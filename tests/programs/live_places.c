/* live_places.c: a place of a spawned rank is used again: each time the program begins as it was at
 * first, in the folder that the info names. Argument: another program, which is spawned last. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int used = 7;

static void child(MPI_Comm parent)
{
	char line[4200], where[4096] = "/?";
	static int zero;

	snprintf(line, sizeof line, "%s: %d %d %d", strrchr(getcwd(where, 4096), '/') + 1, used,
	         zero, getenv("OF_A_CHILD") != NULL);
	used = zero = 1;
	setenv("OF_A_CHILD", "1", 1);
	MPI_Send(line, sizeof line, MPI_CHAR, 0, 0, parent);
	MPI_Comm_disconnect(&parent);
}

static int spawned(char *program, const char *folder, MPI_Comm *out)
{
	MPI_Info info;
	int code;

	MPI_Info_create(&info);
	if (folder)
		MPI_Info_set(info, "wdir", folder);
	code = MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, info, 0, MPI_COMM_SELF, out,
	                      MPI_ERRCODES_IGNORE);
	MPI_Info_free(&info);
	return code;
}

int main(int argc, char **argv)
{
	static char line[4200];
	MPI_Comm parent, children;
	int class;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL) {
		child(parent);
		MPI_Finalize();
		return 0;
	}
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	for (int round = 0; round < 3; round++) {
		spawned(argv[0], round == 1 ? "sub" : NULL, &children);
		for (int i = 0; i < 2; i++) {
			MPI_Recv(line, sizeof line, MPI_CHAR, i, 0, children, MPI_STATUS_IGNORE);
			printf("%d.%d in %s\n", round, i, line);
		}
		MPI_Comm_disconnect(&children);
		sleep(1); /* simulated: their places are free again */
	}
	if (argc > 1) {
		MPI_Error_class(spawned(argv[1], NULL, &children), &class);
		printf("another program: %s\n", class == MPI_ERR_SPAWN      ? "MPI_ERR_SPAWN"
		                                : children == MPI_COMM_NULL ? "none"
		                                                            : "there");
	}
	MPI_Finalize();
	return 0;
}
