/* endless.c: sends to itself for ever, each time something else, so that nothing of it is a loop.
 */
#include <mpi.h>

int main(int argc, char **argv)
{
	double x = 1, y;
	unsigned drawn = 1;

	MPI_Init(&argc, &argv);
	for (;;) {
		drawn = drawn * 1103515245u + 12345u; /* C's own example of rand() */
		MPI_Sendrecv(&x, drawn >> 16 & 1, MPI_DOUBLE, 0, drawn >> 18 & 63, &y, 1,
		             MPI_DOUBLE, 0, drawn >> 18 & 63, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	}
}
