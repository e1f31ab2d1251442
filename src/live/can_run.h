/* can_run.h: whether a program can be run under simulation, from its file and those of its
 * libraries. */
#ifndef ORRERY_LIVE_CAN_RUN_H
#define ORRERY_LIVE_CAN_RUN_H

#include "base/base.h"

enum can_run_kind {
	CAN_RUN_NO_PROGRAM, /* a script, say: only what it starts is known to run */
	CAN_RUN_STATIC,     /* no library can take MPI's place */
	CAN_RUN_NO_MPI,     /* neither it nor its libraries need MPI */
	CAN_RUN_OPENMPI,
	CAN_RUN_MPICH,
	CAN_RUN_ABI, /* the standard's ABI */
};

struct can_run {
	enum can_run_kind kind;
	int is_relocatable;
	int has_own_rights;        /* the loader takes none of our libraries into it */
	int names_init;            /* MPI_Init is a name in it, of its own perhaps */
	int has_threads;           /* it makes some, or one of its libraries that call MPI does */
	struct hash_str functions; /* of MPI, that it or one of its libraries names */
	struct str library;        /* the first MPI library needed, and by what */
	struct str another;        /* one of another MPI, and by what; empty: none */
	char version[16];          /* of that library, as it is found here; "": not known */
	struct str missing;        /* functions that are not there, one a line */
	struct str lost;           /* libraries that were not found, one a line */
	struct str files;          /* it and the libraries that were looked at, one a line */
	struct str alone; /* functions that only a process of its own can call, one a line */
	struct str rpath; /* a path in a file that goes before LD_LIBRARY_PATH; empty: none */
};

/* The folder of our MPI libraries: beside the program as it was built, or installed, or
 * ORRERY_MPI_DIR. */
int live_library(char *out, size_t n, struct err *err);

/* library: that folder. What cannot be run is no error: *out, to be released, says it. -1: a file
 * cannot be read, or memory: *out holds nothing. */
int can_run_check(const char *path, const char *library, struct can_run *out, struct err *err);
/* Whether it or one of its libraries names MPI_Comm_spawn. */
int can_run_spawns(const struct can_run *c);
/* Whether its threads may call MPI, which those of coroutines may not. */
int can_run_threads(const struct can_run *c);
/* Whether one of these files has, or calls, a function of this name. */
int can_run_names(const struct can_run *c, const char *function);
void can_run_release(struct can_run *c);

#endif
