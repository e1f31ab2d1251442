/* mpi_late.c: see mpi_late.h. */
#include "mpi_late.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A library that was opened privately becomes visible to all, so that our calls find it. */
static int library_publish(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	if (info->dlpi_name && strstr(info->dlpi_name, "/libmpi"))
		dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
	return 0;
}

/* The launcher told which library to expect, and the program brought the other one, whose handles
 * are of another type: nothing can be recorded, and the ranks would not find each other. */
static void family_check(void)
{
	static const char text[] =
#if defined(OPEN_MPI)
	    "orrery: this program is linked with MPICH, and was started by a launcher of Open MPI: "
	    "start it by MPICH's (mpirun.mpich; by srun: orrery trace --mpi mpich), or compile it "
	    "with mpicc.openmpi\n";
	static const char simulated[] =
	    "orrery: this program loads MPICH, where its file names no library of MPI and Open MPI "
	    "was expected: orrery run --mpi mpich\n";
	const int other = !dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
#else
	    "orrery: this program is linked with Open MPI, and was started by a launcher of MPICH: "
	    "start it by Open MPI's (mpirun.openmpi; by srun: orrery trace --mpi openmpi), or "
	    "compile it with mpicc.mpich\n";
	static const char simulated[] =
	    "orrery: this program loads Open MPI, where its file names no library of MPI and MPICH "
	    "was expected: orrery run --mpi openmpi\n";
	const int other = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != NULL;
#endif

	if (other && dlsym(RTLD_NEXT, "PMPI_Init")) {
		ssize_t told = getenv("ORRERY_LIVE")
		                   ? write(STDERR_FILENO, simulated, sizeof simulated - 1)
		                   : write(STDERR_FILENO, text, sizeof text - 1);

		_exit(told < 0 ? 3 : 2);
	}
}

void mpi_link(void)
{
	if (!dlsym(RTLD_NEXT, "PMPI_Init"))
		dl_iterate_phdr(library_publish, NULL);
	family_check();
}

int behind_find(void **known, const char *name)
{
	*known = dlsym(RTLD_NEXT, name);
	if (!*known) {
		mpi_link();
		*known = dlsym(RTLD_NEXT, name);
	}
	if (*known)
		return 1;
	/* cannot happen: the program would not have linked */
	fprintf(stderr, "orrery: the MPI library has no function %s\n", name);
	abort();
}

void *mpi_object(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}
