/* mpi_late.h: mpi.h for a library that is loaded before, and perhaps without, any MPI.
 *
 * LD_PRELOAD reaches every program between the launcher and the application (shells, scripts, env),
 * and an MPI library may be loaded late and privately (Python modules). So the tracer is not linked
 * to MPI: what stands behind a wrapper is looked up at its first call, after mpi_link() has made
 * the library visible. The PMPI_ functions that the tracer itself calls are its own, which pass on
 * what is called inside of a call; Open MPI's predefined handles, which are addresses of data, are
 * looked up by name. */
#ifndef ORRERY_TRACER_MPI_LATE_H
#define ORRERY_TRACER_MPI_LATE_H

#include "calls.h"

#include <mpi.h>

#if defined(OPEN_MPI)
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)mpi_object(#global))
#endif

/* Makes the functions of the MPI library in this process reachable. */
void mpi_link(void);
/* What stands behind our function of that name, which is looked up once: 1. */
int behind_find(void **known, const char *name);
/* Address of an object of the library; NULL if it has none of that name. */
void *mpi_object(const char *name);

#endif
