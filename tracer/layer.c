/* layer.c: see layer.h. Who is behind us is found as the linker would: by the next of that name.
 * One in the program itself comes before us, and is no layer of this kind. */
#include "layer.h"

#include "tracer.h"

#include <dlfcn.h>
#include <string.h>

/* What profilers replace; few replace none of these. */
static const char *const replaced[] = {
    "MPI_Init",    "MPI_Init_thread", "MPI_Finalize", "MPI_Send",     "MPI_Recv",
    "MPI_Isend",   "MPI_Irecv",       "MPI_Wait",     "MPI_Waitall",  "MPI_Sendrecv",
    "MPI_Barrier", "MPI_Bcast",       "MPI_Reduce",   "MPI_Allreduce"};

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int layer_put(struct err *err)
{
	Dl_info mpi, own;

	if (!dladdr(dlsym(RTLD_NEXT, "PMPI_Init"), &mpi))
		return 0;
	for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
		if (dladdr(dlsym(RTLD_NEXT, replaced[i]), &own) && own.dli_fbase != mpi.dli_fbase &&
		    own.dli_fname)
			return writer_note(&tracer.out, err, "layer %s", base(own.dli_fname));
	return 0;
}
