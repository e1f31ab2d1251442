/* live_left.c: objects that are made and never freed, one kind at a place; beside each one that is.
 */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Datatype type, other;
	MPI_Comm comm, copy;
	MPI_Errhandler handler;
	MPI_Request request;
	MPI_Group group;
	MPI_Info info;
	MPI_Win win;
	MPI_Op op;
	int rank, x = 0, y[4] = {0};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 3; i++) {
		MPI_Type_vector(2, 1, 3, MPI_INT, &other);
		MPI_Type_contiguous(2, other, &type); /* type */
		MPI_Type_commit(&type);
		MPI_Type_free(&other); /* which type is made of */
		if (i == 2)
			MPI_Type_free(&type);
	}
	MPI_Comm_group(MPI_COMM_WORLD, &group); /* group */
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);    /* comm */
	MPI_Comm_dup(copy, &comm);
	MPI_Comm_free(&comm);
	MPI_Info_create(&info);
	if (rank == 1)
		MPI_Info_dup(info, &info); /* info */
	else
		MPI_Info_free(&info);
	MPI_Send_init(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);       /* request */
	MPI_Win_create(y, sizeof y, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win); /* win */
	MPI_Op_create((MPI_User_function *)main, 1, &op);                    /* op */
	MPI_Op_free(&op);
	MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
	MPI_Errhandler_free(&handler);
	MPI_Finalize();
	return 0;
}
