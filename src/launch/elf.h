/* elf.h: which MPI a program was linked with, from its file. */
#ifndef ORRERY_LAUNCH_ELF_H
#define ORRERY_LAUNCH_ELF_H

#include <stddef.h>

enum mpi_family { MPI_UNKNOWN, MPI_OPENMPI, MPI_MPICH };

/* The family of a library by its name ("libmpi.so.40", "libmpichfort.so.12"), MPI_UNKNOWN if it is
 * no MPI. */
enum mpi_family mpi_family_of_library(const char *soname);
/* The version of the library in this file by what libtool made of it, "5.0.7", or "" where the name
 * does not tell. size: of out, 16 is enough. Open MPI 4.1.4 is libmpi.so.40.30.4, 5.0.7
 * libmpi.so.40.40.7 (VERSION in its sources: libmpi_so_version); MPICH 4.0.2 is libmpich.so.12.2.2,
 * 4.2.1 libmpich.so.12.4.1 (maint/version.m4: libmpi_so_version). */
void mpi_version_of_file(const char *path, char *out, size_t size);
/* The family that the program at path needs directly. MPI_UNKNOWN: not a program, or not linked
 * with MPI. */
enum mpi_family mpi_family_of_program(const char *path);
/* Whether it needs the standard's ABI (MPI 5.0, chapter 20: libmpi_abi.so), as what 'orrery cc'
 * makes does. */
int mpi_program_is_standard(const char *path);
const char *mpi_family_title(enum mpi_family f); /* "Open MPI" */
const char *mpi_family_word(enum mpi_family f);  /* "openmpi", as in file names */

#endif
