/* compile.h: the command behind `orrery cc` and `orrery fc`: the system's compiler with our headers
 * and libraries. C and C++ get the standard's ABI, Fortran that of Open MPI. */
#ifndef ORRERY_LIVE_COMPILE_H
#define ORRERY_LIVE_COMPILE_H

#include "base/base.h"

struct compile {
	const char *library;  /* the folder of our libraries: live_library */
	const char *compiler; /* the system's */
	const char *modules;  /* of Fortran: the folder of compiled modules; NULL: C or C++ */
	const char *const *words;
	int n; /* the user's arguments */
};

/* Is one of the arguments a source of C++? Or are objects of C++ linked, and no C compiled? */
int compile_is_cxx(const char *const *words, int n);
/* What is to be printed instead of compiling: in the words of mpicc of Open MPI (-showme) and of
 * MPICH (-show, -compile_info, -link_info). */
enum compile_show {
	COMPILE_RUNS,      /* nothing */
	COMPILE_COMMAND,   /* the whole command */
	COMPILE_COMPILER,  /* the compiler alone */
	COMPILE_COMPILES,  /* what compiles: compiler and flags */
	COMPILE_LINKS,     /* what links: compiler, flags and libraries */
	COMPILE_FLAGS,     /* flags for compiling, without the compiler */
	COMPILE_LIBRARIES, /* and those for linking */
	COMPILE_INCLUDES,  /* folders of headers */
	COMPILE_FOLDERS    /* folders of libraries */
};
enum compile_show compile_shows(const struct compile *c);
/* The words of the command, or of what is to be printed of it, NULL-terminated, to be freed by
 * compile_free; NULL: no memory. */
char **compile_command(const struct compile *c, struct err *err);
void compile_free(char **command);
/* The compiled module mpi, which differs from compiler to compiler and version to version: made in
 * the user's cache unless it is there and younger than its source. `out` is its folder. */
int compile_modules(const char *library, const char *compiler, struct str *out, struct err *err);

#endif
