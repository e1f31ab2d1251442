/* Edges of the standard; one rank, a line for each thing. Real runs of both families print the same
 * but for: in Open MPI the operator of nothing is looked at, MPI_IN_PLACE in the place of the
 * result is an argument, not a buffer, in MPI_Reduce_local it is read (4.1.4: signal 11), and no
 * place for a request is an error of requests. */
#include <mpi.h>
#include <stdio.h>

static void class_told(const char *what, int code)
{
	int class = 0;

	MPI_Error_class(code, &class);
	printf("%s: %s\n", what,
	       class == MPI_ERR_ARG      ? "MPI_ERR_ARG"
	       : class == MPI_ERR_OP     ? "MPI_ERR_OP"
	       : class == MPI_ERR_BUFFER ? "MPI_ERR_BUFFER"
	       : class == 0              ? "fine"
	                                 : "another");
}

/* Reductions of what has no such operator, and of what only libraries have. */
static void reductions(void)
{
	long in[8] = {0}, out[8];
	MPI_Datatype integer;

	MPI_Type_dup(MPI_INT, &integer);
	class_told("the sum of a type made of MPI_INT",
	           MPI_Allreduce(in, out, 1, integer, MPI_SUM, MPI_COMM_SELF));
	class_told("the largest wide character",
	           MPI_Allreduce(in, out, 1, MPI_WCHAR, MPI_MAX, MPI_COMM_SELF));
	class_told("the largest character",
	           MPI_Allreduce(in, out, 1, MPI_CHARACTER, MPI_MAX, MPI_COMM_SELF));
	class_told("a result in place",
	           MPI_Alltoall(in, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, MPI_COMM_SELF));
	class_told("what is reduced here in place",
	           MPI_Reduce_local(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM));
	class_told("a result here in place",
	           MPI_Reduce_local(in, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM));
	MPI_Type_free(&integer);
}

static void addresses(void)
{
	MPI_Request *none = NULL;
	int *size = NULL;

	class_told("no place for a size", MPI_Comm_size(MPI_COMM_SELF, size));
	class_told("no place for a request",
	           MPI_Irecv(&none, 0, MPI_INT, 0, 0, MPI_COMM_SELF, none));
}

static void buffered(void)
{
	static char much[20000], room[10000];
	void *was;
	int size;

	class_told("a buffered send, no buffer",
	           MPI_Bsend(much, sizeof much, MPI_CHAR, 0, 0, MPI_COMM_SELF));
	class_told("a small one, no buffer", MPI_Bsend(much, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF));
	MPI_Buffer_attach(room, 10);
	class_told("a small one, a smaller buffer",
	           MPI_Bsend(much, 100, MPI_CHAR, 0, 0, MPI_COMM_SELF));
	MPI_Buffer_detach(&was, &size);
	MPI_Buffer_attach(room, sizeof room);
	class_told("a buffered send, too small a buffer",
	           MPI_Bsend(much, sizeof much, MPI_CHAR, 0, 0, MPI_COMM_SELF));
	MPI_Buffer_detach(&was, &size);
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
	reductions();
	addresses();
	buffered();
	MPI_Finalize();
	return 0;
}
