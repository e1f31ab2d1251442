/* A wrapper of MPI for another language: a plug-in, opened for itself alone, whose own functions
 * have Fortran's names without an underscore, and other parameters (as Rmpi's). -DPLUGIN: it. */
#include <mpi.h>

#ifdef PLUGIN
int mpi_comm_rank(int add)
{
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank + add;
}

int bare_rank(void)
{
	return mpi_comm_rank(100);
}
#else
#include <dlfcn.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*rank)(void) = plugin ? (int (*)(void))dlsym(plugin, "bare_rank") : NULL;
	int sum = 0, its;

	MPI_Init(&argc, &argv);
	its = rank ? rank() : 0;
	MPI_Allreduce(&its, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return sum == 100 + 101 ? 0 : 1;
}
#endif
