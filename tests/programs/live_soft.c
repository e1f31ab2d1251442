/* live_soft.c: MPI_Comm_spawn with the info key soft, where there is room for three processes more:
 * how many there are, and their error codes. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int size_of(MPI_Comm children)
{
	int n = 0;

	if (children != MPI_COMM_NULL)
		MPI_Comm_remote_size(children, &n);
	return n;
}

static void spawned(char *program, const char *soft)
{
	int codes[10], good = 0, code;
	char *arguments[] = {"child", NULL};
	MPI_Comm children;
	MPI_Info info;

	MPI_Info_create(&info);
	if (soft)
		MPI_Info_set(info, "soft", soft);
	code = MPI_Comm_spawn(program, arguments, 10, info, 0, MPI_COMM_SELF, &children, codes);
	for (int i = 0; code == MPI_SUCCESS && i < 10; i++)
		good += codes[i] == MPI_SUCCESS;
	printf("%s: %s, %d of %d\n", soft ? soft : "all", code ? "none" : "some", good,
	       size_of(children));
	MPI_Info_free(&info);
	if (children != MPI_COMM_NULL) {
		MPI_Barrier(children);
		MPI_Comm_disconnect(&children);
		sleep(1); /* simulated: their places are free again */
	}
}

int main(int argc, char **argv)
{
	static const char *const soft[] = {"10", "1:9:2", "2,7:9", "3:1,0:2:2", "4:9", NULL};
	MPI_Comm parent;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL) {
		MPI_Barrier(parent);
		MPI_Comm_disconnect(&parent);
	} else {
		MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
		for (int i = 0; i == 0 || soft[i - 1]; i++)
			spawned(argv[0], soft[i]);
	}
	MPI_Finalize();
	return 0;
}
