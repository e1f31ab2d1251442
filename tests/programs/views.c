/* views.c: blocks of the ranks side by side in a file's view. An access of one block lies in one
 * piece, and needs nothing of other members; one of two blocks has theirs between its own. */
#include <mpi.h>
#include <stdlib.h>

enum { BLOCK = 100000 };

static char data[2 * BLOCK];

int main(int argc, char **argv)
{
	int blocks = atoi(argv[1]), rank, size;
	MPI_Datatype block, mine;
	MPI_File f;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
	MPI_Type_create_resized(block, 0, (MPI_Aint)size * BLOCK, &mine);
	MPI_Type_commit(&mine);
	MPI_File_open(MPI_COMM_WORLD, argv[2], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	MPI_File_set_view(f, (MPI_Offset)rank * BLOCK, MPI_BYTE, mine, "native", MPI_INFO_NULL);
	MPI_File_write_all(f, data, blocks * BLOCK, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_read_at_all(f, 0, data, blocks * BLOCK, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
	MPI_Type_free(&mine);
	MPI_Type_free(&block);
	MPI_Finalize();
	return 0;
}
