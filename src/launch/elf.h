/* elf.h: which MPI a program was linked with, from its file. */
#ifndef ORRERY_LAUNCH_ELF_H
#define ORRERY_LAUNCH_ELF_H

enum mpi_family { MPI_UNKNOWN, MPI_OPENMPI, MPI_MPICH };

/* The family of a library by its name ("libmpi.so.40", "libmpichfort.so.12"), MPI_UNKNOWN if it is
 * no MPI. */
enum mpi_family mpi_family_of_library(const char *soname);
/* The family that the program at path needs directly. MPI_UNKNOWN: not a program, or not linked
 * with MPI. */
enum mpi_family mpi_family_of_program(const char *path);
const char *mpi_family_title(enum mpi_family f); /* "Open MPI" */
const char *mpi_family_word(enum mpi_family f);  /* "openmpi", as in file names */

#endif
