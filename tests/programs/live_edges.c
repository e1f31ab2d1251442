/* Edges of the standard; one rank, a line for each thing. MPICH prints the same, and Open MPI but
 * for the last line: it looks at the operator of nothing. */
#include <mpi.h>
#include <stdio.h>

static void class_told(const char *what, int code)
{
	int class = 0;

	MPI_Error_class(code, &class);
	printf("%s: %s\n", what,
	       class == MPI_ERR_ARG ? "MPI_ERR_ARG"
	       : class == 0         ? "fine"
	                            : "another");
}

int main(int argc, char **argv)
{
	MPI_Errhandler none = MPI_ERRHANDLER_NULL;
	unsigned char byte = 0, was = 0;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	class_told("no error handler is set", MPI_Comm_set_errhandler(MPI_COMM_SELF, none));
	class_told("no error handler is freed", MPI_Errhandler_free(&none));
	MPI_Win_create(&byte, 1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	MPI_Win_fence(0, win);
	class_told("no bytes are added", MPI_Get_accumulate(&byte, 0, MPI_BYTE, &was, 0, MPI_BYTE,
	                                                    0, 0, 0, MPI_BYTE, MPI_SUM, win));
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
